"""The one sentence of a verdict: what dropped, by how much, against what, how sure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Dropped = tuple[str, float, float, tuple[float, float] | None, float, int, int]
"""Task, mean before and now (0 to 100), interval of the difference, p, nights pooled, nights before them."""

Blind = tuple[str, int, int]
"""Task on which no drop could be reported, with its documents and nights."""

MOST_NAMED = 3  # tasks in a sentence


def drop_sentence(dropped: Sequence[Dropped], reference: str, tasks: int) -> str:
    """Return the sentence on reported drops, the largest first."""
    task, before, now, interval, p, window, against = dropped[0]
    sure = f"95 % interval {-interval[1]:.1f} to {-interval[0]:.1f}, " if interval else ""
    held = f"the accepted night {reference}" + (f" and {_nights(against - 1)} after it" if against > 1 else "")
    others = [f"{other} by {one - two:.1f}" for other, one, two, *_ in dropped[1 : 1 + MOST_NAMED]]
    left = len(dropped) - 1 - len(others)
    more = f"; also {', '.join(others)}" + (f" and {left} more" if left else "") if others else ""
    return (
        f"{task} fell by {before - now:.1f} points, from {before:.1f} to {now:.1f} {_when(window)}, against {held} "
        f"({sure}p {_p(p)}, corrected over {_tasks(tasks)}){more}."
    )


def missing_sentence(missing: Sequence[tuple[str, int, int]], reference: str, compared: bool) -> str:
    """Return the sentence on tasks with too few answers: (task, inputs not compared, inputs of the reference).

    compared: whether any input was; none of what was dropped anew.
    """
    named = ", ".join(f"{task} ({lost} of {asked})" for task, lost, asked in missing[:MOST_NAMED])
    more = f" and {len(missing) - MOST_NAMED} more tasks" if len(missing) > MOST_NAMED else ""
    rest = "What could be compared shows no new drop." if compared else "Nothing could be compared."
    return f"Answers that {reference} is compared with are missing: {named}{more}. {rest}"


def standing_sentence(standing: Sequence[tuple[str, float, int]]) -> str:
    """Return a further sentence on drops that were reported before: (task, points, nights pooled); "" for none."""
    if not standing:
        return ""
    return f" Still down, as reported before: {_falls(standing)}."


def lower_sentence(lower: Sequence[tuple[str, float, int]]) -> str:
    """Return a further sentence on tasks that fell where the gate cannot tell: (task, points, nights pooled); "" for
    none."""
    if not lower:
        return ""
    return f" Lower, too, of which the gate cannot tell: {_falls(lower)}."


def _falls(falls: Sequence[tuple[str, float, int]]) -> str:
    """Name the largest falls: (task, points, nights pooled)."""
    ordered = sorted(falls, key=lambda one: -one[1])
    named = ", ".join(f"{task} by {fall:.1f} points {_when(window)}" for task, fall, window in ordered[:MOST_NAMED])
    return named + (f" and {_tasks(len(ordered) - MOST_NAMED)} more" if len(ordered) > MOST_NAMED else "")


def low_sentence(tasks: Sequence[str], size: float) -> str:
    """Return a further sentence on tasks whose mean was below the least reported drop, in points; "" for none."""
    if not tasks:
        return ""
    named = ", ".join(tasks[:MOST_NAMED])
    more = f" and {_tasks(len(tasks) - MOST_NAMED)} more" if len(tasks) > MOST_NAMED else ""
    return f" Below {size:g} point{'s' * (size != 1)} before, so no drop can be seen: {named}{more}."


def quiet_sentence(
    counts: Mapping[str, int],
    reference: str,
    detectable: float | None,
    level: float,
    blind: Sequence[Blind] = (),
    fall: tuple[float, str, int] = (0.0, "", 1),
) -> str:
    """Return the sentence on a night without a new drop: what was found, and what could have been.

    counts: of tasks by state. detectable: in points. fall: lowest difference, in points, of a task of which the gate
    cannot tell, the task, and the nights pooled; it is told if it is a fall of .05 or more.
    """
    states = ", ".join(f"{count} {state}" for state, count in counts.items())
    power = (
        f"; a drop of {detectable:.1f} points on a task would be found in 80 % of cases, a smaller one less often"
        if detectable
        else ""
    )
    none = ", ".join(
        f"{task} ({_documents(documents)}, {nights} nights)" for task, documents, nights in blind[:MOST_NAMED]
    )
    more = f" and {_tasks(len(blind) - MOST_NAMED)} more" if len(blind) > MOST_NAMED else ""
    unseen = f"; too few documents and nights to report any drop of {none}{more}" if blind else ""
    fell = f"; the largest fall is {-fall[0]:.1f} points {_when(fall[2])}, of {fall[1]}" if fall[0] <= -0.05 else ""
    if blind and len(blind) == sum(counts.values()):
        return (
            f"Cannot tell: too few documents and nights to report any drop against the accepted night {reference}, "
            f"of {none}{more}{fell}."
        )
    return (
        f"No new drop against the accepted night {reference} at {100 * level:g} % a night: "
        f"{states}{power}{unseen}{fell}."
    )


def _when(window: int) -> str:
    return "tonight" if window == 1 else f"over the last {window} nights"


def _nights(count: int) -> str:
    return "1 night" if count == 1 else f"the {count} nights"


def _documents(count: int) -> str:
    return "1 document" if count == 1 else f"{count} documents"


def _tasks(count: int) -> str:
    return "1 task" if count == 1 else f"{count} tasks"


def _p(p: float) -> str:
    """Return p with its relation, to two digits that count."""
    return f"= {p:.2g}" if p >= 0.0001 else "< 0.0001"
