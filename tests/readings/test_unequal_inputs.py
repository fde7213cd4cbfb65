"""Models that were asked other inputs never share a column, and every row says on how many inputs it stands."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from scrollwork.readings.home_ledger import ledger_in
from scrollwork.readings.home_scores import scores_in
from scrollwork.readings.same_inputs import SameInputs, section_name
from scrollwork.storage.home import Home
from tests.conftest import Call

PILOT = 4  # inputs of a task


@pytest.fixture
def run(call: Call):  # type: ignore[no-untyped-def]
    def run(model: str, *more: str, tasks: tuple[str, ...] = ("qasper",)) -> None:
        named = [word for task in tasks for word in ("--task", task)]
        ask = ("--quiet", "run", "zeroscrolls", "--sample", "--engine", "inline", *named, "--model", model, *more)
        status, _, err = call(*ask)
        assert status == 0, err

    return run


def sections(call: Call) -> dict[str, set[tuple[str, int]]]:
    """(model, inputs) by section."""
    found: dict[str, set[tuple[str, int]]] = {}
    for row in scores_in(Home(str(call.home)), "zeroscrolls").rows:
        found.setdefault(row.split, set()).add((row.model, row.coverage.expected))
    return found


@pytest.mark.slow
def test_a_pilot_stands_beside_a_whole_run(call: Call, run) -> None:  # type: ignore[no-untyped-def]
    run("bm25")
    run("lead", "--limit", str(PILOT))
    run("strong", "--limit", str(PILOT))
    found = sections(call)
    assert list(found) == ["test", f"test, limit {PILOT}"] or list(found) == [f"test, limit {PILOT}", "test"]
    ((_, whole),) = found["test"]
    assert whole > PILOT
    assert found[f"test, limit {PILOT}"] == {("lead", PILOT), ("strong", PILOT)}

    findings = ledger_in(Home(str(call.home)), "zeroscrolls").ledger.findings
    assert {(row["split"], frozenset((row["model"], row["other"]))) for row in findings.comparisons} == {
        (f"test, limit {PILOT}", frozenset(("lead", "strong")))
    }
    page = run_report(call, "html")
    assert page.count('<table class="board"') >= 2


def run_report(call: Call, kind: str) -> str:
    out = Path(call.home).parent / f"report.{kind}"
    assert call("--quiet", "report", "zeroscrolls", "--format", kind, "--out", str(out))[0] == 0
    return out.read_text()


@pytest.mark.slow
def test_a_format_does_not_say_on_how_many_inputs_a_row_stands(call: Call, run) -> None:  # type: ignore[no-untyped-def]
    run("bm25", tasks=("qasper", "qmsum"))
    run("lead", "--limit", str(PILOT), tasks=("qasper", "qmsum"))
    whole = sum(row.coverage.expected for row in scores_in(Home(str(call.home)), "zeroscrolls").rows) - 2 * PILOT
    counts = {"bm25": f"{whole}/{whole}", "lead": f"{2 * PILOT}/{2 * PILOT}"}
    terminal = re.sub(" +$", "", call("--quiet", "report", "zeroscrolls")[1], flags=re.MULTILINE)
    tables = [run_report(call, kind) for kind in ("markdown", "latex")]
    for model, told in counts.items():
        assert re.search(rf"^{model} .*\n{told} inputs$", terminal, re.MULTILINE)
        for text in tables:
            (line,) = [line for line in text.splitlines() if re.match(rf"(\| )?{model} ", line)]
            assert line.rstrip(" |\\").endswith(told), line
            assert f"limit {PILOT}" in text
    rows = list(csv.DictReader(run_report(call, "csv").splitlines()))
    told = {row["model"]: f"{row['answered']}/{row['expected']}" for row in rows if row["task"] == "average"}
    assert told == counts
    page = run_report(call, "html")
    for told in counts.values():
        assert f"<small>{told}</small>" in page


def test_equal_inputs_of_other_runs_are_parted(call: Call, run) -> None:  # type: ignore[no-untyped-def]
    """Other tasks, another name for the same limit: nothing that was asked of both was asked otherwise."""
    run("bm25")
    run("lead", tasks=("qmsum",))
    run("strong", "--limit", "100000")
    assert set(sections(call)) == {"test"}


@pytest.mark.slow
def test_a_later_pilot_hides_what_was_scored_before(call: Call, run) -> None:  # type: ignore[no-untyped-def]
    run("lead", tasks=("qasper", "qmsum"))
    run("lead", "--limit", str(PILOT))
    run("bm25", "--limit", str(PILOT), "--seed", "3")
    run("strong", "--limit", str(PILOT))
    run("strong", tasks=("qmsum",))
    found = sections(call)
    pilot = f"test, limit {PILOT}"
    assert {name: {model for model, _ in rows} for name, rows in found.items()} == {
        "test": {"lead", "strong"},
        pilot: {"lead", "strong"},
        f"{pilot}, seed 3": {"bm25"},
    }
    assert {many for _, many in found[pilot]} == {PILOT}
    rows = scores_in(Home(str(call.home)), "zeroscrolls").rows
    assert {(row.model, row.task) for row in rows if row.split == "test"} == {
        ("lead", "qasper"),
        ("lead", "qmsum"),
        ("strong", "qmsum"),
    }


def test_a_setting_that_changes_no_input_makes_a_second_row(call: Call, run) -> None:  # type: ignore[no-untyped-def]
    """Nor does one that an earlier version did not write."""
    run("lead", tasks=("qasper", "qmsum"))
    run("lead", "--limit", "100000")
    (record,) = [path for path in (call.home / "runs").glob("*.json") if '"limit": null' in path.read_text()]
    written = json.loads(record.read_text())
    written["request"] |= {"limit": 0, "rpm": 0, "tokenizer": "", "budget": "", "strategy": ""}  # as 0.1.0 wrote them
    record.write_text(json.dumps(written))
    rows = scores_in(Home(str(call.home)), "zeroscrolls").rows
    assert [(row.task, row.split) for row in rows] == [("qasper", "test"), ("qmsum", "test")]


@pytest.mark.slow
def test_a_ranking_leaves_out_other_settings_without_a_word(call: Call) -> None:
    for more in ((), ("--instances", "2")):
        ask = ("--sample", "--engine", "inline", "--task", "musique", "--runs", "1", "--model", "lead", *more)
        assert call("--quiet", "run", "seam", *ask)[0] == 0
    status, _, err = call("report", "seam")
    assert status == 0
    assert "not shown, asked otherwise than in the model's newest run: lead, musique" in err


def test_sections_share_a_name() -> None:
    first = {"seed": 0}
    found: list[SameInputs] = []
    for own in (first, {"limit": 4, "seed": 0}, {"limit": 4, "seed": 0}, {"limit": 4, "seed": 1}, {"limit": 4}, first):
        found.append(SameInputs(section_name("test", own, found), own))
    assert [one.name for one in found] == [
        "test",
        "test, limit 4",
        "test, limit 4 (2)",
        "test, limit 4, seed 1",
        "test, limit 4, seed not set",
        "test, other inputs",
    ]


def test_settings_that_differ_from_another_sections_alone_are_not_told() -> None:
    first, second, third = {"limit": 9, "seed": 3}, {"limit": 4}, {"limit": 4, "seed": 3}
    before = [SameInputs("test", first), SameInputs("test, limit 4", second)]
    assert section_name("test", third, before) == "test, limit 4, seed 3"


def test_page_of_a_home_shows_another_model_that_gave_the_same_answers(call: Call, run) -> None:  # type: ignore[no-untyped-def]
    run("bm25", tasks=("space_digest",))
    run("lead", tasks=("space_digest",))
    home = Home(str(call.home))
    contents = {one.content for one in home.artifacts.everything() if one.manifest.ingredients.stage == "generate"}
    assert len(contents) == 1, "both answer alike"
    found = {one.model: one.answers[0].facts["members"] for one in ledger_in(home, "zeroscrolls").tasks}
    assert found == {"bm25": ["bm25"], "lead": ["lead"]}
