"""What the gate says of a night: which night it is compared with, and the verdict by model and task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scrollwork.analysis.nights.night import ItemScore, Night, NightError
from scrollwork.analysis.nights.rule import STANDARD, Rule
from scrollwork.analysis.nights.sentence import drop_sentence
from scrollwork.analysis.nights.verdict import TaskVerdict, Verdict, lower, verdict
from scrollwork.readings.nights.answers import ModelNight
from scrollwork.readings.nights.register import COLUMNS, Columns, Nights
from scrollwork.readings.nights.reported import reported_otherwise
from scrollwork.records.nights.night import FULL, INCOMPLETE, REGRESSED, NightModel, NightRow, NightTask
from scrollwork.storage.errors import StorageError

REACH = 3  # times the rule's baseline: so many nights after the reference are read, and the last ones


@dataclass(frozen=True)
class History:
    """The full nights of a suite with the same settings, the oldest first, without tonight, and what is known of them.

    accepted: digests of accepted nights, the last accepted first. muted: {task: until}, tonight.
    """

    rows: Sequence[NightRow]
    accepted: Sequence[str]
    muted: Mapping[str, str]


def history(nights: Nights, suite: str, settings: str, digest: str, day: str) -> History:
    """Read the nights that tonight (digest, day) may be compared with."""
    every = nights.rows()
    own = [row for row in every if (row.suite, row.settings, row.kind) == (suite, settings, FULL)]
    accepted, known = nights.accepted(), {row.digest for row in every}
    for one in accepted:
        if one.digest not in known:
            nights.notes.append(f"the night {one.night} was accepted, and is not in this home any more")
    last_first = [one.digest for one in reversed(accepted)]
    return History([row for row in own if row.digest != digest], last_first, nights.muted(day))


def reference_of(model: str, known: History, coverage: float = STANDARD.coverage) -> NightRow | None:
    """Return the night that a model is compared with: the last accepted one, else its first whole one; None for none.

    coverage: share of each task's answers, 0 to 1, that a whole night has.
    """
    own = {row.digest: row for row in known.rows if row.of(model) is not None}
    for digest in known.accepted:
        if digest in own:
            return own[digest]
    return next((row for row in own.values() if (one := row.of(model)) and one.whole(coverage)), None)


def compared(
    nights: Nights, known: History, name: str, model: str, part: ModelNight, epoch: str, rule: Rule = STANDARD
) -> NightModel:
    """Return a model's part of the night `name`, with the gate's verdict."""
    tasks = tuple(part.tasks.values())
    facts = tuple(sorted(part.versions)), tuple(sorted(part.fingerprints)), part.cost_usd, part.unknown
    plain = NightModel(model, epoch, *facts, "", "", False, tasks)
    reference = reference_of(model, known, rule.coverage)
    if reference is None:
        return first(plain, name, rule.coverage)
    plain = replace(plain, reference=reference.name)
    way_on = f"Where that stays so, compare later nights with this one: {accepting(name)}."
    try:
        tonight = night_of(name, part.scores)
        accepted = stored_night(nights, reference, model)
        found = verdict(accepted, tonight, earlier_of(nights, known, reference, plain, rule), rule)
    except (NightError, StorageError) as error:
        return replace(plain, sentence=f"Not compared with {reference.name}: {error}. {way_on}", failed=True)
    told = judged(name, plain, found, known.muted, rule.coverage)
    return replace(told, sentence=f"{told.sentence}{versions_sentence(plain, reference)}")


def versions_sentence(model: NightModel, reference: NightRow) -> str:
    """Return a further sentence on the version that a model's vendor reports, where the night that it is compared with
    has others; "" where it has not."""
    before = reference.of(model.model)
    text = reported_otherwise("version", before.versions if before else (), model.versions, reference.name)
    return f" {text[0].upper()}{text[1:]}." if text else ""


def first(model: NightModel, name: str, coverage: float) -> NightModel:
    """Return a night (name) that is compared with none, because none stands before it."""
    if model.whole(coverage):
        return replace(model, sentence="The first night: those that follow are compared with it.")
    named = ", ".join(f"{one.task} ({one.missing} of {one.expected})" for one in model.lacking(coverage))
    sentence = f"The first night, and answers are missing, so none is compared with it: {named}."
    return replace(model, sentence=f"{sentence} {way_on_without(name, model, model, coverage)}", failed=True)


def accepting(name: str) -> str:
    """Return the command that accepts a night."""
    return f"scrollwork nights accept {name}"


def way_on_without(name: str, model: NightModel, every: NightModel, coverage: float) -> str:
    """Return what to do about answers that are missing on a night (name).

    model: its part, with the tasks that were asked; where these are whole, the reference lacks answers, or tonight has
    not all its tasks. every: the part with the tasks of the reference, too.
    """
    if model.whole(coverage):
        anyway = "" if every.whole(coverage) else " --incomplete"
        return f"If that is meant, compare later nights with this one: {accepting(name)}{anyway}."
    return (
        "What failed for good is asked again by the same command with --fresh never --retry-failed; or compare later "
        f"nights with what there is: {accepting(name)} --incomplete."
    )


def judged(name: str, model: NightModel, found: Verdict, muted: Mapping[str, str], coverage: float) -> NightModel:
    """Put a verdict into a model's part of a night (name). muted: {task: until}; their drops raise no alarm."""
    stated = {one.task: one for one in found.tasks}
    tasks = [with_verdict(one, stated[one.task], muted) if one.task in stated else one for one in model.tasks]
    known = {one.task for one in tasks}
    tasks += [
        with_verdict(NightTask(one.task, "", None, None, None, one.asked, 0), one, muted)
        for one in found.tasks
        if one.task not in known
    ]
    alarms = [one.task for one in tasks if one.alarms]
    quiet = {one.task: one.muted_until for one in tasks if one.state == REGRESSED and one.muted_until}
    lacking = [one for one in tasks if one.state == INCOMPLETE]
    sentence = found.sentence
    if quiet:
        named = alarms or list(quiet)
        sentence = dropped_sentence([stated[task] for task in named], found)
        sentence += f" Muted: {', '.join(f'{task} until {until}' for task, until in quiet.items())}."
    every = replace(model, tasks=tuple(tasks), sentence=sentence, failed=bool(alarms or lacking))
    if not lacking:
        return every
    return replace(every, sentence=f"{sentence} {way_on_without(name, model, every, coverage)}")


