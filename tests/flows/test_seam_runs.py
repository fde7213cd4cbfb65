"""Runs of SEAM: what a further model, run or task costs and changes, what a request says, what a killed run leaves."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scrollwork.preprocessing.runs.draws import VARIABLES
from tests.conftest import Scrollwork, environment, files_of, leftovers
from tests.flows.seam_kit import TASKS, Scripted, asking, folders, hosted, manifest, rendered, rows, scripted, seam
from tests.flows.seam_raw import FORMATS, INSTRUCTIONS, write
from tests.pipeline.loaded_kit import IN_NO_ANSWER, script
from tests.pipeline.test_source_digests import interpreters

TABLES = ("examples", "demonstrations", "documents", "instructions")
TWO = ("musique", "ecb_plus")
INPUTS = {"musique": 2, "ecb_plus": 2}  # of a run, in the small raw files
DRIVER = str(Path(__file__).parents[1] / "survival" / "killed.py")


@pytest.fixture
def vendor() -> Iterator[Scripted]:
    with scripted() as running:
        running.reply = lambda model, prompt: f"[[{len(prompt)}, 1]]"
        yield running


@pytest.fixture
def raw_files(tmp_path: Path) -> tuple[str, str]:
    return "--raw", str(write(tmp_path / "raw"))


def of_runs(home: Path, *runs: int) -> dict[str, str]:
    """Digests of what the home has of these runs."""
    return {
        path: digest
        for path, digest in files_of(home).items()
        for run in runs
        if f".{run}/" in path or f".{run}." in path
    }


@pytest.mark.slow
def test_further_run_pays_again_or_changes_earlier_ones(
    scrollwork: Scrollwork, vendor: Scripted, raw_files: tuple[str, str]
) -> None:
    work = hosted(scrollwork, vendor.url, "one")
    seam(work, *raw_files, *asking(work, "one"), tasks=TWO, runs=3)
    assert len(vendor.asked) == 3 * sum(INPUTS.values())
    before = of_runs(work.home, 0, 1, 2)
    assert len(before) >= 3 * 2 * 4
    seam(work, *raw_files, *asking(work, "one"), tasks=TWO, runs=5)
    assert len(vendor.asked) == 5 * sum(INPUTS.values())
    after = of_runs(work.home, 0, 1, 2)
    assert after == before
    assert of_runs(work.home, 3, 4).keys().isdisjoint(before)
    seam(work, *raw_files, *asking(work, "one"), tasks=TWO, runs=5)
    assert len(vendor.asked) == 5 * sum(INPUTS.values())
    counted = Counter(json.dumps([path, body], sort_keys=True) for path, body in vendor.asked)
    assert max(counted.values()) == 1


@pytest.mark.slow
def test_runs_made_at_once_differ_from_runs_added_later(
    scrollwork: Scrollwork, raw_files: tuple[str, str], tmp_path: Path
) -> None:
    seam(scrollwork, *raw_files, "--model", "naive", tasks=TWO, runs=2)
    seam(scrollwork, *raw_files, "--model", "naive", tasks=TWO, runs=4)
    other = scrollwork.with_(home=tmp_path / "other" / "home")
    seam(other, *raw_files, "--model", "naive", tasks=TWO, runs=4)
    assert of_runs(scrollwork.home, 0, 1, 2, 3) == of_runs(other.home, 0, 1, 2, 3)


@pytest.mark.slow
def test_further_model_asks_for_the_answers_of_another(
    scrollwork: Scrollwork, vendor: Scripted, raw_files: tuple[str, str]
) -> None:
    work = hosted(scrollwork, vendor.url, "one", "two")
    seam(work, *raw_files, *asking(work, "one"), tasks=TWO, runs=2)
    before = files_of(work.home)
    seam(work, *raw_files, *asking(work, "one", "two"), tasks=TWO, runs=2)
    asked = Counter(body["model"] for _, body in vendor.asked)
    assert asked == {"one": 2 * sum(INPUTS.values()), "two": 2 * sum(INPUTS.values())}
    assert before.items() <= files_of(work.home).items()
    assert vendor.prompts("one") == vendor.prompts("two"), "models see the same samplings"
    built = work.last_run()
    assert {how for name, how in built.items() if name.startswith(("curate", "sample", "prompt"))} == {"reused"}


@pytest.mark.slow
def test_further_task_changes_the_manifest_of_another(scrollwork: Scrollwork, raw_files: tuple[str, str]) -> None:
    seam(scrollwork, *raw_files, "--model", "naive", tasks=("musique",), runs=2)
    before = files_of(scrollwork.home)
    told = [manifest(scrollwork.home, "musique", run) for run in range(2)]
    seam(scrollwork, *raw_files, "--model", "naive", runs=2)
    assert [manifest(scrollwork.home, "musique", run) for run in range(2)] == told
    kept = {path: digest for path, digest in before.items() if not path.startswith(("report", "compare"))}
    assert kept.items() <= files_of(scrollwork.home).items()


@pytest.mark.slow
def test_request_lacks_its_seed_or_has_one_that_the_provider_refuses(
    scrollwork: Scrollwork, vendor: Scripted, raw_files: tuple[str, str]
) -> None:
    work = hosted(scrollwork, vendor.url, "one", "claude-old")
    seam(work, *raw_files, *asking(work, "one", "claude-old"), tasks=TWO, runs=2)
    seeds = {(task, run): json.loads(manifest(work.home, task, run))["child_seed"] for task in TWO for run in range(2)}
    assert len(set(seeds.values())) == 4
    texts = {text: key for key in seeds for text in rendered(work.home, *key, "chat").values()}
    chats = [body for path, body in vendor.asked if path == "/v1/chat/completions"]
    messages = [body for path, body in vendor.asked if path == "/v1/messages"]
    assert len(chats) == len(messages) == 2 * sum(INPUTS.values())
    for body in chats:
        assert body["seed"] == seeds[texts[body["messages"][0]["content"]]]
        assert (body["temperature"], body["max_completion_tokens"]) == (0.8, 500)
        assert set(body) <= {"model", "messages", "temperature", "max_completion_tokens", "seed"}
    for body in messages:
        assert "seed" not in body
        assert body["max_tokens"] == 500


@pytest.mark.slow
def test_longer_answers_of_one_data_set_are_not_asked_for_or_asked_of_all(
    scrollwork: Scrollwork, vendor: Scripted, raw_files: tuple[str, str]
) -> None:
    """--prompts long-answers: 2,048 new tokens for ECB+ (fact sheet 12); other answers stand, other prompts are none."""
    work = hosted(scrollwork, vendor.url, "one")
    seam(work, *raw_files, *asking(work, "one"), tasks=TWO)
    before = Counter(vendor.prompts("one"))
    del vendor.asked[:]
    done = seam(work, *raw_files, "--prompts", "long-answers", "--json", *asking(work, "one"), tasks=TWO)
    assert {body["max_completion_tokens"] for _, body in vendor.asked} == {2048}
    assert Counter(vendor.prompts("one")) <= before
    assert len(vendor.asked) == INPUTS["ecb_plus"]
    assert "long-answers" in done.out, "the leaderboard says that it is a variant"


@pytest.mark.slow
def test_equal_prompts_of_two_runs_get_one_answer(
    scrollwork: Scrollwork, vendor: Scripted, raw_files: tuple[str, str]
) -> None:
    """With everything held but the order of demonstrations, of which there are none, the prompts of all runs are equal;
    each run is answered for itself."""
    work = hosted(scrollwork, vendor.url, "one", "claude-old")
    held = ("--shots", "0", "--vary", "shot-order")
    seam(work, *raw_files, *held, *asking(work, "one", "claude-old"), tasks=("musique",), runs=3)
    texts = Counter(vendor.prompts("one"))
    assert set(texts.values()) == {3}
    assert len(texts) == 2
    assert len({body["seed"] for path, body in vendor.asked if "seed" in body}) == 3
    assert len([1 for path, _ in vendor.asked if path == "/v1/messages"]) == 6


@pytest.mark.slow
def test_variable_that_nothing_draws_is_taken(scrollwork: Scrollwork, raw_files: tuple[str, str]) -> None:
    done = seam(scrollwork, *raw_files, "--model", "naive", "--vary", "weather", status=2)
    explained = " ".join(scrollwork("run", "--help").out.split())
    for name in VARIABLES:
        assert name in done.err
        assert name in explained


@pytest.mark.slow
def test_held_variable_is_drawn(scrollwork: Scrollwork, raw_files: tuple[str, str]) -> None:
    seam(scrollwork, *raw_files, "--model", "naive", "--vary", "shots", tasks=("musique",), runs=2)
    told = [json.loads(manifest(scrollwork.home, "musique", run)) for run in range(2)]
    assert {one["instruction"] for one in told} == {told[0]["instruction"]}
    assert told[0]["document_order"] == told[1]["document_order"]
    assert told[0]["settings"]["vary"] == ["shots"]


@pytest.mark.slow
def test_killed_run_repeats_an_earlier_draw_or_leaves_other_bytes(
    scrollwork: Scrollwork, vendor: Scripted, raw_files: tuple[str, str], tmp_path: Path
) -> None:
    """kill -9 in the middle of draw 7: answers of it that were paid are kept, the rest only is asked."""
    work = hosted(scrollwork, vendor.url, "one", concurrency=1)
    command = (
        "run",
        "seam",
        "--task",
        "musique",
        "--engine",
        "inline",
        "--runs",
        "10",
        *raw_files,
        *asking(work, "one"),
    )
    calm = hosted(scrollwork.with_(home=tmp_path / "calm" / "home"), vendor.url, "one", concurrency=1)
    calm("run", "seam", "--task", "musique", "--engine", "inline", "--runs", "10", *raw_files, *asking(calm, "one"))
    whole, asked = files_of(calm.home), len(vendor.asked)
    assert asked == 20
    killed = work.with_(prefix=(DRIVER, "generate@7", "answer", "SIGKILL"), warm=True)
    killed(*command, status=-signal.SIGKILL)
    paid = len(vendor.asked) - asked
    assert 15 <= paid <= 16, "seven runs, and one or both of the eighth"
    before = of_runs(work.home, 0, 1, 2, 3, 4, 5, 6)
    assert not any(".7/" in path for path in files_of(work.home) if path.startswith("score/"))
    work(*command)
    assert before.items() <= files_of(work.home).items()
    assert len(vendor.asked) - asked <= 21, "at most the call that was under way is asked again"
    assert files_of(work.home) == whole
    assert leftovers(work.home) == []


@pytest.mark.slow
def test_manifest_depends_on_the_engine(scrollwork: Scrollwork, raw_files: tuple[str, str], tmp_path: Path) -> None:
    flow = scrollwork.with_(home=tmp_path / "flow" / "home")
    seam(scrollwork, *raw_files, "--model", "naive", tasks=TWO, runs=2)
    seam(flow, *raw_files, "--model", "naive", "--engine", "prefect", tasks=TWO, runs=2)
    assert files_of(scrollwork.home) == files_of(flow.home)


@pytest.mark.slow
def test_stage_runs_code_of_draws_or_runs_that_its_key_does_not_know(
    scrollwork: Scrollwork, raw_files: tuple[str, str], tmp_path: Path
) -> None:
    program = tmp_path / "loaded.py"
    program.write_text(
        script(
            """
