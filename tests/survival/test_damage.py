"""Damaged artifacts: missing, cut or altered parts are rebuilt, with a warning that names them, to the same bytes."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from tests.conftest import FINISHED, files_of

slow = pytest.mark.slow
STAGES = ("curate", "sample", "prompt", "generate", "score", "aggregate", "judge", "compare", "report")
WHOLE = ("compare", "report")  # of all tasks together


def missing(path):
    path.unlink()


def cut(path):
    path.write_bytes(path.read_bytes()[:-7])


def altered(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def altered_in_secret(path):
    """As a failing disk does it: the time stays."""
    stat = path.stat()
    altered(path)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def part(home, stage, task="qmsum", table=""):
    """A part of the artifact of a stage of a task."""
    slot = "*" if stage in WHOLE else f"*.{task}.*"
    return sorted((home / "artifacts" / stage).glob(f"{slot}/*/{table}*.parquet"))[0]


def warned(err, path):
    return [line for line in err.splitlines() if path.name in line and "built again" in line]


@pytest.mark.parametrize("damage", [altered, pytest.param(missing, marks=slow), pytest.param(cut, marks=slow)])
def test_a_damaged_part_is_read_or_not_named(finished, damage):
    before = files_of(finished.home)
    paths = [part(finished.home, stage) for stage in STAGES]
    for path in paths:
        damage(path)
    plan = finished.plan(*FINISHED)
    for stage, path in zip(STAGES, paths, strict=True):
        row = plan[stage if stage in WHOLE else f"{stage} qmsum"]
        assert row["state"] == "stale"
        assert path.name in row["why"]
    done = finished.run(*FINISHED, "--quiet")
    assert [path.name for path in paths if not warned(done.err, path)] == []
    assert finished.built() == sorted(stage if stage in WHOLE else f"{stage} qmsum" for stage in STAGES)
    assert files_of(finished.home) == before
    assert finished("verify", "--json").document["ok"]


def replaced(path):
    path.write_text("[]")


@pytest.mark.parametrize(
    "damage", [altered_in_secret, *(pytest.param(damage, marks=slow) for damage in (missing, cut, altered, replaced))]
)
def test_a_damaged_manifest_blocks_every_run(finished, damage):
    before = files_of(finished.home)
    paths = [part(finished.home, stage).with_name("manifest.json") for stage in ("curate", "generate", "report")]
    for path in paths:
        damage(path)
    rows = finished.plan(*FINISHED)
    state = "missing" if damage is missing else "stale"
    assert [rows[name]["state"] for name in ("curate qmsum", "generate qmsum")] == [state] * 2
    assert rows["report"]["state"] != "reused"
    done = finished.run(*FINISHED, "--quiet")
    if damage is not missing:
        assert [str(path.parent) in done.err and "manifest.json" in done.err for path in paths] == [True] * 3
    assert files_of(finished.home) == before
    assert finished.built() == ["curate qmsum", "generate qmsum", "report"]


@pytest.mark.parametrize(
    ("stage", "table", "reader"),
    [
        ("curate", "documents", "prompt"),
        pytest.param("generate", "responses", "score", marks=slow),
        pytest.param("curate", "examples", "sample", marks=slow),
        pytest.param("sample", "examples", "prompt", marks=slow),
        pytest.param("prompt", "prompts", "generate", marks=slow),
        pytest.param("score", "scores", "aggregate", marks=slow),
        pytest.param("aggregate", "aggregates", "report", marks=slow),
        ("judge", "judgements", "compare"),
        pytest.param("compare", "averages", "report", marks=slow),
    ],
)
def test_a_part_altered_in_secret_reaches_the_stages_behind(finished, stage, table, reader):
    before = files_of(finished.home)
    path = part(finished.home, stage, table=table)
    altered_in_secret(path)
    shutil.rmtree(next((finished.home / "artifacts" / reader).glob("*" if reader in WHOLE else "*.qmsum.*")))
    done = finished.run(*FINISHED, "--quiet")
    assert warned(done.err, path)
    assert files_of(finished.home) == before


@pytest.mark.parametrize("table", ["page", pytest.param("aggregates", marks=slow)])
def test_a_report_altered_in_secret_is_published_or_blocks_every_run(finished, table):
    before = files_of(finished.home)
    path = sorted((finished.home / "artifacts" / "report").glob(f"*/*/{table}*"))[0]
    altered_in_secret(path)
    page = (finished.home / "reports" / "zeroscrolls.html").read_bytes()
    done = finished.run(*FINISHED, "--quiet")
    assert warned(done.err, path)
    assert files_of(finished.home) == before
    assert (finished.home / "reports" / "zeroscrolls.html").read_bytes() == page


@slow
def test_a_damaged_pointer_loses_answers_or_keeps_a_stage_from_standing(finished):
    before = files_of(finished.home)
    (pointer,) = (finished.home / "artifacts" / "generate").glob("*.qmsum.*/*.json")
    for damage in (
        cut,
        lambda path: path.write_text(json.dumps({**json.loads(path.read_text()), "artifact": "0" * 64})),
    ):
        damage(pointer)
        assert finished.plan(*FINISHED)["generate qmsum"]["state"] in ("missing", "stale")
        finished.run(*FINISHED, "--quiet")
        assert finished.built() == ["generate qmsum"]
        assert files_of(finished.home) == before


@slow
def test_a_lost_run_json_rebuilds_something_or_breaks_verify(finished):
    """Clock and host are no content: without them parts are hashed again, nothing more."""
    before = files_of(finished.home)
    for stage in STAGES:
        part(finished.home, stage).with_name("run.json").unlink()
    assert set(finished.states(*FINISHED).values()) == {"reused"}
    finished.run(*FINISHED, "--quiet")
    assert finished.built() == []
    assert files_of(finished.home) == before


def test_a_lost_response_store_loses_finished_answers(finished):
    """Snapshots stand without the store; only what is asked anew needs it."""
    (finished.home / "responses.db").unlink()
    finished.run(*FINISHED, "--quiet")
    assert finished.built() == []


@pytest.mark.slow
def test_a_broken_response_store_is_overwritten_or_a_crash(finished):
    store = finished.home / "responses.db"
    store.write_bytes(b"something else, of the user's")
    done = finished.run(*FINISHED, "--task", "musique", "--quiet", status=1)
    assert "Traceback" not in done.err
    assert "responses.db" in done.err
    assert store.read_bytes() == b"something else, of the user's"
    states = finished.states(*FINISHED, "--task", "musique")
    assert states["prompt musique"] == "reused"
    assert states["generate musique"] == "missing"
