"""What the tests share: the house copied once, homes with finished work, shared data, one real server for the session.

Commands run in a copy of the tree, with an environment of their own: nothing reaches the developer's home or server.
"""

from __future__ import annotations

import base64
import fcntl
import gc
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from _pytest.assertion import rewrite
from hypothesis import settings

from tests.forked import (
    POSSIBLE,
    READ_BY_LIBRARIES,
    Forked,
    connected,
    forking_process,
    remember_charts,
    unsynced,
    with_house,
)

settings.register_profile("untimed", deadline=None)  # how long an example takes depends on the machine
settings.register_profile("everyday", deadline=None, max_examples=25)  # `make test`
settings.load_profile("untimed")
PROJECT = Path(__file__).resolve().parents[1]
HOUSE = (
    *(
        "analysis",
        "cli",
        "config",
        "deploy",
        "designs",
        "exchange",
        "fetching",
        "flows",
        "models",
        "pipeline",
        "preprocessing",
        "readings",
    ),
    *("records", "rehearsal", "reporting", "sample", "scoring", "storage", "suites", "tasks", "scrollwork"),
    *("prefect.yaml", "prefect.toml", "pyproject.toml"),
)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell starts what runs behind it so, and children inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)
BIN = Path(sys.executable).parent
# The tests run beside each other and look into the process that they start: one builds all stages, but where a test says else.
WORKERS = os.environ["SCROLLWORK_WORKERS"] = "1"
# numpy too, which reads this when it is imported: on our small matrices a thread a core takes up to three times the CPU.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.fsync = unsynced
TOGETHER = Path()  # set by the fixture of this name
UNCHANGED = Path()  # the tree that nobody changes; set by the fixture `house`
SUITE = "zeroscrolls"


def parsed_in_peace(parse: Callable[..., Any]) -> Callable[..., Any]:
    """pytest parses test modules, and those of libraries that have such names, when they are imported. Before Python 3.13.1 this
    ends in a SystemError where garbage that prints a traceback is collected meanwhile (scrollwork.pipeline.source_digest)."""

    def parsed(*given: Any) -> Any:
        gc.disable()
        try:
            return parse(*given)
        finally:
            gc.enable()

    return parsed


rewrite._rewrite_test = parsed_in_peace(rewrite._rewrite_test)


def rewrite_a_share(config: pytest.Config, number: int, count: int) -> None:
    """Rewrite the asserts of every `count`-th test module, and keep them as pytest does. Workers of pytest collect the same
    modules at the same time: where none is kept, as in a fresh clone, each would rewrite all, 13 seconds of a core."""
    state = config.stash[rewrite.assertstate_key]
    for path in sorted((PROJECT / "tests").rglob("test_*.py"))[number::count]:
        kept = rewrite.get_cache_dir(path) / (path.stem + rewrite.PYC_TAIL)
        if rewrite._read_pyc(path, kept, state.trace) is None and rewrite.try_makedirs(kept.parent):
            with suppress(SyntaxError):  # its collection tells
                digest, code = rewrite._rewrite_test(path, config)
                rewrite._write_pyc(state, code, digest, kept)


