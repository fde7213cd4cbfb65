"""A suite file from anywhere: --suite FILE, what its home keeps of it, what is refused."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from scrollwork.flows.parameters import OF_RUN, parameters_of
from scrollwork.suites.request import Request
from tests.conftest import PROJECT, Call, Scrollwork

DOCS = (PROJECT / "docs" / "plugins.md").read_text(encoding="utf-8")
INLINE = ("--engine", "inline", "--quiet")


def block(before: str) -> str:
    """The block of the document behind a line."""
    return DOCS.partition(f"{before}:\n\n```")[2].partition("\n")[2].partition("```")[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The example of the document, written down as it says."""
    for name in ("harbour.toml", "raw/harbour/keepers.test.jsonl", "raw/harbour/tides.test.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block(f"`{name}`"), encoding="utf-8")
    return tmp_path


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def states(call: Call, *arguments: str) -> dict[str, str]:
    status, out, err = call("plan", "--json", *arguments)
    assert status == 0, err
    return {f"{row['stage']} {row['task']} {row['model']}": row["state"] for row in json.loads(out)}


RUN = ("--suite", "harbour.toml", "--raw", "raw", "--model", "naive", "--model", "bm25")


def test_example_of_the_document_does_not_run(call: Call, folder: Path) -> None:
    commands = [
        line.split()[1:]
        for line in re.findall(r"^    (scrollwork .*)$", DOCS.partition("## An example")[0], re.MULTILINE)
    ]
    assert [one[0] for one in commands] == ["build", "run", "report"]
    for command in commands:
        inline = [] if command[0] == "report" else ["--engine", "inline"]
        status, out, err = call(*command, *inline)
        assert status == 0, err
    assert "Harbour" in out
    assert (call.home / "reports" / "harbour.html").is_file()
    status, out, _ = call("run", *RUN, *INLINE, "--json")
    found = json.loads(out)
    values = {(row["task"], row["model"]): row["value"] for row in found["tasks"]}
    assert values["tides", "bm25"] == 100.0
    assert set(values) == {(task, model) for task in ("keepers", "tides") for model in ("naive", "bm25")}
    assert found["averages"]["bm25"] == (values["keepers", "bm25"] + values["tides", "bm25"]) / 2


def test_changed_file_leaves_what_it_decides_or_takes_the_rest_with_it(call: Call, folder: Path) -> None:
    assert call("run", *RUN, *INLINE)[0] == 0
    assert set(states(call, *RUN).values()) == {"reused"}
    change(folder / "harbour.toml", "the letter alone.", "the letter.")
    stale = {name for name, state in states(call, *RUN).items() if state != "reused"}
    assert {name.split()[1] for name in stale} == {"tides", "None"}  # None: of all tasks
    assert not {name for name in stale if name.startswith(("curate", "sample"))}
    change(folder / "harbour.toml", "the letter.", "the letter alone.")
    change(folder / "harbour.toml", "#:schema", "# another comment, #:schema")
    assert set(states(call, *RUN).values()) == {"reused"}


def test_home_whose_suite_file_is_gone_cannot_be_read(call: Call, folder: Path) -> None:
    assert call("run", *RUN, *INLINE)[0] == 0
    (folder / "harbour.toml").unlink()
    status, out, err = call("report", "harbour", "--format", "csv", "--out", "board.csv")
    assert (status, err.count("error")) == (0, 0), err
    assert "keepers" in (folder / "board.csv").read_text()
    assert call("verify")[0] == 0
    status, out, _ = call("status", "--json")
    assert [run["suite"] for run in json.loads(out)["runs"]] == ["harbour"]
    status, _, err = call("plan", "harbour", "--raw", "raw")
    assert status == 2
    (copy,) = (call.home / "suites").iterdir()
    assert f"this home ran it from {folder / 'harbour.toml'}, and has a copy: --suite {copy}" in err
    assert set(states(call, "--suite", str(copy), *RUN[2:]).values()) == {"reused"}
    copy.unlink()
    status, _, err = call("report", "harbour")
    assert (status, "is not in this home any more" in err) == (2, True)


def test_moved_file_is_another_suite(call: Call, folder: Path) -> None:
    assert call("run", *RUN, *INLINE)[0] == 0
    (folder / "elsewhere").mkdir()
    shutil.move(folder / "harbour.toml", folder / "elsewhere" / "h.toml")
    moved = ("--suite", "elsewhere/h.toml", *RUN[2:])
    assert set(states(call, *moved).values()) == {"reused"}
    assert call("run", *moved, *INLINE)[0] == 0
    _, out, _ = call("report", "harbour")
    assert "elsewhere" not in out
    assert out.count("naive") == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "harbour"', 'name = "scrolls"', "name 'scrolls' is that of a suite of scrollwork"),
        ('name = "harbour"', 'name = "../harbour"', "name '../harbour': letters, digits"),
        ("[task.tides]", '[task."a.b"]', "a task's name has letters, digits"),
        ("harbour/tides.", "../tides.", "leads out of the raw folder"),
        ("harbour/tides.", "/etc/tides.", "leads out of the raw folder"),
        ('{ test = "test" }\nraw.records = ["harbour/tides', '{ test = "../test" }\nraw.records = ["harbour/{split}/tides', "leads out of"),
        ("seed = 0", "seed = 'x'", "seed must be a whole number, not 'x'"),
        ("seed = 0", "sed = 0", "unknown key 'sed'; .*; did you mean 'seed'"),
        ('"jsonl"', '"jsonll"', r"\[task.keepers\]: dataset 'jsonll' is none of .*; did you mean 'jsonl'"),
        ('metric = "f1"', 'metric = "f1_scrols"', r"\[task.keepers\]: metric 'f1_scrols' is none of .* mean 'f1_scrolls'"),
        ("seed = 0", "seed = ", "is not TOML"),
        ("seed = 0", 'seed = 0\nlayout = [["instruction"], ["query"]]', r"harbour\.toml: layout has no 'documents'"),
        ("[task.keepers]", '[prompts.short]\nlayout = [["query"]]\n[task.keepers]', r"\[prompts\.short\]: layout has no"),
        ('default_splits = ["test"]', 'default_splits = ["tests"]', "default_splits 'tests' is none of"),
    ],
)  # fmt: skip
def test_wrong_suite_file_is_a_traceback_or_passes(call: Call, folder: Path, old: str, new: str, said: str) -> None:
    change(folder / "harbour.toml", old, new)
    status, out, err = call("run", *RUN, *INLINE)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert re.search(said, err)
    assert str(folder / "harbour.toml") in err or "leads out" in err


