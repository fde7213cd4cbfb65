"""Build stages on the workers of a Dask cluster, in place of processes of this machine (processes.py).

A worker is sent the names of a node and of its plan's file, where the home, the raw files and the store are, and what
the node's key says of code and libraries: with others it would build other rows under the same name, so it refuses.
Whatever a stage reads and leaves passes through the home. A stage that must stay in one process (`ONE_PROCESS`) stays
in the one that runs the plan. If a worker dies, Dask gives its node to another; what the dead one left is never whole,
because a manifest is written last.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from multiprocessing.util import Finalize
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from scrollwork.pipeline import progress
from scrollwork.pipeline.calling import STOP
from scrollwork.pipeline.engines.processes import Done, Teller, build_by_name, can_move, pass_on, worker_count
from scrollwork.pipeline.errors import FailedElsewhere, Interrupted, UsageError
from scrollwork.pipeline.plan import Node, Plan
from scrollwork.pipeline.plan_files import plan_file, plan_of
from scrollwork.pipeline.raw_files import forget_matches
from scrollwork.pipeline.session import Locations
from scrollwork.pipeline.source_digest import libraries, sources
from scrollwork.preprocessing.raw.errors import printable

CONNECT_S = 20.0  # until the scheduler must answer
WORKER_S = 60.0  # until the first worker must have joined
LOOK_S = 0.5  # between two looks at Ctrl-C and at the number of workers
SET_BY_DASK = ("PYTHONHASHSEED", "__DASK_PARENT_PID")  # for its workers, beside what its configuration names
FEEDER_S = 5.0  # at the program's end, for a thread that ends at once
NONE_S = 30.0  # without a worker until that is told

log = logging.getLogger("scrollwork")
Keyed = tuple[Mapping[str, str], Mapping[str, str]]  # digests of modules, versions of libraries, by name


class DaskWorkers:
    """The workers of a Dask cluster, for one run. The cluster is joined when it is first needed.

    address: of a scheduler, such as "tcp://host:8786"; "" for a cluster of this machine, which ends with the `with`
    block. count: processes of a local cluster, by default `worker_count()`; of another at most so many nodes at
    the same time, by default one for each thread of its workers. Raises ModuleNotFoundError without the library.
    """

    due = True

    def __init__(self, address: str, count: int | None = None) -> None:
        import distributed

        self._distributed: Any = distributed
        self._address, self._wanted = address, count
        self._title = f"the Dask scheduler {address or 'of this run'}"
        self._client: Any = None
        self._refused: UsageError | None = None  # why the cluster could not be joined
        self._threads = 1
        self._open: dict[Future[Done], Any] = {}  # what has not ended, with Dask's own future
        self._files: dict[int, tuple[Plan, str]] = {}
        self._stack, self._lock, self._over = ExitStack(), threading.RLock(), threading.Event()
        self._topic = f"scrollwork-{uuid4().hex}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._over.set()
        with self._lock:  # after a call that joins
            waiting = list(self._open.values())
        for asked in waiting:
            asked.cancel()
        self._stack.close()

    @property
    def count(self) -> int:
        """How many nodes are built at the same time. Joins the cluster; see `_joined`."""
        self._joined()
        return min(self._wanted or self._threads, self._threads)

    def movable(self, node: Node) -> bool:
        """Whether a worker may build the node. Imports the module of its stage."""
        return can_move(node)

    def submit(self, node: Node, plan: Plan, file: str = "") -> Future[Done]:
        """Let a worker build a node of a plan; see `Workers`."""
        with self._lock:
            if self._over.is_set():
                raise FailedElsewhere("the run has ended")
            client = self._joined()
            if not file and id(plan) not in self._files:
                self._files[id(plan)] = plan, self._stack.enter_context(plan_file(plan))
            file = file or self._files[id(plan)][1]
            keyed = sources(node.code), libraries(node.code)
            there = replace(plan.locations, calling=None)
            done: Future[Done] = Future()
            if self._lost:
                _end(done, self._failure(CancelledError()))
                return done
            asked = client.submit(
                build_on_worker,
                node.name,
                file,
                there,
                keyed,
                self._topic,
                key=f"{node.name}-{uuid4().hex}",
                pure=False,
            )
            self._open[done] = asked
        asked.add_done_callback(partial(self._ended, done))
        return done

    def _joined(self) -> Any:
        """Return the client of the cluster. Raises UsageError if it has no scheduler or no worker in time; the second
        time at once."""
        with self._lock:
            if self._refused is not None:
                raise self._refused
            if self._client is None:
                try:
                    self._client = self._join()
                except UsageError as error:
                    self._refused = error
                    raise
                threading.Thread(target=self._watch, name="scrollwork-dask", daemon=True).start()
            return self._client

    def _join(self) -> Any:
        client = self._stack.enter_context(closing(self._connect()))
        try:
            client.wait_for_workers(1, timeout=WORKER_S)
        except TimeoutError:
            raise UsageError(f"{self._title} has no worker after {WORKER_S:g} s") from None
        client.subscribe_topic(self._topic, lambda event: pass_on(event[1]))
        self._threads = sum(client.nthreads().values())
        return client

    @property
    def _lost(self) -> bool:
        """Whether the scheduler has ended, or cannot be reached: Dask would keep what it is given then for ever."""
        return bool(self._client.status != "running")

    def _connect(self) -> Any:
        where: Any = self._address
        if not where:
            where = self._stack.enter_context(local_cluster(self._wanted or worker_count()))
        try:
            return self._distributed.Client(where, timeout=CONNECT_S, set_as_default=False)
        except (OSError, TimeoutError, ValueError, ImportError) as error:  # ImportError: of an unknown kind of address
            raise UsageError(f"no Dask scheduler answers at {self._address}: {printable(str(error))}") from None

    def _ended(self, done: Future[Done], asked: Any) -> None:
        """Pass on how a node ended on a worker. Called in a thread of Dask's."""
        with self._lock:
            self._open.pop(done, None)
        try:
            result = asked.result()
        except BaseException as error:
            _end(done, self._failure(error))
            return
        with suppress(InvalidStateError):
            done.set_result(tuple(result))

    def _failure(self, error: BaseException) -> Exception:
        if STOP.level:
            return Interrupted(STOP.reason)
        if isinstance(error, self._distributed.KilledWorker):
            return FailedElsewhere(
                "each Dask worker that was given this stage died, by hand or because memory ran out; what was finished "
                "stands, and the same command goes on"
            )
        if isinstance(error, CancelledError):
            return FailedElsewhere(
                f"{self._title} ended or cannot be reached; what was finished stands, and the same command goes on"
            )
        return FailedElsewhere(
            f"a Dask worker could not begin this stage: {printable(f'{type(error).__name__}: {error}')}"
        )

    def _watch(self) -> None:
        """End what waits after Ctrl-C or the end of the scheduler, and see how many workers there are."""
        seen = time.monotonic()
        while not self._over.wait(LOOK_S):
            with self._lock:
                waiting = list(self._open.items()) if STOP.level or self._lost else []
            for done, asked in waiting:
                _end(done, self._failure(CancelledError()))
                asked.cancel()
            with suppress(Exception):  # as long as the scheduler is away
                threads = sum(self._client.nthreads().values())
                self._threads = threads or 1
                if threads or not self._open:
                    seen = time.monotonic()
            if time.monotonic() - seen > NONE_S:
                log.warning("%s has no worker: stages wait for one", self._title)
                seen = time.monotonic() + 10 * NONE_S


