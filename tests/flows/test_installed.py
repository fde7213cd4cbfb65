"""The wheel, its core alone, in a clean environment and an empty folder: what a user without a checkout has."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from scrollwork.cli.groups import GROUPS
from scrollwork.cli.options import COMMANDS
from tests.conftest import PROJECT, Scrollwork, Server, environment, kill, processes_of, with_internet

pytestmark = pytest.mark.slow
Installed = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the tree, and its sdist and wheel in `dist`."""
    return distributed(tmp_path_factory.mktemp("built"), "sdist", "wheel")


def distributed(place: Path, *kinds: str) -> Path:
    """A folder with a copy of the tree, and its distributions of these kinds in `dist`."""
    without = shutil.ignore_patterns(".*", "__pycache__", "tests")
    tree = Path(shutil.copytree(PROJECT, place / "tree", symlinks=True, ignore=without))
    made(place / "builder", "hatchling")
    build = [place / "builder" / "bin" / "python", "-m", "hatchling", "build", "-d", place / "dist"]
    build += [word for kind in kinds for word in ("-t", kind)]
    subprocess.run(build, cwd=tree, env=environment(), check=True, timeout=200)
    return place


def made(folder: Path, what: str | Path) -> None:
    """An environment with a distribution in it."""
    done = subprocess.run(
        [PROJECT / ".ci" / "environment", folder, sys.executable, what],
        env=with_internet(),
        capture_output=True,
        text=True,
        timeout=500,
    )
    if done.returncode:
        pytest.skip(f"no environment without a network: {done.stderr[-300:]}")


@pytest.fixture(scope="module")
def core(built: Path) -> Path:
    """The command in an environment with no extra, installed from the sdist: what most would take from an index."""
    (sdist,) = (built / "dist").glob("*.tar.gz")
    made(built / "env", sdist)
    return built / "env" / "bin" / "scrollwork"


