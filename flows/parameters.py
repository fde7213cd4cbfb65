"""What the flows share: from plain parameters to a request, and how a flow run ends."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scrollwork.flows.server.local_server import PROJECT, noted
from scrollwork.flows.server.recovery import mark_run
from scrollwork.pipeline.errors import StageFailed, UsageError
from scrollwork.readings.run_outcome import Outcome
from scrollwork.storage.home import Home
from scrollwork.suites.request import Request


def request_of(parameters: dict[str, Any]) -> Request:
    """The request of a flow's parameters, in the home of `home_of`. Raises UsageError."""
    parameters["store"] = parameters["store"] or os.environ.get("SCROLLWORK_STORE", "")
    home = home_of(parameters.pop("home"), parameters["store"])
    names = [name for name in ("tasks", "splits", "models", "arms", "vary") if name in parameters]
    lists: dict[str, Any] = {name: tuple(parameters.pop(name) or ()) for name in names}
    raw = parameters.pop("raw") or ""
    parameters |= {"home": home, "raw": raw, "sample": parameters["sample"] and not raw}
    request = Request.of(**parameters, **lists)
    if (run_id := running_id()) and not deployed():  # its worker tells of a deployed one
        mark_run(Home.at(request.home, request.store).folder, run_id)
    return request


def home_of(given: str | None, store: str = "") -> str:
    """The home of a flow run: the parameter, else SCROLLWORK_HOME, else that of the server which serves this project.

    The folder of the code is no home by itself: a deployment with a pull step has its code in a temporary folder, which
    is deleted with all that was paid for. Relative paths of a deployed run begin there, too. Raises UsageError.
    """
    home = given or os.environ.get("SCROLLWORK_HOME") or ""
    server = noted(PROJECT / ".scrollwork")
    if server is not None:
        return home or str(server.get("home") or PROJECT / ".scrollwork")
    lost = [] if home else ["no home"]
    lost += [f"home {home!r}"] if relative(home) and deployed() else []
    lost += [f"store {store!r}"] if relative(store.removeprefix("sqlite:///")) and deployed() else []
    if lost:
        raise UsageError(
            f"{' and '.join(lost)}: what this run makes would lie in the folder of its code ({PROJECT}), which may be "
            "deleted after it, paid answers too. Name a folder that stays, by its whole path: export "
            "SCROLLWORK_HOME=/path/of/home where the worker starts, or for one deployment parameters: "
            "{home: /path/of/home} in prefect.yaml, or for one run --param home=/path/of/home"
        )
    return home


def deployed() -> bool:
    """Whether this flow run is one of a deployment."""
    from prefect.runtime import deployment

    return bool(deployment.id)


def running_id() -> str:
    """The id of the flow run that this process runs; "" of none."""
    from prefect.runtime import flow_run

    return str(flow_run.id or "")


def relative(place: str) -> bool:
    """Whether a path depends on the working directory; URLs and "" do not."""
    path = place.removeprefix("file://")
    return bool(path) and "://" not in path and not Path(path).expanduser().is_absolute()


def parameters_of(request: Request) -> dict[str, Any]:
    """A flow's parameters that give this request again; those of build-datasets are a part of them.

    The store's URL may hold a password, and parameters are kept by the server: it goes by SCROLLWORK_STORE.
    """
    plain = request.to_json()
    del plain["run"]  # the flow run's own id
    plain["suite"] = plain.pop("suite_file") or plain["suite"]
    return {**plain, "store": "", "sample": False, "options": plain["options"] or {}}


def finish(outcome: Outcome, unanswered: Sequence[str] = ()) -> Outcome:
    """The outcome. Raises StageFailed when a stage failed, so that the flow run has failed and can be retried."""
    if outcome.failed:
        first = outcome.failed[0]
        more = f" (and {len(outcome.failed) - 1} more)" if len(outcome.failed) > 1 else ""
        raise StageFailed(
            f"{first.node.title}: {first.error}{more}. What finished stands; a retry redoes only the rest", outcome
        )
    if unanswered:
        raise StageFailed(f"{unanswered[0]}. A retry asks again what may still be answered", outcome)
    return outcome
