"""Which inputs a night asks: a canary, or the full set, and why (docs/nights.md#a-canary).

A canary is asked in an epoch of its own. Where the full set is asked on the same night, its epoch has the same name: so
the canary's answers are its own, and are not paid again.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from scrollwork.flows.epochs import NEVER, OPEN_DAYS, RUN, asked_of, ended, scope_of, with_epochs
from scrollwork.pipeline.errors import UsageError
from scrollwork.readings.nights.canary import FullNights, task_names
from scrollwork.readings.nights.register import Nights
from scrollwork.readings.nights.row import settings_of
from scrollwork.records.nights.decisions import Begun, FullSet
from scrollwork.records.nights.night import CANARY, FIRST, FULL, SCHEDULE, UNFINISHED, WEIGHTS
from scrollwork.storage.epochs import DAY_S, Epoch, Register
from scrollwork.suites.served_contexts import served_weights

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain

EVERY_NIGHT = 1  # days between nights with the full set


@dataclass(frozen=True)
class Night:
    """A night that began. chain: what is asked now, with its epochs chosen; whole: the chain of the full set.

    kind: of what is asked now. causes, why: why the full set is (records/nights/night.py). served: the weights that own
    servers list, by model. begun: as which it was noted.
    """

    chain: Chain
    whole: Chain
    kind: str = FULL
    causes: tuple[str, ...] = ()
    why: str = ""
    served: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    begun: tuple[Begun, ...] = ()


@dataclass(frozen=True)
class Standing:
    """What stands of a night before it is asked, by model. canary, full: epochs that are open, or complete and of no
    stored night. names: of epochs of such nights. began: notes of all nights that are not stored."""

    canary: Mapping[str, Epoch]
    full: Mapping[str, Epoch]
    names: Mapping[str, str]
    began: Sequence[Begun] = ()


def refuse_canary(chain: Chain, full_every: int) -> None:
    """Raise UsageError where a canary cannot be asked, or where something else says when models are asked anew."""
    request, option = chain.request, f"--full-every {full_every}"
    if request.config.design != "fixed":
        raise UsageError(
            f"{option}: a canary is for suites that ask each input once; {request.suite} has design "
            f'"{request.config.design}", so its nights ask the full set: leave out --full-every'
        )
    if not chain.resolved.anew:
        raise UsageError(f"{option} is for hosted and local models, and none was named: others are never asked anew")
    if request.fresh not in (None, RUN):
        raise UsageError(
            f"{option} asks a canary every night, and --fresh {request.fresh} asks what is older: give one of the two"
        )
    if request.retry_failed:
        raise UsageError(
            f"{option}: --retry-failed asks again in the epoch of a night that is over; write --fresh never with it"
        )
    own = [model for model, table in chain.resolved.anew.items() if "fresh" in table]
    if own and request.fresh is None:
        raise UsageError(
            f"{option} asks a canary every night, and the table of {own[0]} has fresh = "
            f"{chain.resolved.anew[own[0]]['fresh']!r}: take it out, or write --fresh run, which goes over tables"
        )


def canary_of(whole: Chain) -> Chain:
    """Return the chain of the canary: of the models that are asked anew."""
    return whole.other(replace(whole.request, models=tuple(whole.resolved.anew), canary=True))


def stored_epochs(nights: Nights, settings: str) -> set[tuple[str, str]]:
    """Return (model, epoch) of all stored nights of these settings."""
    return {(one.model, one.epoch) for row in nights.rows() if row.settings == settings for one in row.models}


def unstored(nights: Nights, settings: str) -> list[Begun]:
    """List the nights of these settings that began and are not stored, the oldest first."""
    stored = stored_epochs(nights, settings)
    return [one for one in nights.begun(settings) if not stored.issuperset(zip(one.models, one.epochs, strict=True))]


def names_of(began: Sequence[Begun]) -> dict[str, str]:
    """Return the epochs of nights that began, by model; of several, the last one counts."""
    return {model: epoch for one in began for model, epoch in zip(one.models, one.epochs, strict=True)}


def standing(nights: Nights, whole: Chain, canary: Chain) -> Standing:
    """Look up what a killed night left, or an earlier try of the same flow run; also open epochs of a run."""
    register, now, models = Register(whole.session.home.url), time.time(), set(whole.resolved.anew)
    began = [one for one in unstored(nights, settings_of(whole.request)) if models.issuperset(one.models)]
    names = names_of([one for one in began if now - one.at <= OPEN_DAYS * DAY_S])
    found: list[dict[str, Epoch]] = []
    for chain in (canary, whole):
        own: dict[str, Epoch] = {}
        for model, asked in asked_of(chain, list(whole.resolved.anew)).items():
            scope = scope_of(RUN, asked)
            epoch = ended(register, model, scope, names.get(model, "")) or register.opened(model, scope)
            if epoch is not None and now - epoch.opened <= OPEN_DAYS * DAY_S:
                own[model] = epoch
            elif chain is whole and (complete := register.complete(model, scope)):
                last = register.read(complete[0])
                own |= {model: last} if last.run == whole.request.run else {}
        found.append(own)
    return Standing(found[0], found[1], names, began)


def begin_night(nights: Nights, whole: Chain, full_every: int, opening: bool = True) -> Night:
    """Choose what a night asks first, open its epochs, and note that it began.

    opening: without it, no epoch is opened, no server is asked, and nothing is noted.
    """
    canary = canary_of(whole)
    stands = standing(nights, whole, canary)
    served = served_weights(whole.resolved.calling.tables) if opening else {}
    causes, why = reasons(nights, whole, stands, full_every, served)
    if causes and opening:
        return full_night(nights, Night(whole, whole, FULL, causes, why, served), stands)
    if not opening:
        whole = with_epochs(whole, opening=False, begun=stands.names, parts=stands.canary)
        chain = whole if causes else with_epochs(canary, opening=False, begun=stands.names)
        return Night(chain, whole, FULL if causes else CANARY, causes, why)
    chain = with_epochs(canary, opening=True, begun=stands.names)
    begun = note_begun(nights, chain)
    return Night(chain, whole, CANARY, served=served, begun=(*stands.began, *((begun,) if begun else ())))


def reasons(
    nights: Nights, whole: Chain, stands: Standing, full_every: int, served: Mapping[str, tuple[str, ...]]
) -> tuple[tuple[str, ...], str]:
    """Return (causes, in words) of asking the full set at once; ((), "") where the canary is asked first.

    full_every: days. served: see `Night`.
    """
    settings = settings_of(whole.request)
    if stands.full:
        names = {epoch.name for epoch in stands.full.values()}
        own = [begun for begun in stands.began if not names.isdisjoint(begun.epochs)]
        told = [one for begun in own if (one := nights.full_set(settings, begun)) is not None]
        if told:
            return told[-1].causes, told[-1].why
        return (UNFINISHED,), f"the full set of {next(iter(stands.full.values())).when} is not finished"
    known = FullNights.read(nights, whole.request.suite, settings)
    lasts = {model: known.last(model, task_names(whole, model)) for model in whole.resolved.anew}
    lacking = [model for model, last in lasts.items() if last is None]
    if lacking:
        return (FIRST,), f"no night with the full set of these tasks is stored of {', '.join(lacking)}"
    found: list[tuple[str, str]] = []
    for model, last in lasts.items():
        assert last is not None
        if weights := known.other_weights(model, last, served.get(model, ())):
            found.append((WEIGHTS, weights))
        days = abs(known.days_since(last, time.time()))  # also of a clock that was far ahead
        if days >= full_every and SCHEDULE not in dict(found):
            found.append((SCHEDULE, f"the last night with the full set, {last.name}, is {days} days ago"))
    return tuple(dict.fromkeys(cause for cause, _ in found)), "; ".join(text for _, text in found)


def full_night(nights: Nights, night: Night, stands: Standing | None = None) -> Night:
    """Open the epochs of the full set, under the names of the canary's where one was asked, and note why it is asked.

    night: with causes and why. stands: of a night that begins with the full set.
    """
    stands = stands or standing(nights, night.whole, canary_of(night.whole))
    chain = with_epochs(night.whole, opening=True, begun=stands.names, parts=stands.canary)
    begun = note_begun(nights, chain)
    if begun is not None:
        nights.ask_full(settings_of(chain.request), begun, FullSet(night.causes, night.why, int(time.time())))
    further = (*night.begun, *stands.began, *((begun,) if begun else ()))
    return replace(night, chain=chain, kind=FULL, begun=further)


def note_begun(nights: Nights, chain: Chain) -> Begun | None:
    """Note that a night began in the epochs of a chain; None where nothing is asked in them."""
    if not chain.epochs.anew or not chain.session.home.writable:
        return None
    epochs = sorted((model, one.name) for model, one in chain.epochs.by_model.items())
    begun = Begun(tuple(model for model, _ in epochs), tuple(name for _, name in epochs), int(time.time()))
    nights.begin(settings_of(chain.request), begun)
    return begun


def without_canary(full_every: int, fresh: str | None) -> bool:
    """Return whether a night asks the full set whatever stands."""
    return full_every <= EVERY_NIGHT or fresh == NEVER
