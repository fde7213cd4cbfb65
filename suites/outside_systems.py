"""Systems that ran elsewhere: their files of predictions, taken into the home once and known by their bytes.

`score SUITE --predictions PATH --name NAME` makes the model `predictions:NAME~DIGEST` of them. It is scored like any
other and never asked; the home keeps the files, so that a worker, a later run and `verify` find them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scrollwork.models.registry import function_name, is_function
from scrollwork.pipeline.design import design_of
from scrollwork.pipeline.errors import StageFailed, UsageError
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.storage.digest import sha256_of
from scrollwork.storage.home import Home
from scrollwork.suites.suite_files import load_models, load_suite

PROVIDER = "predictions"
DIGEST_CHARS = 16
CHUNK = 1 << 20
EXPORTED = "scrollwork"  # how names of exported tasks begin (exchange/task_files/); lm-eval has scrolls_qasper itself
SPLITS = ("train", "validation", "test")  # and how they end
NAME = re.compile(r"(?=.*\S)[^~\"]{1,80}")
SUFFIXES = (".json", ".csv", ".eval", ".jsonl")
SUMS = "SHA256SUMS"
LISTS = ("logs.json", "listing.json", "eval-set.json")  # what inspect writes beside its logs
SAMPLES = re.compile(r"samples_(.+)_\d{4}-\d\d-\d\dT[^_]*\.jsonl")  # of lm-eval
RESULTS = re.compile(r"results_\d{4}-\d\d-\d\dT[^_]*\.json")
PREDICTIONS = "(?:preds?|predictions|generated[_.-]predictions)"
# preds_TASK.json, as the official code; TASK.preds.json, test_TASK_predictions.json
AROUND = re.compile(rf"^(?:{PREDICTIONS}|test|validation)[_.-]|[_.-](?:{PREDICTIONS}|test|validation)$")
BESIDE = (".provenance.jsonl", ".missing.json")  # what `export submission` writes beside its CSV


def is_outside(model: str) -> bool:
    """Whether a model's name is that of a system that ran elsewhere."""
    return model.startswith(f"{PROVIDER}:")


def shown_name(model: str) -> str:
    """Return the name under which a model's rows are shown: for a function, or a system that ran elsewhere, the user's
    own."""
    if is_function(model):
        return function_name(model)
    return model.partition(":")[2].rpartition("~")[0] if is_outside(model) else model


def adopt_predictions(path: str, name: str, suite: str, tasks: Sequence[str], home: Home) -> str:
    """The lasting name of the predictions in a file, or in the files of a folder. suite: its name, or its file. tasks:
    those asked for, () for any.

    Raises UsageError for what cannot be predictions of this suite, StageFailed naming what is wrong in a file.
    """
    config = load_suite(suite)
    suite, known = config.name, config.tasks
    design_of(config).refuse_ids(config, "predictions of another system")
    if not (NAME.fullmatch(name) and name.isprintable()):
        raise UsageError(f"--name {name!r}: 1 to 80 characters, without control characters, quotes and ~")
    if name.partition(":")[0] in load_models():
        raise UsageError(f"--name {name}: is a model of config/models.toml; its rows and these would be one")
    if is_outside(name):
        raise UsageError(f"--name {name}: begins with {PROVIDER}:, as our names of such systems do; leave that out")
    files = [
        {"file": file.name, **copied_file(file, task, home)}
        for file, task in files_of(Path(path).expanduser(), config.file or suite, tasks)
    ]
    counts: Counter[str] = Counter()
    for file in files:
        for task, count in file["tasks"].items():
            if counts[task]:
                raise UsageError(f"--predictions {path}: {task} stands in several files; name one of them")
            counts[task] = count
    if foreign := [task for task in counts if task not in known]:
        named = ", ".join(printable(repr(task), 80) for task in foreign[:5])
        no_task = len(foreign) == len(counts) and all(file["file"].lower().endswith(".json") for file in files)
        ids = "; where these are ids, each must have a string, not an object" if no_task else ""
        raise StageFailed(f"{path}: {suite} has no task {named}; it has: {', '.join(known)}{ids}")
    if lacking := [task for task in tasks if task not in counts]:
        raise UsageError(f"--predictions {path} has nothing for {', '.join(lacking)}; it has: {', '.join(counts)}")
    if not counts:
        raise StageFailed(f"{path}: holds no prediction")
    digest = sha256_of([suite, sorted([file["sha256"], file["task"]] for file in files)])
    write(home.predictions / f"{digest[:DIGEST_CHARS]}.json", noted_predictions({"suite": suite, "files": files}))
    return f"{PROVIDER}:{name}~{digest[:DIGEST_CHARS]}"


