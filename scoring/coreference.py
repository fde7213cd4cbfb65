"""MUC, B-cubed and CEAF-e of many clusterings at once, in numpy, from sums that may be added over instances.

MUC: Vilain et al. 1995. B-cubed: Bagga and Baldwin 1998. CEAF-e: Luo 2005. All as in Pradhan et al. 2014, "Scoring
coreference partitions of predicted mentions"; values are those of the PyPI package `scorch` (tests/scoring/
test_coreference.py). Mentions are aligned by their ids: those of one side only stay, as missing or as spurious ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.assignment import NONE, Floats, Numbers, heaviest

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

Numbered = Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class Side:
    """One side's clusters in many instances. cluster: of each mention, numbered over all instances, NONE where the side
    does not have the mention. instance: of each cluster, ascending."""

    cluster: Numbers
    instance: Numbers

    @property
    def sizes(self) -> Numbers:
        """Mentions of each cluster."""
        return np.bincount(self.cluster[self.cluster != NONE], minlength=len(self.instance))

    def without_singletons(self) -> Side:
        """The side without clusters of one mention."""
        kept = self.sizes > 1
        number = np.where(kept, np.cumsum(kept) - 1, NONE)
        return Side(np.where(self.cluster == NONE, NONE, number[self.cluster]), self.instance[kept])


def sums(key: Side, response: Side, instances: int) -> dict[str, Floats]:
    """SUMS of each instance, shape (instances,). key, response: the clusters of the same mentions."""
    key_sizes, response_sizes = key.sizes, response.sizes
    both = np.flatnonzero((key.cluster != NONE) & (response.cluster != NONE))
    width = max(1, len(response.instance))
    pairs, shared = np.unique(key.cluster[both] * width + response.cluster[both], return_counts=True)
    ours, theirs = np.divmod(pairs, width)
    instance = key.instance[ours]

    def total(where: Numbers, what: npt.NDArray[np.generic] | None = None) -> Floats:
        return np.bincount(where, what, instances).astype(np.float64)

    squares = (shared * shared).astype(np.float64)
    return {
        "key_mentions": total(key.instance, key_sizes),
        "key_clusters": total(key.instance),
        "response_mentions": total(response.instance, response_sizes),
        "response_clusters": total(response.instance),
        "links": total(instance, shared - 1),
        "b_cubed_recall": total(instance, squares / key_sizes[ours]),
        "b_cubed_precision": total(instance, squares / response_sizes[theirs]),
        "similarity": _similarity(instance, ours, theirs, 2 * shared / (key_sizes[ours] + response_sizes[theirs]), instances),
    }


def _similarity(instance: Numbers, ours: Numbers, theirs: Numbers, weight: Floats, instances: int) -> Floats:
    """Of the best alignment in each instance; clusters that overlap with one alone, and it with them, need no search."""
    alone = (np.bincount(ours)[ours] == 1) & (np.bincount(theirs)[theirs] == 1) if len(ours) else np.zeros(0, bool)
    found = np.bincount(instance[alone], weight[alone], instances)
    rest = np.flatnonzero(~alone)
    if len(rest):
        problem = instance[rest]
        row, column = (_numbered(side[rest], problem) for side in (ours, theirs))
        found += heaviest(problem, row, column, weight[rest], instances)
    return found


def _numbered(clusters: Numbers, problem: Numbers) -> Numbers:
    """The clusters numbered from 0 within each problem, in their order."""
    different, place = np.unique(clusters, return_inverse=True)
    first = np.full(problem.max() + 1, len(different))
    np.minimum.at(first, problem, place)
    return place - first[problem]


def f_measures(found: Mapping[str, Floats]) -> dict[str, Floats]:
    """F1 of METRICS and their mean, CONLL, as fractions of 1, from SUMS or means of them; 0 for nothing of nothing."""
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
    return {**measured, CONLL: sum(measured.values(), np.float64(0)) / len(METRICS)}


def _f(recalled: Floats, key: Floats, precise: Floats, response: Floats) -> Floats:
    recall, precision = _share(recalled, key), _share(precise, response)
    return _share(2 * recall * precision, recall + precision)


def _share(part: Floats, whole: Floats) -> Floats:
    some = whole > 0
    share: Floats = np.minimum(np.where(some, part / np.where(some, whole, 1.0), 0.0), 1.0)
    return share


def sides(key: Sequence[Sequence[int]], response: Sequence[Sequence[int]]) -> tuple[Side, Side]:
    """Both sides of many instances. key, response: for each instance the cluster of each of its mentions by any
    numbers from 0, NONE where the side does not have it."""
    return _side(key), _side(response)


def _side(labels: Sequence[Sequence[int]]) -> Side:
    each = np.array([len(some) for some in labels], dtype=np.intp)
    flat = np.fromiter((label for some in labels for label in some), np.intp, each.sum())
    instance = np.repeat(np.arange(len(labels)), each)
    width = flat.max(initial=0) + 1
    held = np.flatnonzero(flat != NONE)
    different, place = np.unique(instance[held] * width + flat[held], return_inverse=True)
    cluster = np.full(len(flat), NONE, dtype=np.intp)
    cluster[held] = place
    return Side(cluster, different // width)
