"""What the flows share: from plain parameters to a request, and how a chain ends."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tasks.chain import Chain
from tasks.errors import StageFailed
from tasks.request import Request

PROJECT = Path(__file__).resolve().parents[1]


def request_of(parameters: dict[str, Any]) -> Request:
    """The request of a flow's parameters; without a home that of SCROLLWORK_HOME, else .scrollwork in the project."""
    parameters["store"] = parameters["store"] or os.environ.get("SCROLLWORK_STORE", "")
    home = parameters.pop("home") or os.environ.get("SCROLLWORK_HOME") or str(PROJECT / ".scrollwork")
    names = [name for name in ("tasks", "splits", "models", "arms", "vary") if name in parameters]
    lists: dict[str, Any] = {name: tuple(parameters.pop(name) or ()) for name in names}
    raw = parameters.pop("raw") or ""
    parameters |= {"home": home, "raw": raw, "sample": parameters["sample"] and not raw}
    return Request.of(**parameters, **lists)


def parameters_of(request: Request) -> dict[str, Any]:
    """A flow's parameters that give this request again; those of build-datasets are a part of them.

    The store's URL may hold a password, and parameters are kept by the server: it goes by SCROLLWORK_STORE.
    """
    plain = request.to_json()
    del plain["run"]  # the flow run's own id
    return {**plain, "store": "", "sample": False, "options": plain["options"] or {}}


def finish(chain: Chain, unanswered: Sequence[str] = ()) -> Chain:
    """The chain. Raises StageFailed when a stage failed, so that the flow run has failed and can be retried."""
    if chain.failed:
        first = chain.failed[0]
        more = f" (and {len(chain.failed) - 1} more)" if len(chain.failed) > 1 else ""
        raise StageFailed(
            f"{first.node.title}: {first.error}{more}. What finished stands; a retry redoes only the rest", chain
        )
    if unanswered:
        raise StageFailed(f"{unanswered[0]}. A retry asks again what may still be answered", chain)
    return chain
