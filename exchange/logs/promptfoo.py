"""Outputs of promptfoo: one JSON file, JSON Lines of its results, or (rounded to two decimals) a CSV.

A result is one test, one provider, one prompt. `error` is also the text of a failed assertion: only results with
`failureReason` 2 have no score. Versions before it (0.9x) left assertions ungraded where there was an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrollwork.analysis.logs.log import Log, ReadOptions, digest_of, log_error
from scrollwork.exchange.logs.columns import (
    CLUSTER_FIELDS,
    ID_FIELDS,
    ScoreRows,
    all_or_none,
    any_or_none,
    as_object,
    at_path,
    first_label,
    label_of,
    left_out,
    note_missing_ids,
    require_field,
)
from scrollwork.exchange.logs.gather import read_each
from scrollwork.exchange.logs.json_rows import Broken, files_below, first_row, head_of, json_lines, members
from scrollwork.exchange.logs.promptfoo_csv import is_promptfoo_csv, results_of_csv

TOOL = "promptfoo"
SIGNS = {"testIdx", "promptIdx", "provider", "failureReason"}
VERSION = 3
ERROR = 2  # failureReason: 0 none, 1 an assertion failed, 2 an error
NUMBERED = re.compile(r"Row #\d+")  # promptfoo's description of a test from a table that gives none: its place
OWN = ("score", "success")  # promptfoo's own verdict: the weighted mean of the assertions, and whether all passed
ENDINGS = (".json", ".jsonl", ".csv")  # the most exact first


@dataclass
class Answers:
    """Results of one provider with one prompt. names: of their items, with descriptions where no variable is an id."""

    label: str
    scores: ScoreRows = field(default_factory=ScoreRows)
    names: list[str] = field(default_factory=list)
    descriptions: list[str] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    contents: list[str] = field(default_factory=list)


def recognizes(path: Path) -> bool:
    """Return whether a file is an output of promptfoo, or a folder has one."""
    return any(map(kind_of_file, outputs_in(path)))


def outputs_in(path: Path) -> Iterator[Path]:
    """Yield the file, or those below a folder that are named as an output may be."""
    yield from (file for file in files_below(path) if file.suffix.lower() in ENDINGS or file == path)


def kind_of_file(file: Path) -> str:
    """Return "json", "jsonl" or "csv", "" for a file of another tool."""
    head = head_of(file)
    if head.lstrip()[:1] == b"{":
        if b'"evalId"' in head and b'"results"' in head:
            return "json"
        return "jsonl" if first_row(file).keys() >= SIGNS else ""
    return "csv" if is_promptfoo_csv(file) else ""


def read(path: Path, options: ReadOptions) -> list[Log]:
    """Return a log for each provider; where a provider has several prompts, for each of them. Raises LogError.

    Of files in one folder with one name, which are one run in several formats, the most exact is read.
    """
    runs: dict[tuple[Path, str], Path] = {}
    for file in sorted(filter(kind_of_file, outputs_in(path)), key=exactness):
        runs.setdefault((file.parent, file.stem), file)
    return read_each(runs.values(), lambda file: logs_of(file, options))


def exactness(file: Path) -> int:
    """Return a number that sorts formats, the most exact first."""
    ending = file.suffix.lower()
    return ENDINGS.index(ending) if ending in ENDINGS else len(ENDINGS)


def logs_of(file: Path, options: ReadOptions) -> list[Log]:
    """Return the logs of one file."""
    kind = kind_of_file(file)
    answers: dict[tuple[str, str], Answers] = {}
    broken: list[str] = []
    task = ""
    for where, result in results_of(file, kind):
        if isinstance(result, Broken):
            broken.append(f"{where} ({result.why})")
        elif where == "description":
            task = label_of(result)
        else:
            add(answers, file, where, result, options)
    if not answers:
        raise log_error(file, broken[0] if broken else "", "there is no result")
    prompts: dict[str, int] = {}
    for provider, _ in answers:
        prompts[provider] = prompts.get(provider, 0) + 1
    notes = [left_out(broken, "being no whole JSON", "line")] if broken else []
    if kind == "csv":
        notes.append("promptfoo rounds scores in a CSV to two decimals: its JSON has them whole")
    return [
        log_of(
            file, f"{provider}, prompt {one.label}" if prompts[provider] > 1 else provider, task, one, notes, options
        )
        for (provider, _), one in answers.items()
    ]


def results_of(file: Path, kind: str) -> Iterator[tuple[str, Any]]:
    """Yield (place, result) of a file, and ("description", text) of the evaluation. Raises LogError."""
    if kind == "csv":
        yield from results_of_csv(file)
    elif kind == "jsonl":
        yield from ((f"line {number}", row) for number, row in json_lines(file))
    else:
        number = 0
        wanted = [("config", "description"), ("results", "version")]
        for keys, value in members(file, wanted, [("results", "results")]):
            if keys == ("results", "version"):
                if value != VERSION:
                    raise log_error(file, "results.version", f"{value!r} is not known: version {VERSION} is read")
            elif keys == ("config", "description"):
                yield "description", value
            else:
                yield f"result {number}", as_object(value)
                number += 1


def add(
    answers: dict[tuple[str, str], Answers], file: Path, where: str, result: Mapping[str, Any], options: ReadOptions
) -> None:
    """Add a result to those of its provider and prompt."""
    provider, prompt = as_object(result.get("provider")), as_object(result.get("prompt"))
    name = label_of(provider.get("label")) or label_of(provider.get("id"))
    if not name or "testIdx" not in result:
        raise log_error(file, where, "names no provider or no test (testIdx): is it of promptfoo?")
    own = prompt.get("label") or prompt.get("raw") or ""
    label = label_of(own) or label_of(result.get("promptIdx"))
    one = answers.setdefault((name, label), Answers(label[:80]))
    variables, test = as_object(result.get("vars")), as_object(result.get("testCase"))
    named = {**variables, **as_object(test.get("metadata"))}
    fields = {**result, **variables}
    one.names.append(label_of(at_path(fields, options.id_field)) if options.id_field else first_label(named, ID_FIELDS))
    description = label_of(test.get("description"))
    one.descriptions.append("" if NUMBERED.fullmatch(description) else description)
    one.clusters.append(
        label_of(at_path(fields, options.cluster_field))
        if options.cluster_field
        else first_label(named, CLUSTER_FIELDS)
    )
    one.tests.append(label_of(result["testIdx"]))
    raw = prompt.get("raw")
    one.prompts.append(digest_of(raw) if isinstance(raw, str) and raw else "")
    one.contents.append(digest_of(json.dumps(variables, sort_keys=True)) if variables else "")
    values = {**as_object(result.get("namedScores")), **{field: result.get(field) for field in OWN if field in result}}
    one.scores.add(
        values, (label_of(result.get("error")) or "promptfoo says there was an error") if has_failed(result) else ""
    )


def has_failed(result: Mapping[str, Any]) -> bool:
    """Return whether a result has no score because of an error."""
    if "failureReason" in result:
        return bool(result["failureReason"] == ERROR)
    return bool(label_of(result.get("error"))) and not result.get("gradingResult")


def log_of(file: Path, model: str, task: str, one: Answers, notes: list[str], options: ReadOptions) -> Log:
    """Return the log of one provider's answers."""
    require_field(options.id_field, one.names, file)
    require_field(options.cluster_field, one.clusters, file)
    tests = len(set(one.tests))
    described = all_or_none(one.descriptions)
    if described and len(set(described)) < tests:
        described = None  # one description for several tests is no id
    scores = one.scores.scores()
    return Log(
        source=str(file),
        tool=TOOL,
        task=task or TOOL,
        model=model,
        scores={name: scores[name] for name in sorted(scores, key=lambda name: name in OWN)},
        ids=all_or_none(one.names) or described,
        positions=all_or_none(one.tests),
        contents=all_or_none(one.contents),
        prompts=any_or_none(one.prompts),
        clusters=any_or_none(one.clusters),
        repeats=repeats_of(one.tests) if tests < len(one.tests) else None,
        failures=one.scores.failures(),
        notes=[*notes, *note_missing_ids(one.names), *one.scores.notes()],
    )


def repeats_of(tests: list[str]) -> list[str]:
    """Return the number of each row among those of its test, from 0: `--repeat` gives rows with one test index."""
    seen: dict[str, int] = {}
    found = []
    for test in tests:
        found.append(str(seen.get(test, 0)))
        seen[test] = seen.get(test, 0) + 1
    return found
