"""A model's judged answers to a task: measures of what they look like, and its score on parts of the inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from scrollwork.analysis.comparison.outcomes import Outcomes, outcomes_of
from scrollwork.analysis.comparison.summary import Labels, input_name
from scrollwork.analysis.statistics.intervals import Floats, Headline, clustered_interval
from scrollwork.records.judgement import AnswerMeasure, Judgement, Slice

PARTS = 4  # of the inputs by length: quartiles
COLUMNS = ("example_id", "draw", "model", "cluster", "answered", "components")  # of Judgement, for `outcomes_from`


@dataclass(frozen=True)
class JudgedAnswers:
    """Answers by input and member, sorted by name. inputs: what was asked, each with the row of some member."""

    inputs: Mapping[str, Judgement]
    members: Mapping[str, Mapping[str, Judgement]]

    @classmethod
    def of(cls, rows: Iterable[Judgement]) -> JudgedAnswers:
        """Group rows, which may be in any order."""
        members: dict[str, dict[str, Judgement]] = {}
        inputs: dict[str, Judgement] = {}
        names: dict[str, str] = {}  # equal ones are held once
        for row in rows:
            name = input_name(row.example_id, row.draw)
            name = names.setdefault(name, name)
            inputs[name] = row
            members.setdefault(row.model, {})[name] = row
        return cls(dict(sorted(inputs.items())), dict(sorted(members.items())))

    @cached_property
    def answered(self) -> list[str]:
        """Return the inputs that every member answered."""
        return [name for name in self.inputs if all(own[name].answered for own in self.members.values())]

    def outcomes(self, components: Sequence[str]) -> Outcomes:
        """Return the scores as arrays."""
        scores = {
            member: {name: row.components for name, row in own.items() if row.answered}
            for member, own in self.members.items()
        }
        return outcomes_of(scores, {name: row.cluster for name, row in self.inputs.items()}, components)


def outcomes_from(judged: Iterable[Sequence[Any]], components: Sequence[str]) -> Outcomes:
    """Make outcomes from the values of COLUMNS of judgements, as read from Arrow, without building rows."""
    clusters: dict[str, str] = {}
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for example_id, draw, model, cluster, answered, found in judged:
        name = input_name(example_id, draw)
        clusters[name] = cluster
        own = scores.setdefault(model, {})
        if answered:
            own[name] = dict(found)
    return outcomes_of(scores, clusters, components)


# --- measures ---------------------------------------------------------------------------------------------------------

Told = Callable[[Judgement], bool | None]


def refused(kind: str) -> Told:
    """Return a function that says whether an answer is a refusal of that kind."""
    return lambda row: row.refusal == kind


SHARES: Mapping[str, Told] = {  # in percent, of the answers for which it is known
    "in_format": lambda row: row.in_format,
    "unreadable": lambda row: None if row.readable is None else not row.readable,
    "unanswerable": refused("unanswerable"),
    "wrongly_unanswerable": lambda row: row.refusal == "unanswerable" if row.answerable else None,
    "lacks_context": refused("context"),
    "declined": refused("declined"),
    "length_cut": lambda row: row.length_cut,
    "empty": lambda row: row.words == 0,
}


def conduct(judged: JudgedAnswers, labels: Labels) -> Iterator[AnswerMeasure]:
    """Yield every measure that applies to some answer, over the inputs that all members answered."""
    for name, told in SHARES.items():
        listed = {one: [told(own[one]) for own in judged.members.values()] for one in judged.answered}
        known = {one: values for one, values in listed.items() if None not in values}
        yield from measure_with_interval(
            judged, labels, name, {"share": {n: [100.0 * bool(v) for v in vs] for n, vs in known.items()}}
        )
    words = {one: [float(own[one].words or 0) for own in judged.members.values()] for one in judged.answered}
    written = {one: judged.inputs[one].reference_words for one in judged.answered}
    references = {one: [count] * len(judged.members) for one, count in written.items() if count is not None}
    yield from measure_with_interval(judged, labels, "answer_words", {"words": words})
    yield from measure_with_interval(judged, labels, "reference_words", {"words": references})
    known_lengths = {one for one, values in references.items() if values[0] > 0}
    both = {"words": words, "references": references}
    yield from measure_with_interval(
        judged,
        labels,
        "length_ratio",
        {name: {one: of[one] for one in of if one in known_lengths} for name, of in both.items()},
        lambda means: means["words"] / means["references"],
    )


def measure_with_interval(
    judged: JudgedAnswers,
    labels: Labels,
    measure: str,
    values: Mapping[str, Mapping[str, list[float]]],
    headline: Headline = lambda means: next(iter(means.values())),
) -> Iterator[AnswerMeasure]:
    """Yield a measure with its interval, if it applies to some answer. values: by component and input, per member."""
    names = sorted(next(iter(values.values())))
    if not names:
        return
    components = {one: np.array([of[name] for name in names], dtype=np.float64).T for one, of in values.items()}
    value, low, high = estimate(components, [judged.inputs[name].cluster for name in names], headline, labels.task)
    yield AnswerMeasure(**asdict(labels), measure=measure, value=value, low=low, high=high, answers=len(names))


def estimate(
    components: Mapping[str, Floats], clusters: Sequence[str], headline: Headline, name: str
) -> tuple[float, float | None, float | None]:
    """Return (value, low, high); low and high are None with fewer than two clusters.

    components: by name, shape (members, inputs). clusters: of each input. name: of the random draws.
    """
    means = {one: values.mean(axis=1) for one, values in components.items()}
    ends = clustered_interval(components, clusters, headline, name=name)
    return (float(np.asarray(headline(means)).mean()), *(ends or (None, None)))


# --- slices -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Group:
    """Inputs of one part; least and most are as in Slice."""

    part: str
    names: frozenset[str]
    least: int | None = None
    most: int | None = None


def slices(judged: JudgedAnswers, labels: Labels, headline: Headline, components: Sequence[str]) -> Iterator[Slice]:
    """Yield the score by length of the documents and by what a cut removed. A single part is no slice."""
    outcomes = judged.outcomes(components)
    for by, groups in (
        ("document_words", by_length(judged.inputs)),
        ("truncated", by_place(judged.inputs, lambda row: "cut" if row.truncated else "whole")),
        ("evidence", by_place(judged.inputs, lambda row: row.evidence_in or "")),
        ("answer", by_place(judged.inputs, lambda row: row.answer_in or "")),
    ):
        for group in groups if len(groups) > 1 else ():
            found = outcomes.only(group.names)
            ends = clustered_interval(found.components, found.clusters, headline, name=labels.task)
            yield Slice(
                **asdict(labels),
                by=by,
                part=group.part,
                least=group.least,
                most=group.most,
                asked=len(group.names),
                answered=len(found),
                clusters=len(set(found.clusters)),
                value=found.value(headline) if len(found) else None,
                low=ends[0] if ends else None,
                high=ends[1] if ends else None,
            )


def by_place(inputs: Mapping[str, Judgement], place: Callable[[Judgement], str]) -> list[Group]:
    """Group inputs by a field of their prompt; those without a value ("") come last, as "not known"."""
    found: dict[str, set[str]] = {}
    for name, row in inputs.items():
        found.setdefault(place(row), set()).add(name)
    if set(found) == {""}:
        return []
    order = sorted(found, key=lambda part: (not part, part))
    return [Group(part or "not known", frozenset(found[part])) for part in order]


def by_length(inputs: Mapping[str, Judgement], parts: int = PARTS) -> list[Group]:
    """Split inputs into parts of about equal size by the words of their documents; equal lengths stay together.

    Bounds are lengths that occur: quantiles of all inputs that were asked, so they are the same for every model.
    """
    if not inputs:
        return []
    lengths = sorted(row.document_words for row in inputs.values())
    tops = sorted({lengths[-(-len(lengths) * part // parts) - 1] for part in range(1, parts + 1)})
    groups = []
    for below, top in zip([-1, *tops], tops, strict=False):
        names = frozenset(name for name, row in inputs.items() if below < row.document_words <= top)
        held = [inputs[name].document_words for name in names]
        groups.append(Group(f"{min(held):,} to {max(held):,}", names, min(held), max(held)))
    return groups
