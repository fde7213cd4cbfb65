"""Start a temporary Prefect server for this process, if no other server is configured.

Prefect would start one by itself, but it would import the whole server here too (four seconds), its server would be
open to every user of this machine, and it would run for ever if this process is killed.
"""

from __future__ import annotations

import atexit
import os
import sqlite3
import subprocess
import time
from contextlib import closing, suppress
from pathlib import Path

from scrollwork.flows.server.guard import LIFELINE, OF_A_COMMAND, probe_port
from scrollwork.flows.server.local_server import is_healthy, new_secret, server_command, server_settings
from scrollwork.flows.server.processes import TRIES, ServiceError
from scrollwork.flows.server.variables import SERVER, variables_in

STOP_S = 5.0
LOCKED_S = 10.0  # until a database that somebody else keeps locked is told of


class TemporaryServer:
    """A guarded server with its database in `folder`. It ends with this process, however that ends. Prefect in this
    process uses it from `use` on."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._secret = folder, new_secret()
        self._watched, self._lives = (
            os.pipe()
        )  # `_lives` is open as long as this process is, and nothing is written there
        self._start()
        atexit.register(self.stop)

    def _start(self) -> None:
        from prefect.settings import get_current_settings

        port = probe_port(0)
        self.url = f"http://127.0.0.1:{port}/api"
        wanted = get_current_settings().to_environment_variables(exclude_unset=True)
        env = {
            **variables_in(os.environ, SERVER),
            **variables_in(wanted, SERVER),
            **server_settings(self._folder, port, self._secret),
            "PREFECT_UI_ENABLED": "0",
            "PREFECT_SERVER_REGISTER_BLOCKS_ON_START": "0",  # only its UI needs them; saving a block registers its type
            OF_A_COMMAND: "1",
            LIFELINE: str(self._watched),
        }
        # A new session: Ctrl-C in a terminal reaches every process of the session, and must not end the server while a
        # run waits for paid answers.
        self._process = subprocess.Popen(
            server_command(port),
            cwd=self._folder,
            env=env,
            umask=0o077,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=[self._watched],
        )

    def _tell(self) -> None:
        from prefect.context import refresh_global_settings_context

        os.environ |= {"PREFECT_API_URL": self.url, "PREFECT_API_AUTH_STRING": self._secret}
        refresh_global_settings_context()

    def use(self, patience_s: float) -> None:
        """Set os.environ and Prefect's settings to it. patience_s: until it must answer."""
        self._deadline = time.monotonic() + patience_s
        self._tell()

    def is_alive(self) -> bool:
        """Whether its process has not ended."""
        return self._process.poll() is None

    def wait(self) -> None:
        """Wait until the server answers. Raises ServiceError if it ends, or takes too long."""
        tries = 1
        while not is_healthy(self.url, self._secret):
            if not self.is_alive():
                if tries == TRIES:
                    raise ServiceError(f"the Prefect server of this run ended with status {self._process.returncode}")
                tries += 1
                self._start()
                self._tell()
            elif time.monotonic() > self._deadline:
                raise ServiceError(f"the Prefect server of this run does not answer at {self.url}")
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop the server; it is killed after STOP_S."""
        self._process.terminate()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for end in (self._watched, self._lives):
            with suppress(OSError):
                os.close(end)


_own: TemporaryServer | None = None  # one a process, whatever its home: Prefect sends events to the first that it knew


def start_server(folder: Path) -> TemporaryServer | None:
    """Start a server if Prefect would start one, or return the one that this process started before; None if Prefect
    would use another. Call `wait` before a flow runs."""
    global _own
    from prefect.context import refresh_global_settings_context
    from prefect.settings import get_current_settings

    refresh_global_settings_context()  # a notebook that has imported Prefect has the settings of that time
    settings = get_current_settings()
    if _own is None or not _own.is_alive() or settings.api.url not in (None, _own.url):
        if settings.api.url or not settings.server.ephemeral.enabled:
            return None
        need_unlocked(folder.resolve() / "prefect.db")
        _own = TemporaryServer(folder.resolve())
    _own.use(settings.server.ephemeral.startup_timeout_seconds)
    return _own


def need_unlocked(database: Path) -> None:
    """Raises ServiceError where another program keeps a server's SQLite file locked for LOCKED_S. Prefect tries for 90
    seconds, and ends with a traceback. Runs beside this one lock it for moments."""
    if not database.exists():
        return
    with closing(sqlite3.connect(database, timeout=LOCKED_S, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        except sqlite3.OperationalError as error:
            raise ServiceError(
                f"{database}: {error}, for {LOCKED_S:g} seconds; end the program that keeps it so, or run with "
                "--engine inline, which needs no server"
            ) from error