@pytest.fixture
def installed(core: Path, tmp_path: Path) -> Installed:
    """Call it in an empty folder, with a home beside."""
    empty = tmp_path / "empty"
    empty.mkdir()

    def call(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        env = environment(PATH=f"{core.parent}{os.pathsep}/usr/bin{os.pathsep}/bin", **more)
        command = [core, "--home", tmp_path / "home", *arguments]
        done = subprocess.run(
            command, cwd=empty, env=env, capture_output=True, text=True, timeout=200, stdin=subprocess.DEVNULL
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert list(empty.iterdir()) == []
        return done

    return call


def test_wheel_of_the_sdist_or_of_the_checkout_lacks_or_adds_a_file(built: Path, core: Path) -> None:
    """Over the links the one of the sdist had 120 files of 672, and nobody said so."""
    rooms = [path.name for path in (built / "tree" / "scrollwork").iterdir() if path.is_symlink()]
    files = [path for room in rooms for path in (built / "tree" / room).rglob("*") if path.is_file()]
    wanted = {Path("scrollwork", path.relative_to(built / "tree")): path.read_bytes() for path in files}
    own = [path for path in (built / "tree" / "scrollwork").iterdir() if not path.is_symlink()]
    library = [path for one in own for path in (one.rglob("*") if one.is_dir() else [one]) if path.is_file()]
    wanted |= {path.relative_to(built / "tree"): path.read_bytes() for path in library if path.suffix != ".pyc"}
    for name in ("prefect.toml", "prefect.yaml", "deploy/automations.yaml"):
        wanted[Path("scrollwork", name)] = (built / "tree" / name).read_bytes()
    assert len(wanted) > 600
    (place,) = (built / "env").glob("lib/python*/site-packages")
    there = [path for path in (place / "scrollwork").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert {path.relative_to(place): path.read_bytes() for path in there} == wanted
    (wheel,) = (built / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        ours = {Path(name): archive.read(name) for name in archive.namelist() if ".dist-info/" not in name}
    assert ours == wanted


def test_rooms_of_a_project_are_taken_for_ours_or_ours_for_its(core: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    for room in ("flows", "tasks", "config", "models", "records"):
        (project / room).mkdir(parents=True)
        (project / room / "__init__.py").write_text("WHOSE = 'theirs'\n")
    (project / "mine.py").write_text(
        "import config, flows, models, records, tasks\n"
        "import scrollwork.flows.chains, scrollwork.cli.main\n"
        "assert {one.WHOSE for one in (config, flows, models, records, tasks)} == {'theirs'}\n"
        "raise SystemExit(scrollwork.cli.main.main())\n"
    )
    env = environment(PATH=f"{core.parent}{os.pathsep}/usr/bin{os.pathsep}/bin")
    python = core.parent / "python"
    for number, command in enumerate(([core], [python, "-m", "scrollwork.cli.main"], [python, "mine.py"])):
        home, engine = tmp_path / f"home-{number}", ("inline", "inline", "prefect")[number]
        asked = [*command, "--home", home, "run", *CHAIN, "--model", "naive", "--engine", engine, "--quiet"]
        done = subprocess.run(asked, cwd=project, env=env, capture_output=True, text=True, timeout=200)
        assert done.returncode == 0, done.stderr
        assert (home / "reports" / "zeroscrolls.html").is_file()
    assert sorted(path.name for path in project.iterdir() if path.name != "__pycache__") == [
        "config", "flows", "mine.py", "models", "records", "tasks",
    ]  # fmt: skip


CHAIN = ("zeroscrolls", "--sample", "--task", "qmsum")
MODEL = ("--model", "naive", "--engine", "inline", "--quiet")


def test_a_chain_or_status_needs_an_extra(installed: Installed) -> None:
    for command in (
        ("status",),
        ("run", *CHAIN, *MODEL),
        ("status",),
        ("plan", *CHAIN),
        ("verify",),
        ("store", "check"),
    ):
        done = installed(*command)
        assert done.returncode == 0, (command, done.stderr)
    assert installed("run", *CHAIN, *MODEL).stderr.splitlines()[0] == "nothing was to be done: every stage stands"
    assert installed("report", "zeroscrolls").returncode == 0


SMALL = {"design": ("--problems", "3", "--tasks", "1", "--windows", "5")}  # it simulates for minutes by default


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_command_ends_in_a_traceback(installed: Installed, tmp_path: Path, name: str) -> None:
    """Each in an empty folder with an empty home: what it says names no module of ours that lacks."""
    asked = "zeroscrolls" if name != "init" else str(tmp_path / "project")  # which writes what it is given
    for inner in [(one,) for one in GROUPS.get(name, ())] or [()]:
        for more in (SMALL.get("".join(inner), ()), ("--help",), (asked,)):
            done = installed(name, *inner, *more)
            assert done.returncode in (0, 1, 2)
            assert "No module named" not in done.stdout + done.stderr
            assert "No package metadata" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("run", *CHAIN, "--model", "openai:gpt-6-luna", "--engine", "inline"), 2, "pip install 'scrollwork[openai]'"),
        (
            ("run", *CHAIN, "--model", "anthropic:claude-opus-5-5", "--engine", "inline"),
            2,
            "pip install 'scrollwork[anthropic]'",
        ),
        (
            ("run", *CHAIN, *MODEL, "--tokenizer", "tiktoken:o200k_base", "--max-input-tokens", "100"),
            1,
            "pip install 'scrollwork[tokens]'",
        ),
        (("estimate", *CHAIN, "--model", "openai:gpt-6-luna"), 1, "pip install 'scrollwork["),
        (
            ("--store", "postgresql://nobody@127.0.0.1:9/none", "store", "check"),
            1,
            "pip install 'scrollwork[postgres]'",
        ),
    ],
    ids=["openai", "anthropic", "tiktoken", "estimate", "postgres"],
)
def test_what_lacks_an_extra_names_none(
    installed: Installed, arguments: tuple[str, ...], status: int, said: str
) -> None:
    key = "sk-proj-0123456789abcdefghij"
    done = installed(*arguments, OPENAI_API_KEY=key, ANTHROPIC_API_KEY=key)
    assert said in done.stdout + done.stderr
    assert done.returncode == status


def test_the_library_lacks_its_extra_and_names_none(core: Path, tmp_path: Path) -> None:
    for call in ("sw.suites()", "sw.open('.')", "sw.score('f1', ['a'], ['a'])"):
        command = [core.parent / "python", "-c", f"import scrollwork as sw; {call}"]
        done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60)
        said = "ModuleNotFoundError: polars is not installed: pip install 'scrollwork[frames]'"
        last = done.stderr.splitlines()[-1]
        assert last.startswith(f"{said} (scrollwork here is from a file: pip install '/")
        assert last.endswith("[frames]')")  # of the wheel, or of the source


def test_a_rehearsal_needs_a_checkout_or_a_key(built: Path, tmp_path: Path) -> None:
    """The wheel with the libraries of hosted models, and nothing else: vendors come with it."""
    (wheel,) = (built / "dist").glob("*.whl")
    made(tmp_path / "env", f"{wheel}[openai]")
    asked = ("--sample", "--task", "squality", "--model", "gpt-6-luna", "--tokenizer", "estimate", "--json", "--quiet")
    command = [tmp_path / "env" / "bin" / "scrollwork", "rehearse", "zeroscrolls", *asked]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["bill"]
    assert (row["replies"], row["difference_nano_usd"]) == (10, 0)


def test_up_in_no_project_starts_half_a_server(installed: Installed, tmp_path: Path) -> None:
    done = installed("up")
    assert done.returncode == 2
    assert done.stderr.startswith("scrollwork: up serves the deployments of scrollwork's prefect.yaml")
    assert "`scrollwork init DIR` writes a project that has one; call it there. `scrollwork run`" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "home").exists()


