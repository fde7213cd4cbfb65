"""The ranking over runs in a browser: it breaks no policy, is accessible, and fits a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, NONE, Tab, browser
from run_boards import drawn, params, ranked_board, run_score

from scrollwork.reporting.charts.figures import figures
from scrollwork.reporting.page.content import Content
from scrollwork.reporting.page.page import page as rendered
from scrollwork.reporting.runs.figures import run_drawings

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason=NONE)]

AXE = Path(__file__).parent / "axe" / "axe.min.js"
LONG = "compatible:" + "a-long-name-of-a-model/" * 6
EVIL = "<img src=x onerror=alert(1)></script>\u202e"


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with browser() as tab:
        yield tab


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [one for one in drawn({"a": 40.0, LONG: 30.0, EVIL: 12.0}) if (one.model, one.task) != (EVIL, "ecb_plus")]
    other = [run_score("musique", f"{LONG}2", run, 9.0, manifest="other") for run in range(10)]
    content = ranked_board([*rows, *other], lengths=True)
    path = tmp_path_factory.mktemp("ranks") / "page.html"
    path.write_text(
        "".join(rendered(content, params([]), content=Content(figures=figures(run_drawings(content))))), "utf-8"
    )
    return path


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_page_of_ranks_breaks_its_policy_or_runs_over_its_edge(tab: Tab, page: Path, width: int, scheme: str) -> None:
    tab.size(width)
    tab.media("", scheme)
    tab.blank()
    tab.complaints.clear()
    tab.open(page.as_uri())
    assert tab.complaints == []
    assert {url for url in tab.requests if url.startswith("http")} == set()
    assert tab.run("document.documentElement.scrollWidth") <= width
    assert tab.run("document.querySelectorAll('.sets article').length") == 6


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_axe_finds_something_serious_in_ranks(tab: Tab, page: Path, width: int, scheme: str) -> None:
    tab.size(width)
    tab.call("Page.setBypassCSP", enabled=True)
    tab.media("", scheme)
    tab.blank()
    tab.open(page.as_uri())
    tab.run(AXE.read_text(encoding="utf-8") + ";0")
    found: list[Any] = tab.run(
        "axe.run(document).then(r => [r.passes.length, r.violations.map(v => "
        "[v.impact, v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' :: ' + n.failureSummary)])])"
    )
    tab.call("Page.setBypassCSP", enabled=False)
    assert found[0] > 15
    assert [one for one in found[1] if one[0] in ("serious", "critical")] == []
