"""Which answers of a model a chain reads: those of its newest complete epoch, or those of none (docs/fresh.md).

A chain reads, for each model, the newest epoch in which all that it asks of the model was asked and has ended; else
the answers that are of no epoch. `with_epochs` goes by the option `fresh` and the models' tables: it opens an epoch, or
goes on in one that is open. All of this is decided before anything is planned; stages read no clock.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from scrollwork.models.engine.breaker import OF_ONE_PROMPT
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.plan import Node, topological
from scrollwork.pipeline.planner import Planner
from scrollwork.records.response import Failure
from scrollwork.storage.digest import sha256_of
from scrollwork.storage.epochs import DAY_S, Epoch, Register, told, until_of
from scrollwork.suites.options import words
from scrollwork.tasks.sample.run import STAGE as SAMPLE

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain
    from scrollwork.pipeline.session import Session
    from scrollwork.storage.artifacts.artifact import Artifact

LOG = "scrollwork.epochs"  # its warnings are of no stage, so a flow shows them in the log of its run
log = logging.getLogger(LOG)

NEVER, RUN = "never", "run"
NEW = "new"  # stands for the name of an epoch that a run would open
OPEN_DAYS = 7  # for which an epoch of `--fresh run` is gone on with; after that the same command opens a new one
APART_S = 3_600  # between attempts in vain after which a request counts as failed in its epoch
DIGEST = 32  # hex digits
Asked = Mapping[str, int]  # what is asked of a model: {digest of a node's words: most inputs, 0 for all}


@dataclass(frozen=True)
class Epochs:
    """The epochs of a chain's models. by_model: those that are read; models without one are left out. anew: of these,
    models that are asked, as their epoch is not complete. notes: sentences for the user."""

    by_model: Mapping[str, Epoch]
    anew: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    def parameters(self, model: str) -> dict[str, Any]:
        """Return the parameters of the nodes that ask a model, {} for one without an epoch."""
        epoch = self.by_model.get(model)
        if epoch is None:
            return {}
        if epoch.since is None:
            return {"epoch": epoch.name}
        reuse = {"since": epoch.since, "until": epoch.until, "earlier": list(epoch.earlier)}
        return {"epoch": epoch.name, "reuse": reuse}

    @property
    def told(self) -> dict[str, str]:
        """When each model was asked anew, for the head of a report."""
        return {f"answers of {model}": told_of(epoch) for model, epoch in self.by_model.items()}

    @property
    def noted(self) -> dict[str, dict[str, Any]]:
        """The epochs as in the row of a run, by model. opened: unix seconds."""
        return {model: {"epoch": one.name, "opened": one.opened} for model, one in self.by_model.items()}


NONE = Epochs({})


def told_of(epoch: Epoch) -> str:
    """Return the epoch as shown to people."""
    return "a new epoch" if epoch.name == NEW else told(epoch.name, epoch.since)


def read_epochs(chain: Chain) -> Epochs:
    """Return the newest epochs of a chain's models in which all that the chain asks of them is complete."""
    register = Register(chain.session.home.url)
    models = [model for model in chain.resolved.anew if register.complete(model)]
    found: dict[str, Epoch] = {}
    notes: list[str] = []
    for model, asked in asked_of(chain, models).items() if models else ():
        if epoch := newest(register, model, asked, notes):
            found[model] = epoch
    return Epochs(found, notes=tuple(notes))


def newest(register: Register, model: str, asked: Asked, notes: list[str]) -> Epoch | None:
    """Return the newest complete epoch that covers what is asked, None for none. A note about newer ones is added."""
    passed: Epoch | None = None
    for entry in register.complete(model):
        epoch = register.read(entry)
        if covered(asked, epoch):
            break
        if passed is None and any(digest in epoch.covers for digest in asked):  # not one of other tasks or suites
            passed = epoch
    else:
        epoch = None
    if passed is not None:
        read = "answers of no epoch are" if epoch is None else f"the epoch of {epoch.when} is"
        notes.append(
            f"{model}: {read} read; the newer epoch of {passed.when} ({passed.name}) lacks some of what is asked "
            "now. What is missing is asked where this run reads, also what the newer epoch has"
        )
    return epoch


def covered(asked: Asked, epoch: Epoch) -> bool:
    """Return whether an epoch has all that is asked. One of N inputs a task has fewer inputs too."""
    for digest, most in asked.items():
        had = epoch.covers.get(digest)
        if had is None or (had and not 0 < most <= had):
            return False
    return True


