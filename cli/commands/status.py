"""scrollwork status: runs, stages, answers, failures, money."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from typing import Any

from scrollwork.cli.terminal.common import print_json
from scrollwork.cli.terminal.waiting import batch_line
from scrollwork.flows.deploy.asked import shown
from scrollwork.flows.keeping.found_damage import damage_line, recent_damage
from scrollwork.flows.server.local_server import access_line, is_ours, noted_server, running_server, worker_lives
from scrollwork.flows.server.lost_alerts import lost_alerts, lost_line
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.readings.status import status
from scrollwork.storage.epochs import time_text
from scrollwork.storage.home import Home

RUNNING, ENDED, SILENT, NONE = "running", "ended", "silent", "none"
SERVER = {
    ENDED: "ended without scrollwork down, its worker too (scrollwork up)",
    SILENT: "runs and does not answer (scrollwork up waits for it, then starts it anew)",
    NONE: "not running (scrollwork up)",
}
WORKER = {RUNNING: "running", ENDED: "ended, nothing that is deployed runs (scrollwork up starts it)"}


def run(arguments: argparse.Namespace) -> int:
    """Print what the home holds."""
    home = Home.at(arguments.home, arguments.store)
    found = status(home)
    server = running_server(home.folder)
    found["server"] = server["ui"] if server else None
    found["server_state"], found["worker_state"] = states(noted_server(home.folder), server is not None)
    found["access"] = access_line(server) if server else None
    found["lost_alerts"] = lost_alerts(server) if server else []
    found["damage"] = recent_damage(home)
    if arguments.json:
        print_json(found)
        return 0
    print(f"home: {found['home']}")
    other = os.environ.get("PREFECT_API_URL", "")
    said = f"none of `scrollwork up`; PREFECT_API_URL names {shown(other)}" if other else SERVER[NONE]
    print(f"server: {found['server'] or {**SERVER, NONE: said}[found['server_state']]}")
    if found["server"]:
        print(f"worker: {WORKER[found['worker_state']]}")
    if found["lost_alerts"]:
        print(f"warning: {lost_line(found['lost_alerts'])}")
    if found["access"]:
        print(f"  in another folder, first: {found['access']}")
    print(
        "artifacts: " + (", ".join(f"{count} {stage}" for stage, count in sorted(found["artifacts"].items())) or "none")
    )
    for text in of_store(found):
        print(text)
    for text in found["warnings"]:
        print(f"warning: {printable(text, 600)}")
    if found["damage"]:
        print(f"warning: {damage_line(found['damage'])}")
    for one in found["nights"]:
        count = "1 night" if one["nights"] == 1 else f"{one['nights']:,} nights"
        told = f"the last one {one['last']} ({one['kind']}): {one['outcome']}: {printable(one['sentence'], 600)}"
        print(f"{count} of {printable(one['suite'], 80)}, {told}")
    for one in found["unfinished_nights"]:
        models, why = printable(", ".join(one["models"]), 200), printable("; ".join(one["why"]), 600)
        print(
            f"a night of {printable(one['suite'], 80)} with {models} is NOT WHOLE since {time_text(one['at'])}: {why}"
        )
    for text in found["damaged_epochs"]:
        print(f"error: {printable(text, 600)}")
    for one in found["epochs"][:10]:
        how = "open: the command that opened it goes on in it"
        if one["complete"] or one["left"]:
            how = "complete" if one["complete"] else "left open; another epoch has its place, and no run goes on in it"
        print(f"epoch {one['epoch']} of {printable(one['model'], 80)}: {how}, opened {time_text(one['opened'])}")
    for one in found["runs"][-10:]:
        stages = ", ".join(f"{count} {how}" for how, count in sorted(one["stages"].items()))
        print(f"run {one['id']}: {one['suite']} {' '.join(one['models'])}: {stages}")
        for model, epoch in one["epochs"].items():
            print(
                f"  answers of {printable(model, 80)}: asked anew {time_text(epoch['opened'])} (epoch {epoch['epoch']})"
            )
        for line in of_errors(one["errors"]):
            print(f"  {line}")
    return 0


def of_errors(errors: Mapping[str, str]) -> list[str]:
    """Return a line for each error that ended stages of a run. errors: by stage."""
    stages: dict[str, list[str]] = {}
    for name, error in errors.items():
        stages.setdefault(error, []).append(name)
    more = {error: f" and {len(names) - 1:,} more" if len(names) > 1 else "" for error, names in stages.items()}
    return [f"{names[0]}{more[error]}: {error}" for error, names in stages.items()]


def states(note: dict[str, Any] | None, answers: bool) -> tuple[str, str]:
    """How server and worker are: "running", "ended" without `down`, "silent" (it gives no answer), "none".

    note: of the server that `up` started.
    """
    if note is None:
        return NONE, NONE
    server = RUNNING if answers else SILENT if is_ours(note["server"]) else ENDED
    return server, RUNNING if worker_lives(note) else ENDED


def of_store(found: dict[str, Any]) -> list[str]:
    """Return lines about answers, failures, attempts and money. Text from servers is escaped and cut."""
    lines = []
    for what in ("answers", "failures"):
        models = {name.partition(":seed=")[0] for name in found[what]}
        lines.append(f"{what}: {sum(found[what].values()):,} of {len(models)} model{'s' * (len(models) != 1)}")
    for one in found["failure_kinds"]:
        code = f", HTTP {one['status']}" if one["status"] else ""
        said = printable(one["message"], 200)
        lines.append(f"  {printable(one['model'], 80)}: {one['count']:,} {one['kind']}{code}, the last one: {said}")
    tried = sum(sum(one.values()) for one in found["attempts"].values())
    if tried:
        lines.append(f"attempts: {tried:,}")
        for model, outcomes in found["attempts"].items():
            told = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.items())
            lines.append(f"  {printable(model, 80)}: {told}")
    if found["claimed"]:
        lines.append(f"being asked now: {found['claimed']:,}")
    lines += [f"open batch: {batch_line(one)}" for one in found["open_batches"]]
    if found["batches"]:
        lines.append("batches: " + ", ".join(f"{count} {state}" for state, count in found["batches"].items()))
    total = found["spent"]
    lines.append(f"spent: {dollars(total)}")
    for model, one in found["spent_by_model"].items():
        if one["amount"] or one["unknown_calls"]:
            lines.append(
                f"  {printable(model, 80)}: {dollars(one)}, {one['calls']:,} calls, "
                f"{one['input_tokens']:,} input tokens ({one['cached_tokens']:,} cached), "
                f"{one['output_tokens']:,} output tokens"
            )
    return lines


def dollars(spent: Mapping[str, Any]) -> str:
    """Format what was spent, how much of it is an upper bound, and for how many calls the price is unknown."""
    said = f"${spent['amount']:,.4f}"
    if spent["assumed_calls"]:
        said += f" (${spent['assumed']:,.4f} of it set aside for {spent['assumed_calls']:,} calls without usage)"
    return said + (f" and {spent['unknown_calls']:,} calls of unknown cost" if spent["unknown_calls"] else "")
