"""scrollwork compare: models held against each other by logs of any tool, item by item (docs/logs.md)."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from scrollwork.analysis.logs.compare import Compared, compare_systems
from scrollwork.analysis.logs.log import Log, ReadOptions
from scrollwork.analysis.logs.note import Note, one_line
from scrollwork.analysis.logs.systems import CompareOptions, System, UnknownName, systems_of
from scrollwork.cli.terminal.common import print_json, say
from scrollwork.exchange.compared.as_json import compared_json
from scrollwork.exchange.compared.markdown import markdown
from scrollwork.exchange.compared.notes import note_lines
from scrollwork.exchange.compared.page import compare_page
from scrollwork.exchange.logs.read import read_logs
from scrollwork.models.table_keys import nearest_known
from scrollwork.pipeline.errors import UsageError
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.storage.home import is_remote
from scrollwork.tasks.report.published import write_file

WEB = ("http://", "https://")  # what begins so is a page or a file, and no home
MOST_SYSTEMS = 20  # their pairs fill a page already
MOST_NAMED, LONGEST_NAME = 40, 100  # models that an error names, and characters of each
MOST_WARNINGS = 40  # printed; all of them are in --json and --out
KINDS = {".html": compare_page, ".md": markdown}


def run(arguments: argparse.Namespace) -> int:
    """Read the logs, compare, print. Status 1 if nothing could be compared. Raises UsageError, LogError."""
    out = Path(arguments.out) if arguments.out else None
    if out is not None and out.suffix not in KINDS:
        raise UsageError(f"--out {out}: a name that ends in {' or '.join(KINDS)} is wanted")
    options = CompareOptions(
        margin_of(arguments.margin),
        arguments.allow_changed_prompts,
        name_pairs("--task", arguments.tasks),
        name_pairs("--metric", arguments.metrics),
    )
    logs, lacking = read_logs(existing(arguments.sources), ReadOptions(arguments.id, arguments.by))
    compared = compare_logs(logs, lacking, arguments.models, options)
    if out is not None:
        write_file(out.resolve(), KINDS[out.suffix](compared).encode("utf-8"))
    if arguments.json:
        print_json(compared_json(compared))
    else:
        from scrollwork.cli.terminal.compare_table import show

        show(compared)
        lines = note_lines(compared)
        for line in lines[:MOST_WARNINGS]:
            say(f"note: {line}")
        if len(lines) > MOST_WARNINGS:
            say(f"... and {len(lines) - MOST_WARNINGS} more notes (--json, --out)")
        if out is not None:
            say(f"written: {out}")
    return 0 if any(not row.not_compared for pair in compared.pairs for row in pair.tasks) else 1


def compare_logs(
    logs: Mapping[str, Sequence[Log]], remarks: Sequence[str], models: Sequence[str], options: CompareOptions
) -> Compared:
    """Compare the logs of sources, by name. remarks: what reading them told, put before the warnings.

    models: as in `chosen`. Raises UsageError as `chosen` does, and for a task or metric that is in no log.
    """
    systems, more = chosen(visible_sources(logs), models, options)
    try:
        compared = compare_systems(systems, options)
    except UnknownName as error:
        raise UsageError(f"{error}{nearest_known(error.name, error.known)}") from error
    return Compared(compared.pairs, [*map(Note, map(printable, remarks)), *more, *compared.notes])


def visible_sources(logs: Mapping[str, Sequence[Log]]) -> dict[str, list[Log]]:
    """Return the logs with the names of files fit to be shown: one line each, control characters escaped."""
    return {
        printable(source, len(source) * 10): [replace(log, source=printable(log.source, 10_000)) for log in found]
        for source, found in logs.items()
    }


def existing(sources: Sequence[str]) -> Sequence[str]:
    """Return the sources. Raises UsageError for one that does not exist or is named twice; that a remote home exists is
    seen when it is read."""
    for number, source in enumerate(sources):
        if source in sources[:number]:
            raise UsageError(f"{source} is named twice")
        if source.startswith(WEB):
            raise UsageError(f"{source}: is on the web: download it, and name the file")
        if not is_remote(source) and not Path(source).exists():
            raise UsageError(f"{source}: no such file or folder")
    return sources


def chosen(
    logs: Mapping[str, Sequence[Log]], models: Sequence[str], options: CompareOptions
) -> tuple[list[System], list[Note]]:
    """Return the systems that are compared, and remarks on their logs. models: names wanted, in this order; none means
    all, in that of the logs.

    Raises UsageError if they are fewer than two or too many, or a model is unknown.
    """
    if options.tasks:
        asked = {name for pair in options.tasks for name in pair}
        logs = {source: [log for log in found if log.task in asked] or found for source, found in logs.items()}
    systems, remarks = systems_of(logs, {name for pair in options.metrics for name in pair})
    names = [one_line(system.name, LONGEST_NAME) for system in systems]
    known = ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")
    if models:
        found: dict[str, System] = {}
        for name in models:
            own = [one for one in systems if name == one.name or any(log.model == name for log in one.logs.values())]
            if not own:
                near = nearest_known(name, [one.name for one in systems])
                raise UsageError(f"--model {name}: no log is of that model; there are: {known}{near}")
            found |= {one.name: one for one in own}
        systems = list(found.values())
    if len(systems) < 2 and models:
        only = one_line(systems[0].name, LONGEST_NAME)
        raise UsageError(f"only {only} was chosen by --model, and a comparison needs two; there are: {known}")
    if len(systems) < 2:
        raise UsageError(f"two models or two logs are needed to compare, and there is one: {known}")
    if len(systems) > MOST_SYSTEMS:
        raise UsageError(f"{len(systems)} models are too many to compare each with each: choose by --model; {known}")
    return systems, remarks


def margin_of(points: object) -> float | None:
    """Check a margin; None for that of the scale. Raises UsageError."""
    if points is None:
        return None
    if isinstance(points, bool) or not isinstance(points, int | float) or not 0 < points < math.inf:
        raise UsageError(f"--margin {points}: a number of points above 0 is wanted")
    return float(points)


def name_pairs(option: str, given: Sequence[str]) -> list[tuple[str, str]]:
    """Split "NAME" or "NAME_IN_A=NAME_IN_B". Raises UsageError."""
    found = []
    for text in given:
        one, equals, other = text.partition("=")
        if not one or (equals and not other):
            raise UsageError(f"{option} {text!r}: write NAME, or NAME_IN_A=NAME_IN_B")
        found.append((one, other or one))
    return found
