"""Requests of an epoch: what a model is asked anew has request keys of its own (docs/fresh.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scrollwork.storage.digest import sha256_of
from scrollwork.tasks.generate.stored_answers import is_no_answer

if TYPE_CHECKING:
    from scrollwork.storage.answers.store import ResponseStore  # brings SQLAlchemy

Payload = Mapping[str, Any]
SAMPLE = "sample"  # key of a payload that tells answers to the same request apart


def in_epoch(payload: Payload, epoch: str) -> Payload:
    """Return a payload as it is asked in an epoch, "" for none: the draw and the epoch tell its answers apart.

    That of a package's model may lack the draw, which is 0 then.
    """
    return {**payload, SAMPLE: {"draw": payload.get(SAMPLE, 0), "epoch": epoch}} if epoch else payload


def chosen_payloads(
    plain: Sequence[Sequence[Payload]], epoch: str, reuse: Mapping[str, Any] | None, store: ResponseStore | None
) -> list[Payload]:
    """Return for each request its payload in the epoch or, where an earlier answer stands in it, the payload of that.

    plain: for each request its payload outside of epochs, and any other that an earlier release sent in its place.
    reuse: {since, until, earlier}: answers stand that were asked for between these times (unix seconds), in one of the
    earlier epochs (names) or in none; None for none.
    Without an answer in the epoch, the newest of the earlier ones counts. All of them are older than the epoch, so
    that what is chosen stays chosen while the epoch is asked.
    """
    own = [in_epoch(payloads[0], epoch) for payloads in plain]
    if reuse is None or store is None:
        return own
    names = ("", *reuse["earlier"])
    others = [{sha256_of(one): one for one in (in_epoch(p, name) for name in names for p in some)} for some in plain]
    keys = [sha256_of(payload) for payload in own]
    times = store.asked_at([*keys, *(key for some in others for key in some)])
    standing = {key for key, time in times.items() if reuse["since"] <= time <= reuse["until"]}
    found = store.answers(sorted(standing.intersection(key for some in others for key in some)))
    whole = {key for key, answer in found.items() if not is_no_answer(answer)}
    made = []
    for payload, key, some in zip(own, keys, others, strict=True):
        newest = max((one for one in some if one in whole), key=lambda one: (times[one], one), default=None)
        made.append(payload if key in times or newest is None else some[newest])
    return made