def with_verdict(task: NightTask, found: TaskVerdict, muted: Mapping[str, str]) -> NightTask:
    """Put the verdict on a task into its row."""
    low, high = found.interval or (None, None)
    return replace(
        task,
        state=found.state.value,
        before=found.before,
        now=found.now,
        low_difference=low,
        high_difference=high,
        p=float(found.p),
        detectable=found.detectable,
        documents=found.documents or None,
        window=found.window,
        against=found.against,
        muted_until=muted.get(task.task, "") if found.state == REGRESSED else "",
    )


def dropped_sentence(dropped: Sequence[TaskVerdict], found: Verdict) -> str:
    """Return the sentence on some of the drops of a verdict."""
    ordered = sorted(dropped, key=lambda one: one.difference or 0.0)
    told = [
        (one.task, one.before or 0.0, one.now or 0.0, one.interval, one.p, one.window, one.against) for one in ordered
    ]
    return drop_sentence(told, found.reference, len(found.tasks)) + lower(found.tasks)


def earlier_of(
    nights: Nights, known: History, reference: NightRow, tonight: NightModel, rule: Rule = STANDARD
) -> list[Night]:
    """Read the nights after the reference that the gate may take: the first ones and the last ones.

    Of the nights with the same answers (of one epoch, scored again) the last one counts, none if these are tonight's or
    the reference's. One whose scores cannot be read is left out, with a note. A drop that was muted on the last night,
    and is not muted any more, counts as not yet reported.
    """
    model = tonight.model
    own = [row for row in known.rows if row.of(model) is not None]
    epochs = {row.name: one.epoch for row in own if (one := row.of(model)) is not None}
    after = own[own.index(reference) + 1 :]
    last = {epochs[row.name]: row.name for row in after if epochs[row.name]}
    same = {tonight.epoch, epochs[reference.name]} - {""}
    after = [row for row in after if epochs[row.name] not in same and last.get(epochs[row.name], row.name) == row.name]
    most = REACH * rule.baseline
    chosen = after if len(after) <= most + rule.windows else [*after[:most], *after[-rule.windows :]]
    found = []
    for row in chosen:
        one = row.of(model)
        assert one is not None
        ended = {task.task for task in one.tasks if task.muted_until} - known.muted.keys()
        reported = one.dropped - ended if row is chosen[-1] else one.dropped
        try:
            found.append(stored_night(nights, row, model, reported))
        except (NightError, StorageError) as error:
            nights.notes.append(f"{row.name} is left out of the comparison: {error}")
    return found


def stored_night(nights: Nights, row: NightRow, model: str, reported: frozenset[str] = frozenset()) -> Night:
    """Read the scores of a stored night. Raises StorageError, NightError."""
    scores = nights.scores(row.scores)
    if model not in scores:
        raise StorageError(f"{row.scores}: has no scores of {model}")
    return night_of(row.name, scores[model], reported)


def night_of(name: str, scores: Mapping[str, Columns], reported: frozenset[str] = frozenset()) -> Night:
    """Make a night for the gate from columns by task. Raises NightError."""
    return Night.of(name, {task: list(items_of(name, task, columns)) for task, columns in scores.items()}, reported)


def items_of(night: str, task: str, columns: Columns) -> list[ItemScore]:
    """Return the inputs of a task. Raises NightError for columns that are none."""
    try:
        items = list(zip(*(columns[name] for name in COLUMNS), strict=True))
    except (KeyError, TypeError, ValueError) as error:
        raise NightError(f"night {night!r}, task {task!r}: its columns are wrong ({error})") from error
    return [ItemScore(item, document, bounded(score), answer) for item, document, score, answer in items]


def bounded(score: float | None) -> float | None:
    """Return a score within 0 to 100, which sums of rounded terms may leave by 1e-9."""
    return score if not isinstance(score, float) else min(max(score, 0.0), 100.0)
