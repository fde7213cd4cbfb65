"""Dolce's page in a browser: it breaks no policy, is accessible, fits a phone, and names windows by their place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, NONE, Tab, browser
from driving import ROWS, change, opened
from needs_rows import PIG, agreement, dolce_board, findings, fit, params, texts
from pages import answered

from scrollwork.records.document import Document
from scrollwork.records.example import Example
from scrollwork.records.prompt import Part, Prompt
from scrollwork.records.response import Response
from scrollwork.records.score import Score
from scrollwork.reporting.charts.figures import figures as as_figures
from scrollwork.reporting.page.assembly import PAGE, assemble
from scrollwork.reporting.page.chunks import Spool
from scrollwork.reporting.page.content import Content
from scrollwork.reporting.page.documents import Documents
from scrollwork.reporting.page.examples import Group
from scrollwork.reporting.windows.figures import complexity_drawings
from scrollwork.reporting.windows.listed import unit_names

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason=NONE)]

AXE = Path(__file__).parent / "axe" / "axe.min.js"
EVIL = "<img src=x onerror=alert(1)></script>\u202e"
LONG = "a-long-name-of-a-model/" * 8
PLACES = ((0, 0), (0, 1), (3, 1), (2, 5), (0, 8))  # first unit and length
NAMES = ("closed book", "sentence 1 of 8", "sentence 4 of 8", "sentences 3–7 of 8", "whole context")


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with browser() as tab:
        yield tab


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks, two models with awkward names, a list of five windows of each of two problems, of which one is only
    counted."""
    every = dict.fromkeys(("I", "II", "III", "IV", "V"), 2)
    own = findings(
        *(fit("a", model, every) for model in (EVIL, LONG)),
        *(fit("b", model, every, scenario=PIG) for model in (EVIL, LONG)),
        agreements=[agreement("a", EVIL, LONG), agreement("a", EVIL, LONG, True)],
    )
    content = dolce_board([EVIL, LONG], ["a", "b"])
    chunks: dict[str, str] = {}
    spool = Spool(lambda part, data: chunks.__setitem__(part, data.decode("ascii")))
    document = Document.of("One. Two. Three. Four. Five. Six. Seven. Eight.", title="", source_file="none")
    documents = Documents(spool)
    documents.add(document.document_id, document.title, document.text)
    keys = [(problem, draw) for problem in ("p", "q") for draw in range(len(PLACES))]
    group = Group("g0", "a", "test", documents, spool, listed=set(keys) - {("q", 2)}, unit=unit_names("ls"))
    group.examples(
        (Example("a", "test", one, (document.document_id,), ("x",), "Which?", draw=draw) for one, draw in keys), {}
    )

    def asked() -> Iterator[Prompt]:
        for one, draw in keys:
            first, length = PLACES[draw]
            yield replace(
                Prompt("dolce", "a", "test", one, draw, "plain", "full", (Part("query", "Which?"),), "0" * 64, 1, 1,
                       0, False, 5),
                units=8, span_start=first, span_length=length,
            )  # fmt: skip

    prompts = group.prompts("plain", "full", asked())
    usage = {}
    for line, told in enumerate(content.sections[0].lines):
        rows = (
            answered(
                Response("dolce", "a", "test", one, draw, told.model, "full", "0" * 64, "x", "complete", 1, 0, 1, "m", 1, 1),
                Score("dolce", "a", "test", one, draw, told.model, "full", "dolce_accuracy", 100.0,
                      {"dolce_accuracy": 100.0}, {"idk": False}, "x"),
            )
            for one, draw in keys
        )  # fmt: skip
        usage["test", line], _ = group.answers(line, prompts, [told.model], rows, {"p", "q"})
        assert usage["test", line].answers == len(keys)
    groups = (group.close(),)
    documents.close()
    target = tmp_path_factory.mktemp("needs") / "page.html"
    whole = Content(
        groups, usage, own, as_figures(complexity_drawings(own)), texts=texts(EVIL, EVIL, EVIL, [("a", "a-III-0")])
    )

    def write(part: str, data: bytes) -> None:
        assert part == PAGE
        target.write_bytes(data)

    assemble(content, params([EVIL, LONG], ["a", "b"]), whole, spool, lambda part: chunks[part], "files", write)
    return target


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_page_of_needs_breaks_its_policy_or_runs_over_its_edge(tab: Tab, page: Path, width: int, scheme: str) -> None:
    opened(tab, page, width)
    tab.media("", scheme)
    tab.run("document.querySelectorAll('.needs details').forEach(one => one.open = true)")
    assert tab.complaints == []
    assert {url for url in tab.requests if url.startswith("http")} == set()
    assert tab.run("document.documentElement.scrollWidth") <= width
    assert tab.run("document.querySelectorAll('.needs .problem').length") == 20
    assert tab.run("document.querySelectorAll('.needs img, .needs script').length") == 0


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_axe_finds_something_serious_in_needs(tab: Tab, page: Path, width: int, scheme: str) -> None:
    tab.size(width)
    tab.call("Page.setBypassCSP", enabled=True)
    tab.media("", scheme)
    tab.blank()
    tab.open(page.as_uri())
    tab.run("document.querySelectorAll('.needs details').forEach(one => one.open = true)")
    tab.run(AXE.read_text(encoding="utf-8") + ";0")
    found: list[Any] = tab.run(
        "axe.run(document).then(r => [r.passes.length, r.violations.map(v => "
        "[v.impact, v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' :: ' + n.failureSummary)])])"
    )
    tab.call("Page.setBypassCSP", enabled=False)
    assert found[0] > 15
    assert [one for one in found[1] if one[0] in ("serious", "critical")] == []


def test_windows_are_draws_or_what_is_left_out_is_not_told(tab: Tab, page: Path) -> None:
    opened(tab, page)
    assert tab.run(f"{ROWS}.map(row => row.cells[0].innerText)") == [
        *(f"p, {name}" for name in NAMES),
        *(f"q, {name}" for name in NAMES if name != "sentence 4 of 8"),
    ]
    assert "not listed, but counted in all results: 1 more" in tab.run(
        "document.getElementById('examples-count').innerText"
    )
    for only, wanted in (("whole", 2), ("closed", 2), ("parts", 5)):
        change(tab, "only", only)
        tab.wait(f"{ROWS}.length === {wanted}")
    change(tab, "only", "parts")
    tab.run(f"{ROWS}[2].querySelector('button').click()")
    tab.wait("document.body.dataset.opened === 'g0/3/answers'")
    assert "sentences 3–7 of 8" in tab.run("document.getElementById('example-title').innerText")