def table_of(model: str, home: Home, order: Iterable[str] = ()) -> dict[str, Any]:
    """Return the table of a system: suite, tasks (in this order), files, and the name it is shown under. Raises
    UsageError."""
    digest = model.rpartition("~")[2]
    note = home.predictions / f"{digest}.json"
    held = read_note(note) if re.fullmatch(r"[0-9a-f]{16}", digest) else None
    if held is None:
        raise UsageError(f"model {model!r}: its predictions are not in this home; score --predictions takes them in")
    tasks = [task for file in held["files"] for task in file["tasks"]]
    ordered = [task for task in order if task in tasks] or tasks
    first, *others = held["files"]
    origin = f"{len(others) + 1} files" if others else f"{first['file']} (sha256 {first['sha256'][:12]})"
    of = {"suites": [held["suite"]], "tasks": ordered, "files": held["files"], "origin": origin}
    return {"provider": PROVIDER, "shown": shown_name(model), **of}


def noted_predictions(held: Mapping[str, Any]) -> bytes:
    """What is noted of predictions, with a digest of itself."""
    return json.dumps({**held, "digest": sha256_of(held)}, indent=1, sort_keys=True).encode("utf-8")


def read_note(path: Path) -> dict[str, Any] | None:
    """{suite, files} of predictions; None where the note is gone, or not as it was written."""
    try:
        data = path.read_bytes()
        held = {name: value for name, value in json.loads(data).items() if name != "digest"}
        known = sha256_of([held["suite"], sorted([file["sha256"], file["task"]] for file in held["files"])])
        return held if data == noted_predictions(held) and known.startswith(path.stem) else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def files_of(path: Path, suite: str, tasks: Sequence[str]) -> list[tuple[Path, str]]:
    """(file, task that its name, a log itself or the user says, "" where the rows must say) of a path.

    Raises UsageError, StageFailed for a log that is damaged.
    """
    config = load_suite(suite)
    suite, known = config.name, config.tasks
    if path.is_file():
        if RESULTS.fullmatch(path.name):
            raise UsageError(f"--predictions {path}: lm-eval's scores; its answers are in samples_TASK_WHEN.jsonl")
        return [(path, (tasks[0] if len(tasks) == 1 else "") or task_named(path, known, suite))]
    if not path.is_dir():
        raise UsageError(f"--predictions {path}: there is no such file or folder")
    files, others = sorted_out(path)
    found = [(file, task_named(file, known, suite)) for file in files]
    unnamed = [file.name for file, task in found if file.suffix.lower() != ".csv" and not task]
    if unnamed or not files:
        raise UsageError(
            f"--predictions {path}: a folder holds a file TASK.json or preds_TASK.json a task, or logs of inspect or "
            "lm-eval; " + (f"{', '.join(unnamed[:3])} is of no task of {suite}" if unnamed else nothing_in(others))
        )
    return found


def sorted_out(folder: Path) -> tuple[list[Path], list[str]]:
    """Sort a folder's files: (those to read, names of those passed over). In neither: hidden files, scores of lm-eval,
    and what `export submission` writes beside its CSV."""
    entries = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    files = [path for path in entries if path.suffix.lower() in SUFFIXES and path.is_file()]
    others = [path.name + "/" * path.is_dir() for path in entries if path not in files and path.name != SUMS]
    if any(SAMPLES.fullmatch(file.name) for file in files):
        files = [file for file in files if not RESULTS.fullmatch(file.name)]
    if any(file.suffix == ".eval" for file in files):
        others += [file.name for file in files if file.name in LISTS]
        files = [file for file in files if file.name not in LISTS]
    exported = {file.stem + ending for file in files if file.suffix == ".csv" for ending in BESIDE}
    return [file for file in files if file.name not in exported], others


