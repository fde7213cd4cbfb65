"""The plan: tells for every stage whether it stands, and why not; runs and writes nothing, imports nothing heavy."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import FINISHED, edit, files_of

HEAVY = ("prefect", "polars", "sqlalchemy", "datasets", "openai", "anthropic", "nltk", "rouge_score", "rapidfuzz")


def contents(folder):
    """Bytes and modification time by path of everything below a folder."""
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_finished_stage_is_not_told_as_reused(finished):
    states = finished.states(*FINISHED)
    assert len(states) == 3 * 8 + 2
    assert set(states.values()) == {"reused"}


def test_a_stage_never_built_is_not_told_as_missing(scrollwork):
    plan = scrollwork.plan("--task", "qmsum")
    assert {row["state"] for row in plan.values()} == {"missing"}
    assert plan["prompt qmsum"]["why"] == "never built"
    assert len(plan["prompt qmsum"]["key"]) == 64, "keys of pure stages are known before anything runs"
    assert plan["score qmsum"]["key"] is None
    assert "answers" in plan["score qmsum"]["why"]


def test_keys_differ_from_those_of_the_artifacts_that_are_built(scrollwork):
    planned = {name: row["key"] for name, row in scrollwork.plan("--task", "musique").items() if row["key"]}
    scrollwork.run("--task", "musique", "--quiet")
    built = {name: row["key"] for name, row in scrollwork.plan("--task", "musique").items()}
    assert {name: built[name] for name in planned} == planned


def test_a_slip_in_how_prompts_are_cut_passes_for_another_way(scrollwork, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('[lab]\nprovider = "compatible"\nid = "m"\ncontext = 4000\ntruncation = "opneai"\n')
    given = ("--models", str(own), "--model", "lab", "--base-url", "http://127.0.0.1:9/v1")
    done = scrollwork("plan", "zeroscrolls", "--sample", "--task", "qmsum", *given, status=2)
    assert "own.toml: model 'lab': truncation 'opneai' is none of none, input, openai, claude, prefix" in done.err


def test_a_changed_limit_is_not_named(finished):
    plan = finished.plan("--task", "qmsum", "--limit", "2")
    assert (plan["curate qmsum"]["state"], plan["sample qmsum"]["state"]) == ("reused", "stale")
    assert plan["sample qmsum"]["why"] == "parameter limit added"
    assert (plan["prompt qmsum"]["state"], plan["prompt qmsum"]["why"]) == ("stale", "input sample changed")


def test_a_changed_option_is_not_named(finished):
    plan = finished.plan("--task", "qmsum", "--set", "qmsum.join_punctuation=true")
    assert plan["curate qmsum"]["why"] == "parameter options.join_punctuation changed from False to True"
    assert finished.states("--task", "space_digest", "--set", "qmsum.join_punctuation=true")["report"] == "stale"


def test_a_changed_raw_file_is_not_named(finished, raw):
    assert set(finished.states("--raw", str(raw), *FINISHED).values()) == {"reused"}, "the folder's path is no content"
    edit(raw / "qmsum" / "data" / "ALL" / "jsonl" / "test.jsonl", lambda text: text.replace("budget", "Budget"))
    plan = finished.plan("--raw", str(raw), *FINISHED)
    assert (plan["curate qmsum"]["state"], plan["curate qmsum"]["why"]) == ("stale", "input raw changed")
    assert plan["curate space_digest"]["state"] == "reused"


def test_a_renamed_raw_folder_or_a_touched_file_rebuilds_something(finished, raw):
    moved = raw.rename(raw.with_name("elsewhere"))
    for path in moved.rglob("*"):
        path.touch()
    assert set(finished.states("--raw", str(moved), *FINISHED).values()) == {"reused"}


def test_going_back_to_former_parameters_builds_again(finished):
    finished.run("--task", "qmsum", "--limit", "2")
    assert set(finished.states("--task", "qmsum", "--limit", "2").values()) == {"reused"}
    finished.run(*FINISHED)
    assert finished.built() == []


def test_a_removed_artifact_is_not_noticed(finished):
    shutil.rmtree(next((finished.home / "artifacts" / "sample").glob("*qmsum*")))
    plan = finished.plan(*FINISHED)
    assert plan["sample qmsum"]["state"] == "missing"
    assert [name for name, row in plan.items() if row["state"] != "reused"] == ["sample qmsum"]
    finished.run(*FINISHED)
    assert finished.built() == ["sample qmsum"]
    assert set(finished.states(*FINISHED).values()) == {"reused"}


def test_planning_runs_or_writes_something(finished, scrollwork, raw):
    before = contents(finished.home)
    finished.plan(*FINISHED, "--limit", "3")
    finished.plan("--raw", str(raw), "--task", "musique")
    after = contents(finished.home)
    assert {name for name in after if after[name] != before.get(name)} == {"cache/raw-digests.json"}
    assert set(before) <= set(after)

    fresh = scrollwork.with_(home=scrollwork.home.with_name("fresh"))
    fresh.plan("--task", "musique")
    assert set(contents(fresh.home)) == {"cache/raw-digests.json"}


def test_planning_needs_a_home_that_can_be_written(finished):
    """A cache that cannot be written is no reason to fail."""
    shutil.rmtree(finished.home / "cache")
    (finished.home / "cache").write_text("in the way")
    assert set(finished.states(*FINISHED).values()) == {"reused"}


# ---- nothing to do

LOADED = """
import json, sys
from scrollwork.cli.main import main
status = main(sys.argv[1:])
print(json.dumps([status, sorted({name.partition(".")[0] for name in sys.modules})]), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "zeroscrolls", "--sample", "--model", "naive:seed=0", *FINISHED),
        ("build", "zeroscrolls", "--sample", *FINISHED),
        ("plan", "zeroscrolls", "--sample", "--model", "naive:seed=0", *FINISHED),
        ("plan", "zeroscrolls", "--sample", "--model", "naive"),
    ],
    ids=lambda arguments: f"{arguments[0]}-{len(arguments)}",
)
def test_nothing_to_do_imports_something_heavy(finished, tmp_path, arguments):
    script = tmp_path / "loaded.py"
    script.write_text(LOADED, encoding="utf-8")
    if arguments[0] == "build":  # a run does not count statistics
        finished(*arguments, "--engine", "inline", "--quiet")
    done = finished.with_(prefix=(str(script),), forked=False)(*arguments)
    status, modules = json.loads(done.err.splitlines()[-1])
    assert status == 0
    assert [name for name in HEAVY if name in modules] == []
    if arguments[0] != "plan":
        assert "nothing was to be done" in done.err or arguments[0] == "build"
        assert not (finished.home / "prefect").exists()