# Files whose tests take `server`: on one worker of pytest, else each would start one.
ON_ONE_SERVER = ("tests/flows/test_server.py", "tests/flows/test_server_security.py", "tests/flows/test_pulled_code.py")
# Files that wait for most of their time, for leases, alarms, ends of processes: the last worker takes them one after the
# other, while the others keep the cores busy. Those that take longest come first, here and in LONGEST.
WAITING = (
    *("tests/flows/test_alerts.py", "tests/survival/test_terminated.py", "tests/survival/test_heartbeat_lost.py"),
    *("tests/survival/test_faulty_replies.py", "tests/survival/test_server_killed.py", "tests/remote/test_s3_cuts.py"),
    "tests/remote/test_s3_server_killed.py",
    *("tests/remote/test_s3_homes.py", "tests/reporting/test_page_in_browser.py", "tests/remote/test_database_away.py"),
    *("tests/models/test_local_runs.py", "tests/survival/test_kill.py", "tests/survival/test_batches_killed.py"),
    *("tests/tasks/test_batching.py", "tests/survival/test_calls_fail.py", "tests/survival/test_calls_survive.py"),
    *("tests/flows/test_deployed.py", "tests/survival/test_fresh_killed.py", "tests/tasks/test_faulty_batches.py"),
    *("tests/models/test_batches.py", "tests/rehearsal/test_server.py"),
)
# Workers of pytest are handed files in the order of collection: whoever got one of these last would go on alone.
LONGEST = (
    *ON_ONE_SERVER,
    *("tests/flows/test_planted_chain.py", "tests/flows/test_deploy.py", "tests/flows/test_installed.py"),
    *("tests/cli/test_rehearse.py", "tests/remote/test_two_machines.py"),
    *("tests/exchange/test_export_validators.py", "tests/exchange/test_task_exports_run.py"),
    *("tests/flows/test_seam_runs.py", "tests/models/test_local.py"),
    *("tests/flows/test_seam_hostile.py", "tests/flows/test_bad_raw_input.py"),
    *("tests/suites/test_plugins.py", "tests/cli/test_dolce_commands.py"),
    *("tests/pipeline/test_source_digests.py", "tests/pipeline/test_plan.py", "tests/storage/test_builders_at_once.py"),
    *("tests/tasks/test_outside.py", "tests/readings/test_estimate.py"),
    *("tests/servers/test_vendor.py", "tests/storage/test_store_files.py", "tests/readings/test_unequal_inputs.py"),
    *("tests/suites/test_extending.py", "tests/readings/test_verify.py", "tests/storage/test_download.py"),
    *("tests/test_extending_pages.py", "tests/suites/test_options.py", "tests/exchange/test_releases.py"),
    *("tests/preprocessing/test_bad_fields.py", "tests/cli/test_command_line.py"),
)
FIRST = {name: place for place, name in enumerate((*WAITING, *LONGEST))}


CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
DEVELOPERS_CERTIFICATES = "PYTEST_DEVELOPERS_CERTIFICATES"


def pytest_configure(config: pytest.Config) -> None:
    """Let one certificate be trusted, here and in what is started, not all of the machine: a client takes 30 ms to read
    those, the suites make thousands, and no server of the tests has one."""
    if worker := getattr(config, "workerinput", None):  # a worker of pytest, which inherits
        if not sys.dont_write_bytecode:
            rewrite_a_share(config, int(worker["workerid"].removeprefix("gw")), worker["workercount"])
        return
    import certifi

    os.environ[DEVELOPERS_CERTIFICATES] = json.dumps({n: os.environ.pop(n) for n in CERTIFICATES if n in os.environ})
    first, end, _ = certifi.contents().partition("-----END CERTIFICATE-----")
    folder = Path(tempfile.mkdtemp(prefix="one-certificate-"))
    folder.chmod(0o755)  # other users too, as whom some tests start programs
    config.add_cleanup(lambda: shutil.rmtree(folder))
    (folder / "one.pem").write_text(first[first.rindex("-----BEGIN") :] + end + "\n")
    os.environ["SSL_CERT_FILE"] = str(folder / "one.pem")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand out whole files, those of ON_ONE_SERVER as if they were one, and those of WAITING to the last of three workers or
    more as long as there are any, to others when nothing else is left."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file: str = super()._split_scope(nodeid)
            return ON_ONE_SERVER[0] if file in ON_ONE_SERVER else file

        def _assign_work_unit(self, node: Any) -> None:
            waits = len(self.nodes) > 2 and node is self.nodes[-1]
            if wanted := next((file for file in self.workqueue if (file in WAITING) == waits), ""):
                self.workqueue.move_to_end(wanted, last=False)
            super()._assign_work_unit(node)

    return Scheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, then others with slow tests, then the rest; within a file nothing moves."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}

    def place(item: pytest.Item) -> tuple[int, bool]:
        name = item.nodeid.partition("::")[0]
        return FIRST.get(name, len(FIRST)), item.path not in slow

    items.sort(key=place)


def pytest_collection_finish() -> None:
    """What was collected, thousands of tests, is looked through by no later collection of garbage: one took a second."""
    gc.collect()
    gc.freeze()


