"""--strict: the first malformed record ends the run, named; keys of what is clean do not change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import files_of
from tests.flows.test_bad_raw_input import FILES, line, put, question, value

MUSIQUE = 'musique/data/musique_full_v1.0_dev.jsonl, line 3: field "answerable" must be true or false, is text'


@pytest.fixture
def ask(raw: Path):
    """Arguments of `build` on the raw folder."""
    return ("build", "zeroscrolls", "--raw", str(raw), "--engine", "inline", "--quiet", "--json")


def stages_of(home: Path, how: str) -> list[str]:
    """Stages and tasks of the last run that ended in this way."""
    runs = [json.loads(path.read_text()) for path in (home / "runs").glob("*.json")]
    stages = max(runs, key=lambda run: run["time"])["stages"]
    return sorted(f"{name.partition('/')[0]} {name.split('.')[1]}" for name, ended in stages.items() if ended == how)


def artifacts(home: Path) -> set[str]:
    return {path.parent.parent.name.split(".")[1] for path in (home / "artifacts").glob("curate/*/*/manifest.json")}


def test_strict_run_goes_on_behind_a_malformed_record(call, raw, ask):
    line(3, put("answerable", "yes"))(raw / FILES["musique"])
    status, out, err = call(*ask, "--strict", "--task", "squality", "--task", "musique", "--task", "space_digest")
    assert (status, json.loads(out)) == (1, [])
    assert f"error: curate musique failed: {MUSIQUE}" in err
    assert "Traceback" not in err
    assert "dropped" not in err
    assert artifacts(call.home) == {"squality"}, "squality comes before musique, space_digest behind it"
    assert stages_of(call.home, "built") == ["curate squality"]
    assert stages_of(call.home, "failed") == ["curate musique"]
    assert "curate space_digest" in stages_of(call.home, "skipped")


def test_strict_run_asks_a_model_before_all_input_is_known_to_be_sound(call, raw):
    line(3, put("answerable", "yes"))(raw / FILES["musique"])
    ask = ("run", "zeroscrolls", "--model", "naive:seed=0", "--raw", str(raw), "--engine", "inline", "--json")
    status, out, err = call(*ask, "--strict", "--task", "squality", "--task", "musique")
    assert (status, json.loads(out)["tasks"], json.loads(out)["report"]) == (1, [], None)
    assert MUSIQUE in err
    assert stages_of(call.home, "built") == ["curate squality"]
    assert not (call.home / "responses.db").exists()


def test_standing_artifact_with_a_drop_passes_a_strict_run(call, raw, ask):
    line(3, put("answerable", "yes"))(raw / FILES["musique"])
    ask = (*ask, "--task", "musique")
    assert call(*ask)[0] == 1
    before = files_of(call.home)
    status, _, err = call(*ask, "--strict")
    assert status == 1
    assert MUSIQUE in err
    assert "--strict" in err
    assert files_of(call.home) == before
    status, out, _ = call(*ask)
    assert (status, json.loads(out)[0]["malformed"]) == (1, {"wrong type": 1}), "without --strict as before"


@pytest.mark.parametrize("first", ["--quiet", "--strict"])
def test_strictness_changes_what_is_built(call, raw, ask, first):
    ask = (*ask, "--task", "musique", "--task", "space_digest")
    other = "--strict" if first == "--quiet" else "--quiet"
    status, out, _ = call(*ask, first)
    assert status == 0
    before = files_of(call.home)
    again, told, _ = call(*ask, other)
    assert (again, told) == (0, out)
    assert files_of(call.home) == before
    assert stages_of(call.home, "built") == []


def test_record_that_a_filter_removes_stops_a_strict_run(call, raw, ask):
    value(lambda items: items[0].__setitem__("reviews", items[0]["reviews"][:10]))(raw / FILES["space_digest"])
    status, out, err = call(*ask, "--strict", "--task", "space_digest")
    assert status == 0
    assert json.loads(out)[0]["malformed"] == {}
    # one hotel of the bundled ones is too small, one is made so
    assert "left out: space_digest: 2 filtered (too few reviews 2)" in err


def test_broken_file_lets_a_strict_run_go_on(call, raw, ask):
    (raw / FILES["squality"]).write_bytes(b"")
    status, _, err = call(*ask, "--strict", "--task", "squality", "--task", "musique")
    assert status == 1
    assert "squality/v1-2/txt/test.jsonl: is empty" in err
    assert artifacts(call.home) == set()


def test_mended_record_leaves_a_strict_run_failed(call, raw, ask):
    path = raw / FILES["musique"]
    data = path.read_bytes()
    line(3, put("answerable", "yes"))(path)
    assert call(*ask, "--strict", "--task", "musique")[0] == 1
    path.write_bytes(data)
    assert call(*ask, "--strict", "--task", "musique")[0] == 0


def test_end_of_run_does_not_tell_reasons_by_task(call, raw, ask):
    line(3, put("answerable", "yes"))(raw / FILES["musique"])
    line(4, put("question", " "))(raw / FILES["musique"])
    line(5, put("question", ""))(raw / FILES["musique"])
    line(1, question(("gold_label", 0)))(raw / FILES["quality"])
    value(lambda items: items[0].__setitem__("reviews", items[0]["reviews"][:10]))(raw / FILES["space_digest"])
    tasks = ("musique", "quality", "space_digest", "squality")
    status, out, err = call(*ask, *(word for task in tasks for word in ("--task", task)))
    assert status == 1
    assert [one for one in err.splitlines() if one.startswith("left out: ")] == [
        "left out: quality: 1 malformed (answer is no option 1)",
        "left out: musique: 3 malformed (empty field 2, wrong type 1)",
        "left out: space_digest: 2 filtered (too few reviews 2)",
    ]
    rows = {row["task"]: row for row in json.loads(out)}
    assert rows["musique"]["malformed"] == {"empty field": 2, "wrong type": 1}
    assert rows["space_digest"] | {"malformed": {}, "errors": 0} == rows["space_digest"]
    manifest = next((call.home / "artifacts").glob("curate/zeroscrolls.musique*/*/manifest.json"))
    assert json.loads(manifest.read_text())["facts"]["malformed"] == {"empty field": 2, "wrong type": 1}


def test_raw_text_reaches_the_terminal_as_it_is(call, raw, ask):
    """Escape sequences, a carriage return, a change of direction and rich markup, quoted by a message."""
    hostile = "\x1b]0;owned\x07\x1b[2J\r\n\u202e[bold red]x[/bold red]"
    line(1, lambda record: record.update({"answer_aliases": [], "id": hostile, "answerable": 1}))(
        raw / FILES["musique"]
    )
    line(2, lambda record: json.dumps({hostile: 1}))(raw / FILES["musique"])
    path = raw / FILES["gov_report"]
    path.parent.parent.joinpath("split_ids", "gao_test.ids").write_text(f"{path.stem}\n{hostile}\n", encoding="utf-8")
    for extra in ((), ("--strict",)):
        status, out, err = call(*ask, *extra, "--task", "musique", "--task", "gov_report")
        assert status == 1
        assert [char for char in out + err if (ord(char) < 32 and char != "\n") or char in "\x7f\u202e"] == []
    status, out, err = call(*(word for word in ask if word != "--json"), "--task", "musique", "--task", "gov_report")
    assert r"there are: \x1b]0;owned\x07\x1b[2J\r\n\u202e[bold red]x[/bold red]" in err
    assert "Traceback" not in err


@pytest.mark.slow
def test_strict_run_through_prefect_goes_on(scrollwork, raw):
    line(3, put("answerable", "yes"))(raw / FILES["musique"])
    tasks = ("--task", "squality", "--task", "musique", "--task", "space_digest")
    done = scrollwork("build", "zeroscrolls", "--raw", str(raw), "--strict", "--json", *tasks, status=1)
    assert done.document == []
    assert f"error: curate musique failed: {MUSIQUE}" in done.err
    assert "Traceback" not in done.err
    assert artifacts(scrollwork.home) == {"squality"}
    clean = scrollwork("build", "zeroscrolls", "--sample", "--strict", "--json", *tasks[:2])
    assert [row["task"] for row in clean.document] == ["squality"]
