"""Export scored results as a folder of files for another tool: lm-evaluation-harness, inspect_ai, Every Eval Ever.

The folder is written whole or not at all, with the sha256 of its files in SHA256SUMS. Inputs are streamed: one prompt
is in memory at a time, whatever the number of inputs and models.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrollwork.exchange.scored_results import Scored, ScoredResults, scored_answers
from scrollwork.pipeline import progress
from scrollwork.records.run_score import RunScore
from scrollwork.reporting.exchange import every_eval_ever, inspect_log, lm_eval_files
from scrollwork.reporting.exchange.system import Item, Trial
from scrollwork.storage.digest import sha256_file
from scrollwork.storage.folder import files_below, whole_folder

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain

SUMS = "SHA256SUMS"
HEAD = "# written by scrollwork export"
PACK = 1  # compression level: 5 times as fast as 6, a fifth larger
OF_RUNS = ("inspect",)  # formats that can hold runs, each in its own file
EPOCH = (1980, 1, 1, 0, 0, 0)  # fixed date of files in an archive, so that equal scores give equal bytes


@dataclass(frozen=True)
class Exported:
    """What was written. lacking, notes: see `ScoredResults`. unanswered: number of inputs by "model, task"."""

    files: tuple[Path, ...]
    lacking: tuple[str, ...]
    notes: tuple[str, ...]
    unanswered: Mapping[str, int]


def export_trials(kind: str, chain: Chain, out: Path) -> Exported:
    """Write a folder in a format: a key of WRITERS. Raises UsageError, StageFailed, StorageError."""
    chain.design.refuse_ids(chain.request.config, f"export {kind}", runs=kind in OF_RUNS)
    found = scored_answers(chain)
    with whole_folder(out, is_ours) as folder:
        WRITERS[kind](found, folder)
        names = write_checksums(folder, kind)
    return Exported(tuple(out / name for name in names), found.lacking, found.notes, count_unanswered(found))


def write_checksums(folder: Path, kind: str) -> list[str]:
    """Write SHA256SUMS of a folder's files. Returns the names of all files, SHA256SUMS last."""
    names = files_below(folder)
    sums = [f"{HEAD} {kind}\n", *(f"{sha256_file(folder / name)}  {name}\n" for name in names)]
    (folder / SUMS).write_text("".join(sums), encoding="utf-8")
    return [*names, SUMS]


def is_ours(folder: Path, path: str) -> bool:
    """Whether a file in a folder is part of an earlier export, according to its SHA256SUMS."""
    try:
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return lines[:1] != [] and lines[0].startswith(HEAD) and (path == SUMS or path in {line[66:] for line in lines[1:]})


def count_unanswered(found: ScoredResults) -> dict[str, int]:
    """Number of inputs that a member has not answered, by "model, task"."""
    return {
        f"{member}, {one.node.label('task')}": row.coverage.expected - row.coverage.answered
        for one in found.scored
        for member, row in one.rows.items()
        if row.coverage.expected > row.coverage.answered
    }


def items_with_progress(one: Scored, member: str, kind: str, run: RunScore | None = None) -> Iterator[Item]:
    """Yield the items of a member, or of one of its runs, and report progress."""
    total = len(one.ids(run))
    for done, item in enumerate(one.items(member, run), start=1):
        yield item
        if done % 100 == 0:
            progress.tell(f"{kind} {one.node.label('task')}, {member}", done, total)


def write_inspect(found: ScoredResults, folder: Path) -> None:
    """Write DEVELOPER/MODEL/WHEN_TASK_ID.eval: one log for each member, task, split, arm and (SEAM) run."""
    for member, listed in found.members.items():
        for one, run in ((of, run) for of in listed for run in of.each_run(member)):
            trial = one.trial(member, run)
            place = folder / trial.system.developer / trial.system.short
            place.mkdir(parents=True, exist_ok=True)
            write_log(
                place / inspect_log.file_name(trial),
                trial,
                one.ids(run),
                items_with_progress(one, member, "inspect", run),
            )