def with_epochs(
    chain: Chain, opening: bool, begun: Mapping[str, str] | None = None, parts: Mapping[str, Epoch] | None = None
) -> Chain:
    """Choose the epochs of a chain by the option `fresh` and the models' tables, before its nodes are declared.

    opening: whether epochs may be opened; without it, one that would be opened is called NEW. begun: names of epochs by
    model, which are read if they are complete (flows/nights.py). parts: epochs by model in which a part was asked;
    those that are opened have their names (flows/canary.py). Raises UsageError where the option asks anew, and no model
    of the request can be asked.
    """
    request, tables = chain.request, chain.resolved.anew
    how = {model: request.fresh or str(table.get("fresh", NEVER)) for model, table in tables.items()}
    if request.fresh not in (None, NEVER) and not how:
        raise UsageError(
            f"--fresh {request.fresh} is for hosted and local models, and none was named: baselines are code, "
            "functions have a revision, what ran elsewhere is imported, and a model of a package is hosted where its "
            "module says HOSTED = True"
        )
    if all(one == NEVER for one in how.values()):
        return chain
    register, now = Register(chain.session.home.url), time.time()
    found: dict[str, Epoch] = {}
    anew: set[str] = set()
    notes: list[str] = []
    for model, asked in asked_of(chain, list(tables)).items():
        waits = partial(has_batches, chain.session, model)
        epoch = ended(register, model, scope_of(how[model], asked), (begun or {}).get(model, ""))
        epoch = epoch or chosen(register, model, asked, how[model], request.run, now, notes, waits)
        if epoch is None and how[model] == NEVER:
            epoch = newest(register, model, asked, notes)
        elif epoch is None:
            part, opens = (parts or {}).get(model), opening and chain.session.home.writable
            epoch = opened(chain, register, model, asked, how[model], now, opens, part)
        if epoch is not None:
            found[model] = epoch
            anew |= {model} if not epoch.completed else set()
    chain.epochs = Epochs(found, frozenset(anew), tuple(notes))
    return chain


def ended(register: Register, model: str, scope: str, name: str) -> Epoch | None:
    """Return the complete epoch of a scope that has this name, None if there is none."""
    every = (register.read(entry) for entry in (register.complete(model, scope) if name else ()))
    return next((epoch for epoch in every if epoch.name == name), None)


def chosen(
    register: Register,
    model: str,
    asked: Asked,
    how: str,
    run: str,
    now: float,
    notes: list[str],
    waits: Callable[[float], bool],
) -> Epoch | None:
    """Return the epoch that stands for `fresh`, without opening one; None if there is none.

    how: the option's value. run: name of the run; its retry reads the epoch that it completed itself. notes: one is
    added where an open epoch is too old. waits: whether batches wait that were submitted since a time (unix seconds).
    """
    if how == NEVER:
        return None
    scope = scope_of(how, asked)
    own = register.complete(model, scope)
    if own and run and (last := register.read(own[0])).run == run:
        return last
    if how == RUN:
        began = register.opened(model, scope)
        return began if began is not None and is_gone_on_with(began, now, notes, waits) else None
    complete, began = newest(register, model, asked, []), register.opened(model, scope)
    within = [one for one in (complete, began) if one is not None and abs(now - one.opened) < int(how) * DAY_S]
    return within[0] if within else None  # one of a clock that was far ahead is not of these days


def is_gone_on_with(epoch: Epoch, now: float, notes: list[str], waits: Callable[[float], bool]) -> bool:
    """Return whether an open epoch of `--fresh run` is gone on with: for OPEN_DAYS, and while its batches wait, which
    are paid. A note is added where it is not. waits: see `chosen`."""
    days = (now - epoch.opened) / DAY_S
    if days <= OPEN_DAYS or waits(epoch.opened):
        return True
    notes.append(
        f"{epoch.model}: the epoch of {epoch.when} ({epoch.name}) was left open for {days:.0f} days, longer than "
        f"{OPEN_DAYS}: a new one takes its place, in which everything is asked. What it has stays in the store"
    )
    return False


def has_batches(session: Session, model: str, since: float) -> bool:
    """Return whether the store has open batches of a model that were made since a time (unix seconds)."""
    return session.home.has_store and any(
        one.model == model and one.created >= since for one in session.store.open_batches()
    )


def opened(
    chain: Chain,
    register: Register,
    model: str,
    asked: Asked,
    how: str,
    now: float,
    opening: bool,
    part: Epoch | None = None,
) -> Epoch:
    """Open an epoch, or say what it would be (its name is NEW). part: see `Register.open`. Raises UsageError where
    failures of a complete one are to be asked again: a new one would pay for all answers."""
    since, until, earlier = None, None, []
    scope = scope_of(how, asked)
    own = register.complete(model, scope)
    if chain.request.retry_failed and own:
        raise UsageError(
            f"{model}: --retry-failed asks again in the epoch of {register.read(own[0]).when}, which is complete; "
            f"with --fresh {how} a new one would be opened, and all of it paid. With --retry-failed write --fresh never"
        )
    if how != RUN:
        since, until = max(0, int(now) - int(how) * DAY_S), until_of(now)
        earlier = sorted(one.name for one in register.every(model) if not one.completed or one.completed >= since)
    if not opening:
        return Epoch(part.name if part else NEW, model, int(now), "", since, until, tuple(earlier))
    request = chain.request
    told = {"suite": request.suite, "fresh": how, "options": [*words(request), *words(request.of_design)]}
    return register.open(model, scope, told, now=now, since=since, earlier=earlier, part=part)


