"""Logs of other evaluation tools as predictions: inspect_ai (.eval, .json) and lm-evaluation-harness (samples_*.jsonl).

Read without those tools. An input is known by its id: the sample's in inspect; in lm-eval the `id` of the document, for
`doc_id` is only a place in somebody's order. What is ambiguous is an error, nothing is chosen: several epochs or
repeats of one input, log-likelihoods in place of text, a task without a name.
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
ZSTD = 93  # the way in which inspect packs since 0.3.18x; Python 3.14 is the first to know it
MOST = 1 << 30  # bytes of one unpacked sample: a document and an answer are far smaller, a bomb is not
LM_EVAL = {"doc_id", "doc", "resps"}  # fields by which a line is one of a samples file
LINE = 1 << 26  # bytes of a first line that is looked at
STOPS = {"max_tokens": "length", "model_length": "context", "content_filter": "filtered"}
ATTACHED = "attachment://"
# what unpacking raises on damaged bytes; OSError and ValueError are Arrow's too
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, LookupError)


def task_of_log(stream: IO[bytes]) -> str:
    """The task that an inspect log says it is of; "" for what says nothing or is no such log."""
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
        raise SubmissionError(f"is no log of inspect, or a damaged one: {error}") from None
    finally:
        stream.seek(0)


def is_samples(stream: IO[bytes]) -> bool:
    """Whether the first line is one of an lm-eval samples file."""
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
    """A log in one JSON file, None for other JSON."""
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
    """The answers of an `.eval` log, sample by sample in the order of their names. task: "" for the log's own."""
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
        raise SubmissionError(f"is no log of inspect, or a damaged one: {error}") from None


def of_whole(held: Mapping[str, Any], task: str) -> Iterator[Prediction]:
    """The answers of a log in one JSON file."""
    samples = held.get("samples") or []
    if not isinstance(samples, list):
        raise SubmissionError(f"samples: must be a list, is {kind_of(samples)}")
    for number, sample in enumerate(samples, start=1):
        yield from _sample(sample, task or _task(held), f"sample {number}")


def of_samples(stream: Iterable[bytes], task: str) -> Iterator[Prediction]:
    """The answers of an lm-eval samples file, line by line. Several filters of one request give one answer.

    Of the text that came, not of what a filter made of it: our metrics read answers themselves.
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
                continue  # the same answer through another filter
            yield Prediction(task, printable(str(name)), printable(text), where)
    except PairError as error:
        raise SubmissionError(str(error)) from None


def _response(row: Mapping[str, Any], where: str) -> str:
    responses = row.get("resps")
    if not isinstance(responses, list) or len(responses) != 1 or not isinstance(responses[0], list):
        raise SubmissionError(
            f"{where}: resps must hold one list of texts; several requests an input are log-likelihoods"
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
    """Why the model gave no answer, "" where it gave one. An empty text is an answer, no text at all is none."""
    error, output = sample.get("error"), sample.get("output")
    if error is not None:
        said = error.get("message") if isinstance(error, dict) else None
        return str(said or "an error")
    if isinstance(output, dict) and output.get("choices") == [] and not output.get("completion"):
        return "the model was never heard: no choice in the output"
    return ""


def _completion(sample: Mapping[str, Any], where: str) -> tuple[str, str]:
    """(what the model said, without its thoughts; why it stopped)."""
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
    """What the log says of itself; of one that has not ended, what it said when it began."""
    names = archive.namelist()
    for name in ("header.json", "_journal/start.json"):
        if name in names:
            held = _json(archive, archive.getinfo(name))
            if isinstance(held, dict):
                return held
    raise SubmissionError("is an archive, and no log of inspect: it has no header.json; unpack it")


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
    """The bytes of a file, at most as many as it says."""
    try:
        if entry.compress_type == ZSTD:
            return _zstd(archive, entry)
        with archive.open(entry) as stream:
            return stream.read(entry.file_size + 1)
    except DAMAGED as error:
        raise SubmissionError(f"{entry.filename}: cannot be unpacked: {error}") from None


def _zstd(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """A file packed by Zstandard, which Arrow unpacks for us; checked by its CRC."""
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