def write_log(path: Path, trial: Trial, ids: Sequence[str], items: Iterator[Item]) -> None:
    """Write one log. ids: of all its inputs. The header is written last: a log without it is unfinished."""
    begun = inspect_log.start(trial, ids)
    summaries: list[dict[str, Any]] = []
    usage: dict[str, int] = {}
    with zipfile.ZipFile(path, "w") as archive:
        archive_member(archive, "_journal/start.json", begun)
        for item in items:
            if item.response is None and item.failure is None:
                continue
            made = inspect_log.sample(trial, item)
            archive_member(archive, f"samples/{made['id']}_epoch_{made['epoch']}.json", made)
            summaries.append(inspect_log.summary(trial, item))
            for used in made["model_usage"].values():
                usage = {name: usage.get(name, 0) + used.get(name, 0) for name in {*usage, *used}}
        archive_member(archive, "summaries.json", summaries)
        archive_member(archive, "header.json", inspect_log.header(trial, begun, dict(sorted(usage.items()))))


def archive_member(archive: zipfile.ZipFile, name: str, value: Any) -> None:
    """Write a file into the archive, with a fixed date."""
    info = zipfile.ZipInfo(name, EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    archive.writestr(info, json.dumps(value, ensure_ascii=False).encode("utf-8"), compresslevel=PACK)


def write_lm_eval(found: ScoredResults, folder: Path) -> None:
    """Write MODEL/results_WHEN.json and MODEL/samples_TASK_WHEN.jsonl: one folder for each member."""
    for member_name, listed in found.members.items():
        trials = [one.trial(member_name) for one in listed]
        system = trials[0].system
        ended = max(trial.ended for trial in trials)
        when = lm_eval_files.date_id(ended)
        place = folder / lm_eval_files.folder_name(system)
        place.mkdir()
        hashes = {}
        for one, trial in zip(listed, trials, strict=True):
            name = lm_eval_files.task_name(trial)
            digest = hashlib.sha256()
            with (place / f"samples_{name}_{when}.jsonl").open("w", encoding="utf-8", newline="\n") as stream:
                for item in items_with_progress(one, member_name, "lm-eval"):
                    if (row := lm_eval_files.sample(trial, item)) is not None:
                        digest.update("".join(row[f"{what}_hash"] for what in ("doc", "prompt", "target")).encode())
                        stream.write(json.dumps(row, ensure_ascii=False) + "\n")
                empty = not stream.tell()
            if empty:  # no reference is public
                (place / f"samples_{name}_{when}.jsonl").unlink()
                continue
            hashes[name] = digest.hexdigest()
        seconds = sum(float(one.aggregate.run().get("seconds", 0.0)) for one in listed)
        value = lm_eval_files.results(system, trials, hashes, ended, seconds)
        text = json.dumps(value, indent=2, ensure_ascii=False)
        (place / f"results_{when}.json").write_text(text, encoding="utf-8", newline="\n")


def write_eee(found: ScoredResults, folder: Path) -> None:
    """Write data/SUITE/DEVELOPER/MODEL/UUID.json and UUID_samples.jsonl: one record for each member."""
    for member_name, listed in found.members.items():
        trials = [one.trial(member_name) for one in listed]
        system = trials[0].system
        place = every_eval_ever.folder(system, trials[0].suite)
        record_id = every_eval_ever.record_id(trials)
        evaluation = every_eval_ever.evaluation_id(system, trials)
        (folder / place).mkdir(parents=True, exist_ok=True)
        name = f"{place}/{record_id}_samples.jsonl"
        digest, count = hashlib.sha256(), 0
        with (folder / name).open("wb") as stream:
            for one, trial in zip(listed, trials, strict=True):
                for item in items_with_progress(one, member_name, "eee"):
                    if (row := every_eval_ever.instance(trial, item, evaluation)) is not None:
                        line = json.dumps(row, allow_nan=False).encode("ascii") + b"\n"
                        digest.update(line)
                        stream.write(line)
                        count += 1
        if not count:
            (folder / name).unlink()
        samples = {"file_path": name, "checksum": digest.hexdigest(), "total_rows": count} if count else {}
        value = every_eval_ever.record(system, trials, samples)
        text = json.dumps(value, indent=1, allow_nan=False)
        (folder / place / f"{record_id}.json").write_text(text + "\n", encoding="utf-8", newline="\n")


WRITERS: Mapping[str, Callable[[ScoredResults, Path], None]] = {
    "inspect": write_inspect,
    "lm-eval": write_lm_eval,
    "eee": write_eee,
}
