"""What problems need, on the page: tables and charts against their rows, hostile texts, tasks with little to show."""

from __future__ import annotations

import re
import warnings
from typing import Any

import pytest
from needs_rows import PIG, agreement, dolce_board, findings, fit, params, texts

from scrollwork.records.complexity import CATEGORIES
from scrollwork.records.score import Aggregate, Coverage
from scrollwork.reporting.boards.board import board
from scrollwork.reporting.boards.leaderboard import markdown
from scrollwork.reporting.charts.drawing import chart_file, chart_style
from scrollwork.reporting.charts.figures import figures as as_figures
from scrollwork.reporting.page.content import Content, Findings
from scrollwork.reporting.page.page import page
from scrollwork.reporting.windows.figures import COLOURS, complexity_drawings
from scrollwork.reporting.windows.listed import listed_windows, place_name
from scrollwork.reporting.windows.problems import excerpt, seen_map
from scrollwork.reporting.windows.section import MOST_PAIRS, MOST_TYPICAL
from scrollwork.reporting.windows.texts import Texts

ALL = dict.fromkeys(CATEGORIES, 1)
HOSTILE = "</mark><script>alert(1)</script>\u202e<!--{{ 7 * 7 }}$x$"


def html(models: list[str], tasks: list[str], own: Findings, shown: Texts | None = None, charts: bool = False) -> str:
    content = dolce_board(models, tasks)
    figures = as_figures(complexity_drawings(own)) if charts else ()
    told = Content(findings=own, figures=figures, texts=shown or Texts())
    return "".join(page(content, params(models, tasks), content=told))


