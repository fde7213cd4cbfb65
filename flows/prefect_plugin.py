"""Prefect plugin of this project, enabled by its prefect.toml and found by the entry point `prefect.plugins`.

Two things, for the `prefect` command in the project folder: `prefect deployment run build-datasets` finds
build-datasets/build-datasets by its bare name, and the server that `scrollwork up` started is used.
"""

from __future__ import annotations

import functools
import logging
import os
from pathlib import Path
from typing import Any

from prefect.plugins import register_hook

from flows.server import PROJECT, access, noted, stands

log = logging.getLogger("scrollwork")

# Deployments that are not named after their flow.
FLOW_OF = {"nightly-eval": "evaluate"}


@register_hook
async def setup_environment(*, ctx: Any) -> Any:
    """Called by Prefect before its command runs. Whatever goes wrong here must not stop `prefect`."""
    try:
        accept_bare_names()
    except Exception as error:  # another Prefect: the full name FLOW/DEPLOYMENT still works
        log.warning("bare deployment names are not available with this Prefect (%s); write FLOW/NAME", error)
    return point_to_server()


def accept_bare_names() -> None:
    """Let NAME stand for FLOW/NAME where deployments are looked up by name."""
    from prefect.client.orchestration._deployments import client

    for kind in ("DeploymentAsyncClient", "DeploymentClient"):
        found = getattr(client, kind, None)
        original = getattr(found, "read_deployment_by_name", None)
        if original is None or getattr(original, "bare_names", False):
            continue

        def lookup(self: Any, name: str, *args: Any, original: Any = original, **rest: Any) -> Any:
            return original(self, full_name(name), *args, **rest)

        wrapped = functools.wraps(original)(lookup)
        wrapped.bare_names = True  # type: ignore[attr-defined]
        setattr(found, "read_deployment_by_name", wrapped)  # noqa: B010


def full_name(name: str) -> str:
    """FLOW/NAME of a deployment of this project."""
    return name if "/" in name else f"{FLOW_OF.get(name, name)}/{name}"


def point_to_server() -> Any:
    """The environment that names the server of this project, where one runs and the user named no other."""
    named = os.environ.get("PREFECT_API_URL")
    places = [os.environ.get("SCROLLWORK_HOME"), Path.cwd() / ".scrollwork", PROJECT / ".scrollwork"]
    for place in places:
        server = noted(Path(place)) if place else None
        if server is not None and named in (None, server["url"]) and stands(server):
            from prefect.plugins import SetupResult

            os.environ |= access(server)  # not by the result: `prefect plugins diagnose` prints the beginning of values
            return SetupResult(env={"PREFECT_API_URL": server["url"]}, note=f"scrollwork server {server['url']}")
    return None
