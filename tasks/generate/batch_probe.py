"""Probe a model before its first batch in a home: send its first requests online and check the replies."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from typing import cast

from scrollwork.models.base import Call
from scrollwork.models.engine.breaker import AT_ONCE
from scrollwork.models.engine.running import Runs
from scrollwork.pipeline.calling import CallSettings
from scrollwork.pipeline.errors import Interrupted
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.tasks.generate.asker import Asker
from scrollwork.tasks.generate.batch_files import unique_calls
from scrollwork.tasks.generate.first_replies import LOOKED_AT
from scrollwork.tasks.generate.pending import Calls
from scrollwork.tasks.generate.snapshot import model_of

FEWEST = 40  # requests of a run that is probed: at twice the batch price, two of them add a twentieth to its cost


def is_new(model: str, stages: Sequence[Calls], store: ResponseStore) -> bool:
    """Return whether a model is to be probed: the home has no answers or open batches of it, and `stages` send it at
    least FEWEST requests."""
    if sum(calls.total for calls in stages) < FEWEST or store.holds_answers(model):
        return False
    return not any(batch.model == model for batch in store.open_batches())


def first_calls(stages: Iterable[Calls]) -> list[Call]:
    """Return the first LOOKED_AT calls of a run. stages: made only for this, as their prompts are rendered here."""
    first = chain.from_iterable(some for calls in stages for some in calls.batches())
    return list(unique_calls(islice(first, AT_ONCE)).values())[:LOOKED_AT]


def probe(model: str, calling: CallSettings, store: ResponseStore, asked: Sequence[Call]) -> str:
    """Send these calls online, at the standard tier. Return why no batch must follow, "" if one may.

    The answers are stored and used as all others; the batch leaves these requests out. Raises StorageError.
    """

    def source(keys: Collection[str] | None) -> Iterator[list[Call]]:
        yield [call for call in asked if keys is None or call.key in keys]

    table = {key: value for key, value in calling.tables[model].items() if key != "service"}
    online = replace(calling, tables={**calling.tables, model: table})
    title = f"{model}, first replies"
    with suppress(Interrupted):  # the code that submits batches checks STOP itself
        Asker(cast(Runs, model_of(model, table)), online, store, title, len(asked)).ask(source)
    if store.holds_answers(model):
        return ""
    return "no batch is submitted: its first requests, asked online, got no answer"
