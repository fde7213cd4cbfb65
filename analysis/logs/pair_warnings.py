"""What a reader should know before believing a comparison of two logs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from scrollwork.analysis.logs.items import Items
from scrollwork.analysis.logs.log import BEGINNING_PART, Floats, Log
from scrollwork.analysis.logs.note import Note, counted, one_line, some
from scrollwork.analysis.logs.pairing import Pairing

NOT_STATED = "not stated"
CLEARLY_ABOVE_ONE = 5.0  # no rounding, bonus or weight brings a score of 0 to 1 so far


def warnings_of(
    a: Items,
    b: Items,
    pairing: Pairing,
    allow_changed: bool,
    metrics: Collection[str] = (),
    names: Sequence[str] = ("A", "B"),
) -> Iterator[Note]:
    """Yield a sentence for each thing that makes the two logs hard to compare.

    metrics: those that are compared; rows that have a score of each are no failures then. None means all. names: of A
    and B, as people tell them apart: two logs may name one model.
    """
    for items, name, alone in ((a, names[0], pairing.only_a), (b, names[1], pairing.only_b)):
        own = (name,)
        if alone:
            listed = some([items.names[row] for row in alone])
            yield Note(f"{counted(len(alone), 'item')} only in ", own, f": {listed}")
        if items.contradictory:
            yield Note(
                f"{counted(len(items.contradictory), 'item')} twice in ",
                own,
                f", with different scores or prompts, so left out: {some(items.contradictory)}",
                of_pair=False,
            )
        if items.written_twice:
            yield Note(f"{counted(items.written_twice, 'row')} twice in ", own, ", counted once", of_pair=False)
        if items.repeats > 1:
            after = f": up to {items.repeats} repeats of an item, of which the mean is compared"
            yield Note("", own, after, of_pair=False)
        if failures := _failures(items.log, metrics):
            first = failures[min(failures)]
            yield Note(
                f"{counted(len(failures), 'row')} of ",
                own,
                f" without a score; the first: {one_line(first)}",
                of_pair=False,
            )
        if items.truncated is not None and (cut := int(np.count_nonzero(items.truncated))):
            yield Note(f"{counted(cut, 'item')} of ", own, " had their prompt or answer cut", of_pair=False)
    yield from _prompts(a, b, names, pairing, allow_changed)
    yield from _settings(a, b)
    yield from _clusters(a, b, names, pairing)


def _failures(log: Log, metrics: Collection[str]) -> Mapping[int, str]:
    """Return why rows have no score, by row: those that lack a score of one of the metrics, if any are named."""
    columns = [log.scores[name] for name in metrics if name in log.scores]
    if not columns:
        return log.failures
    return {row: why for row, why in log.failures.items() if any(np.isnan(column[row]) for column in columns)}


def _prompts(a: Items, b: Items, names: Sequence[str], pairing: Pairing, allow_changed: bool) -> Iterator[Note]:
    """Say what is known of the equality of prompts."""
    if pairing.changed:
        what = "compared all the same" if allow_changed else "left out (--allow-changed-prompts compares them)"
        shown = some([a.names[rows[0]] for rows, _ in pairing.changed])
        yield Note(f"{counted(len(pairing.changed), 'item')} with another prompt: {what}: {shown}")
    if pairing.same_prompt_groups:
        yield Note(
            f"{pairing.same_prompt_groups:,} prompts stand several times and their items cannot be told apart: the "
            "mean of each is compared"
        )
    missing = tuple(name for items, name in ((a, names[0]), (b, names[1])) if items.prompts is None)
    if missing and (len(a) and len(b)):
        after = ""
        if a.ids is None or b.ids is None:
            after = ", and not both have ids: position is no identity; say --id FIELD"
        elif pairing.unconfirmed:
            like = "; the ids look like positions, which other orders give to other items" if _positions(a, b) else ""
            after = f": whether both were asked the same is not known{like}"
        yield from (Note("no prompts in ", (name,), after, of_pair=False) for name in missing if after)
    elif pairing.by_beginning:
        yield Note(
            f"prompts are compared by their beginning alone ({BEGINNING_PART}), as one of the logs has no more: a pair "
            "may differ after it, and no items are paired by it"
        )
    elif not missing and a.log.prompt_part != b.log.prompt_part:
        parts = [f"their {items.log.prompt_part}" if items.log.prompt_part else "the whole" for items in (a, b)]
        yield Note(f"prompts cannot be compared: one log has {parts[0]}, the other {parts[1]}")
    elif not missing and a.log.prompt_part:
        yield Note(f"prompts are compared by their {a.log.prompt_part} only")


def _positions(a: Items, b: Items) -> bool:
    """Whether all ids of both are numbers that count the items of one of them."""
    longest = max(len(a), len(b))
    return all(
        items.ids is not None and all(one.isdecimal() and int(one) <= longest for one in items.ids) for items in (a, b)
    )


def _settings(a: Items, b: Items) -> Iterator[Note]:
    """Name settings that differ. One that a single log states differs only if one tool wrote both: it had a default."""
    one, other = a.log.settings, b.log.settings
    of_task = {"task version"} if a.log.task != b.log.task else set()  # of two tasks: nothing that should be shared
    for name in (name for name in dict.fromkeys([*one, *other]) if name not in of_task):
        if one.get(name) != other.get(name) and (a.log.tool == b.log.tool or (name in one and name in other)):
            said = " and ".join(one_line(each.get(name, NOT_STATED)) for each in (one, other))
            yield Note(f"{one_line(name)} differs: {said}")


def _clusters(a: Items, b: Items, names: Sequence[str], pairing: Pairing) -> Iterator[Note]:
    """Say whether items are known to belong together, and which field of theirs may say so."""
    if a.clusters is None and b.clusters is None:
        if pairing.groups:
            found = a.log.cluster_field or b.log.cluster_field
            by = f'; "{found}" may name the document: --by {found}' if found else " (--by COLUMN)"
            yield Note(f"no log says which items are of one document, so each is taken as independent{by}")
    elif a.clusters is not None and b.clusters is not None:
        both = {(a.clusters[rows_a[0]], b.clusters[rows_b[0]]) for rows_a, rows_b in pairing.groups}
        if len(both) > min(len({one for one, _ in both}), len({other for _, other in both})):
            yield Note("the clusters of ", tuple(names), " are not the same: the fewer are used")


def different_scales(a: Floats, b: Floats) -> str:
    """Say that one log scores from 0 to 1 and the other from 0 to 100; "" if not."""
    highest = []
    for values in (a, b):
        scored = values[~np.isnan(values)]
        if not len(scored) or scored.min() < 0:
            return ""
        highest.append(float(scored.max()))
    low, high = sorted(highest)
    if 0 < low <= 1 and CLEARLY_ABOVE_ONE < high <= 100:
        return f"other scales: one goes to {low:g}, the other to {high:g}; nothing is rescaled"
    return ""
