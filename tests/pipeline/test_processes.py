"""Stages in several processes leave the same bytes, say the same, and end with the process that started them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from scrollwork.flows import execute
from scrollwork.flows.chains import Chain
from scrollwork.pipeline import progress
from scrollwork.pipeline.engines import processes as module
from scrollwork.pipeline.engines.inline import run_inline
from scrollwork.pipeline.engines.processes import Processes, worker_count
from scrollwork.pipeline.errors import FailedElsewhere, UsageError
from scrollwork.readings.run_outcome import Outcome
from scrollwork.suites.request import Request
from tests.conftest import PROJECT, Scrollwork, environment, files_of, leftovers

SUITES = {
    "zeroscrolls": {"models": ("lead", "naive:seed=1"), "tasks": ("qmsum", "quality")},
    "seam": {"models": ("lead",), "runs": 2, "tasks": ("musique",)},
    "dolce": {"models": ("planted:noise=0.2",), "strategy": "take:2", "limit": 2, "tasks": ("leval_quality",)},
}


def ran(home: Path, suite: str, processes: Processes | None, **more: Any) -> Outcome:
    chain = Chain(Request.of(suite, home=str(home), **{"sample": True, **SUITES[suite], **more}))
    return execute.run(chain, partial(run_inline, processes=processes))


@pytest.mark.slow
@pytest.mark.parametrize(
    "suite", [pytest.param(one, marks=[pytest.mark.slow] * (one != "zeroscrolls")) for one in SUITES]
)
def test_several_processes_leave_other_bytes(suite: str, tmp_path: Path) -> None:
    alone = ran(tmp_path / "one", suite, None)
    with Processes(2, wait_s=0) as two:
        together = ran(tmp_path / "two", suite, two)
        assert two._executor is not None, "all was built in this process"
    assert not alone.failed
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")
    assert [(one.node.name, one.how) for one in alone.finished] == [
        (one.node.name, one.how) for one in together.finished
    ]
    assert leftovers(tmp_path / "two") == []
    assert list((tmp_path / "two" / "plans").glob("*")) == []


def test_error_of_another_process_is_told_otherwise(tmp_path: Path) -> None:
    raw = tmp_path / "raw" / "squality" / "v1-2" / "txt"
    raw.mkdir(parents=True)
    (raw / "test.jsonl").write_text('{"metadata": 1}\n', encoding="utf-8")
    more = {"sample": False, "raw": str(tmp_path / "raw"), "tasks": ("squality",), "strict": True, "models": ("lead",)}
    alone = ran(tmp_path / "one", "zeroscrolls", None, **more)
    with Processes(2, wait_s=0) as two:
        together = ran(tmp_path / "two", "zeroscrolls", two, **more)
    assert {one.error for one in alone.failed} == {one.error for one in together.failed}
    assert "test.jsonl, line 1" in alone.failed[0].error


@pytest.mark.slow
def test_killed_process_loses_what_was_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    submitted = []

    def submit(self: Processes, node: Any, plan: Any, file: str = "") -> Any:
        future = original(self, node, plan, file)
        submitted.append(node)
        if len(submitted) == 6:
            os.kill(next(iter(self._executor._processes)), signal.SIGKILL)
        return future

    original = Processes.submit
    monkeypatch.setattr(Processes, "submit", submit)
    with Processes(2, wait_s=0) as two:
        first = ran(tmp_path / "two", "zeroscrolls", two)
    broken = [one.error for one in first.finished if one.how == "failed"]
    assert broken
    assert all("a process that builds stages was killed" in error for error in broken)
    assert any(one.how == "built" for one in first.finished)
    monkeypatch.undo()
    with Processes(2, wait_s=0) as two:
        again = ran(tmp_path / "two", "zeroscrolls", two)
    assert not again.failed
    assert [one for one in again.finished if one.how == "reused"]
    ran(tmp_path / "one", "zeroscrolls", None)
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


PROGRAM = """
import sys
from functools import partial
import scrollwork.pipeline.loaded_code
from scrollwork.flows import execute
from scrollwork.flows.chains import Chain
from scrollwork.pipeline.engines.inline import run_inline
from scrollwork.pipeline.engines.processes import Processes
from scrollwork.suites.request import Request
chain = Chain(Request.of("zeroscrolls", home=sys.argv[1], sample=True, models=("lead",)))
print("began", flush=True)
sys.stdin.readline()
with Processes(2, wait_s=0) as two:
    outcome = execute.run(chain, partial(run_inline, processes=two))
    print(sorted({one.error for one in outcome.failed}), flush=True)
