"""`export lm-eval-task`, `export inspect-task`: the rows are the prompts that are asked and their references, whatever stands in
them; what cannot be scored, run or written is said. The tools themselves: test_task_exports_run.py."""

from __future__ import annotations

import ast
import hashlib
import json
import shutil
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from scrollwork.exchange.task_files import inspect_files, lm_eval_files
from scrollwork.exchange.task_files.built_tasks import built_tasks
from scrollwork.exchange.task_files.data_files import TaskData
from scrollwork.exchange.task_files.lm_eval_files import group_settings
from scrollwork.flows.chains import Chain
from scrollwork.pipeline.source_digest import syntax_tree
from scrollwork.scoring.aggregate import combine
from scrollwork.scoring.outcome import GoldError, PredictionError
from scrollwork.scoring.registry import metric
from scrollwork.scoring.task_scorer import TaskScorer
from scrollwork.suites.outside_systems import task_like
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import CONFIG, SAMPLE
from tests.conftest import Call

KINDS = ("lm-eval-task", "inspect-task")
MODULES = {"lm-eval-task": "scrollwork_scores.py", "inspect-task": "scrollwork_tasks.py"}
HOSTILE = [
    '["a", "b"]',
    "{{ doc.references }}{% for a in b %}",
    "!function os.system",
    "&anchor *alias <<: {a: 1}\n---\n",
    '"""\\N{BULLET}\' + x',
    "C\tI \u2028\x85 \U0001f600 漢字 e\u0301",
    "attachment://0123 data:image/png;base64,AAAA",
]


def export(call: Call, kind: str, suite: str, out: Path, *more: str, status: int = 0) -> Any:
    done = call("--quiet", "--json", "export", kind, suite, *more, "--out", str(out))
    assert done[0] == status, done
    return json.loads(done[1]) if not status else done[2]


def settings_of(path: Path) -> dict[str, Any]:
    """A YAML file with the names of its functions."""

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!function", lambda loader, node: "!" + loader.construct_scalar(node))
    held: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader)
    return held


