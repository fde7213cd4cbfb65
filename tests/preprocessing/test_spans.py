"""Windows of contexts: every strategy against a plain restatement, numbers that last, rows and prompts of windows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import groupby, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.preprocessing.prompts.from_examples import Profile, prompts
from scrollwork.preprocessing.prompts.template import Template, assemble
from scrollwork.preprocessing.windows.observations import Observed, observed_windows
from scrollwork.preprocessing.windows.prompt_template import Through, shown_through, window_in
from scrollwork.preprocessing.windows.spans import (
    Strategy,
    Window,
    lengths,
    strategy,
    window_of,
    window_starts,
    windows,
)
from scrollwork.records.document import Document
from scrollwork.records.example import Example
from scrollwork.records.prompt import render

LISTED = (0, 1, 2, 5, 10, 20, 50, 100)


def made(
    units: int, text: str, listed: tuple[int, ...] = LISTED, full: bool = True, **names: Any
) -> list[tuple[int, int]]:
    asked = {"seed": 0, "task": "t", "problem": "p", **names}
    return [(one.length, one.first) for one in windows(units, listed, full, strategy(text), **asked)]


def plain(units: int, listed: tuple[int, ...], full: bool, taken: Any) -> list[tuple[int, int]]:
    """All windows by the definition, those that `taken` says of (length, first)."""
    found = [(0, 0)] if 0 in listed else []
    for length in range(1, units + 1):
        if length in listed or (full and length == units):
            found += [(length, first) for first in range(units) if first + length <= units]
    return [one for one in found if taken(*one)]


ALONE = "closed book and whole context have one window, which stays"
PLAIN = {
    "all": lambda length, first: True,
    "take:5": lambda length, first: first % 5 == 0,
    "take:1": lambda length, first: True,
    "take-ip": lambda length, first: length == 0 or first % length == 0,
    "take-ip:3": lambda length, first: length == 0 or first % (3 * length) == 0,
    "long": lambda length, first: length >= 10,
    "short": lambda length, first: length <= 10,
    "take:2+long": lambda length, first: length >= 10 and first % 2 == 0,
    "short+long": lambda length, first: length == 10,
}


@pytest.mark.parametrize("text", PLAIN)
@pytest.mark.parametrize("units", [1, 2, 3, 7, 10, 11, 63, 120])
@pytest.mark.parametrize("full", [True, False])
def test_strategy_takes_other_windows_than_it_says(text: str, units: int, full: bool) -> None:
    assert made(units, text, full=full) == plain(units, LISTED, full, PLAIN[text])


@pytest.mark.parametrize("units", [1, 4, 5, 20, 99, 408])
def test_wide_set_has_other_lengths(units: int) -> None:
    wanted = plain(units, (0, 1, 5, 20, 100), True, PLAIN["all"])
    assert made(units, "wide", listed=(2, 50)) == wanted
    assert {length for length, _ in made(units, "wide", full=False)} == {n for n in (0, 1, 5, 20, 100) if n <= units}


def test_windows_of_a_published_problem_are_others() -> None:
    """C = 408, III of QuALITY (dolce.md 4): the numbers of samples at each length."""
    found = made(408, "all")
    counts = {length: sum(1 for one, _ in found if one == length) for length in (*LISTED, 408)}
    assert list(counts.values()) == [1, 408, 407, 404, 399, 389, 359, 309, 1]
    assert len(found) == sum(counts.values()) == 2677


@pytest.mark.parametrize(
    ("text", "rate"), [("sample:0.2", Fraction(1, 5)), ("sample:1", Fraction(1)), ("sample:0.004", Fraction(1, 250))]
)
def test_sample_takes_another_share(text: str, rate: Fraction) -> None:
    found = made(381, text)
    for length in LISTED:
        count = 1 if length == 0 else 381 - length + 1
        own = [first for one, first in found if one == length]
        wanted = max(1, (2 * rate.numerator * count + rate.denominator) // (2 * rate.denominator))
        assert len(own) == (1 if length == 0 else wanted)
        assert own == sorted(set(own))
        assert set(own) <= set(range(count))
    assert (381, 0) in found


def test_sample_inversely_proportional_to_the_length_takes_another_share() -> None:
    found = made(500, "sample-ip")
    assert {length: sum(1 for one, _ in found if one == length) for length in LISTED} == {
        0: 1, 1: 500, 2: 250, 5: 99, 10: 49, 20: 24, 50: 9, 100: 4
    }  # fmt: skip
    halved = made(500, "sample-ip:0.5")
    assert sum(1 for one, _ in halved if one == 1) == 250
    assert set(halved) <= set(found)


def test_lower_rate_takes_windows_that_a_higher_one_does_not() -> None:
    rates = [set(made(300, f"sample:{rate}")) for rate in ("0.05", "0.1", "0.5", "1")]
    assert all(less < more for less, more in pairwise(rates))
    assert rates[-1] == set(made(300, "all"))


def test_sample_does_not_depend_on_seed_task_and_problem_alone() -> None:
    base = made(300, "sample:0.1")
    assert base == made(300, "sample:0.1")
    others = [
        made(300, "sample:0.1", **{name: value}) for name, value in (("seed", 1), ("task", "u"), ("problem", "q"))
    ]
    assert all(other != base for other in others)
    assert len({tuple(other) for other in others}) == 3
    # which windows a sample has must last: of (0, "t", "p") at length 50
    assert [first for length, first in made(60, "sample:0.3") if length == 50] == sorted(
        first for length, first in base_of(60, 50)[:3]
    )


def base_of(units: int, length: int) -> list[tuple[int, int]]:
    """The order in which windows are sampled, spelled out."""
    import hashlib

    def key(first: int) -> str:
        return hashlib.sha256("\x1f".join(["0", "t", "p", "windows", str(length), str(first)]).encode()).hexdigest()

    return [(length, first) for first in sorted(range(units - length + 1), key=key)]


def test_context_of_one_unit_or_none_has_windows_twice_or_fails() -> None:
    assert made(1, "all") == [(0, 0), (1, 0)]
    assert made(1, "all", listed=(1, 2)) == [(1, 0)]
    assert made(0, "all") == [(0, 0)]
    assert made(0, "all", listed=(1, 2), full=False) == []


@pytest.mark.parametrize(
    "text",
    ["", "each", "take", "take:0", "take:1.5", "take:-1", "sample", "sample:0", "sample:1.5", "sample:x", "all:2", "long:5",
     "take:2+sample:0.5", "take-ip+take:2", "take:2,long", "take:99999999", "+", "sample:1e-3", "take:٢"],
)  # fmt: skip
def test_strategy_that_is_none_is_taken(text: str) -> None:
    with pytest.raises(ValueError, match="strategy"):
        strategy(text)


def test_strategy_reads_its_parts_wrong() -> None:
    assert strategy("all") == Strategy()
    assert strategy("take:5 + long") == Strategy(step=5, least=10)
    assert strategy("sample-ip+short") == Strategy(rate=Fraction(1), inverse=True, most=10)


@given(st.integers(1, 60))
def test_two_windows_have_one_number(units: int) -> None:
    every = [Window(0, 0), *(Window(n, first) for n in range(1, units + 1) for first in range(units - n + 1))]
    numbers = [one.number(units) for one in every]
    assert numbers == list(range(len(every)))
    assert [window_of(number, units) for number in numbers] == every


@given(st.integers(1, 10**6), st.data())
def test_number_of_a_window_of_a_long_context_names_another(units: int, data: Any) -> None:
    length = data.draw(st.integers(1, units))
    one = Window(length, data.draw(st.integers(0, units - length)))
    assert window_of(one.number(units), units) == one


def test_number_of_a_window_depends_on_the_strategy() -> None:
    full = {one: one.number(30) for one in windows(30, LISTED, True, strategy("all"), seed=0, task="t", problem="p")}
    for text in ("take:3", "sample:0.4", "long", "take-ip"):
        some = windows(30, LISTED, True, strategy(text), seed=0, task="t", problem="p")
        assert all(full[one] == one.number(30) for one in some)


def test_window_outside_the_context_has_a_number() -> None:
    for one in (Window(4, 0), Window(2, 2), Window(1, -1), Window(-1, 0), Window(0, 1)):
        with pytest.raises(ValueError, match="no window of 3"):
            one.number(3)
    for number in (7, -1, 10**12):
        with pytest.raises(ValueError, match="no window of 3"):
            window_of(number, 3)


def test_lengths_and_starts_are_not_in_order() -> None:
    assert lengths(7, (5, 0, 10, 1), True, strategy("all")) == [0, 1, 5, 7]
    assert lengths(5, (5, 0, 10, 1), True, strategy("all")) == [0, 1, 5]
    assert lengths(7, (5, 0, 10, 1), False, strategy("all")) == [0, 1, 5]
    assert window_starts(11, 2, strategy("take:5")) == [0, 5, 10]


# ---- rows and prompts


TEXT = "  One. Two.\n\nThree. "
DOCUMENT = Document.of(TEXT, source_file="f")
PROBLEM = Example("task", "test", "0-1", (DOCUMENT.document_id,), ("Two.",), query="What?", metadata='{"size":"4K"}')
TEMPLATE = Template("qa", "Answer.", context_header="Text:", query_header="Question:", response_header="Answer:")
WAY = Through(TEMPLATE, "plain", "full", "")


HOW = Observed("s", (0, 1, 2))


def rows(how: Observed = HOW, text: str = "all", example: Example = PROBLEM) -> list[Example]:
    return list(
        observed_windows(
            [example], {DOCUMENT.document_id: TEXT}.__getitem__, how, strategy(text), seed=0, suite="dolce"
        )
    )


def test_rows_of_windows_lose_the_problem_or_their_window() -> None:
    found = rows()
    assert [row.facts["window"] for row in found] == [
        {"units": 3, "first": 0, "length": 0, "start": 0, "end": 0},
        {"units": 3, "first": 0, "length": 1, "start": 2, "end": 6},
        {"units": 3, "first": 1, "length": 1, "start": 7, "end": 11},
        {"units": 3, "first": 2, "length": 1, "start": 13, "end": 19},
        {"units": 3, "first": 0, "length": 2, "start": 2, "end": 11},
        {"units": 3, "first": 1, "length": 2, "start": 7, "end": 19},
        {"units": 3, "first": 0, "length": 3, "start": 0, "end": 20},
    ]
    assert [row.draw for row in found] == list(range(7))
    assert {(row.example_id, row.references, row.query, row.suite, row.facts["size"]) for row in found} == {
        ("0-1", ("Two.",), "What?", "dolce", "4K")
    }
    assert [window_of(row.draw, 3) for row in found] == [
        Window(row.facts["window"]["length"], row.facts["window"]["first"]) for row in found
    ]


def test_questions_on_one_window_do_not_follow_each_other() -> None:
    other = replace(PROBLEM, example_id="0-2", query="Who?")
    text_of = {DOCUMENT.document_id: TEXT}.__getitem__
    found = list(observed_windows([PROBLEM, other], text_of, HOW, strategy("all"), seed=0))
    assert [(row.example_id, row.draw) for row in found] == [(name, at) for at in range(7) for name in ("0-1", "0-2")]
    drawn = list(observed_windows([PROBLEM, other], text_of, HOW, strategy("sample:0.5"), seed=0))
    for name, problem in (("0-1", PROBLEM), ("0-2", other)):
        alone = observed_windows([problem], text_of, HOW, strategy("sample:0.5"), seed=0)
        assert [row for row in drawn if row.example_id == name] == list(alone), "a problem's windows are its own"


def test_sizes_have_no_lengths_of_their_own() -> None:
    how = Observed("s", (0,), full=False, more={"4K": (2,), "16K": (1,)})
    assert [row.facts["window"]["length"] for row in rows(how)] == [0, 2, 2]


def test_prompt_shows_another_window_or_an_empty_context() -> None:
    prompts = []
    for row in rows():
        parts = assemble(row, TEMPLATE, lambda _: len(TEXT))
        window = window_in(row)
        assert window is not None
        prompts.append(render(shown_through(parts, window), {DOCUMENT.document_id: TEXT}.__getitem__))
    frame = "Answer.\n\nText:\n{}\n\nQuestion:\nWhat?\n\nAnswer:\n"
    assert prompts[0] == "Answer.\n\nQuestion:\nWhat?\n\nAnswer:\n"
    shown = ["One.", "Two.", "Three.", "One. Two.", "Two.\n\nThree.", TEXT]
    assert prompts[1:] == [frame.format(text) for text in shown]


def test_prompt_of_a_window_does_not_tell_it() -> None:
    text_of = {DOCUMENT.document_id: TEXT}.__getitem__
    found = list(prompts(rows(), TEMPLATE, Profile(), text_of, arm="full", max_new_tokens=8, chat_sentence="", way=WAY))
    assert [(one.draw, one.units, one.span_start, one.span_length, one.kept_chars) for one in found] == [
        (0, 3, 0, 0, 0), (1, 3, 0, 1, 4), (2, 3, 1, 1, 4), (3, 3, 2, 1, 6), (4, 3, 0, 2, 9), (5, 3, 1, 2, 12), (6, 3, 0, 3, 20)
    ]  # fmt: skip
    (whole,) = prompts([PROBLEM], TEMPLATE, Profile(), text_of, arm="full", max_new_tokens=8, chat_sentence="")
    assert (whole.units, whole.span_start, whole.span_length) == (None, None, None)
    assert whole.prompt_sha256 == found[-1].prompt_sha256, "all units are the problem's own prompt"
    assert whole.parts == found[-1].parts


def test_row_without_window_has_one() -> None:
    assert window_in(PROBLEM) is None


def test_context_without_unit_or_several_documents_are_not_named() -> None:
    with pytest.raises(ValueError, match="task, 0-1: the context has no unit by 'q'"):
        rows(Observed("q", (0, 1)))
    two = Example("task", "test", "0-2", (DOCUMENT.document_id,) * 2, ("Two.",))
    with pytest.raises(ValueError, match="task, 0-2: windows are of one document"):
        rows(example=two)


def test_prompts_of_a_window_do_not_follow_each_other() -> None:
    """A provider keeps a prefix for minutes: who asks problem by problem never finds a window there again."""
    other = Document.of("One. Two.", source_file="f")
    asked = [replace(PROBLEM, example_id=name, document_ids=(DOCUMENT.document_id,)) for name in ("a", "b", "c")]
    asked.append(replace(PROBLEM, example_id="d", document_ids=(other.document_id,)))
    texts = {one.document_id: one.text for one in (DOCUMENT, other)}
    rows = list(observed_windows(asked, texts.__getitem__, Observed("s", (0, 1, 2)), strategy("all"), seed=0))
    windows_shown = [(row.document_ids, row.facts["window"]["length"], row.facts["window"]["first"]) for row in rows]
    assert len(list(groupby(windows_shown))) == len(set(windows_shown))
    assert {name for name, _ in groupby(row.example_id for row in rows[-4:])} == {"d"}
    for name in "abc":
        alone = list(
            observed_windows(
                asked["abc".index(name) :][:1], texts.__getitem__, Observed("s", (0, 1, 2)), strategy("all"), seed=0
            )
        )
        assert [row for row in rows if row.example_id == name] == alone
