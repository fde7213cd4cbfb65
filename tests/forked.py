"""The commands of the tests in processes that have the libraries already: forked from one that imported them once.

A command imports for one to three seconds before it does anything, and the suites run more than a thousand. Here
libraries are imported before, and the house where it is the copy that nobody changes (ours of a tree that a test may
edit each command imports by itself); Prefect, whose settings come from the environment, each command imports, and it
ends as any interpreter does, up to where that takes its objects apart. What such a process shares with the others: the order of its sets (PYTHONHASHSEED) and
what libraries read of the environment while they are imported. `Scrollwork.start` (conftest.py) starts an interpreter
of its own where a test sets one of those.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import hashlib
import importlib
import io
import json
import os
import pickle
import runpy
import select
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import types
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

LIBRARIES = (
    *("pandas", "pyarrow.compute", "pyarrow.parquet", "pyarrow.fs", "numpy", "fsspec", "sqlalchemy", "jinja2"),
    *("sqlalchemy.dialects.sqlite", "sqlalchemy.ext.asyncio", "aiosqlite", "matplotlib.figure", "nltk", "rapidfuzz"),
    *("matplotlib.backends.backend_svg", "matplotlib.backends.backend_agg", "rouge_score.rouge_scorer", "openai"),
    *("anthropic", "httpx", "anyio", "asyncio", "concurrent.futures", "http.server", "websockets", "websockets.sync"),
    *("fastapi", "starlette", "uvicorn", "pydantic", "pydantic_settings", "yaml", "jsonschema", "rich.console"),
    *("rich.table", "rich.progress", "griffe", "referencing", "pathspec", "coolname", "opentelemetry.trace"),
    *("fsspec.implementations.local", "matplotlib.style", "pyarrow.vendored.version", "rich._emoji_codes"),
    *("uvicorn.protocols.http.auto", "uvicorn.protocols.websockets.auto", "httpcore2", "pyarrow.pandas_compat"),
    "unidecode",
)
CHECKPOINTS = (
    *("torch", "transformers.generation.utils", "transformers.models.auto.modeling_auto"),
    *("transformers.models.auto.tokenization_auto", "transformers.models.t5.modeling_t5"),
    "transformers.models.llama.modeling_llama",
)
NEEDS_PREFECT = (
    *("scrollwork.flows.build_datasets", "scrollwork.flows.evaluate", "scrollwork.flows.nightly"),
    *("scrollwork.flows.alerts", "scrollwork.flows.server.plugin", "scrollwork.pipeline.engines.prefect"),
    *("scrollwork.flows.alive", "scrollwork.flows.artifacts"),
)
WATCH = "scrollwork.pipeline.loaded_code"
READ_BY_LIBRARIES = ("PYTHON", "LC_", "LANG", "TZ", "HOME", "XDG_", "MPL", "OMP_", "ARROW_", "OPENBLAS_", "MALLOC")
CLOSED_WHEN_FREED = (sqlite3.Connection, io.TextIOWrapper)  # which writes what was not written
WIDTH = 16  # of a number on the way back: two of them may wait to be read
POSSIBLE = hasattr(os, "pidfd_open")  # Linux; elsewhere every command is an interpreter of its own


class Forked(subprocess.Popen[str]):
    """A command that the forking process starts for us. Its parent is that process, which tells how it ended."""

    def __init__(self, arguments: list[str], channel: socket.socket, **options: Any) -> None:
        self._channel = channel
        super().__init__(arguments, **options)

    def _execute_child(self, args: Any, *rest: Any) -> None:  # type: ignore[override]
        # The order of subprocess.Popen since Python 3.11.
        _, _, _, _, cwd, env, _, _, _, stdin, ours_in, ours_out, stdout, ours_err, stderr, *more = rest
        umask, new_session = more[-3:-1]
        asked = {"arguments": args, "cwd": str(cwd), "env": env, "umask": umask, "new_session": new_session}
        self._status, theirs = os.pipe()
        socket.send_fds(self._channel, [json.dumps(asked).encode()], [stdin, stdout, stderr, theirs])
        os.close(theirs)
        self.pid = int(os.read(self._status, WIDTH))
        self._child_created = True
        self._close_pipe_fds(stdin, ours_in, ours_out, stdout, ours_err, stderr)  # type: ignore[attr-defined]

    def _ended(self, seconds: float | None) -> bool:
        if self.returncode is None:
            poll = select.poll()  # takes any number of a file; select none above 1,023
            poll.register(self._status, select.POLLIN)
            if poll.poll(None if seconds is None else 1000 * seconds):
                self.returncode = int(os.read(self._status, WIDTH))
                os.close(self._status)
        return self.returncode is not None

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        return self.returncode if self._ended(0) else None

    def _wait(self, timeout: float | None) -> int:
        if not self._ended(timeout):
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return int(self.returncode)


def connected(place: Path, begin: Callable[[socket.socket], object]) -> socket.socket:
    """The socket on which a forking process is asked, one for all workers of pytest: whoever needs it first begins it, with
    the socket at which it listens. It ends when the last of them has closed theirs. place: of that socket, a file."""
    folder = os.open(place.parent, os.O_RDONLY)
    address = f"/proc/self/fd/{folder}/{place.name}"  # the address of a socket may have 107 characters, a path more
    try:
        with place.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with suppress(FileNotFoundError, ConnectionRefusedError):
                return _connected(address)
            place.unlink(missing_ok=True)  # of one that has ended
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
                listener.bind(address)
                listener.listen()
                ours = _connected(address)  # before it begins: so it ends with us in any case
                begin(listener)
            return ours
    finally:
        os.close(folder)


def _connected(address: str) -> socket.socket:
    ours = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        ours.connect(address)
    except OSError:
        ours.close()
        raise
    return ours


def forking_process(listener: socket.socket, env: dict[str, str], checkpoints: bool = False) -> None:
    """Start the process that forks. checkpoints: it has what loads checkpoints too, six seconds of imports more."""
    command = [sys.executable, "-P", __file__, str(listener.fileno()), *(["checkpoints"] if checkpoints else [])]
    subprocess.Popen(command, env=env, pass_fds=[listener.fileno()], stdin=subprocess.DEVNULL)


def with_house(listener: socket.socket, channel: socket.socket, house: str) -> None:
    """A fork of the forking process of a channel that has the modules of a tree too, which must stay as it is."""
    socket.send_fds(channel, [json.dumps({"house": house}).encode()], [listener.fileno()])


def serve(listener: socket.socket) -> list[str]:
    """Fork a process for each request on the channels of those that connect. Returns in that process, which is then as
    asked: its arguments."""
    channels: list[socket.socket] = []
    running: dict[int, tuple[int, int]] = {}
    while True:
        for ready in select.select([listener, *channels, *running], [], [])[0]:
            if ready is listener:
                channels.append(listener.accept()[0])
                continue
            if ready in running:
                pid, status = running.pop(ready)
                _tell(status, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
                os.close(status)
                os.close(ready)
                continue
            try:
                data, files, _, _ = socket.recv_fds(ready, 1 << 18, 4)
            except ConnectionResetError:  # whoever asked was killed
                data = b""
            if not data:
                channels.remove(ready)
                ready.close()
                if not channels:
                    os._exit(0)
                continue
            asked = json.loads(data)
            if (pid := os.fork()) == 0:
                for number in [*running, *(one for _, one in running.values()), *files[3:]]:
                    os.close(number)
                for other in [listener, *channels]:
                    other.close()
                if "house" in asked:
                    import_house(asked["house"])
                    return serve(socket.socket(fileno=files[0]))
                return _become(asked, files[:3])
            if "house" in asked:
                os.close(files[0])
                running[os.pidfd_open(pid)] = (pid, os.open(os.devnull, os.O_WRONLY))
                continue
            *passed, status = files
            for number in passed:
                os.close(number)
            _tell(status, pid)
            running[os.pidfd_open(pid)] = (pid, status)


def _tell(status: int, number: int) -> None:
    with suppress(BrokenPipeError):  # nobody wants to know any more
        os.write(status, f"{number:{WIDTH}}".encode())


def _become(asked: dict[str, Any], files: list[int]) -> list[str]:
    """Take over what was asked: standard streams, folder, environment."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    for name, number in (("stdin", 0), ("stdout", 1), ("stderr", 2)):  # the old ones know what the old files could do
        buffer = os.fdopen(number, "wb" if number else "rb", closefd=False)
        errors = "backslashreplace" if number == 2 else "strict"
        stream = io.TextIOWrapper(buffer, encoding="utf-8", errors=errors, line_buffering=number == 2)
        stream.mode = "w" if number else "r"
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    if asked["new_session"]:
        os.setsid()
    if asked["umask"] >= 0:
        os.umask(asked["umask"])
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    sys.path[:0] = os.environ["PYTHONPATH"].split(os.pathsep)
    sys.path_importer_cache.clear()
    if WATCH in sys.modules:  # it notes what files were like when the process began: that is now
        importlib.reload(sys.modules[WATCH])
    return list(asked["arguments"])


