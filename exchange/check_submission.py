"""Run the official checks of a submission against a suite's example ids; samples are built if they are missing."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrollwork.pipeline.engines.inline import run_inline
from scrollwork.pipeline.errors import UsageError
from scrollwork.readings.results import Results
from scrollwork.scoring.files.prediction import packed_file_hint
from scrollwork.scoring.files.submission_csv import CheckedFile, Finding, check
from scrollwork.suites.parts import Part

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain


@dataclass(frozen=True)
class Verdict:
    """Result of the checks. rows: of the file. expected: number of ids by task. findings: what is wrong."""

    rows: int
    expected: dict[str, int]
    findings: tuple[Finding, ...]

    def to_json(self) -> dict[str, Any]:
        """As --json prints it: {ok, errors: [{kind, task, where, message, ids}], rows, expected}."""
        errors = [finding.to_json() for finding in self.findings]
        return {"ok": not errors, "errors": errors, "rows": self.rows, "expected": self.expected}


def check_submission(chain: Chain, file: Path) -> Verdict:
    """Check a file. A task that cannot be built cannot be checked, and is a finding. Raises UsageError."""
    request = chain.request
    chain.design.refuse_ids(request.config, "check-submission")
    if len(request.chosen_splits()) > 1:
        raise UsageError("a submission is of one split: name one with --split")
    if not file.is_file():
        what = "is a folder; name the CSV in it" if file.is_dir() else "there is no such file"
        raise UsageError(f"{file}: {what}")
    (split,) = request.chosen_splits()
    nodes = {task.name: chain.sample(Part(request, task, split)) for task in request.chosen_tasks()}
    finished = {one.node.name: one for one in run_inline(chain.plan([*nodes.values()]))}
    results = Results(chain)
    expected: dict[str, list[str]] = {}
    unknown = []
    for task in (name for name in request.config.submission_order if name in nodes):
        artifact = results.artifact(nodes[task])
        if artifact is None:
            why = finished[nodes[task].name].error
            unknown.append(Finding("unknown", f"cannot be checked, it is not built: {why}", task))
        expected[task] = (
            [] if artifact is None else [r["example_id"] for r in artifact.columns("examples", ["example_id"])]
        )
    with file.open("rb") as stream:
        found = check_rows(stream, expected, [finding.task for finding in unknown])
    return Verdict(found.rows, {task: len(ids) for task, ids in expected.items()}, (*found.findings, *unknown))


def check_rows(stream: Any, expected: dict[str, list[str]], unknown: list[str]) -> CheckedFile:
    """Check the file. unknown: tasks that are not built, whose ids count neither as missing nor as redundant."""
    first = stream.read(64)
    stream.seek(0)
    if problem := packed_file_hint(first):
        return CheckedFile(findings=[Finding("encoding", problem)])
    start = first.removeprefix(codecs.BOM_UTF8).lstrip()
    if start[:1] in (b"{", b"["):
        problem = "is JSON; the leaderboard takes a CSV (`score SUITE --predictions` reads JSON)"
        return CheckedFile(findings=[Finding("columns", problem)])
    found = check(stream, expected)
    found.findings = [one for one in found.findings if one.kind != "redundant" or one.task not in unknown]
    return found
