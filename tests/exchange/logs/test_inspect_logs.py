"""Logs of inspect_ai: what the tool wrote against what the models really did, and each rule on a log made by hand."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scrollwork.analysis.logs.log import Log, LogError, ReadOptions, digest_of
from scrollwork.exchange.logs.inspect_ai.reader import read, recognizes
from scrollwork.exchange.logs.inspect_ai.zip_members import Archive
from scrollwork.exchange.logs.lm_eval import reader as lm_eval
from scrollwork.exchange.logs.read import read_log, read_logs
from tests.exchange.logs.log_kit import (
    archived,
    compact,
    header,
    logs_of,
    number,
    rows_by_item,
    same,
    sample,
    sha,
    truth,
    whole,
    zipped,
)  # fmt: skip

DOCUMENT = ReadOptions(cluster_field="metadata.document_id")
WRITTEN = [
    *(("inspect", f"plain/{name}") for name in ("alpha.eval", "alpha.json", "beta.eval", "beta.json", "gamma.eval")),
    *(("inspect", f"epochs3/{name}.eval") for name in ("alpha", "beta")),
    *(("inspect_0.3.50", f"old/{name}") for name in ("alpha.eval", "alpha.json", "beta.eval", "beta.json")),
]


def one(path: Path, options: ReadOptions | None = None) -> Log:
    (log,) = read(path, options or ReadOptions())
    return log


@pytest.mark.parametrize(("tool", "name"), WRITTEN)
def test_an_id_a_score_a_cluster_or_a_state_is_not_what_the_model_did(shared: Path, tool: str, name: str) -> None:
    folder = logs_of(shared, tool)
    path = folder / name
    table = path.parent / "truth_scores.csv"
    log = one(path, DOCUMENT)
    known = truth(table if table.is_file() else folder / "truth_scores.csv", path.stem)
    rows = rows_by_item(log)
    assert rows.keys() == known.keys()
    assert recognizes(path)
    assert (log.task, log.model, log.prompt_part) == ("facts", f"mockllm/{path.stem}", "")
    assert log.clusters is not None
    assert log.prompts is not None
    for item, row in rows.items():
        wanted = known[item]
        assert log.clusters[row] == wanted["cluster"]
        assert log.prompts[row] == wanted["prompt_sha256"]
        assert (row in log.failures) == (wanted["state"] == "error")
        for metric in ("exact", "both/exact"):
            assert same(log.scores[metric][row], number(wanted["exact"]))
        assert same(log.scores["f1"][row], number(wanted["f1"]))
        assert math.isnan(log.scores["both/f1"][row]) or log.scores["both/f1"][row] == number(wanted["f1"])


@pytest.mark.parametrize("name", ["alpha.eval", "beta.eval", "gamma.eval"])
def test_a_mean_is_not_the_one_that_inspect_wrote(shared: Path, name: str) -> None:
    path = logs_of(shared, "inspect") / "plain" / name
    with Archive(path) as archive:
        results = json.loads(archive.read(archive.members()["header.json"]))["results"]["scores"]
    log = one(path)
    checked = 0
    for entry in results:
        metric = entry["name"] if entry["name"] == entry["scorer"] else f"{entry['scorer']}/{entry['name']}"
        for told in (entry["metrics"].get(kind) for kind in ("mean", "accuracy")):
            if told is not None:
                values = log.scores[metric]
                assert np.nanmean(values) == pytest.approx(told["value"], abs=1e-12)
                assert np.isfinite(values).sum() == entry["scored_samples"]
                checked += 1
    assert checked == 6


def test_errors_and_values_that_are_no_number_are_not_told(shared: Path) -> None:
    log = one(logs_of(shared, "inspect") / "plain" / "gamma.eval")
    assert list(log.failures.values()) == ["RuntimeError('vendor said 500 for this one')"]
    assert log.notes == ["both/f1: NaN in 1 rows: no score", "1 samples ended with an error"]
    assert log.settings["temperature"] == "0.0"
    assert log.settings["seed"] == "7"
    assert log.settings["max_tokens"] == "32"
    assert log.settings["task version"] == "1.2"
    assert one(logs_of(shared, "inspect") / "epochs3" / "alpha.eval").settings["epochs reducer"] == "mean, at_least_1"


def test_the_archive_and_the_json_file_of_old_logs_differ(shared: Path) -> None:
    folder = logs_of(shared, "inspect_0.3.50") / "old"
    archive, plain = one(folder / "beta.eval", DOCUMENT), one(folder / "beta.json", DOCUMENT)
    first, second = rows_by_item(archive), rows_by_item(plain)
    assert first.keys() == second.keys()
    for item, row in first.items():
        for metric, values in archive.scores.items():
            assert same(values[row], plain.scores[metric][second[item]])
    assert "fields that the summaries lack were read from the samples themselves" in archive.notes


def test_a_killed_run_is_refused_or_passes_for_a_whole_one(shared: Path) -> None:
    folder = logs_of(shared, "inspect")
    log = one(folder / "killed" / "alpha.eval")
    known = truth(folder / "truth_scores.csv", "alpha")
    assert len(log) == 12
    for item, row in rows_by_item(log).items():
        assert log.scores["exact"][row] == number(known[item]["exact"])
        assert log.scores["f1"][row] == number(known[item]["f1"])
    assert log.notes == [
        'the run did not end well: its status is "started"', "12 of 60 samples are in the log",
    ]  # fmt: skip


@pytest.mark.parametrize("model", ["alpha", "beta"])
def test_places_in_the_data_set_are_taken_for_ids(shared: Path, model: str) -> None:
    folder = logs_of(shared, "inspect")
    log = one(folder / "noid" / f"{model}.eval")
    names = json.loads((folder / "noid" / f"{model}.truth_ids.json").read_text(encoding="utf-8"))
    known = truth(folder / "truth_scores.csv", model)
    assert log.ids is None
    assert log.positions is not None
    assert len(log.positions) == len(set(log.positions)) == len(names)
    for row, place in enumerate(log.positions):
        assert log.scores["exact"][row] == number(known[names[place], "1"]["exact"])
    assert any("no ids of their own" in note for note in log.notes)


def test_a_sample_that_a_limit_ended_counts_as_failed_or_as_whole(shared: Path) -> None:
    folder = logs_of(shared, "inspect")
    log = one(folder / "limits" / "alpha.json")
    known = truth(folder / "truth_scores.csv", "alpha")
    assert log.truncated is not None
    assert log.truncated.sum() == 11
    assert not log.failures
    for item, row in rows_by_item(log).items():
        assert log.scores["exact"][row] == (0.0 if log.truncated[row] else number(known[item]["exact"]))
    assert any("11 samples were ended by a limit" in note for note in log.notes)
    assert one(folder / "limits" / "alpha.eval").truncated.sum() == 0  # type: ignore[union-attr]


def test_a_folder_gives_other_logs_than_its_files(shared: Path) -> None:
    folder = logs_of(shared, "inspect") / "plain"
    assert recognizes(folder)
    logs = read(folder, ReadOptions())
    assert [Path(log.source).name for log in logs] == sorted(file.name for file in folder.iterdir())
    assert not recognizes(logs_of(shared, "lm_eval") / "alpha")


# ---- logs made by hand


@pytest.mark.parametrize(
    ("value", "score"),
    [
        ("C", 1.0), ("P", 0.5), ("I", 0.0), ("N", 0.0), ("c", None), (True, 1.0), (False, 0.0), (1, 1.0), (0.25, 0.25),
        ("yes", 1.0), ("No", 0.0), ("TRUE", 1.0), ("0.5", 0.5), ("1e3", 1000.0), ("1_0", None), ("nan", None),
        ("A", None), (None, None), ([1, 0], None), (math.nan, None), (math.inf, None), ("Infinity", None), (10**400, None),
    ],
)  # fmt: skip
def test_a_value_has_another_score_than_its_rule_says(tmp_path: Path, value: Any, score: float | None) -> None:
    log = one(archived(tmp_path / "a.eval", sample("a", value), sample("b", "C")))
    assert log.scores["exact"][1] == 1.0
    if score is None:
        assert math.isnan(log.scores["exact"][0])
        assert list(log.failures) == [0]
        assert "exact" in log.failures[0]
        assert len(log.notes) == 1
        assert "in 1 rows: no score" in log.notes[0]
    else:
        assert log.scores["exact"][0] == score
        assert not log.failures


def test_keys_of_an_object_are_mixed_up_where_samples_have_different_ones(tmp_path: Path) -> None:
    log = one(archived(
        tmp_path / "a.eval",
        sample("a", {"f1": 0.5, "deep": {"x": 1}}),
        sample("b", scores={"other": {"value": 1}}),
        sample("c", {"exact": "C", "f1": 1}),
    ))  # fmt: skip
    assert {name: column.tolist() for name, column in log.scores.items()} == {
        "exact/f1": [0.5, pytest.approx(math.nan, nan_ok=True), 1.0],
        "other": [pytest.approx(math.nan, nan_ok=True), 1.0, pytest.approx(math.nan, nan_ok=True)],
        "exact/exact": [pytest.approx(math.nan, nan_ok=True), pytest.approx(math.nan, nan_ok=True), 1.0],
    }
    assert log.notes == ["exact/deep: object in 1 rows: no score"]


def test_two_scorers_of_one_name_shift_the_rows(tmp_path: Path) -> None:
    both = {"a": {"value": {"b": 0.5}}, "a/b": {"value": 0.25}}
    log = one(archived(tmp_path / "a.eval", sample("x", scores=both), sample("y", scores=both)))
    assert {name: column.tolist() for name, column in log.scores.items()} == {"a/b": [0.5, 0.5]}


def test_a_log_whose_every_sample_failed_passes_for_an_empty_one(tmp_path: Path) -> None:
    path = archived(tmp_path / "a.eval", sample("a", scores={}, error="boom"))
    with pytest.raises(LogError, match=r"none of 1 samples has a score"):
        read(path, ReadOptions())


def test_invalidated_samples_are_counted(tmp_path: Path) -> None:
    samples = [sample("a", "I", invalidation={"author": "x"}), sample("b", "C")]
    stripped = [{key: value for key, value in one.items() if key != "invalidation"} for one in samples]
    members = {f"samples/{one['id']}_epoch_1.json": compact(one) for one in samples}
    members |= {"summaries.json": compact(stripped), "header.json": compact(header(samples, invalidated=True))}
    for log in (one(zipped(tmp_path / "a.eval", members)), one(whole(tmp_path / "a.json", *samples, invalidated=True))):
        assert log.ids == ["b"]
        assert log.scores["exact"].tolist() == [1.0]
        assert log.notes == ["1 samples were invalidated and left out"]


def test_a_failed_attempt_is_kept_beside_its_repetition_or_a_contradiction_is_hidden(tmp_path: Path) -> None:
    log = one(archived(
        tmp_path / "a.eval",
        sample("a", scores={}, error="boom", limit={}), sample("b", "C"), sample("c", "C"), sample("a", "C"), sample("b", "I"),
        sample("d", scores={}, error="last"),
    ))  # fmt: skip
    assert log.ids == ["b", "c", "a", "b", "d"]
    assert log.scores["exact"].tolist()[:4] == [1.0, 1.0, 1.0, 0.0]
    assert log.failures == {4: "last"}
    assert log.truncated is not None
    assert not log.truncated.any()
    assert any(note.startswith("1 failed attempts were left out") for note in log.notes)
    assert any(note.startswith("1 rows have the id and epoch of a later row") for note in log.notes)


@pytest.mark.parametrize(
    ("names", "more", "places"),
    [
        ([1, 2, 3], {}, True),
        ([3, 1], {"dataset": {"samples": 60, "sample_ids": [3, 1]}}, True),
        ([70001, 70002], {}, False),
        ([41, 42, 43], {"config": {"limit": [40, 43]}}, True),
        (["1", "2"], {}, False),
        ([1, "b"], {}, False),
        ([0, 1], {}, False),
    ],
)
def test_numbers_are_taken_for_ids_or_ids_for_numbers(
    tmp_path: Path, names: list[Any], more: dict[str, Any], places: bool
) -> None:
    path = archived(tmp_path / "a.eval", *(sample(name) for name in names), **more)
    log = one(path)
    assert (log.ids is None, log.positions is not None) == (places, places)
    assert (log.positions or log.ids) == [str(name) for name in names]
    assert one(path, ReadOptions(id_field="id")).ids == [str(name) for name in names]


def test_the_number_1_and_the_text_1_are_two_items(tmp_path: Path) -> None:
    log = one(archived(tmp_path / "a.eval", sample(1), sample("1"), sample("b")))
    assert any("have the id and epoch of a later row" in note for note in log.notes)


def test_the_official_cluster_is_not_used(tmp_path: Path) -> None:
    clustered = {"name": "stderr", "options": {"cluster": "doc"}}
    for metrics in ([clustered], {"f1": [clustered]}, [{"f1": [{"name": "mean"}, clustered]}]):
        path = archived(
            tmp_path / "a.eval", sample("a", metadata={"doc": 7}), sample("b", metadata={"doc": "x"}),
            scorers=[{"name": "exact", "metrics": metrics}],
        )  # fmt: skip
        log = one(path)
        assert log.clusters == ["7", "x"]
        assert log.notes == ['clusters are those of the log\'s own clustered standard error: "metadata.doc"']
    assert one(path, ReadOptions(cluster_field="id")).clusters == ["a", "b"]
    assert one(path, ReadOptions(cluster_field="doc")).clusters == ["7", "x"]
    assert one(path, ReadOptions(id_field="doc")).ids == ["7", "x"]


def test_a_sample_without_the_cluster_field_is_put_with_others(tmp_path: Path) -> None:
    samples = [sample("a", metadata={"doc": "x"}), sample("b")]
    scorers = [{"metrics": [{"name": "stderr", "options": {"cluster": "doc"}}]}]
    log = one(archived(tmp_path / "a.eval", *samples, scorers=scorers))
    assert log.clusters is None
    assert '1 of 2 samples have no field "metadata.doc" for clusters: no clusters' in log.notes
    with pytest.raises(LogError, match=r'1 of 2 samples have no field "metadata\.doc" for clusters; name one'):
        read(archived(tmp_path / "b.eval", *samples), ReadOptions(cluster_field="metadata.doc"))
    with pytest.raises(LogError, match=r'field "metadata\.doc" is missing; it was named as the id'):
        read(archived(tmp_path / "c.eval", *samples), ReadOptions(id_field="metadata.doc"))


def test_a_long_prompt_is_compared_as_if_it_were_whole(tmp_path: Path) -> None:
    text = "Łódź " * 2000
    cut = sample("a", input=text[:5120] + "...\n(content truncated)")
    log = one(archived(tmp_path / "a.eval", cut, sample("b")))
    assert log.prompt_part == "first 5,120 characters"
    assert log.prompts == [sha(text[:5120]), sha("? b")]
    entire = one(whole(tmp_path / "a.json", sample("a", input=text)))
    assert (entire.prompt_part, entire.prompts) == ("", [sha(text)])


def test_a_prompt_of_one_message_differs_from_its_text(tmp_path: Path) -> None:
    said = {"role": "user", "content": "? a"}
    parts = {"role": "user", "content": [{"type": "text", "text": "? a"}, {"type": "image", "image": "attachment://1"}]}
    system = {"role": "system", "content": "Be brief."}
    attached = {"role": "user", "content": "attachment://9"}
    log = one(whole(
        tmp_path / "a.json", sample("a", input=[said]), sample("b", input=[system, said]), sample("c", input=[parts]),
        sample("d", input=[attached], attachments={"9": "? a"}), sample("e", input=None),
    ))  # fmt: skip
    assert log.prompts == [
        sha("? a"), digest_of(["system", "Be brief.", "user", "? a"]), sha(f"? a\n(Image {sha('attachment://1')})"),
        sha("? a"), "",
    ]  # fmt: skip


def test_a_field_that_the_summary_shortened_is_taken_as_it_is(tmp_path: Path) -> None:
    long = sample("a", metadata={"doc": "x" * 3000, "list": "y"})
    members = {"samples/a_epoch_1.json": compact(long), "header.json": compact(header([long]))}
    for shown in ("Key removed from summary (> 1k)", "x" * 1021 + "..."):
        members["summaries.json"] = compact([long | {"metadata": {"doc": shown}}])
        log = one(zipped(tmp_path / "a.eval", members), ReadOptions(cluster_field="metadata.doc"))
        assert log.clusters == ["x" * 3000]


def test_epochs_are_mixed_up(tmp_path: Path) -> None:
    samples = [sample("a", "C"), sample("a", "I", epoch=2)]
    log = one(archived(tmp_path / "a.eval", *samples, config={"epochs": 2, "epochs_reducer": ["mean"]}))
    assert (log.ids, log.repeats, log.scores["exact"].tolist()) == (["a", "a"], ["1", "2"], [1.0, 0.0])
    assert log.settings["epochs reducer"] == "mean"
    assert not log.notes


@pytest.mark.parametrize(
    "row", [{"id": None}, {"id": True}, {"id": 1.5}, {"epoch": "1"}, ["not an object"]], ids=str
)  # fmt: skip
def test_a_sample_without_an_id_is_dropped_silently(tmp_path: Path, row: Any) -> None:
    bad = sample("b") | row if isinstance(row, dict) else row
    members = {"summaries.json": compact([sample("a"), bad]), "header.json": compact(header())}
    with pytest.raises(LogError, match=r"a\.eval, summaries\.json, sample 2: "):
        read(zipped(tmp_path / "a.eval", members), ReadOptions())


def test_other_files_are_taken_for_logs(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"version": "1.0", "truncation": null, "model": {}}')
    (tmp_path / "b.json").write_text('{"results": {"facts": {}}}')
    zipped(tmp_path / "c.eval", {"word/document.xml": b"<x/>"})
    (tmp_path / "d.eval").write_bytes(b"")
    assert not recognizes(tmp_path)
    assert not any(recognizes(file) for file in tmp_path.iterdir())
    assert not recognizes(tmp_path / "absent.eval")
    with pytest.raises(LogError, match="holds no log of inspect_ai"):
        read(tmp_path, ReadOptions())


def test_settings_that_differ_late_in_a_long_text_or_by_a_judge_look_the_same(tmp_path: Path) -> None:
    logs = [
        one(archived(
            tmp_path / f"{judge}.eval", sample(), model_generate_config={"system_message": "x" * 900 + judge, "top_p": 0.0},
            model_roles={"grader": {"model": judge}, "red": [{"model": "a"}, {"model": "b"}]}, task_args={},
        ))
        for judge in ("m1", "m2")
    ]  # fmt: skip
    first, second = (log.settings for log in logs)
    assert {name for name in first if first[name] != second[name]} == {"system_message", "model roles"}
    assert (first["model roles"], first["top_p"]) == ("grader: m1, red: a and b", "0.0")
    assert len(first["system_message"]) < 400
    assert "task arguments" not in first


@pytest.mark.timeout(20)
def test_a_pipe_in_a_folder_is_waited_for(tmp_path: Path) -> None:
    for name in ("a.eval", "a.json", "a.jsonl"):
        os.mkfifo(tmp_path / name)
    assert not recognizes(tmp_path)
    assert not lm_eval.recognizes(tmp_path)


def test_a_log_that_was_not_scored_hides_the_others_of_its_folder(tmp_path: Path) -> None:
    archived(tmp_path / "a.eval", sample())
    bad = archived(tmp_path / "b.eval", sample() | {"scores": {}})
    (tmp_path / "c.eval").write_bytes((tmp_path / "a.eval").read_bytes()[:-100])
    (tmp_path / "d.eval").write_bytes(b"")
    (log,) = read(tmp_path, ReadOptions())
    assert sum(note.startswith("not read: ") for note in log.notes) == 3
    with pytest.raises(LogError, match="was the log scored"):
        read(bad, ReadOptions())
    failed = archived(tmp_path / "e.eval", sample() | {"scores": {}, "error": {"message": "no attribute 'n'"}})
    with pytest.raises(LogError, match=r"none of 1 samples has a score; 1 ended with an error.*: no attribute 'n'$"):
        read(failed, ReadOptions())


def test_another_system_message_looks_the_same(tmp_path: Path) -> None:
    step = {"solver": "system_message", "params": {"template": "", "more": 1}}
    said = []
    for template in ("Be good", "Be bad"):
        path = whole(tmp_path / "a.json", sample())
        steps = [step | {"params_passed": {"template": template}}, {"solver": "generate", "params_passed": {}}]
        path.write_text(json.dumps(json.loads(path.read_text()) | {"plan": {"steps": steps}}))
        said.append(one(path).settings["solver"])
    assert said == [f'system_message {{"template": "{template}"}}, generate' for template in ("Be good", "Be bad")]


def test_two_questions_of_one_text_and_other_choices_are_one(tmp_path: Path) -> None:
    """ "Which is true?" stands often in tests of multiple choice; samples without ids have nothing else."""
    asked = [sample(number, input="Which?", choices=[f"a{number}", "none"]) for number in (1, 2)]
    for log in (one(archived(tmp_path / "a.eval", *asked)), one(whole(tmp_path / "a.json", *asked))):
        assert log.prompts is not None
        assert len(set(log.prompts)) == 2
    assert one(archived(tmp_path / "b.eval", sample(1, choices=None))).prompts == [sha("? 1")]


def test_one_subject_of_a_task_stands_for_all(tmp_path: Path) -> None:
    """A sweep over arguments of a task: logs of one name, one model and other items."""
    for name, subject in (("a", "law"), ("b", "art"), ("c", "art")):
        archived(tmp_path / f"{name}.eval", sample(), task_args={"subject": subject})
    assert [log.task for log in read_log(tmp_path, ReadOptions())] == [
        f"facts {{'subject': '{subject}'}}" for subject in ("law", "art", "art")
    ]
    (tmp_path / "other").mkdir()
    other = archived(tmp_path / "other" / "a.eval", sample(), task_args={"subject": "law"}, model="b")
    found, _ = read_logs([str(tmp_path), str(other)], ReadOptions())
    assert [log.task for log in found[str(other)]] == ["facts {'subject': 'law'}"]
    (tmp_path / "a.eval").unlink()
    assert {log.task for log in read_log(tmp_path, ReadOptions())} == {"facts"}


def test_questions_about_one_long_document_are_one_item(tmp_path: Path) -> None:
    """Without ids the prompt tells items apart, and summaries keep its first 5,120 characters."""
    asked = [sample(number, input="word " * 2000 + str(number)) for number in (1, 2)]
    short = [one | {"input": one["input"][:5120] + "...\n(content truncated)"} for one in asked]
    members = {f"samples/{one['id']}_epoch_1.json": compact(one) for one in asked}
    log = one(
        zipped(tmp_path / "a.eval", {"header.json": compact(header(asked)), "summaries.json": compact(short)} | members)
    )
    assert (log.prompts, log.prompt_part) == ([sha(each["input"]) for each in asked], "")