def import_house(root: str) -> None:
    """Import what commands import of a tree, but for what imports Prefect, and the module that is run; and do what each
    of them would do anew with files that stay as they are: read the modules for keys and the tables of vendors and
    sources, compile the templates of pages."""
    sys.path.insert(0, root)
    for module in importlib.import_module(WATCH).noted_at_first():
        if module not in (*NEEDS_PREFECT, "scrollwork.cli.main"):
            importlib.import_module(module)
    read_for_keys: Any = importlib.import_module("scrollwork.pipeline.source_digest")
    for module in importlib.import_module(WATCH).noted_at_first():
        read_for_keys._read(module)
    read_for_keys._memory().save()  # else each command would, when it ends
    importlib.import_module("scrollwork.models.vendors.families").vendors()
    suites: Any = importlib.import_module("scrollwork.suites.suite_files")
    for name in suites.bundled_suites():
        importlib.import_module("scrollwork.fetching.upstream").upstream_of(suites.load_suite(name))
    pages: Any = importlib.import_module("scrollwork.reporting.page.environment").environment()
    for template in (Path(root) / "reporting" / "templates").glob("*.html"):
        if template.name != "statistics.html":  # which has filters of its own
            pages.get_template(template.name)
    remember_charts(Path(root).with_name("charts"))
    sys.path.remove(root)
    found: Any = importlib.import_module("scrollwork.pipeline.entry_points").installed_entry_points
    assert not found.cache_info().currsize, "a command would not find what is on its own path"
    assert "prefect" not in sys.modules, "a module that imports Prefect is not named in NEEDS_PREFECT"
    gc.collect()
    gc.freeze()