def nothing_in(others: Sequence[str]) -> str:
    """Say that a folder holds nothing to read. others: what it holds."""
    return f"there is none, only {folder_contents(others)}" if others else "there is none"


def folder_contents(names: Sequence[str]) -> str:
    """Say what a folder holds, and that its subfolders are not searched."""
    inner = "; folders in it are not looked into, name one of them" if any(name[-1] == "/" for name in names) else ""
    return ", ".join(names[:5]) + ", ..." * (len(names) > 5) + inner


def passed_over(path: str) -> list[str]:
    """List the files of a folder of predictions that are not read; [] for a file."""
    place = Path(path).expanduser()
    return sorted_out(place)[1] if place.is_dir() else []


def task_named(file: Path, known: Mapping[str, Any], suite: str) -> str:
    """Return the task that a file's name or an inspect log states, "" for none."""
    ending = file.suffix.lower()
    if ending == ".csv":
        return ""
    if samples := SAMPLES.fullmatch(file.name):
        return task_like(samples[1], known, suite)
    name, shorter = "", file.stem
    while name != shorter:
        name, shorter = shorter, AROUND.sub("", shorter)
    if ending in (".json", ".jsonl") and (task := task_like(name, known, suite)):
        return task
    from scrollwork.scoring.files.eval_logs import task_of_log
    from scrollwork.scoring.files.prediction import SubmissionError

    try:
        with file.open("rb") as stream:
            said = task_of_log(stream)
    except SubmissionError as error:
        raise StageFailed(f"{file}: {error}") from error
    return task_like(said, known, suite)


def task_like(name: str, known: Mapping[str, Any], suite: str) -> str:
    """Return the task that another tool calls by this name (scrolls_govreport, zeroscrolls/gov_report, gov-report; of
    an exported task scrollwork_scrolls_gov_report_test); "" for none."""
    plain = letters_and_digits(name)
    by_name = {letters_and_digits(task): task for task in known}
    own = letters_and_digits(f"{EXPORTED}{suite}")
    if plain.startswith(own):
        plain = plain.removeprefix(own)
        of_split = {f"{task}{split}": by_name[task] for task in by_name for split in SPLITS}
        return of_split.get(plain, "")
    return by_name.get(plain) or by_name.get(plain.removeprefix(letters_and_digits(suite)), "")


def letters_and_digits(name: str) -> str:
    """Keep letters and digits only, in lower case."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def copied_file(file: Path, task: str, home: Home) -> dict[str, Any]:
    """Copy a file into the home and read the copy: {sha256, bytes, task, tasks: predictions by task}."""
    from scrollwork.scoring.files.prediction import SubmissionError  # models that are asked need none
    from scrollwork.scoring.files.submissions import predictions

    digest = hashlib.sha256()
    folder = home.predictions
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f".tmp-{os.getpid()}"
    try:
        with file.open("rb") as source, partial.open("wb") as copy:
            while chunk := source.read(CHUNK):
                digest.update(chunk)
                copy.write(chunk)
        sha256 = digest.hexdigest()
        with partial.open("rb") as stream:
            try:
                tasks = Counter(row.task for row in predictions(stream, task))
            except SubmissionError as error:
                raise StageFailed(f"{file}: {error}") from error
        size = partial.stat().st_size
        partial.replace(folder / sha256)
    finally:
        partial.unlink(missing_ok=True)
    return {"sha256": sha256, "bytes": size, "task": task, "tasks": dict(tasks)}


def write(path: Path, data: bytes) -> None:
    """Write a small file, whole or not at all."""
    partial = path.with_name(f".tmp-{os.getpid()}-{path.name}")
    partial.write_bytes(data)
    partial.replace(path)
