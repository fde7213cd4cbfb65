"""Deployments as a server should have them, from prefect.yaml and the options of a call, how those it has differ."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrollwork.flows.deploy.asked import Asked, as_text, secret_of
from scrollwork.flows.deploy.project_file import FILE, KINDS, Declared, Step
from scrollwork.flows.server.project import BY_MODULE, BY_PATH
from scrollwork.models.table_keys import nearest_known
from scrollwork.pipeline.errors import UsageError

STEPS = "prefect.deployments.steps"
DEFAULT = "default"  # the queue of a pool that Prefect makes with it


@dataclass(frozen=True)
class Wanted:
    """A deployment: the name of its flow, and the body that makes it (without the flow's id).

    keeps_schedules: the file names none, so those that the server has stay.
    """

    flow: str
    body: dict[str, Any]
    keeps_schedules: bool

    @property
    def name(self) -> str:
        """FLOW/NAME."""
        return f"{self.flow}/{self.body['name']}"


def wanted(asked: Asked, one: Declared, project: Path, pool: Mapping[str, Any]) -> Wanted:
    """Return the deployment that the file declares, as the call wants it. Loads its flow, and with it Prefect.

    pool: type and template, as the server has it. Raises UsageError if the flow cannot be loaded, or the pool cannot
    take what is asked for.
    """
    from prefect.utilities.callables import parameter_schema

    steps, entrypoint = pull_steps(asked, one, project, str(pool["type"])), one.entrypoint
    if asked.image and not steps and entrypoint in BY_PATH:
        entrypoint = BY_MODULE[BY_PATH.index(entrypoint)]  # the image has the package
    flow = load_flow(one, project)
    schema = parameter_schema(flow).model_dump(mode="json", exclude_unset=True)  # as `prefect deploy` sends it
    check_parameters(one, flow, schema)
    queue, limit = asked.queue or one.queue, one.limit
    body = {
        "name": one.name,
        "entrypoint": entrypoint,
        "path": None,
        "pull_steps": steps,
        "description": one.description or flow.description,
        "tags": list(one.tags),
        "parameters": dict(one.parameters or {}),
        "parameter_openapi_schema": schema,
        "enforce_parameter_schema": one.enforce,
        "work_pool_name": asked.pool,
        "work_queue_name": queue or DEFAULT,
        "job_variables": job_variables(asked, one, pool),
        "concurrency_limit": limit["limit"] if limit else None,
        "concurrency_options": {name: value for name, value in limit.items() if name != "limit"} if limit else None,
        "schedules": schedules_of(one),
        **({"version": one.version} if one.version else {}),
    }
    if not body["concurrency_options"]:
        body["concurrency_options"] = None
    return Wanted(flow.name, body, one.schedules is None)


def pull_steps(asked: Asked, one: Declared, project: Path, kind: str) -> list[Step]:
    """Return what a worker does before it loads the flow; [] for an image that has all of it. Raises UsageError."""
    if asked.git:
        clone: dict[str, Any] = {"repository": asked.git, **({"branch": asked.branch} if asked.branch else {})}
        if asked.token:
            clone["access_token"] = secret_of(asked.token)
        return [{f"{STEPS}.git_clone": clone}]
    if asked.folder:
        return [{f"{STEPS}.set_working_directory": {"directory": asked.folder}}]
    if one.pull:
        return [dict(step) for step in one.pull]
    if kind == "process":
        return [{f"{STEPS}.set_working_directory": {"directory": str(project)}}]
    if ":" in one.entrypoint and one.entrypoint not in BY_PATH:
        raise UsageError(
            f"deployment {one.name!r}: its flow {one.entrypoint} is a file; say where the image has the project, "
            "--folder /path/in/the/image, or --git URL"
        )
    return []


def job_variables(asked: Asked, one: Declared, pool: Mapping[str, Any]) -> dict[str, Any]:
    """Return the file's job variables with environment and image of the call. Raises UsageError."""
    given = dict(one.variables or {})
    given["env"] = {
        **{str(name): str(value) for name, value in dict(given.get("env") or {}).items()},
        **asked.variables(),
    }
    if asked.image:
        given["image"] = asked.image
    known = template(pool)
    if known and (unknown := sorted(set(given) - set(known))):
        raise UsageError(
            f"pool {asked.pool!r} ({as_text(pool['type'])}) takes no job variable {unknown[0]!r}: its base job "
            f"template has {as_text(', '.join(sorted(known)))}"
        )
    image = known.get("image")
    if isinstance(image, dict) and not image.get("default") and not given.get("image"):
        raise UsageError(
            f"pool {asked.pool!r} ({as_text(pool['type'])}) runs images, and none is named: --image NAME, one in which "
            "scrollwork is installed"
        )
    return given


def template(pool: Mapping[str, Any]) -> dict[str, Any]:
    """The job variables that a pool's template has; {} for a pool without one, as a worker has not yet filled it in."""
    found: Any = pool.get("base_job_template") or {}
    for key in ("variables", "properties"):
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def load_flow(one: Declared, project: Path) -> Any:
    """Return the flow of an entrypoint, by path in the project or by module. Raises UsageError."""
    from prefect.flows import load_flow_from_entrypoint

    path, colon, name = one.entrypoint.rpartition(":")
    entrypoint = f"{project / path}:{name}" if colon else one.entrypoint
    before = list(sys.path)
    sys.path.append(str(project))  # last: no module of the project hides one of a library in this process
    try:
        return load_flow_from_entrypoint(entrypoint, use_placeholder_flow=False)
    except Exception as error:  # whatever a user's module raises
        raise UsageError(
            f"{project / FILE}: deployment {one.name!r}: its flow {one.entrypoint} cannot be loaded: "
            f"{type(error).__name__}: {as_text(str(error))}"
        ) from error
    finally:
        sys.path[:] = before


def check_parameters(one: Declared, flow: Any, schema: dict[str, Any]) -> None:
    """Raise UsageError for a parameter that the flow lacks or refuses: the server takes it, and every run fails."""
    from prefect.utilities.schema_tools import ValidationError, validate

    signature = inspect.signature(flow.fn).parameters
    rest = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in signature.values())
    for where, given in [
        (f"deployment {one.name!r}", one.parameters or {}),
        *(
            (f"deployment {one.name!r}, schedule {n}", row.get("parameters") or {})
            for n, row in enumerate(one.schedules or (), 1)
        ),
    ]:
        if not isinstance(given, Mapping):
            raise UsageError(f"{where}, parameters: names with values are wanted")
        if not rest and (unknown := [name for name in given if name not in signature]):
            near = nearest_known(unknown[0], list(signature))
            raise UsageError(f"{where}: its flow has no parameter {as_text(unknown[0])!r}{near}")
        try:
            validate(dict(given), schema, raise_on_error=True, ignore_required=True)
        except ValidationError as error:
            raise UsageError(f"{where}, parameters: {as_text(str(error))}") from error


