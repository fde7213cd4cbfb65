"""The local Prefect server of a home: where it is noted, how Prefect is told. Imports no Prefect."""

from __future__ import annotations

import json
import os
import urllib.request
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
QUIET = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "PREFECT_CLI_PROMPT": "false",
    "PREFECT_EXPERIMENTS_WARN": "false",
}


def note_path(home: Path) -> Path:
    """Where a running server is noted."""
    return home / "prefect" / "server.json"


def noted(home: Path) -> dict[str, Any] | None:
    """What `up` noted of the server of a home: {url, ui, port, server, worker}; None where there is none."""
    try:
        value = json.loads(note_path(home).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) and {"url", "ui", "server", "worker"} <= set(value) else None


def healthy(url: str, timeout_s: float = 2.0) -> bool:
    """Whether a Prefect API answers at `url`. Proxies are not asked: the server is on this machine."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{url}/health", timeout=timeout_s) as reply:
            return bool(reply.status == 200)
    except (OSError, ValueError):
        return False


def running(home: Path) -> dict[str, Any] | None:
    """The noted server of a home, if it answers."""
    server = noted(home)
    return server if server is not None and healthy(server["url"]) else None


def settings(home: Path) -> dict[str, str]:
    """Environment for Prefect in this process: the server that `up` started, else one in process; never telemetry.

    What the user has set stands.
    """
    wanted = dict(QUIET)
    server = running(home)
    if server is not None:
        wanted["PREFECT_API_URL"] = server["url"]
    elif "PREFECT_API_URL" not in os.environ:
        wanted["PREFECT_SERVER_ALLOW_EPHEMERAL_MODE"] = "true"
        wanted["PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS"] = "180"
    if "PREFECT_API_URL" not in os.environ:
        wanted["PREFECT_HOME"] = str(home / "prefect")
    return {name: value for name, value in wanted.items() if name not in os.environ}
