"""The row of a night: which night it is, what was asked, and what was made of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from scrollwork.pipeline.errors import UsageError
from scrollwork.readings.nights.answers import models_of_run
from scrollwork.readings.nights.canary import Looked, canary_model
from scrollwork.readings.nights.code import commit_of, libraries_digest
from scrollwork.readings.nights.compared import compared, history
from scrollwork.readings.nights.register import DIGEST, Nights
from scrollwork.records.nights.night import CANARY, FULL, NightRow
from scrollwork.storage.digest import sha256_of
from scrollwork.suites.options import Options, as_mapping, options_of, words
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import SAMPLE

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain

SHOWN = 6  # hex digits of a night's digest in its name


def settings_of(request: Request) -> str:
    """Return the digest of what decides which inputs a request asks, apart from tasks, splits and models."""
    return sha256_of([request.suite, decided(request, Options), decided(request.of_design, type(request.of_design))])[
        :DIGEST
    ]


def decided(options: Any, declared: Any) -> dict[str, Any]:
    """Return the options that are set and decide what is asked."""
    known = options_of(declared)
    return {
        name: value
        for name, value in as_mapping(options).items()
        if name in known and known[name].decides and known[name].is_set(value)
    }


@dataclass(frozen=True)
class Asked:
    """What was asked on a night. kind, causes, why: see `NightRow`. served: weights by model, as `NightModel` has them.

    looked: of a canary, what it shows of each model.
    """

    kind: str = FULL
    causes: tuple[str, ...] = ()
    why: str = ""
    served: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    looked: Mapping[str, Looked] = field(default_factory=dict)


def write_night(nights: Nights, chain: Chain, asked: Asked) -> tuple[NightRow, bool]:
    """Store the night of a finished run; returns (the row that stands, whether it was made now).

    The same epochs and scores are the same night, which is stored once. Raises StageFailed, StorageError.
    """
    request, parts = chain.request, models_of_run(chain)
    epochs = {model: epoch for model, epoch in chain.epochs.by_model.items() if model in parts}
    settings = settings_of(request)
    contents = {model: sorted(part.contents) for model, part in parts.items()}
    digest = sha256_of([asked.kind, settings, {model: one.name for model, one in epochs.items()}, contents])[:DIGEST]
    if (standing := nights.find(digest)) is not None:
        return standing, False
    now = int(time.time())
    day = time.strftime("%Y-%m-%d", time.gmtime(max((one.opened for one in epochs.values()), default=now)))
    name = f"{day}-{digest[:SHOWN]}"
    scores = nights.write_scores({model: part.scores for model, part in parts.items()})
    known = history(nights, request.suite, settings, digest, day)
    earlier = [row.ended + 1 for row in nights.rows() if row.settings == settings]
    after = max(earlier, default=0)  # also where the clock was set back
    of_models = []
    for model, part in parts.items():
        epoch = epochs[model].name if model in epochs else ""
        if asked.kind == CANARY:
            of_models.append(canary_model(model, part, epoch, asked.looked[model]))
        else:
            of_models.append(compared(nights, known, name, model, part, epoch))
    models = tuple(replace(one, served=asked.served.get(one.model, ())) for one in of_models)
    row = NightRow(
        name=name,
        digest=digest,
        suite=request.suite,
        settings=settings,
        kind=asked.kind,
        ended=max(now, after),
        options=(*(["--sample"] if request.raw == str(SAMPLE) else []), *words(request), *words(request.of_design)),
        run=request.run,
        version=version("scrollwork"),
        commit=commit_of(),
        libraries=libraries_digest(),
        scores=scores,
        models=models,
        causes=asked.causes,
        why=asked.why,
    )
    stored = nights.write(row)
    return stored, stored == row


def named(rows: Mapping[str, NightRow], name: str) -> NightRow:
    """Return the night of a name or of the beginning of one. rows: by name. Raises UsageError naming those that fit."""
    fitting = [row for own, row in rows.items() if own.startswith(name)] if name else []
    if name in rows:
        return rows[name]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UsageError(f"{len(fitting)} nights begin with {name!r}: {', '.join(row.name for row in fitting)}")
    last = ", ".join(list(rows)[-5:])
    raise UsageError(f"there is no night {name!r}; " + (f"the last ones: {last}" if last else "none is stored here"))
