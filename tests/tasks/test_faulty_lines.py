"""Faulty lines among the results of a batch, from the simulated vendors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scrollwork.rehearsal.clock import Clock
from scrollwork.rehearsal.server import Rehearsal
from tests.models.hosted_kit import one_vendor, table_of, vendor
from tests.servers.vendor import Vendor
from tests.tasks.test_batching import PRICE, Office, each_vendor, hasty

__all__ = ["hasty", "one_vendor", "vendor"]
SPECS = {"openai": "openai:gpt-6-luna", "anthropic": "anthropic:claude-sonnet-5-5"}


@contextmanager
def rehearsed(name: str, vendor: Vendor, home: Path, *kinds: str) -> Iterator[tuple[Office, Rehearsal]]:
    """An office whose batches go to a simulated vendor, the first lines of which meet these faults."""
    with Rehearsal(Clock(), batch_s=0, faults={name: list(kinds)}) as running:
        office = Office(name, vendor, home)
        office.spec = SPECS[name]
        own = {"vendor": name, "base_url": running.url(name), "price": PRICE}
        office.table = table_of(office.spec, own, "")
        yield office, running


@each_vendor
@pytest.mark.parametrize("kind", ["wrong_key_401", "no_model_404", "no_credits_402", "own_limit_400", "day_limit_429"])
def test_line_that_speaks_of_every_call_marks_its_request_as_failed_or_goes_on(
    name: str, kind: str, vendor: Vendor, tmp_path: Path
) -> None:
    with rehearsed(name, vendor, tmp_path, kind, "") as (office, running):
        calls = office.calls(4)
        post = office.run(calls)
        assert post.stopped, "no other batch of this run may follow"
        assert office.store.failures([call.key for call in calls]) == {}
        assert len(office.texts(calls)) == 3 == len(running.world.ledger.lines())
        office.run(calls, "run-2")
        assert len(office.texts(calls)) == 4 == len(running.world.ledger.lines())


@each_vendor
def test_result_that_cannot_be_read_is_paid_and_counts_for_nothing(name: str, vendor: Vendor, tmp_path: Path) -> None:
    with rehearsed(name, vendor, tmp_path, "truncated", "", "closed") as (office, running):
        calls = office.calls(4)
        office.run(calls)
        assert len(office.texts(calls)) == 4
        spent = office.store.spent("run-1")[office.spec]
        assert (spent.calls, spent.answers) == (5, 4) == (len(running.world.ledger.lines()), len(office.texts(calls)))
        assert spent.cost_assumed_calls == 1, "a lost line may have been paid, one that never came was not"
        assert spent.cost_assumed_nano_usd > 0