def test_option_that_leads_out_of_the_raw_folder_is_followed(call: Call, tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    status, _, err = call(
        "plan", "zeroscrolls", "--raw", "raw", "--task", "squality", "--set", "squality.release=../../x"
    )
    assert (status, "leads out of the raw folder" in err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "zeroscrolls", "--suite", "harbour.toml", "--model", "naive"), "'zeroscrolls' beside --suite FILE"),
        (("plan", "--suite", "none.toml"), "none.toml: the suite file cannot be read (No such file or directory)"),
        (("plan", "--suite", "raw"), "raw: the suite file cannot be read"),
        (("plan", "nowhere"), "there is no suite 'nowhere'; there are: dolce, scrolls, seam, zeroscrolls; a file of your own: --suite FILE"),
        (("plan", "--suite"), "expected one argument"),
        (("plan", "--suite", "harbour.toml", "--suite", "harbour.toml"), "given twice"),
        (("run", "--suite", "harbour.toml", "--raw", "raw", "--model", "same-head"), "model 'same-head' is defined for seam only"),
    ],
)  # fmt: skip
def test_wrong_call_with_a_suite_file_passes(call: Call, folder: Path, arguments: tuple[str, ...], said: str) -> None:
    status, _, err = call(*arguments)
    assert (status, said in err) == (2, True), err


