"""A canary: a few inputs of every task, asked on nights without the full set.

Scores of so few inputs show large drops only. Whether the text of an answer changed is a finer sign: a model that
answers at temperature 0 repeats most of its answers, and one that was altered does not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scrollwork.analysis.nights.aligned import align, chosen_nights, one_sided, paired_with
from scrollwork.analysis.nights.exchange import exchange_test
from scrollwork.analysis.nights.night import Night, NightError, TaskScores
from scrollwork.analysis.nights.rule import STANDARD, Rule
from scrollwork.analysis.statistics.intervals import Clusters, Floats

MOST = 0.5  # share of other texts that is no chance for a model that repeats itself
ALL = "all tasks"  # the one task into which those of a canary are pooled
Asked = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class CanaryVerdict:
    """What a canary says of all tasks together. changed, usually: share of answers, 0 to 1, whose text is another than
    in the reference, tonight and on the earlier nights; None where no text, or no earlier night, is known.

    items: inputs compared. missing: inputs of the canary without an answer tonight, of `asked`. p_changed: that more
    texts changed than usually; 1 where `usually` is None. difference: of the mean score over the last `window` nights
    to that of the nights before, in points; interval: its 95 %, by document; p_drop: one-sided. ask_all: the full set
    should be asked, for the reason that sentence gives. untold: the only one is that more than half of the texts are
    others, of which no night says how many usually are.
    """

    items: int
    missing: int
    changed: float | None
    usually: float | None
    p_changed: float
    difference: float | None
    interval: tuple[float, float] | None
    p_drop: float
    ask_all: bool
    sentence: str
    asked: int = 0
    window: int = 1
    untold: bool = False


def canary_verdict(
    reference: Night,
    tonight: Night,
    earlier: Sequence[Night] = (),
    rule: Rule = STANDARD,
    asked: Mapping[str, Collection[str]] | None = None,
    before: Sequence[Night] = (),
) -> CanaryVerdict:
    """Compare a canary with the reference: should the full set be asked?

    reference: best the last night with the full set, for what that night saw needs no further one. earlier: nights
    since, full or canary, oldest first, with what was reported or stood on them (`Night.reported`). before: nights
    before the reference since the model was last seen to change; with neither, texts tell nothing. asked: ids of the
    canary's inputs by task; without it those of tonight, and an input that tonight lacks altogether is not missed.

    Changed answers and scores are two tests, each at half of the rule's level. A task whose drop stands is compared
    with nothing, for it was reported; of other nights with a report none is in the baseline. An input whose text is not
    known on one of the nights is left out of the first test. Raises NightError as `verdict` does, and if nothing is
    asked.
    """
    wanted = {task: frozenset(items) for task, items in (_items(tonight) if asked is None else asked).items() if items}
    total = sum(map(len, wanted.values()))
    if not total:
        raise NightError(f"night {tonight.name!r}: the canary asks for no input")
    missing = total - sum(_answered(tonight, task, items) for task, items in wanted.items())
    stands = (earlier[-1].reported if earlier else frozenset()) - reference.reported
    compared = {task: items for task, items in wanted.items() if task not in stands}
    found = CanaryVerdict(0, missing, None, None, 1.0, None, None, 1.0, False, "", total)
    if not compared:
        return replace(found, sentence="The canary is compared with nothing: drops of all its tasks stand reported.")
    first, last = _pooled(reference, reference, compared), _pooled(tonight, reference, compared)
    pools = [_pooled(night, reference, compared) for night in (*before[-rule.baseline :], *earlier)]
    between = chosen_nights(ALL, [pool for pool in pools if pool is not None], rule)
    aligned = None if first is None or last is None else align(ALL, first, between, last, rule)
    half = rule.level / 2
    if first is not None and last is not None:
        changed, usually, p_changed = _changed([first, *between, last], half, rule.coverage)
        found = replace(found, changed=changed, usually=usually, p_changed=p_changed)
    if aligned is not None:
        longest = min(rule.windows, 1 + sum(night.name in aligned.names for night in earlier))
        test = exchange_test(aligned.sums, longest, half, 1, "canary scores", since_first=False)
        scores = paired_with(aligned, test.lowest.nights)
        found = replace(
            found,
            items=aligned.items,
            difference=scores.mean,
            interval=scores.interval(),
            p_drop=one_sided(aligned, test.drop, test.lowest, -1, half),
            window=test.lowest.nights,
        )
    both = 0 if aligned is None else aligned.asked - aligned.missing
    reasons = _reasons(found, reference.name, rule, sum(map(len, compared.values())), both)
    if not reasons and found.usually is None and (found.changed or 0.0) > MOST:
        found, reasons = replace(found, untold=True), [_others(found, reference.name)]
    return replace(found, ask_all=bool(reasons), sentence=_sentence(found, reference.name, reasons))


def _reasons(found: CanaryVerdict, reference: str, rule: Rule, asked: int, both: int) -> list[str]:
    """Return why the full set should be asked. asked: inputs to compare. both: those with an answer on both nights."""
    half, reasons = rule.level / 2, []
    if found.changed is not None and found.usually is not None and found.p_changed <= half:
        reasons.append(
            f"{100 * found.changed:.0f} % of its answers are others than in {reference}, {100 * found.usually:.0f} % "
            f"on earlier nights (p = {found.p_changed:.2g})"
        )
    if found.difference is not None and found.p_drop <= half and -found.difference >= rule.size:
        when = f" over the last {found.window} nights" if found.window > 1 else ""
        reasons.append(f"its mean fell by {-found.difference:.1f} points{when} (p = {found.p_drop:.2g})")
    if asked - both > (1 - rule.coverage) * asked + 1e-9:
        reasons.append(
            f"{asked - both} of its {asked} inputs cannot be compared with {reference} "
            f"({found.missing} of {found.asked} have no answer tonight)"
        )
    return reasons


def _sentence(found: CanaryVerdict, reference: str, reasons: Sequence[str]) -> str:
    """Say why the full set should be asked; else that nothing was found, and what could not be told."""
    if reasons:
        return f"Ask the full set: {'; '.join(reasons)}."
    said = f"The canary of {found.items} inputs shows no change"
    if found.changed and found.usually is None:
        said = f"The canary of {found.items} inputs cannot tell: {_others(found, reference)}"
    return f"{said}."


def _others(found: CanaryVerdict, reference: str) -> str:
    return (
        f"{100 * (found.changed or 0.0):.0f} % of its answers are others than in {reference}, "
        "and no earlier night says how many usually are"
    )


def _items(night: Night) -> dict[str, tuple[str, ...]]:
    return {task: scores.items for task, scores in night.tasks.items()}


def _answered(night: Night, task: str, items: frozenset[str]) -> int:
    """Return how many of the items have a score on the night."""
    scores = night.tasks.get(task)
    if scores is None:
        return 0
    return sum(item in items and score == score for item, score in zip(scores.items, scores.scores, strict=True))


def _pooled(night: Night, reference: Night, asked: Asked) -> Night | None:
    """Return the asked inputs of all tasks as one task, the task before ids and documents; None without any.

    The one task is reported if any of the asked tasks is, other than in the reference.
    """
    places = [
        (task, place)
        for task in sorted(asked.keys() & night.tasks.keys())
        for place, item in enumerate(night.tasks[task].items)
        if item in asked[task]
    ]
    if not places:
        return None
    pooled = TaskScores(
        tuple(f"{task}\t{night.tasks[task].items[place]}" for task, place in places),
        tuple(f"{task}\t{night.tasks[task].documents[place]}" for task, place in places),
        np.array([night.tasks[task].scores[place] for task, place in places], dtype=np.float64),
        tuple(night.tasks[task].answers[place] for task, place in places),
    )
    reported = (night.reported - reference.reported) & asked.keys()
    return Night(night.name, {ALL: pooled}, frozenset({ALL} if reported else ()))


def _changed(nights: Sequence[Night], level: float, coverage: float) -> tuple[float | None, float | None, float]:
    """Return the share of answers that differ from the reference's tonight, that on the earlier nights, and p of more.

    Under no change the nights after the reference are exchangeable, given the reference. Inputs without a text are left
    out, and nights between that lack too many.
    """
    first = nights[0].tasks[ALL]
    texts = [dict(zip(night.tasks[ALL].items, night.tasks[ALL].answers, strict=True)) for night in nights]
    tonight = texts[-1]
    known = [item for item, text in texts[0].items() if text is not None and tonight.get(item) is not None]
    if not known:
        return None, None, 1.0
    own = []
    for between in texts[1:-1]:
        with_it = [item for item in known if between.get(item) is not None]
        if len(with_it) >= coverage * len(known):
            known = with_it
            own.append(between)
    differs: Floats = np.array([[float(one[item] != texts[0][item]) for item in known] for one in (*own, tonight)])
    changed = float(differs[-1].mean())
    if not own:
        return changed, None, 1.0
    documents = dict(zip(first.items, first.documents, strict=True))
    sums = Clusters.of([documents[item] for item in known]).sums(differs) / len(known)
    test = exchange_test(sums, 1, level, 1, "canary answers", since_first=False)
    return changed, float(differs[:-1].mean()), test.rise
