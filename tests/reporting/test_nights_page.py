"""The page over nights: what it shows of them, that it needs nothing, and that texts of others stay texts."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from nights_rows import HOSTILE, night, nights

from scrollwork.records.nights.decisions import Mute
from scrollwork.reporting.nights.page import nights_page
from scrollwork.reporting.nights.trends import MOST, trends
from tests.conftest import Scrollwork


def page(count: int = 12, **changes: object) -> str:
    rows = nights(count)
    return nights_page([replace(row, **changes) for row in rows], {rows[0].digest: "ana"}, [], [])


def test_the_page_loads_or_runs_something() -> None:
    text = page()
    (style,) = re.findall(r"<style>(.*?)</style>", text, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'" in text
    assert not re.search(r"<script|<link|<img|<iframe|href=|src=|url\(|@import|\sstyle=", text)
    assert page() == text


def test_the_page_lacks_what_is_known_of_nights() -> None:
    text = page()
    assert text.count("<svg") == 2
    assert text.count('<g class="full">') == 2 * 3
    assert text.count('<g class="canary">') == 2 * 8
    assert text.count('<g class="dropped">') == 2
    assert text.count('class="accepted"') == 2
    for told in ("$12.3000", "4,980 of 5,000", "g-2026-01, g-2026-02", "regressed, muted until 2026-12-24", "ana"):
        assert told in text, told
    assert "77.0 to 83.0" in text
    assert "the reported version is g-2026-02" in text
    assert "12 nights: 4 full, 8 canary" in text
    assert "No night is stored here yet" in nights_page([], {}, [], [])


def test_one_full_night_is_a_line_or_two_are_none() -> None:
    """Nights 0 and 3 are full; a line is drawn for each of the two tasks."""
    assert [page(count).count("<polyline") for count in (1, 3, 4)] == [0, 0, 2]


def test_nights_of_other_settings_or_models_are_in_one_line() -> None:
    rows = [*nights(4), *(replace(row, settings="1" * 16) for row in nights(2)), replace(night(9), suite="scrolls")]
    found = trends(rows, {})
    assert [(one.suite, one.count) for one in found] == [("scrolls", 1), ("zeroscrolls", 4), ("zeroscrolls", 2)]
    other = replace(rows[0].models[0], model="other")
    (both,) = trends([replace(rows[0], models=(rows[0].models[0], other)), rows[1]], {})
    assert {one.model: len(one.lines) for one in both.models} == {"m": 2, "other": 1}


def test_many_nights_make_a_page_that_no_browser_opens() -> None:
    text = page(400)
    assert f"The last {MOST} of 400 nights" in text
    assert text.count("<g class=") == 2 * MOST
    assert len(text) < 1_000_000


def test_texts_of_others_are_markup() -> None:
    (row,) = nights(1)
    task, model = row.models[0].tasks[0], row.models[0]
    for evil in HOSTILE:
        own = replace(
            model, model=evil, sentence=evil, versions=(evil,), fingerprints=(evil,), served=(evil,),
            tasks=(replace(task, task=evil, metric=evil, state=evil),), failed=True,
        )  # fmt: skip
        bad = replace(row, suite=evil, options=(evil,), why=evil, models=(own,))
        text = nights_page([bad], {row.digest: evil}, [Mute(evil, "2999-01-01", evil, 0)], [evil])
        known = set(re.findall(r"<(\w+)", page()))
        assert set(re.findall(r"<(\w+)", text)) <= known | {"ul", "li", "details", "summary", "strong"}, evil
        assert "\u202e" not in text
        assert "\x00" not in text
        assert len(text) < 100_000 + len(page(1))


def test_the_page_needs_a_drawing_library() -> None:
    """In a process in which matplotlib cannot be imported."""
    code = "import sys; sys.modules['matplotlib'] = None; from nights_rows import nights; "
    code += "from scrollwork.reporting.nights.page import nights_page; print(nights_page(nights(3), {}, [], []).count('<svg'))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parent, check=False
    )
    assert done.stdout.strip() == "2", done.stderr


@pytest.mark.parametrize("task", [None, 0])
def test_a_task_without_scores_ends_the_page(task: int | None) -> None:
    rows = nights(3)
    lost = replace(rows[1].models[0].tasks[0], value=None, low=None, high=None)
    rows[1] = replace(rows[1], models=(replace(rows[1].models[0], tasks=(lost,)),))
    assert nights_page(rows if task is None else [rows[1]], {}, [], []).count("<svg") == (2 if task is None else 0)


def test_a_night_leaves_no_page_or_the_command_writes_none(scrollwork: Scrollwork, tmp_path: Path) -> None:
    words = ("nights", "run", "zeroscrolls", "--sample", "--task", "squality", "--model", "naive", "--json")
    row = scrollwork(*words).document
    own = scrollwork.home / "reports" / "nights.html"
    assert row["name"] in own.read_text()
    elsewhere = tmp_path / "deep" / "own.html"
    assert scrollwork("nights", "page", "--out", str(elsewhere)).out.strip() == str(elsewhere)
    assert elsewhere.read_bytes() == own.read_bytes()
    (scrollwork.home / "nights" / f"{row['digest']}.night.json").write_text("{")
    told = scrollwork("nights", "page", "--json")
    assert json.loads(told.out)["out"] == str(own)
    assert "note: " in told.err
    assert "Files that were passed over" in own.read_text()