def environment(**more: str) -> dict[str, str]:
    """The environment of this process without what is set for Prefect, scrollwork or pytest; with bytecode kept, as users have it:
    else each of the hundreds of processes compiles its copy of the house anew."""
    left_out = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "DO_NOT_TRACK")
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PREFECT_", "SCROLLWORK_", "PYTEST_")) and name not in left_out
    }
    own = {"NO_PROXY": "127.0.0.1,localhost", "PATH": f"{BIN}{os.pathsep}{kept.get('PATH', '')}", "COLUMNS": "160"}
    own["SCROLLWORK_WORKERS"] = WORKERS
    return {**kept, **own, **more}


def with_internet() -> dict[str, str]:
    """The environment of what fetches from the internet, with the certificates that the developer trusts."""
    kept = {name: value for name, value in environment().items() if name not in CERTIFICATES}
    return {**kept, **{name: value for name, value in developers_certificates().items() if value}}


def developers_certificates() -> dict[str, str]:
    """The variables that say which certificates the developer trusts, "" for one that is not set."""
    return {**dict.fromkeys(CERTIFICATES, ""), **json.loads(os.environ[DEVELOPERS_CERTIFICATES])}


def copy_tree(target: Path) -> Path:
    """The tree, without what was built in it."""
    for name in HOUSE:
        source = PROJECT / name
        if source.is_dir():
            shutil.copytree(source, target / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        else:
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name)
    return target


@dataclass(frozen=True)
class Done:
    """A command that ended."""

    status: int
    out: str
    err: str
    seconds: float

    @property
    def document(self) -> Any:
        """Standard output as the one JSON document that it must be."""
        return json.loads(self.out)


# What a first start of Prefect's server does: its tables, the types of blocks.
FIRST_START = """
import asyncio
from prefect.server.database import provide_database_interface
from prefect.server.models.block_registration import run_block_auto_registration

async def first_start():
    database = provide_database_interface()
    await database.create_db()
    async with database.session_context() as session:
        await run_block_auto_registration(session=session)

asyncio.run(first_start())
"""


def made_once(name: str, make: Callable[[Path], object]) -> Path:
    """A folder that all workers of pytest read: whoever needs it first makes it, the others wait."""
    with (TOGETHER / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = TOGETHER / name
        if not made.is_dir():
            unfinished = TOGETHER / f"{name}-unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            make(unfinished)
            unfinished.rename(made)
    return made


def answer_of(opener: urllib.request.OpenerDirector, request: urllib.request.Request) -> bytes:
    """The answer of a Prefect server without our guard. Where its SQLite is locked (503) it is asked again, as Prefect's
    clients do."""
    for left in reversed(range(10)):
        try:
            with opener.open(request, timeout=150) as reply:
                found: bytes = reply.read()
                return found
        except urllib.error.HTTPError as error:
            if error.code != 503 or not left:
                raise
            time.sleep(2)
    raise AssertionError


def lend_database(home: Path) -> None:
    """Prefect's database as a first start leaves it, in a home that has none: that start takes 13 seconds of CPU more."""

    def first_start(folder: Path) -> None:
        env = environment(PREFECT_HOME=str(folder))
        subprocess.run([sys.executable, "-c", FIRST_START], env=env, capture_output=True, check=True, timeout=180)

    made = made_once("prefect", first_start)
    (home / "prefect").mkdir(mode=0o700, parents=True)
    shutil.copy(made / "prefect.db", home / "prefect")
    (home / "prefect" / "prefect.db").chmod(0o600)


# The environment of commands that load checkpoints in process.
CHECKPOINTS = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}


@cache
def forking(checkpoints: bool, house: str) -> socket.socket:
    """Where this process of pytest asks for forked commands. checkpoints: for the environment of that name. house: the
    tree whose modules they have, if any."""

    def begin(listener: socket.socket) -> None:
        if house:
            with_house(listener, forking(checkpoints, ""), house)
        else:
            forking_process(listener, environment(**CHECKPOINTS if checkpoints else {}), checkpoints)

    return connected(TOGETHER / f"fork{checkpoints:d}{bool(house):d}", begin)


