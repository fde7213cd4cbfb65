"""Remove deployments and schedules from the server that are no longer in prefect.yaml.

`prefect deploy --all` only adds and changes: an evaluation that was deleted from the file would still run every night,
and cost money. Only what `up` deployed is removed; other deployments and schedules stay.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from scrollwork.flows.server.local_server import delete, write_private
from scrollwork.flows.server.project import project_of
from scrollwork.flows.server.recovery import all_rows, folders_of

Deployments = Mapping[tuple[str, str], bool]  # by name and entrypoint: whether they have schedules


def follow_file(running: dict[str, Any], say: Callable[[str], None]) -> None:
    """Remove from the server what the last `up` deployed and prefect.yaml no longer has; note what it has now. Raises
    OSError."""
    project, path = project_of(running), Path(running["home"]) / "prefect" / "deployed.json"
    now = of_file(project / "prefect.yaml")
    if now is None:
        return
    last, before = noted_before(path)
    for made in all_rows(running, "deployments", {}):
        name = made["name"], made["entrypoint"]
        if name not in before or not {last, str(project)}.intersection(folders_of(made)):
            continue
        if name not in now:
            delete(running, f"deployments/{made['id']}")
            say(f"removed deployment {made['name']}: prefect.yaml has it no longer")
        elif before[name] and not now[name] and made["schedules"]:
            for schedule in made["schedules"]:
                delete(running, f"deployments/{made['id']}/schedules/{schedule['id']}")
            say(f"removed the schedules of {made['name']}: prefect.yaml has none")
    rows = [[*name, scheduled] for name, scheduled in now.items()]
    noted = {"project": str(project), "deployments": rows, "digest": digest_of(project / "prefect.yaml")}
    write_private(path, json.dumps(noted))


def tell_changed(running: dict[str, Any], say: Callable[[str], None]) -> None:
    """Say that prefect.yaml is another one than when it was deployed; nothing where that is not known."""
    with suppress(OSError, ValueError, AttributeError):
        noted = json.loads((Path(running["home"]) / "prefect" / "deployed.json").read_text(encoding="utf-8"))
        if noted.get("digest") not in (None, digest_of(project_of(running) / "prefect.yaml")):
            say("prefect.yaml was changed after it was deployed: scrollwork down, then up, to run what it says")


def digest_of(path: Path) -> str:
    """The digest of a file. Raises OSError."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def of_file(path: Path) -> Deployments | None:
    """The deployments of a prefect.yaml; None if a name is a template that Prefect fills in."""
    rows = yaml.safe_load(path.read_text(encoding="utf-8")).get("deployments") or []
    found = {
        (str(row["name"]), str(row.get("entrypoint"))): bool(row.get("schedules") or row.get("schedule"))
        for row in rows
    }
    return None if any("{{" in word for name in found for word in name) else found


def noted_before(path: Path) -> tuple[str, Deployments]:
    """(project, deployments) noted by the last `up`; ("", {}) if nothing was noted."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        noted = json.loads(path.read_text(encoding="utf-8"))
        return str(noted["project"]), {(name, entry): bool(timed) for name, entry, timed in noted["deployments"]}
    return "", {}
