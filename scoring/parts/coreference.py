"""MUC, B-cubed and CEAF-e of many clusterings at once, in numpy, from sums that can be added over instances.

MUC: Vilain et al. 1995. B-cubed: Bagga and Baldwin 1998. CEAF-e: Luo 2005. All as in Pradhan et al. 2014, "Scoring
coreference partitions of predicted mentions"; values are those of the PyPI package `scorch` (tests/scoring/
test_coreference.py). Mentions are aligned by their ids; those of one side only are kept, as missing or spurious ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from scrollwork.scoring.parts.assignment import NONE, Floats, Numbers, heaviest, run_starts

NO_CODE = np.iinfo(np.int32).max
METRICS = ("muc", "b_cubed", "ceaf_e")
CONLL = "conll"
SUMS = (
    "key_mentions",
    "key_clusters",
    "response_mentions",
    "response_clusters",
    "links",
    "b_cubed_recall",
    "b_cubed_precision",
    "similarity",
)
"""links: those of a smallest set within each cluster that both sides have (MUC's numerator, of recall and precision).
b_cubed_recall, b_cubed_precision: sums over the mentions. similarity: of the best one-to-one alignment (CEAF-e)."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side's clusters in many instances; none is empty.

    cluster: of each mention, numbered over all instances, NONE if the side does not have the mention. instance: of each
    cluster, ascending. sizes: of the clusters, in mentions.
    """

    cluster: Numbers
    instance: Numbers
    sizes: Numbers

    @classmethod
    def of(cls, labels: Sequence[Sequence[int]], clusters: Sequence[int]) -> Side:
        """Build a side. labels: for each instance the cluster of each mention, from 0, NONE if it is not on this side.

        clusters: how many cluster numbers each instance has; a number without mentions is no cluster.
        """
        each = np.fromiter(map(len, labels), np.intp, len(labels))
        flat = np.fromiter(chain.from_iterable(labels), np.intp, each.sum())
        begins = np.cumsum([0, *clusters])
        cluster = np.where(flat == NONE, NONE, flat + np.repeat(begins[:-1], each))
        sizes = np.bincount(cluster + 1, minlength=begins[-1] + 1)[1:]
        return cls(cluster, np.repeat(np.arange(len(clusters)), clusters), sizes).only(sizes > 0)

    def only(self, kept: npt.NDArray[np.bool_]) -> Side:
        """Return the side with only the clusters that `kept` marks."""
        if kept.all():
            return self
        number = np.append(np.where(kept, np.cumsum(kept) - 1, NONE), NONE)  # the last entry maps NONE to NONE
        return Side(number[self.cluster], self.instance[kept], self.sizes[kept])

    def without_singletons(self) -> Side:
        """Return the side without clusters of one mention."""
        return self.only(self.sizes > 1)


def concatenate_sides(sides: Sequence[Side], instances: int) -> Side:
    """Join sides, each with that many instances, one after the other."""
    begins = np.cumsum([0, *(len(side.sizes) for side in sides)]).tolist()
    moved = [
        np.where(one.cluster == NONE, NONE, one.cluster + begin) for one, begin in zip(sides, begins, strict=False)
    ]
    return Side(
        np.concatenate(moved),
        np.concatenate([one.instance + number * instances for number, one in enumerate(sides)]),
        np.concatenate([one.sizes for one in sides]),
    )


def sums(key: Side, response: Side, instances: int) -> dict[str, Floats]:
    """Return SUMS of each instance, shape (instances,). key, response: clusters of the same mentions."""
    instance, ours, theirs, shared = _overlaps(key, response, instances)

    def total(where: Numbers, what: npt.NDArray[np.generic] | None = None) -> Floats:
        return np.bincount(where, what, instances).astype(np.float64)

    squares = (shared * shared).astype(np.float64)
    our_size, their_size = key.sizes[ours], response.sizes[theirs]
    return {
        "key_mentions": total(key.instance, key.sizes),
        "key_clusters": total(key.instance),
        "response_mentions": total(response.instance, response.sizes),
        "response_clusters": total(response.instance),
        "links": total(instance, shared - 1),
        "b_cubed_recall": total(instance, squares / our_size),
        "b_cubed_precision": total(instance, squares / their_size),
        "similarity": _similarity(instance, ours, theirs, 2 * shared / (our_size + their_size), instances),
    }


def _overlaps(key: Side, response: Side, instances: int) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Return (instance, key cluster, response cluster, shared mentions) of all overlapping pairs, ascending.

    Sorts a table with a row for each instance, which is many times faster than sorting one long list.
    """
    both = np.flatnonzero((key.cluster != NONE) & (response.cluster != NONE))
    ours, theirs = key.cluster[both], response.cluster[both]
    instance = key.instance[ours]
    key_begins, response_begins = (np.searchsorted(side.instance, np.arange(instances)) for side in (key, response))
    width = int(np.bincount(response.instance, minlength=1).max()) + 1
    codes = (ours - key_begins[instance]) * width + theirs - response_begins[instance]
    small = np.int32 if codes.max(initial=0) < NO_CODE else np.int64
    each = np.bincount(instance, minlength=instances)
    table = np.full((instances, each.max(initial=0)), np.iinfo(small).max, dtype=small)
    table[instance, np.arange(len(both)) - np.repeat(np.cumsum(each) - each, each)] = codes
    table.sort(axis=1)
    inside = np.arange(table.shape[1]) < each[:, None]
    codes = table[inside]
    first = run_starts(codes, instance)
    shared = np.append(first[1:], len(codes)) - first
    instance = instance[first]
    ours, theirs = np.divmod(codes[first].astype(np.intp), width)
    return instance, ours + key_begins[instance], theirs + response_begins[instance], shared


def _similarity(instance: Numbers, ours: Numbers, theirs: Numbers, weight: Floats, instances: int) -> Floats:
    """Return that of the best alignment of each instance; clusters that overlap only each other need no search."""
    alone = (np.bincount(ours, minlength=1)[ours] == 1) & (np.bincount(theirs, minlength=1)[theirs] == 1)
    found = np.bincount(instance[alone], weight[alone], instances)
    rest = np.flatnonzero(~alone)
    problem = instance[rest]
    row, column = (_numbered(side[rest], problem, instances) for side in (ours, theirs))
    return found + heaviest(problem, row, column, weight[rest], instances)


def _numbered(clusters: Numbers, problem: Numbers, instances: int) -> Numbers:
    """Number the clusters from 0 within each problem, in their order."""
    there = np.zeros(clusters.max(initial=0) + 1, dtype=bool)
    there[clusters] = True
    number = np.cumsum(there) - 1
    first = np.full(instances, len(number), dtype=np.intp)
    np.minimum.at(first, problem, number[clusters])
    return number[clusters] - first[problem]


def f_measures(found: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return F1 of METRICS and their mean, CONLL, 0 to 1, from SUMS or means of them; 0 / 0 counts as 0."""
    of = {name: np.asarray(value, dtype=np.float64) for name, value in found.items()}
    measured = {
        "muc": _f(
            of["links"],
            of["key_mentions"] - of["key_clusters"],
            of["links"],
            of["response_mentions"] - of["response_clusters"],
        ),
        "b_cubed": _f(of["b_cubed_recall"], of["key_mentions"], of["b_cubed_precision"], of["response_mentions"]),
        "ceaf_e": _f(of["similarity"], of["key_clusters"], of["similarity"], of["response_clusters"]),
    }
    mean: Floats = np.mean(list(measured.values()), axis=0)
    return {**measured, CONLL: mean}


def _f(recalled: Floats, key: Floats, precise: Floats, response: Floats) -> Floats:
    recall, precision = _share(recalled, key), _share(precise, response)
    return _share(2 * recall * precision, recall + precision)


def _share(part: Floats, whole: Floats) -> Floats:
    some = whole > 0
    share: Floats = np.minimum(np.where(some, part / np.where(some, whole, 1.0), 0.0), 1.0)
    return share