def table(folder: Path, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(folder / "data" / f"scrollwork_{name}.parquet").to_pylist()
    return rows


ASKED = {
    "zeroscrolls": (("--task", "qmsum", "--task", "musique"), ("qmsum", "musique"), "test"),
    "scrolls": (("--task", "quality", "--split", "validation"), ("quality",), "validation"),
    "seam": (("--task", "musique", "--task", "ecb_plus", "--runs", "2"), ("musique", "ecb_plus"), "test"),
}


@pytest.mark.parametrize("suite", ASKED)
def test_row_of_a_task_is_another_than_the_prompt_that_is_asked(call: Call, tmp_path: Path, suite: str) -> None:
    options, tasks, split = ASKED[suite]
    export(call, "prompts", suite, tmp_path / "prompts", "--sample", *options)
    for kind in KINDS:
        told = export(call, kind, suite, tmp_path / kind, "--sample", *options)
        assert told["tasks"] == [f"scrollwork_{suite}_{task}_{split}" for task in tasks]
        assert (told["lacking"], told["notes"]) == ([], [])
        count = 0
        for task in tasks:
            lines = (tmp_path / "prompts" / f"{task}-{split}.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
            rows = table(tmp_path / kind, f"{suite}_{task}_{split}")
            count += len(rows)
            for line, row in zip(map(json.loads, lines), rows, strict=True):
                assert row["prompt"].encode() == line["prompt"].encode()
                assert row["sha256"] == line["sha256"] == hashlib.sha256(row["prompt"].encode()).hexdigest()
                assert (row["references"], row["example_id"], row["run"]) == (
                    line["references"],
                    line["instance"],
                    line["run"],
                )
                assert row["id"] == (f"{line['instance']}_{line['run']}" if suite == "seam" else line["instance"])
            assert len({row["id"] for row in rows}) == len(rows), "ids identify rows"
            assert {row["split"] for row in rows} == {split}
        assert told["rows"] == count


def test_options_or_the_document_of_a_question_are_lost(call: Call, tmp_path: Path) -> None:
    export(call, "lm-eval-task", "zeroscrolls", tmp_path / "out", "--sample", "--task", "quality")
    rows = table(tmp_path / "out", "zeroscrolls_quality_test")
    assert all(len(row["options"]) == 4 for row in rows)
    assert all(option in row["prompt"] for row in rows for option in row["options"])
    held = Counter(row["document"] for row in rows)
    assert max(held.values()) > 1, "questions on one document have its digest"
    assert len(held) > 1


def hostile_meetings(folder: Path) -> None:
    """Raw meetings in which every text has what YAML, Jinja, Python and the tools would read as theirs."""
    path = folder / "qmsum/data/ALL/jsonl/test.jsonl"
    path.parent.mkdir(parents=True)
    meetings = [
        json.loads(line) for line in (SAMPLE / path.relative_to(folder)).read_text(encoding="utf-8").split("\n") if line
    ]
    for number, meeting in enumerate(meetings):
        meeting["meeting_transcripts"][0]["content"] = " ".join(HOSTILE)
        for place, query in enumerate(meeting["general_query_list"] + meeting["specific_query_list"]):
            query["answer"] = HOSTILE[(number + place) % len(HOSTILE)]
            query["query"] += " " + HOSTILE[(number + place + 1) % len(HOSTILE)]
    path.write_text("".join(json.dumps(meeting) + "\n" for meeting in meetings), encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_text_is_changed_or_stands_in_a_file_that_is_run(call: Call, tmp_path: Path, kind: str) -> None:
    hostile_meetings(tmp_path / "raw")
    asked = ("--raw", str(tmp_path / "raw"), "--task", "qmsum")
    export(call, "prompts", "zeroscrolls", tmp_path / "prompts", *asked)
    export(call, kind, "zeroscrolls", tmp_path / "out", *asked)
    lines = (tmp_path / "prompts/qmsum-test.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    rows = table(tmp_path / "out", "zeroscrolls_qmsum_test")
    assert [row["prompt"] for row in rows] == [json.loads(line)["prompt"] for line in lines]
    said = {reference for row in rows for reference in row["references"]}
    assert HOSTILE[0] in said
    assert HOSTILE[1] in said
    for path in (tmp_path / "out").rglob("*"):
        if path.suffix in (".py", ".yaml", ".md"):
            text = path.read_text(encoding="utf-8")
            assert not [one for one in HOSTILE if one in text], path.name
            assert str(tmp_path) not in text, "no path of this machine"


def scoring_in(module: str) -> list[ast.expr]:
    """The values that the module gives to scorers."""
    return [one.value for one in ast.walk(syntax_tree(module)) if isinstance(one, (ast.Assign, ast.keyword))]


def test_text_of_a_suite_file_is_run_as_code(call: Call, tmp_path: Path) -> None:
    """Its empty answer and the last words of its prompts stand in the modules."""
    chain = Chain(Request.of("seam", home=str(tmp_path / "home"), sample=True, tasks=("sci_co",), runs=1))
    (task,), _ = built_tasks(chain)
    for text in ('"""\nraise SystemExit\n"""', "'+exit()+'", "\\", "{{x}}", "{x}", "\n@task\ndef x(): 1"):
        scorer = replace(task.scorer, empty=text, cue=text)
        data = TaskData(replace(task, scorer=scorer), 1, {})
        one = lm_eval_files.module_text([data.task])
        inspect_files.write_tasks(chain.request, [data], tmp_path)
        two = (tmp_path / "scrollwork_tasks.py").read_text(encoding="utf-8")
        assert [value for value in scoring_in(one) if isinstance(value, ast.Constant) and value.value == text]
        given = [value for value in scoring_in(two) if isinstance(value, ast.Dict) and "'metric'" in ast.unparse(value)]
        assert [ast.literal_eval(value)["empty"] for value in given] == [text]
        assert two.count("\n@task\ndef") == 1


def test_task_without_its_functions_or_with_a_default_that_cuts_answers(call: Call, tmp_path: Path) -> None:
    export(call, "lm-eval-task", "seam", tmp_path / "out", "--sample", "--runs", "1", "--task", "sci_co")
    name = "scrollwork_seam_sci_co_test"
    held = settings_of(tmp_path / "out" / f"{name}.yaml")
    assert held["task"] == name
    assert held["generation_kwargs"] == {"until": [], "do_sample": True, "temperature": 0.8, "max_gen_toks": 500}
    assert (held["num_fewshot"], held["target_delimiter"], held["fewshot_delimiter"]) == (0, "", "")
    assert [one["metric"] for one in held["metric_list"]] == ["score", *metric("conll").COMPONENTS]
    spaces: dict[str, Any] = {"__file__": str(tmp_path / "out/scrollwork_scores.py")}
    exec((tmp_path / "out/scrollwork_scores.py").read_text(encoding="utf-8"), spaces)
    named = [value for value in (*held.values(), held["metric_list"][0]["aggregation"]) if str(value).startswith("!")]
    assert len(named) == 5
    for value in named:
        module, _, function = value[1:].partition(".")
        assert module == "scrollwork_scores"
        assert callable(spaces[function])
    row = table(tmp_path / "out", "seam_sci_co_test")[0]
    values = spaces[f"{name}_results"](row, [row["references"][0]])
    assert spaces[f"{name}_score"]([values["score"]]) == values["score"]["score"]
    assert spaces["prompt"](row) == row["prompt"]
    assert spaces["target"](row) == row["references"][0]


def test_environment_without_us_fails_without_a_word_of_it(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("--sample", "--task", "qmsum", "--limit", "1")
    monkeypatch.setitem(sys.modules, "scrollwork.scoring.task_scorer", None)  # importing it fails
    for kind in KINDS:
        export(call, kind, "zeroscrolls", tmp_path / kind, *asked)
        text = (tmp_path / kind / MODULES[kind]).read_text(encoding="utf-8")
        guarded = ast.unparse(next(one for one in syntax_tree(text).body if isinstance(one, ast.Try)))
        with pytest.raises(
            ImportError, match=r"which cannot be imported here \(.*task_scorer.*\): README.md beside this file"
        ):
            exec(guarded, {})


def test_average_is_promised_of_some_tasks(call: Call, tmp_path: Path) -> None:
    asked = ("--sample", "--task", "qmsum", "--limit", "1")
    export(call, "lm-eval-task", "zeroscrolls", tmp_path / "some", *asked)
    assert "aggregate_metric_list" not in settings_of(tmp_path / "some/scrollwork_zeroscrolls_test.yaml")
    assert "no average, which is over exactly these tasks" in (tmp_path / "some/README.md").read_text(encoding="utf-8")
    request = Request.of("zeroscrolls", home=str(call.home), sample=True, tasks=("qmsum",), limit=1)
    (task,), _ = built_tasks(Chain(request))
    whole = [replace(task, config=config) for config in request.config.tasks.values()]
    average = [{"metric": "score", "aggregation": "mean", "weight_by_size": False}]
    assert group_settings(request, "g", whole)["aggregate_metric_list"] == average
    assert "aggregate_metric_list" not in group_settings(request, "g", whole[1:])
    assert "aggregate_metric_list" not in group_settings(
        request, "g", [replace(one, arm="closed-book") for one in whole]
    )
    seam = Request.of("seam", home=str(call.home), sample=True, runs=1)
    whole = [replace(task, config=config) for config in seam.config.tasks.values()]
    assert "aggregate_metric_list" not in group_settings(seam, "g", whole), "its models are ranked"


def test_second_export_has_other_bytes_or_a_foreign_folder_is_replaced(call: Call, tmp_path: Path) -> None:
    asked = ("--sample", "--task", "qasper", "--limit", "3")
    for kind in KINDS:
        first = export(call, kind, "zeroscrolls", tmp_path / "out", *asked)["files"]  # also over the other kind's
        held = {name: Path(name).read_bytes() for name in first}
        assert export(call, kind, "zeroscrolls", tmp_path / "again", *asked)["rows"] == 3
        assert all(
            (tmp_path / "again" / Path(name).relative_to(tmp_path / "out")).read_bytes() == held[name] for name in held
        )
    (tmp_path / "out/mine.txt").write_text("x")
    said = export(call, "inspect-task", "zeroscrolls", tmp_path / "out", *asked, status=1)
    assert "holds files that are no export (mine.txt)" in said
    assert {name: Path(name).read_bytes() for name in held} == held
    (tmp_path / "file").write_text("x")
    assert "is a file" in export(call, "inspect-task", "zeroscrolls", tmp_path / "file", *asked, status=1)
    assert (tmp_path / "file").read_text() == "x"


def test_input_without_a_reference_gets_a_row_or_goes_unsaid(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "raw/quality/QuALITY.v1.0.1.htmlstripped.test"
    path.parent.mkdir(parents=True)
    articles = [
        json.loads(line)
        for line in (SAMPLE / path.relative_to(tmp_path / "raw")).read_text(encoding="utf-8").split("\n")
        if line
    ]
    for question in (question for article in articles for question in article["questions"]):
        del question["gold_label"]
    path.write_text("".join(json.dumps(article) + "\n" for article in articles), encoding="utf-8")
    asked = ("--raw", str(tmp_path / "raw"), "--task", "quality")
    said = export(call, "lm-eval-task", "zeroscrolls", tmp_path / "out", *asked, status=1)
    assert "no input can be scored: scrollwork_zeroscrolls_quality_test: 11 inputs: the references are private" in said
    assert not (tmp_path / "out").exists()
    shutil.copytree(SAMPLE / "qmsum", tmp_path / "raw/qmsum")
    said = export(call, "lm-eval-task", "zeroscrolls", tmp_path / "out", *asked, "--task", "qmsum", status=1)
    assert "lacking: scrollwork_zeroscrolls_quality_test: no input can be scored" in said
    assert "left out: scrollwork_zeroscrolls_quality_test: 11 inputs: the references are private" in said
    assert [one.name for one in (tmp_path / "out").glob("data/*")] == ["scrollwork_zeroscrolls_qmsum_test.parquet"]
    assert settings_of(tmp_path / "out/scrollwork_zeroscrolls_test.yaml")["task"] == [
        "scrollwork_zeroscrolls_qmsum_test"
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_windows_or_judged_answers_become_tasks(call: Call, tmp_path: Path, kind: str) -> None:
    said = export(call, kind, "dolce", tmp_path / "out", "--sample", "--task", "leval_quality", status=2)
    assert f"export {kind}: inputs of dolce are asked on many windows of their contexts" in said
    judges = ("--faithfulness", "stub:a", "--coverage", "stub:b")
    more = ("--sample", "--runs", "1", "--limit", "1", "--task", "fuse_reviews")
    done = call("--quiet", "export", kind, "seam", *more, *judges, "--out", str(tmp_path / "out"))
    assert done[0] == 2, done
    assert not (tmp_path / "out").exists()


def test_prompts_of_a_model_are_whole_or_their_tag_is_not_read(call: Call, tmp_path: Path) -> None:
    (tmp_path / "models.toml").write_text(
        '[c]\nprovider = "anthropic"\nid = "claude-x"\nvariant = "claude"\ncontext = 3000\ntokenizer = "words"\n'
    )
    asked = ("--sample", "--task", "qasper", "--limit", "2", "--models", str(tmp_path / "models.toml"), "--model", "c")
    export(call, "prompts", "zeroscrolls", tmp_path / "prompts", *asked)
    export(call, "lm-eval-task", "zeroscrolls", tmp_path / "out", *asked)
    lines = (tmp_path / "prompts/qasper-test.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    assert [row["prompt"] for row in table(tmp_path / "out", "zeroscrolls_qasper_test")] == [
        json.loads(one)["prompt"] for one in lines
    ]
    module = (tmp_path / "out/scrollwork_scores.py").read_text(encoding="utf-8")
    assert "tag='answer'" in module
    readme = (tmp_path / "out/README.md").read_text(encoding="utf-8")
    assert "--model c" in readme
    assert "models.toml" not in readme


REPLIES = (
    "",
    "the lamps of 12 towns",
    "Unanswerable",
    "the 12 lamps",
    "[[1, 2], [3]]",
    "60%",
    "(B)",
    "3, 1, 2",
    "{'is_answerable': True, 'answer_content': 'x'}",
)
GOLD = {
    "conll": "[[1,2],[3]]",
    "musique_output": '{"answer_content":"x","aliases":[],"is_answerable":true}',
    "es": "50%",
    "concordance": "1, 3, 2",
    "accuracy": "(B)",
    "fic_proxy": '{"alignments":["the lamps of 12 towns"],"highlights":[["the lamps of 12 towns"]]}',
}


@pytest.mark.parametrize(
    "name",
    ["rouge_geo", "f1", "em", "es", "concordance", "accuracy", "rouge_gm", "fic_proxy", "musique_output", "conll"],
)
def test_score_of_an_item_or_a_task_is_another_than_the_metrics(name: str) -> None:
    own = metric(name)
    references = [GOLD.get(name, "the lamps of 12 towns")]
    scorer = TaskScorer(name, own.VERSION)
    items = [scorer.item({"id": str(n), "run": 0, "references": references}, reply) for n, reply in enumerate(REPLIES)]
    outcomes = [own.score(reply, references) for reply in REPLIES]
    assert [{"run": 0, "score": one.value, **one.stored} for one in outcomes] == items
    whole = combine(own, outcomes)
    assert scorer.values(items) == {"score": whole.value, **whole.components}
    assert scorer.headline(items) == whole.value
    assert len({one.value for one in outcomes}) > 1


def test_runs_of_unequal_size_are_one_heap() -> None:
    scorer = TaskScorer("rouge_geo", metric("rouge_geo").VERSION)
    texts = ("one two three four", "one two", "six", "one two three")
    items = [
        scorer.item({"id": "", "run": run, "references": ["one two three four"]}, text)
        for run, text in zip((0, 1, 1, 1), texts, strict=True)
    ]
    each = [scorer.headline(items[:1]), scorer.headline(items[1:])]
    assert scorer.headline(items) == pytest.approx(sum(each) / 2, abs=1e-12)
    assert each[0] == pytest.approx(100)
    assert scorer.headline(items) != pytest.approx(scorer.headline([{**one, "run": 0} for one in items]))
    assert scorer.headline(items[::-1]) == scorer.headline(items)


def test_task_is_scored_by_another_version_or_without_an_answer() -> None:
    version = metric("f1").VERSION
    with pytest.raises(
        ValueError, match=rf"metric f1 of this scrollwork has version {version}, .* version {version + 1}"
    ):
        TaskScorer("f1", version + 1)
    with pytest.raises(ValueError, match="unknown metric"):
        TaskScorer("f0", 1)
    row = {"id": "q7", "run": 0, "references": ["x"]}
    scorer = TaskScorer("f1", version)
    with pytest.raises(PredictionError, match="row q7: the model's reply must be text, not NoneType"):
        scorer.item(row, None)
    with pytest.raises(GoldError, match="row q7: references must hold at least one text"):
        scorer.item({**row, "references": []}, "x")
    with pytest.raises(ValueError, match="f1: no item"):
        scorer.headline([])


def test_tag_cue_or_empty_answer_is_scored_as_text() -> None:
    version = metric("f1").VERSION
    row = {"id": "1", "run": 0, "references": ["No answer"]}
    assert TaskScorer("f1", version, empty="No answer").item(row, " ")["score"] == 100
    assert TaskScorer("f1", version).item(row, " ")["score"] == 0
    tagged = TaskScorer("f1", version, tag="answer")
    assert tagged.item({**row, "references": ["blue"]}, "it may be red <answer>blue</answer> so")["score"] == 100
    cued = TaskScorer("f1", version, cue="Answer:")
    assert cued.item({**row, "references": ["blue"]}, "Answer: blue")["score"] == 100


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("scrollwork_zeroscrolls_gov_report_test", "gov_report"),
        ("scrollwork_zeroscrolls_gov_report_validation", "gov_report"),
        ("scrollwork_zeroscrolls_govreport", ""),
        ("scrollwork_scrolls_gov_report_test", ""),
        ("zeroscrolls/gov_report", "gov_report"),
        ("gov_report_test", ""),
    ],
)
def test_log_of_an_exported_task_is_of_no_task_or_of_anothers(name: str, task: str) -> None:
    assert task_like(name, {"gov_report": 0, "qmsum": 0}, "zeroscrolls") == task


def test_two_tasks_get_one_name(call: Call, tmp_path: Path) -> None:
    """A Python name has no hyphen."""
    bundled = (CONFIG / "suites/zeroscrolls.toml").read_text(encoding="utf-8")
    task = bundled.partition("[task.qmsum]")[2].partition("[task.")[0]
    suite = (
        f'name = "twins"\ntitle = "Twins"\nextends = "zeroscrolls"\n[task.my-meetings]{task}[task.my_meetings]{task}'
    )
    (tmp_path / "twins.toml").write_text(suite, encoding="utf-8")
    asked = ("--raw", str(SAMPLE), "--limit", "1", "--task", "my-meetings")
    said = export(
        call, "inspect-task", str(tmp_path / "twins.toml"), tmp_path / "out", *asked, "--task", "my_meetings", status=2
    )
    assert "tasks my-meetings and my_meetings would both be scrollwork_twins_my_meetings_test" in said
    assert export(call, "inspect-task", str(tmp_path / "twins.toml"), tmp_path / "out", *asked)["rows"] == 1