raw, models = sys.argv[sys.argv.index("--raw") + 1], ("naive", "same-head")
request = Request.of("seam", home=sys.argv[2], raw=raw, models=models, runs=2)
chain = Chain(request)
scored, judged = chain.scored, [chain.judge(node) for node in chain.scored]
nodes = [chain.report(scored, [], [*judged, *chain.after_all_scores(judged, scored, [])])]
"""
        )
    )
    work = scrollwork.with_(prefix=(str(program),))
    done = seam(work, *raw_files, "--model", "naive", "--model", "same-head", "--quiet", runs=2)
    status, unknown, known = json.loads(done.err.splitlines()[-1])
    assert status == 0
    assert len(known) > 40
    assert set(unknown) <= IN_NO_ANSWER | {"scrollwork.preprocessing.sampling"}, "which the suites run that do not draw"


# ---- the manifest, as the fact sheet has it (section 3), and on other versions of Python


def number(*names: object) -> int:
    """A number from names, as docs/architecture.md has choices that depend on nothing else."""
    return int.from_bytes(hashlib.sha256("\x1f".join(map(str, names)).encode()).digest()[:16], "big")


def restated(
    task: str, run: int, instances: dict[str, int], documents: int, wordings: list[str], texts: dict[str, str]
) -> bytes:
    """A manifest from nothing but sha256. instances: how many mentions each has; texts: prompts by instance."""

    def order(items: list[Any], variable: str, *more: object) -> list[Any]:
        return sorted(items, key=lambda one: number("seam", 42, task, run, variable, *more, one))

    shots = order([f"demonstration_{n}" for n in (1, 2, 3)], "shots")
    wording = number("seam", 42, task, run, "instruction") % len(wordings)
    rows = []
    for name, mentions in instances.items():
        row: dict[str, Any] = {"id": name, "prompt_sha256": hashlib.sha256(texts[name].encode()).hexdigest()}
        if mentions:
            row["mention_ids"] = order(list(range(mentions)), "mention-ids", name)
        rows.append(row)
    variables = ["instruction", "document-order", "shots", "shot-order", "instances", "mention-ids"]
    told = {
        "suite": "seam",
        "dataset": task,
        "run": run,
        "root_seed": 42,
        "child_seed": number("seam", 42, task, run, "generation") % 2**31,
        "settings": {"shots": 3, "most": 100, "ids": [0, 0], "vary": variables},
        "wording": "own",
        "instruction": wording,
        "instruction_sha256": hashlib.sha256(wordings[wording].encode()).hexdigest(),
        "document_order": order(list(range(documents)), "document-order"),
        "demonstrations": order(shots, "shot-order"),
        "instances": rows,
    }
    return json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


@pytest.mark.slow
def test_manifest_is_another_than_its_description(scrollwork: Scrollwork, raw_files: tuple[str, str]) -> None:
    scrollwork("build", "seam", *raw_files, "--runs", "3", "--engine", "inline", "--quiet")
    for run in range(3):
        wordings = [f"{text}\n{form}" for text, form in zip(INSTRUCTIONS, FORMATS, strict=True)]
        asked = {"2hop__1": 0, "2hop__1_unanswerable": 0}
        texts = rendered(scrollwork.home, "musique", run)
        assert manifest(scrollwork.home, "musique", run) == restated("musique", run, asked, 3, wordings, texts)
        wordings = [f"{text}\n" for text in INSTRUCTIONS]
        texts = rendered(scrollwork.home, "ecb_plus", run)
        found = restated("ecb_plus", run, {"36": 4, "37": 1}, 3, wordings, texts)
        assert manifest(scrollwork.home, "ecb_plus", run) == found


MANIFESTS = """
import hashlib, json, sys
sys.path.insert(0, sys.argv[1])
from scrollwork.preprocessing.runs.block_prompts import Blocks
from scrollwork.preprocessing.runs.blocks import Block
from scrollwork.preprocessing.runs.drawn_examples import DrawSettings, Pool, draw_of, examples_of_run
from scrollwork.preprocessing.runs.manifests import manifest
from scrollwork.records.example import Example

