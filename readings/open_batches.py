"""Batches that providers have not answered yet, read from the store alone, without any provider's library."""

from __future__ import annotations

from scrollwork.storage.answers.rows import WAITING
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.home import Home


def open_batches(home: Home) -> list[dict[str, object]]:
    """List open batches: {batch, provider, model, state, requests, since}. batch: the provider's id, "" before there is
    one. requests: those that still wait. since: in unix seconds."""
    if not home.has_store:
        return []
    store = ResponseStore(home.store_place)
    found: list[dict[str, object]] = []
    for one in store.open_batches():
        states = list(store.batch_requests(one.batch_id).values())
        found.append(
            {
                "batch": one.provider_batch_id or "",
                "provider": one.provider,
                "model": one.model,
                "state": one.state,
                "requests": states.count(WAITING),
                "since": one.submitted or one.created,
            }
        )
    store.close()
    return found