def schedules_of(one: Declared) -> list[dict[str, Any]]:
    """Return the schedules as the server takes them. Raises UsageError for one that Prefect refuses."""
    from prefect.client.schemas.schedules import CronSchedule, IntervalSchedule, RRuleSchedule

    made: list[dict[str, Any]] = []
    for number, row in enumerate(one.schedules or (), 1):
        kind = next(name for name in KINDS if row.get(name) is not None)
        own = {name: row[name] for name in (kind, "timezone", "anchor_date", "day_or") if row.get(name) is not None}
        schema: Any = {"cron": CronSchedule, "interval": IntervalSchedule, "rrule": RRuleSchedule}[kind]
        try:
            schedule = schema(**own).model_dump(mode="json", exclude_unset=True)
        except ValueError as error:
            why = as_text(" ".join(str(error).split()))
            raise UsageError(f"deployment {one.name!r}, schedule {number}: Prefect refuses it: {why}") from error
        extras = {name: row[name] for name in ("active", "parameters", "slug") if row.get(name) is not None}
        made.append({"schedule": schedule, **extras})
    return made


def differences(one: Wanted, standing: Mapping[str, Any]) -> list[str]:
    """Return the names of the fields in which a deployment of the server is not as it is wanted."""
    found = dict(standing)
    limit = standing.get("global_concurrency_limit")
    found["concurrency_limit"] = limit.get("limit") if isinstance(limit, Mapping) else standing.get("concurrency_limit")
    other = [
        name
        for name, value in one.body.items()
        if name != "schedules" and not is_within(value, found.get(name), whole=name != "concurrency_options")
    ]
    if not one.keeps_schedules and not _same_schedules(one.body["schedules"], rows(standing.get("schedules"))):
        other.append("schedules")
    return other


def is_within(value: Any, found: Any, whole: bool = False) -> bool:
    """Whether the server has a value; where not whole, it may have further keys, which it sets by itself."""
    if not whole and isinstance(value, Mapping):
        return isinstance(found, Mapping) and all(is_within(one, found.get(key)) for key, one in value.items())
    return (
        bool((value or None) == (found or None))
        if isinstance(value, (list, dict, str)) or value is None
        else value == found
    )


def _same_schedules(wanted: list[dict[str, Any]], found: list[dict[str, Any]]) -> bool:
    rest = list(found)
    for one in wanted:
        same = next((each for each in rest if is_within(one, each)), None)
        if same is None:
            return False
        rest.remove(same)
    return not rest


def with_standing(one: Wanted, standing: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body that changes a deployment of the server: its schedules stay where the file names none, and what a
    person paused stays paused."""
    found = rows(standing.get("schedules"))
    kept = ("schedule", "active", "parameters", "slug")
    if one.keeps_schedules:
        return {
            **one.body,
            "schedules": [{name: row[name] for name in kept if row.get(name) is not None} for row in found],
        }
    paused = {row.get("slug") or repr(row.get("schedule")) for row in found if row.get("active") is False}
    schedules = []
    for row in one.body["schedules"]:
        same = row.get("slug") or next((repr(each.get("schedule")) for each in found if is_within(row, each)), "")
        schedules.append({"active": same not in paused, **row})
    return {**one.body, "schedules": schedules}


def rows(value: Any) -> list[dict[str, Any]]:
    """The mappings of a list of the server's."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
