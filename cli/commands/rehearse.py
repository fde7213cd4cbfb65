"""scrollwork rehearse: a run whose hosted models are simulated on this machine, with the bill that they make out.

Everything else is as in `run`: prompts, pacing, budget, batches, scores, page. The home is a folder of its own, and the
request keys name the server "rehearsal", so that no simulated answer is ever taken for a model's.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from scrollwork.cli.commands.run import run_with_progress, tell
from scrollwork.cli.terminal.common import chain_of, print_whole, say
from scrollwork.flows.chains import Chain
from scrollwork.flows.epochs import with_epochs
from scrollwork.flows.execute import with_way
from scrollwork.models.engine.prices import NANO, round_up
from scrollwork.models.hosted.tables import SIMULATED, provide_secret
from scrollwork.models.registry import HOSTED
from scrollwork.models.registry import is_outside as of_another_package
from scrollwork.models.vendors.families import vendor_of
from scrollwork.pipeline.errors import UsageError
from scrollwork.readings.answer_lengths import reference_lengths
from scrollwork.readings.status import spent_by_model
from scrollwork.rehearsal.bills import Line
from scrollwork.rehearsal.families import FAMILIES, RATIOS, find
from scrollwork.rehearsal.server import PATHS, Rehearsal
from scrollwork.rehearsal.world import KNOBS
from scrollwork.reporting.page.text import visible
from scrollwork.storage.answers.rows import Spent
from scrollwork.storage.home import Home

FOLDER = "rehearsal"  # in the home of real runs
BATCH_S = 2.0  # in which simulated batches end, unless a knob says otherwise
WRITTEN = ("write", "write_long")


def run(arguments: argparse.Namespace) -> int:
    """Run against simulated vendors; print the leaderboard, and the bill beside what was counted here."""
    if not arguments.models:
        raise UsageError("rehearse needs a model: --model gpt-6-luna")
    move_home(arguments)
    arguments.engine = "inline"  # one process knows where the vendors listen
    provide_secret(SIMULATED, "of-nobody")
    given = knobs_of(arguments.knobs)
    try:
        vendors = Rehearsal(**{"batch_s": BATCH_S, "ratio": RATIOS, **given})
    except ValueError as error:
        raise UsageError(f"--knob: {error}") from error
    with vendors:
        chain = with_epochs(rehearsed_chain(with_way(chain_of(arguments)), vendors), opening=True)
        refuse_lost_batches(chain)
        if not {"answer_tokens", "answer_words"} & given.keys():
            vendors.world.turn_knobs({"answer_tokens": simulated_lengths(chain)})
        try:
            outcome = run_with_progress(arguments, chain)
        except KeyboardInterrupt:
            if not arguments.json:
                show(current_bill(chain, vendors))
            raise
        rows = current_bill(chain, vendors)
        status = tell(arguments, chain, outcome, bill=rows)
    if not arguments.json:
        show(rows)
    if rows and not status and not any(row["replies"] for row in rows):
        say(f"nothing was asked: answers of an earlier rehearsal stand; delete {chain.request.home} to be billed anew")
    say(f"simulated: no vendor was asked, and the answers mean nothing; they are kept apart in {chain.request.home}")
    return status


def move_home(arguments: argparse.Namespace) -> None:
    """Turn a call to the home of rehearsals, with the raw files of the home that it names. Raises UsageError."""
    if arguments.store:
        raise UsageError("--store is not for rehearsals: simulated answers are kept in a home of their own")
    own = Home.at(arguments.home) if "://" not in arguments.home else None
    if not (arguments.raw or arguments.sample) and own is not None:
        raw = own.folder / "raw"
        if not raw.is_dir():
            raise UsageError(f"{raw} has no raw files: try `scrollwork fetch`, --raw DIR or --sample")
        arguments.raw = str(raw)
    arguments.home = str((own.folder if own is not None else Path(".scrollwork").resolve()) / FOLDER)


def knobs_of(given: Sequence[str]) -> dict[str, Any]:
    """`NAME=VALUE` by name, values as JSON. Raises UsageError."""
    found: dict[str, Any] = {}
    for one in given:
        name, equals, text = one.partition("=")
        if not equals:
            raise UsageError(f"--knob {one!r}: write NAME=VALUE")
        try:
            found[name] = json.loads(text)
        except ValueError:
            raise UsageError(f"--knob {one!r}: the value is no JSON") from None
    if wrong := [name for name in found if name not in KNOBS]:
        raise UsageError(f"no knob {wrong[0]}; there are {', '.join(KNOBS)}")
    if found.get("batch_done", 1) != 1:
        raise UsageError("--knob batch_done: a batch expires after a day, and the clock of a rehearsal is yours")
    return found


def refuse_lost_batches(chain: Chain) -> None:
    """Raise UsageError where a batch of an earlier rehearsal was cut off: its vendor has ended with it."""
    from scrollwork.readings.open_batches import open_batches  # brings SQLAlchemy

    if open_batches(Home(chain.request.home, chain.request.store)):
        raise UsageError(
            "a rehearsal was stopped while a batch was open, and its simulated vendor ended with it: delete "
            f"{chain.request.home} to begin anew"
        )


def rehearsed_chain(chain: Chain, vendors: Rehearsal) -> Chain:
    """Return the chain with its hosted models turned to the simulated vendors. Raises UsageError for one that is not
    simulated: nothing of a rehearsal may reach a vendor."""
    resolved = chain.resolved
    tables = {name: simulated_table(name, table, vendors) for name, table in resolved.tables.items()}
    calling = resolved.calling
    calling = replace(calling, tables={name: tables[name] for name in calling.tables})
    chain.resolved = replace(resolved, tables=tables, locations=replace(resolved.locations, calling=calling))
    return chain


def simulated_lengths(chain: Chain) -> dict[str, dict[str, int]]:
    """Return how long simulated answers are, as the knob has it: as the references are in a mean, so that a rehearsal
    costs what it would of models that write as much."""
    found: dict[str, dict[str, int]] = {}
    for model, lengths in reference_lengths(chain).items():
        table = chain.resolved.calling.tables[model]
        family = find(str(table["vendor"]), str(table["id"]))
        assert family is not None
        found.setdefault(f"{family.vendor}/{family.id}", {}).update({str(limit): one for limit, one in lengths.items()})
    return found


def simulated_table(name: str, table: Mapping[str, Any], vendors: Rehearsal) -> Mapping[str, Any]:
    """Return a model's table with the simulated vendor's address. Raises UsageError."""
    if of_another_package(table["provider"]):
        raise UsageError(
            f"model {name!r} answers through {table['provider']}, which nobody simulates; run it by itself"
        )
    if table["provider"] not in HOSTED:
        return table
    vendor = vendor_of(table)
    if vendor is None or vendor.name not in PATHS:
        raise UsageError(
            f"model {name!r}: its server is not simulated (rehearsed are {', '.join(vendors_known())}); behind a "
            'gateway the table says whose model it is: vendor = "openai"'
        )
    if find(vendor.name, str(table["id"])) is None:
        there = ", ".join(one.id for one in FAMILIES if one.vendor == vendor.name)
        raise UsageError(f"model {name!r}: {table['id']} of {vendor.title} is not simulated; there are: {there}")
    moved = {"vendor": vendor.name, "base_url": vendors.url(vendor.name), "server": SIMULATED, "key_secret": SIMULATED}
    return {**{key: value for key, value in table.items() if key != "key_env"}, **moved}


def vendors_known() -> list[str]:
    """The vendors with simulated models that have a name of their own."""
    return list(dict.fromkeys(one.vendor for one in FAMILIES if one.id != "local"))


def current_bill(chain: Chain, vendors: Rehearsal) -> list[dict[str, Any]]:
    """Return the bill as it stands."""
    return bill_of(vendors.world.ledger.lines(), chain, spent_by_model(chain.session.home, chain.request.run))


def bill_of(lines: Sequence[Line], chain: Chain, spent: Mapping[str, Spent]) -> list[dict[str, Any]]:
    """One row a hosted model: what its vendor charged, and what was counted here.

    Tokens as the vendor bills them: plain input, cached, written, output. billed_usd (output_usd of it for output),
    counted_usd: floats; difference_nano_usd: billed less counted, in nano-dollars, where each reply's price is rounded
    up to whole ones, as the store keeps it. assumed_calls: calls without usage,
    which count for what was set aside for them. Models that go by one id share a row.
    """
    names: dict[tuple[str, str], list[str]] = {}
    for name, table in chain.resolved.calling.tables.items():
        if table["provider"] in HOSTED:
            family = find(str(table["vendor"]), str(table["id"]))
            assert family is not None  # `simulated_table`
            names.setdefault((family.vendor, family.id), []).append(name)
    rows = []
    for (vendor, model), models in names.items():
        own = [line for line in lines if (line.vendor, line.model) == (vendor, model)]
        tokens = Counter[str]()
        for line in own:
            tokens.update(line.tokens)
        billed = sum((line.nano for line in own), Decimal(0))
        counted = sum((spent.get(name, Spent()) for name in models), Spent())
        rows.append(
            {
                "model": ", ".join(models),
                "vendor": vendor,
                "replies": len(own),
                "plain_tokens": tokens["input"],
                "cached_tokens": tokens["cached"],
                "written_tokens": sum(tokens[kind] for kind in WRITTEN),
                "output_tokens": tokens["output"],
                "output_usd": float(sum(line.rates["output"] * line.tokens["output"] for line in own) / NANO),
                "billed_usd": float(billed / NANO),
                "counted_usd": counted.cost_nano_usd / NANO,
                "difference_nano_usd": sum(round_up(line.nano) for line in own) - counted.cost_nano_usd,
                "assumed_calls": counted.cost_assumed_calls,
                "uncounted_calls": counted.cost_unknown_calls,
            }
        )
    return rows


def show(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the bill."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title="bill of the simulated vendors", title_justify="left")
    for number, name in enumerate(
        ("model", "replies", "in, plain", "in, cached", "in, written", "out", "USD billed", "USD counted here")
    ):
        table.add_column(name, justify="right" if number else "left", no_wrap=bool(number))
    for row in rows:
        counts = (row[name] for name in ("replies", "plain_tokens", "cached_tokens", "written_tokens", "output_tokens"))
        unknown = row["uncounted_calls"] > 0
        money = (f"{row['billed_usd']:,.6f}", "–" if unknown else f"{row['counted_usd']:,.6f}")
        table.add_row(Text(visible(row["model"])), *(f"{one:,}" for one in counts), *money)
    print_whole(table)
    for row in rows:
        if row["assumed_calls"]:
            say(f"{row['model']}: counted for {row['assumed_calls']:,} calls without usage is what was set aside")
        elif row["uncounted_calls"]:
            say(f"{row['model']}: no price is known here, so nothing was counted; give its table one (--models FILE)")
        elif row["difference_nano_usd"]:
            say(f"{row['model']}: billed less counted: {row['difference_nano_usd']:,.1f} nano-dollars")
        if row["replies"] and not row["billed_usd"]:
            say(f"{row['model']}: the simulated {row['vendor']} charges nothing; its prices are not simulated")
