"""Read the deployments of a project's prefect.yaml, as `scrollwork deploy` applies them. Imports no Prefect.

What only `prefect deploy` can do (build and push steps, triggers, templates that it fills in) is refused by name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from scrollwork.pipeline.errors import UsageError
from scrollwork.preprocessing.raw.errors import printable

FILE = "prefect.yaml"
LONGEST = 200  # characters of a value in a message
TOP = {"name", "prefect-version", "pull", "deployments"}
OWN = {"name", "entrypoint", "description", "tags", "parameters", "version", "enforce_parameter_schema", "pull"}
OWN |= {"work_pool", "schedules", "concurrency_limit"}
OF_POOL = {"name", "work_queue_name", "job_variables"}
KINDS = ("cron", "interval", "rrule")
OF_SCHEDULE = {*KINDS, "timezone", "active", "parameters", "slug", "anchor_date", "day_or"}
OF_LIMIT = {"limit", "collision_strategy", "grace_period_seconds"}
Step = dict[str, Any]


@dataclass(frozen=True)
class Declared:
    """A deployment as the file declares it.

    pull: its own pull steps, or those of the file; None where it names none. queue: "" for the pool's usual one.
    schedules: None where it names none. limit: of runs at once, with options; None for no limit.
    """

    name: str
    entrypoint: str
    description: str | None = None
    tags: tuple[str, ...] = ()
    parameters: Mapping[str, Any] | None = None
    version: str | None = None
    enforce: bool = True
    pull: Sequence[Step] | None = None
    queue: str = ""
    variables: Mapping[str, Any] | None = None
    schedules: Sequence[Mapping[str, Any]] | None = None
    limit: Mapping[str, Any] | None = None


def declared(folder: Path, chosen: Sequence[str] = ()) -> list[Declared]:
    """Return the deployments of a folder's prefect.yaml, in its order. chosen: names of those that are wanted, all by
    default. Raises UsageError, which names file, deployment and key."""
    path = folder / FILE
    try:
        whole = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    except yaml.YAMLError as error:
        raise UsageError(f"{path}: no YAML ({' '.join(str(error).split())})") from error
    whole = _mapping(path, "the file", whole, TOP)
    rows = whole.get("deployments")
    if not isinstance(rows, list) or not rows:
        raise UsageError(f"{path}: deployments: a list is wanted, with a deployment at least")
    found = [_deployment(path, number, row, whole.get("pull")) for number, row in enumerate(rows, 1)]
    names = [one.name for one in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"{path}: deployment {twice[0]!r} stands there twice")
    if unknown := [name for name in chosen if name not in names]:
        raise UsageError(f"{path} has no deployment {unknown[0]!r}; it has {', '.join(names)}")
    return [one for one in found if not chosen or one.name in chosen]


def _deployment(path: Path, number: int, row: Any, pull: Any) -> Declared:
    where = f"deployment {number}"
    if isinstance(row, dict) and isinstance(row.get("name"), str):
        where = f"deployment {printable(row['name'], LONGEST)!r}"
    row = _mapping(path, where, row, OWN)
    pool = _mapping(path, f"{where}, work_pool", row.get("work_pool") or {}, OF_POOL)
    steps = row.get("pull", pull)
    if steps is not None and not (isinstance(steps, list) and all(isinstance(one, dict) for one in steps)):
        raise UsageError(f"{path}: {where}, pull: a list of steps is wanted, each a mapping")
    texts = {"name": row.get("name"), "entrypoint": row.get("entrypoint")}
    for key, value in texts.items():
        if not isinstance(value, str) or not value.strip() or (key == "name" and "/" in value):
            raise UsageError(f"{path}: {where}, {key}: a text is wanted{', without /' if key == 'name' else ''}")
    made = Declared(
        name=row["name"],
        entrypoint=row["entrypoint"],
        description=_text(path, f"{where}, description", row.get("description")),
        tags=tuple(_texts(path, f"{where}, tags", row.get("tags") or [])),
        parameters=_plain(path, f"{where}, parameters", row.get("parameters") or {}),
        version=_text(path, f"{where}, version", row.get("version")),
        enforce=row.get("enforce_parameter_schema", True) is not False,
        pull=None if steps is None else [_plain(path, f"{where}, pull", one) for one in steps],
        queue=_text(path, f"{where}, work_queue_name", pool.get("work_queue_name")) or "",
        variables=_plain(path, f"{where}, job_variables", pool.get("job_variables") or {}),
        schedules=_schedules(path, where, row.get("schedules")),
        limit=_limit(path, where, row.get("concurrency_limit")),
    )
    filled = {name: getattr(made, name) for name in ("name", "entrypoint", "description", "tags", "parameters")}
    filled |= {"version": made.version, "work_queue_name": made.queue, "schedules": made.schedules}
    if templates := [name for name, value in filled.items() if _has_template(value)]:
        raise UsageError(
            f"{path}: {where}, {templates[0]}: a template in double braces is filled in by `prefect deploy` alone; "
            "write the value, or deploy that one with prefect"
        )
    return made


def _mapping(path: Path, where: str, value: Any, known: set[str] | None = None) -> dict[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise UsageError(f"{path}: {where}: keys with values are wanted, not {printable(repr(value), LONGEST)}")
    if known is not None and (unknown := sorted(set(value) - known)):
        raise UsageError(
            f"{path}: {where}: key {printable(unknown[0], LONGEST)!r} is not one that `scrollwork deploy` applies "
            f"({', '.join(sorted(known))}); for others deploy with `prefect deploy`"
        )
    return value


def _plain(path: Path, where: str, value: Any) -> dict[str, Any]:
    """A mapping as the server will have it."""
    try:
        made: dict[str, Any] = json.loads(json.dumps(_mapping(path, where, value), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: {where}: only texts, numbers, lists and mappings: quote a date ({error})") from error
    return made


def _text(path: Path, where: str, value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{path}: {where}: a text is wanted, not {printable(repr(value), LONGEST)}")
    return value or None


def _texts(path: Path, where: str, value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise UsageError(f"{path}: {where}: a list of texts is wanted, not {printable(repr(value), LONGEST)}")
    return value


def _schedules(path: Path, where: str, value: Any) -> list[dict[str, Any]] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise UsageError(f"{path}: {where}, schedules: a list is wanted, not {printable(repr(value), LONGEST)}")
    rows = [_mapping(path, f"{where}, schedule {n}", row, OF_SCHEDULE) for n, row in enumerate(value, 1)]
    for number, row in enumerate(rows, 1):
        if sum(row.get(kind) is not None for kind in KINDS) != 1:
            raise UsageError(f"{path}: {where}, schedule {number}: one of {', '.join(KINDS)} is wanted")
    return rows


def _limit(path: Path, where: str, value: Any) -> dict[str, Any] | None:
    if value is None:
        return None
    limit = {"limit": value} if isinstance(value, int) else value
    limit = _mapping(path, f"{where}, concurrency_limit", limit, OF_LIMIT)
    number = limit.get("limit")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise UsageError(f"{path}: {where}, concurrency_limit: a whole number is wanted, 1 or more")
    return limit


def _has_template(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_template, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_has_template, value))
    return isinstance(value, str) and "{{" in value
