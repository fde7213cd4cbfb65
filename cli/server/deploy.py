"""scrollwork deploy: the project's deployments on any Prefect server."""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict
from pathlib import Path

from scrollwork.cli.terminal.common import print_json, say
from scrollwork.flows.deploy.apply import UNCHANGED, Change, Deployed, deploy
from scrollwork.flows.deploy.asked import Asked, pairs_of
from scrollwork.flows.server.project import project_folder, refuse_no_project
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.storage.home import is_remote

WOULD = {"made": "would be made", "changed": "would be changed"}


def run(arguments: argparse.Namespace) -> int:
    """Apply, and print what was made, changed or left. Raises UsageError, ServiceError."""
    project = project_folder()
    if project is None:
        raise refuse_no_project("deploy applies")
    done = deploy(
        asked_of(arguments),
        project,
        api=arguments.api,
        chosen=arguments.deployment,
        out=arguments.out,
        dry=arguments.dry_run,
        say=(lambda text: None) if arguments.quiet else say,
    )
    if arguments.json:
        print_json(as_json(done, arguments.out))
        return 0
    print(f"server {done.api}")
    print(line(f"work pool {done.pool.name}", done.pool, done.applied))
    for change in done.changes:
        print(line(change.name, change, done.applied))
    for how, names in alerts_of(done).items():
        print(f"automations {how}: {', '.join(names)}")
    if arguments.out:
        print(arguments.out)
    if not arguments.quiet and done.pool.state != UNCHANGED and done.applied:
        say(f"next, where flows shall run: prefect worker start --pool {done.pool.name}")
    return 0


def asked_of(arguments: argparse.Namespace) -> Asked:
    """The options of the call; paths of this machine are made whole. Raises UsageError."""
    store = arguments.store
    if store.startswith("sqlite:///"):
        store = f"sqlite:///{whole(store.removeprefix('sqlite:///'))}"
    return Asked(
        pool=arguments.pool,
        home=arguments.home if is_remote(arguments.home) else whole(arguments.home.removeprefix("file://")),
        store=store,
        git=arguments.git,
        branch=arguments.branch,
        token=arguments.token,
        image=arguments.image,
        folder=arguments.folder,
        queue=arguments.queue,
        mounted=arguments.mounted,
        plain=pairs_of("--env", arguments.env),
        secrets=pairs_of("--secret", arguments.secret),
    )


def whole(path: str) -> str:
    """A path of this machine from its root; links are kept, since other machines may have others."""
    return os.path.abspath(Path(path).expanduser())


def line(name: str, change: Change, applied: bool) -> str:
    """A line on a deployment."""
    state = change.state if applied else WOULD.get(change.state, change.state)
    return f"{printable(name)}: {state}" + (f" ({', '.join(change.fields)})" if change.fields else "")


def as_json(done: Deployed, out: str) -> dict[str, object]:
    """The document of --json. No variable's value is in it."""
    return {
        "api": done.api,
        "applied": done.applied,
        "pool": {"name": done.pool.name, "state": done.pool.state},
        "deployments": [{"name": one.name, "state": one.state, "fields": list(one.fields)} for one in done.changes],
        "alerts": alerts_of(done) if done.alerts is not None else None,
        "out": out or None,
    }


def alerts_of(done: Deployed) -> dict[str, list[str]]:
    """Names of the automations by what was done with them, without what nothing was done with."""
    applied = asdict(done.alerts) if done.alerts is not None else {}
    return {how.replace("_", " "): list(names) for how, names in applied.items() if names}
