"""What Prefect may forget of a home: old flow runs with their logs and artifacts, and old logs of server and worker.

Events are removed by the server itself (those older than seven days; PREFECT_SERVER_EVENTS_RETENTION_PERIOD), and its
API has no way to remove them. It can remove old flow runs too (PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED), of all
flows alike, and knows nothing of nights.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from scrollwork.flows.keeping.kept import Kept, kept_nights
from scrollwork.flows.server.local_server import noted_server, running_server, settings
from scrollwork.flows.server.processes import ServiceError
from scrollwork.storage.epochs import DAY_S
from scrollwork.storage.home import Home

if TYPE_CHECKING:
    from prefect.client.orchestration import SyncPrefectClient
    from prefect.client.schemas.objects import FlowRun
    from prefect.types import DateTime

FLOWS = ("build-datasets", "evaluate", "nightly")
SOME = 100  # flow runs a request
PATIENCE_S = 20.0  # for which the server may be busy with the logs of what was removed


@dataclass
class Forgotten:
    """runs: {id, name, flow, ended, logs, artifacts} of flow runs that may go, the oldest first. files: logs of server
    and worker, with bytes. kept: flow runs that are old and stay, being of nights. notes: sentences."""

    runs: list[dict[str, Any]] = field(default_factory=list)
    files: list[tuple[str, int]] = field(default_factory=list)
    kept: int = 0
    notes: list[str] = field(default_factory=list)


def forget(home: Home, keep_days: float, doing: bool) -> Forgotten:
    """List what Prefect may forget of a home; doing: and remove it. keep_days: runs that ended since then stay.

    Only runs of our flows in this home count: a server may have others. Raises ServiceError if the server does not
    answer.
    """
    found, since = Forgotten(), time.time() - keep_days * DAY_S
    noted = Kept()
    nights = {row.run for row in kept_nights(home, since, noted)}
    found.notes += noted.notes
    server = running_server(home.folder)
    if server is None and not os.environ.get("PREFECT_API_URL"):
        found.notes.append(
            "no Prefect server is running for this home, so its database was not looked at: `scrollwork up` starts "
            "one, or name another by PREFECT_API_URL"
        )
    else:
        os.environ.update(settings(home.folder))
        with naming_server():
            of_server(home, found, since, nights, server is not None, doing)
    if server is None and noted_server(home.folder) is None:
        for path in old_logs(home, since):
            found.files.append((str(path), path.stat().st_size))
            if doing:
                path.unlink(missing_ok=True)
    return found


@contextmanager
def naming_server() -> Iterator[None]:
    """Turn errors of the connection to the server into a ServiceError that names it."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("httpx", "httpcore", "prefect"):
            raise
        url, why = os.environ.get("PREFECT_API_URL", ""), str(error) or type(error).__name__
        raise ServiceError(f"the Prefect server at {url} did not do what was asked: {why}") from error


def of_server(home: Home, found: Forgotten, since: float, nights: set[str], own: bool, doing: bool) -> None:
    """Look for old flow runs, and remove them. own: the server is that of this home, whose runs name no home."""
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        for run in old_runs(client, since):
            if not is_of(home, run.parameters.get("home"), own):
                continue
            if str(run.id) in nights:
                found.kept += 1
                continue
            found.runs.append(described(client, run))
        for row in found.runs if doing else ():
            remove_run(client, UUID(row["id"]))
        if doing and found.runs:
            wait_for_logs(client, [UUID(row["id"]) for row in found.runs])


def is_of(home: Home, place: Any, own: bool) -> bool:
    """Return whether a flow run was in this home. place: its parameter. own: the server is that of this home."""
    if not isinstance(place, str) or not place:
        return own and place is None
    return place.rstrip("/") == home.url if "://" in place else str(Path(place).expanduser().resolve()) == home.url


def old_runs(client: SyncPrefectClient, since: float) -> list[FlowRun]:
    """List the runs of our flows that ended before a time (unix seconds), the oldest first."""
    from prefect.client.schemas.filters import (
        FlowFilter,
        FlowFilterName,
        FlowRunFilter,
        FlowRunFilterEndTime,
        FlowRunFilterState,
        FlowRunFilterStateType,
    )
    from prefect.client.schemas.objects import TERMINAL_STATES
    from prefect.client.schemas.sorting import FlowRunSort

    before = cast("DateTime", datetime.fromtimestamp(since, UTC))  # a subclass of it; the server gets a text
    ended = FlowRunFilterEndTime(before_=before, is_null_=False)
    state = FlowRunFilterState(type=FlowRunFilterStateType(any_=sorted(TERMINAL_STATES)))
    found: list[FlowRun] = []
    while some := client.read_flow_runs(
        flow_filter=FlowFilter(name=FlowFilterName(any_=list(FLOWS))),
        flow_run_filter=FlowRunFilter(end_time=ended, state=state),
        sort=FlowRunSort.END_TIME_DESC,
        limit=SOME,
        offset=len(found),
    ):
        found += some
    return found[::-1]


def described(client: SyncPrefectClient, run: FlowRun) -> dict[str, Any]:
    """Return a flow run as data."""
    return {
        "id": str(run.id),
        "name": run.name,
        "state": run.state_name or "",
        "ended": run.end_time.timestamp() if run.end_time else None,
        "artifacts": len(artifacts_of(client, run.id)),
    }


def artifacts_of(client: SyncPrefectClient, run: UUID) -> list[Any]:
    """List the artifacts of a flow run; the server removes them with no run."""
    from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterFlowRunId

    chosen = ArtifactFilter(flow_run_id=ArtifactFilterFlowRunId(any_=[run]))
    return list(client.read_artifacts(artifact_filter=chosen, limit=200))


def remove_run(client: SyncPrefectClient, run: UUID) -> None:
    """Remove a flow run with its artifacts, tasks and states; the server removes its logs after it.

    Artifacts go first: after a kill, the run is still there to be found.
    """
    from prefect.exceptions import ObjectNotFound

    for made in artifacts_of(client, run):
        try:
            client.delete_artifact(made.id)
        except ObjectNotFound:
            continue
    try:
        client.delete_flow_run(run)
    except ObjectNotFound:
        return


def wait_for_logs(client: SyncPrefectClient, runs: list[UUID]) -> None:
    """Wait until the server has removed the logs of removed flow runs, which it does in the background."""
    deadline = time.monotonic() + PATIENCE_S
    while any(logs_of(client, run) for run in runs) and time.monotonic() < deadline:
        time.sleep(0.2)


def logs_of(client: SyncPrefectClient, run: UUID) -> bool:
    """Return whether the server has logs of a flow run."""
    from prefect.client.schemas.filters import LogFilter, LogFilterFlowRunId

    return bool(client.read_logs(log_filter=LogFilter(flow_run_id=LogFilterFlowRunId(any_=[run])), limit=1))


def old_logs(home: Home, since: float) -> Iterator[Path]:
    """Yield logs of a server and a worker that have ended, last written before a time (unix seconds)."""
    for path in sorted((home.folder / "prefect").glob("*.log")):
        if path.is_file() and path.stat().st_mtime < since:
            yield path
