"""Details of lighteval."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scrollwork.analysis.logs.log import Log, LogError, ReadOptions, digest_of
from scrollwork.exchange.logs.lighteval import read, recognizes
from tests.exchange.logs.true_answers import OPTIONS, by_model, check, paired, truth_of

TIME = "2026-11-22T13-48-17.869696"


@pytest.fixture
def folder(shared: Path) -> Path:
    """The runs of three models."""
    return shared / "logs" / "lighteval"


def details(
    folder: Path, rows: list[dict[str, Any]], task: str = "facts|0", time: str = TIME, model: str = "m"
) -> Path:
    path = folder / "details" / model / time / f"details_{task}_{time}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def row(query: str, metric: dict[str, Any], **doc: Any) -> dict[str, Any]:
    own = {
        "query": query,
        "choices": ["a"],
        "gold_index": 0,
        "id": "0",
        "task_name": "facts|0",
        "specific": None,
        **doc,
    }
    return {"doc": own, "metric": metric, "model_response": {"truncated_tokens_count": 0, "text": ["a"]}}


@pytest.mark.parametrize("model", ["alpha", "beta", "gamma"])
def test_a_score_of_lighteval_is_not_the_true_one(folder: Path, model: str) -> None:
    assert recognizes(folder)
    log = by_model(read(folder, OPTIONS), "facts")[model]
    check(log, truth_of(folder, model), {"exact": "exact", "f1": "f1"})
    assert log.clusters is not None
    assert log.prompts is not None
    assert (log.settings["few-shot examples"], log.settings["generation_size"]) == ("0", "32")
    choice = by_model(read(folder, OPTIONS), "facts_mc")[model]
    assert (choice.ids, choice.positions is None) == (None, False)  # its doc has no id but the position
    assert len(choice) == len(log)


def test_a_position_is_taken_for_an_id(folder: Path) -> None:
    logs = by_model(read(folder, OPTIONS), "facts")
    positions = dict(zip(logs["alpha"].ids or (), logs["alpha"].positions or (), strict=True))
    other = dict(zip(logs["beta"].ids or (), logs["beta"].positions or (), strict=True))
    assert sum(positions[name] != place for name, place in other.items()) > 50  # beta was shuffled
    truth = json.loads((folder / "truth_pairs.json").read_text(encoding="utf-8"))["alpha vs beta"]["all_same_id"]
    n, won, lost, difference = paired(logs["alpha"], logs["beta"], "exact")
    assert (n, won, lost) == (truth["n"], truth["exact"]["won"], truth["exact"]["lost"])
    assert difference == pytest.approx(truth["exact"]["diff_a_minus_b"], abs=1e-12)


def test_a_model_is_named_by_nothing_where_the_results_are_not_beside(folder: Path, tmp_path: Path) -> None:
    (source,) = folder.glob("details/alpha/*/details_facts|0_*.parquet")
    shutil.copy(source, tmp_path / "mine.parquet")
    (log,) = read(tmp_path / "mine.parquet", OPTIONS)
    check(log, truth_of(folder, "alpha"), {"exact": "exact", "f1": "f1"})
    assert (log.task, log.model, len(log)) == ("facts", "mine", 60)
    (log,) = read(details(tmp_path, [row("q", {"exact": 1.0})], model="org/m"), OPTIONS)
    assert log.model == "org/m"


def test_an_older_run_is_read_too_or_left_out_in_silence(tmp_path: Path) -> None:
    new = details(tmp_path, [row("q", {"exact": 1.0})])
    old = details(tmp_path, [row("q", {"exact": 0.0})], time="2025-01-01T00-00-00.000001")
    (log,) = read(tmp_path, OPTIONS)
    assert (log.source, log.scores["exact"].tolist()) == (str(new), [1.0])
    assert log.notes == [f"older run of the same task and model, not read: {old}"]


def test_runs_with_other_few_shot_examples_are_one_task(tmp_path: Path) -> None:
    details(tmp_path, [row("q", {"exact": 1.0})])
    details(tmp_path, [row("q", {"exact": 0.0}, task_name="facts|5")], task="facts|5")
    found = {log.task: log.scores["exact"].tolist() for log in read(tmp_path, OPTIONS)}
    assert found == {"facts|0": [1.0], "facts|5": [0.0]}


def test_metrics_of_the_whole_corpus_or_with_low_values_good_pass_for_others(tmp_path: Path) -> None:
    details(
        tmp_path, [row("q", {"ppl": 3.0, "exact": 1, "edit": None}), row("r", {"ppl": 9.0, "exact": 0, "edit": 0.5})]
    )
    metrics = [
        {"metric_name": ["ppl", "edit"], "higher_is_better": {"ppl": False, "edit": False},
         "corpus_level_fn": {"ppl": "perplexity", "edit": "mean"}},
        {"metric_name": "exact", "higher_is_better": True, "corpus_level_fn": "mean"},
    ]  # fmt: skip
    results = tmp_path / "results" / "m" / f"results_{TIME}.json"
    results.parent.mkdir(parents=True)
    config = {"config_general": {"model_name": "org/m"}, "config_tasks": {"facts|0": {"metrics": metrics}}}
    results.write_text(json.dumps(config))
    (log,) = read(tmp_path, OPTIONS)
    assert (log.model, list(log.scores), log.lower_is_better) == ("org/m", ["exact", "edit"], {"edit"})
    assert "ppl is left out: it is computed over all items at once (perplexity)" in log.notes
    assert log.failures == {0: "edit: null"}


def test_the_user_cannot_name_id_and_cluster(tmp_path: Path) -> None:
    path = details(tmp_path, [row("q", {"exact": 1.0}, specific={"key": "k", "book": "b"})])
    for prefix in ("doc.specific.", "specific.", ""):
        (log,) = read(path, ReadOptions(prefix + "key", prefix + "book"))
        assert (log.ids, log.clusters) == (["k"], ["b"])
    with pytest.raises(LogError, match=r'no row has a value in the field "doc\.key"'):
        read(path, ReadOptions("doc.key"))


def test_a_cut_prompt_is_not_told(tmp_path: Path) -> None:
    cut = row("q", {"exact": 1.0})
    cut["model_response"]["truncated_tokens_count"] = 12
    (log,) = read(details(tmp_path, [cut, row("r", {"exact": 1.0})]), OPTIONS)
    assert log.truncated is not None
    assert log.truncated.tolist() == [True, False]


def test_details_of_the_old_layout_are_not_read(tmp_path: Path) -> None:
    rows = [
        {"example": "q", "full_prompt": "shots q", "predictions": ["a"], "gold": ["a"], "truncated": 1,
         "metrics": {"exact": 1.0}, "specifics": json.dumps({"id": "k"})},
        {"example": "r", "full_prompt": "shots r", "predictions": ["a"], "gold": ["b"], "truncated": 0,
         "metrics": {"exact": 0.0}, "specifics": json.dumps({"id": "l"})},
    ]  # fmt: skip
    path = details(tmp_path, rows, task="lighteval|facts|5|0")
    (log,) = read(path, OPTIONS)
    assert (log.task, log.model, log.settings["few-shot examples"]) == ("lighteval|facts", "m", "5")
    assert (log.ids, log.scores["exact"].tolist()) == (["k", "l"], [1.0, 0.0])
    assert log.prompts == [digest_of("shots q"), digest_of("shots r")]
    assert log.truncated is not None
    assert log.truncated.tolist() == [True, False]
    assert (log.positions, len(set(log.contents or ()))) == (None, 2)


def test_a_cut_file_is_not_named_or_hides_the_others(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "runs")
    cut = next((tmp_path / "runs").glob("details/alpha/*/details_facts|0_*.parquet"))
    cut.chmod(0o644)
    data = bytearray(cut.read_bytes())
    data[200:3000] = bytes(2800)  # the footer is whole: it is still one of lighteval's
    cut.write_bytes(data)
    logs: list[Log] = read(tmp_path / "runs", OPTIONS)
    assert len(logs) == 5
    assert all(any("not read: " in note and str(cut) in note for note in log.notes) for log in logs)
    with pytest.raises(LogError, match="is not whole Parquet"):
        read(cut, OPTIONS)
    cut.write_bytes(bytes(data[: len(data) // 2]))
    assert not recognizes(cut)


def test_a_plain_table_passes_for_details(shared: Path) -> None:
    assert not recognizes(shared / "logs" / "plain")


def printed_rows(path: Path, *rows: dict[str, Any]) -> Path:
    """Write details as lighteval 0.6.2 and 0.7.0 do: each value is the text that Python prints for it."""
    base = {
        "example": "q",
        "full_prompt": "q",
        "predictions": ["a"],
        "truncated": [0],
        "gold": ["x"],
        "specifics": None,
    }
    pq.write_table(pa.Table.from_pylist([{key: str(held) for key, held in (base | row).items()} for row in rows]), path)
    return path


def test_details_of_printed_values_have_no_scores(tmp_path: Path) -> None:
    rows = [
        {
            "metrics": {"em": 1, "f1": math.nan},
            "full_prompt": 'it\'s "q"',
            "specifics": {"id": "it's", "document": "d"},
        },
        {"metrics": {"em": 0, "f1": -0.5}, "truncated": [0, 3], "specifics": {"id": "b", "document": "d", "n": None}},
    ]
    (log,) = read(printed_rows(tmp_path / f"details_facts|0_{TIME}.parquet", *rows), OPTIONS)
    assert log.scores["em"].tolist() == [1.0, 0.0]
    assert math.isnan(log.scores["f1"][0])
    assert log.scores["f1"][1] == -0.5
    assert (log.ids, log.clusters) == (["it's", "b"], ["d", "d"])
    assert log.truncated is not None
    assert log.truncated.tolist() == [False, True]


@pytest.mark.parametrize("text", ["__import__('os').getcwd()", "{'em': open}", "{**{}}", "[" * 5000, "(1)"])
def test_a_printed_value_is_run_or_its_row_counts_without_scores(tmp_path: Path, text: str) -> None:
    path = printed_rows(tmp_path / "a.parquet", {"metrics": text})
    with pytest.raises(LogError, match="row 1, metrics: is no object"):
        read(path, OPTIONS)
