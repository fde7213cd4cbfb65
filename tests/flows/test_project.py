"""A project of one's own: what `scrollwork init` writes and refuses, and which folder `up` and `prefect` take for it."""

from __future__ import annotations

import inspect
import json
import re
import resource
import shutil
import signal
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
import yaml

from scrollwork.flows.server import plugin, project, recovery
from scrollwork.flows.server.local_server import forget_server, module_command, note_path, note_server, noted_server
from scrollwork.pipeline.errors import UsageError
from tests.conftest import BIN, PROJECT, environment
from tests.some_slow import one_in

FOUR = {".gitignore", "models.toml", "prefect.toml", "prefect.yaml"}


@pytest.fixture
def made(tmp_path):
    """A project."""
    folder = tmp_path / "my-evals"
    project.make_project(str(folder))
    return folder


def uncommented(text: str) -> str:
    """What becomes of the examples in comments when "# " is taken away from them: prose stays a comment."""
    code = r"^# (?=\[|\w+ = |   ?- name:|    +\w+:)"
    return re.sub(code, "", text, flags=re.MULTILINE)


def contents(folder: Path) -> dict[str, bytes]:
    """The bytes of every file below a folder, by its path."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


# ---- what is written


def test_a_file_is_missing_or_not_told(call, tmp_path):
    status, out, _ = call("--json", "init", "new/evals")
    assert (status, json.loads(out)["out"]) == (0, "new/evals")
    assert json.loads(out)["files"] == [f"new/evals/{name}" for name in sorted(FOUR)]
    assert {path.name for path in (tmp_path / "new" / "evals").iterdir()} == FOUR
    (tmp_path / "it's").mkdir()
    status, out, err = call("init", "it's")
    assert out.split("\n")[:4] == [f"it's/{name}" for name in sorted(FOUR)]
    assert err == "next: cd 'it'\"'\"'s'; scrollwork up; prefect deployment run build-datasets\n"


def test_deployments_of_a_project_differ_from_those_of_the_checkout(made):
    """But for where their flows are found, and whose models they know."""
    ours = yaml.safe_load((PROJECT / "prefect.yaml").read_text())
    theirs = yaml.safe_load((made / "prefect.yaml").read_text())
    modules = {"flows/build_datasets.py:build_datasets": "scrollwork.flows.build_datasets.build_datasets"}
    modules["flows/evaluate.py:evaluate"] = "scrollwork.flows.evaluate.evaluate"
    modules["flows/nightly.py:nightly"] = "scrollwork.flows.nightly.nightly"
    for one in ours["deployments"]:
        one["entrypoint"] = modules[one["entrypoint"]]
        if "build_datasets" not in one["entrypoint"]:
            one["parameters"] = {"models_file": "models.toml", **one["parameters"]}
    assert theirs == ours
    assert (made / "prefect.toml").read_bytes() == (PROJECT / "prefect.toml").read_bytes()


def test_a_deployment_of_a_project_names_a_flow_or_an_option_that_is_none(made):
    text = (made / "prefect.yaml").read_text()
    deployments = yaml.safe_load(uncommented(text))["deployments"]
    assert [one["name"] for one in deployments] == [
        "build-datasets",
        "evaluate",
        "nightly-eval",
        "nightly",
        "my-server",
    ]
    assert yaml.safe_load(text)["deployments"] == deployments[:4]
    for one in deployments:
        module, _, name = one["entrypoint"].rpartition(".")
        flow = getattr(import_module(module), name)
        inspect.signature(flow.fn).bind(**one.get("parameters", {}))
    assert set(deployments[4]["parameters"]["models"]) <= set(
        tomllib.loads(uncommented((made / "models.toml").read_text()))
    )


def test_a_project_begins_with_a_model_that_costs_money(made):
    assert tomllib.loads((made / "models.toml").read_text()) == {}
    for one in yaml.safe_load((made / "prefect.yaml").read_text())["deployments"]:
        assert one.get("parameters", {}).get("models", ["naive"]) == ["naive"]


@pytest.mark.parametrize("model", ["my-server", "my-vendor", "gpt-6-luna"])
def test_an_example_of_a_table_of_models_is_refused(call, made, monkeypatch, model):
    """Each, with its "# " taken away; a checkpoint must be there, so that its example is looked at below."""
    file = made / "models.toml"
    file.write_text(uncommented(file.read_text()))
    for name in ("EXAMPLE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "sk-0123456789abcdefghij")
    status, out, err = call(
        "plan", "zeroscrolls", "--sample", "--task", "qmsum", "--model", model, "--models", str(file), "--json"
    )
    assert status == 0, err
    assert [row["state"] for row in json.loads(out) if row["stage"] == "generate"] == ["missing"]


def test_the_example_of_a_checkpoint_has_a_key_that_is_none(call, made):
    file = made / "models.toml"
    file.write_text(uncommented(file.read_text()))
    status, _, err = call("plan", "zeroscrolls", "--sample", "--model", "my-checkpoint", "--models", str(file))
    assert status == 2
    assert "/checkpoints/my-model" in err
    assert "is no key" not in err


def test_what_a_home_holds_is_committed_to_the_projects_repository(made):
    for name in ("prefect/secret", "responses.db", "raw/qmsum/a.jsonl"):
        path = made / ".scrollwork" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (made / ".env").write_text("OPENAI_API_KEY=sk-x")
    subprocess.run(["git", "init", "-q"], cwd=made, check=True, env=environment())
    listed = subprocess.run(
        ["git", "ls-files", "-o", "--exclude-standard"],
        cwd=made,
        check=True,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert set(listed.stdout.split()) == FOUR


# ---- what is refused


@pytest.mark.parametrize("name", sorted(FOUR - {".gitignore"}))
def test_a_file_of_the_users_is_overwritten(call, tmp_path, name):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / name).write_text("mine")
    status, out, err = call("init", "own")
    assert (status, out) == (2, "")
    assert err.startswith(f"scrollwork: own has {name} already; nothing was written: ")
    assert contents(tmp_path / "own") == {name: b"mine"}


def test_a_gitignore_of_a_repository_keeps_init_out_or_is_overwritten(call, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / ".gitignore").write_text("mine")
    status, out, err = call("init", "own")
    assert status == 0
    assert set(out.split()) == {f"own/{name}" for name in FOUR - {".gitignore"}}
    assert (tmp_path / "own" / ".gitignore").read_text() == "mine"
    assert ".gitignore was there and is kept; .scrollwork/ (the home) and .env (keys) belong in it" in err


def test_a_dead_link_is_written_through(call, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "models.toml").symlink_to(tmp_path / "elsewhere.toml")
    status, _, err = call("init", "own")
    assert status == 2
    assert "own has models.toml already" in err
    assert not (tmp_path / "elsewhere.toml").exists()


def test_a_second_init_changes_what_the_user_has_edited(call, made):
    (made / "models.toml").write_text("[mine]\n")
    before = contents(made)
    status, _, err = call("init", "my-evals")
    assert status == 2
    assert "my-evals has models.toml, prefect.toml, prefect.yaml already; nothing was written" in err
    assert contents(made) == before


@pytest.mark.parametrize("folder", ["", ".", "docs", "new", "flows/server/new"])
def test_a_project_is_written_into_a_checkout(call, house, folder):
    place = house / folder
    before = place.exists()
    status, _, err = call("init", str(place))
    assert status == 2
    assert f"lies in the checkout {house}, which is a project by itself: `scrollwork up` works there" in err
    assert place.exists() == before


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        ("file", 2, "file is no folder; a project is one: scrollwork init DIR"),
        ("file/below", 1, "file/below: no project can be written there (Not a directory)"),
        ("/proc/none", 1, "/proc/none: no project can be written there (No such file or directory)"),
        ("", 2, "init '': name a folder of this machine, scrollwork init DIR"),
        ("s3://bucket/evals", 2, "init 's3://bucket/evals': name a folder of this machine, scrollwork init DIR"),
        ("theirs", 2, "theirs has scrollwork.py, which flow runs in that folder would import in place of the package"),
    ],
)
def test_what_can_be_no_project_is_told_in_a_traceback_or_half_made(call, tmp_path, given, status, said):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "scrollwork.py").write_text("")
    before = contents(tmp_path)
    ended, out, err = call("init", given)
    assert (ended, out) == (status, "")
    assert err.startswith(f"scrollwork: {said}")
    assert len(err.splitlines()) == 1
    assert contents(tmp_path) == before


@pytest.mark.parametrize("there", [False, True])
def test_a_full_disk_leaves_half_a_project(house, tmp_path, there):
    """The .gitignore fits, what comes after it does not."""
    place = tmp_path / "own" / "evals"
    if there:
        place.mkdir(parents=True)
        (place / "mine.txt").write_text("mine")
    done = subprocess.run(
        [sys.executable, "-m", "scrollwork.cli.main", "init", str(place)],
        cwd=house,
        env=environment(PYTHONPATH=str(house), PYTHONDONTWRITEBYTECODE="1"),  # it would be cut, without an error
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert f"{place}: file size limit reached while writing models.toml" in done.stderr
    assert contents(tmp_path) == ({"own/evals/mine.txt": b"mine"} if there else {})
    assert (tmp_path / "own").exists() == there


STOPPED = """
import os, sys
from scrollwork.cli.main import main
from tests.some_slow import one_in

