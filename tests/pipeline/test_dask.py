"""Stages on the workers of a Dask cluster leave the same bytes, say the same, and survive the death of a worker."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from scrollwork.flows import execute
from scrollwork.flows.chains import Chain
from scrollwork.pipeline import progress
from scrollwork.pipeline.calling import STOP
from scrollwork.pipeline.engines import dask as module
from scrollwork.pipeline.engines.dask import DaskWorkers, build_on_worker
from scrollwork.pipeline.engines.inline import run_inline
from scrollwork.pipeline.engines.workers import ENGINES, with_engine
from scrollwork.pipeline.errors import FailedElsewhere, Interrupted, UsageError
from scrollwork.pipeline.session import Locations
from scrollwork.readings.run_outcome import Outcome
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import SAMPLE
from tests.conftest import PROJECT, Scrollwork, environment, files_of, kill, leftovers
from tests.pipeline.test_processes import SUITES, children
from tests.pipeline.test_processes import ran as ran_with_processes

pytest.importorskip("distributed")


def ran(home: Path, suite: str, workers: DaskWorkers | None, **more: Any) -> Outcome:
    chain = Chain(Request.of(suite, home=str(home), **{"sample": True, **SUITES[suite], **more}))
    return execute.run(chain, partial(run_inline, processes=workers))


@pytest.fixture(scope="module")
def local() -> Iterator[DaskWorkers]:
    """A cluster of two processes for several runs."""
    with DaskWorkers("", 2) as two:
        yield two


class Cluster:
    """A scheduler and workers in processes of their own, as a team starts them. url: of the scheduler."""

    def __init__(self, folder: Path, root: Path = PROJECT, workers: int = 2) -> None:
        self.folder, self.root = folder, root
        file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard",
                                     "--scheduler-file", str(file))  # fmt: skip
        deadline = time.monotonic() + 60
        while not file.exists() or not file.read_text().endswith("}"):
            assert time.monotonic() < deadline, (folder / "dask.log").read_text()
            time.sleep(0.1)
        self.file = file
        self.url = next(line for line in file.read_text().splitlines() if '"address"' in line).split('"')[3]
        self.workers = [self.join() for _ in range(workers)]

    def join(self, root: Path | None = None) -> int:
        """Start a worker; its pid."""
        return self._start("worker", self.url, "--nthreads", "1", "--no-nanny", "--no-dashboard", root=root)

    def _start(self, *words: str, root: Path | None = None) -> int:
        with (self.folder / "dask.log").open("ab") as log:
            env = environment(PYTHONPATH=str(root or self.root), DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="3")
            command = [sys.executable, "-m", "dask", *words]
            return subprocess.Popen(command, cwd=self.folder, env=env, stdout=log, stderr=log).pid


@contextmanager
def cluster(folder: Path, **options: Any) -> Iterator[Cluster]:
    """A cluster that is ended with the block."""
    folder.mkdir(parents=True, exist_ok=True)
    found = Cluster(folder, **options)
    try:
        yield found
    finally:
        kill([found.scheduler, *found.workers])


@pytest.mark.slow
@pytest.mark.parametrize(
    "suite", [pytest.param(one, marks=[pytest.mark.slow] * (one != "zeroscrolls")) for one in SUITES]
)
def test_workers_of_dask_leave_other_bytes(suite: str, tmp_path: Path, local: DaskWorkers) -> None:
    heard: list[str] = []

    class Listener:
        def said(self, text: str) -> None: ...
        def started(self, title: str) -> None: ...
        def ended(self, title: str, how: str) -> None: ...

        def moved(self, title: str, done: int, total: int, steady: bool) -> None:
            heard.append(title)

    alone = ran(tmp_path / "one", suite, None)
    progress.listen(Listener())
    try:
        together = ran(tmp_path / "two", suite, local)
    finally:
        progress.listen(None)
    assert local._client is not None, "all was built in this process"
    assert not alone.failed
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")
    assert [(one.node.name, one.how) for one in alone.finished] == [
        (one.node.name, one.how) for one in together.finished
    ]
    assert leftovers(tmp_path / "two") == []
    assert any(title.startswith("generate ") for title in heard), "their progress is lost"


@pytest.mark.slow
def test_environment_of_workers_stays_in_this_process(tmp_path: Path) -> None:
    before = dict(os.environ)
    with DaskWorkers("", 1) as one:
        one._joined()
    assert dict(os.environ) == before


@pytest.mark.slow
def test_error_of_a_worker_is_told_otherwise(tmp_path: Path, local: DaskWorkers) -> None:
    raw = tmp_path / "raw" / "squality" / "v1-2" / "txt"
    raw.mkdir(parents=True)
    (raw / "test.jsonl").write_text('{"metadata": 1}\n', encoding="utf-8")
    more = {"sample": False, "raw": str(tmp_path / "raw"), "tasks": ("squality",), "strict": True, "models": ("lead",)}
    alone = ran(tmp_path / "one", "zeroscrolls", None, **more)
    together = ran(tmp_path / "two", "zeroscrolls", local, **more)
    assert [one.error for one in alone.failed] == [one.error for one in together.failed]
    assert "test.jsonl, line 1" in together.failed[0].error


@pytest.mark.slow
def test_killed_worker_fails_a_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its work is given to the other one."""
    submitted = []

    def submit(self: DaskWorkers, node: Any, plan: Any, file: str = "") -> Any:
        future = original(self, node, plan, file)
        submitted.append(node)
        if len(submitted) == 6:
            os.kill(next(iter(self._client.run(os.getpid).values())), signal.SIGKILL)
        return future

    original = DaskWorkers.submit
    monkeypatch.setattr(DaskWorkers, "submit", submit)
    with DaskWorkers("", 2) as two:
        outcome = ran(tmp_path / "two", "zeroscrolls", two)
    assert not outcome.failed
    assert len(submitted) > 6
    assert ran_with_processes(tmp_path / "one", "zeroscrolls", None).failed == []
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


