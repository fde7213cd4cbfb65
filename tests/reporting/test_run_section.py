"""A ranking over runs in the report: AR and ARSD as the fact sheet has them, what is left out, hostile names."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

import pytest
from boards import row
from run_boards import TASKS, aggregate, drawn, params, ranked, ranked_board, run_score

from scrollwork.reporting.boards.board import Board, board
from scrollwork.reporting.boards.leaderboard import as_json, markdown, remarks
from scrollwork.reporting.boards.table_formats import csv_table, latex
from scrollwork.reporting.boards.terminal import terminal
from scrollwork.reporting.charts.drawing import chart_file, chart_style
from scrollwork.reporting.charts.figures import charted_lines, drawings, figures
from scrollwork.reporting.charts.point_names import HEIGHT, WIDTH, name_places, overlap_area
from scrollwork.reporting.page.content import Content, Findings
from scrollwork.reporting.page.page import page
from scrollwork.reporting.runs.figures import MOST_POINTS, places, run_drawings, thin_out
from scrollwork.reporting.runs.table_formats import csv_ranks, latex_ranks, markdown_ranks

MODELS = {"strong": 40.0, "middle": 30.0, "weak": 12.0}
HOSTILE = "</script><b onclick=x>\u202e$\\alpha$|_%\n=1+1"
NO_AVERAGE = (": no average", "No benchmark average", "enchmark average", ">average<", ",average,", "| average |")
PROXY = "lexical proxy, not comparable with the published FuseReviews column"
# fact sheet seam.md 9.4
RECOMPUTED = {
    "Llama 3-70B": ("2.00", "8.5"),
    "Mistral-7B": ("2.50", "10.1"),
    "Llama 3-8B": ("3.33", "5.2"),
    "Mixtral-8x7B": ("3.67", "13.9"),
    "Mixtral-8x22B*": ("3.83", "8.3"),
    "Gemma-2B": ("5.67", "19.1"),
    "Gemma-7B": ("7.00", "20.5"),
}


def html(content: Board, *, charts: bool = False) -> str:
    before, after = page(content, params([]), content=Content(figures=figures(run_drawings(content)) if charts else ()))
    return before + after


def cells(text: str, around: str) -> list[list[str]]:
    """Rows of the first table behind a text, tags taken out."""
    table = text[text.index(around) :]
    rows = re.findall(r"<tr>(.*?)</tr>", table[: table.index("</table>")], re.DOTALL)
    return [
        [re.sub(r"<[^>]+>", "", cell).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", one, re.DOTALL)]
        for one in rows
    ]


@pytest.fixture(scope="module")
def content() -> Board:
    """A board of three models on all data sets."""
    return ranked_board(drawn(MODELS), lengths=True)


def test_published_rows_have_other_ar_and_arsd_than_the_fact_sheet(content: Board) -> None:
    rows = cells(html(content), 'aria-label="AR and ARSD"')
    found = {line[1]: (line[2], line[4]) for line in rows if len(line) > 4 and line[1] in RECOMPUTED}
    assert found == RECOMPUTED
    assert "Published, not computed here: Lior et al. 2024, table 3" in html(content)


def test_unrounded_ar_and_arsd_differ_from_the_fact_sheet(content: Board) -> None:
    whole = {"Llama 3-70B": 8.5349, "Mistral-7B": 10.1100, "Llama 3-8B": 5.1830, "Gemma-7B": 20.4736}
    rows = csv.DictReader(io.StringIO(csv_ranks(content)))
    found = {row["model"]: 100 * float(row["arsd"]) for row in rows if row["source"] == "published"}
    assert {name: found[name] for name in whole} == {
        name: pytest.approx(value, abs=5e-5) for name, value in whole.items()
    }


def test_comparable_columns_hold_the_proxy(content: Board) -> None:
    """Without FuseReviews Llama 3-70B has the ranks 2, 4, 1, 2, 1, and Mistral-7B 4, 1, 5, 1, 3."""
    rows = {line[1]: line for line in cells(html(content), 'aria-label="AR and ARSD"') if len(line) > 4}
    assert rows["Llama 3-70B"][7] == "2.00"
    assert rows["Mistral-7B"][7] == "2.80"
    assert rows["strong"][7] == "1.00"
    assert content.ranks.compared() == [task for task in TASKS if task != "fuse_reviews"]


def test_proxy_is_not_labelled_everywhere(content: Board) -> None:
    for text in (html(content), markdown_ranks(content), csv_ranks(content), csv_table(content), latex_ranks(content)):
        assert PROXY in text
    assert any(PROXY in one for one in remarks(content, content.sections[0]))
    assert "FuRv (proxy)" in next(
        chart_file(one, "svg").decode() for one in run_drawings(content) if one.name == "runs"
    )


def test_upstreams_validation_data_pass_for_test_data(content: Board) -> None:
    assert "upstream’s validation data on fuse_reviews (dev), musique (dev)" in html(content)


def test_a_suite_that_ranks_models_has_an_average_or_a_warning_that_there_is_none(content: Board) -> None:
    told = [*remarks(content, content.sections[0]), html(content), markdown(content), csv_table(content)]
    assert not any(word in text for text in told for word in NO_AVERAGE)
    assert set(as_json(content)["averages"].values()) == {None}
    assert "| AR | ARSD % |" in markdown(content)
    assert "strong,full,AR,mean rank,1.0" in csv_table(content)


def test_other_suites_lose_their_average_or_gain_a_ranking() -> None:
    from boards import params as zeroscrolls

    plain = board([row("qmsum")], zeroscrolls(["naive"]))
    text = "".join(page(plain, zeroscrolls(["naive"])))
    assert "1 of 10 tasks" in text
    assert "Models ranked over runs" not in text
    assert "average rank" not in text
    assert markdown_ranks(plain).strip() == csv_ranks(plain).partition("\n")[2] == latex_ranks(plain) == ""


def test_model_with_another_manifest_is_ranked_or_disappears() -> None:
    odd = [run_score("musique", "odd", run, 99.0, manifest=f"other {run}") for run in range(10)]
    text = html(found := ranked_board([*drawn(MODELS), *odd]))
    assert [one.model for one in found.ranks.ranked()] == list(MODELS)
    assert "odd: not ranked: musique, runs 0, 1, 2, 3, 4, 5, 6, 7, 8, 9: drew other prompts than strong" in text
    assert any("odd: not ranked" in one for one in remarks(found, found.sections[0]))
    places = cells(text, 'aria-label="Here"')
    assert "odd" not in str(places)


def test_missing_score_is_no_na_row_and_not_last() -> None:
    rows = [one for one in drawn(MODELS) if (one.model, one.task) != ("strong", "ecb_plus")]
    found = ranked_board(rows)
    strong = found.ranks.model("strong")
    assert strong is not None
    assert (strong.ar, strong.tasks, strong.counted) == (pytest.approx((5 * 1 + 3) / 6), 6, 5)
    last = found.ranks.column("ecb_plus")[-1]
    assert (last.model, last.rank, last.mean, last.arrow, last.reason) == ("strong", 3, None, None, "not asked")
    assert "| 3 | – | strong | NA |" in markdown_ranks(found)
    assert re.search(r"strong</bdi></th><td class=\"na\">NA<br><small>not asked", html(found))


def test_arrow_of_tied_models_is_not_of_the_row_above() -> None:
    """Ties go by name in dominance; rows in the order of AR put an arrow beside another model."""
    rows = drawn({"strong": 60.0, "apt": 30.0, "zeal": 45.0})
    rows = [replace(one, value=20.0) if one.task == "sci_co" and one.model != "strong" else one for one in rows]
    found = ranked_board(rows)
    assert [one.model for one in found.ranks.ranked()] == ["strong", "zeal", "apt"]
    for task in TASKS:
        column = found.ranks.column(task)
        over = {one.worse: (one.better, one.arrow) for one in found.ranks.dominance if one.task == task}
        for above, one in pairwise(column):
            assert over[one.model] == (above.model, one.arrow)
    assert [one.model for one in found.ranks.column("sci_co")] == ["strong", "apt", "zeal"]


def test_box_at_the_edge_is_cut() -> None:
    rows = [replace(one, value=0.0) if one.model == "weak" else one for one in drawn(MODELS)]
    (drawing,) = [one for one in run_drawings(ranked_board(rows)) if one.name == "runs"]
    with chart_style():
        made = drawing.draw()
    for axes in made.axes[:6]:
        low, high = axes.get_xlim()
        ends = [x for line in axes.lines for x in line.get_xdata()]
        assert low < min(ends) - 1
        assert high > max(ends)


def test_model_has_another_colour_in_each_chart_of_a_page() -> None:
    """The leaderboard's charts go by the order of its lines, the ranking by AR."""
    content = ranked_board(drawn({"weak": 10.0, "middle": 30.0, "strong": 60.0}), lengths=True)
    of_board = [line.model for line in charted_lines(content.sections[0])]
    assert [one.model for one in content.ranks.ranked()] != of_board
    at = places(content.sections[0], [(model, "full") for model in ("strong", "middle", "weak")])
    assert {model: place for (model, _), place in at.items()} == {model: of_board.index(model) for model in of_board}
    lone = places(content.sections[0], [("new", "full"), ("weak", "full")])
    assert len(set(lone.values())) == 2


