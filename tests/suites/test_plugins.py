"""Suites, data sets, metrics and providers of installed packages, and modules named in suite files: found, told, in keys."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from scrollwork.pipeline import loaded_code, outside_code
from tests.conftest import PROJECT, Scrollwork, edit
from tests.suites.plugin_kit import FILES, METRIC, PARROT, SUITE, installed, written

ASK = ("harbour", "--model", "parrot:x", "--model", "bm25", "--engine", "inline", "--quiet")


@pytest.fixture
def work(scrollwork: Scrollwork, tmp_path: Path) -> Scrollwork:
    return installed(scrollwork, tmp_path)


def run(work: Scrollwork, *arguments: str, status: int = 1) -> dict[tuple[str, str], float]:
    """Values by task and model; a record is broken, so the status is 1."""
    done = work("run", *(arguments or ASK), "--raw", str(work.home.parent / "raw"), "--json", status=status)
    assert "notes.txt, line 3: must be four fields" in done.err or status == 0
    return {(row["task"], row["model"]): row["value"] for row in done.document["tasks"]}


def stale(work: Scrollwork) -> set[str]:
    rows = work("plan", *ASK[:5], "--raw", str(work.home.parent / "raw"), "--json").document
    return {
        " ".join(filter(None, [row["stage"], row["task"], row["model"]])) for row in rows if row["state"] != "reused"
    }


def site(work: Scrollwork) -> Path:
    return work.home.parent / "site"


def test_package_is_not_found_by_its_names(work: Scrollwork) -> None:
    values = run(work)
    assert values["notes", "parrot:x"] == values["plain", "parrot:x"] == 100.0
    assert set(values) == {(task, model) for task in ("notes", "plain") for model in ("parrot:x", "bm25")}
    row = next(iter(work("run", *ASK, "--raw", str(work.home.parent / "raw"), "--json", status=1).document["tasks"]))
    assert row["metric"] == "harbour_suite.starts_right"
    assert work("report", "harbour").status == 0
    assert work("verify").status == 0
    assert stale(work) == set()
    pairs = work.home.parent / "pairs.jsonl"
    pairs.write_text(json.dumps({"id": "1", "prediction": "Mira, of course", "references": ["mira"]}) + "\n")
    for name in ("starts_right", "harbour_suite.starts_right"):
        assert work("score", "--metric", name, "--pairs", str(pairs), "--json").document["value"] == 100.0


OF_METRIC = {"score", "aggregate", "judge"}


@pytest.mark.parametrize(
    ("file", "stages", "task"),
    [
        pytest.param("harbour_suite/starts_right.py", OF_METRIC, "notes", marks=pytest.mark.slow),
        ("harbour_suite/deep/folded.py", OF_METRIC, "notes"),
        pytest.param("harbour_suite/deep/__init__.py", OF_METRIC, "notes", marks=pytest.mark.slow),
        pytest.param(
            "harbour_suite/notes.py", {"curate", "sample", "prompt", "tokens"}, "notes", marks=pytest.mark.slow
        ),
        pytest.param(
            "harbour_suite/lines.py", {"curate", "sample", "prompt", "tokens"}, "notes", marks=pytest.mark.slow
        ),
        pytest.param("harbour_suite/parrot.py", {"generate"}, "", marks=pytest.mark.slow),
        pytest.param("harbour_suite/unused.py", set(), "", marks=pytest.mark.slow),
        ("harbour_suite/never.py", set(), ""),
    ],
)
def test_edited_module_of_a_package_leaves_what_it_decides(
    work: Scrollwork, file: str, stages: set[str], task: str
) -> None:
    run(work)
    edit(site(work) / file, lambda text: f"# a comment\n{text}")
    assert stale(work) == set()
    edit(site(work) / file, lambda text: f"{text}\nADDED = 1\n")
    found = stale(work)
    assert {name.split()[0] for name in found if task in name and len(name.split()) > 1} >= stages
    if task:
        assert not [name for name in found if "plain" in name]
    if not stages:
        assert found == set()
    if stages == OF_METRIC:
        assert not [name for name in found if name.startswith(("curate", "sample", "prompt", "generate"))]
    if stages:
        module = file.removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")
        rows = work("plan", *ASK[:5], "--raw", str(work.home.parent / "raw"), "--json").document
        assert any(f"source {module} changed" in row["why"] for row in rows)
        assert f"source {module} changed" in work("verify", status=1).out
        run(work)
        assert stale(work) == set()


def test_other_version_of_a_library_of_a_package_makes_nothing_stale(work: Scrollwork) -> None:
    run(work)
    edit(site(work) / "colours.py", lambda text: f"{text}BLUE = 2\n")
    assert stale(work) == set()  # a library: by its version
    metadata = site(work) / "colours-2.5.dist-info" / "METADATA"
    edit(metadata, lambda text: text.replace("2.5", "2.6"))
    found = stale(work)
    assert {name.split()[0] for name in found if "notes" in name} >= OF_METRIC
    rows = work("plan", *ASK[:5], "--raw", str(work.home.parent / "raw"), "--json").document
    assert any("library colours changed from '2.5' to '2.6'" in row["why"] for row in rows)


def test_module_that_no_distribution_brought_is_in_no_key(scrollwork: Scrollwork, tmp_path: Path) -> None:
    work = installed(scrollwork, tmp_path)
    for file in (site(work) / "colours-2.5.dist-info").iterdir():
        file.unlink()
    (site(work) / "colours-2.5.dist-info").rmdir()
    run(work)
    edit(site(work) / "colours.py", lambda text: f"{text}BLUE = 2\n")
    assert {name.split()[0] for name in stale(work) if "notes" in name} >= OF_METRIC


@pytest.mark.slow
def test_package_that_is_gone_ends_what_reads_its_home(work: Scrollwork, scrollwork: Scrollwork) -> None:
    run(work)
    gone = scrollwork.with_(home=work.home)
    assert gone("status").status == 0
    assert "modules were renamed or removed (harbour_suite" in gone("verify", status=1).out
    done = gone("report", "harbour", status=2)
    assert "[task.notes]: metric 'starts_right' is none of" in done.err
    assert "suite 'harbour'" in gone("plan", "harbour", status=2).err


def suite_file(work: Scrollwork, old: str, new: str) -> tuple[str, ...]:
    assert old in SUITE
    path = work.home.parent / "own.toml"
    path.write_text(SUITE.replace('name = "harbour"', 'name = "own"').replace(old, new))
    return (
        "run",
        "--suite",
        str(path),
        "--model",
        "naive",
        "--engine",
        "inline",
        "--raw",
        str(work.home.parent / "raw"),
    )


@pytest.mark.parametrize(
    ("files", "old", "new", "said"),
    [
        ({}, '"starts_right"', '"gone.metric"', "metric 'gone.metric': there is no package gone; install it"),
        ({}, '"starts_right"', '"harbour_suite.gone"', "package harbour_suite has no module harbour_suite.gone"),
        ({}, '"starts_right"', '"start_right"', "metric 'start_right' is none of .* mean 'starts_right'"),
        ({}, '"harbour_notes"', '"harbour_suite.lines"', r"dataset 'harbour_suite.lines': .*lines.py lacks curate\(\)"),
        ({}, '"starts_right"', '"scrollwork.scoring.metrics.f1"', "a module of scrollwork has a name of its own"),
        (
            {"harbour_suite/starts_right.py": METRIC.replace("VERSION = 1\n", "")},
            *('"f1"', '"starts_right"'),
            r"metric 'starts_right' \(entry point of harbour-suite\): .*starts_right.py lacks VERSION",
        ),
        (
            {"harbour_suite/starts_right.py": METRIC.replace("def headline", "HEAD = 1\ndef head")},
            *('"f1"', '"f1"'),
            r"starts_right.py lacks headline\(\)",
        ),
        (
            {"harbour_suite/starts_right.py": f"{METRIC}\n\ndef beside(means):\n    return {{}}\n"},
            *('"f1"', '"f1"'),
            "starts_right.py has beside, which is named derived now",
        ),
        (
            {"harbour_suite/starts_right.py": "import nowhere_at_all\n"},
            *('"f1"', '"f1"'),
            "starts_right.py cannot be imported: ModuleNotFoundError: No module named 'nowhere_at_all'",
        ),
        ({"harbour_suite/notes.py": "def curate(:\n"}, '"f1"', '"f1"', "notes.py cannot be imported: SyntaxError"),
        ({"harbour_suite/notes.py": "curate = 3\n"}, '"f1"', '"f1"', "curate of .*notes.py must be a function"),
    ],
)
def test_module_that_lacks_part_of_its_contract_is_a_traceback(
    scrollwork: Scrollwork, tmp_path: Path, files: dict[str, str], old: str, new: str, said: str
) -> None:
    work = installed(scrollwork, tmp_path, **files)
    done = work(*suite_file(work, old, new), status=2)
    assert re.search(rf"^scrollwork: .*own.toml: \[task\.(notes|plain)\]: .*{said}", done.err), done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            {"harbour_suite/starts_right.py": METRIC.replace("return Outcome(value, {NAME: value})", "return value")},
            "metric starts_right gave a float, not an Outcome",
        ),
        (
            {"harbour_suite/notes.py": "def curate(raw, task, split, shout):\n    return None\n"},
            "notes.curate gave a NoneType",
        ),
        (
            {"harbour_suite/notes.py": "def curate(raw, task, split, shout):\n    yield 'x'\n"},
            "harbour_suite.notes: curate yields documents, examples, instructions and drops, not str",
        ),
    ],
)
def test_garbage_of_a_module_is_not_told(
    scrollwork: Scrollwork, tmp_path: Path, files: dict[str, str], said: str
) -> None:
    work = installed(scrollwork, tmp_path, **files)
    done = work("run", *ASK, "--raw", str(tmp_path / "raw"), status=1)
    assert said in done.err
    assert "plain" in done.out or "100.0" in done.out  # the other task is there


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("yield Answer(", "yield str("), "answer() gave a str, not an Answer"),
        (("yield Answer(call.key", "yield Answer('other'"), "answer() gave a Answer of 'other'"),
        (("    def payload", "    def payloads"), "make() gave a Parrot that lacks payload"),
    ],
)
def test_garbage_of_a_provider_is_not_told(
    scrollwork: Scrollwork, tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    parrot = PARROT.replace(*change)
    if "str(" in change[1]:
        parrot = re.sub(r"yield str\(.*\)\n", "yield 'text'\n", parrot)
    work = installed(scrollwork, tmp_path, **{"harbour_suite/parrot.py": parrot})
    done = work("run", *ASK[:3], *ASK[5:], "--raw", str(tmp_path / "raw"), status=1)
    assert said in done.err


def test_provider_of_a_table_is_not_its_module(work: Scrollwork) -> None:
    models = work.home.parent / "models.toml"
    models.write_text('[mine]\nprovider = "parrot"\nwords = 2\n[bad]\nprovider = "parot"\n')
    ask = ("harbour", "--models", str(models), "--model", "mine", *ASK[5:])
    assert run(work, *ask)["plain", "mine"] < 100
    ask = (*ask, "--raw", str(work.home.parent / "raw"))
    done = work("run", *ask, "--model", "bad", status=2)
    assert re.search(r"--models .*: model 'bad': provider 'parot' is none of .* did you mean 'parrot'", done.err)
    assert "has no options" in work("run", *ask[:3], "--model", "mine:words=3", *ask[5:], status=2).err


def test_two_packages_of_one_name_are_taken_for_one(work: Scrollwork) -> None:
    written(
        site(work),
        {
            "other-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: other\nVersion: 1\n",
            "other-1.dist-info/entry_points.txt": "[scrollwork.suites]\nharbour = other:x.toml\nf1 = other:f1\n"
            "zeroscrolls = harbour_suite:harbour.toml\nodd = harbour_suite:harbour.toml\nlost = harbour_suite:lost.toml\n"
            "[scrollwork.metrics]\nf1 = harbour_suite.starts_right\n",
        },
    )
    done = work("plan", "harbour", status=2)
    assert "two installed packages have a suite 'harbour'" in done.err
    assert "harbour-suite (harbour_suite:harbour.toml)" in done.err
    assert "other (other:x.toml)" in done.err
    rows = work("plan", "zeroscrolls", "--sample", "--task", "qmsum", "--json").document  # ours come first
    assert {row["task"] for row in rows} == {"qmsum", None}
    assert "name must be that of its entry point, 'odd'" in work("plan", "odd", status=2).err
    assert "there is no such file" in work("plan", "lost", status=2).err
    values = run(work, *suite_file(work, '"f1"', '"f1"')[1:-2])
    assert values["plain", "naive"] > 0, "f1 is ours"


def test_code_of_a_package_edited_under_a_run_is_scored_with(scrollwork: Scrollwork, tmp_path: Path) -> None:
    """A provider edits the metric while it answers: the scores would be of code that no key knows."""
    metric = tmp_path / "site" / "harbour_suite" / "deep" / "folded.py"
    body = f"from pathlib import Path\nPath({str(metric)!r}).write_text('def same(text):\\n    return text[:1]\\n')\n"
    indented = "".join(f"        {line}\n" for line in body.splitlines())
    parrot = PARROT.replace("        for call in calls:", f"{indented}        for call in calls:")
    work = installed(scrollwork, tmp_path, **{"harbour_suite/parrot.py": parrot})
    done = work("run", *ASK[:3], *ASK[5:], "--raw", str(tmp_path / "raw"), status=1)
    assert f"code changed under this run: {metric} was written to" in done.err
    assert not list((work.home / "artifacts").glob("score/harbour.notes*/*/manifest.json"))


def test_module_that_was_loaded_before_it_was_noted_passes_for_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, {"latecomer/__init__.py": "", "latecomer/one.py": "A = 1\n"})
    monkeypatch.syspath_prepend(str(tmp_path))
    import latecomer.one  # type: ignore[import-not-found]  # noqa: F401

    path = outside_code.file_of("latecomer.one")
    assert path == tmp_path / "latecomer" / "one.py"
    loaded_code.watch("latecomer.one", str(path))
    with pytest.raises(loaded_code.CodeChanged, match=re.escape(f"{path} was written to")):
        loaded_code.load_as_digested(["latecomer.one"])


def test_rooms_of_a_checkout_pass_for_a_package() -> None:
    assert outside_code.file_of("tasks.compare") is None
    assert outside_code.file_of("json") is not None
    assert outside_code.spec_of("no_such_package_at_all.x") is None


def test_contract_that_the_document_tells_is_another() -> None:
    text = (PROJECT / "docs" / "plugins.md").read_text(encoding="utf-8")
    metric = text.partition("starts_right.py`):\n\n```python\n")[2].partition("```")[0]
    assert metric
    names: dict[str, object] = {}
    exec(metric, names)
    assert names["score"]("Mira, of course", ["mira"]).value == 100.0  # type: ignore[operator]
    from scrollwork.pipeline.entry_points import CONTRACTS, METRICS

    assert set(CONTRACTS[METRICS]) <= set(names)
    for group in CONTRACTS:
        assert f'[project.entry-points."{group}"]' in text
    assert set(FILES) >= {"harbour_suite/harbour.toml"}


def test_budget_is_kept_for_models_whose_calls_nobody_counts(work: Scrollwork) -> None:
    raw = ("--raw", str(work.home.parent / "raw"))
    refused = work("run", *ASK, *raw, "--budget", "5", status=2)
    assert (
        "--budget: model 'parrot:x' answers through harbour_suite.parrot, whose calls are not counted here"
        in refused.err
    )
    told = work("estimate", *ASK[:5], *raw, status=None).err
    assert "parrot:x: answers through a module of its own; what it asks and costs is not known here" in told
    assert "bm25: asks no provider and costs nothing" in told


def test_model_of_a_package_is_asked_by_several_processes() -> None:
    from scrollwork.pipeline.engines.processes import Processes
    from scrollwork.pipeline.plan import Node

    nodes = [Node("generate", (), {}, f"scrollwork.tasks.generate.{way}") for way in ("plugin", "run")]
    assert [Processes(2).movable(node) for node in nodes] == [False, True]


def test_default_rule_of_a_metric_of_a_package_is_passed_over(scrollwork: Scrollwork, tmp_path: Path) -> None:
    work = installed(scrollwork, tmp_path)
    own = tmp_path / "own.toml"
    own.write_text(
        '[fixed]\nprovider = "baselines"\nrules.rest = { starts_right = { fixed = "Mira" }, qa = { fixed = "nobody" } }\n'
    )
    raw = ("--raw", str(tmp_path / "raw"), "--engine", "inline", "--quiet", "--json")
    done = work("run", "harbour", "--models", str(own), "--model", "fixed", "--task", "notes", *raw, status=1)
    assert done.document["tasks"][0]["value"] == 50.0  # of two notes one is Mira's


@pytest.mark.slow
def test_helper_in_a_folder_without_init_is_in_no_key(scrollwork: Scrollwork, tmp_path: Path) -> None:
    metric = METRIC.replace("import colours\n", "import colours\nfrom helpers.text import plain  # noqa\n")
    work = installed(
        scrollwork, tmp_path, **{"harbour_suite/starts_right.py": metric, "helpers/text.py": "plain = str\n"}
    )
    run(work)
    assert stale(work) == set()
    edit(site(work) / "helpers" / "text.py", lambda text: text.replace("str", "repr"))
    assert {name.split()[0] for name in stale(work) if "notes" in name} >= OF_METRIC
