"""`export submission`: write a model's answers as the leaderboard's CSV, with lists of sources and missing answers.

The CSV is read back after writing, to check that no byte of an answer changed."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrollwork.exchange.export_logs import HEAD, SUMS, is_ours
from scrollwork.exchange.scored_results import Scored, scored_answers
from scrollwork.pipeline.errors import StageFailed, UsageError
from scrollwork.readings.results import Results
from scrollwork.records.base import canonical_json
from scrollwork.records.example import Example
from scrollwork.records.response import Response
from scrollwork.scoring.files.submission_csv import HEADER, NOTHING, line
from scrollwork.scoring.files.submissions import predictions
from scrollwork.storage.digest import sha256_file
from scrollwork.storage.errors import StorageError, naming_full_disks
from scrollwork.storage.folder import files_below, whole_folder
from scrollwork.suites.parts import Part

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain

SHOWN = 5  # ids named in a message


@dataclass
class Submission:
    """What was written. missing: ids without an answer, by task. absent: tasks without any row in the file. unreadable:
    "task, id" of answers that the official reader takes for missing. filled: empty answers were written for missing
    ones."""

    rows: int = 0
    answered: int = 0
    missing: dict[str, list[str]] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    filled: bool = False
    limit: int = 0
    files: list[Path] = field(default_factory=list)

    @property
    def partial(self) -> bool:
        """Whether the leaderboard would miss something."""
        return bool(self.missing or self.absent or self.unreadable)

    @property
    def told(self) -> dict[str, Any]:
        """As --json and the file of missing answers show it."""
        names = ("rows", "answered", "filled", "missing", "absent", "unreadable")
        return {name: getattr(self, name) for name in names}

    @property
    def lines(self) -> Iterator[str]:
        """Messages about what is missing."""
        what = "an empty answer, which counts 0, stands for each" if self.filled else "no row stands for them"
        for task, ids in self.missing.items():
            more = ", ..." if len(ids) > SHOWN else ""
            yield f"missing: {task}: {len(ids):,} inputs without an answer ({', '.join(ids[:SHOWN])}{more}); {what}"
        if self.absent:
            yield f"tasks that are not in the file: {', '.join(self.absent)}; the leaderboard refuses it"
        for name in self.unreadable:
            yield f"{name}: its answer {NOTHING!r} is what the official reader takes for none"
        if self.limit:
            yield f"--limit {self.limit}: the leaderboard expects every input"


def export_submission(chain: Chain, out: Path, *, fill: bool) -> Submission:
    """Write FILE.csv, or a folder with a file of the official name. fill: write an empty answer for a missing one.

    Raises UsageError for more than one system, StageFailed if nothing is scored or the file does not read back.
    """
    request = chain.request
    chain.design.refuse_ids(request.config, "export submission")
    if len(request.models) > 1 or len(request.chosen_arms()) > 1 or len(request.chosen_splits()) > 1:
        raise UsageError("a submission is of one model, arm and split: name one")
    found = scored_answers(chain)
    chain, request = chain.other(found.request), found.request
    if len(found.members) > 1:
        first = next(iter(found.members))
        family = f"{request.models[0]} is a family of {len(found.members)}"
        raise UsageError(f"{family}; run and export one: --model {first}")
    (member,) = found.members
    by_task = {one.node.label("task"): one for one in found.scored}
    made = Submission(filled=fill, limit=request.limit or 0)
    name = request.config.submission
    if out.suffix.lower() != ".csv":
        with whole_folder(out, is_ours) as folder:
            write(folder, name, chain, by_task, member, made)
            names = files_below(folder)
            sums = [f"{HEAD} submission\n", *(f"{sha256_file(folder / one)}  {one}\n" for one in names)]
            (folder / SUMS).write_text("".join(sums), encoding="utf-8")
        made.files = [out / one for one in sorted([*names, SUMS], key=lambda one: one != name)]
        return made
    if out.is_dir():
        raise StorageError(f"{out}: is a folder")
    out.parent.mkdir(parents=True, exist_ok=True)
    with naming_full_disks("the submission", str(out)), tempfile.TemporaryDirectory(dir=out.parent) as temporary:
        folder = Path(temporary)
        write(folder, out.name, chain, by_task, member, made)
        for stale in (out.with_suffix(ending) for ending in (".missing.json", ".provenance.jsonl")):
            stale.unlink(missing_ok=True)
        for one in reversed(files_below(folder)):
            os.replace(folder / one, out.parent / one)
            made.files.insert(0, out.parent / one)
    made.files.sort(key=lambda path: path != out)
    return made


def write(folder: Path, name: str, chain: Chain, by_task: Mapping[str, Scored], member: str, made: Submission) -> None:
    """Write the CSV, the sources of its answers (.provenance.jsonl) and what is missing (.missing.json); read it
    back."""
    path = folder / name
    written = hashlib.sha256()
    traced = path.with_suffix(".provenance.jsonl")
    with path.open("w", encoding="utf-8", newline="") as stream, traced.open("w", encoding="utf-8") as traces:
        stream.write(HEADER)
        for task in chain.request.config.submission_order:
            one = by_task.get(task)
            rows = missing_task(chain, task, made) if one is None else answers(one, member, task, made)
            for example_id, text, trace in rows:
                stream.write(line(task, example_id, text))
                written.update(digest_row(task, example_id, text))
                traces.write(canonical_json({"task": task, "id": example_id, **trace}) + "\n")
                made.rows += 1
    back = hashlib.sha256()
    with path.open("rb") as read:
        for row in predictions(read):
            back.update(digest_row(row.task, row.id, row.text))
    if back.digest() != written.digest():
        raise StageFailed(f"{name}: does not read back as it was written")
    if made.partial:
        listed = json.dumps(made.told, indent=1, ensure_ascii=False)
        path.with_suffix(".missing.json").write_text(listed + "\n", encoding="utf-8")


def answers(one: Scored, member: str, task: str, made: Submission) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield (id, answer, source) for a task's inputs in order, and note missing ones in `made`."""
    came: dict[str, Response] = {row.example_id: row for row in one.answers(member)}
    columns = ["example_id", "prompt_sha256"]
    prompts = {
        row["example_id"]: row["prompt_sha256"]
        for shard in one.inputs.each("prompts")
        for row in shard.columns("prompts", columns)
    }
    for example in one.inputs["sample"].rows("examples", Example):
        name = example.example_id
        trace: dict[str, Any] = {"prompt_sha256": prompts.get(name), "document_sha256": list(example.document_ids)}
        if name in came:
            made.answered += 1
            text = one.read(came[name])
            if text == NOTHING:
                made.unreadable.append(f"{task}, {name}")
            more = {"request_key": came[name].request_key, "finish_reason": came[name].ended}
            yield name, text, {**trace, **more, "answers": one.made["answers"]}
            continue
        made.missing.setdefault(task, []).append(name)
        if made.filled:
            yield name, "", {**trace, "request_key": None, "missing": True}


def missing_task(chain: Chain, task: str, made: Submission) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """`answers` for a task without any answer. If it was requested and is built, its ids are missing."""
    request = chain.request
    if request.tasks and task not in request.tasks:
        made.absent.append(task)
        return
    part = Part(request, request.config.tasks[task], request.chosen_splits()[0])
    sampled = Results(chain).artifact(chain.sample(part))
    if sampled is not None:
        made.missing[task] = [row["example_id"] for row in sampled.columns("examples", ["example_id"])]
    if sampled is None or not made.filled:
        made.absent.append(task)
        return
    yield from ((name, "", {"request_key": None, "missing": True}) for name in made.missing[task])


def digest_row(task: str, name: str, text: str) -> bytes:
    """A row as bytes for the digest that compares what was written and read back."""
    return canonical_json([task, name, text]).encode("utf-8") + b"\n"