def test_legend_names_models_without_a_point() -> None:
    rows = [one for one in drawn(MODELS) if one.model != "weak" or one.task not in ("musique", "sci_co", "ecb_plus")]
    svg = next(chart_file(one, "svg").decode() for one in run_drawings(ranked_board(rows)) if one.name == "format")
    assert ">strong<" in svg
    assert ">weak<" not in svg
    assert re.search(r"r -?\d\.\d\d, n \d", svg), "a panel does not say how its points correlate"


def test_interval_over_runs_is_called_one_over_documents() -> None:
    content = ranked_board(drawn(MODELS))
    (scores,) = [one for one in drawings(content, Findings(), {}, {}) if one.name == "scores"]
    assert "Student" in scores.caption
    reading = html(content).partition('id="reading"')[2]
    assert "Standard deviation over a baseline" not in reading
    assert "Of differences and of parts of the inputs: bootstrap over documents" in reading


def test_names_of_close_points_lie_on_each_other() -> None:
    points = [(100.0, 50.0), (112.0, 49.0), (190.0, 10.0), (290.0, 10.0)]
    names = ["lead", "naive", "same-head", "one-cluster"]
    boxes = []
    for (x, y), name, (across, up, side) in zip(points, names, name_places(points, names, 0.0, 300.0), strict=True):
        begin = x + across - (WIDTH * len(name) if side == "right" else 0)
        boxes.append((begin, y + up, begin + WIDTH * len(name), y + up + HEIGHT))
        assert boxes[-1][0] >= 0
        assert boxes[-1][2] <= 300
    assert not any(overlap_area(one, other) for one, other in combinations(boxes, 2))