def listed(rows):
    return [Example(**{name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}) for row in rows]

found = {}
for slot, of in json.load(open(sys.argv[2], encoding="utf-8")).items():
    shots, examples, params = listed(of["demonstrations"]), listed(of["examples"]), of["params"]
    how = DrawSettings(**{name: tuple(value) if isinstance(value, list) else value for name, value in params["how"].items()})
    pool = Pool(len(of["instructions"]), shots)
    sizes = {example.example_id: len(example.document_ids) for example in examples}
    one = draw_of(sizes, params["task"], pool, how, params["run"])
    rows = examples_of_run(examples, params["suite"], params["task"], one, how)
    blocks = Blocks(Block(**params["block"]), of["instructions"], {shot.example_id: shot for shot in shots})
    data = manifest(params["suite"], params["task"], one, how, rows, blocks, of["documents"].__getitem__, "own")
    found[slot] = hashlib.sha256(data).hexdigest()
print(json.dumps([list(sys.version_info[:2]), found]))
"""


@pytest.mark.slow
def test_manifest_depends_on_the_version_of_python(house: Path, scrollwork: Scrollwork, tmp_path: Path) -> None:
    """All runs of the sample, drawn and rendered by each Python that is here from what curation left."""
    pythons = interpreters()
    if len(pythons) < 2:
        pytest.skip(f"only one of Python 3.11, 3.12 and 3.13 is here ({', '.join(map(str, pythons))})")
    scrollwork("build", "seam", "--sample", "--runs", "3", "--engine", "inline", "--quiet")
    given, expected = {}, {}
    for task in TASKS:
        tables = {name: rows(scrollwork.home, "curate", f"seam.{task}.test", name) for name in TABLES}
        documents = {row["document_id"]: row["text"] for row in tables.pop("documents")}
        wordings = [(row["text"], row["output_format"]) for row in tables.pop("instructions")]
        for run in range(3):
            (folder,) = folders(scrollwork.home, "sample", f"seam.{task}.test.{run}")
            params = json.loads((folder / "manifest.json").read_text())["ingredients"]["params"]
            slot = f"{task} {run}"
            given[slot] = {**tables, "documents": documents, "instructions": wordings, "params": params}
            expected[slot] = hashlib.sha256(manifest(scrollwork.home, task, run)).hexdigest()
    (tmp_path / "curated.json").write_text(json.dumps(given), encoding="utf-8")
    for minor, python in pythons.items():
        command = [python, "-c", MANIFESTS, str(house), str(tmp_path / "curated.json")]
        ran = subprocess.run(command, env=environment(), capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        assert json.loads(ran.stdout) == [[3, minor], expected]