@pytest.mark.slow
def test_key_free_baseline_does_not_answer_a_task_that_nobody_knew(call: Call, folder: Path) -> None:
    kinds = {"summarization": "rouge_geo", "qa": "f1", "nli": "em", "aggregation": "es"}
    task = block("`harbour.toml`").partition("[task.keepers]\n")[2].partition("\n[task")[0]
    text = block("`harbour.toml`").partition("[task.keepers]")[0]
    for kind, metric in kinds.items():
        own = task.replace('kind = "qa"', f'kind = "{kind}"').replace('metric = "f1"', f'metric = "{metric}"')
        text += f"[task.{kind}]\n{own}\n"
    (folder / "harbour.toml").write_text(text)
    names = ("naive", "lead", "lexrank", "bm25", "oracle")
    models = [part for name in names for part in ("--model", name)]
    record = json.loads(block("`raw/harbour/keepers.test.jsonl`").splitlines()[0])
    options = {"options": ["Mira", "Tom"], "references": ["Mira"]}
    (folder / "raw/harbour/keepers.test.jsonl").write_text(
        "\n".join(json.dumps({**record, "id": i, **options}) for i in range(3)).replace('"Mira"]', '"Mira"]')
    )
    status, out, err = call(
        "run", *RUN[:4], *models, *INLINE, "--json", "--task", "summarization", "--task", "qa", "--task", "nli"
    )
    assert status == 0, err
    asked = {(row["task"], row["model"]) for row in json.loads(out)["tasks"]}
    assert {model for task, model in asked if task == "nli"} == {"naive", "lead", "lexrank", "bm25"}
    assert {model for task, model in asked if task == "qa"} == set(names)
    values = {(row["task"], row["model"]): row["value"] for row in json.loads(out)["tasks"]}
    assert values["nli", "bm25"] == 100.0
    assert 0 < values["nli", "naive"] < 100  # by chance, over twenty seeds
    own = folder / "mine.toml"
    own.write_text(
        '[mine]\nprovider = "extractive"\nrules.qa = { fixed = "Mira" }\nrules.rest = { nli = { fixed = "Tom" } }\n'
    )
    status, out, err = call("run", *RUN[:4], "--models", "mine.toml", "--model", "mine", *INLINE, "--json")
    assert {row["task"]: row["value"] for row in json.loads(out)["tasks"]} == {"qa": 100.0, "nli": 0.0}, err


@pytest.mark.slow
def test_other_commands_lose_the_suite(call: Call, folder: Path) -> None:
    assert call("run", *RUN, *INLINE)[0] == 0
    for command in (
        ("export", "prompts", *RUN[:4], "--out", "prompts"),
        ("export", "hf", *RUN[:4], "--out", "hf"),
        ("export", "lm-eval", *RUN[:4], "--model", "bm25", "--out", "lm"),
        ("export", "eee", *RUN[:4], "--model", "bm25", "--out", "eee"),
        ("export", "submission", *RUN[:4], "--model", "bm25", "--out", "sub"),
        ("estimate", *RUN),
        ("report", "--suite", "harbour.toml", "--out", "page.html"),
    ):
        status, _, err = call(*command)
        assert status == 0, (command, err)
    answers = folder / "keepers.json"
    answers.write_text(json.dumps({"k1": "Mira", "k2": "Orrin"}))
    score: Any = call(
        "score", *RUN[:4], "--predictions", "keepers.json", "--name", "theirs", "--task", "keepers", *INLINE, "--json"
    )
    assert score[0] == 0, score[2]
    assert json.loads(score[1])["tasks"][0]["value"] == 100.0
    assert call("verify")[0] == 0


@pytest.mark.parametrize("left_out", ["context_header", "query_header", "instruction", "response_header"])
def test_task_without_one_of_its_texts_is_not_exported(call: Call, folder: Path, left_out: str) -> None:
    text = (folder / "harbour.toml").read_text(encoding="utf-8")
    kept = re.sub(rf"^{left_out} = .*\n", "", text, flags=re.MULTILINE)
    (folder / "harbour.toml").write_text(kept, encoding="utf-8")
    assert call("build", *RUN[:4], *INLINE)[0] == 0
    status, _, err = call("export", "hf", *RUN[:4], "--out", "hf")
    assert (status, err) == (0, "")
    rows = pq.read_table(folder / "hf" / "keepers").to_pylist()
    if left_out == "response_header":
        assert set(rows[0]) == {"id", "pid", "input", "output"}
        return
    for row in rows:
        assert row["input"][row["document_start_index"] :].startswith(("Mira kept", "The bell"))
        asked = row["input"][row["query_start_index"] : row["query_end_index"]]
        assert re.fullmatch(r"(Question:\n)?W[^?]*\?", asked)