# ---- a project of one's own


@dataclass(frozen=True)
class Stranger:
    """Who has the installed package alone, and types in a folder."""

    bin: Path
    folder: Path

    def __call__(self, *typed: str, status: int | None = 0, **more: str) -> subprocess.CompletedProcess[str]:
        """A command of the environment, as in a shell there."""
        env = environment(PATH=f"{self.bin}{os.pathsep}/usr/bin{os.pathsep}/bin", **more)
        done = subprocess.run(
            [self.bin / typed[0], *typed[1:]], cwd=self.folder, env=env, capture_output=True, text=True, timeout=280,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert status is None or done.returncode == status, (typed, done.stdout[-3000:], done.stderr[-3000:])
        return done

    @property
    def server(self) -> Server:
        """What `up` started there."""
        return Server(Scrollwork(self.folder, self.folder / ".scrollwork"))


@pytest.fixture(scope="module")
def stranger(core: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stranger]:
    """With a project in a folder that has `flows`, `tasks` and `config` of its own, and a server that `up` started."""
    outside = tmp_path_factory.mktemp("stranger")
    project = outside / "my-evals"
    for room in ("flows", "tasks", "config", "models"):
        (project / room).mkdir(parents=True)
        (project / room / "__init__.py").write_text("raise SystemExit('theirs was taken for ours')\n")
    (project / "flows" / "build_datasets.py").write_text(
        "from prefect import flow\n\n\n@flow\ndef build_datasets():\n    raise SystemExit('theirs was taken for ours')\n"
    )
    Stranger(core.parent, outside)("scrollwork", "init", "my-evals")
    (project / "models.toml").write_text(
        '[brief]\nprovider = "extractive"\nrules.qmsum = { first = 3 }\n\n'
        '[theirs]\nprovider = "compatible"\nid = "a"\nbase_url = "https://example.com/v1"\nkey_env = "EXAMPLE_API_KEY"\n'
    )
    here = Stranger(core.parent, project)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    try:
        here("scrollwork", "up", "--port", str(port), EXAMPLE_API_KEY="sk-0123456789abcdefghij")
        yield here
    finally:
        here("scrollwork", "down", status=None)
        kill(processes_of(project / ".scrollwork"))


def test_the_literal_command_needs_a_checkout_or_takes_the_projects_flows(stranger: Stranger) -> None:
    """`prefect deployment run build-datasets`, watched to its end: what the README promises, from the wheel alone."""
    done = stranger("prefect", "deployment", "run", "build-datasets", "--watch")
    assert "Flow run finished successfully in 'Completed'." in done.stdout
    (run,) = [one for one in stranger.server.flow_runs() if one["name"] == "build zeroscrolls"]
    states = Counter(one["state_name"] for one in stranger.server.task_runs(run["id"]).values())
    assert set(states) == {"Completed"}
    assert (stranger.folder / ".scrollwork" / "reports" / "zeroscrolls-statistics.html").is_file()
    rows = json.loads(stranger("scrollwork", "plan", "zeroscrolls", "--sample", "--json").stdout)
    assert {row["state"] for row in rows} == {"reused"}, "the command in that folder has another home, or other keys"


def test_an_evaluation_of_a_project_does_not_know_its_models(stranger: Stranger) -> None:
    """models_file in prefect.yaml is the project's file wherever the worker is: here a table of it gives the answers."""
    assert "EXAMPLE_API_KEY" in stranger.server.noted["variables"]
    asked = ["--param", 'models=["brief"]', "--param", 'tasks=["qmsum"]', "--watch"]
    done = stranger("prefect", "deployment", "run", "evaluate", *asked)
    assert "Flow run finished successfully in 'Completed'." in done.stdout
    document = json.loads(stranger("scrollwork", "status", "--json").stdout)
    assert document["runs"][-1]["models"] == ["brief"]
    assert (document["server_state"], document["worker_state"]) == ("running", "running")


def test_a_flow_run_that_lacks_an_extra_names_none(stranger: Stranger) -> None:
    """The core alone is installed, and a table of the project's models.toml asks for a hosted model."""
    asked = ["--param", 'models=["theirs"]', "--param", 'tasks=["qmsum"]', "--watch"]
    stranger("prefect", "deployment", "run", "evaluate", *asked, status=1)
    run = stranger.server.flow_runs()[0]
    assert run["state_name"] == "Failed"
    assert "UsageError: aiohttp is not installed: pip install 'scrollwork[openai]'" in run["state"]["message"]


def test_the_night_of_a_project_fails_or_its_deployments_cannot_be_made_again(stranger: Stranger) -> None:
    done = stranger("prefect", "--no-prompt", "deploy", "--all")
    assert done.stdout.count("successfully created") == 4
    made = {one["name"] for one in stranger.server.post("automations/filter", limit=200)}
    assert {"scrollwork: heartbeat lost", "scrollwork: regression"} <= made, "the wheel lacks deploy/automations.yaml"
    nightly = stranger.server.get("deployments/name/evaluate/nightly-eval")
    assert [one["schedule"]["cron"] for one in nightly["schedules"]] == ["0 2 * * *"]
    assert nightly["parameters"]["models_file"] == "models.toml"
    for name in ("nightly-eval", "nightly"):
        done = stranger("prefect", "deployment", "run", name, "--watch")
        assert "Flow run finished successfully in 'Completed'." in done.stdout, name


def test_a_project_is_left_with_more_than_a_home_or_a_server_goes_on(stranger: Stranger) -> None:
    """Last: the server is gone afterwards. A worker that died is brought back from the same folder."""
    kill([stranger.server.noted["worker"]])
    (stranger.folder / "statistics.py").write_text("raise SystemExit('theirs was taken for ours')\n")
    said = stranger("scrollwork", "up").stderr
    assert "its worker has ended" in said, "it begins in a folder that hides a module of Python's"
    assert "flow runs import statistics of this project in place of the module of that name that is installed" in said
    (stranger.folder / "statistics.py").unlink()
    stranger("scrollwork", "init", "other")
    other = Stranger(stranger.bin, stranger.folder / "other")
    said = other("scrollwork", "--home", "../.scrollwork", "up").stderr
    assert (
        f"it serves the deployments of {stranger.folder}: scrollwork down, then up, for those of {other.folder}" in said
    )
    shutil.rmtree(other.folder)
    assert json.loads(stranger("scrollwork", "status", "--json").stdout)["worker_state"] == "running"
    assert stranger("scrollwork", "down").stderr.splitlines() == ["stopped"]
    assert processes_of(stranger.folder / ".scrollwork") == []
    assert sorted(path.name for path in stranger.folder.iterdir()) == [
        ".gitignore", ".scrollwork", "config", "flows", "models", "models.toml", "prefect.toml", "prefect.yaml", "tasks",
    ]  # fmt: skip
