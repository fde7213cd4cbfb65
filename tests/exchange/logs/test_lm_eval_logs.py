"""Logs of lm-evaluation-harness: what it wrote against what the models really did, and each rule on rows made by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scrollwork.analysis.logs.log import Log, LogError, ReadOptions
from scrollwork.exchange.logs import json_pieces
from scrollwork.exchange.logs.lm_eval.reader import read, recognizes
from tests.exchange.logs.log_kit import (
    line,
    logs_of,
    number,
    results_file,
    rows_by_item,
    same,
    samples_file,
    sha,
    truth,
)

NONE = ReadOptions()
VERSIONS = ["lm_eval", "lm_eval_0.4.2"]
MODELS = ["alpha", "beta"]
RUNS = [
    ("lm_eval", "alpha"),
    ("lm_eval", "beta"),
    ("lm_eval", "gamma"),
    ("lm_eval_0.4.2", "alpha"),
    ("lm_eval_0.4.2", "beta"),
]


def written(shared: Path, tool: str, model: str, options: ReadOptions = NONE) -> dict[str, Log]:
    """The logs of one model by task."""
    folder = logs_of(shared, tool) / model
    assert recognizes(folder)
    return {log.task: log for log in read(folder, options)}


def one(path: Path, options: ReadOptions = NONE) -> Log:
    (log,) = read(path, options)
    return log


@pytest.mark.parametrize(("tool", "model"), RUNS)
def test_an_id_a_score_a_cluster_or_a_prompt_is_not_what_the_model_did(shared: Path, tool: str, model: str) -> None:
    logs = written(shared, tool, model, ReadOptions(cluster_field="doc.document_id"))
    known = truth(logs_of(shared, tool) / "truth_scores.csv", model)
    empty = json.loads((logs_of(shared, tool) / "truth_f1_nan_left_out.json").read_text(encoding="utf-8"))["nan"][model]
    assert logs.keys() == {"facts", "facts_mc", "facts_rep"}
    for task, exact, f1 in (
        ("facts", "exact,raw", "f1,raw"),
        ("facts_mc", "acc,none", ""),
        ("facts_rep", "exact,first", "f1,first"),
    ):
        log = logs[task]
        rows = rows_by_item(log)
        assert rows.keys() == known.keys()
        assert log.clusters is not None
        assert log.prompts is not None
        for item, row in rows.items():
            assert log.scores[exact][row] == number(known[item]["exact"])
            assert not f1 or same(log.scores[f1][row], math.nan if item[0] in empty else number(known[item]["f1"]))
            assert log.clusters[row] == known[item]["cluster"]
            assert log.prompts[row] == known[item]["prompt_sha256"]
        assert not log.failures
        assert not log.lower_is_better


@pytest.mark.parametrize(("tool", "model"), RUNS)
def test_a_mean_of_a_filter_is_not_the_one_that_lm_eval_wrote(shared: Path, tool: str, model: str) -> None:
    logs = written(shared, tool, model)
    (results,) = (logs_of(shared, tool) / model).rglob("results*.json")
    held = json.loads(results.read_text(encoding="utf-8"))["results"]
    checked = 0
    for task, log in logs.items():
        wanted = {name for name in held[task] if "," in name and "_stderr" not in name}
        assert log.scores.keys() == wanted
        for metric in wanted:
            if not math.isnan(held[task][metric]):
                assert np.nanmean(log.scores[metric]) == pytest.approx(held[task][metric], abs=1e-12)
                checked += 1
    assert checked >= 7


def test_digests_of_documents_differ_between_versions(shared: Path) -> None:
    for model in MODELS:
        new, old = (written(shared, tool, model)["facts"] for tool in VERSIONS)
        assert list(new.contents or ()) == list(old.contents or ()) != []
        assert list(new.prompts or ()) == list(old.prompts or ())
    alpha, beta = (written(shared, "lm_eval", model)["facts"] for model in MODELS)
    assert len(set(alpha.contents or ()) & set(beta.contents or ())) == 55  # two of 57 have an edited prompt


def test_the_model_or_its_settings_are_not_those_of_the_run(shared: Path) -> None:
    log = written(shared, "lm_eval", "alpha")["facts_rep"]
    assert log.model == "world, pretrained=ours/alpha,who=alpha"
    assert log.settings["temperature"] == "0.7"
    assert log.settings["random_seed"] == "0"
    assert log.settings["task version"] == "2.0"
    assert log.settings["num_fewshot"] == "0"
    assert log.settings["lm_eval_version"] == "0.4.13"
    assert 'items are identified by "doc.id"' in log.notes
    assert any(note.startswith("3 answers to each document") for note in log.notes)


def test_nan_is_a_score_or_is_not_told(shared: Path) -> None:
    log = written(shared, "lm_eval", "beta")["facts"]
    assert "f1,raw: NaN in 4 rows: no score of an item" in log.notes


def test_a_cut_line_is_silent_or_takes_the_others_with_it(shared: Path) -> None:
    path = logs_of(shared, "spoiled") / "lmeval_cut.jsonl"
    log = one(path)
    whole = json.loads((path.parent / "truth.json").read_text(encoding="utf-8"))["lmeval_cut"]["lines_whole"]
    assert sum(int(np.isfinite(log.scores[f"exact,{name}"]).sum()) for name in ("raw", "first-word")) == whole
    assert f"line {whole + 1}, the last, is cut and was left out" in log.notes


def test_rows_saved_twice_are_averaged_or_dropped(shared: Path) -> None:
    path = logs_of(shared, "spoiled") / "lmeval_doubled.jsonl"
    log = one(path)
    told = json.loads((path.parent / "truth.json").read_text(encoding="utf-8"))["lmeval_doubled"]
    assert log.ids is not None
    rows = [row for row, name in enumerate(log.ids) if name == told["id"]]
    assert len(rows) == told["copies"]
    assert sorted(log.scores["exact,raw"][rows]) == [0.0, 1.0, 1.0]
    assert any(note.startswith("2 rows have the doc_id and the filter of an earlier row") for note in log.notes)


def test_a_file_of_a_folder_is_read_otherwise_than_alone(shared: Path) -> None:
    folder = logs_of(shared, "lm_eval") / "alpha" / "ours__alpha"
    (results,) = folder.glob("results*.json")
    assert recognizes(results)
    assert [log.task for log in read(results, NONE)] == ["facts", "facts_mc", "facts_rep"]
    assert one(folder / results.name.replace("results_", "samples_facts_").replace(".json", ".jsonl")).task == "facts"
    assert not recognizes(logs_of(shared, "inspect") / "plain")
    assert not any(recognizes(file) for file in (logs_of(shared, "helm") / "runs").rglob("*.json"))
    assert not recognizes(folder / "absent.jsonl")


# ---- rows made by hand


def test_a_line_separator_in_a_text_ends_a_line(tmp_path: Path) -> None:
    names = ["a\u2028b", "c\u0085d", "e\x0cf\x1c", "g\r"]
    log = one(samples_file(tmp_path, *(line(place, name, acc=1.0) for place, name in enumerate(names))))
    assert log.ids == names
    assert log.prompts == [sha(f"? {name}") for name in names]


@pytest.mark.parametrize(
    ("value", "score"),
    [(1, 1.0), (True, 1.0), (0.25, 0.25), (math.nan, None), (math.inf, None), (None, None), ("0.5", None),
     ([-5.0, 3], None), ({"a": 1}, None), (10**400, None)],
)  # fmt: skip
def test_a_value_has_another_score_than_its_rule_says(tmp_path: Path, value: Any, score: float | None) -> None:
    log = one(samples_file(tmp_path, line(0, "a", acc=1.0), line(1, "b", acc=value)))
    assert log.scores["acc,none"][0] == 1.0
    if score is None:
        assert math.isnan(log.scores["acc,none"][1])
        assert list(log.failures) == [1]
        assert any("in 1 row: no score of an item" in note for note in log.notes)
    else:
        assert log.scores["acc,none"][1] == score
        assert not log.failures


def test_a_value_of_the_whole_corpus_is_compared_by_items(tmp_path: Path) -> None:
    values = {"word_perplexity": [-5.0, 3], "bleu": 0.5, "acc": 1.0, "ours": 2.0, "perplexity": -3.0}
    path = samples_file(tmp_path, *(line(place, f"q{place}", **values) for place in (0, 1)))
    assert one(path).scores.keys() == {"acc,none", "ours,none", "bleu,none"}
    stated = {"bleu": "bleu", "ours": "def f(x)", "acc": "mean"}
    results_file(tmp_path, metrics=[{"metric": name, "aggregation": how} for name, how in stated.items()])
    log = one(path)
    assert log.scores.keys() == {"acc,none"}
    for name, how in (("bleu", "bleu"), ("perplexity", "perplexity")):
        assert f"{name}: left out, its value is no mean of items' scores (aggregation: {how})" in log.notes
    other = "ours: left out, the mean of its items' scores is not its value in the results (function f of the task)"
    assert other in log.notes
    assert "word_perplexity,none: a list in 2 rows: no score of an item" in log.notes
    only = samples_file(tmp_path / "only", line(0, "a", perplexity=0.5))
    with pytest.raises(LogError, match=r"no metric has scores of items\. perplexity: left out"):
        read(only, NONE)


def test_a_mean_is_left_out_because_a_function_of_the_task_takes_it(tmp_path: Path) -> None:
    metrics = [
        {"metric": "ours", "aggregation": "def average(items):\n    return sum(items) / len(items)"},
        {"metric": "theirs", "aggregation": "<function largest at 0x7f>"},
        {"metric": "pairs", "aggregation": "def of_pairs(items):\n    return 0.5"},
    ]
    rows = [line(place, f"q{place}", ours=place / 2, theirs=place / 2, pairs=[1, 0], acc=1.0) for place in (0, 1)]
    path = samples_file(tmp_path, *rows)
    results_file(
        tmp_path, metrics=metrics, results={"facts": {"ours,none": 0.25, "theirs,none": 0.5, "pairs,none": 0.5}}
    )
    log = one(path)
    assert log.scores.keys() == {"ours,none", "acc,none"}
    assert log.notes[:2] == [
        "theirs: left out, the mean of its items' scores is not its value in the results (function largest of the task)",
        "pairs: left out, its value is no mean of items' scores (aggregation: function of_pairs of the task)",
    ]


def test_the_mark_of_another_length_is_a_score(tmp_path: Path) -> None:
    source = "def aggregate(items):\n    return mean_without_marks(items)"
    metrics = [{"metric": name, "aggregation": source} for name in ("4096", "8192", "16384")]
    rows = [
        line(place, f"q{place}", **{"4096": short, "8192": long, "16384": -1.0}, loss=-1.0)
        for place, (short, long) in enumerate(((1.0, -1.0), (0.5, -1.0), (-1.0, 0.25)))
    ]
    path = samples_file(tmp_path, *rows)
    means = {"4096,none": 0.75, "8192,none": 0.25, "16384,none": -1}
    for known in (True, False):
        if known:
            results_file(tmp_path, metrics=metrics, results={"facts": means})
        else:
            (tmp_path / "results_2026-11-22T13-46-41.466554.json").unlink()
        log = one(path)
        assert {name: np.nan_to_num(column, nan=9).tolist() for name, column in log.scores.items()} == {
            "4096,none": [1.0, 0.5, 9.0], "8192,none": [9.0, 9.0, 0.25], "loss,none": [-1.0] * 3,
        }  # fmt: skip
        assert not [note for note in log.notes if "no score" in note or "left out" in note]
        assert not log.failures


@pytest.mark.parametrize("array", [True, False])
def test_samples_named_json_are_not_found(tmp_path: Path, array: bool) -> None:
    rows = [line(place, f"q{place}", acc=float(place)) for place in (0, 1)]
    path = samples_file(tmp_path / "m", *rows, name="samples_facts_2024-06-17T17-37-25.144953.json")
    if array:
        path.write_text(json.dumps(rows, indent=2), encoding="utf-8")
    results = results_file(tmp_path / "m", "results_2024-06-17T17-37-25.144953.json", config={"model": "hf"})
    for given in (path, results, tmp_path / "m", tmp_path):
        assert recognizes(given)
        log = one(given)
        assert (log.task, log.model, log.scores["acc,none"].tolist()) == ("facts", "hf", [0.0, 1.0])


def test_f1_of_the_corpus_and_f1_of_items_are_the_same(tmp_path: Path) -> None:
    path = samples_file(tmp_path, line(0, "a", f1=0.5, acc=1.0))
    for stated, kept in (({}, True), ({"aggregation": "nanmean"}, True), ({"aggregation": "f1"}, False)):
        results_file(tmp_path, metrics=[{"metric": "f1"} | stated])
        assert ("f1,none" in one(path).scores) == kept
    assert "f1,none" not in one(samples_file(tmp_path / "b", line(0, "a", f1=[1, 0], acc=1.0))).scores


def test_low_values_that_are_good_count_as_bad(tmp_path: Path) -> None:
    rows = [line(0, "a", chosen, loss=0.5, acc=1.0) for chosen in ("one", "two")]
    path = samples_file(tmp_path, *rows)
    results_file(tmp_path, higher_is_better={"facts": {"loss": False, "acc": True}})
    assert one(path).lower_is_better == {"loss,one", "loss,two"}
    results_file(tmp_path, metrics=[{"metric": "loss", "aggregation": "mean", "higher_is_better": False}])
    assert one(path).lower_is_better == {"loss,one", "loss,two"}


def test_two_runs_in_a_folder_share_their_settings(tmp_path: Path) -> None:
    for hour, seed in ((13, 1), (14, 2)):
        time = f"2026-11-22T{hour}-46-41.466554"
        samples_file(tmp_path / "m", line(0, "a", acc=float(seed)), name=f"samples_fa_cts_{time}.jsonl")
        results_file(tmp_path / "m", f"results_{time}.json", config={"model": "hf", "random_seed": seed})
    logs = read(tmp_path, NONE)
    assert [(log.task, log.settings["random_seed"], log.scores["acc,none"].tolist()) for log in logs] == [
        ("fa_cts", "1", [1.0]), ("fa_cts", "2", [2.0]),
    ]  # fmt: skip
    assert [log.scores["acc,none"][0] for log in read(tmp_path / "m" / f"results_{time}.json", NONE)] == [2.0]


def test_a_task_is_named_by_its_file_where_characters_were_replaced(tmp_path: Path) -> None:
    path = samples_file(tmp_path, line(0, acc=1.0), name="samples_my_task_2026-11-22T13-46-41.466554.jsonl")
    assert one(path).task == "my_task"
    results_file(tmp_path, configs={"other": {}, "my-task": {"metric_list": []}})
    assert one(path).task == "my-task"


@pytest.mark.parametrize(
    ("documents", "field", "ids"),
    [
        ([{"id": "a", "pid": "p"}, {"id": "b", "pid": "q"}], "id", ["a", "b"]),
        ([{"id": "a", "pid": 1}, {"id": "a", "pid": 2}], "pid", ["1", "2"]),
        ([{"_id": "x", "qid": 5}, {"_id": "y"}], "_id", ["x", "y"]),
        ([{"id": "a"}, {"question_id": "b"}], "", None),
        ([{"id": ""}, {"id": "b"}], "", None),
        (["text", {"id": "b"}], "", None),
        ([{"id": True}, {"id": False}], "", None),
    ],
)
def test_a_field_that_is_not_in_each_document_identifies_them(
    tmp_path: Path, documents: list[Any], field: str, ids: list[str] | None
) -> None:
    log = one(samples_file(tmp_path, *(line(place, doc=doc, acc=1.0) for place, doc in enumerate(documents))))
    assert log.ids == ids
    assert log.positions == ["0", "1"]
    said = f'items are identified by "doc.{field}"' if field else "no field of the documents identifies them"
    assert any(note.startswith(said) for note in log.notes)


def test_a_field_that_the_user_named_is_ignored_where_a_row_lacks_it(tmp_path: Path) -> None:
    rows = [line(0, doc={"id": "a", "x": {"y": 7}}, acc=1.0), line(1, doc={"id": "b"}, acc=1.0)]
    assert one(samples_file(tmp_path / "a", rows[0]), ReadOptions("doc.x.y", "target")).ids == ["7"]
    path = samples_file(tmp_path / "b", *rows)
    assert one(tmp_path / "a", ReadOptions("x.y", "id")).clusters == ["a"], "of its document"
    shadowed = samples_file(tmp_path / "c", line(0, doc={"doc_id": "of the data set"}, acc=1.0))
    assert one(shadowed, ReadOptions(cluster_field="doc_id")).clusters == ["0"], "the row's own comes first"
    for options in (ReadOptions(id_field="doc.x.y"), ReadOptions(cluster_field="doc.x.y")):
        with pytest.raises(LogError, match=r'line 2: field "doc\.x\.y" is missing; the document has doc\.id'):
            read(path, options)


def test_filters_make_rows_of_their_own_or_take_those_of_another_document(tmp_path: Path) -> None:
    rows = [
        line(place, f"q{place}", chosen, acc=float(place == 1) + extra)
        for extra, chosen in ((0, "a"), (5, "b"))
        for place in (1, 0)
    ]
    log = one(samples_file(tmp_path, *rows[:3]))
    assert log.ids == ["q1", "q0"]
    assert log.scores["acc,a"].tolist() == [1.0, 0.0]
    assert log.scores["acc,b"].tolist() == [6.0, pytest.approx(math.nan, nan_ok=True)]


def test_filters_without_a_name_are_not_those_of_the_task(tmp_path: Path) -> None:
    rows = [line(place, f"q{place}", acc=value) for value, place in ((1.0, 0), (2.0, 1), (3.0, 0), (4.0, 1))]
    bare = [{key: value for key, value in row.items() if key not in ("filter", "metrics")} for row in rows]
    path = tmp_path / "hf_pretrained=x_my_facts.jsonl"
    path.write_text(json.dumps(bare, indent=2))
    results_file(tmp_path, "results.json", task={"filter_list": [{"name": "raw"}, {"name": "word"}]})
    log = one(path)
    assert log.task == "facts"
    results_file(tmp_path, "results.json", configs={"facts": {}, "my-facts": {}, "acts": {}})
    assert one(path).task == "my-facts"
    assert {name: column.tolist() for name, column in log.scores.items()} == {
        "acc,raw": [1.0, 2.0],
        "acc,word": [3.0, 4.0],
    }
    path.write_text(json.dumps(bare, indent=2)[:-40])
    with pytest.raises(LogError, match=r"character .*cut"):
        read(path, NONE)


@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n  \n"])
def test_a_line_that_is_no_json_is_dropped_silently(tmp_path: Path, end: bytes) -> None:
    path = samples_file(tmp_path, line(0, "a", acc=1.0), line(1, "b", acc=1.0))
    data = path.read_bytes()
    path.write_bytes(data[:-30] + end)
    if not end:
        assert "line 2, the last, is cut and was left out" in one(path).notes
    else:
        with pytest.raises(LogError, match="line 2: is not JSON"):
            read(path, NONE)
    first = data.index(b"\n")
    path.write_bytes(data[: first - 9] + data[first:])
    with pytest.raises(LogError, match="line 1: is not JSON"):
        read(path, NONE)


@pytest.mark.parametrize("row", [{"x": 1}, {"doc_id": None}, {"doc_id": True}, [1], 7], ids=str)
def test_a_row_without_doc_id_is_dropped_silently(tmp_path: Path, row: Any) -> None:
    path = samples_file(tmp_path, line(0, "a", acc=1.0), row)
    with pytest.raises(LogError, match='line 2: field "doc_id" is missing'):
        read(path, NONE)


def test_a_line_without_end_fills_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_pieces, "MOST_VALUE", 1000)
    path = samples_file(tmp_path, line(0, "a", acc=1.0), line(1, "b" * 2000, acc=1.0))
    with pytest.raises(LogError, match="line 2: has more than 1,000 bytes"):
        read(path, NONE)


def test_a_secret_in_the_arguments_of_a_model_is_shown(tmp_path: Path) -> None:
    path = samples_file(tmp_path, line(0, acc=1.0))
    for told in ("model=x,api_key=abc123,chat", {"model": "x", "api_key": "abc123", "chat": True}):
        results_file(tmp_path, config={"model": "api", "model_args": told})
        model = one(path).model
        assert model.startswith("api, model=x,api_key=...,chat")
    assert one(samples_file(tmp_path / "folder", line(0, acc=1.0))).model == "folder"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"results": 1}'])
def test_a_damaged_results_file_stops_with_another_error(tmp_path: Path, text: str) -> None:
    path = samples_file(tmp_path, line(0, acc=1.0))
    beside = results_file(tmp_path)
    beside.write_text(text)
    with pytest.raises(LogError, match=r"results_2026.*move"):
        read(path, NONE)
    assert not recognizes(beside)


def test_a_missing_results_file_or_missing_documents_are_not_told(tmp_path: Path) -> None:
    path = samples_file(tmp_path, line(0, acc=1.0))
    assert one(path).notes[0].startswith("results_2026-11-22T13-46-41.466554.json is not beside the samples")
    results_file(tmp_path, **{"n-samples": {"facts": {"original": 60, "effective": 20}}})
    assert "1 of 20 documents are in the file" in one(path).notes


def test_fields_in_another_order_or_a_byte_order_mark_hide_a_log(tmp_path: Path) -> None:
    path = samples_file(tmp_path, dict(sorted(line(0, "a", acc=1.0).items())))
    assert recognizes(path)
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(line(0, "a", acc=1.0)).encode() + b"\r\n")
    assert one(path).ids == ["a"]
    path.write_text('{"id": "a", "score": 1}\n')
    assert not recognizes(tmp_path)
    with pytest.raises(LogError, match="--log_samples"):
        read(tmp_path, NONE)


def test_a_task_without_scores_of_items_hides_the_others_of_its_run(tmp_path: Path) -> None:
    """A run of several tasks, one of perplexity: the others can be compared."""
    samples_file(tmp_path, line(em=1), line(1, "q2", em=0))
    other = line() | {"metrics": ["word_perplexity"], "word_perplexity": [-3.5, 4]}
    bad = samples_file(tmp_path, other, name="samples_wikitext_2026-11-22T13-46-41.466554.jsonl")
    (log,) = read(tmp_path, NONE)
    assert any(note.startswith("not read: ") and bad.name in note for note in log.notes)
    with pytest.raises(LogError, match="no metric has scores of items"):
        read(bad, NONE)


@pytest.mark.parametrize("data", [b"", b"\x00\x01garbage", b'{"cut'])
def test_an_empty_or_broken_samples_file_of_a_run_is_passed_over_silently(tmp_path: Path, data: bytes) -> None:
    samples_file(tmp_path, line(em=1), line(1, "q2", em=0))
    bad = tmp_path / "samples_other_2026-11-22T13-46-41.466554.jsonl"
    bad.write_bytes(data)
    (log,) = read(tmp_path, NONE)
    assert any(note.startswith("not read: ") and bad.name in note for note in log.notes)


def test_a_results_file_of_another_name_is_not_found(tmp_path: Path) -> None:
    """`--output_path res.json` leaves res_TIME.json (0.4.13)."""
    path = samples_file(tmp_path, line(em=1), line(1, "q2", em=0))
    beside = results_file(tmp_path, "res_2026-11-22T13-46-41.466554.json", config={"model": "hf", "model_args": "a=b"})
    (tmp_path / "other_2026-11-22T13-46-41.466554.json").write_text("[]")
    assert recognizes(beside)
    for given in (tmp_path, path, beside):
        (log,) = read(given, NONE)
        assert log.model == "hf, a=b"
        assert not any("is not beside the samples" in note for note in log.notes)
