"""Logs of lm-evaluation-harness (`--log_samples`): samples files and the results files beside them.

Checked with 0.4.2 and 0.4.13, which is not needed here. docs/logs.md has the rules.

- OUT/<model>/results_<time>.json and samples_<task>_<time>.jsonl, a row a document and filter; several runs in a folder
  are told apart by the time. The rows of all filters become one row, the filter a part of the metric's name.
- Between 0.4.2 and 0.4.3 (June 2024, the details of Open LLM Leaderboard 2): samples_<task>_<time>.json.
- 0.4.2: results.json and <model>_<arguments>_<task>.jsonl, which is one JSON array whose rows name no filter.
- Lines end in \\n alone: texts may hold U+2028 and U+0085. A file is opened for appending, so that two runs that end
  at one time leave one file. A last line that was cut is left out and named.
- doc_id is a place in the order of the run, no identity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from scrollwork.analysis.logs.log import Log, ReadOptions, log_error
from scrollwork.exchange.logs.gather import read_each
from scrollwork.exchange.logs.json_pieces import Reader, file_pieces, lines, parsed
from scrollwork.exchange.logs.lm_eval.results import Results, read_results
from scrollwork.exchange.logs.lm_eval.rows import Rows

HEAD = 4096  # bytes by which a file is recognized
MOST_LINE = 1 << 26  # bytes of the first line that are looked at
MOST_FILES = 10_000  # of a folder that are looked at
ROW = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{\s*"doc_id":\s*\d+,\s*"doc":')
RESULTS = re.compile(rb'\s*\{\s*"results":\s*\{')
TIMED = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl?")
SAMPLES = ("*.jsonl", "samples_*.json")  # names of samples files; .json between 0.4.2 and 0.4.3
# results_TIME.json, or NAME_TIME.json after `--output_path NAME.json`
TIMED_RESULTS = re.compile(r".+_(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.json")


def recognizes(path: Path) -> bool:
    """Return whether a file is a samples or results file of lm-eval by its content, or a folder holds one."""
    return bool(_samples_of(path))


def read(path: Path, options: ReadOptions) -> list[Log]:
    """Read a samples file, those of a results file, or those of a folder and the folders in it: a Log for each.

    A file that is no such log, is damaged, or has no scores of single documents (perplexity of a corpus) is named in
    notes of the others. Raises LogError where there are no others.
    """
    files = _samples_of(path)
    if not files:
        raise log_error(path, "", "holds no samples of lm-eval; was it run with --log_samples?")
    return read_each(files, lambda file: [_read_file(file, options)])


def _samples_of(path: Path) -> list[Path]:
    """Return the samples files that a path means."""
    if path.is_dir():
        files = _named(path)
        own = [file for file in files if _is_samples(file)]
        # one that says by its name that it is lm-eval's, but is empty or damaged, is named beside the others
        return [file for file in files if file in own or TIMED.fullmatch(file.name)] if own else []
    if _is_samples(path):
        return [path]
    if not _is_results(path):
        return []
    timed = TIMED_RESULTS.fullmatch(path.name)
    beside = sorted(file for name in SAMPLES for file in path.parent.glob(name))[:MOST_FILES]
    return [file for file in beside if _time(file) == (timed["time"] if timed else "") and _is_samples(file)]


def _named(folder: Path) -> list[Path]:
    """Return the files of a folder and of the folders in it that are named as samples may be."""
    found = [file for name in SAMPLES for file in (*folder.glob(name), *folder.glob(f"*/{name}"))]
    return sorted(one for one in found if one.is_file())[:MOST_FILES]


def _is_samples(path: Path) -> bool:
    """Return whether a file begins with a row of lm-eval."""
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD)
            if ROW.match(head):
                return True
            if not head.lstrip().startswith(b"{"):
                return False
            stream.seek(0)
            first = stream.readline(MOST_LINE)
        row = parsed(first) if b'"doc_id"' in first else None  # the fields in another order
    except (OSError, ValueError):
        return False
    return isinstance(row, dict) and {"doc_id", "doc"} <= row.keys() and bool({"resps", "filtered_resps"} & row.keys())


def _is_results(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            if not RESULTS.match(stream.read(HEAD)):
                return False
        held = read_results(path, path.parent).held
    except (OSError, ValueError):  # LogError is a ValueError
        return False
    return isinstance(held.get("configs"), dict) and "versions" in held


def _time(path: Path) -> str:
    match = TIMED.fullmatch(path.name)
    return match["time"] if match else ""


def _read_file(path: Path, options: ReadOptions) -> Log:
    notes: list[str] = []
    results = _results_beside(path, notes)
    timed = TIMED.fullmatch(path.name)
    task = results.task_named(timed["task"]) if timed else results.task_at_end(path.stem) or path.stem
    rows = Rows(path, task, results, options)
    with path.open("rb") as stream:
        array = stream.read(HEAD).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")
        stream.seek(0)
        for where, row in _array(stream, path) if array else _lines(stream, path, notes):
            rows.add(row, where)
    if not len(rows):
        raise log_error(path, "", "has no rows")
    return rows.log(notes)


def _results_beside(path: Path, notes: list[str]) -> Results:
    """Return the results file of a samples file's run, an empty one if it is not there."""
    time = _time(path)
    beside = path.parent / (f"results_{time}.json" if time else "results.json")
    named = [] if beside.is_file() or not time else sorted(path.parent.glob(f"*_{time}.json"))
    beside = next(filter(_is_results, named), beside)
    if beside.is_file():
        return read_results(beside, path.parent)
    notes.append(f"{beside.name} is not beside the samples: settings, aggregations and the model's name are not known")
    return Results({}, path.parent.name)


def _lines(stream: IO[bytes], path: Path, notes: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield (where, row) of each line; a last line that was cut is noted. Raises LogError for another bad line."""
    cut: tuple[int, str] | None = None
    for number, line in lines(stream, path):
        if cut:
            break
        try:
            yield f"line {number}", parsed(line)
        except ValueError as error:
            cut = number, str(error)
    else:
        stream.seek(-1, 2)
        if cut and stream.read(1) != b"\n":
            notes.append(f"line {cut[0]:,}, the last, is cut and was left out")
            return
    if cut:
        raise log_error(path, f"line {cut[0]:,}", f"is not JSON: {cut[1]}; run it again or remove the line")


def _array(stream: IO[bytes], path: Path) -> Iterator[tuple[str, Any]]:
    """Yield (where, row) of each element of a file that is one array."""
    for number, row in enumerate(Reader(file_pieces(stream), path).elements(), start=1):
        yield f"row {number}", row
