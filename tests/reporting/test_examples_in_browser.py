"""Examples and comparisons of a report in a real browser: what a person chooses, opens, leaves and goes back from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from boards import params, row
from browser import CHROMIUM, NONE, Tab, browser
from driving import BODY, LISTED, ROWS, change, opened, quiet, show
from pages import written

from scrollwork.records.comparison import few_clusters
from scrollwork.reporting.boards.board import board
from scrollwork.reporting.page.content import Content, Findings
from scrollwork.reporting.page.page import page

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason=NONE)]

FOCUSED = (
    "document.activeElement.getAttribute('aria-label') || document.activeElement.id || document.activeElement.tagName"
)
SCORED = [("test", "one", 10.0), ("test", "two", 15.0), ("test", "three", 5.0)]
SCORED += [("validation", "one", 40.0), ("validation", "two", 20.0)]
CLOSED = "!document.getElementById('example').open"


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with browser() as one:
        yield one


def compared(task: str = "qasper", **more: Any) -> dict[str, Any]:
    """A comparison of the models one and two."""
    names = {"split": "test", "task": task, "model": "one", "arm": "full", "other": "two", "other_arm": "full"}
    found = {"value": 25.0, "other_value": 20.0, "difference": 5.0, "low": 2.0, "high": 8.0, "p": 0.01, "p_holm": 0.02}
    return {**names, **found, "detectable": 3.0, "inputs": 40, "left_out": 0, "clusters": 20, **more}


def remark(tab: Tab, task: str) -> str:
    rows = "[...document.querySelectorAll('#pair tbody tr')]"
    return str(tab.run(f"{rows}.find(row => row.cells[0].innerText === '{task}').querySelector('.remarks').innerText"))


def test_an_input_that_one_model_did_not_answer_counts_as_won_by_the_other(tab: Tab, tmp_path: Path) -> None:
    opened(tab, written(tmp_path, {"one": ["a", "b", "c", None], "two": ["a", None, "c", "d"]}))
    change(tab, "only", "better")
    tab.wait(f"{LISTED} === 1")
    assert tab.run(f"{ROWS}[0].cells[0].innerText") == "q2"
    change(tab, "only", "worse")
    tab.wait(f"{LISTED} === 0")


def test_the_way_back_leaves_the_page_instead_of_the_example(tab: Tab, tmp_path: Path) -> None:
    opened(tab, written(tmp_path, {"m": ["a", "b", "c"]}))
    show(tab, "answers")
    tab.run("document.getElementById('next').click()")
    tab.wait("location.hash === '#example/qasper/test/1'")
    tab.run("history.back()")
    tab.wait(f"{CLOSED} && location.hash === ''")
    tab.run("history.forward()")
    tab.wait("document.getElementById('example').open && document.body.dataset.opened.includes('/1/')")
    tab.press("Escape", 27)
    tab.wait(f"{CLOSED} && location.hash === ''")
    for _ in range(3):  # opened and closed at once, again and again: no entry is left over
        tab.run("document.querySelector('#examples tbody button').click(); document.getElementById('close').click()")
        tab.wait(f"{CLOSED} && location.hash === ''")
    tab.run("document.querySelector('#examples tbody button').click()")
    tab.wait("document.getElementById('example').open && location.hash === '#example/qasper/test/0'")
    tab.run("location.hash = '#board-1'")
    tab.wait(CLOSED)
    quiet(tab)


def test_an_example_from_an_address_has_no_neighbours(tab: Tab, tmp_path: Path) -> None:
    page = written(tmp_path, {"m": ["a", "b", "c"]})
    tab.blank()
    tab.open(f"{page.as_uri()}#example/qasper/test/1")
    tab.wait("(document.body.dataset.opened || '').includes('/1/')")
    assert tab.run("[document.getElementById('previous').disabled, document.getElementById('next').disabled]") == [
        False,
        False,
    ]
    tab.run("document.getElementById('close').click()")
    tab.wait(f"{CLOSED} && location.hash === ''")


def test_choosing_another_model_in_an_example_loses_the_focus(tab: Tab, tmp_path: Path) -> None:
    opened(tab, written(tmp_path, {"one": ["a"], "two": ["b"]}))
    show(tab, "answers")
    select = "document.querySelector('#example-body select[aria-label=\"Second model\"]')"
    tab.run(
        f"delete document.body.dataset.opened; {select}.focus(); {select}.value = 'one'; {select}.dispatchEvent(new Event('change'))"
    )
    tab.wait("document.body.dataset.opened")
    assert tab.run(FOCUSED) == "Second model"
    labels = "[...document.querySelectorAll('#example-body .answer select')].map(one => one.value)"
    assert tab.run(labels) == ["two", "one"]  # they change places
    show(tab, "prompt")
    assert "As sent to" in tab.run(BODY)
    prompt = "document.querySelector('#example-body .whose select')"
    tab.run(
        f"delete document.body.dataset.opened; {prompt}.focus(); {prompt}.value = 'two'; {prompt}.dispatchEvent(new Event('change'))"
    )
    tab.wait("document.body.dataset.opened")
    assert tab.run(FOCUSED) == "Model of this prompt"


def test_the_last_example_takes_the_focus_with_its_button(tab: Tab, tmp_path: Path) -> None:
    opened(tab, written(tmp_path, {"m": ["a", "b"]}))
    show(tab, "answers")
    tab.run("document.getElementById('next').focus(); document.getElementById('next').click()")
    tab.wait("document.body.dataset.opened.includes('/1/')")
    assert tab.run(FOCUSED) == "example-title"


def test_a_page_whose_name_is_no_plain_address_opens_no_example(tab: Tab, tmp_path: Path) -> None:
    page = written(tmp_path, {"m": ["alpha", "beta"]}, whole=1000, name="a:b #1 100%25 ?x \u05d0")
    opened(tab, page)
    show(tab, "answers")
    assert "alpha" in tab.run(BODY)
    quiet(tab)


def test_a_damaged_data_file_says_nothing(tab: Tab, tmp_path: Path) -> None:
    page = written(tmp_path, {"m": ["alpha"]}, whole=1000)
    answers = next(tmp_path.glob("report.files/*/g0.a0-0.js"))
    whole = answers.read_bytes()
    for damaged in (b"", whole.replace(b"H4sI", b"H4sJ"), whole[:60] + b'");'):
        answers.write_bytes(damaged)
        opened(tab, page)
        tab.run("document.querySelector('#examples tbody button').click()")
        tab.wait(f"({BODY}).includes('damaged')")
    answers.write_bytes(whole)
    show(tab, "answers")
    assert "alpha" in tab.run(BODY)


def test_a_problem_that_is_over_is_still_shown(tab: Tab, tmp_path: Path) -> None:
    page = written(tmp_path, {"m": ["alpha"]}, whole=1000)
    (tmp_path / "report.files").rename(tmp_path / "elsewhere")
    tab.blank()
    tab.open(page.as_uri())
    tab.wait("!document.getElementById('problem').hidden")
    (tmp_path / "elsewhere").rename(tmp_path / "report.files")
    change(tab, "ids", "q")
    tab.wait(f"{LISTED} === 1 && document.getElementById('problem').hidden")


def test_a_score_between_two_decimals_is_shown_in_two_ways(tab: Tab, tmp_path: Path) -> None:
    values = (31.25, 18.75)  # Python writes 31.2 and 18.8, toFixed 31.3 and 18.8
    opened(tab, written(tmp_path, {"one": ["a"], "two": ["b"]}, values=values))
    board = tab.run("[...document.querySelectorAll('tr[data-line] td.average b')].map(one => one.innerText)")
    pair = tab.run("[1, 2].map(at => document.querySelector('#pair tbody tr').cells[at].innerText)")
    assert board == pair == [f"{value:.1f}" for value in values] == ["31.2", "18.8"]


def test_hiding_published_rows_empties_the_section_of_their_own(tab: Tab, tmp_path: Path) -> None:
    opened(tab, written(tmp_path, {"m": ["a"]}))
    tab.run("document.getElementById('published-rows').click()")
    seen = "[...document.querySelectorAll('{}')].map(one => one.checkVisibility())"
    assert not any(tab.run(seen.format("[data-section] tbody.published")))
    assert tab.run(seen.format("#published tbody.published")) == [True]


def test_what_cannot_be_compared_vanishes_without_a_word(tab: Tab, tmp_path: Path) -> None:
    opened(tab, written(tmp_path, {"one": ["a"], "two": ["b"]}))
    change(tab, "second", "")
    assert tab.run("document.getElementById('pair-none').innerText") == "Choose a second model."
    change(tab, "models-filter", "no such model")
    assert tab.run("document.getElementById('no-models').checkVisibility()")


def test_metadata_that_only_python_reads_hides_the_references(tab: Tab, tmp_path: Path) -> None:
    opened(tab, written(tmp_path, {"m": ["a"]}, metadata='{"score": NaN}'))
    show(tab, "references")
    assert "forty-two" in tab.run(BODY)
    quiet(tab)


def test_a_mark_beside_an_interval_that_says_otherwise_is_not_explained(tab: Tab, tmp_path: Path) -> None:
    tests = [
        compared(),
        compared("quality", low=-0.5),
        compared("musique", p_holm=0.2),
        compared("qmsum", low=-1.0, p_holm=0.2, left_out=3),
        compared("squality", clusters=5, p_holm=1.0),
        compared("", p=0.04, p_holm=None, low=-0.1),
    ]
    opened(tab, written(tmp_path, {"one": ["a"], "two": ["b"]}, findings=Findings(comparisons=tests)))
    assert remark(tab, "qasper") == ""
    assert remark(tab, "quality") == "test and interval disagree: p is below 0.05, the interval holds 0"
    assert remark(tab, "musique") == "test and interval disagree: p is not below 0.05, the interval does not hold 0"
    assert remark(tab, "qmsum") == "3 inputs left out: not answered by both"
    assert remark(tab, "squality") == few_clusters(5)
    assert remark(tab, "average").startswith("test and interval disagree")
    change(tab, "reference", "two")
    assert "of a permutation test" in tab.run("document.getElementById('marks').innerText")
    said = tab.run("document.querySelector('tr[data-label=one] td.average .delta').title")
    assert said == "significant by the permutation test, p 0.040; 95 % interval −0.1 to +8.0"


def test_models_of_another_split_or_without_examples_cannot_be_compared(tab: Tab, tmp_path: Path) -> None:
    rows = [row("qmsum", name, value, split=split) for split, name, value in SCORED]
    content = board(rows, params(["one", "two", "three"]))
    own = Content(findings=Findings(comparisons=[compared("qmsum", split="validation", value=40.0, difference=20.0)]))
    path = tmp_path / "report.html"
    path.write_text("".join(page(content, params(["one", "two", "three"]), content=own)), encoding="utf-8")
    tab.complaints.clear()
    tab.open(path.as_uri())
    values = "[...document.querySelectorAll('#pair tbody tr')].find(one => one.cells[0].innerText === 'qmsum')"
    assert tab.run(f"[1, 2].map(at => {values}.cells[at].innerText)") == ["10.0", "15.0"]
    change(tab, "split", "1")
    assert tab.run(f"[1, 2].map(at => {values}.cells[at].innerText)") == ["40.0", "20.0"]
    change(tab, "second", "three")
    none = "document.getElementById('pair-none').innerText"
    assert tab.run(none) == "three has no scores on split validation."
    quiet(tab)
