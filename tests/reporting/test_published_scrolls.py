"""SCROLLS' tables as printed: recomputed averages, and the same numbers as the suite file."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace

import pytest
from boards import CONFIG, row

from scrollwork.reporting.boards.leaderboard import board, markdown
from scrollwork.reporting.boards.published import published_of
from scrollwork.reporting.page.page import page
from scrollwork.suites.suite_files import load_suite, paper_means, paper_sizes
from scrollwork.tasks.report.parameters import report_params
from tests.conftest import Call

DATA = tomllib.loads((CONFIG / "published" / "scrolls.toml").read_text(encoding="utf-8"))
SUITE = load_suite("scrolls")
PUBLISHED = published_of(DATA)
assert PUBLISHED is not None
ROWS = PUBLISHED.table("2")
RECOMPUTED = [19.35, 26.35, 27.59, 29.00, 27.08, 28.29, 29.14]  # fact sheet 6.3


def test_table_2_is_whole() -> None:
    assert [(row.label, row.tokens) for row in ROWS] == [
        ("Naive", None),
        *(("BART", tokens) for tokens in (256, 512, 1024)),
        *(("LED", tokens) for tokens in (1024, 4096, 16384)),
    ]
    assert all(set(row.scores) == set(SUITE.tasks) for row in ROWS)


def test_table_4_is_missing_or_taken_for_scores() -> None:
    assert PUBLISHED is not None
    (row,) = PUBLISHED.table("4")
    assert (dict(row.scores), row.average, row.apart) == ({}, None, "mostly not comparable")
    assert set(row.printed) == set(SUITE.tasks)
    assert row.printed["narrative_qa"] == "BLEU 15.53"
    html = "".join(page(board([], report_params(SUITE, ["m"], [], [], {})), report_params(SUITE, ["m"], [], [], {})))
    assert "BLEU 15.53" in html
    assert "mostly not comparable" in html


@pytest.mark.parametrize(("place", "mean"), list(enumerate(RECOMPUTED)))
def test_printed_averages_are_the_means_of_the_seven_scores(place: int, mean: float) -> None:
    printed = ROWS[place]
    assert printed.average is not None
    assert sum(printed.scores.values()) / 7 == pytest.approx(mean, abs=0.005)
    assert printed.average == pytest.approx(mean, abs=0.025)  # the cells are rounded to one decimal


def test_rouge_cells_are_averaged_plainly() -> None:
    naive = ROWS[0].scores
    found = [round(naive[task], 2) for task in ("gov_report", "summ_screen_fd", "qmsum")]
    assert found == [25.65, 7.29, 6.42]  # fact sheet 6.3
    assert PUBLISHED is not None
    assert PUBLISHED.baseline("gov_report") == naive["gov_report"]


def test_the_leaderboard_of_scrolls_has_no_reference_rows() -> None:
    params = report_params(SUITE, ["m"], [], [], {})
    shown = markdown(board([replace(row("qmsum", "m"), suite="scrolls")], params))
    assert "published, Shaham et al. 2022, table 2" in shown
    assert "16,384 tokens" in shown


def test_table_1_and_the_suite_file_differ() -> None:
    assert set(DATA["corpus"]) == set(SUITE.tasks)
    totals = {}
    for name, task in SUITE.tasks.items():
        sizes = paper_sizes("scrolls", task, "test")
        means = paper_means("scrolls", name)
        assert (sizes["examples"], means["words_in"]) == (task.paper["examples"], task.paper["mean_words"])
        counts = DATA["corpus"][name]
        totals[name] = sum([*counts["rows"].values(), *counts["examples"].values()])
    assert totals == {
        "gov_report": 19402,
        "summ_screen_fd": 4348,
        "qmsum": 1810,
        "qasper": 5692,
        "narrative_qa": 71187,
        "quality": 6737,
        "contract_nli": 10319,
    }


def test_rows_are_taken_for_examples() -> None:
    qmsum = SUITE.tasks["qmsum"]
    assert paper_sizes("scrolls", qmsum, "train") == {"rows": 1257}, "its means are over all splits"
    assert paper_means("scrolls", "qmsum") == {"words_in": 9497, "words_out": 69.7}
    assert paper_means("zeroscrolls", "qmsum") == {}
    zero = load_suite("zeroscrolls").tasks["qmsum"]
    assert paper_sizes("zeroscrolls", zero, "test") == {"examples": 281, "words_in": 10839}
    assert paper_sizes("zeroscrolls", zero, "validation") == {}, "the paper's numbers are of its test split"


def test_two_published_rows_of_one_model_look_alike(call: Call) -> None:
    ran = ("run", "scrolls", "--sample", "--task", "quality", "--limit", "2", "--model", "lead")
    _, out, err = call(*ran, "--engine", "inline", "--quiet")
    _, _, published = out.partition("published, ")
    table, _, _ = published.partition("model  ")
    assert re.findall(r"^(?:[\d,]+ tokens|BART|LED)", table, re.MULTILINE) == [
        *("BART", "256 tokens", "BART", "512 tokens", "BART", "1,024 tokens"),
        *("LED", "1,024 tokens", "LED", "4,096 tokens", "LED", "16,384 tokens"),
    ], err