@pytest.mark.slow
def test_cluster_elsewhere_loses_a_worker_then_its_scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    submitted: list[Any] = []
    doing: dict[int, Any] = {}

    def submit(self: DaskWorkers, node: Any, plan: Any, file: str = "") -> Any:
        future = original(self, node, plan, file)
        submitted.append(node)
        doing.get(len(submitted), lambda: None)()
        return future

    original = DaskWorkers.submit
    monkeypatch.setattr(DaskWorkers, "submit", submit)
    with cluster(tmp_path / "cluster") as found:
        doing[5] = lambda: kill([found.workers[0]])
        doing[15] = lambda: kill([found.scheduler])
        with DaskWorkers(found.url) as workers:
            first = ran(tmp_path / "two", "zeroscrolls", workers)
    broken = [one.error for one in first.finished if one.how == "failed"]
    assert broken
    assert all("ended or cannot be reached; what was finished stands" in error for error in broken)
    assert any(one.how == "built" for one in first.finished)
    with cluster(tmp_path / "second", workers=1) as found, DaskWorkers(found.url) as workers:
        again = ran(tmp_path / "two", "zeroscrolls", workers)
    assert not again.failed
    assert [one for one in again.finished if one.how == "reused"]
    ran(tmp_path / "one", "zeroscrolls", None)
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


@pytest.mark.slow
def test_worker_builds_with_other_code_or_without_the_home(tree: Path, tmp_path: Path) -> None:
    with (tree / "tasks" / "curate" / "run.py").open("a", encoding="utf-8") as code:
        code.write("\nLATER = 1\n")
    with cluster(tmp_path / "cluster", root=tree, workers=1) as found, DaskWorkers(found.url) as workers:
        outcome = ran(tmp_path / "home", "zeroscrolls", workers)
    errors = {one.error for one in outcome.failed}
    assert len(errors) == 1
    assert "has another module scrollwork.tasks.curate.run than the plan's: install the same" in errors.pop()
    content, reused, error, _ = build_on_worker("x", "none.json", Locations(str(tmp_path / "away"), ""), ({}, {}), "t")
    assert (content, reused) == ("", False)
    assert error.endswith(f"does not see the home {tmp_path / 'away'}")