sign, when, number, folder = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
seen = []

def stop(event, arguments):
    if event == when and (event == "os.link" or str(arguments[0]) == folder):
        seen.append(event)
        if len(seen) == number:
            os.kill(os.getpid(), sign)

sys.addaudithook(stop)
sys.exit(main(["init", folder]))
"""


@pytest.mark.parametrize("when", ["os.link", "open"], ids=["before", "after"])  # open: the folder is synced
@pytest.mark.parametrize("number", one_in(3, [3, 1, 4]))
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_init_leaves_something_or_a_killed_one_half_a_file(house, tmp_path, sign, number, when):
    """Stopped before or after the file of that number has its name."""
    command = [sys.executable, "-c", STOPPED, str(int(sign)), when, str(number), str(tmp_path / "evals")]
    done = subprocess.run(command, cwd=house, env=environment(PYTHONPATH=str(house)), capture_output=True, text=True)
    if sign == signal.SIGINT:
        assert done.returncode == 130, done.stderr
        assert list(tmp_path.iterdir()) == []
        return
    assert done.returncode == -signal.SIGKILL, done.stderr
    texts = list(project.project_files().items())[: number - (when == "os.link")]
    left = {name: data for name, data in contents(tmp_path).items() if "/.tmp-" not in name}
    assert left == {f"evals/{name}": text.encode() for name, text in texts}


# ---- which folder is the project


def test_the_flows_of_a_folder_are_taken_for_ours(tmp_path, monkeypatch):
    """Its prefect.yaml names flows/build_datasets.py, as the checkout's does: the user's own file. Or ours in a comment."""
    monkeypatch.setattr(project, "checkout", lambda: None)
    monkeypatch.chdir(tmp_path)
    shutil.copy(PROJECT / "prefect.yaml", tmp_path)
    assert project.project_folder() is None
    (tmp_path / "prefect.yaml").write_text("# entrypoint: scrollwork.flows.evaluate.evaluate\ndeployments: []\n")
    assert project.project_folder() is None
    with pytest.raises(UsageError, match=re.escape(f"{tmp_path} has none: `scrollwork init DIR` writes a project")):
        raise project.refuse_no_project()


def test_a_folder_above_is_served_unasked_or_not_named(made, monkeypatch):
    monkeypatch.setattr(project, "checkout", lambda: None)
    monkeypatch.chdir(made)
    assert project.project_folder() == made
    (made / "notebooks").mkdir()
    monkeypatch.chdir(made / "notebooks")
    assert project.project_folder() is None
    assert f"{made} is a project; call it there" in str(project.refuse_no_project())


def test_another_checkout_is_served_by_the_installed_package(house, monkeypatch):
    monkeypatch.setattr(project, "checkout", lambda: None)
    monkeypatch.chdir(house / "docs" if (house / "docs").is_dir() else house / "flows")
    assert project.project_folder() is None
    assert f"the checkout {house} has a command of its own" in str(project.refuse_no_project())


def test_a_checkout_is_no_project_from_another_folder(made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert project.project_folder() == PROJECT
    monkeypatch.chdir(made)
    assert project.project_folder() == made


def test_prefect_in_a_project_is_sent_to_the_server_of_the_checkout(made, tmp_path, monkeypatch):
    """The checkout's runs; in the project none does."""
    monkeypatch.setattr(plugin, "is_running", lambda server: True)
    monkeypatch.setattr(project, "checkout", lambda: tmp_path / "checkout")
    for name in ("SCROLLWORK_HOME", "PREFECT_API_URL", "PREFECT_API_AUTH_STRING"):
        monkeypatch.setenv(name, "")  # what the plugin sets is taken away again
        monkeypatch.delenv(name)
    server = {"url": "http://127.0.0.1:9/api", "ui": "", "server": 1, "worker": 1, "home": str(tmp_path / "home")}
    note_server(server | {"project": str(tmp_path / "checkout")})
    monkeypatch.chdir(made)
    assert plugin.point_to_server() is None
    monkeypatch.chdir(tmp_path)
    assert plugin.point_to_server().env == {"PREFECT_API_URL": server["url"]}