"""


def program(home: Path, root: Path = PROJECT) -> subprocess.Popen[str]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    own = environment(PYTHONPATH=str(root))
    made = subprocess.Popen([sys.executable, "-c", PROGRAM, str(home)], cwd=root, env=own, **pipes)  # type: ignore[call-overload]
    assert made.stdout.readline() == "began\n"
    return made


def children(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[1]) == pid and words[0] != "Z":
            found.append(int(entry.parent.name))
    return found


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_processes_outlive_the_one_that_started_them(tmp_path: Path) -> None:
    parent = program(tmp_path / "home")
    parent.stdin.write("go\n")
    parent.stdin.flush()
    until = time.monotonic() + 60
    while (
        len(mine := children(parent.pid)) < 3 and time.monotonic() < until
    ):  # two, and what loky tracks resources with
        time.sleep(0.02)
    assert len(mine) >= 3
    parent.kill()
    parent.wait()
    until = time.monotonic() + 30
    while (left := [pid for pid in mine if Path(f"/proc/{pid}").exists()]) and time.monotonic() < until:
        time.sleep(0.1)
    assert left == []


def test_other_process_builds_with_code_that_was_edited_since(tree: Path, tmp_path: Path) -> None:
    parent = program(tmp_path / "home", tree)
    with (tree / "tasks" / "curate" / "run.py").open("a", encoding="utf-8") as code:
        code.write("\nLATER = 1\n")
    out, _ = parent.communicate("go\n", timeout=120)
    assert "code changed under this run: tasks/curate/run.py was written to" in out


def test_calls_of_hosted_models_leave_the_process_of_their_budget(tmp_path: Path) -> None:
    request = Request.of(
        "zeroscrolls", home=str(tmp_path), sample=True, tasks=("qmsum",), models=("gpt-4o-mini", "lead")
    )
    two = Processes(2, wait_s=0)
    nodes = [node for scored in Chain(request).scored for node in scored.each("answers")]
    assert {node.label("model"): two.movable(node) for node in nodes} == {"gpt-4o-mini": False, "lead": True}
    assert not Processes(1, wait_s=0).due


@pytest.mark.slow
def test_progress_of_another_process_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[str, int, int]] = []

    class Listener:
        def said(self, text: str) -> None: ...
        def started(self, title: str) -> None: ...
        def ended(self, title: str, how: str) -> None: ...

        def moved(self, title: str, done: int, total: int, steady: bool) -> None:
            heard.append((title, done, total))

    progress.listen(Listener())
    try:
        with Processes(2, wait_s=0) as two:
            ran(tmp_path / "home", "zeroscrolls", two)
            until = time.monotonic() + 10
            while not heard and time.monotonic() < until:
                time.sleep(0.05)
    finally:
        progress.listen(None)
    assert any(title.startswith("generate ") for title, _, _ in heard)


def test_number_of_processes_is_not_what_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCROLLWORK_WORKERS", "3")
    assert (worker_count(), Processes().count, Processes(5).count) == (3, 3, 5)
    monkeypatch.setenv("SCROLLWORK_WORKERS", "many")
    with pytest.raises(UsageError, match="SCROLLWORK_WORKERS must be a whole number of 1 or more, not 'many'"):
        worker_count()
    monkeypatch.delenv("SCROLLWORK_WORKERS")
    assert 1 <= worker_count() <= module.MOST


def test_short_run_waits_for_processes_that_it_does_not_need(tmp_path: Path) -> None:
    with Processes(2, wait_s=1000) as two:
        assert not ran(tmp_path / "home", "zeroscrolls", two).failed
        assert two._executor is None


@pytest.mark.slow
def test_prefect_leaves_other_bytes_with_several_processes(scrollwork: Scrollwork, tmp_path: Path) -> None:
    few = ("--strategy", "take:2", "--limit", "5")
    ask = ("dolce", "--sample", "--model", "planted:noise=0.2", *few, "--json", "--quiet")
    scrollwork("run", *ask)
    program = tmp_path / "at_once.py"
    program.write_text(
        "import sys\nfrom scrollwork.cli.main import main\nfrom scrollwork.pipeline.engines import processes\n"
        "processes.WAIT_S = 0.0\nstart = processes.Processes._start\n"
        "processes.Processes._start = lambda self: (print('processes start', file=sys.stderr), start(self))\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    other = scrollwork.with_(home=tmp_path / "other", prefix=(str(program),))
    assert "processes start" in other("run", *ask, "--workers", "3").err
    assert files_of(other.home) == files_of(scrollwork.home)


@pytest.mark.slow
def test_module_of_the_working_directory_is_imported_by_a_worker(tmp_path: Path) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    for name in ("queue", "random", "pickle"):
        (folder / f"{name}.py").write_text(f"open({str(folder / 'imported')!r}, 'w')\nraise SystemExit\n")
    script = folder / "program" / "run.py"
    script.parent.mkdir()
    script.write_text(PROGRAM, encoding="utf-8")
    own = environment(PYTHONPATH=str(PROJECT))
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "home")],
        cwd=folder,
        env=own,
        input="go\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "began\n[]\n", done.stderr
    assert not (folder / "imported").exists()


def test_ended_run_starts_processes() -> None:
    with Processes(2, wait_s=0) as two:
        pass
    with pytest.raises(FailedElsewhere, match="the run has ended"):
        two.submit(None, None)  # type: ignore[arg-type]
    assert two._executor is None
