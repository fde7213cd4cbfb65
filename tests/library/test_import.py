"""`import scrollwork` costs next to nothing, and its names are there in any order of imports and for type checkers."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import textwrap
from importlib.metadata import version
from pathlib import Path

import pytest

import scrollwork as sw
from scrollwork.suites.suite_files import bundled_suites, load_suite
from tests.conftest import PROJECT, environment
from tests.some_slow import one_in

HEAVY = ("polars", "pyarrow", "numpy", "pandas", "prefect", "sqlalchemy", "fsspec", "httpx", "pydantic", "matplotlib")


def python(code: str, *arguments: str, cwd: Path = PROJECT, **more: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, with this checkout's package."""
    env = environment(PYTHONPATH=str(PROJECT), **more)
    command = [sys.executable, *arguments, "-c", textwrap.dedent(code)]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=120)


def printed(code: str, *arguments: str) -> str:
    """What code prints; it must end well."""
    done = python(code, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def cpu_of(code: str) -> float:
    """CPU seconds of a process, the least of five."""
    least = float("inf")
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        printed(code)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def test_the_import_loads_a_library_or_a_room() -> None:
    loaded = printed("import sys, scrollwork; print(*sys.modules)").split()
    assert "scrollwork" in loaded
    assert [name for name in loaded if name.split(".")[0] in HEAVY or name.startswith("scrollwork.")] == []


def test_the_import_takes_longer_than_that_of_json() -> None:
    """As much CPU again as Python's own start with a small module of its library, at most."""
    assert cpu_of("import scrollwork") < 2 * cpu_of("import json")


def test_the_command_line_loads_polars() -> None:
    code = """
        import sys
        from scrollwork.cli.main import main
        try:
            main(sys.argv[1:] or ["--help"])
        except SystemExit:
            pass
        print("loaded:", *(name for name in sys.modules if name in ("polars", "pyarrow", "scrollwork.frames", "scrollwork.api")))
    """
    assert printed(code).splitlines()[-1] == "loaded:"


@pytest.mark.parametrize(
    "imports",
    one_in(
        3,
        [
            "import scrollwork as sw",
            "import scrollwork.suites.request as request; import scrollwork as sw",
            "import scrollwork as sw; sw.suites; import scrollwork.suites.request as request",
            "from scrollwork import suites; import scrollwork as sw; assert sw.suites is suites",
            "from scrollwork.suites.request import Request; from scrollwork import score; import scrollwork as sw",
            "import scrollwork.suites; import scrollwork as sw; assert scrollwork.suites is sw.suites",
        ],
    ),
)
def test_the_room_or_the_function_of_suites_hides_the_other(imports: str) -> None:
    code = f"""
        {imports}
        frame = sw.suites()
        import scrollwork.suites.options
        from scrollwork.suites import suite_files
        assert sw.suites() .equals(frame)
        assert scrollwork.suites.options.every_option()
        print(len(frame), suite_files.__name__)
    """
    code = textwrap.dedent(code).replace(imports, imports.replace("; ", "\n"))
    assert printed(code).split() == [str(len(sw.suites())), "scrollwork.suites.suite_files"]


def test_a_name_that_is_not_there_is_no_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'scrollwork' has no attribute 'scoer'"):
        sw.scoer  # noqa: B018
    assert {"open", "score", "suites", "seam", "dolce", "Home", "KEY", "run", "model", "compare"} <= set(dir(sw))


def test_a_suite_or_a_task_is_not_listed() -> None:
    found = sw.suites()
    assert found.columns == ["suite", "task", "metric", "design", "splits", "in_sample"]
    assert list(dict.fromkeys(found["suite"])) == bundled_suites()
    for name in bundled_suites():
        suite = load_suite(name)
        own = found.filter(suite=name)
        assert own["task"].to_list() == list(suite.tasks)
        assert own["metric"].to_list() == [task.metric for task in suite.tasks.values()]
        assert own["splits"].to_list() == [list(task.splits) for task in suite.tasks.values()]
        assert set(own["design"]) == {suite.design}
    in_sample = found.filter("in_sample").group_by("suite").len()
    assert dict(in_sample.iter_rows()) == {"zeroscrolls": 10, "scrolls": 7, "seam": 6, "dolce": 2}


@pytest.mark.slow
def test_without_polars_the_extra_is_not_named(tmp_path: Path) -> None:
    (tmp_path / "polars.py").write_text("raise ModuleNotFoundError(\"No module named 'polars'\", name='polars')\n")
    for call in (
        "sw.suites()",
        "sw.open('.')",
        "sw.score('f1', ['a'], ['a'])",
        "sw.Home",
        "sw.run('seam')",
        "sw.compare",
    ):
        done = python(f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import scrollwork as sw; {call}")
        said = "ModuleNotFoundError: polars is not installed: pip install 'scrollwork[frames]'"
        own = f"{said} (scrollwork here is from a checkout: pip install -e '{PROJECT}[frames]')"
        assert done.stderr.splitlines()[-1] in (said, own)  # as it was installed


USER = """
import polars as pl

import scrollwork as sw
from scrollwork.suites.request import Request
from tests.some_slow import one_in

home: sw.Home = sw.open("somewhere", store="")
lazy: pl.LazyFrame = home.scores("zeroscrolls", models=["bm25"])
listed: pl.DataFrame = sw.suites()
scored: pl.DataFrame = sw.score("rouge_geo", ["a"], [["a", "b"]], stem=True)
key: tuple[str, ...] = sw.KEY
ranked: pl.DataFrame = sw.seam.rank([{"model": "a"}])
fits: pl.DataFrame = sw.dolce.fit(lazy, tau=0.75)
by_column: pl.DataFrame = sw.score("f1", listed["suite"], listed["task"])
request: type[Request] = Request
mine = sw.model(lambda prompt: prompt, name="mine", revision="1")
ran: sw.RunResult = sw.run("zeroscrolls", models=["bm25", mine], sample=True, tasks="squality", limit=3)
board: pl.DataFrame = ran.board
states: pl.DataFrame = sw.plan("zeroscrolls", models="bm25", splits=["test"])
built: sw.BuildResult = sw.build("zeroscrolls", sample=True)
compared: sw.Comparison = sw.compare(board, home, ran, "a.csv", by="document")
sw.run("zeroscrolls", modles=["bm25"])  # error
sw.run("zeroscrolls", models=["bm25"], limit="3")  # error
sw.build("zeroscrolls", models=["bm25"])  # error
sw.model(lambda prompt: prompt, name="mine")  # error
rows = sw.dataset("zeroscrolls", "qmsum", split="test", sample=True, prompts=True, models="bm25", streaming=True)
sw.dataset("zeroscrolls")  # error
sw.dataset("zeroscrolls", "qmsum", budget=3)  # error
sw.open(3)  # error
home.scores(suites="zeroscrolls")  # error
sw.score("rouge_geo")  # error
reveal_type(sw.suites)
"""


@pytest.mark.slow
def test_a_type_checker_does_not_know_the_library(tmp_path: Path) -> None:
    """With the package as a user has it: on the path, marked as typed, and nothing of our settings."""
    script = tmp_path / "user.py"
    script.write_text(USER)
    env = environment(MYPYPATH=str(PROJECT))
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--follow-imports=silent",
        f"--cache-dir={tmp_path}",
        "user.py",
    ]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300)
    lines = [number for number, line in enumerate(USER.splitlines(), start=1) if line.endswith("# error")]
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert sorted({int(re.match(r"user\.py:(\d+):", line)[1]) for line in errors}) == lines, done.stdout
    assert 'Revealed type is "def () -> polars.dataframe.frame.DataFrame"' in done.stdout


def test_a_notebook_cannot_say_which_version_it_used() -> None:
    assert sw.__version__ == version("scrollwork")
