"""Summaries that Arrow reads are read as the plain reader reads them, or left to it."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scrollwork.analysis.logs.log import Log, LogError, ReadOptions
from scrollwork.exchange.logs import json_pieces
from scrollwork.exchange.logs.inspect_ai import blocks, reader
from tests.exchange.logs.log_kit import compact, header, logs_of, zipped
from tests.some_slow import one_in

TEXTS = [
    "",
    "plain",
    'a "quote" and \\',
    "Łódź \U0001f600",
    "\x00\x1f",
    '},{"id":"x","epoch":',
    "NaN",
    "2026-11-22",
    "x" * 900,
]
CUT = "y" * 5120 + "...\n(content truncated)"
RAW = [  # what stands in a text of JSON and a strict parser may read otherwise, by what it is put in place of
    (b'"marked"', b'"\\ud800"'), (b'"marked"', b'"\xff"'), (b'"marked"', b'"\xed\xa0\x80"'), (b'"marked"', b"Inf"),
    (b'"marked"', b"[" * 3000 + b"]" * 3000), (b'"marked"', b"123456789012345678901234567890"), (b'"marked"', b"1e400"),
    (b'"marked"', b'"a","marks":"b"'), (b'"marked"', b"null}null,{"), (b'"marked"', b"1}]}null"), (b'"marked"', b"\nnull\n"),
    (b'"marked"', b'"a"}\nnull\n'), (b'"marked"', b"tru"), (b'"marked"', b'"\\u0069"'), (b'"marked"', b'"a\rb"'),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_pieces, "LARGE", 20_000)
    monkeypatch.setattr(json_pieces, "BLOCK", 3_000)


def summary(rng: random.Random, number: int, kinds: list[Any]) -> dict[str, Any]:
    """A summary with a score of each kind: a function of a random generator to a value."""
    scores: dict[str, Any] = {
        f"s{place}": {"value": kind(rng), "answer": rng.choice(TEXTS)} for place, kind in enumerate(kinds)
    }
    return {
        "id": f"q{number}", "epoch": 1, "input": rng.choice(TEXTS) + f" {number}", "target": rng.choice(TEXTS),
        "metadata": {"document": f"d{number // 5}", "page": number}, "scores": scores, "marks": "", "total_time": rng.random(),
    }  # fmt: skip


def odd(rng: random.Random, row: dict[str, Any]) -> None:
    """Make a row one of those that are rare in a log."""
    scores = row["scores"]
    change = rng.randrange(17)
    if change == 0:
        row["scores"] = rng.choice([{}, None, 3, []])
    elif change == 1:
        row["error"] = rng.choice(["it failed", {"message": "m"}, None])
    elif change == 2:
        row["limit"] = "token"
    elif change == 3:
        scores["s0"]["value"] = rng.choice(
            [None, float("nan"), float("inf"), "?", [1], {"a": 1}, True, 1, 2**70, "1_0", " 1 "]
        )
    elif change == 4:
        scores["late"] = {"value": rng.choice([1, "C", None])}
    elif change == 5:
        scores["s0"] = rng.choice([None, 1, "C", {}, {"value": {}}])
    elif change == 6:
        row["input"] = rng.choice([None, CUT, [{"role": "user", "content": "x"}], 7, ""])
    elif change == 7:
        row["choices"] = rng.choice([None, [], ["a", "b"], ["a", None], [1, 2], "ab"])
    elif change == 8:
        row["metadata"] = rng.choice(
            [None, {}, {"document": None}, {"document": 3}, {"document": "z" * 1000}, {"document": 1.0}]
        )
    elif change == 9:
        row["id"] = rng.choice([row["id"], 5, "q1", "", 2**70, None, True])
    elif change == 10:
        row["epoch"] = rng.choice([1, 2, None, 1.0, True])
    elif change == 11:
        row["invalidation"] = {"why": "x"}
    elif change == 12:
        row[f"field {rng.randrange(3)}"] = rng.choice([1, "x", {"a": {}}, [[]]])
    elif change == 13:
        row["metadata"]["page"] = rng.choice([1.5, "x", None, [], {"a": 1}])
    elif change == 14:
        row["scores"] = dict(reversed(scores.items()))
    elif change == 15:
        row.pop(rng.choice(["epoch", "input", "target", "scores", "metadata"]))
    else:
        row["marks"] = "marked"


KINDS = [
    lambda rng: rng.choice("CIPN"), lambda rng: rng.random(), lambda rng: rng.randrange(3), lambda rng: rng.random() < 0.5,
    lambda rng: {"exact": rng.choice("CI"), "f1": rng.random()}, lambda rng: rng.choice(["yes", "0.5", "No"]),
    lambda rng: rng.choice([rng.random(), rng.randrange(3)]), lambda rng: rng.randrange(2**64) * 1e-30,
]  # fmt: skip


def outcome(path: Path, options: ReadOptions) -> Any:
    """What reading gives, comparable: each column, or the error."""
    try:
        (log,) = reader.read(path, options)
    except LogError as error:
        return re.sub(r"char(acter)? [\d,]+|column \d+", "", str(error))  # counted from where the last block ended
    return {
        name: {metric: list(map(repr, map(float, held))) for metric, held in value.items()} if name == "scores" else
        list(map(bool, value)) if isinstance(value, np.ndarray) else value
        for name, value in vars(log).items()
    }  # fmt: skip


def both(path: Path, monkeypatch: pytest.MonkeyPatch, options: ReadOptions) -> tuple[Any, Any, int]:
    """(read by blocks, read plainly, number of blocks that were taken)."""
    taken: list[bool] = []
    add = blocks.Blocks.add

    def counted(self: blocks.Blocks, *given: Any, **named: Any) -> bool:
        taken.append(add(self, *given, **named))
        return taken[-1]

    with monkeypatch.context() as patch:
        patch.setattr(blocks.Blocks, "add", counted)
        fast = outcome(path, options)
    with monkeypatch.context() as patch:
        patch.setattr(blocks.Blocks, "add", lambda *given, **named: False)
        return fast, outcome(path, options), sum(taken)


@pytest.mark.parametrize("part", one_in(4, range(4)))
def test_a_hostile_log_is_read_otherwise_by_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int) -> None:
    blocks_taken = logs_taken = 0
    for seed in range(part, 240, 4):
        rng = random.Random(seed)
        kinds = rng.sample(KINDS, rng.randint(1, 4))
        rows = [summary(rng, number, kinds) for number in range(rng.choice([3, 150, 400]))]
        for row in rows:
            if rng.random() < rng.choice([0, 0, 0.01, 0.1]):
                odd(rng, row)
        data = json.dumps(rows, separators=(",", ":"), ensure_ascii=rng.random() < 0.3).encode("utf-8", "surrogatepass")
        data = data.replace(*rng.choice(RAW))
        if rng.random() < 0.05:
            data = data[: rng.randrange(len(data))] + rng.choice([b"", b"]", b"}]"])
        top = compact(header(rows[:1]))
        path = zipped(
            tmp_path / f"{seed}.eval", {"_journal/start.json": top, "summaries.json": data, "header.json": top}
        )
        options = ReadOptions(
            rng.choice(["", "", "metadata.page", "page"]),
            rng.choice(["", "metadata.document", "document", "metadata.page"]),
        )
        fast, plain, taken = both(path, monkeypatch, options)
        assert fast == plain, seed
        blocks_taken, logs_taken = blocks_taken + taken, logs_taken + (taken > 0)
    assert blocks_taken > 100  # else nothing was compared
    assert logs_taken > 15


@pytest.mark.slow
def test_a_real_log_is_read_otherwise_by_blocks(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_pieces, "LARGE", 1_500)
    taken = 0
    for tool in ("inspect", "inspect_0.3.50"):
        for path in sorted(logs_of(shared, tool).rglob("*.eval")):
            for field in ("", "metadata.document_id"):
                fast, plain, count = both(path, monkeypatch, ReadOptions("", field))
                assert fast == plain, path
                taken += count
    assert taken > 50


def test_errors_scattered_in_a_log_send_it_to_the_plain_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    rows = [summary(rng, number, KINDS[:3]) | {"error": None} for number in range(2_000)]
    for row in rows[::25]:
        row |= {"error": "failed", "scores": {}}
    rows[7]["scores"]["s1"]["value"] = float("nan")
    top = compact(header(rows))
    path = zipped(
        tmp_path / "a.eval", {"_journal/start.json": top, "summaries.json": compact(rows), "header.json": top}
    )
    fast, plain, taken = both(path, monkeypatch, ReadOptions())
    assert fast == plain
    assert len(plain["failures"]) == 80
    assert taken > 20
    assert isinstance(reader.read(path, ReadOptions())[0], Log)