def _end(done: Future[Done], error: Exception) -> None:
    with suppress(InvalidStateError):  # ended meanwhile
        done.set_exception(error)


@contextmanager
def local_cluster(count: int) -> Iterator[Any]:
    """Yield a cluster of `count` processes of this machine, which nobody else can join: by certificates of its own.
    They are made by loky, which does not import the program that started them again."""
    import dask
    import distributed
    import loky.backend.context  # noqa: F401  makes its way of starting processes known by name
    from loky.backend.popen_loky_posix import Popen

    if not hasattr(Popen, "kill"):  # Dask kills a process that does not end
        Popen.kill = _killed
    own = {  # for the cluster's whole life: a worker that died is replaced in the same way
        "distributed.worker.multiprocessing-method": "loky",
        "distributed.worker.use-file-locking": False,
        "distributed.scheduler.http.routes": [],  # their pages would be open to every user of this machine
        "distributed.worker.http.routes": [],
        "distributed.nanny.pre-spawn-environ.PYTHONSAFEPATH": "1",  # no modules of the working directory
        "distributed.nanny.pre-spawn-environ.DASK_LOGGING__DISTRIBUTED": "critical",
    }
    with (
        dask.config.set(own),
        _own_environment({*dask.config.get("distributed.nanny.pre-spawn-environ"), *SET_BY_DASK}),
    ):
        os.environ["PYTHONSAFEPATH"] = "1"  # Dask sets it after loky has begun its first process
        others = set(threading.enumerate())
        make: Any = distributed.LocalCluster
        cluster = make(
            n_workers=count,
            threads_per_worker=1,
            host="127.0.0.1",
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            memory_limit=0,  # as for processes; else one that takes more than its share is killed
            security=True,
            silence_logs=logging.CRITICAL,
        )
        try:
            with closing(cluster):
                yield cluster
        finally:  # the program waits for its queues' threads: loky warns of what one holds that is cut short
            for thread in set(threading.enumerate()) - others:
                if thread.name == "QueueFeederThread":
                    Finalize(None, thread.join, [FEEDER_S], exitpriority=-5)  # after their queues are closed