def test_one_run_has_a_deviation_an_interval_or_dominance() -> None:
    found = ranked_board(drawn(MODELS, runs=1))
    assert found.ranks.dominance == []
    assert [one.name for one in run_drawings(found)] == ["runs", "rank-spread", "format"]
    first = found.ranks.column("musique")[0]
    assert (len(first.scores), first.arrow) == (1, None)
    (line,) = [line for line in cells(html(found), 'aria-label="AR and ARSD"') if line[1:2] == ["strong"]]
    assert line[3] == line[5] == line[6] == "–"
    assert f"| 1 | – | strong | {first.mean:.1f} |" in markdown_ranks(found)


def test_hostile_names_reach_a_page_or_a_file_as_they_are() -> None:
    rows = drawn({HOSTILE: 30.0, "=1+1": 20.0, "plain": 10.0})
    other = [run_score("musique", f"{HOSTILE}2", run, 9.0, manifest="o") for run in range(10)]
    found = ranked_board([*rows, *other], lengths=True)
    text = html(found)
    for raw in ("<b onclick", "\u202e"):
        assert raw not in text
        assert raw not in latex_ranks(found)
        assert raw not in markdown_ranks(found)
    typeset = [line for line in (latex_ranks(found) + latex(found)).splitlines() if not line.startswith("%")]
    assert "$\\alpha$" not in "".join(typeset)
    lines = list(csv.reader(io.StringIO(csv_ranks(found))))
    assert not any(cell.startswith(("=", "+", "@")) for line in lines for cell in line)
    assert terminal(found)


@pytest.mark.slow
def test_equal_rows_give_another_page_or_chart() -> None:
    one, other = (ranked_board(drawn(MODELS), lengths=True) for _ in range(2))
    assert html(one, charts=True) == html(other, charts=True)


def test_ranking_that_failed_makes_the_page_fail_or_show_an_average() -> None:
    rows: list[Any] = [aggregate([one for one in drawn(MODELS) if (one.model, one.task) == ("weak", "musique")])]
    bare = board(rows, params(["weak"]))
    text = html(bare)
    assert not any(word in text for word in NO_AVERAGE)
    assert "not ranked" in text
    assert any("no model is ranked" in one for one in remarks(bare, bare.sections[0]))


def test_published_rows_of_another_split_stand_beside_ours(content: Board) -> None:
    assert content.ranks.of("validation").models == []
    assert not ranked([]).ranked()


def test_points_that_are_drawn_depend_on_their_order(content: Board) -> None:
    points = [one for one in content.ranks.lengths if one.task == "musique"]
    assert len(points) > MOST_POINTS
    assert thin_out(points) == thin_out(points[::-1])
    assert len(thin_out(points)) == MOST_POINTS


@pytest.mark.parametrize("name", ["runs", "rank-spread", "format", "prompt-length", "stability"])
def test_chart_is_lost_as_a_file(content: Board, name: str) -> None:
    (one,) = [one for one in run_drawings(content) if one.name == name]
    assert chart_file(one, "svg").startswith(b"<?xml")
    if name == "rank-spread":
        assert chart_file(one, "png").startswith(b"\x89PNG")


def test_charts_are_not_on_the_page(content: Board) -> None:
    text = html(content, charts=True)
    assert all(f"<b>{one.title}.</b>" in text for one in run_drawings(content))
