import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from scrollwork.reporting.charts.seed_strip import strip
from scrollwork.reporting.page.text import MARKS, cut_text, spread, visible


@given(st.text())
def test_nothing_invisible_is_left(text: str) -> None:
    result = visible(text)
    assert all(unicodedata.category(char)[0] != "C" for char in result)
    result.encode("utf-8")


def test_bidirectional_controls_escapes_and_new_lines_are_named() -> None:
    assert visible("a\u202eb\x1b[31m\nc\u200b") == "a⟨U+202E⟩b⟨U+001B⟩[31m ↵ c⟨U+200B⟩"


def test_towers_of_combining_marks_are_cut_down() -> None:
    assert visible("e" + "\u0301" * 50 + "f") == "e" + "\u0301" * MARKS + "f"


def test_long_text_says_how_long_it_is() -> None:
    assert cut_text("a" * 1_000_000, 5) == "aaaaa… (1,000,000 characters in all)"
    assert cut_text("a" * 5, 5) == "aaaaa"


def test_a_small_spread_is_not_read_as_none() -> None:
    assert [spread(value) for value in (None, 0.0, 0.004, 0.04, 0.06, 12.34)] == [
        "",
        "±0.0",
        "±0.0",
        "±0.04",
        "±0.1",
        "±12.3",
    ]


@given(st.lists(st.floats(0, 100), min_size=2, max_size=20), st.none() | st.floats(0, 100))
def test_a_strip_stays_within_its_box(values: list[float], published: float | None) -> None:
    drawn = strip(values, sum(values) / len(values), published)
    places = [float(part.split("%")[0]) for part in drawn.split('x1="')[1:]]
    assert all(2 <= place <= 98 for place in places)