def close_epochs(chain: Chain) -> None:
    """Note the epochs of a chain as complete in which every request is over (`is_over`); warn of those left open."""
    epochs, home = chain.epochs, chain.session.home
    if not epochs.anew or not home.writable:
        return
    planner, register, asked = Planner(chain.session), Register(home.url), asked_of(chain, epochs.anew)
    nodes = [node for node in topological(chain.scored) if node.asks]
    for model in sorted(epochs.anew):
        found = [planner.status(node).artifact for node in nodes if node.label("model") == model]
        artifacts = [one for one in found if one is not None]
        if len(artifacts) == len(found) and is_over(chain.session, artifacts):
            register.close(epochs.by_model[model], asked[model], chain.request.run)
            continue
        count = sum(one.facts["missing"] + one.facts["transient"] for one in artifacts)
        what = f"{count:,} requests have no answer" if count else "not all of it could be asked"
        log.warning(
            "%s: the epoch of %s stays open, as %s; the same command goes on in it within %s days",
            model, epochs.by_model[model].when, what, OPEN_DAYS,
        )  # fmt: skip


def is_over(session: Session, snapshots: Sequence[Artifact]) -> bool:
    """Return whether each request of a model has an answer or failed for good, or has failed again after APART_S.

    Refusals that no answer follows are missing, as the endpoint may be at fault. If the same prompts are refused later
    too, by an endpoint that answers others, an epoch would never be complete; likewise with failures that are never
    cured.
    """
    open_keys = [
        *(key for one in snapshots for key in one.facts["missing_keys"]),
        *(row.request_key for one in snapshots if one.facts["transient"] for row in failures_of(one)),
    ]
    if not open_keys:
        return True
    if not any(one.facts["answered"] for one in snapshots):
        return False
    failed = session.store.failed_for(open_keys, OF_ONE_PROMPT)
    return all(failed.get(key, 0.0) >= APART_S for key in open_keys)


def failures_of(snapshot: Artifact) -> Iterator[Failure]:
    """Yield the failures of a snapshot that another attempt may cure."""
    return (row for row in snapshot.rows("failures", Failure) if row.kind == "transient")


def asked_of(chain: Chain, models: Collection[str]) -> dict[str, dict[str, int]]:
    """Return what a chain asks of each of these models, by words alone: an epoch outlives changed code.

    Nodes of no model that are made for this are kept for the chain.
    """
    plain = chain.other(chain.request)
    plain.resolved, plain.epochs, plain.made = chain.resolved, NONE, of_no_model(chain)
    known: dict[str, tuple[str, int]] = {}
    found = {
        model: dict(words_of(node, known) for part in plain.asked(model) for node in part.each_shard(plain.answers))
        for model in models
    }
    chain.made.update(of_no_model(plain))
    return found


def of_no_model(chain: Chain) -> dict[tuple[str, object], Node]:
    """Return the nodes of a chain that no model answers: they are the same in each epoch."""
    return {name: node for name, node in chain.made.items() if not node.label("model")}


def words_of(node: Node, known: dict[str, tuple[str, int]]) -> tuple[str, int]:
    """Return (digest of what decides a node's prompts without our code and without raw files, its most inputs).

    known: by node name; results are added.
    """
    if node.name not in known:
        params = dict(node.params)
        most = int(params.pop("limit", 0)) if node.stage == SAMPLE else 0
        # what is put together from shares is what one process makes
        read = [(name, nodes) for name, nodes in node.inputs if name != "shares"]
        inputs = [(name, [words_of(one, known) for one in nodes]) for name, nodes in read]
        raw = {**asdict(node.raw), "hint": ""} if node.raw is not None else None
        told = [node.stage, node.labels, params, raw, [(name, [one for one, _ in some]) for name, some in inputs]]
        most = max([most, *(one for _, some in inputs for _, one in some)])
        known[node.name] = sha256_of(told)[:DIGEST], most
    return known[node.name]


def scope_of(how: str, asked: Asked) -> str:
    """Return the digest of an epoch's scope, as in the register's file names. how: the value of `fresh`."""
    return sha256_of([how, sorted(asked.items())])