@pytest.mark.slow
def test_prefect_starts_an_empty_server_where_none_runs(made):
    env = {name: value for name, value in environment().items() if not name.startswith(("PREFECT_", "SCROLLWORK_"))}
    for words, status in ((["nightly"], 1), (["--help"], 0)):
        done = subprocess.run([BIN / "prefect", "deployment", "run", *words], cwd=made, env=env, capture_output=True)
        assert done.returncode == status, done.stderr
        said = b"no Prefect server of this project is running; `scrollwork up` starts one\n"
        assert done.stderr == (said if status else b"")


def test_a_server_is_not_noted_in_its_project_or_its_note_stays(made, tmp_path):
    home = tmp_path / "home"
    server = {"url": "", "ui": "", "server": 1, "worker": 1, "home": str(home), "project": str(made)}
    note_server(server)
    assert noted_server(home) == noted_server(made / ".scrollwork") == server
    forget_server(home)
    assert not note_path(home).exists()
    assert not note_path(made / ".scrollwork").exists()


def test_runs_of_a_project_are_not_known_as_its_own_or_those_of_another_are(made, monkeypatch):
    """`up` ends flow runs whose process is gone, of this project alone."""
    steps = [{"prefect.deployments.steps.set_working_directory": {"directory": str(made)}}]
    module, path = "scrollwork.flows.evaluate.evaluate", "flows/evaluate.py:evaluate"
    rows = [
        {"id": "ours", "entrypoint": module, "pull_steps": steps, "path": ""},
        {"id": "of another folder", "entrypoint": module, "pull_steps": [], "path": "/elsewhere"},
        {"id": "the user's own flow", "entrypoint": "flows/mine.py:mine", "pull_steps": steps, "path": ""},
        {"id": "of the checkout", "entrypoint": path, "pull_steps": [], "path": str(PROJECT)},
    ]
    monkeypatch.setattr(recovery, "all_rows", lambda *_: rows)
    assert recovery.own_deployments({"project": str(made)}) == ["ours"]
    assert recovery.own_deployments({}) == ["of the checkout"], "an earlier version noted no project"


