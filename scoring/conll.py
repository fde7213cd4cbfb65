"""CoNLL F1 of clusters of mention ids: the mean of MUC, B-cubed and CEAF-e. SEAM, SciCo and ECB+ (seam.md 6.3).

Three modes, all reported. official: gold singletons count, predicted ones are dropped, so a perfect reply stays below 100
wherever gold has singletons. keep: all count. drop_both: singletons of both sides are dropped (Cattan et al. 2021).
Mentions are aligned by id; the official code compares lines of files, which is another number (docs/fidelity.md).

The headline is micro: numerators and denominators are added over the instances first. The components are of one instance,
so their means are macro. Ids that the input does not have stay as spurious mentions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scoring.cluster_lists import Clusters, cluster_of, clusters_in, is_list_of_lists
from scoring.coreference import CONLL, METRICS, SUMS, Side, f_measures, sides, sums
from scoring.outcome import FloatArray, GoldError, Outcome, check_texts
from scoring.parsing import shown

NAME = "conll"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
MODES = ("official", "keep", "drop_both")
COMPONENTS = tuple(f"{metric}_{mode}" for mode in MODES for metric in (*METRICS, CONLL))
SPURIOUS = "sum_spurious"  # ids of the reply that the input does not have
COUNTS = (*(f"sum_{mode}_{one}" for mode in MODES for one in SUMS), SPURIOUS)


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """MUC, B-cubed, CEAF-e and CoNLL F1 of one instance in all modes, 0 to 100; the value is CoNLL, official.

    references: one JSON list of clusters, each a list of the ids of the prompt; singletons included. The flag
    `format_ok` says whether any cluster was read, `json_ok` whether the reply is the list of lists that was asked for.
    Raises GoldError for anything else, PredictionError for a prediction that is no text.
    """
    return batch([prediction], [references])[0]


def batch(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> list[Outcome]:
    """`score` of each prediction with its reference, the same to the last bit, many times as fast."""
    for prediction, some in zip(predictions, references, strict=True):
        check_texts(prediction, some)
    gold = {some: _gold(some) for some in dict.fromkeys(map(tuple, references))}
    read = [clusters_in(prediction) for prediction in predictions]
    replies = [_Labels.of(gold[tuple(some)], clusters) for some, clusters in zip(references, read, strict=True)]
    found = modes(replies)
    measured = {mode: f_measures(each) for mode, each in found.items()}
    components = np.stack([100.0 * measured[mode][one] for mode in MODES for one in (*METRICS, CONLL)], axis=1).tolist()
    counts = np.stack([found[mode][one] for mode in MODES for one in SUMS], axis=1).tolist()
    outcomes = []
    for prediction, clusters, labels, values, terms in zip(predictions, read, replies, components, counts, strict=True):
        of = dict(zip(COMPONENTS, values, strict=True))
        outcomes.append(
            Outcome(
                of[f"{CONLL}_official"],
                of,
                shown(" ".join(f"[{', '.join(some)}]" for some in clusters)) if clusters else None,
                {"format_ok": bool(clusters), "json_ok": is_list_of_lists(prediction)},
                {**dict(zip(COUNTS, terms, strict=False)), SPURIOUS: float(labels.spurious)},
            )
        )
    return outcomes


def headline(means: Mapping[str, Any]) -> FloatArray:
    """Micro CoNLL F1 in mode official, 0 to 100, also of arrays."""
    return micro(means, "official")[CONLL]


def beside(means: Mapping[str, Any]) -> dict[str, FloatArray]:
    """Micro F1 of every metric and mode, 0 to 100."""
    return {f"micro_{metric}_{mode}": value for mode in MODES for metric, value in micro(means, mode).items()}


def micro(means: Mapping[str, Any], mode: str) -> dict[str, FloatArray]:
    """F1 by metric, 0 to 100, from the means of the sums: ratios of means are ratios of sums."""
    measured = f_measures({one: means[counted(mode, one)] for one in SUMS})
    return {name: 100.0 * value for name, value in measured.items()}


def counted(mode: str, name: str) -> str:
    """The name of one of SUMS among the counts of an outcome."""
    return f"sum_{mode}_{name}"


class _Labels:
    """The cluster of each mention of one instance, in the key's order, spurious ones behind.

    kept: of all lists of the reply. official: of those of two ids or more, an id that stands twice counted twice.
    """

    __slots__ = ("key", "kept", "official", "spurious")

    def __init__(self, key: list[int], kept: list[int], official: list[int], spurious: int) -> None:
        self.key, self.kept, self.official, self.spurious = key, kept, official, spurious

    @classmethod
    def of(cls, gold: Mapping[str, int], clusters: Clusters) -> _Labels:
        kept = cluster_of(clusters)
        spurious = [name for name in kept if name not in gold]
        names = [*gold, *spurious]
        official = cluster_of([some if len(some) > 1 else [] for some in clusters])
        return cls(
            [*gold.values(), *[-1] * len(spurious)],
            [kept.get(name, -1) for name in names],
            [official.get(name, -1) for name in names],
            len(spurious),
        )


def modes(replies: Sequence[_Labels]) -> dict[str, dict[str, Any]]:
    """SUMS of each instance by mode."""
    key, kept = sides([one.key for one in replies], [one.kept for one in replies])
    _, official = sides([], [one.official for one in replies])
    both = key.without_singletons(), official.without_singletons()
    found = _together([(key, official), (key, kept), both], len(replies))
    return dict(zip(MODES, found, strict=True))


def _together(pairs: Sequence[tuple[Side, Side]], instances: int) -> list[dict[str, Any]]:
    """SUMS of several pairs of sides of the same instances, in one go."""
    key, response = (_joined([pair[side] for pair in pairs], instances) for side in (0, 1))
    found = sums(key, response, instances * len(pairs))
    return [
        {name: values[begin : begin + instances] for name, values in found.items()}
        for begin in range(0, instances * len(pairs), instances)
    ]


def _joined(some: Sequence[Side], instances: int) -> Side:
    begins = np.cumsum([0, *(len(side.instance) for side in some[:-1])]).tolist()
    return Side(
        np.concatenate(
            [np.where(side.cluster < 0, -1, side.cluster + begin) for side, begin in zip(some, begins, strict=True)]
        ),
        np.concatenate([side.instance + instances * number for number, side in enumerate(some)]),
    )


def _gold(references: Sequence[str]) -> dict[str, int]:
    """The cluster of each mention. Raises GoldError."""
    if len(references) != 1:
        raise GoldError(f"clusters have one reference, not {len(references)}")
    try:
        found = json.loads(references[0])
    except (ValueError, RecursionError) as error:
        raise GoldError(f"reference {references[0][:80]!r} is no JSON: {error}") from None
    if not isinstance(found, list) or not all(isinstance(some, list) and some for some in found) or not found:
        raise GoldError(f"reference {references[0][:80]!r} is no list of clusters, each a list of ids")
    gold: dict[str, int] = {}
    for number, some in enumerate(found):
        for name in some:
            if type(name) is not int or name < 0:
                raise GoldError(f"reference {references[0][:80]!r}: {name!r} is no id: a whole number from 0")
            if str(name) in gold:
                raise GoldError(f"reference {references[0][:80]!r}: the id {name} stands twice")
            gold[str(name)] = number
    return gold
