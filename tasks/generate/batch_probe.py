"""Before the first batch of a model in a home: its first requests are asked online and looked at, as online runs do."""

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

FEWEST = 40  # requests of a run that is probed: at twice the price of a batch, two of them are a twentieth of its bill


def is_new(model: str, stages: Sequence[Calls], store: ResponseStore) -> bool:
    """Whether the home has neither answers nor batches of a model that is asked enough. stages: what it is asked."""
    if sum(calls.total for calls in stages) < FEWEST or store.holds_answers(model):
        return False
    return not any(batch.model == model for batch in store.open_batches())


def first_calls(stages: Iterable[Calls]) -> list[Call]:
    """Return the first calls of a run, LOOKED_AT of them. stages: of which nothing is rendered yet, for this alone."""
    first = chain.from_iterable(some for calls in stages for some in calls.batches())
    return list(unique_calls(islice(first, AT_ONCE)).values())[:LOOKED_AT]


def probe(model: str, calling: CallSettings, store: ResponseStore, asked: Sequence[Call]) -> str:
    """Ask these calls online, at the standard tier. Returns why no batch is to follow, "" where one may.

    The answers are the run's own: the batch leaves out what is stored. Raises StorageError."""

    def source(keys: Collection[str] | None) -> Iterator[list[Call]]:
        yield [call for call in asked if keys is None or call.key in keys]

    table = {key: value for key, value in calling.tables[model].items() if key != "service"}
    online = replace(calling, tables={**calling.tables, model: table})
    title = f"{model}, first replies"
    with suppress(Interrupted):  # whoever submits looks at STOP
        Asker(cast(Runs, model_of(model, table)), online, store, title, len(asked)).ask(source)
    if store.holds_answers(model):
        return ""
    return "no batch is submitted: its first requests, asked online, got no answer"
