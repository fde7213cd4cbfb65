"""The page over nights in headless Chromium: it is quiet, can be read on a phone and by all, and runs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, NONE, Tab, browser
from driving import quiet
from nights_rows import HOSTILE, nights

from scrollwork.records.nights.decisions import Mute
from scrollwork.reporting.nights.page import nights_page

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason=NONE)]

AXE = Path(__file__).parent / "axe" / "axe.min.js"
READY = "document.readyState === 'complete'"


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with browser() as one:
        one.call(
            "Page.addScriptToEvaluateOnNewDocument",
            source="window.ran = []; for (const name of ['alert', 'confirm', 'open']) window[name] = () => ran.push(name);",
        )
        yield one


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = nights(30)
    rows[-1] = replace(rows[-1], models=(replace(rows[-1].models[0], failed=True),))
    path = tmp_path_factory.mktemp("nights") / "nights.html"
    path.write_text(nights_page(rows, {rows[3].digest: "ana"}, [Mute("qasper", "2026-12-24", "ana", 0)], ["a note"]))
    return path


def opened(tab: Tab, page: Path, width: int, scheme: str = "light") -> None:
    tab.complaints.clear()
    tab.requests.clear()
    tab.size(width)
    tab.media("", scheme)
    tab.blank()
    tab.open(page.as_uri(), READY)


@pytest.mark.parametrize("width", [1400, 390])
def test_the_page_complains_or_scrolls_sideways(tab: Tab, page: Path, width: int) -> None:
    opened(tab, page, width)
    assert tab.run("document.documentElement.scrollWidth") <= width
    sizes = "[...document.querySelectorAll('.trends svg')].map(one => one.getBoundingClientRect().height)"
    assert all(height > 60 for height in tab.run(sizes))
    fill = "getComputedStyle(document.querySelector('.dropped path')).fill"
    assert tab.run(fill) != "rgb(0, 0, 0)", "the page's own style is not applied"
    letters = "Math.min(...[...document.querySelectorAll('.trends text')].filter(one => one.checkVisibility()).map("
    letters += "one => one.getBoundingClientRect().height))"
    assert tab.run(letters) >= 9, "nobody can read the axes"
    quiet(tab)


@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_something_serious(tab: Tab, page: Path, width: int, scheme: str) -> None:
    tab.call("Page.setBypassCSP", enabled=True)
    opened(tab, page, width, scheme)
    tab.run(AXE.read_text(encoding="utf-8") + ";0")
    found: list[Any] = tab.run(
        "axe.run(document).then(r => [r.passes.length, r.violations.map(v => [v.impact, v.id, v.nodes.length])])"
    )
    tab.call("Page.setBypassCSP", enabled=False)
    assert found[0] > 10  # it looked
    assert [one for one in found[1] if one[0] in ("serious", "critical")] == []


def test_texts_of_others_run(tab: Tab, tmp_path: Path) -> None:
    (row,) = nights(1)
    model, task = row.models[0], row.models[0].tasks[0]
    rows = [
        replace(
            row, suite=evil, settings=f"{number:016x}", why=evil, options=(evil,),
            models=(replace(model, model=evil, sentence=evil, versions=(evil,), tasks=(replace(task, task=evil),)),),
        )
        for number, evil in enumerate(HOSTILE)
    ]  # fmt: skip
    path = tmp_path / "evil.html"
    path.write_text(nights_page(rows, {row.digest: HOSTILE[0]}, [], HOSTILE), encoding="utf-8")
    opened(tab, path, 390)
    assert tab.run("window.ran") == []
    assert tab.run("document.querySelectorAll('script, img').length") == 0
    assert tab.run("document.querySelectorAll('section').length") == len(HOSTILE)
    assert tab.run("document.documentElement.scrollWidth") <= 390
    quiet(tab)