def test_flow_is_told_the_name_of_a_suite_that_it_cannot_find(folder: Path) -> None:
    request = Request.of(
        "harbour.toml" if Path.cwd() == folder else str(folder / "harbour.toml"), home="h", raw=str(folder / "raw")
    )
    parameters = parameters_of(request, OF_RUN)
    assert parameters["suite"] == str(folder / "harbour.toml")
    assert "suite_file" not in parameters
    again = Request.of(**{**parameters, "store": ""})
    assert (again.suite, again.suite_file) == ("harbour", request.suite_file)


@pytest.mark.slow
def test_stages_under_prefect_do_not_find_the_suite(scrollwork: Scrollwork, folder: Path) -> None:
    file, raw = str(folder / "harbour.toml"), str(folder / "raw")
    done = scrollwork("run", "--suite", file, "--raw", raw, "--model", "bm25", "--json", "--quiet")
    assert {row["task"] for row in done.document["tasks"]} == {"keepers", "tides"}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("", '[runs] lacks count, shots, instances, which design = "runs" needs'),
        ("[runs]\ncount = 2\nshots = 0\ninstances = 5\n", "[task.keepers] lacks block, how a prompt shows an example"),
    ],
)
def test_design_whose_tables_lack_is_a_traceback(call: Call, folder: Path, more: str, said: str) -> None:
    file = folder / "harbour.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(
        text.replace("[task.keepers]", f"{more}[task.keepers]", 1).replace("seed = 0", 'seed = 0\ndesign = "runs"', 1)
    )
    status, _, err = call("plan", "--suite", str(file), "--raw", str(folder / "raw"), "--model", "naive")
    assert status == 2
    assert said in err
    assert "Traceback" not in err


def test_prompt_longer_than_its_vendors_file_allows_is_sent(call: Call, folder: Path) -> None:
    """160,000 words and marks of English are 200,000 tokens of the family, whose models have no table of their own."""
    record = {"id": "k3", "document": "salt " * 170_000, "query": "What is it?", "references": ["salt"]}
    with (folder / "raw/harbour/keepers.test.jsonl").open("a", encoding="utf-8") as file:
        file.write(f"{json.dumps(record)}\n")

    def truncated(*more: str, model: str = "anthropic:claude-opus-4-5") -> int:
        asked = ("--suite", "harbour.toml", "--raw", "raw", "--task", "keepers", "--model", model)
        status, out, err = call("estimate", *asked, "--json", *more)
        assert status == 0, err
        (row,) = json.loads(out)
        assert row["prompts"] == 3
        return int(row["truncated"])

    assert truncated() == 1
    assert truncated("--tokenizer", "words") == 1
    assert truncated("--context", "300000") == 0, "the user's own word goes over it"
    table = folder / "own.toml"
    table.write_text('["claude-opus-4-5"]\nprovider = "anthropic"\nid = "claude-opus-4-5"\ncontext = 300000\n')
    assert truncated("--models", "own.toml") == 0
    for context, cut in ((200_000, 1), (230_000, 0)):  # of its own tokens, which an estimate counts as 4/5
        head = '[mine]\nprovider = "openai"\nid = "gpt-6-luna"\ntokenizer = "tiktoken:o200k_base"\n'
        table.write_text(f"{head}context = {context}\n")
        assert truncated("--models", "own.toml", "--tokenizer", "estimate", model="mine") == cut
    grok = '[mine]\nprovider = "compatible"\nid = "grok-9"\nbase_url = "https://api.x.ai/v1"\n'
    table.write_text(f"{grok}family = {{ context = 200000 }}\n")
    assert truncated("--models", "own.toml", model="mine") == 1, "its context is the user's fact of its family"


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("rules.qasper = { fixed = 'x' }", "its table has no rule for task 'keepers' (rules.keepers)"),
        ("rules.keeper = { fixed = 'x' }", "(rules.keepers); did you mean 'keeper'?"),
        ("", "its table has no rule for task 'keepers' (rules.keepers)"),
    ],
)
def test_missing_rule_is_found_after_other_work(call: Call, folder: Path, rules: str, said: str) -> None:
    (folder / "own.toml").write_text(f'[mine]\nprovider = "baselines"\n{rules}\n')
    status, _, err = call(
        "plan",
        "--suite",
        "harbour.toml",
        "--raw",
        "raw",
        "--task",
        "keepers",
        "--models",
        "own.toml",
        "--model",
        "mine",
    )
    assert status == 2
    assert said in err
