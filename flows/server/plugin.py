"""Prefect plugin of this project, enabled by its prefect.toml and found by the entry point `prefect.plugins`.

It does three things for the `prefect` command in the project folder: `prefect deployment run build-datasets` finds
build-datasets/build-datasets by its bare name, the server that `scrollwork up` started is used, and `prefect deploy`
says what to do if the work pool is missing.
"""

from __future__ import annotations

import atexit
import functools
import logging
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from prefect.plugins import register_hook
from prefect.settings import get_current_settings

from scrollwork.flows.server.local_server import POOL, access_env, is_running, noted_server
from scrollwork.flows.server.project import project_folder

log = logging.getLogger("scrollwork")

# Deployments that are not named after their flow.
FLOW_OF = {"nightly-eval": "evaluate"}


@register_hook
async def setup_environment(*, ctx: Any) -> Any:
    """Called by Prefect before its command runs. An error here must not stop `prefect`."""
    try:
        accept_bare_names()
    except Exception as error:  # another Prefect: the full name FLOW/DEPLOYMENT still works
        log.warning("bare deployment names are not available with this Prefect (%s); write FLOW/NAME", error)
    with suppress(Exception):  # another Prefect: only its own message is shown
        if "deploy" in sys.argv[1:]:
            tell_missing_pools()
    return point_to_server()


def accept_bare_names() -> None:
    """Accept NAME for FLOW/NAME where deployments are looked up by name. Raises AttributeError, ImportError."""
    from prefect.client.orchestration._deployments import client

    for kind in (client.DeploymentAsyncClient, client.DeploymentClient):
        original = kind.read_deployment_by_name
        if getattr(original, "bare_names", False):
            continue

        def lookup(self: Any, name: str, *args: Any, original: Any = original, **rest: Any) -> Any:
            return original(self, full_name(name), *args, **rest)

        wrapped: Any = functools.wraps(original)(lookup)
        wrapped.bare_names = True
        setattr(kind, "read_deployment_by_name", wrapped)  # noqa: B010


def tell_missing_pools() -> None:
    """Make `prefect deploy` say at its end how to create a missing work pool. Raises AttributeError, ImportError."""
    from prefect.client.orchestration._work_pools.client import WorkPoolAsyncClient
    from prefect.exceptions import ObjectNotFound

    original = WorkPoolAsyncClient.read_work_pool

    @functools.wraps(original)
    async def read(self: Any, work_pool_name: str, *args: Any, **rest: Any) -> Any:
        try:
            return await original(self, work_pool_name, *args, **rest)
        except ObjectNotFound:
            atexit.register(print, how_to_make(work_pool_name), file=sys.stderr)
            raise

    setattr(WorkPoolAsyncClient, "read_work_pool", read)  # noqa: B010


def how_to_make(pool: str) -> str:
    """The message that says how to create a work pool."""
    ours = "`scrollwork up` starts a server that has it, with a worker, and deploys; or " if pool == POOL else ""
    return (
        f"There is no work pool {pool!r} on this server. Make it: {ours}"
        f"`prefect work-pool create {pool} --type process`, deploy again, and `prefect worker start --pool {pool}` "
        "for its runs."
    )


def full_name(name: str) -> str:
    """FLOW/NAME of a deployment of this project."""
    return name if "/" in name else f"{FLOW_OF.get(name, name)}/{name}"


def point_to_server() -> Any:
    """Set the environment for this project's server, if it runs and the user named no other; Prefect's SetupResult."""
    named = os.environ.get("PREFECT_API_URL")
    places = [os.environ.get("SCROLLWORK_HOME"), Path.cwd() / ".scrollwork"]
    if (project := project_folder()) is not None:
        places.append(project / ".scrollwork")
    for place in places:
        server = noted_server(Path(place)) if place else None
        if server is not None and named in (None, server["url"]) and is_running(server):
            from prefect.plugins import SetupResult

            os.environ |= access_env(
                server
            )  # not in the result: `prefect plugins diagnose` prints the start of its values
            return SetupResult(env={"PREFECT_API_URL": server["url"]}, note=f"scrollwork server {server['url']}")
    if sys.argv[1:3] == ["deployment", "run"] and "--help" not in sys.argv and not get_current_settings().api.url:
        print("no Prefect server of this project is running; `scrollwork up` starts one", file=sys.stderr)
        sys.exit(1)  # Prefect would start an empty one for this command, with no deployment in it
    return None