@pytest.mark.slow
def test_worker_that_lives_on_builds_from_the_raw_files_of_an_earlier_run(tmp_path: Path) -> None:
    raw, more = tmp_path / "raw", {"sample": False, "models": ("lead",), "tasks": ("qmsum",)}
    raw.mkdir()
    with cluster(tmp_path / "cluster", workers=1) as found:
        for step in ("none", "there", "changed"):
            if step == "there":
                shutil.copytree(SAMPLE / "qmsum", raw / "qmsum")
            if step == "changed":
                file = next(path for path in sorted(raw.rglob("*test*.jsonl")))
                file.write_text(file.read_text(encoding="utf-8").partition("\n")[0] + "\n", encoding="utf-8")
            with DaskWorkers(found.url) as workers:
                outcome = ran(tmp_path / "home", "zeroscrolls", workers, raw=str(raw), **more)
            assert bool(outcome.failed) == (step == "none"), [one.error for one in outcome.failed]
            curated = [one.how for one in outcome.finished if one.node.stage == "curate"]
            assert curated == ["failed" if step == "none" else "built"]


def test_scheduler_that_is_not_there_is_waited_for_or_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CONNECT_S", 1.0)
    for address in ("tcp://127.0.0.1:9", "nonsense://x", "::::"):
        with (
            pytest.raises(UsageError, match=f"no Dask scheduler answers at {address}: "),
            DaskWorkers(address) as workers,
        ):
            ran(tmp_path / "home", "zeroscrolls", workers)


def test_calls_of_hosted_models_leave_the_process_of_their_budget(tmp_path: Path) -> None:
    request = Request.of(
        "zeroscrolls", home=str(tmp_path), sample=True, tasks=("qmsum",), models=("gpt-4o-mini", "lead")
    )
    nodes = [node for scored in Chain(request).scored for node in scored.each("answers")]
    movable = {node.label("model"): DaskWorkers("").movable(node) for node in nodes}
    assert movable == {"gpt-4o-mini": False, "lead": True}


def test_ctrl_c_waits_for_workers(tmp_path: Path, local: DaskWorkers) -> None:
    waiting = module.Future()
    local._joined()
    with local._lock:
        local._open[waiting] = local._client.submit(time.sleep, 30, pure=False)
    try:
        STOP.set("stopped by Ctrl-C")
        with pytest.raises(Interrupted):
            waiting.result(timeout=10)
    finally:
        STOP.clear()


def test_ended_run_joins_a_cluster() -> None:
    with DaskWorkers("", 2) as two:
        pass
    with pytest.raises(FailedElsewhere, match="the run has ended"):
        two.submit(None, None)  # type: ignore[arg-type]
    assert two._client is None


PROGRAM = """
import sys
print("began", flush=True)
import os
import signal
from scrollwork.pipeline.engines.dask import DaskWorkers
submit, submitted = DaskWorkers.submit, []
def killing(self, node, plan, file=""):
    future = submit(self, node, plan, file)
    submitted.append(node)
    if len(submitted) == 4:
        os.kill(next(iter(self._client.run(os.getpid).values())), signal.SIGKILL)
    return future
DaskWorkers.submit = killing
import scrollwork as sw
found = sw.run("zeroscrolls", models=["lead", "bm25"], sample=True, tasks=["qmsum", "qasper"], home=sys.argv[1],
               engine="dask", workers=2)
print(found.failures.height, len(submitted) > 4, flush=True)
"""


