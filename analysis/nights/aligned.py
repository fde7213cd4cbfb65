"""The nights of a task that are compared: which they are, and their scores on the inputs that all of them answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrollwork.analysis.logs.difference import PairedScores
from scrollwork.analysis.logs.power import cumulative
from scrollwork.analysis.nights.exchange import Contrast, least_p
from scrollwork.analysis.nights.night import Night, NightError, TaskScores
from scrollwork.analysis.nights.rule import Rule
from scrollwork.analysis.statistics.intervals import Clusters, Floats
from scrollwork.analysis.statistics.paired import POWER
from scrollwork.analysis.statistics.student import quantile


@dataclass(frozen=True, eq=False)
class Aligned:
    """Scores of a task: rows are nights in their order, the reference first and tonight last, columns are inputs.

    asked: inputs of the reference. missing: those that the reference or tonight did not answer. dropped: inputs further
    that a night between did not answer. added: inputs of tonight that the reference lacks, compared with nothing.
    """

    names: tuple[str, ...]
    scores: Floats
    documents: tuple[str, ...]
    asked: int
    missing: int
    dropped: int
    added: int

    @property
    def items(self) -> int:
        """Return the number of inputs that are compared."""
        return int(self.scores.shape[1])

    @property
    def sums(self) -> Floats:
        """Return what each document adds to the mean of a night: shape (nights, documents)."""
        return Clusters.of(self.documents).sums(self.scores) / self.items


def chosen_nights(task: str, earlier: Sequence[Night], rule: Rule) -> list[Night]:
    """Return the earlier nights that tonight is compared with or pooled with, in their order.

    The first ones, up to the baseline, without those on which a drop stood reported or that a window before a report
    holds; and the last ones, which the windows reach.
    """
    reach = rule.windows - 1
    reported = [task in night.reported for night in earlier]
    clean = [at for at in range(len(earlier)) if not any(reported[at : at + rule.windows])]
    last = range(max(0, len(earlier) - reach), len(earlier))
    chosen = sorted({*clean[: rule.baseline - 1], *last})
    return [earlier[at] for at in chosen if task in earlier[at].tasks]


def align(task: str, reference: Night, between: Sequence[Night], tonight: Night, rule: Rule) -> Aligned | None:
    """Put the nights on the same inputs; None if tonight and the reference share no answered input.

    A night between is left out if with it fewer than the rule's coverage of the shared inputs would remain, or if a
    document was another one on it. Raises NightError if tonight's is.
    """
    first, last = reference.tasks[task], tonight.tasks[task]
    rows = [first.scores, _on(first, last, task, tonight.name)]
    kept = ~np.isnan(rows[0]) & ~np.isnan(rows[1])
    shared = int(kept.sum())
    if not shared:
        return None
    names = [reference.name]
    for night in between:
        try:
            scores = _on(first, night.tasks[task], task, night.name)
        except NightError:  # a document was another one on that night alone
            continue
        with_it = kept & ~np.isnan(scores)
        if with_it.sum() >= rule.coverage * shared:
            kept = with_it
            names.append(night.name)
            rows.insert(len(rows) - 1, scores)
    documents = tuple(document for document, there in zip(first.documents, kept, strict=True) if there)
    added = 0 if last.items == first.items else len(set(last.items) - set(first.items))
    return Aligned(
        (*names, tonight.name),
        np.stack(rows)[:, kept],
        documents,
        len(first),
        len(first) - shared,
        shared - int(kept.sum()),
        added,
    )


def paired_with(aligned: Aligned, window: int) -> PairedScores:
    """Return each input's mean over the last `window` nights (a) and over the nights before (b), by document."""
    now, before = aligned.scores[-window:].mean(axis=0), aligned.scores[:-window].mean(axis=0)
    return PairedScores.of(np.asarray(now), np.asarray(before), aligned.documents)


def one_sided(aligned: Aligned, p: float, contrast: Contrast, sign: int, level: float) -> float:
    """Return p of a drop (sign -1) or rise (1): the larger of the permutation's and of a t-test clustered by document.

    The permutation is exact where nothing changed. The t-test, of the window that is furthest, holds where answers
    changed and their mean did not: the spread of what changed is then between documents, not between nights, and
    exchanging nights shows a fraction of it. It is not asked if p is above the level.
    """
    if p > level:
        return p
    scores = paired_with(aligned, contrast.nights)
    if scores.standard_error is None:
        return 1.0
    if scores.standard_error == 0.0:
        return p if sign * scores.mean > 0 else 1.0
    return max(p, cumulative(-sign * scores.mean / scores.standard_error, scores.clusters - 1))


def can_find(documents: int, nights: int, rule: Rule, tests: int) -> bool:
    """Return whether any drop could be reported: with few documents and nights no order of the nights is rare enough.

    tests: tasks that p is corrected over.
    """
    return documents > 1 and least_p(nights, documents, rule.windows) * tests <= rule.level


def detectable_drop(scores: PairedScores, nights: int, rule: Rule, tests: int) -> float | None:
    """Return the true drop, in points, that the t-test finds on such nights in 80 % of cases (Bloom 1995).

    None if none could be reported (`can_find`), and if there is no spread. tests: tasks that p is corrected over.
    """
    error, free = scores.standard_error, scores.clusters - 1
    if not error or not can_find(scores.clusters, nights, rule, tests):
        return None
    return (quantile(1 - rule.level / tests, free) + quantile(POWER, free)) * error


def _on(first: TaskScores, other: TaskScores, task: str, name: str) -> Floats:
    """Return the other night's scores in the order of the first one's inputs, NaN where it has none."""
    if first.items == other.items and first.documents == other.documents:
        return other.scores
    places = {item: place for place, item in enumerate(other.items)}
    found = np.full(len(first), np.nan)
    for at, (item, document) in enumerate(zip(first.items, first.documents, strict=True)):
        place = places.get(item)
        if place is None:
            continue
        if other.documents[place] != document:
            raise NightError(
                f'night {name!r}, task {task!r}, item {item!r}, field "document": {other.documents[place]!r}, '
                f"but {document!r} in the reference"
            )
        found[at] = other.scores[place]
    return found