def plain(text: str) -> str:
    """Without tags, white space as one space."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text))


def section(text: str) -> str:
    return text[text.index('<section class="needs"') : text.index('<section id="board-1"')]


def test_shares_are_those_of_no_fit() -> None:
    own = findings(
        fit("one", "m", {"I": 1, "III": 2, "V": 1}, undecided=3), fit("two", "m", {"II": 1, "IV": 3}, scenario=PIG)
    )
    text = plain(section(html(["m"], ["one", "two"], own)))
    counts = "0 25 (0–100) 0 0 (0–100) 0 50 (0–100) 0 0 (0–100) 25 25 (0–100)"
    assert f"one m {counts} 25 0 75 4 COW 2, 20" in text, "three of four are undecided, in no category"
    assert "0.02 / 0.20 / 0.78 360 of 400 7 declined" in text
    assert (
        "two m 0 0 (0–100) 25 25 (0–100) 0 0 (0–100) 75 75 (0–100) 0 0 (0–100) 0 0 0 4 PIG 2, 20 – 360 of 400" in text
    )


def test_tasks_are_not_in_the_order_of_their_shares() -> None:
    own = findings(
        fit("a", "m", {"III": 1, "V": 3}), fit("b", "m", {"III": 3, "IV": 1}), fit("c", "m", {"V": 1}, scenario=PIG)
    )
    text = plain(section(html(["m"], ["a", "b", "c"], own)))
    ranked = text[text.index("Tasks by retrieval") :]
    assert "1 b COW 75 c PIG 100 2 a COW 25 a COW 75 3 c PIG 0 b COW 0" in ranked
    alone = plain(section(html(["m"], ["a"], findings(fit("a", "m", ALL)))))
    assert "Tasks by retrieval" not in alone


def test_problems_that_nothing_solves_or_undecided_ones_pass_for_holistic_or_retrieval() -> None:
    own = findings(
        fit("a", "m", {"V": 4}, solved=False), fit("b", "m", {"III": 4}, undecided=4), fit("c", "m", {"IV": 3, "V": 1})
    )
    text = plain(section(html(["m"], ["a", "b", "c"], own)))
    assert "0 0 (0–100) 100 100 (0–100) 0 100 0 4 COW" in text, "V: solved 0, unsolved 100"
    assert "0 100 (0–100) 0 0 (0–100) 0 0 (0–100) 0 0 100 4 COW" in text, "III 0, undecided 100"
    ranked = text[text.index("Tasks by retrieval") :]
    assert "1 a COW 0 c COW 25 2 b COW 0 a COW 0 and 100 unsolved 3 c COW 0 b COW 0" in ranked
    assert "V unsolved by the whole context: a" in text
    assert "V holistic: c" in text
    above, *_ = bars(own, "categories")
    found = {tuple(round(bar.get_width()) for bar in above.patches[at : at + 8]) for at in (0, 8, 16)}
    assert found == {(0, 0, 0, 0, 0, 100, 0, 0), (0, 0, 0, 0, 0, 0, 0, 100), (0, 0, 0, 75, 25, 0, 0, 0)}


def test_task_whose_whole_contexts_were_not_asked_lacks_gold() -> None:
    unasked = Aggregate("dolce", "a", "test", "m", "full", "dolce_accuracy", None, 0.0, None, None, None, 1, {},
                        Coverage(0, 0, 0, 0, 0, 0, 0))  # fmt: skip
    told = params(["m"], ["a"])
    content = board([unasked], told)
    for text in ("".join(page(content, told)), markdown(content)):
        assert "whole contexts not asked" in text
        assert "no inputs with gold" not in text
        assert "failed</small>" not in text
    plain_task = {**told, "tasks": [{name: value for name, value in told["tasks"][0].items() if name != "units"}]}
    assert "no inputs with gold" in "".join(page(board([unasked], plain_task), plain_task))


def test_two_models_are_not_held_against_each_other() -> None:
    pairs = [agreement(task, "m", "n", without) for task in ("a", "b") for without in (False, True)]
    own = findings(fit("a", "m", ALL), fit("a", "n", ALL), agreements=pairs)
    text = plain(section(html(["m", "n"], ["a", "b"], own)))
    assert "The same problems by two models: m and n" in text
    assert "a COW 8 0.31 0.42 0.16 – 0.07 75 a without I COW 8 0.31" in text
    assert "median of tasks 16 0.31 0.42 0.16 – 0.07 75" in text
    mixed = agreement("a", "m", "n", other_scenario=PIG)
    text = plain(section(html(["m", "n"], ["a", "b"], findings(fit("a", "m", ALL), agreements=[*pairs, mixed]))))
    assert "a COW / PIG 8 0.31" in text
    assert "median of tasks 16 0.31" in text, "lambda counts units in one part and aspects in the other"
    many = [agreement("a", "m", f"n{number}") for number in range(MOST_PAIRS + 4)]
    text = plain(section(html(["m"], ["a"], findings(fit("a", "m", ALL), agreements=many))))
    assert text.count("The same problems by two models") == MOST_PAIRS
    assert "4 more pairs of models are not shown" in text


def test_typical_problem_lacks_its_question_passage_or_table() -> None:
    names = [("a", "a-III-0")]
    shown = texts("the lamp was crimson", "What colour?", "crimson", names)
    text = section(html(["m"], ["a"], findings(fit("a", "m", ALL)), shown))
    own = text[text.index("III retrieval: a") :]
    own = own[: own.index("IV balanced: a")]
    assert "…before it <mark>the lamp was crimson</mark> after it…" in own
    told = plain(own)
    for wanted in (
        "Asked: What colour? Reference: crimson",
        "λ = 1, k = 1 in C = 40 sentences, with a probability of 90 % of III",
        "Right when shown: sentences 4–8 of 40",
        "5 9 0.25 0.12 0.62 0.25 0.12 0.62 0.25 0.12 0.62 0.50 0.25 0.75",
        "C 9 0.25",
    ):
        assert wanted in told, wanted
    holistic = plain(text[text.index("V holistic: a") :])
    assert "λ = ∞, k = 1" in holistic


def test_graded_task_is_shown_with_outcomes() -> None:
    text = plain(section(html(["m"], ["a"], findings(fit("a", "m", ALL, scenario=PIG)), texts("x"))))
    assert "Score 100.0 when shown: sentences 4–8 of 40" in text
    assert "fitted as PIG (dip test of its scores: p = 0.625)." in text
    assert "dip test" not in section(html(["m"], ["a"], findings(fit("a", "m", ALL)), texts("x"))), "COW by rule"
    assert "units shown windows seen fitted oracle weight 0 9 0.38 0.38 0.38 0.80" in text


@pytest.mark.parametrize("charts", [False, True])
def test_hostile_answer_name_or_question_becomes_markup(charts: bool) -> None:
    own = findings(
        fit(HOSTILE, HOSTILE, ALL), fit("b", HOSTILE, ALL), agreements=[agreement("b", HOSTILE, f"{HOSTILE}2")]
    )
    shown = texts(HOSTILE, HOSTILE, HOSTILE, [(HOSTILE, f"{HOSTILE}-III-0")])
    text = html([HOSTILE], [HOSTILE, "b"], own, shown, charts)
    assert "<script>alert" not in text
    assert "</mark><script" not in text
    assert "\u202e" not in text
    assert "49$x$" not in text
    assert text.count("<script") == html(["m"], ["a"], Findings()).count("<script")


def test_long_passage_fills_the_page() -> None:
    found = excerpt("x" * 500 + "y" * 100_000 + "z" * 500, 500, 100_500)
    assert (set(found.before), set(found.after)) == ({"x"}, {"z"})
    shown = Texts({("d", 10, 30): found})
    text = section(html(["m"], ["a"], findings(fit("a", "m", {"III": 1})), shown))
    assert "99,200 characters more" in plain(text)
    assert text.count("y") < 1500


def test_many_typical_problems_are_left_out_without_a_word() -> None:
    own = findings(*(fit(f"task{number}", "m", ALL) for number in range(13)))
    text = section(html(["m"], [f"task{number}" for number in range(13)], own, texts("x")))
    assert text.count('class="problem"') == MOST_TYPICAL
    assert f"{13 * 5 - MOST_TYPICAL} more typical problems are in the table only" in plain(text)


def test_no_windows_leave_an_empty_section() -> None:
    assert '<section class="needs"' not in html(["m"], ["a"], Findings())
    assert complexity_drawings(Findings()) == []


CASES: dict[str, Any] = {
    "one problem": [fit("a", "m", {"IV": 1})],
    "all undecided": [fit("a", "m", {"III": 3}, undecided=3)],
    "PIG only": [fit("a", "m", ALL, scenario=PIG)],
    "a split task": [fit("a", "m", {"III": 11}), fit("a", "m", {"V": 11}, scenario=PIG)],
    "two models": [fit("a", "m", ALL), fit("a", "n", ALL)],
    "44 tasks, two models": [fit(f"task {n}", m, {"II": 1, "V": 1}) for n in range(44) for m in ("m", "n")],
}


@pytest.mark.parametrize("case", [pytest.param(one, marks=[pytest.mark.slow] * ("44" in one)) for one in CASES])
def test_charts_or_page_fail_or_warn(case: str) -> None:
    own = findings(*CASES[case])
    tasks = list(dict.fromkeys(row["task"] for row in own.table("mixtures")))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = html(["m", "n"], tasks, own, texts("x"), charts=True)
    assert "mathdefault" not in text
    assert text.count("<figure") == 3


def bars(own: Findings, name: str) -> list[Any]:
    """The panels of a chart."""
    (drawing,) = (one for one in complexity_drawings(own) if one.name == name)
    with chart_style():
        return list(drawing.draw().axes)


def test_bars_are_not_the_shares() -> None:
    own = findings(fit("a", "m", {"I": 1, "V": 3}), fit("b", "m", {"II": 2}, scenario=PIG))
    cow, pig = bars(own, "categories")
    for axes, wanted in ((cow, [25, 0, 0, 0, 75]), (pig, [0, 100, 0, 0, 0])):
        widths = [bar.get_width() for bar in axes.patches[:5]]
        assert widths == pytest.approx(wanted)
        assert [bar.get_x() for bar in axes.patches[:5]] == pytest.approx([sum(wanted[:at]) for at in range(5)])
    assert [one.get_text() for one in cow.get_yticklabels()] == ["a"]


def test_bars_are_in_another_order_than_by_iii_iv_and_v() -> None:
    own = findings(
        fit("few", "m", {"I": 3, "III": 1}), fit("all", "m", {"III": 1, "IV": 2, "V": 1}), fit("unsure", "m", {"V": 4}, undecided=3),
        fit("half", "m", {"II": 2, "V": 2}, solved=False), fit("b", "m", {"I": 1}, scenario=PIG), fit("c", "m", {"V": 1}, scenario=PIG),
    )  # fmt: skip
    cow, pig = bars(own, "categories")
    assert [one.get_text() for one in cow.get_yticklabels()] == ["all", "half", "few", "unsure"]
    assert [one.get_text() for one in pig.get_yticklabels()] == ["c", "b"]
    for axes in (cow, pig):
        sums = [
            sum(bar.get_width() for bar in axes.patches[at + 2 : at + 7])
            for at in range(0, 8 * len(axes.get_yticks()), 8)
        ]
        assert sums == sorted(sums, reverse=True), "bars as they are labelled"


def test_marks_are_not_the_pairs_of_problems() -> None:
    (axes,) = bars(findings(fit("a", "m", ALL, undecided=1)), "complexity")
    marks = [
        (line.get_xdata()[0], line.get_ydata()[0], line.get_color(), line.get_markerfacecolor()) for line in axes.lines
    ]
    assert len(marks) == 5
    for (x, y, colour, face), place, (lam, k) in zip(
        marks, range(5), [(0.4, 0.4), (1, 20), (1, 1), (10, 1), (80, 1)], strict=True
    ):
        assert 0.9 * lam <= x <= 1.1 * lam
        assert 0.9 * k <= y <= 1.1 * k
        assert colour == COLOURS[place]
        assert face == ("none" if place == 0 else colour)
    assert [one.get_text() for one in axes.get_xticklabels()] == ["0", "1", "10", "∞"]


def test_bars_by_length_are_not_what_was_seen() -> None:
    cow, pig = bars(findings(fit("a", "m", ALL), fit("b", "m", ALL, scenario=PIG)), "windows")
    assert [bar.get_height() for bar in cow.patches] == pytest.approx([25] * 5 + [62.5] * 5 + [12.5] * 5)
    assert [one.get_text() for one in cow.get_xticklabels()] == ["0", "1", "5", "20", "C"]
    assert [bar.get_height() for bar in pig.patches] == pytest.approx([31.25] * 5)


def test_equal_rows_draw_other_bytes() -> None:
    own = findings(fit("a", "m", ALL))
    first, second = ([chart_file(one, "png") for one in complexity_drawings(own)] for _ in range(2))
    assert first == second


def test_map_shows_other_places_than_the_windows() -> None:
    rows = [{"units": 10, "length": 1, "right": (2, 4), "wrong": (6,), "declined": (0, 8)},
            {"units": 10, "length": 10, "right": (0,), "wrong": (), "declined": ()},
            {"units": 10, "length": 0, "right": (), "wrong": (0,), "declined": ()}]  # fmt: skip
    text = str(seen_map(rows))
    assert '<path class="right" d="M120.0 0h240.0v12h-240.0z"/>' in text
    assert '<path class="wrong" d="M360.0 0h120.0' in text
    assert '<path class="declined" d="M0.0 0h120.0v12h-120.0zM480.0 0h120.0' in text
    assert '<path class="right" d="M0.0 15h600.0' in text
    assert '<path class="wrong" d="M0.0 30h600.0' in text


@pytest.mark.parametrize(
    ("place", "wanted"),
    [
        ((0, 0, 381, "s"), "closed book"),
        ((0, 381, 381, "s"), "whole context, 381 sentences"),
        ((11, 20, 381, "rlt"), "sentences 12–31 of 381"),
        ((11, 1, 1381, "l"), "line 12 of 1,381"),
        ((0, 1, 1, "b"), "whole context, 1 paragraph"),
        ((0, 2, 9, "?"), "units 1–2 of 9"),
    ],
)
def test_window_has_another_name(place: tuple[int, int, int, str], wanted: str) -> None:
    assert place_name(*place) == wanted


def windows(problem: str, units: int = 100) -> list[Any]:
    places = [(first, length) for length in (0, 1, 10, units) for first in range(units - length + 1 if length else 1)]
    return [((problem, draw), units, first, length) for draw, (first, length) in enumerate(places)]


def test_list_holds_all_windows_or_lacks_the_right_ones() -> None:
    all_windows = [*windows("p"), *windows("q"), *windows("small", 3)]
    right = {("p", 50), ("p", 150), ("p", 190)}
    found = listed_windows(all_windows, right, most=20)
    for problem, count in (("p", 20), ("q", 20), ("small", len(windows("small", 3)))):
        own = [one for one in all_windows if one[0][0] == problem and one[0] in found]
        assert len(own) == count
        assert {0, own[0][1]} <= {length for *_, length in own}
    assert right <= found
    easy = listed_windows(all_windows, {one[0] for one in windows("p")}, most=20)
    assert sum(one[0] == "p" for one in easy) == 20
    half = listed_windows(all_windows, {("p", draw) for draw in range(1, 101)}, most=20)
    assert sum(("p", draw) in half for draw in range(1, 101)) == 9
