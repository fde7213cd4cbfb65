"""Prefect's server in a process of its own beside this one, where no other server is named."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any


def start_server(folder: Path) -> None:
    """Start it, if Prefect would, guarded as the one of `up` is, with its database in the same folder of the home.

    Ctrl-C in a terminal reaches every process of the command: it must not end the server that a run needs which waits
    for paid answers, so the server is born with that signal blocked. Raises RuntimeError.
    """
    from prefect.context import refresh_global_settings_context
    from prefect.settings import get_current_settings

    from flows.server import healthy, new_secret

    settings = get_current_settings()
    if settings.api.url or not settings.server.ephemeral.enabled:
        return
    secret = new_secret()
    os.environ |= {"PREFECT_API_AUTH_STRING": secret, "PREFECT_SERVER_API_AUTH_STRING": secret}
    refresh_global_settings_context()
    server = guarded(folder.resolve(), secret)
    errors: list[Exception] = []

    def start() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # of this thread, and of what it starts
        try:
            server.start()
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=start, name="scrollwork-prefect", daemon=True)
    thread.start()
    thread.join()  # here Ctrl-C is heard
    if errors:
        raise errors[0]
    if not healthy(server.api_url, secret, timeout_s=30):
        raise RuntimeError(f"another server answers at {server.api_url}; try again")


def guarded(folder: Path, secret: str) -> Any:
    """Prefect's own temporary server, which its clients find by itself, with our command and environment in place of
    Prefect's: open to everybody on this machine, with all variables of this process and the user's own database."""
    from prefect.server.api.server import SubprocessASGIServer
    from prefect.settings import get_current_settings

    from flows.server import server_command, server_settings
    from flows.variables import SERVER, chosen

    class Guarded(SubprocessASGIServer):
        def _run_uvicorn_command(self) -> subprocess.Popen[Any]:
            port = int(self.port or 0)
            wanted = get_current_settings().to_environment_variables(exclude_unset=True)
            env = {
                **chosen(os.environ, SERVER),
                **chosen(wanted, SERVER),
                **server_settings(folder, port, secret),
                "PREFECT_UI_ENABLED": "0",
                "PREFECT__SERVER_EPHEMERAL": "1",
                "PREFECT__SERVER_FINAL": "1",
            }
            return subprocess.Popen(server_command(port), cwd=folder, env=env, umask=0o077)

    return Guarded()