def remember_charts(folder: Path) -> None:
    """Let the pages of runs have charts that were drawn from the same data before, from this folder: they are nearly half
    of what a small run costs. That the same data give the same bytes, tests/reporting/test_figures.py tests."""
    pages: Any = importlib.import_module("scrollwork.tasks.report.pages")
    if hasattr(pages.figures, "remembers"):
        return
    draw = pages.figures

    def drawn(drawing: Any) -> Any:
        data = io.BytesIO()
        pickler = pickle.Pickler(data)
        pickler.fast = True  # equal data give equal bytes, whichever of its objects are the same
        try:
            pickler.dump(drawing)  # with the object whose method draws, which holds all that it draws from
        except (pickle.PicklingError, AttributeError, TypeError, ValueError, RecursionError):
            return draw([drawing])[0]
        place = folder / hashlib.sha256(data.getvalue()).hexdigest()
        with suppress(OSError):
            return pickle.loads(place.read_bytes())
        (made,) = draw([drawing])
        unfinished = place.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            folder.mkdir(exist_ok=True)
            unfinished.write_bytes(pickle.dumps(made))
            unfinished.rename(place)
        return made

    def figures(drawings: Any) -> list[Any]:
        return [drawn(one) for one in drawings]

    figures.remembers = True  # type: ignore[attr-defined]
    pages.figures = figures


def run(arguments: list[str]) -> None:
    """As `python *arguments` does: -m MODULE, -c PROGRAM, or the path of a script."""
    if arguments[0] == "-m":
        sys.path.insert(0, os.getcwd())
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    elif arguments[0] == "-c":
        sys.path.insert(0, "")
        sys.argv = ["-c", *arguments[2:]]
        sys.modules["__main__"] = program = types.ModuleType("__main__")
        exec(compile(arguments[1], "<string>", "exec"), program.__dict__)
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
        sys.argv = arguments
        runpy.run_path(arguments[0], run_name="__main__")


def unsynced(file: Any) -> None:
    """`os.fsync` of the tests: the machine does not lose power in one, and a kill loses nothing that was written. It still
    refuses a file that is closed."""
    os.fstat(file if isinstance(file, int) else file.fileno())


def leave(ended: SystemExit) -> NoReturn:
    """End as an interpreter does, but for taking apart what it shares with the process that it was forked from, which
    would copy all of that first: 0.2 s, most of what a small command takes."""
    status = 0 if ended.code is None else ended.code
    if not isinstance(status, int):
        print(status, file=sys.stderr)
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    left = [one for one in gc.get_objects() if issubclass(type(one), CLOSED_WHEN_FREED)]  # none of the frozen ones
    for one in left:
        if one not in (sys.stdout, sys.stderr):
            with suppress(Exception):
                one.close()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            try:
                stream.flush()
            except (OSError, ValueError) as error:  # in the words and with the status of an interpreter
                status = 120
                with suppress(OSError, ValueError):
                    print(f"Exception ignored in: {stream!r}\n{type(error).__name__}: {error}", file=sys.stderr)
    os._exit(status & 0xFF)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: the commands get it too
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    os.fsync = unsynced
    for library in [*LIBRARIES, *(CHECKPOINTS if "checkpoints" in sys.argv else ())]:
        importlib.import_module(library)
    gc.collect()
    gc.freeze()
    try:
        run(serve(socket.socket(fileno=int(sys.argv[1]))))
    except SystemExit as ended:
        leave(ended)
    leave(SystemExit())
