"""The response store over the number of answers: claiming and committing, looking up, opening again, bytes an answer.

Answers of about 150 words come in commits of 32, each with its attempt and after its claim, as a run commits them. The
floor is the same texts in one table of sqlite3 with the same promise (WAL, synchronous FULL) and the same commits, no
claims, attempts or digests. A rate is of the last tenth of the answers, so that it shows what a full store costs. If
SCROLLWORK_BENCHMARK_STORE is the URL of an empty database of PostgreSQL, that is filled, too, by the smallest number.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.kit.measure import cost, python

FILL = """
import hashlib, json, random, sys, time
from pathlib import Path
from scrollwork.storage.answers.rows import StoredAnswer, StoredAttempt
from scrollwork.storage.answers.store import ResponseStore
place, count, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
rng = random.Random(7)
prose = " ".join(f"word{rng.randrange(2_000)}" for _ in range(50_000))
key = lambda number: hashlib.sha256(b"%d" % number).hexdigest()
text = lambda: prose[(first := rng.randrange(len(prose) - 1_100)):first + 1_100]
SIZE = 32

def commits():
    for first in range(0, count, SIZE):
        yield [(key(number), text()) for number in range(first, min(first + SIZE, count))]

def timed(commit):
    ends, began = [], time.perf_counter()
    for rows in commits():
        commit(rows)
        ends.append(time.perf_counter())
    last = max(1, len(ends) // 10)
    return SIZE * last / (ends[-1] - ends[-1 - last]), ends[-1] - began
"""
OURS = (
    FILL
    + """
store = ResponseStore(place)

def commit(rows):
    store.claim([one for one, _ in rows], "run", 120.0)
    said = ("stop", 9_000, 0, 200, "gpt-1", 1.0, 1)
    answers = [StoredAnswer(one, "openai", "gpt", told, *said, cost_nano_usd=9) for one, told in rows]
    sent = ("run", 1, "openai", "gpt", "answered", 200, "", 1.0, 1.0, 9_000, 0, None, 200, None, 9)
    tries = [StoredAttempt(one, *sent) for one, _ in rows]
    store.add(answers, (), tries, "run")

rate, whole = timed(commit)
store.close()
began = time.perf_counter()
store = ResponseStore(place)
store.holds_answers()
opened = time.perf_counter() - began
some = [key(rng.randrange(count)) for _ in range(5_000)]
began = time.perf_counter()
assert len(store.states(some)) == len(set(some))
looked = time.perf_counter() - began
began = time.perf_counter()
assert len(store.answers(some)) == len(set(some))
read = time.perf_counter() - began
began = time.perf_counter()
assert sum(one.calls for one in store.spent().values()) == count
summed = time.perf_counter() - began
store.close()
size = sum(path.stat().st_size for path in Path(out).parent.glob("answers.db*")) if "sqlite" in place else 0
json.dump([rate, whole, opened, looked, read, summed, size], open(out, "w"))
"""
)
FLOOR = (
    FILL
    + """
import sqlite3
base = sqlite3.connect(place, isolation_level=None)
base.execute("PRAGMA journal_mode=WAL")
base.execute("PRAGMA synchronous=FULL")
base.execute("CREATE TABLE answers (request_key TEXT PRIMARY KEY, text TEXT)")

def commit(rows):
    base.execute("BEGIN IMMEDIATE")
    base.executemany("INSERT INTO answers VALUES (?, ?)", rows)
    base.execute("COMMIT")

rate, whole = timed(commit)
base.close()
size = sum(path.stat().st_size for path in Path(place).parent.glob("floor.db*"))
json.dump([rate, whole, 0, 0, 0, 0, size], open(out, "w"))
"""
)
SIZES = (25_000, 250_000, 1_000_000)


def main(small: bool = False) -> Iterator[str]:
    """The lines of the report. small: a hundredth of the answers."""
    for count in (one // (100 if small else 1) for one in SIZES):
        yield from of_size(count)


def of_size(count: int) -> Iterator[str]:
    """What a store of so many answers costs."""
    with tempfile.TemporaryDirectory() as folder:
        figures = f"{folder}/figures.json"
        floor = measured(FLOOR, f"{folder}/floor.db", count, figures)
        places = {"SQLite": f"sqlite:///{folder}/answers.db"}
        if (url := os.environ.get("SCROLLWORK_BENCHMARK_STORE")) and count <= SIZES[0]:
            places["PostgreSQL"] = url
        for name, place in places.items():
            rate, whole, opened, looked, read, summed, size, peak = measured(OURS, place, count, figures)
            told = f"{size / count:,.0f} bytes an answer ({size / floor[6]:.2f} times the floor's), " if size else ""
            yield (
                f"{count:,} answers in {name}: {rate:,.0f} a second at the end, {rate / floor[0]:.2f} of a plain table "
                f"in SQLite ({floor[0]:,.0f}); {whole:.0f} s in all; {told}opened in {1e3 * opened:.0f} ms, "
                f"{1e6 * looked / 5_000:.0f} us a state, {1e6 * read / 5_000:.0f} us an answer, spent in "
                f"{1e3 * summed:.0f} ms; peak {peak:.0f} MB"
            )


def measured(code: str, place: str, count: int, figures: str) -> list[float]:
    """What a program found, and its peak memory in MB."""
    spent = cost(python(code, place, str(count), figures))
    return [*json.loads(Path(figures).read_text(encoding="utf-8")), spent.peak_mb]


if __name__ == "__main__":
    for line in main("--small" in sys.argv):
        print(line)
