"""Concordance index, the share of pairs in the right order (ZeroSCROLLS 3.2; zeroscrolls.md 7.5): book_sum_sort."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence

from scrollwork.scoring.outcome import FloatArray, GoldError, Outcome, check_texts, single
from scrollwork.scoring.reading.parsing import cut_for_record, ids

NAME = "concordance"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
COMPONENTS = (NAME,)


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """Return the share of pairs of ids that are in a reference's order, best over the references, 0 to 100.

    0 unless the prediction's ids are a permutation of the reference's (ZeroSCROLLS 3.2); a random order scores 50 on
    average. `parsed` is the ids found, cut to 1,000 characters; the flag `format_ok` says whether they are a
    permutation. Raises GoldError if there is no reference or one is not a permutation of 1 to n, n >= 2;
    PredictionError if the prediction is not text.
    """
    check_texts(prediction, references)
    gold = [_gold_order(reference) for reference in references]
    answer = ids(prediction)
    comparable = [order for order in gold if _same_ids(answer, order)]
    best = max((agreement(answer, order) for order in comparable), default=0.0)
    parsed = cut_for_record(", ".join(answer)) if answer else None
    return single(NAME, best, parsed, {"format_ok": bool(comparable)})


def agreement(answer: Sequence[str], gold: Sequence[str]) -> float:
    """Return the share of the n(n-1)/2 pairs in gold order, 0 to 1. answer: a permutation of `gold`; n >= 2."""
    position = {name: place for place, name in enumerate(gold)}
    before: list[int] = []
    agreeing = 0
    for name in answer:
        place = bisect(before, position[name])  # how many of the ids seen so far precede this one in gold
        agreeing += place
        before.insert(place, position[name])
    return 2 * agreeing / (len(gold) * (len(gold) - 1))


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the mean share of agreeing pairs, 0 to 100."""
    return means[NAME]


def _same_ids(answer: Sequence[str], gold: Sequence[str]) -> bool:
    return len(answer) == len(gold) and sorted(answer) == sorted(gold)


def _gold_order(reference: str) -> list[str]:
    order = ids(reference)
    if len(order) < 2:
        raise GoldError(f"reference {reference[:80]!r} holds {len(order)} ids; an order needs at least 2")
    if not _same_ids(order, [str(number) for number in range(1, len(order) + 1)]):
        raise GoldError(f"reference {reference[:80]!r} is not a permutation of the ids 1 to {len(order)}")
    return order
