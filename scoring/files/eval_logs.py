"""Logs of other evaluation tools as predictions: inspect_ai (.eval, .json) and lm-evaluation-harness (samples_*.jsonl).

Neither tool needs to be installed. An input is identified by its id: the sample's in inspect, the document's `id` in
lm-eval, whose `doc_id` is only a position in that run's order. Ambiguity is an error, never a guess: several epochs or
repeats of an input, log-likelihoods instead of text, a task without a name.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

from scrollwork.scoring.files.pairs import PairError, kind_of, read_pairs
from scrollwork.scoring.files.prediction import Prediction, SubmissionError, printable, quoted_excerpt

ZIP = b"PK\x03\x04"
ZSTD = 93  # the zip method of inspect since 0.3.18x; zipfile supports it only from Python 3.14 on
MOST = 1 << 30  # bytes of one unpacked sample: far above a document and an answer, far below a zip bomb
LM_EVAL = {"doc_id", "doc", "resps"}  # fields that identify a line of a samples file
LINE = 1 << 26  # bytes of the first line that are read
STOPS = {"max_tokens": "length", "model_length": "context", "content_filter": "filtered"}
ATTACHED = "attachment://"
# raised while unpacking damaged bytes; OSError and ValueError by Arrow too
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, LookupError)


def task_of_log(stream: IO[bytes]) -> str:
    """Return the task that an inspect log names, or "" if it names none or the file is not such a log.

    stream: opened in binary, and rewound. Raises SubmissionError for a damaged archive.
    """
    start = stream.read(64)
    stream.seek(0)
    try:
        if start.startswith(ZIP):
            with zipfile.ZipFile(stream) as archive:
                return _task(_header(archive))
        log = whole_log(stream) if start.lstrip()[:1] == b"{" else None
        return _task(log) if log is not None else ""
    except SubmissionError:
        raise
    except DAMAGED as error:
        raise SubmissionError(f"is not an inspect log, or is damaged: {error}") from None
    finally:
        stream.seek(0)


def is_samples(stream: IO[bytes]) -> bool:
    """Return whether the first line is that of an lm-eval samples file; the stream is rewound."""
    first = stream.readline(LINE)
    stream.seek(0)
    if b'"doc_id"' not in first:
        return False
    try:
        row = json.loads(first.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return False
    return isinstance(row, dict) and row.keys() >= LM_EVAL


def whole_log(stream: IO[bytes]) -> dict[str, Any] | None:
    """Return an inspect log that is one JSON file, or None for other JSON; the stream is rewound."""
    head = stream.read(1 << 16)
    stream.seek(0)
    if b'"eval"' not in head or b'"version"' not in head[:200]:
        return None
    try:
        held = json.loads(stream.read().decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    finally:
        stream.seek(0)
    return held if isinstance(held, dict) and isinstance(held.get("eval"), dict) and "samples" in held else None


def of_archive(stream: IO[bytes], task: str) -> Iterator[Prediction]:
    """Yield the answers of an `.eval` log, ordered by the names of its samples. Raises SubmissionError.

    task: "" for the one that the log names.
    """
    try:
        with zipfile.ZipFile(stream) as archive:
            own = task or _task(_header(archive))
            last = {entry.filename: entry for entry in archive.infolist()}  # the last of a name counts, as in inspect
            for name in sorted(last):
                if name.startswith("samples/") and name.endswith(".json"):
                    yield from _sample(_json(archive, last[name]), own, name)
    except SubmissionError:
        raise
    except DAMAGED as error:
        raise SubmissionError(f"is not an inspect log, or is damaged: {error}") from None


def of_whole(held: Mapping[str, Any], task: str) -> Iterator[Prediction]:
    """Yield the answers of a log that is one JSON file. task: "" for the one that it names. Raises SubmissionError."""
    samples = held.get("samples") or []
    if not isinstance(samples, list):
        raise SubmissionError(f"samples: must be a list, is {kind_of(samples)}")
    for number, sample in enumerate(samples, start=1):
        yield from _sample(sample, task or _task(held), f"sample {number}")


def of_samples(stream: Iterable[bytes], task: str) -> Iterator[Prediction]:
    """Yield the answers of an lm-eval samples file, line by line; several filters of one response give one answer.

    Takes the raw response, not a filter's result: our metrics parse answers themselves. Raises SubmissionError.
    """
    seen: dict[str, tuple[Any, str]] = {}
    try:
        for number, row in enumerate(read_pairs(stream), start=1):
            where = f"line {number}"
            doc = row.get("doc")
            name = doc.get("id") if isinstance(doc, dict) else None
            if not isinstance(name, (str, int)) or isinstance(name, bool):
                raise SubmissionError(
                    f"{where}: doc has no id; doc_id is a place in its order, which says nothing here"
                )
            text = _response(row, where)
            known = seen.setdefault(str(name), (row.get("filter"), text))
            if known != (row.get("filter"), text) and known[0] != row.get("filter") and known[1] == text:
                continue  # the same response through another filter
            yield Prediction(task, printable(str(name)), printable(text), where)
    except PairError as error:
        raise SubmissionError(str(error)) from None


def _response(row: Mapping[str, Any], where: str) -> str:
    responses = row.get("resps")
    if not isinstance(responses, list) or len(responses) != 1 or not isinstance(responses[0], list):
        raise SubmissionError(
            f"{where}: resps must hold one list of texts; several requests per input are log-likelihoods"
        )
    repeats = responses[0]
    if len(repeats) != 1:
        raise SubmissionError(f"{where}: {len(repeats)} repeats of one input; a system answers once")
    if not isinstance(repeats[0], str):
        raise SubmissionError(f"{where}: the response must be a string, not {kind_of(repeats[0])} (a log-likelihood?)")
    return repeats[0]


def _sample(sample: Any, task: str, where: str) -> Iterator[Prediction]:
    if not isinstance(sample, dict):
        raise SubmissionError(f"{where}: must be an object, is {kind_of(sample)}")
    name, epoch = sample.get("id"), sample.get("epoch", 1)
    if not isinstance(name, (str, int)) or isinstance(name, bool):
        raise SubmissionError(f"{where}: id must be a string or a number, is {kind_of(name)}")
    if epoch != 1:
        raise SubmissionError(
            f"{where}: {task}, id {quoted_excerpt(str(name))} has an epoch {epoch}; a system answers once"
        )
    if problem := _problem(sample):
        yield Prediction(task, printable(str(name)), "", where, printable(problem))
        return
    text, stop = _completion(sample, where)
    yield Prediction(task, printable(str(name)), printable(text), where, finish=STOPS.get(stop, "complete"))


def _problem(sample: Mapping[str, Any]) -> str:
    """Return why the model gave no answer, or "" if it gave one. An empty text is an answer, a missing one is not."""
    error, output = sample.get("error"), sample.get("output")
    if error is not None:
        said = error.get("message") if isinstance(error, dict) else None
        return str(said or "an error")
    if isinstance(output, dict) and output.get("choices") == [] and not output.get("completion"):
        return "the model gave no answer: the output has no choice"
    return ""


def _completion(sample: Mapping[str, Any], where: str) -> tuple[str, str]:
    """Return (the model's text without its reasoning, its stop reason)."""
    stop = ""
    output = sample.get("output")
    choices = output.get("choices") if isinstance(output, dict) else None
    content: Any = output.get("completion") if isinstance(output, dict) else None
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        message = choices[0].get("message")
        content = message.get("content") if isinstance(message, dict) else content
        stop = str(choices[0].get("stop_reason"))
    if isinstance(content, list):
        texts = [one.get("text", "") for one in content if isinstance(one, dict) and one.get("type") == "text"]
        content = "\n".join(text for text in texts if isinstance(text, str))
    if not isinstance(content, str):
        raise SubmissionError(f"{where}: output has no completion that is text, but {kind_of(content)}")
    attached = sample.get("attachments")
    if content.startswith(ATTACHED) and isinstance(attached, dict):
        found = attached.get(content.removeprefix(ATTACHED), content)
        content = found if isinstance(found, str) else content
    return content, stop


def _task(held: Mapping[str, Any]) -> str:
    spec = held.get("eval")
    name = spec.get("task") if isinstance(spec, dict) else None
    return name if isinstance(name, str) else ""


def _header(archive: zipfile.ZipFile) -> Mapping[str, Any]:
    """Return the log's header; that of an unfinished log is the one written when it began."""
    names = archive.namelist()
    for name in ("header.json", "_journal/start.json"):
        if name in names:
            held = _json(archive, archive.getinfo(name))
            if isinstance(held, dict):
                return held
    raise SubmissionError("is an archive but not an inspect log: it has no header.json; unpack it")


def _json(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Any:
    if entry.file_size > MOST:
        raise SubmissionError(f"{entry.filename}: {entry.file_size:,} bytes, unpacked, are too many for a sample")
    try:
        return json.loads(_unpacked(archive, entry).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise SubmissionError(f"{entry.filename}: is not UTF-8: {error.reason} at byte {error.start}") from None
    except (ValueError, RecursionError) as error:
        raise SubmissionError(f"{entry.filename}: is not JSON: {error}") from None


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """Return the bytes of an entry, reading at most one more than it declares."""
    try:
        if entry.compress_type == ZSTD:
            return _zstd(archive, entry)
        with archive.open(entry) as stream:
            return stream.read(entry.file_size + 1)
    except DAMAGED as error:
        raise SubmissionError(f"{entry.filename}: cannot be unpacked: {error}") from None


def _zstd(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """Return the bytes of an entry packed by Zstandard, unpacked by Arrow and checked by its CRC."""
    import pyarrow as pa

    stream = archive.fp
    assert stream is not None
    stream.seek(entry.header_offset + 26)
    lengths = stream.read(4)
    name, extra = int.from_bytes(lengths[:2], "little"), int.from_bytes(lengths[2:], "little")
    stream.seek(entry.header_offset + 30 + name + extra)
    packed = stream.read(entry.compress_size)
    with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as unpacking:
        data: bytes = unpacking.read(entry.file_size + 1)
    if len(data) != entry.file_size or zlib.crc32(data) != entry.CRC:
        raise zipfile.BadZipFile("is damaged (CRC)")
    return data