@pytest.mark.parametrize("command", [("--help",), ("--version",), ("run", "--help"), ("status",), ("down",)])
def test_a_small_command_imports_prefect(scrollwork, tmp_path, command):
    script = tmp_path / "loaded.py"
    script.write_text(
        LOADED.replace(
            "status = main(sys.argv[1:])",
            "try:\n    status = main(sys.argv[1:])\nexcept SystemExit as ended:\n    status = ended.code",
        ),
        encoding="utf-8",
    )
    done = scrollwork.with_(prefix=(str(script),), forked=False)(*command)
    status, modules = json.loads(done.err.splitlines()[-1])
    assert (status, "prefect" in modules, "polars" in modules) == (0, False, False)


# ---- answers that are missing

FLAKY = '''"""A provider for tests: fails for the examples named in a file, and notes what it was asked."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from scrollwork.models.base import Answer, Call, CallFailed


def make(name, table, revision):
    return Flaky(name, Path(table["folder"]))


class Flaky:
    provider = "flaky"

    def __init__(self, name, folder):
        self.name, self.members, self.folder = name, (name,), folder

    def payload(self, ask, member):
        return {"provider": self.provider, "model": self.name, "prompt": ask.prompt_sha256}

    def answer(self, calls: Iterable[Call]) -> Iterator[Answer | CallFailed]:
        fails = json.loads((self.folder / "fails.json").read_text())
        for call in calls:
            with (self.folder / "asked.txt").open("a") as stream:
                print(call.ask.example_id, file=stream)
            if (kind := fails.get(call.ask.example_id)):
                yield CallFailed(call.key, kind, "the provider is tired", 529 if kind == "transient" else 400)
            else:
                yield Answer(call.key, "Unanswerable", "complete", "flaky-1")
'''


