"""scrollwork nights plan: what a night would ask, why, and what that would cost; asks nothing."""

from __future__ import annotations

import argparse
from typing import Any

from scrollwork.cli.nights.listing import told
from scrollwork.cli.terminal.common import print_json, request_of, say
from scrollwork.cli.terminal.progress import progress_display
from scrollwork.cli.terminal.spending import sum_known, usd
from scrollwork.flows.nights import with_night
from scrollwork.pipeline.errors import UsageError
from scrollwork.readings.estimate import estimates
from scrollwork.readings.nights.options import night_options
from scrollwork.records.nights.night import CANARY, FULL

NAMES = {CANARY: "canary", FULL: "full set"}
KNOWN = "as far as can be known before the canary's answers, reported versions, and the weights served are seen"


def run(arguments: argparse.Namespace) -> int:
    """Print what a night would ask. Returns 1 if something could not be estimated."""
    if not arguments.models:
        raise UsageError("nights plan needs a model: --model my-server")
    full_every = night_options()["full_every"].checked(arguments.full_every)
    night = with_night(request_of(arguments), full_every, opening=False)
    rows: list[dict[str, Any]] = []
    problems: list[str] = []
    for kind, chain in ((CANARY, night.chain), (FULL, night.whole)) if night.kind == CANARY else ((FULL, night.chain),):
        with progress_display(arguments.quiet, len(chain.scored)):
            found, _, failed = estimates(chain)
        problems += failed
        rows += [asks(kind, model, found) for model in dict.fromkeys(row["model"] for row in found)]
    for problem in problems:
        say(f"error: {problem}")
    if arguments.json:
        print_json({"kind": night.kind, "causes": list(night.causes), "why": night.why, "asks": rows})
        return int(bool(problems))
    for line in night.chain.epochs.notes:
        say(line)
    if night.kind == CANARY:
        print(f"tonight the canary is asked, and the full set if it shows a change ({KNOWN}):")
    else:
        print("tonight the full set is asked" + (f": {told(night.why)}" if night.why else ""))
    for row in rows:
        further = row["kind"] != night.kind
        what = "if it shows a change, the full set with it" if further else f"the {NAMES[row['kind']]}"
        print(
            f"  {told(row['model'])}, {what}: {row['to_ask']:,} of {row['requests']:,} requests, {usd(row['online'])}"
        )
    return int(bool(problems))


def asks(kind: str, model: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Sum up the estimates of a model: {kind, model, requests, to_ask, online}, the last in USD, None if not known."""
    own = [row for row in rows if row["model"] == model]
    counts = {name: sum(row[name] for row in own) for name in ("requests", "to_ask")}
    online = sum_known((row["price"] or {}).get("online") for row in own)
    return {"kind": kind, "model": model, **counts, "online": online}
