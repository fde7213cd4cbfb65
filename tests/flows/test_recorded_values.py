"""Nothing that the commands print or export changes unseen: `python -m tests.recorded` writes what is compared here.

Four minutes, so by hand (make soak), before and after each step that is to change nothing; single values are held by
the tests of their rooms."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.conftest import Scrollwork
from tests.recorded.commands import REAL, RUNS, SAMPLE, differences, logs, play, recorded


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


def test_clock_or_number_of_a_log_is_a_change_or_a_changed_score_is_none(tmp_path: Path) -> None:
    def found(folder: str, clock: str, name: str, score: str, seconds: str = "0.01") -> dict[str, str]:
        out = tmp_path / folder / "out"
        out.mkdir(parents=True)
        with zipfile.ZipFile(out / f"{clock}_a_{name}.eval", "w") as archive:
            archive.writestr("header.json", f'{{"at": "{clock}", "score": {score}}}')
        (out / f"results_{clock}.json").write_text(f'{{\n"total_evaluation_time_seconds": "{seconds}"}}')
        order = sorted([f"{name}  a\n", f"{'c' * 22}  b\n"])
        (out / "SHA256SUMS").write_text("".join(order))
        return dict(logs(tmp_path / folder, out, {str(tmp_path / folder): "OUT"}))

    one = found("one", "2026-01-01T00-00-00", "ab" * 11, "1.123456789012345")
    same = found("same", "2026-01-02T03-04-05.678", "cd" * 11, "1.123456789012346", "0.037000000000000005")
    other = found("other", "2026-01-01T00-00-00", "ab" * 11, "1.123456799012345")
    assert one == same
    assert len(one) == 3
    assert [name for name in one if one[name] != other[name]] == [next(name for name in one if "eval" in name)]
