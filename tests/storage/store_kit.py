"""Rows of the response store, by number."""

import hashlib

from scrollwork.storage.answers.rows import StoredAnswer, StoredAttempt, StoredBatch, StoredFailure

HOSTILE = {
    "empty": "",
    "NUL": "a\0b\0",
    "the escape itself": "\x1a \x1a0000 \x1ad800 \x1a\x1a001a",
    "lone surrogates": "\ud800 \udfff \udc00\ud83d",
    "a pair written as two": "\ud83d\ude00",
    "control characters": "".join(map(chr, range(32))) + "\x7f\x85\u2028",
    "terminal escapes": "\x1b[2J\x1b]0;title\x07",
    "all planes": "ünï\u2028\U0001f600\U0010ffff\uffff\ufffe",
    "a megabyte": "x" * 1_000_000,
    "a megabyte to escape": "\0" * 200_000,
    "quotes": "'; DROP TABLE responses; -- %s %(text)s :text ? $1",
}


def key(number):
    return hashlib.sha256(str(number).encode()).hexdigest()


def answer(number, text="an answer", **more):
    given = StoredAnswer(key(number), "baselines", "naive:seed=0", text, "complete", 7, None, 3, "naive-1", 0.25, 1)
    return StoredAnswer(**{**vars(given), **more})


def failure(number, kind="transient", message="overloaded"):
    return StoredFailure(key(number), "openai", "gpt", kind, 529, message, 3)


def attempt(number, outcome="answered", tried=1, owner="run-1", model="gpt", **more):
    status = {"answered": 200, "transient": 529}.get(outcome)
    given = StoredAttempt(key(number), owner, tried, "openai", model, outcome, status, "", 1000.0 + tried, 0.5)
    return StoredAttempt(**{**vars(given), **more})


def batch(number, state="intent", **more):
    given = StoredBatch(key(f"batch {number}"), state, "openai", "gpt", None, key("digest"), 1000.0 + number)
    return StoredBatch(**{**vars(given), **more})
