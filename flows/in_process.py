"""Prefect's server in a process of its own beside this one, where no other server is named."""

from __future__ import annotations

import signal
import threading


def start_server() -> None:
    """Start it, if Prefect would. Ctrl-C in a terminal reaches every process of the command: it must not end the server
    that a run needs which waits for paid answers, so the server is born with that signal blocked. Raises RuntimeError.
    """
    from prefect.settings import get_current_settings

    settings = get_current_settings()
    if settings.api.url or not settings.server.ephemeral.enabled:
        return
    from prefect.server.api.server import SubprocessASGIServer

    server = SubprocessASGIServer()
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
