"""CoNLL F1 of clusters of mention ids, the mean of MUC, B-cubed and CEAF-e: SEAM's SciCo and ECB+ (seam.md 6.3).

Three modes are reported. official: gold singletons count, predicted ones are dropped, so a perfect reply scores below
100 wherever gold has singletons. keep: all count. drop_both: singletons of both sides are dropped (Cattan et al. 2021).
Mentions are aligned by id; the official code compares lines of files, which gives another number (docs/fidelity.md).

The headline is micro-averaged: numerators and denominators are summed over the instances first. Components belong to
one instance, so their means are macro averages. Ids that the input does not have count as spurious mentions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from scrollwork.scoring.outcome import FloatArray, GoldError, Outcome, check_texts
from scrollwork.scoring.parts.coreference import CONLL, METRICS, SUMS, Side, concatenate_sides, f_measures, sums
from scrollwork.scoring.parts.gold_json import document_in
from scrollwork.scoring.reading.cluster_lists import Clusters, cluster_of, ids_in, is_list_of_lists, runs_in
from scrollwork.scoring.reading.parsing import cut_for_record

NAME = "conll"
VERSION = 1
AT_ONCE = 1024  # answers in a batch, which share each numpy operation (benchmarks/coreference.py)
RANGE = (0.0, 100.0)
NEEDS = ("references",)
MODES = ("official", "keep", "drop_both")
COMPONENTS = tuple(f"{metric}_{mode}" for mode in MODES for metric in (*METRICS, CONLL))
SPURIOUS = "sum_spurious"  # ids in the reply that the input does not have
COUNTS = (*(f"sum_{mode}_{one}" for mode in MODES for one in SUMS), SPURIOUS)


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """Return MUC, B-cubed, CEAF-e and CoNLL F1 of one instance in all modes, 0 to 100; the value is official CoNLL F1.

    references: one JSON list of clusters, each a list of the prompt's mention ids, singletons included. The flag
    `format_ok` says whether any cluster was found, `json_ok` whether the reply is the list of lists asked for. Raises
    GoldError for other references, PredictionError if the prediction is not text.
    """
    return batch([prediction], [references])[0]


def batch(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> list[Outcome]:
    """Return `score` of each prediction and its reference, identical to the last bit but many times faster."""
    for prediction, some in zip(predictions, references, strict=True):
        check_texts(prediction, some)
    read = [runs_in(prediction) for prediction in predictions]
    replies = [Reply.of(gold_in(tuple(some)), ids_in(runs)) for some, runs in zip(references, read, strict=True)]
    found = sums_by_mode(replies)
    measured = {mode: f_measures(each) for mode, each in found.items()}
    components = np.stack([100.0 * measured[mode][one] for mode in MODES for one in (*METRICS, CONLL)], axis=1).tolist()
    counts = np.stack([found[mode][one] for mode in MODES for one in SUMS], axis=1).tolist()
    outcomes = []
    for prediction, runs, reply, values, terms in zip(predictions, read, replies, components, counts, strict=True):
        of = dict(zip(COMPONENTS, values, strict=True))
        outcomes.append(
            Outcome(
                of[f"{CONLL}_official"],
                of,
                cut_for_record(f"[[{'], ['.join(runs)}]]") if runs else None,
                {"format_ok": bool(runs), "json_ok": is_list_of_lists(prediction)},
                {**dict(zip(COUNTS, terms, strict=False)), SPURIOUS: float(reply.key.count(-1))},
            )
        )
    return outcomes


def headline(means: Mapping[str, Any]) -> FloatArray:
    """Return micro CoNLL F1 in mode official, 0 to 100; arrays give an array."""
    return micro(means, "official")[CONLL]


def derived(means: Mapping[str, Any]) -> dict[str, FloatArray]:
    """Return micro F1 of every metric and mode, 0 to 100."""
    return {f"micro_{metric}_{mode}": value for mode in MODES for metric, value in micro(means, mode).items()}


def micro(means: Mapping[str, Any], mode: str) -> dict[str, FloatArray]:
    """Return F1 by metric, 0 to 100, from the means of the sums: a ratio of means is the ratio of the sums."""
    measured = f_measures({one: means[sum_name(mode, one)] for one in SUMS})
    return {name: 100.0 * value for name, value in measured.items()}


def sum_name(mode: str, name: str) -> str:
    """Return the name of one of SUMS among an outcome's counts."""
    return f"sum_{mode}_{name}"


@dataclass(frozen=True, slots=True)
class Reply:
    """The cluster of each mention of one instance, -1 for none: the key's mentions first, then spurious ones.

    key: in gold. kept: among all lists of the reply. official: among its lists of two ids or more, counting a repeated
    id twice; None if no id is repeated, as these are then the clusters of two mentions or more. lists: number in the
    reply.
    """

    key: Sequence[int]
    kept: Sequence[int]
    official: Sequence[int] | None
    lists: int

    @classmethod
    def of(cls, gold: Mapping[str, int], clusters: Clusters) -> Reply:
        """Align a reply's clusters with the gold cluster of each mention."""
        kept = cluster_of(clusters)
        spurious = [name for name in kept if name not in gold]
        labels = [kept.get(name, -1) for name in gold] + [kept[name] for name in spurious]
        official = None
        if sum(map(len, clusters)) > len(kept):
            of = cluster_of([some if len(some) > 1 else [] for some in clusters])
            official = [of.get(name, -1) for name in (*gold, *spurious)]
        return cls([*gold.values(), *[-1] * len(spurious)], labels, official, len(clusters))


def sums_by_mode(replies: Sequence[Reply]) -> dict[str, dict[str, Any]]:
    """Return SUMS of each instance, by mode."""
    lists = [one.lists for one in replies]
    key = Side.of([one.key for one in replies], [max(one.key) + 1 for one in replies])
    kept = Side.of([one.kept for one in replies], lists)
    official = Side.of([one.kept if one.official is None else one.official for one in replies], lists)
    # Drop lists of one id. Replies with a repeated id have lost theirs already; a cluster of one mention there is the
    # rest of a longer list.
    mended = np.array([one.official is not None for one in replies])
    official = official.only((official.sizes > 1) | mended[official.instance])
    sides = {
        "official": (key, official),
        "keep": (key, kept),
        "drop_both": (key.without_singletons(), official.without_singletons()),
    }
    count = len(replies)
    keys, responses = (concatenate_sides([pair[side] for pair in sides.values()], count) for side in (0, 1))
    found = sums(keys, responses, count * len(sides))
    return {
        mode: {name: values[place * count : (place + 1) * count] for name, values in found.items()}
        for place, mode in enumerate(sides)
    }


@lru_cache(maxsize=1024)
def gold_in(references: tuple[str, ...]) -> Mapping[str, int]:
    """Return the cluster number of each mention, by id. Raises GoldError."""
    found, start = document_in(references, "clusters have")
    if not isinstance(found, list) or not found or not all(isinstance(some, list) and some for some in found):
        raise GoldError(f"{start} is no list of clusters, each a list of ids")
    ids = [name for some in found for name in some]
    if set(map(type, ids)) != {int} or min(ids) < 0:
        raise GoldError(f"{start} holds ids that are no whole numbers from 0")
    if len(set(ids)) < len(ids):
        raise GoldError(f"{start}: an id occurs twice")
    return dict(zip(map(str, ids), (number for number, some in enumerate(found) for _ in some), strict=True))
