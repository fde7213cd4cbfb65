"""Prefect's worker, which ends with the server of `up`, so that it never sends the secret to another process that takes
the port of a dead server.

It is started as `FD PORT worker start ...`. FD is a pipe whose other end the server holds open as long as it lives.
When the server ends, or the worker gets SIGTERM, the worker becomes a keeper of the flow runs that it started, because
they may wait for paid answers; Prefect's worker would kill them. The keeper takes the port, so that nobody else
receives what they send there; it reads their output, and ends with the last of them. A new server with the same secret
gets the port when it sends SIGUSR1.
"""

from __future__ import annotations

import fcntl
import os
import runpy
import select
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType

MOST_FILES = 4096
READ_BYTES, MOST_READS = 65_536, 16  # at once, and at the end: a pipe holds a megabyte at most
KEEP = "keep"  # the first argument of a keeper
KEPT = "port.kept"  # in the folder of Prefect, locked while a keeper holds the port


def main() -> None:
    """Run Prefect's command, with a thread that waits for the end of the server; or run the keeper."""
    if sys.argv[1] == KEEP:
        keep_port(int(sys.argv[2]), [int(number) for number in sys.argv[3:]])
        return
    watched, port = int(sys.argv[1]), sys.argv[2]
    threading.Thread(target=turn_at_end, args=(watched, port), name="scrollwork-watch", daemon=True).start()
    turn_at_sigterm(watched, port)
    sys.argv = ["prefect", *sys.argv[3:]]
    runpy.run_module("prefect", run_name="__main__")


def turn_at_end(watched: int, port: str) -> None:
    """Wait for the end of the server, then turn this process (by exec) into the keeper of its children."""
    os.read(watched, 1)  # `down` writes there
    turn(watched, port)


def turn_at_sigterm(watched: int, port: str) -> None:
    """Have Prefect's worker turn into the keeper at SIGTERM if flow runs are its children, and pass the signal on."""
    from prefect.utilities import processutils

    usual = processutils.setup_signal_handlers_worker

    def ended(number: int, frame: FrameType | None) -> None:
        if runs := child_processes(os.getpid()):
            send(runs, signal.SIGTERM)
            turn(watched, port)
        os.kill(os.getpid(), signal.SIGINT)  # as Prefect's does: it ends, and at another one it is killed

    def handle(pid: int, process_name: str, print_fn: Callable[[str], object]) -> None:
        usual(pid, process_name, print_fn)
        signal.signal(signal.SIGTERM, ended)

    processutils.setup_signal_handlers_worker = handle  # what `prefect worker start` calls


def turn(watched: int, port: str) -> None:
    """Turn this process (by exec) into the keeper of its children."""
    pipes = [number for number in range(3, MOST_FILES) if is_read_from(number) and number != watched]
    for number in pipes:
        os.set_inheritable(number, True)
    safe = ["-P"] if sys.flags.safe_path else []
    keeper = [sys.executable, *safe, "-m", "scrollwork.flows.server.worker", KEEP, port, *map(str, pipes)]
    os.execv(sys.executable, keeper)


def is_read_from(number: int) -> bool:
    """Whether a file descriptor is the reading end of a pipe, that is, the output of a flow run."""
    try:
        mode = fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE
        return stat.S_ISFIFO(os.fstat(number).st_mode) and mode == os.O_RDONLY
    except OSError:
        return False


def keep_port(port: int, pipes: list[int]) -> None:
    """Hold the port and read the pipes until no child is left. SIGTERM is passed on to the children."""
    signal.signal(signal.SIGTERM, lambda *_: send(child_processes(os.getpid()), signal.SIGTERM))
    asked: list[int] = []  # not empty once a new server asked for the port
    signal.signal(signal.SIGUSR1, lambda *_: asked.append(1))
    held: list[socket.socket] = []
    locks: list[int] = []
    while has_children():
        if asked:
            while held:
                held.pop().close()
                os.close(locks.pop())
        elif not held:
            with suppress(OSError):
                held.append(socket.create_server(("127.0.0.1", port)))
                locks.append(locked_file())
        ready, _, _ = select.select([*pipes, *(one.fileno() for one in held)], [], [], 0.3)
        for number in ready:
            if number in pipes:
                pass_on(number, pipes)
            else:
                with suppress(OSError):
                    held[0].accept()[0].close()
    for _ in range(MOST_READS):  # what the last one said before it ended, not what others may go on to say
        for number in select.select(pipes, [], [], 0)[0]:
            pass_on(number, pipes)


def locked_file() -> int:
    """Open and lock the file KEPT, by which `up` knows that we have held the port, so that nobody got the secret."""
    folder = os.environ.get("PREFECT_HOME")
    if not folder:
        return os.open(os.devnull, os.O_RDONLY)
    descriptor = os.open(Path(folder) / KEPT, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


def pass_on(pipe: int, pipes: list[int]) -> None:
    """Copy the output of a flow run to the worker's log."""
    with suppress(BlockingIOError):
        if said := os.read(pipe, READ_BYTES):
            os.write(1, said)
        else:
            pipes.remove(pipe)


def has_children() -> bool:
    """Whether a child is running; ended ones are reaped."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


def send(pids: list[int], number: int) -> None:
    """Send a signal to processes; those that have ended are passed over."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def child_processes(pid: int) -> list[int]:
    """Pids of the children of a process, whichever of its threads started them."""
    if Path("/proc/self/task").is_dir():
        told = []
        for thread in Path(f"/proc/{pid}/task").glob("*/children"):
            with suppress(OSError):
                told += thread.read_text().split()
        return [int(child) for child in told]
    done = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True)
    rows = (line.split() for line in done.stdout.splitlines())
    return [int(row[0]) for row in rows if len(row) == 2 and row[1] == str(pid)]


if __name__ == "__main__":
    main()
