"""Apply deployments to a server: nothing before all is checked, nothing again that is there already."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml

from scrollwork.flows.deploy.asked import PROCESS, Asked, refuse
from scrollwork.flows.deploy.project_file import declared
from scrollwork.flows.deploy.server import Api, address, opened
from scrollwork.flows.deploy.wanted import Wanted, differences, wanted, with_standing
from scrollwork.flows.server.automations import Applied
from scrollwork.flows.server.automations import apply as apply_automations
from scrollwork.flows.server.processes import ServiceError
from scrollwork.flows.server.receivers import receivers_of, setting_up
from scrollwork.pipeline.errors import UsageError

MADE, CHANGED, UNCHANGED = "made", "changed", "unchanged"
HEAD = """\
# Written by `scrollwork deploy --out`; `prefect --no-prompt deploy --all --prefect-file FILE` applies it. Secrets are
# names of blocks.
"""


@dataclass(frozen=True)
class Change:
    """What becomes of a deployment: its FLOW/NAME, made, changed or unchanged, and the fields that change."""

    name: str
    state: str
    fields: tuple[str, ...] = ()


@dataclass(frozen=True)
class Deployed:
    """What a call did, or would do (not applied).

    api: URL of the server. pool: its state, as of a deployment. alerts: what was done with the automations that tell of
    nights, None where they were not applied.
    """

    api: str
    pool: Change
    changes: tuple[Change, ...]
    applied: bool
    alerts: Applied | None = None


def deploy(
    asked: Asked,
    project: Path,
    *,
    api: str = "",
    chosen: Sequence[str] = (),
    out: str = "",
    dry: bool = False,
    say: Callable[[str], None] = lambda text: None,
) -> Deployed:
    """Apply the deployments of a project to a server; returns what was done.

    api: URL of the server (`server.address`). chosen: names of deployments, all by default. out: a file, made new, that
    gets the deployments as a prefect.yaml; with it, or dry, nothing is applied. Raises UsageError before anything is
    applied, ServiceError naming what was applied before.
    """
    rows = declared(project, chosen)
    if out and os.path.lexists(out):
        raise UsageError(f"--out {out} is there already; nothing was written")
    url = address(api, project)
    with opened(url) as server:
        pool = server.get(f"/work_pools/{quote(asked.pool, safe='')}")
        kind = pool.get("type") if pool is not None else PROCESS
        if pool is None and asked.image:
            raise UsageError(
                f"{server.url} has no work pool {asked.pool!r}, and its type decides how images are run: first "
                f"prefect work-pool create {asked.pool} --type docker (or kubernetes, ...)"
            )
        if not isinstance(kind, str):
            raise ServiceError(f"{server.url}: work pool {asked.pool!r} without a type: not a Prefect server's answer")
        refuse(asked, rows, kind, url)
        template = pool if pool is not None else {"type": kind}
        all_wanted = [wanted(asked, one, project, template) for one in rows]
        check_blocks(server, asked)
        found = [
            server.get(f"/deployments/name/{quote(one.flow, safe='')}/{quote(one.body['name'], safe='')}")
            for one in all_wanted
        ]
        changes = tuple(change_of(one, each) for one, each in zip(all_wanted, found, strict=True))
        made = Deployed(
            server.url, Change(asked.pool, UNCHANGED if pool is not None else MADE), changes, not (dry or out)
        )
        if out:
            write(Path(out), all_wanted)
        if made.applied:
            apply(server, made, all_wanted, found, say)
            made = replace(made, alerts=apply_alerts(server, say))
        return made


def change_of(one: Wanted, standing: dict[str, Any] | None) -> Change:
    """Return what must be done with a deployment. standing: as the server has it, None where it does not."""
    if standing is None:
        return Change(one.name, MADE)
    fields = differences(one, standing)
    return Change(one.name, CHANGED if fields else UNCHANGED, tuple(fields))


def check_blocks(server: Api, asked: Asked) -> None:
    """Raise UsageError where a Secret block is missing: the runs would fail at night."""
    missing = [
        block
        for block in asked.blocks
        if server.get(f"/block_types/slug/secret/block_documents/name/{quote(block, safe='')}") is None
    ]
    if missing:
        raise UsageError(
            f"{server.url} has no Secret block {', '.join(map(repr, missing))}: make it in the UI (Blocks, Secret), or "
            f"in Python, Secret(value=...).save({missing[0]!r}); nothing was deployed"
        )


def apply(
    server: Api,
    made: Deployed,
    all_wanted: Sequence[Wanted],
    found: Sequence[dict[str, Any] | None],
    say: Callable[[str], None],
) -> None:
    """Make the pool and what is not as it should be. Raises ServiceError, which names what was applied before."""
    done: list[str] = []
    try:
        if made.pool.state == MADE:
            server.post(
                "/work_pools/", {"name": made.pool.name, "type": PROCESS, "base_job_template": process_template()}
            )
            done.append(f"work pool {made.pool.name}")
            say(f"made work pool {made.pool.name}, of type process")
        for one, standing, change in zip(all_wanted, found, made.changes, strict=True):
            if change.state != UNCHANGED:
                flow = server.post("/flows/", {"name": one.flow}).get("id")
                if not isinstance(flow, str):
                    raise ServiceError(f"{server.url}/flows/: a flow without an id: not a Prefect server's answer")
                body = one.body if standing is None else with_standing(one, standing)
                server.post("/deployments/", {**body, "flow_id": flow})
                done.append(one.name)
    except ServiceError as error:
        before = f" ({', '.join(done)} stand; the same call goes on)" if done else ""
        raise ServiceError(f"{error}{before}") from error


def apply_alerts(server: Api, say: Callable[[str], None]) -> Applied | None:
    """Apply the automations that tell of nights. A server that takes none is no reason to fail."""
    try:
        receivers = receivers_of(server.ask)
        applied = apply_automations(server.ask, receivers)
    except (OSError, ValueError, KeyError, TypeError) as error:
        say(f"alerts: the server did not take the automations ({type(error).__name__}: {error})")
        return None
    for name in applied.by_hand:
        say(f"alerts: {name!r} was changed by hand and is left so; delete it to get that of this version")
    if not receivers:
        say(setting_up("scrollwork deploy"))
    return applied


def process_template() -> dict[str, Any]:
    """The template of a process pool, as `prefect work-pool create` takes it from the installed Prefect."""
    from prefect.workers.process import ProcessWorker

    return dict(ProcessWorker.get_default_base_job_template())


def write(path: Path, all_wanted: Sequence[Wanted]) -> None:
    """Write the deployments as a prefect.yaml of their own; a file that is there is kept. Raises OSError."""
    document = {"name": "scrollwork", "deployments": [as_declared(one) for one in all_wanted]}
    text = HEAD + yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)
    with path.open("x", encoding="utf-8") as stream:
        stream.write(text)


def as_declared(one: Wanted) -> dict[str, Any]:
    """Return a deployment as prefect.yaml has it."""
    body = one.body
    plain = ("name", "entrypoint", "version", "description", "tags", "parameters", "enforce_parameter_schema")
    limit = {"limit": body["concurrency_limit"], **(body["concurrency_options"] or {})}
    pool = {"name": body["work_pool_name"], "work_queue_name": body["work_queue_name"]}
    schedules = [
        {**{name: value for name, value in row.items() if name != "schedule"}, **row["schedule"]}
        for row in body["schedules"]
    ]
    return {
        **{name: body[name] for name in plain if body.get(name) is not None},
        "pull": body["pull_steps"],
        "work_pool": {**pool, "job_variables": body["job_variables"]},
        **({} if one.keeps_schedules else {"schedules": schedules}),
        **({"concurrency_limit": limit} if body["concurrency_limit"] else {}),
    }