# ---- modules of a project


def test_a_module_of_the_project_that_hides_a_library_is_not_told(made, monkeypatch):
    for room in ("flows", "tasks", "config", "statistics", "notebooks", "numpy"):
        (made / room).mkdir()
        if room not in ("notebooks", "numpy"):
            (made / room / "__init__.py").write_text("")
    for name in ("yaml.py", "mine.py", "scrollwork.py"):
        (made / name).write_text("")
    monkeypatch.chdir(made)
    monkeypatch.syspath_prepend(str(made))
    expected = ["scrollwork", "statistics", "yaml"]
    assert project.shadowing(made) == [name for name in expected if name != "scrollwork" or project.checkout() is None]


def test_a_module_of_the_project_hides_a_library_from_server_or_worker(made):
    """Both begin in its folder."""
    (made / "statistics.py").write_text("raise SystemExit('theirs')\n")
    command = [*module_command("statistics", made), "--help"]
    code = subprocess.run(command, cwd=made, env=environment(), capture_output=True, text=True)
    assert "theirs" not in code.stderr + code.stdout
    assert module_command("x", PROJECT) == [sys.executable, "-m", "x"]


def test_the_models_of_a_project_are_unknown_to_its_worker(made):
    from scrollwork.flows.server.variables import key_names

    file = Path(project.own_models(made))
    assert file == made / "models.toml"
    file.write_text(uncommented(file.read_text()))
    assert "EXAMPLE_API_KEY" in key_names(str(file))
    file.unlink()
    assert project.own_models(made) == ""
