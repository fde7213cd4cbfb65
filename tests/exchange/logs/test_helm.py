"""Run folders of HELM."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from scrollwork.analysis.logs.log import LogError, ReadOptions, digest_of
from scrollwork.exchange.logs.helm import read, recognizes
from scrollwork.exchange.logs.read import read_log, read_logs
from tests.exchange.logs.true_answers import OPTIONS, by_model, check, paired, truth_of

NAMES = {"exact": "quasi_exact_match", "f1": "f1_score"}


@pytest.fixture
def folder(shared: Path) -> Path:
    """The runs of three models."""
    return shared / "logs" / "helm"


@pytest.mark.parametrize("model", ["alpha", "beta", "gamma"])
def test_a_score_of_helm_is_not_the_true_one(folder: Path, model: str) -> None:
    assert recognizes(folder)
    log = by_model(read(folder, OPTIONS))[model]
    assert (log.task, log.tool) == ("facts", "helm")
    assert list(log.scores)[:3] == ["exact_match", "quasi_exact_match", "f1_score"]
    check(log, truth_of(folder, model), NAMES)
    assert log.clusters is not None
    assert log.prompts is not None
    assert (log.repeats, log.prompt_part) == (None, "")
    assert log.settings["adapter max_tokens"] == "32"


def test_differences_of_helm_are_not_those_of_the_world(folder: Path) -> None:
    logs = by_model(read(folder, OPTIONS))
    truth = json.loads((folder / "truth_pairs.json").read_text(encoding="utf-8"))
    for pair in ("alpha vs beta", "alpha vs gamma", "beta vs gamma"):
        first, _, second = pair.split()
        true = truth[pair]["all_same_id"]
        for metric, own in NAMES.items():
            n, won, lost, difference = paired(logs[first], logs[second], own)
            assert (n, won, lost) == (true["n"], true[metric]["won"], true[metric]["lost"])
            assert difference == pytest.approx(true[metric]["diff_a_minus_b"], abs=1e-12)


def test_the_number_of_an_instance_is_taken_for_its_id(folder: Path) -> None:
    logs = by_model(read(folder, OPTIONS))
    alpha = dict(zip(logs["alpha"].positions or (), logs["alpha"].ids or (), strict=True))
    beta = dict(zip(logs["beta"].positions or (), logs["beta"].ids or (), strict=True))
    assert len(alpha.keys() & beta.keys()) == 57
    assert sum(alpha[place] == beta[place] for place in alpha.keys() & beta.keys()) == 0


def test_a_packed_download_is_not_read(folder: Path, tmp_path: Path) -> None:
    source = next((folder / "runs" / "v1").glob("*alpha*"))
    for name in ("per_instance_stats.json", "scenario_state.json", "run_spec.json"):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((source / name).read_bytes()))
    (log,) = read(tmp_path, OPTIONS)
    check(log, truth_of(folder, "alpha"), NAMES)
    (tmp_path / "per_instance_stats.json.gz").rename(tmp_path / "per_instance_stats.json")  # packed, by its content
    (log,) = read(tmp_path, OPTIONS)
    check(log, truth_of(folder, "alpha"), NAMES)


def test_a_run_without_its_state_has_ids(folder: Path, tmp_path: Path) -> None:
    source = next((folder / "runs" / "v1").glob("*alpha*"))
    shutil.copy(source / "per_instance_stats.json", tmp_path)
    (log,) = read(tmp_path, OPTIONS)
    assert (log.ids, log.prompts, log.contents, log.clusters) == (None, None, None, None)
    assert log.positions is not None
    assert "60 of 60 instances are not described in scenario_state.json: no ids, no prompts for them" in log.notes
    state = json.loads((source / "scenario_state.json").read_text(encoding="utf-8"))
    instances = [request["instance"] for request in state["request_states"]]
    (tmp_path / "instances.json").write_text(json.dumps(instances), encoding="utf-8")
    (log,) = read(tmp_path, OPTIONS)
    check(log, truth_of(folder, "alpha"), NAMES)


# ---- hand-made runs


def stat(name: str, mean: float | None, **more: Any) -> dict[str, Any]:
    counted = {"count": 0} if mean is None else {"count": 1, "sum": mean, "mean": mean}
    return {"name": {"name": name, "split": "test", **more}, **counted}


def run(
    folder: Path, rows: list[dict[str, Any]], requests: list[dict[str, Any]], name: str = "mmlu:subject=a,model=o_m"
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    spec = {
        "name": name,
        "adapter_spec": {"model": "o/m"},
        "metric_specs": [{"args": {"names": ["exact_match", "f1_score"]}}],
    }
    (folder / "per_instance_stats.json").write_text(json.dumps(rows, indent=2), encoding="utf-8")
    (folder / "scenario_state.json").write_text(json.dumps({"request_states": requests}, indent=2), encoding="utf-8")
    (folder / "run_spec.json").write_text(json.dumps(spec), encoding="utf-8")
    return folder


def instance(name: str, text: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "input": {"text": text}, "references": [{"output": {"text": "a"}}], **more}


TYPOS = {"name": "typos", "prob": 0.1, "robustness": True}


def test_perturbed_inputs_are_averaged_with_the_originals(tmp_path: Path) -> None:
    rows = [
        {"instance_id": "id0", "train_trial_index": 0, "stats": [stat("exact_match", 1.0)]},
        {"instance_id": "id0", "train_trial_index": 1, "stats": [stat("exact_match", 0.0)]},
        *[
            {"instance_id": "id0", "train_trial_index": 0, "perturbation": {**TYPOS, "seed": seed},
             "stats": [stat("exact_match", 9.0, perturbation={"name": "x"}), stat("exact_match", value, perturbation={**TYPOS, "seed": seed})]}
            for seed, value in ((0, 0.25), (1, 0.75))
        ],
    ]  # fmt: skip
    requests = [
        {"instance": instance("id0", "text", extra_data={"id": "q"}), "train_trial_index": 0},
        {"instance": instance("id0", "txet", extra_data={"id": "q"}, perturbation={**TYPOS, "seed": 0})},
    ]
    original, typos = read(run(tmp_path / "r", rows, requests), OPTIONS)
    assert (original.task, original.scores["exact_match"].tolist()) == ("mmlu", [1.0, 0.0])
    assert (original.repeats, original.ids) == (["0", "1"], ["q", "q"])
    assert original.prompts == [digest_of("text")] * 2
    assert (typos.task, typos.scores["exact_match"].tolist()) == ('mmlu, typos {"prob": 0.1}', [0.25, 0.75])
    assert (typos.repeats, typos.ids) == (["0/0", "0/1"], ["q", "q"])
    assert typos.prompts == [digest_of("txet"), ""]  # not the original's


def test_a_failed_request_or_a_metric_without_a_value_counts(tmp_path: Path) -> None:
    rows = [
        {"instance_id": name, "train_trial_index": 0, "stats": [stat("exact_match", 0.0), stat("f1_score", f1), stat("num_bytes", None)]}
        for name, f1 in (("id0", 0.5), ("id1", None), ("id2", 0.25))
    ]  # fmt: skip
    requests = [
        {"instance": instance("id0", "a"), "result": {"success": False, "error": "500"}, "request": {"prompt": "Shots. a"}},
        {"instance": instance("id1", "b"), "result": {"success": True}, "prompt_truncated": True},
        {"instance": instance("id2", "c"), "result": {"success": True}},
    ]  # fmt: skip
    rows[2]["stats"].append(stat("prompt_truncated", 1.0))
    (log,) = read(run(tmp_path / "r", rows, requests), OPTIONS)
    assert log.failures == {0: "the model failed: 500", 1: "f1_score: null"}
    assert (list(log.scores)[:2], log.scores["f1_score"].tolist()[2]) == (["exact_match", "f1_score"], 0.25)
    assert log.truncated is not None
    assert log.truncated.tolist() == [False, True, True]
    assert (log.ids, log.prompt_part) == (None, "instance's input")


def test_instances_of_two_splits_are_one_mean(tmp_path: Path) -> None:
    rows = [
        {"instance_id": name, "train_trial_index": 0, "stats": [stat("exact_match", value, split=split)]}
        for name, split, value in (("id0", "valid", 0.0), ("id1", "test", 1.0), ("id2", "test", 0.5))
    ]
    rows.append(
        {"instance_id": "id0", "train_trial_index": 0, "perturbation": TYPOS,
         "stats": [stat("exact_match", 0.25, split="valid", perturbation=TYPOS)]}
    )  # fmt: skip
    read_logs = read(run(tmp_path / "r", rows, []), OPTIONS)
    assert {log.task: log.scores["exact_match"].tolist() for log in read_logs} == {
        "mmlu": [1.0, 0.5],
        "mmlu, split valid": [0.0],
        'mmlu, split valid, typos {"prob": 0.1}': [0.25],
    }
    (log,) = read(run(tmp_path / "one", rows[:1], []), OPTIONS)  # of a scenario that has no other split
    assert log.task == "mmlu"


def test_runs_of_one_scenario_are_one_task(tmp_path: Path) -> None:
    rows = [{"instance_id": "id0", "train_trial_index": 0, "stats": [stat("exact_match", 1.0)]}]
    for subject in "ab":
        run(tmp_path / subject, rows, [], f"mmlu:subject={subject},model=o_m")
    assert sorted(log.task for log in read_log(tmp_path, OPTIONS)) == ["mmlu:subject=a", "mmlu:subject=b"]
    assert [log.task for log in read_log(tmp_path / "a", OPTIONS)] == ["mmlu"]


def test_one_subject_is_not_found_in_a_folder_of_several(tmp_path: Path) -> None:
    """Names of tasks depend on all sources, not on what lies beside a run."""
    rows = [{"instance_id": "id0", "train_trial_index": 0, "stats": [stat("exact_match", 1.0)]},
            {"instance_id": "id0", "train_trial_index": 0, "perturbation": TYPOS, "stats": [stat("exact_match", 0.0)]}]  # fmt: skip
    for subject in "ab":
        run(tmp_path / "p" / subject, rows, [], f"mmlu:subject={subject},model=o_p")
    run(tmp_path / "q", rows, [], "mmlu:subject=b,model=o_q")
    found, _ = read_logs([str(tmp_path / "p"), str(tmp_path / "q")], OPTIONS)
    tasks = {name.rpartition("/")[2]: {log.task for log in logs} for name, logs in found.items()}
    subject_b = {"mmlu:subject=b", 'mmlu:subject=b, typos {"prob": 0.1}'}
    assert tasks["q"] == subject_b
    assert tasks["p"] == subject_b | {name.replace("=b", "=a") for name in subject_b}
    found, _ = read_logs([str(tmp_path / "p" / "b"), str(tmp_path / "q")], OPTIONS)
    assert {log.task for logs in found.values() for log in logs} == {"mmlu", 'mmlu, typos {"prob": 0.1}'}


def test_the_user_cannot_name_id_and_cluster(tmp_path: Path) -> None:
    rows = [{"instance_id": "own-7", "train_trial_index": 0, "stats": [stat("exact_match", 1.0)]}]
    requests = [{"instance": instance("own-7", "a", extra_data={"key": "k", "book": "b"})}]
    place = run(tmp_path / "r", rows, requests)
    (log,) = read(place, OPTIONS)
    assert log.ids == ["own-7"]  # a scenario's own id, not HELM's number
    (log,) = read(place, ReadOptions("extra_data.key", "extra_data.book"))
    assert (log.ids, log.clusters) == (["k"], ["b"])
    with pytest.raises(LogError, match="no row has a value"):
        read(place, ReadOptions("extra_data.no"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('[{"instance_id": "id0", "stats": [', "item 0: is not JSON"),
        ('[{"instance_id": "id0", "train_trial_index": 0}]', 'item 0: has no "instance_id" and "stats"'),
        ('["instance_id"]', 'item 0: has no "instance_id" and "stats"'),
        ('{"instance_id": 1}', r"expected '\['"),
        ("[]", "has no instances"),
    ],
)
def test_a_broken_run_gives_no_reason(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "per_instance_stats.json").write_text(content, encoding="utf-8")
    with pytest.raises(LogError, match=message) as caught:
        read(tmp_path, OPTIONS)
    assert "per_instance_stats.json" in str(caught.value)
