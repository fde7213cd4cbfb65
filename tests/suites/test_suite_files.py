"""Suite files: every key is read, or refused by name."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from scrollwork.pipeline.errors import UsageError
from scrollwork.suites import suite_files
from scrollwork.suites.suite_files import CONFIG, fresh_suite, load_suite, refuse_bad_tables
from tests.conftest import PROJECT

FILES = sorted((CONFIG / "suites").glob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_key_of_a_file_of_ours_is_refused(path: Path) -> None:
    refuse_bad_tables(path.name, tomllib.loads(path.read_text(encoding="utf-8")))


def tables(data: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Tables of a suite file whose keys are ours, by their names in TOML."""
    found = [("", data)]
    found += [("[runs]", data["runs"])] if "runs" in data else []
    for name, table in data["task"].items():
        found.append((f"[task.{name}]", table))
        found += [(f"[task.{name}.windows]", table["windows"])] if "windows" in table else []
        others = table.get("windows", {}).get("other", ())
        found += [(f"[task.{name}.windows] other[{place}]", other) for place, other in enumerate(others)]
        inner = ("splits", "sample", "paper", "judged")
        found += [(f"[task.{name}] {one}", table[one]) for one in inner if one in table]
    for name, table in data.get("prompts", {}).items():
        found.append((f"[prompts.{name}]", table))
        found += [(f"[prompts.{name}.task.{task}]", strings) for task, strings in table.get("task", {}).items()]
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_unknown_key_passes_silently(path: Path) -> None:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    for place, table in tables(data):
        table["shardz"] = 9
        with pytest.raises(UsageError) as error:
            refuse_bad_tables(path.name, data)
        where = f"{path.name}: {place}".rstrip(": ")
        assert str(error.value).startswith(f"{where}: unknown key 'shardz'; there are: ")
        del table["shardz"]


TOP = "name = 'x'\ntitle = 'X'\ndefault_splits = []\nseed = 1\ntruncation = 'input'\ntemperature = 0\n"
TASK = "[task.a]\ndataset = ''\nshort = ''\nkind = 'qa'\nmetric = 'f1'\nmax_new_tokens = 1\nsplits = {}\nraw = {}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = 'x'", "x.toml: lacks default_splits, seed, task, temperature, title, truncation"),
        (f"{TOP}task = 3", "x.toml: [task]: must be a table"),
        (f"{TOP}[task]\na = 3", "x.toml: [task.a]: must be a table"),
        (f"{TOP}runs = 3\n{TASK}", "x.toml: [runs]: must be a table"),
        (f"{TOP}{TASK}windows = [1]", "x.toml: [task.a.windows]: must be a table"),
        (f"{TOP}prompts.official = 'all'\n{TASK}", "x.toml: [prompts.official]: must be a table"),
        (f"{TOP}prompts.official.task = 'all'\n{TASK}", "x.toml: [prompts.official.task]: must be a table"),
    ],
)
def test_table_that_is_none_is_a_traceback(text: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        refuse_bad_tables("x.toml", tomllib.loads(text))
    assert str(error.value) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            f"{TOP}{TASK}".replace("'input'", "'inputt'"),
            "x.toml: truncation 'inputt' is none of .*; did you mean 'input'",
        ),
        (
            f"{TOP}{TASK}".replace("'f1'", "'rouge_gee'"),
            r"\[task.a\]: metric 'rouge_gee' is none of .* mean 'rouge_geo'",
        ),
        (f"{TOP}{TASK}".replace("'f1'", "1"), r"x.toml: \[task.a\]: metric 1 is none of"),
        (f"{TOP}{TASK}".replace("'qa'", "'summarisation'"), "kind 'summarisation' is none .* mean 'summarization'"),
        (f"{TOP}{TASK}sample = {{ sizze = 5 }}", r"\[task.a\] sample: unknown key 'sizze'; .* did you mean 'size'"),
        (f"{TOP}{TASK}paper = {{ exampels = 5 }}", r"\[task.a\] paper: unknown key 'exampels'; .* mean 'examples'"),
        (f"{TOP}{TASK}".replace("{}\nraw", "{valdation = 1}\nraw"), r"\[task.a\] splits: unknown key 'valdation'"),
    ],
)
def test_a_word_that_nothing_knows_passes_silently(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        refuse_bad_tables("x.toml", tomllib.loads(text))


def test_task_that_lacks_its_metric_is_a_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = Path(shutil.copytree(CONFIG, tmp_path / "config"))
    file = config / "suites" / "zeroscrolls.toml"
    text = file.read_text(encoding="utf-8")
    own = text.replace("[task.qmsum]", "[task.qmsum]\nshards = 1\n[task.qmsum2]", 1)
    file.with_name("mine.toml").write_text(own, encoding="utf-8")
    monkeypatch.setattr(suite_files, "CONFIG", config)
    with pytest.raises(
        UsageError, match=r"^mine.toml: \[task.qmsum\]: lacks dataset, kind, max_new_tokens, metric, raw"
    ):
        load_suite("mine")


def test_a_file_that_was_edited_is_taken_as_it_was(tmp_path: Path) -> None:
    """By whoever reads it in a process that has read it before, as a notebook does."""
    (text,) = re.findall(r"^```toml\n(.*?)^```", (PROJECT / "docs/extending/suite.md").read_text(), re.M | re.S)[:1]
    path = tmp_path / "mine.toml"
    path.write_text(text.replace('"harbour_log"', '"jsonl"').replace('"harbour"', '"mine"'), encoding="utf-8")
    assert load_suite(str(path)).title == "Harbour"
    path.write_text(path.read_text().replace('"Harbour"', '"Port"'), encoding="utf-8")
    assert fresh_suite(str(path)).title == load_suite(str(path)).title == "Port"
