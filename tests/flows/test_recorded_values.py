"""Nothing that the commands print or export changes unseen: `python -m tests.recorded` writes what is compared here.

Four minutes, so by hand (make soak), before and after each step that is to change nothing; single values are held by
the tests of their rooms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Scrollwork
from tests.recorded.commands import REAL, RUNS, SAMPLE, differences, play, recorded


@pytest.mark.soak
@pytest.mark.parametrize("suite", RUNS[SAMPLE])
def test_the_sample_says_something_else_than_before(suite: str, scrollwork: Scrollwork, tmp_path: Path) -> None:
    found = play(scrollwork, SAMPLE, suite, tmp_path / "out")
    assert not differences(json.loads(recorded(SAMPLE, suite).read_text(encoding="utf-8")), found)


@pytest.mark.soak
@pytest.mark.parametrize("suite", RUNS[REAL])
def test_real_data_says_something_else_than_before(
    suite: str, scrollwork: Scrollwork, shared: Path, tmp_path: Path
) -> None:
    found = play(scrollwork, REAL, suite, tmp_path / "out", shared / "raw")
    assert not differences(json.loads(recorded(REAL, suite).read_text(encoding="utf-8")), found)


def test_a_changed_value_is_not_told() -> None:
    before = {"run": {"tasks": [{"value": 1.5, "n": 3, "why": "a"}]}, "page": [["a", "1"]]}
    for change in (
        {"run": {"tasks": [{"value": 1.5 + 1e-6, "n": 3, "why": "a"}]}, "page": [["a", "1"]]},
        {"run": {"tasks": [{"value": 1.5, "n": 3, "why": "a"}, {}]}, "page": [["a", "1"]]},
        {"run": {"tasks": [{"value": 1.5, "n": True, "why": "a"}]}, "page": [["a", "1"]]},
        {"run": {"tasks": [{"value": None, "n": 3, "why": "a"}]}, "page": [["a", "1"]]},
        {"run": {"tasks": [{"value": 1.5, "n": 3}]}, "page": [["a", "1"]]},
        {"run": {"tasks": [{"value": 1.5, "n": 3, "why": "a", "more": 0}]}, "page": [["a", "1"]]},
        {"run": {"tasks": [{"value": 1.5, "n": 3, "why": "a"}]}, "page": [["a", "2"]]},
    ):
        assert len(differences(before, change)) == 1
    assert differences(before, json.loads(json.dumps(before))) == []
    near = {"run": {"tasks": [{"value": 1.5 + 1e-12, "n": 3, "why": "a"}]}, "page": [["a", "1"]]}
    assert differences(before, near) == []
