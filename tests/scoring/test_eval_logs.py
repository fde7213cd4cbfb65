"""Logs of inspect_ai and lm-evaluation-harness as predictions: read without those tools, ambiguity refused."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from typing import Any

import pyarrow as pa
import pytest

from scrollwork.scoring.files.eval_logs import task_of_log
from scrollwork.scoring.files.submissions import SubmissionError, predictions

SAID = {"role": "assistant", "content": "Paris"}


def sample(name: Any = "q1", text: Any = "Paris", **more: Any) -> dict[str, Any]:
    """A sample of inspect with an answer."""
    choice = {"message": {"role": "assistant", "content": text}, "stop_reason": more.pop("stop", "stop")}
    return {"id": name, "epoch": 1, "input": "?", "target": "x", "output": {"choices": [choice]}, **more}


def log(*samples: Any, task: str = "qasper") -> bytes:
    """A log in one JSON file."""
    return json.dumps({"version": 2, "status": "success", "eval": {"task": task}, "samples": list(samples)}).encode()


def archive(*samples: dict[str, Any], task: str = "qasper", header: bool = True, packing: int = 8) -> bytes:
    """A log in an archive; packing 93 is Zstandard, which zipfile cannot write: its fields are set by hand."""
    begun = {"version": 2, "eval": {"task": task}}
    files = {"_journal/start.json": begun, **({"header.json": begun} if header else {})}
    files |= {f"samples/{one['id']}_epoch_{one['epoch']}.json": one for one in samples}
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for name, value in files.items():
            made.writestr(name, json.dumps(value))
    if packing != 93:
        return target.getvalue()
    plain = {name: json.dumps(value).encode() for name, value in files.items()}
    out, central = bytearray(), bytearray()
    for name, data in plain.items():
        packed = pa.compress(data, codec="zstd", asbytes=True)
        sizes = (
            zlib.crc32(data).to_bytes(4, "little") + len(packed).to_bytes(4, "little") + len(data).to_bytes(4, "little")
        )
        fields = (63).to_bytes(2, "little") + bytes(2) + (93).to_bytes(2, "little") + bytes(4) + sizes
        fields += len(name).to_bytes(2, "little") + bytes(2)
        central += b"PK\x01\x02" + bytes(2) + fields + bytes(10) + len(out).to_bytes(4, "little") + name.encode()
        out += b"PK\x03\x04" + fields + name.encode() + packed
    count = len(plain).to_bytes(2, "little")
    end = b"PK\x05\x06" + bytes(4) + count + count + len(central).to_bytes(4, "little") + len(out).to_bytes(4, "little")
    return bytes(out + central + end + bytes(2))


def line(name: Any = "q1", text: Any = "Paris", **more: Any) -> dict[str, Any]:
    """A line of a samples file of lm-eval."""
    return {"doc_id": 0, "doc": {"id": name}, "target": "x", "resps": [[text]], "filter": "none", **more}


def lines(*rows: Any) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def read(data: bytes, task: str = "") -> list[tuple[str, str, str]]:
    return [(row.task, row.id, row.text) for row in predictions(io.BytesIO(data), task)]


@pytest.mark.parametrize("packing", [8, 93])
def test_archive_is_not_read(packing: int) -> None:
    data = archive(sample("b", "two"), sample("a", "eins\u2028\x00"), sample(7, ""), packing=packing)
    assert sorted(read(data)) == [("qasper", "7", ""), ("qasper", "a", "eins\u2028\x00"), ("qasper", "b", "two")]
    assert read(data, "quality")[0][0] == "quality"
    assert task_of_log(io.BytesIO(data)) == "qasper"


def test_log_that_has_not_ended_is_not_read() -> None:
    assert read(archive(sample(), header=False)) == [("qasper", "q1", "Paris")]


def test_log_in_one_file_is_taken_for_a_submission() -> None:
    assert read(log(sample(), sample("q2", "Rome"))) == [("qasper", "q1", "Paris"), ("qasper", "q2", "Rome")]
    assert task_of_log(io.BytesIO(log(sample()))) == "qasper"


def test_thoughts_are_scored_as_the_answer() -> None:
    parts = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "Paris"}]
    assert read(log(sample(text=parts))) == [("qasper", "q1", "Paris")]


def test_long_answer_stays_a_reference_to_its_attachment() -> None:
    one = sample(text="attachment://abc", attachments={"abc": "a long answer"})
    assert read(log(one)) == [("qasper", "q1", "a long answer")]
    assert read(log(sample(text="attachment://abc"))) == [("qasper", "q1", "attachment://abc")]


def test_sample_that_ended_with_an_error_counts_as_an_empty_answer() -> None:
    (row,) = predictions(io.BytesIO(log(sample(error={"message": "timed out", "traceback": ""}))))
    assert (row.text, row.error) == ("", "timed out")


def test_model_that_was_never_heard_answered_nothing() -> None:
    silent = {"id": "q1", "epoch": 1, "output": {"choices": [], "completion": ""}}
    (row,) = predictions(io.BytesIO(log(silent)))
    assert row.error == "the model gave no answer: the output has no choice"
    (row,) = predictions(io.BytesIO(log(sample(text=""))))
    assert (row.text, row.error) == ("", "")


def test_answer_cut_by_length_counts_as_complete() -> None:
    found = [sample(stop, stop=stop) for stop in ("stop", "max_tokens", "model_length", "content_filter", "unknown")]
    ended = {row.id: row.finish for row in predictions(io.BytesIO(log(*found)))}
    assert list(ended.values()) == ["complete", "length", "context", "filtered", "complete"]


def test_lm_eval_lines_are_not_read() -> None:
    data = lines(line("a", "x\u2028y"), line("b", ""))
    assert read(data, "qasper") == [("qasper", "a", "x\u2028y"), ("qasper", "b", "")]
    assert read(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"), "qasper") == read(data, "qasper")


def test_filters_of_one_answer_are_duplicates() -> None:
    assert read(lines(line(), line(filter="strict")), "qasper") == [("qasper", "q1", "Paris")]


def test_lone_surrogate_reaches_parquet() -> None:
    assert read(log(sample(text="x\ud800y"))) == [("qasper", "q1", "x?y")]


@pytest.mark.parametrize(
    ("data", "task", "message"),
    [
        (b"PK\x03\x04 torn", "", "is not an inspect log, or is damaged"),
        (archive(sample())[:-30], "", "is not an inspect log, or is damaged"),
        (log(sample(epoch=2)), "", 'sample 1: qasper, id "q1" has an epoch 2; a system answers once'),
        (log(sample(), sample()), "", 'sample 2: qasper, id "q1" has a prediction already, at sample 1'),
        (log(sample(None)), "", "sample 1: id must be a string or a number, is null"),
        (log(7), "", "sample 1: must be an object, is a number"),
        (log(sample(text=7)), "", "sample 1: output has no completion that is text, but a number"),
        (log({"id": "q1", "epoch": 1}), "", "sample 1: output has no completion that is text, but null"),
        (lines(line()), "", "its name does not say which: name it with --task"),
        (lines(line(), line()), "qasper", 'line 2: qasper, id "q1" has a prediction already, at line 1'),
        (lines(line(), line(filter="b", text="other")), "qasper", "has a prediction already, at line 1"),
        (lines(line(doc={"question": "?"})), "qasper", "line 1: doc has no id; doc_id is a place in its order"),
        (lines(line(resps=[[["-1.5", "True"]], [["-2.5", "False"]]])), "qasper", "line 1: resps must hold one list"),
        (lines(line(text=["-1.5", "True"])), "qasper", r"line 1: the response must be a string, not a list"),
        (lines(line(resps=[["a", "b"]])), "qasper", "line 1: 2 repeats of one input"),
        (lines(line()) + b'{"doc_id": \xff}\n', "qasper", "line 2: not UTF-8"),
        (lines(line()) + b"[]\n", "qasper", "line 2: not a JSON object but a list"),
    ],
)
def test_what_is_ambiguous_or_broken_is_not_named(data: bytes, task: str, message: str) -> None:
    with pytest.raises(SubmissionError, match=message):
        read(data, task)


@pytest.mark.parametrize("packing", [8, 93])
def test_damaged_archive_ends_in_another_error(packing: int) -> None:
    data = archive(sample(text="x" * 300), packing=packing)
    whole, refused = read(data), 0
    for at in range(len(data)):
        torn = bytearray(data)
        torn[at] ^= 0xFF
        try:
            read(bytes(torn))
        except SubmissionError:
            refused += 1
    assert whole == [("qasper", "q1", "x" * 300)]
    assert refused > len(data) / 3  # the rest are dates, attributes and one of two names
    with pytest.raises(SubmissionError):
        read(data[: len(data) // 2])


def test_archive_bomb_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrollwork.scoring.files.eval_logs.MOST", 1000)
    with pytest.raises(SubmissionError, match="bytes, unpacked, are too many for a sample"):
        read(archive(sample(text="x" * 2000)))
