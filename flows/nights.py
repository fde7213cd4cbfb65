"""A night: an evaluation that is stored as a row and compared with the accepted night (docs/nights.md). No Prefect.

with_night       what it asks first, the canary or the full set, and in which epochs: those of a night that was begun
                 and not finished, else new ones
take_night       builds what changed, asks, scores, asks the full set if the canary shows a change, writes the page,
                 the verdict and the row
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from scrollwork.flows.canary import (
    EVERY_NIGHT,
    Night,
    begin_night,
    full_night,
    note_begun,
    refuse_canary,
    stored_epochs,
    without_canary,
)
from scrollwork.flows.chains import Chain
from scrollwork.flows.epochs import RUN, close_epochs, with_epochs
from scrollwork.flows.execute import kept_from_gc, run, run_nodes, sweep, with_contexts, with_way
from scrollwork.flows.keeping.scrub import scrub_lines
from scrollwork.flows.nights_page import write_nights_page
from scrollwork.models.engine.prices import dollars
from scrollwork.pipeline.calling import STOP, begin_run, gone_budget, stop_of, why_given_up, within_time
from scrollwork.pipeline.engines.inline import Engine, run_inline
from scrollwork.pipeline.plan import topological
from scrollwork.pipeline.planner import Planner
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.readings.nights.answers import models_of_run
from scrollwork.readings.nights.canary import FullNights, Looked, look
from scrollwork.readings.nights.register import Nights
from scrollwork.readings.nights.row import Asked, settings_of, write_night
from scrollwork.readings.results import Results
from scrollwork.readings.room import warnings
from scrollwork.readings.run_outcome import Outcome
from scrollwork.records.nights.decisions import Unfinished
from scrollwork.records.nights.night import CANARY, NightRow
from scrollwork.storage.errors import StorageError
from scrollwork.suites.request import Request
from scrollwork.suites.served_contexts import served_weights

LONGEST = 200  # characters of what a vendor says
BEGAN = "it began, and has not ended: it runs, or was killed"


@dataclass(frozen=True)
class NightTaken:
    """How a night ended. row: None if it is not whole; new: whether the row was made now. unfinished: what is missing.

    chain: that the outcome is of. notes: files that were passed over, what the scrub of the home found, and what runs
    out (disk, budget).
    """

    chain: Chain
    outcome: Outcome
    row: NightRow | None
    new: bool
    unfinished: tuple[str, ...]
    notes: tuple[str, ...]


def with_night(request: Request, full_every: int = EVERY_NIGHT, opening: bool = True) -> Night:
    """Begin a night: choose what it asks, and its epochs.

    Without `fresh`, in the request or in a model's table, all models are asked anew. A night that was begun with the
    same settings and is not stored goes on: its complete epochs are read, its open ones are asked. full_every: days
    between nights with the full set; on others a canary is asked first. opening: without it, no epoch is opened, and
    no server is asked. Raises UsageError where no canary can be.
    """
    chain = with_contexts(Chain(request)) if opening else Chain(request)
    tables, canary = chain.resolved.calling.tables, not without_canary(full_every, request.fresh)
    if canary:
        refuse_canary(chain, full_every)
    if canary or (request.fresh is None and tables and not any("fresh" in table for table in tables.values())):
        chain = chain.other(replace(chain.request, fresh=RUN))
    chain = with_way(chain)
    nights = Nights(chain.session.home.url)
    if canary:
        return begin_night(nights, chain, full_every, opening)
    served = served_weights(chain.resolved.calling.tables) if opening else {}
    chain = with_epochs(chain, opening=opening, begun=unfinished_of(nights, settings_of(chain.request)))
    if opening:
        note_begun(nights, chain)
    return Night(chain, chain, served=served)


def night_of_run(request: Request) -> NightTaken | None:
    """Return the night that the same flow run stored before: Prefect runs it again where it has retries and something
    dropped. Asked anew it would be another night, paid again, on which the drop is no news."""
    chain = Chain(request)
    nights = Nights(chain.session.home.url)
    row = next((row for row in nights.rows() if request.run and row.run == request.run), None)
    return None if row is None else NightTaken(chain, Outcome(request, ()), row, False, (), tuple(nights.notes))


def unfinished_of(nights: Nights, settings: str) -> dict[str, str]:
    """Return the epochs by model of nights that were begun and are not stored; of several, the last one counts."""
    stored = stored_epochs(nights, settings)
    found: dict[str, str] = {}
    for begun in nights.begun(settings):
        found |= {one[0]: one[1] for one in zip(begun.models, begun.epochs, strict=True) if one not in stored}
    return found


def take_night(night: Night, engine: Engine = run_inline) -> NightTaken:
    """Evaluate, and store the night if it is whole: no stage failed, and each request has an answer or failed for good.

    Where the canary shows a change, the full set is asked then. Raises StageFailed, StorageError.
    """
    nights = Nights(night.chain.session.home.url)
    note_unfinished(nights, night.chain, [BEGAN])  # a kill leaves no time for another note
    if night.kind == CANARY:
        taken = take_canary(nights, night, engine)
        if isinstance(taken, NightTaken):
            return taken
        night = taken
    with noting_errors(nights, night.chain):
        outcome = run(night.chain, engine)
    return stored(nights, night, outcome)


@contextmanager
def noting_errors(nights: Nights, chain: Chain) -> Iterator[None]:
    """Note an error, Ctrl-C or SIGTERM that ends a night before its row is written."""
    try:
        yield
    except BaseException as error:
        told = str(error) or type(error).__name__
        note_unfinished(nights, chain, [told if isinstance(error, Exception) else STOP.reason or "stopped"])
        raise


def note_unfinished(nights: Nights, chain: Chain, why: Sequence[str]) -> None:
    """Note why a night ended before it was whole, so that `nights` and `status` tell it. Where that cannot be written,
    the night has said it all the same."""
    request, told = chain.request, tuple(printable(one, LONGEST) for one in why)
    now = int(time.time())
    try:
        nights.leave(Unfinished(request.suite, settings_of(request), tuple(request.models), request.run, told, now))
    except (OSError, StorageError) as error:
        nights.notes.append(f"that this night is not whole is not noted: {error}")


def take_canary(nights: Nights, night: Night, engine: Engine) -> NightTaken | Night:
    """Ask the canary. Returns the night that was taken, or the one that asks the full set and says why."""
    with noting_errors(nights, night.chain):
        outcome = run_canary(night.chain, engine)
        if unfinished := missing_of(night.chain, outcome):
            return left(nights, night.chain, outcome, unfinished)
        looked = look_at(nights, night.chain)
    changes = [change for one in looked.values() for change in one.changes]
    if not changes:
        return stored(nights, night, outcome, looked)
    causes = tuple(dict.fromkeys(cause for cause, _ in changes))
    return full_night(nights, replace(night, causes=causes, why="; ".join(text for _, text in changes)))


def run_canary(chain: Chain, engine: Engine) -> Outcome:
    """Ask and score the canary. No page is written and no run is noted: those of the full set stand."""
    begin_run(chain.request.run)
    with kept_from_gc(chain), within_time(chain.resolved.calling):
        sweep(chain)
        finished = run_nodes(chain, engine, [*chain.scored, *map(chain.judge, chain.scored)])
        close_epochs(chain)
    return Outcome(chain.request, tuple(finished))


def look_at(nights: Nights, chain: Chain) -> dict[str, Looked]:
    """Compare the canary of each model with its last night with the full set."""
    known = FullNights.read(nights, chain.request.suite, settings_of(chain.request))
    epochs = {model: one.name for model, one in chain.epochs.by_model.items()}
    return {
        model: look(nights, known, model, part, epochs.get(model, "")) for model, part in models_of_run(chain).items()
    }


def stored(nights: Nights, night: Night, outcome: Outcome, looked: dict[str, Looked] | None = None) -> NightTaken:
    """Store a night that was asked, unless it is not whole. looked: of a canary."""
    if unfinished := missing_of(night.chain, outcome):
        return left(nights, night.chain, outcome, unfinished)
    asked = Asked(night.kind, night.causes, night.why, night.served, looked or {})
    with noting_errors(nights, night.chain):
        row, new = write_night(nights, night.chain, asked)
    nights.end(row, night.begun)
    try:
        write_nights_page(night.chain.session.home)
    except (OSError, StorageError) as error:  # the night stands; its page is made by the next one
        nights.notes.append(f"the page over nights is not written: {error}")
    home = night.chain.session.home
    return NightTaken(night.chain, outcome, row, new, (), (*nights.notes, *scrub_lines(home), *warnings(home)))


def left(nights: Nights, chain: Chain, outcome: Outcome, unfinished: tuple[str, ...]) -> NightTaken:
    """Return a night that is not whole, and note it."""
    note_unfinished(nights, chain, unfinished)
    return NightTaken(chain, outcome, None, False, unfinished, tuple(nights.notes))


def missing_of(chain: Chain, outcome: Outcome) -> tuple[str, ...]:
    """Say what keeps a night from being whole: stages that failed, and models with requests that are still open."""
    failed = [f"{title} failed: {error}" for title, error in outcome.failures]
    if failed and STOP.level:  # most of them did not begin
        return (STOP.reason,)
    planner, lacking = Planner(chain.session), Counter[str]()
    for node in topological(chain.scored):
        artifact = planner.status(node).artifact if node.asks else None
        if artifact is not None:
            lacking[node.label("model")] += artifact.facts["missing"] + artifact.facts["transient"]
    missing = [f"{model}: {count:,} answers are missing" for model, count in lacking.items() if count]
    return (*failed, *missing, *(why_missing(chain, outcome) if missing else ()))


def why_missing(chain: Chain, outcome: Outcome) -> list[str]:
    """Say why answers are missing, as far as it is known."""
    calling = chain.resolved.calling
    budget, stop = gone_budget(calling), stop_of(calling)
    gone = [f"the budget of {dollars(budget.limit)} is used up"] if budget is not None else []
    reasons = {model: why_given_up(model, calling) for model in calling.tables}
    ended = [f"{model}: {printable(reason, LONGEST)}" for model, reason in reasons.items() if reason]
    return [*gone, *([stop.reason] if stop.level else []), *ended, *Results(chain).failures(outcome)]