def start(
    arguments: list[str], forked: bool = True, checkpoints: bool = False, house: str = "", **options: Any
) -> subprocess.Popen[str]:
    """`python *arguments`, from a process that has the libraries (tests/forked.py) where that is wanted and possible."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options, "text": True, "encoding": "utf-8"}
    if POSSIBLE and forked and "preexec_fn" not in options:
        return Forked(arguments, forking(checkpoints, house), **options)
    return subprocess.Popen([sys.executable, *arguments], **options)


def program(
    root: Path, arguments: list[str], env: dict[str, str], cwd: Path | None = None, seconds: float = 280
) -> subprocess.CompletedProcess[str]:
    """`python *arguments` on the tree at `root`, with its modules already where nobody changes it; waits for its end."""
    options = {"cwd": cwd or root, "env": env, "stdin": subprocess.DEVNULL}
    process = start(arguments, house=str(root) if root == UNCHANGED else "", **options)
    out, err = process.communicate(timeout=seconds)
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


@dataclass(frozen=True)
class Scrollwork:
    """The command of the tree at `root`, with a home of its own. lent: Prefect's database is (lend_database); forked: from a
    process that has the libraries (tests/forked.py), where that makes no difference; warm: a program of a test, too, has
    the modules of the tree already where nobody changes it."""

    root: Path
    home: Path
    env: dict[str, str] = field(default_factory=dict)
    prefix: tuple[str, ...] = ("-m", "scrollwork.cli.main")
    lent: bool = True
    forked: bool = True
    warm: bool = False

    def with_(self, **changes: Any) -> Scrollwork:
        """The same with another root, home, environment or prefix."""
        return replace(self, **changes)

    def start(self, *arguments: str, input_from: Any = subprocess.DEVNULL, **options: Any) -> subprocess.Popen[str]:
        """Start the command."""
        asks_prefect = "--engine" not in arguments or arguments[arguments.index("--engine") + 1] == "prefect"
        starts_server = asks_prefect and "--help" not in arguments
        if self.lent and arguments[0] in ("run", "build", "up") and starts_server and not self.home.exists():
            lend_database(self.home)
        command = [*self.prefix, "--home", str(self.home), *arguments]
        options |= {"cwd": self.root, "env": environment(PYTHONPATH=str(self.root), **self.env), "stdin": input_from}
        loads = self.env == CHECKPOINTS
        alike = loads or not any(name.startswith(READ_BY_LIBRARIES) for name in self.env)
        commands = self.prefix[0] == "-m" or self.warm  # a test's own program may ask what is loaded
        house = str(self.root) if commands and self.root == UNCHANGED else ""
        return start(command, self.forked and alike and (commands or self.prefix[0] != "-c"), loads, house, **options)

    def __call__(self, *arguments: str, status: int | None = 0, **options: Any) -> Done:
        """Run the command; `status` is what it must end with, None for any."""
        began = time.monotonic()
        process = self.start(*arguments, **options)
        out, err = process.communicate(timeout=300)
        done = Done(process.returncode, out, err, time.monotonic() - began)
        assert status is None or done.status == status, f"exit status {done.status}\n{out[-2000:]}\n{err[-4000:]}"
        return done

    def run(self, *arguments: str, model: str = "naive:seed=0", **options: Any) -> Done:
        """`run` without Prefect."""
        sample = () if "--raw" in arguments else ("--sample",)
        return self("run", SUITE, "--model", model, "--engine", "inline", *sample, *arguments, **options)

    def plan(self, *arguments: str, model: str = "naive:seed=0") -> dict[str, dict[str, Any]]:
        """The rows of `plan` by "stage task"."""
        sample = () if "--raw" in arguments else ("--sample",)
        rows = self("plan", SUITE, "--model", model, "--json", *sample, *arguments).document
        return {" ".join(filter(None, [row["stage"], row["task"]])): row for row in rows}

    def states(self, *arguments: str, model: str = "naive:seed=0") -> dict[str, str]:
        """State by "stage task"."""
        return {name: row["state"] for name, row in self.plan(*arguments, model=model).items()}

    def last_run(self) -> dict[str, str]:
        """How each stage of the last run ended, by "stage task"."""
        runs = [json.loads(path.read_text()) for path in (self.home / "runs").glob("*.json")]
        last = max(runs, key=lambda run: run["time"])
        return {short(name): how for name, how in last["stages"].items()}

    def built(self) -> list[str]:
        """The stages that the last run executed."""
        return sorted(name for name, how in self.last_run().items() if how != "reused")


def short(name: str) -> str:
    """ "score/zeroscrolls.qmsum.test.naive" as "score qmsum"; "report/..." as "report"."""
    stage, _, slot = name.partition("/")
    return stage if stage in ("report", "compare") else f"{stage} {slot.split('.')[1]}"


def files_of(home: Path) -> dict[str, str]:
    """sha256 by path of every file of every artifact, of the pointers too; run.json and locks left out."""
    folder = home / "artifacts"
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("run.json", ".lock")
    }


def leftovers(home: Path) -> list[str]:
    """Temporary files, and parts that no manifest names."""
    found = [str(path) for path in home.rglob(".tmp-*")]
    for folder in (home / "artifacts").glob("*/*/*/"):
        manifest = folder / "manifest.json"
        named = {part["name"] for part in json.loads(manifest.read_text())["files"]} if manifest.is_file() else set()
        found += [
            str(path)
            for path in folder.iterdir()
            if path.suffix in (".parquet", ".html", ".svg") and path.name not in named
        ]
    return found


def edit(path: Path, change: Any) -> None:
    """Rewrite a text file; the edit must change something."""
    before = path.read_text(encoding="utf-8")
    after = change(before)
    assert after != before, f"nothing changed in {path}"
    path.write_text(after, encoding="utf-8")


def surroundings() -> tuple[dict[str, str], str]:
    """What later tests of this process would inherit: the variables of Prefect and scrollwork, and the working folder."""
    variables = {name: value for name, value in os.environ.items() if name.startswith(("PREFECT_", "SCROLLWORK_"))}
    try:
        return variables, os.getcwd()
    except FileNotFoundError:  # it was removed
        return variables, ""


@contextmanager
def left_as_found() -> Iterator[None]:
    """Fail where PREFECT_* or SCROLLWORK_* variables or the working folder are not left as they were, and restore them."""
    variables, folder = before = surroundings()
    yield
    if (after := surroundings()) == before:
        return
    left, place = after
    changed = sorted(name for name in {*variables, *left} if variables.get(name) != left.get(name))
    for name in changed:
        os.environ.pop(name, None)
        if name in variables:
            os.environ[name] = variables[name]
    moved = place != folder
    if moved and folder:
        os.chdir(folder)
    # Names alone: values may be keys of vendors.
    pytest.fail(f"left changed: {', '.join([*changed, *(['the working folder'] if moved else [])])}", pytrace=False)


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """Fail the test that leaves its surroundings changed; else one of another file would fail for it, on some order of the
    files. The first fixture of a test, and so the last to end: `monkeypatch` has restored what it changed."""
    with left_as_found():
        yield


@pytest.fixture(scope="session", autouse=True)
def together(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> None:
    """Where the workers of pytest leave what they make once for all of them."""
    global TOGETHER
    base = tmp_path_factory.getbasetemp()
    TOGETHER = base if worker_id == "master" else base.parent
    remember_charts(TOGETHER / "charts")


def copied_house(root: Path) -> None:
    """A copy of the tree that has its bytecode: nothing is written into it any more."""
    copy_tree(root)
    compiled = [sys.executable, "-m", "compileall", "-q", *(name for name in HOUSE if (root / name).is_dir())]
    subprocess.run(compiled, cwd=root, env=environment(), check=True)
    found = subprocess.run(
        [sys.executable, "-c", "import scrollwork.cli.main; print(scrollwork.cli.main.__file__)"],
        cwd=root,
        env=environment(PYTHONPATH=str(root)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(found.stdout.strip()).is_relative_to(root), "the copy is not what is imported"


@pytest.fixture(scope="session")
def house(together: None) -> Path:
    """The tree as it stood when the session began, one for all workers of pytest. Read it; whoever changes it takes `tree`."""
    global UNCHANGED
    UNCHANGED = made_once("house", copied_house)
    return UNCHANGED


@pytest.fixture
def tree(house: Path, tmp_path: Path) -> Path:
    """A tree to be changed. Its bytecode comes along: Python knows it by the time of its source, which is copied too."""
    return Path(shutil.copytree(house, tmp_path / "tree", symlinks=True))


@pytest.fixture
def raw(house: Path, tmp_path: Path) -> Path:
    """The bundled raw files, to be damaged."""
    return Path(shutil.copytree(house / "sample" / "raw", tmp_path / "raw"))


@pytest.fixture
def scrollwork(house: Path, tmp_path: Path) -> Scrollwork:
    """The command with an empty home."""
    return Scrollwork(house, tmp_path / "home")


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache of a machine that has read nothing from elsewhere yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "scrollwork"


class Call:
    """The command in this process; for calls that end before anything runs, or are cheap."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home, self._capsys = home, capsys

    def at(self, home: Path) -> Call:
        """The same with another home."""
        return Call(home, self._capsys)

    def __call__(self, *arguments: str) -> tuple[Any, str, str]:
        """(exit status, standard output, standard error)."""
        from scrollwork.cli.main import main

        self._capsys.readouterr()
        try:
            status: Any = main(["--home", str(self.home), *arguments])
        except SystemExit as ended:
            status = ended.code
        return status, *self._capsys.readouterr()


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """The command in this process with an empty home; nothing of the developer's environment reaches it."""
    for name in ("SCROLLWORK_HOME", "PREFECT_API_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return Call(tmp_path / "home", capsys)


FINISHED = ("--task", "qmsum", "--task", "space_digest", "--task", "book_sum_sort")


@pytest.fixture(scope="session")
def finished_home(house: Path) -> Path:
    """A home in which three small tasks are finished, one for all workers of pytest. Copy it (`finished`)."""
    return made_once("finished", lambda home: Scrollwork(house, home).run(*FINISHED))


@pytest.fixture
def finished(house: Path, finished_home: Path, tmp_path: Path) -> Scrollwork:
    """The command with a home in which the tasks of FINISHED are finished."""
    return Scrollwork(house, Path(shutil.copytree(finished_home, tmp_path / "home")))


def shared_places() -> list[Path]:
    """Where shared data may lie: SCROLLWORK_SHARED, else ../shared/data."""
    named = os.environ.get("SCROLLWORK_SHARED")
    return [Path(named), Path(named) / "data"] if named else [PROJECT.parent / "shared" / "data"]


def shared_data() -> Path | None:
    """The folder of shared raw data and predictions, None where there is none."""
    return next((place for place in shared_places() if (place / "raw").is_dir()), None)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared raw data and predictions."""
    found = shared_data()
    if found is None:
        pytest.skip(f"no shared data at {shared_places()[-1]}; name its folder with SCROLLWORK_SHARED")
    return found


# ---- a real server and worker


@dataclass(frozen=True)
class Server:
    """A Prefect server and worker that `scrollwork up` started for the tree `work.root`."""

    work: Scrollwork

    @property
    def noted(self) -> dict[str, Any]:
        """What `up` noted."""
        value: dict[str, Any] = json.loads((self.work.home / "prefect" / "server.json").read_text())
        return value

    @property
    def secret(self) -> str:
        """What the API asks for."""
        return Path(self.noted["secret_file"]).read_text().strip()

    def get(self, path: str) -> Any:
        """GET of the API or (path with a leading slash) of the UI: JSON where it is JSON."""
        url = self.noted["ui"] + path if path.startswith("/") else f"{self.noted['url']}/{path}"
        return self._answer(urllib.request.Request(url))

    def post(self, path: str, **body: Any) -> Any:
        """POST to the API."""
        data = json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        return self._answer(urllib.request.Request(f"{self.noted['url']}/{path}", data, headers))

    def _answer(self, request: urllib.request.Request) -> Any:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        request.add_header("Authorization", f"Basic {base64.b64encode(self.secret.encode()).decode()}")
        with opener.open(request, timeout=150) as reply:  # Prefect on SQLite may wait for itself for a minute
            text = reply.read().decode()
            return json.loads(text) if "json" in reply.headers.get("Content-Type", "") else text

    def prefect(self, *arguments: str, status: int | None = 0, **more: str) -> Done:
        """The `prefect` command in the project folder, as a person types it there."""
        began = time.monotonic()
        process = start(
            [str(BIN / "prefect"), *arguments],
            cwd=self.work.root,
            env=environment(PYTHONPATH=str(self.work.root), **more),
            stdin=subprocess.DEVNULL,
        )
        out, err = process.communicate(timeout=180)
        done = Done(process.returncode, out, err, time.monotonic() - began)
        assert status is None or done.status == status, f"{arguments}: {done.status}\n{done.out}\n{done.err}"
        return done

    def flow_runs(self) -> list[dict[str, Any]]:
        """All flow runs, the latest first."""
        runs: list[dict[str, Any]] = self.post("flow_runs/filter", sort="EXPECTED_START_TIME_DESC", limit=200)
        return [run for run in runs if not run["auto_scheduled"]]

    def trigger(self, name: str, *arguments: str) -> str:
        """`prefect deployment run NAME`; the id of the flow run."""
        before = {run["id"] for run in self.flow_runs()}
        self.prefect("deployment", "run", name, *arguments)
        (new,) = {run["id"] for run in self.flow_runs()} - before
        return str(new)

    def wait(self, run_id: str, timeout_s: float = 150) -> dict[str, Any]:
        """The flow run when it has ended."""
        deadline = time.monotonic() + timeout_s
        while True:
            run: dict[str, Any] = self.get(f"flow_runs/{run_id}")
            if run["state_type"] in ("COMPLETED", "FAILED", "CRASHED", "CANCELLED"):
                return run
            assert time.monotonic() < deadline, f"{run['name']} is {run['state_name']} after {timeout_s} s"
            time.sleep(0.5)

    def task_runs(self, run_id: str, last: str = "", times: int = 1) -> dict[str, dict[str, Any]]:
        """The newest task runs of a flow run by name, once the server has taken in all of them: it learns of a task run
        some time after the run itself has ended. last: the name of one that must be there, so many times."""
        deadline = time.monotonic() + 30
        while True:
            runs = self.post("task_runs/filter", flow_runs={"id": {"any_": [run_id]}}, limit=200)
            ended = runs and all(run["state_type"] not in ("PENDING", "RUNNING") for run in runs)
            known = not last or sum(run["name"] == last for run in runs) >= times
            if (ended and known) or time.monotonic() > deadline:
                return {run["name"]: run for run in sorted(runs, key=lambda run: str(run["created"]))}
            time.sleep(0.5)

    def processes(self) -> list[int]:
        """Every process that was started for this home, by the environment that `up` gave it."""
        return processes_of(self.work.home)


def processes_of(home: Path) -> list[int]:
    """Processes whose environment says PREFECT_HOME or SCROLLWORK_HOME below `home`."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            settings = (entry / "environ").read_bytes().split(b"\0")
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            mine = {f"PREFECT_HOME={home / 'prefect'}".encode(), f"SCROLLWORK_HOME={home}".encode()}
            if mine & set(settings) and state != "Z":
                found.append(int(entry.name))
    return found


def kill(pids: list[int]) -> None:
    """kill -9, of processes that a test started."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def serve(
    house: Path, root: Path, lent: bool = True, options: Sequence[str] = (), **variables: str
) -> Iterator[Server]:
    """A copy of the house with server and worker, stopped at the end whatever happens. options: of `up`; variables: of the
    environment of its commands."""
    shutil.copytree(house, root, symlinks=True, dirs_exist_ok=True)
    server = Server(Scrollwork(root, root / ".scrollwork", variables, lent=lent))
    try:
        with socket.create_server(("127.0.0.1", 0)) as free:  # two workers of pytest would take the usual port at once
            port = free.getsockname()[1]
        server.work("up", "--quiet", "--port", str(port), *options)
        yield server
    finally:
        server.work("down", "--quiet", "--wait", "0", status=None)
        kill(server.processes())


@pytest.fixture(scope="session")
def standing(house: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, ExitStack]]:
    """The server of `server`, and what ends it."""
    with ExitStack() as end:
        yield end.enter_context(contextmanager(serve)(house, tmp_path_factory.mktemp("served"))), end


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest, standing: tuple[Server, ExitStack]) -> Iterator[Server]:
    """One real Prefect server with worker and deployments, until the last module that takes it has ended: it takes a
    twentieth of a core while it does nothing."""
    assert request.path.relative_to(PROJECT).as_posix() in ON_ONE_SERVER, "name it there"
    found, end = standing
    yield found
    takers = [item.path for item in request.session.items if "standing" in item.fixturenames]  # type: ignore[attr-defined]
    if request.path == takers[-1]:
        end.close()