@contextmanager
def _own_environment(names: Iterable[str]) -> Iterator[None]:
    """Restore variables of this process at the end: Dask sets in it what its workers are to have."""
    before = {name: os.environ.get(name) for name in names}
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def _killed(process: Any) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)


# ---- on a worker

_topics: dict[str, int] = {}  # of the runs whose nodes are built here, with how many
_topics_lock = threading.Lock()
_looked: set[str] = set()  # runs for which raw files were looked for
MOST_LOOKED = 1000
_teller: Teller | None = None


def build_on_worker(name: str, file: str, locations: Locations, keyed: Keyed, topic: str) -> Done:
    """Build one node of the plan in a file. Errors are returned as text, as `build_by_name` does.

    keyed: what the node's key says of code. topic: of Dask, for progress and warnings.
    """
    try:
        plan = plan_of(file, locations)
    except FileNotFoundError:
        return "", False, f"the Dask worker on {socket.gethostname()} does not see the home {locations.home}", ""
    look_anew(topic, locations.raw)
    if other := other_code(keyed, plan.by_name[name]):
        return "", False, f"the Dask worker on {socket.gethostname()} {other}", ""
    with _telling(topic):
        return build_by_name(name, file, locations)


def look_anew(topic: str, raw: str) -> None:
    """Look for raw files as they are now, once in a run: a worker lives for longer."""
    with _topics_lock:
        if topic in _looked:
            return
        if len(_looked) >= MOST_LOOKED:
            _looked.clear()
        _looked.add(topic)
        forget_matches(raw)


def other_code(keyed: Keyed, node: Node) -> str:
    """Say what differs here from what the node's key says of code and libraries; "" if nothing does."""
    for what, wanted, found in zip(
        ("module", "library"), keyed, (sources(node.code), libraries(node.code)), strict=True
    ):
        for name in sorted({*wanted, *found}):
            if wanted.get(name) != found.get(name):
                have = f" {found.get(name)}, not {wanted.get(name)}" if what == "library" else " than the plan's"
                return f"has another {what} {name}{have}: install the same scrollwork there, and start it anew"
    return ""


@contextmanager
def _telling(topic: str) -> Iterator[None]:
    """Send progress and warnings of this process to those who wait for the topic."""
    global _teller
    from distributed import get_worker

    worker = get_worker()
    with _topics_lock:
        _topics[topic] = _topics.get(topic, 0) + 1
        if _teller is None:

            def send(one: tuple[Any, ...]) -> None:
                for name in tuple(_topics):
                    worker.log_event(name, one)

            _teller = Teller(send)
            progress.listen(_teller)
            log.addHandler(_teller)
    try:
        yield
    finally:
        with _topics_lock:
            _topics[topic] -= 1
            if not _topics[topic]:
                del _topics[topic]