class Provider:
    """The flaky provider of a tree, told by files what fails."""

    def __init__(self, work, folder):
        self.work, self.folder = work, folder

    def fails(self, **kinds):
        (self.folder / "fails.json").write_text(json.dumps(kinds))

    def asked(self):
        """What was asked since the last look."""
        path = self.folder / "asked.txt"
        asked = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return sorted(asked)

    def run(self):
        """Run musique; the exit status may be any, the JSON document comes back."""
        arguments = ("--task", "musique", "--models", str(self.folder / "models.toml"), "--json", "--quiet")
        return self.work.run(*arguments, model="flaky", status=None)

    def plan(self):
        return self.work.plan("--task", "musique", "--models", str(self.folder / "models.toml"), model="flaky")


@pytest.fixture
def provider(scrollwork, tree, tmp_path):
    """A model whose provider fails as told."""
    (tree / "models" / "flaky.py").write_text(FLAKY, encoding="utf-8")
    edit(
        tree / "models" / "registry.py",
        lambda text: f'{text}\n\nPROVIDERS = {{**PROVIDERS, "flaky": "scrollwork.models.flaky"}}\n',
    )
    folder = tmp_path / "provider"
    folder.mkdir()
    (folder / "models.toml").write_text(f'[flaky]\nprovider = "flaky"\nfolder = "{folder}"\n')
    made = Provider(scrollwork.with_(root=tree), folder)
    made.fails()
    made.run()
    made.examples = made.asked()
    shutil.rmtree(made.work.home)
    assert len(made.examples) > 5
    return made


@pytest.mark.slow
def test_missing_answers_are_not_told_as_partial_or_are_asked_again_with_the_rest(provider):
    lost = provider.examples[2]
    provider.fails(**{lost: "transient"})
    first = provider.run()
    assert provider.asked() == provider.examples
    (row,) = first.document["tasks"]
    count = len(provider.examples)
    assert (row["coverage"]["expected"], row["coverage"]["answered"], row["coverage"]["failed"]) == (
        count,
        count - 1,
        1,
    )
    assert list(first.document["averages"].values()) == [None], "no average while something is unanswered"
    scores = {name for name in files_of(provider.work.home) if name.startswith("score/")}

    plan = provider.plan()
    assert plan["generate musique"]["state"] == "partial"
    assert plan["generate musique"]["why"] == f"1 of {count} answers are missing"
    assert provider.asked() == []

    provider.run()  # it fails again: only it is asked, and what stands behind the same answers is reused
    assert provider.asked() == [lost]
    assert provider.work.built() == ["generate musique"]

    provider.fails()
    last = provider.run()
    assert provider.asked() == [lost]
    after = ["aggregate musique", "compare", "generate musique", "judge musique", "report", "score musique"]
    assert provider.work.built() == after
    (row,) = last.document["tasks"]
    assert row["coverage"]["answered"] == count
    assert {row["state"] for row in provider.plan().values()} == {"reused"}
    assert scores < {name for name in files_of(provider.work.home) if name.startswith("score/")}, "both scores stand"

    provider.run()
    assert (provider.asked(), provider.work.built()) == ([], [])


@pytest.mark.slow
def test_a_terminal_failure_is_asked_again(provider):
    lost = provider.examples[0]
    provider.fails(**{lost: "terminal"})
    provider.run()
    provider.asked()
    assert provider.plan()["generate musique"]["state"] == "reused"
    provider.fails()
    provider.run()
    assert provider.asked() == []


@pytest.mark.slow
def test_a_failure_is_scored_as_an_empty_answer(provider):
    provider.fails(**dict.fromkeys(provider.examples[1:], "transient"))
    (row,) = provider.run().document["tasks"]
    only = row["value"]
    provider.fails()
    (full,) = provider.run().document["tasks"]
    assert row["coverage"]["answered"] == 1
    assert row["value_missing_as_zero"] == pytest.approx(only / len(provider.examples))
    assert full["value"] == pytest.approx(full["value_missing_as_zero"])
    assert Path(provider.work.home / "reports" / "zeroscrolls.html").is_file()