@pytest.mark.slow
def test_program_is_begun_again_in_each_worker_or_outlived_by_them(tmp_path: Path) -> None:
    """A plain script without `if __name__ == "__main__"`, in a folder with modules of Python's names, which loses a
    worker: another is made in the same way."""
    for name in ("queue", "random", "pickle"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(3)\n")
    script = tmp_path / "program" / "plain.py"
    script.parent.mkdir()
    script.write_text(PROGRAM, encoding="utf-8")
    own = environment(PYTHONPATH=str(PROJECT))
    command = [sys.executable, str(script), str(tmp_path / "home")]
    done = subprocess.run(command, cwd=tmp_path, env=own, capture_output=True, text=True, timeout=180)
    assert done.stdout == "began\n0 True\n", done.stderr
    assert done.stderr == ""
    command[-1] = str(tmp_path / "other")
    with subprocess.Popen(
        command, cwd=tmp_path, env=own, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    ) as killed:
        until = time.monotonic() + 60
        while len(mine := children(killed.pid)) < 3 and time.monotonic() < until:
            time.sleep(0.05)
        killed.kill()
    until = time.monotonic() + 30
    while (left := [pid for pid in mine if Path(f"/proc/{pid}").exists()]) and time.monotonic() < until:
        time.sleep(0.1)
    assert left == []


@pytest.mark.slow
def test_run_without_workers_says_nothing_or_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The only worker of a team's cluster dies; the run says so, and goes on with another that joins."""
    monkeypatch.setattr(module, "NONE_S", 1.0)
    original, submitted = DaskWorkers.submit, []

    def submit(self: DaskWorkers, node: Any, plan: Any, file: str = "") -> Any:
        submitted.append(node)
        if len(submitted) == 6:
            kill([found.workers[0]])
            threading.Timer(6.0, lambda: found.workers.append(found.join())).start()
        return original(self, node, plan, file)

    monkeypatch.setattr(DaskWorkers, "submit", submit)
    with cluster(tmp_path / "cluster", workers=1) as found, DaskWorkers(found.url) as workers:
        outcome = ran(tmp_path / "home", "zeroscrolls", workers)
    assert not outcome.failed
    assert f"the Dask scheduler {found.url} has no worker: stages wait for one" in caplog.text


@pytest.mark.slow
def test_command_takes_no_cluster(scrollwork: Scrollwork, tmp_path: Path) -> None:
    """By --engine with an address, and through Prefect by --dask."""
    ask = ("run", "zeroscrolls", "--sample", "--model", "lead", "--task", "qmsum", "--json", "--quiet")
    with cluster(tmp_path / "cluster") as found:
        for name, more in {
            "inline": ("--engine", "inline"),
            "address": ("--engine", f"dask:{found.url}"),
            "prefect": ("--dask", found.url),
        }.items():
            other = scrollwork.with_(home=tmp_path / name)
            other(*ask, *more)
            assert files_of(other.home) == files_of(tmp_path / "inline")
        log = (tmp_path / "cluster" / "dask.log").read_text()
        assert "Traceback" not in log, log
    said = scrollwork(*ask, "--engine", f"dask:{found.url}", "--dask", "local", status=2).err
    assert "name the cluster once" in said


@pytest.mark.slow
def test_engine_has_another_name_than_it_is_called() -> None:
    assert [name in ENGINES for name in ("inline", "prefect", "dask", "dask:tcp://a:1", "ray", "dasK:x")] == [
        *[True] * 4,
        *[False] * 2,
    ]
    assert with_engine("prefect", {"seed": 1}) == ("prefect", {"seed": 1})
    assert with_engine("dask", {}) == ("inline", {"dask": "local"})
    assert with_engine("dask:tcp://a:1", {"seed": 1}) == ("inline", {"seed": 1, "dask": "tcp://a:1"})
    with pytest.raises(UsageError, match="write dask:ADDRESS"):
        with_engine("dask:", {})
