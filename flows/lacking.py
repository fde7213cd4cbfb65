"""What a run lacks in this process, told before Prefect starts and before anything is asked."""

from __future__ import annotations

from scrollwork.flows.chains import Chain
from scrollwork.flows.execute import Planned
from scrollwork.models.registry import HOSTED, client_module, need_sdk
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.extras import absent_libraries
from scrollwork.suites.model_tables import missing_keys


def refuse_lacking(chain: Chain, planned: Planned) -> None:
    """Raise one error that names all libraries of stages, all clients of vendors and all keys that a run lacks.

    It is a ModuleNotFoundError if a client is all that is missing, else a UsageError.
    """
    calling = chain.resolved.calling
    asked = {node.label("model") for node, status in planned.statuses if node.asks and status.state != "reused"}
    to_ask = {table["provider"] for model, table in calling.tables.items() if model in asked}
    clients: list[ModuleNotFoundError] = []
    for provider in sorted({table["provider"] for table in calling.tables.values()} & set(HOSTED)):
        try:
            client_module(provider, HOSTED)
            if provider in to_ask:  # stored answers are read without it
                need_sdk(provider)
        except ModuleNotFoundError as error:
            clients.append(error)
    others = [*absent_libraries(node for node, _ in planned.statuses), *missing_keys(calling, planned.statuses)]
    if len(clients) == 1 and not others:
        raise clients[0]
    if told := list(dict.fromkeys([*map(str, clients), *others])):
        raise UsageError(told[0] if not told[1:] else f"{len(told)} things are missing: {'; '.join(told)}")
