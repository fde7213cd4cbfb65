"""The state that all simulated vendors share (clock, bill, caches, limits, knobs), and the classes for a request, a
reply and a refusal."""

from __future__ import annotations

import hashlib
import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scrollwork.rehearsal.answers import answer
from scrollwork.rehearsal.bills import Ledger
from scrollwork.rehearsal.caches import Found, PrefixCache, StepCache
from scrollwork.rehearsal.clock import Clock
from scrollwork.rehearsal.limits import Limits
from scrollwork.rehearsal.prices import Family
from scrollwork.rehearsal.tokens import count, cut

KNOBS: Mapping[str, Any] = {
    "seed": 0,  # of answers and faults
    "answer_tokens": {},  # "vendor/model": {limit of output tokens: tokens of an answer, which is repeated and cut}
    "answer_words": 0,  # least words of an answer, which is repeated to reach them; the output limit still cuts it
    "ratio": {},  # vendor or "vendor/model": bytes per token, 4 by default
    "limits": {},  # vendor or "vendor/model": {"rpm", "tpm", "itpm", "otpm", "rpd": number}; none by default
    "faults": {},  # vendor, "vendor/model" or "*": {kind: share of requests}, or a list of kinds; see faulty/
    "flex_refused": 0.0,  # share of flex requests that are refused (section 4)
    "fast_as_default": 0.0,  # share of fast requests that are served and billed as default
    "hit_rate": 1.0,  # share of requests that a free prefix cache serves; also of Claude's requests in batches
    "tiny_budget": "length",  # or "refuse": chat answers a limit below 16 with 400 (section 0, fact 6)
    "latency_s": 0.0,  # real seconds that a reply takes
    "batch_s": 600.0,  # seconds by the clock until a batch has ended
    "batch_done": 1.0,  # share of a batch's requests that are done; below 1 the batch expires after 24 h
    "batch_queue": None,  # tokens that may wait in OpenAI's batches of one model
    "gemini_thoughts": "outside",  # or "inside" completion_tokens (section 2)
    "compatible": {},  # vendor: {"usage": bool, "cached": bool, "thoughts": where, "content": "null", "context": n}
}


DAY = 86_400.0  # seconds until a batch expires
SHARES = ("flex_refused", "fast_as_default", "hit_rate", "batch_done")
LIMITS = ("rpm", "tpm", "itpm", "otpm", "rpd")


def check_table(where: str, table: Any, names: Iterable[str], most: float | None) -> None:
    """Raise ValueError unless `table` is {one of names: a number}: above 0, or 0 to `most` if that is given."""
    if not isinstance(table, dict):
        raise ValueError(f"{where} must be an object, not {table!r}")
    for name, value in table.items():
        if name not in names:
            raise ValueError(f"{where}: there is no {name}; there are {', '.join(names)}")
        number = type(value) in (int, float)
        if not number or not (value > 0 if most is None else 0 <= value <= most):
            raise ValueError(
                f"{where}: {name} must be {'above 0' if most is None else f'0 to {most:g}'}, not {value!r}"
            )


@dataclass(frozen=True)
class Call:
    """A request. headers: names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    raw: bytes = b""


@dataclass
class Reply:
    """A response. body: sent as JSON. raw: bytes to send instead of the body."""

    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    drop: bool = False  # close the connection without a reply
    part: int | None = None  # send only so many of the announced bytes, then close the connection
    stall_s: float = 0.0  # seconds to wait before closing


class Refusal(Exception):
    """Raised to answer a request with an error; nothing is billed."""

    def __init__(self, reply: Reply) -> None:
        """reply: what is sent."""
        super().__init__(reply.status)
        self.reply = reply


class World:
    """The state of one rehearsal, with all vendors."""

    def __init__(self, clock: Clock | None = None, **knobs: Any) -> None:
        """Start with empty caches and an empty bill. Raises ValueError for an unknown knob."""
        self.clock = clock or Clock()
        self.ledger = Ledger()
        self.limits = Limits()
        self.prefixes = PrefixCache()
        self.steps: dict[tuple[str, int], StepCache] = {}
        self.lock = threading.RLock()
        self._turns: dict[str, int] = {}
        self.knobs: dict[str, Any] = dict(KNOBS)
        self.turn_knobs(knobs)
        self.files: dict[str, dict[str, Any]] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.asked: dict[str, int] = {}
        self.met: dict[str, Counter[str]] = {}  # faults by kind, by vendor/model
        self._numbers = itertools.count(1)

    def turn_knobs(self, knobs: Mapping[str, Any]) -> None:
        """Change knobs. Raises ValueError for an unknown knob or a wrong value."""
        if unknown := knobs.keys() - KNOBS.keys():
            raise ValueError(f"no knob {', '.join(sorted(unknown))}; there are {', '.join(KNOBS)}")
        for name in SHARES:
            if name in knobs and not (type(knobs[name]) in (int, float) and 0 <= knobs[name] <= 1):
                raise ValueError(f"knob {name} is a share, 0 to 1, not {knobs[name]!r}")
        for vendor, limits in (knobs.get("limits") or {}).items() if isinstance(knobs.get("limits"), dict) else ():
            check_table(f"limits of {vendor}", limits, LIMITS, most=None)
        if isinstance(ratio := knobs.get("ratio", {}), dict):
            check_table("ratio", ratio, ratio, most=None)
        if isinstance(lengths := knobs.get("answer_tokens", {}), dict):
            for model, table in lengths.items():
                limits = [one for one in table if one.isascii() and one.isdigit()] if isinstance(table, dict) else ()
                check_table(f"answer_tokens of {model}", table, limits, most=None)
        for name, value in knobs.items():
            kind = type(KNOBS[name])
            if kind in (float, int) or KNOBS[name] is None:
                fits = (type(value) in (int, float) and value >= 0) or (value is None and KNOBS[name] is None)
            else:
                fits = isinstance(value, kind)
            if not fits:
                wanted = "an object" if kind is dict else "a text" if kind is str else "a number, 0 or more"
                raise ValueError(f"knob {name} must be {wanted}, not {value!r}")
        with self.lock:
            self.knobs.update(knobs)
            if "faults" in knobs:
                self._turns = {}

    def ratio(self, one: Family) -> float:
        """Bytes per token of a model."""
        table = self.knobs["ratio"]
        return float(table.get(f"{one.vendor}/{one.id}", table.get(one.vendor, 4)))

    def count(self, one: Family, text: str) -> int:
        """Count the tokens of a text as this model does."""
        return count(text, self.ratio(one))

    def number(self, kind: str) -> str:
        """A new id such as "msg_00000001"."""
        return f"{kind}_{next(self._numbers):08d}"

    def answer(self, prompt: str, one: Family, limit: int | None) -> str:
        """The text that a model answers to a prompt (answers.py), repeated to `answer_words`, or to the `answer_tokens`
        of the request's limit of output tokens, at which it is cut."""
        said = answer(prompt, self.knobs["seed"])
        tokens = self.knobs["answer_tokens"].get(f"{one.vendor}/{one.id}", {}).get(str(limit))
        if tokens is not None:
            times = -(-int(tokens) // max(1, self.count(one, said)))
            return cut(" ".join([said] * max(1, times)), int(tokens), self.ratio(one))
        times = -(-int(self.knobs["answer_words"]) // max(1, len(said.split())))
        return " ".join([said] * max(1, times))

    def chance(self, share: float, what: str, call: Call) -> bool:
        """True for this share of requests. It is decided by seed, request and its number of tries, so that the order of
        requests does not matter."""
        if share <= 0:
            return False
        key = hashlib.sha256(repr((what, call.path, call.body)).encode()).hexdigest()
        with self.lock:
            self.asked[key] = attempt = self.asked.get(key, 0) + 1
        digest = hashlib.sha256(f"{self.knobs['seed']} {key} {attempt}".encode()).digest()
        return int.from_bytes(digest[:8]) < share * 2**64

    def next_of(self, name: str, kinds: Sequence[str]) -> str:
        """The next kind in a list of faults; "" after the last one. name: the list's key in the knob. Needs the
        lock."""
        place = self._turns[name] = self._turns.get(name, -1) + 1
        return kinds[place] if place < len(kinds) else ""

    def limits_of(self, vendor: str, model: str) -> dict[str, float]:
        """The rate limits of a model, by name (LIMITS)."""
        table = self.knobs["limits"]
        return dict(table.get(f"{vendor}/{model}", table.get(vendor, {})))

    def batch_due(self, created: float, row: Mapping[str, Any]) -> tuple[float, str] | None:
        """(share of its requests that are done, how it ended: completed, expired or cancelled) for a batch; None while
        it runs. created: by the clock. row["early"]: set if a fault ends the batch."""
        if early := row.get("early"):
            share, ending = early
            return float(share), str(ending)
        age, share = self.clock.now() - created, float(self.knobs["batch_done"])
        if share < 1:
            return (share, "expired") if age >= DAY else None
        return (1.0, "completed") if age >= self.knobs["batch_s"] else None

    def step_cache(self, vendor: str, step: int, lifetime: float) -> StepCache:
        """The step cache of a vendor. step: tokens; lifetime: seconds."""
        return self.steps.setdefault((vendor, step), StepCache(step, lifetime))

    def work(self, look: Callable[[float], Found], early: bool) -> Found:
        """Look into a cache, wait for latency_s, and store the new entries at the end (early: after half of the wait,
        when the first token comes)."""
        with self.lock:
            use, begin = look(self.clock.now())
        latency = self.knobs["latency_s"]
        time.sleep(latency / 2 if early else latency)
        with self.lock:
            begin(self.clock.now())
        if early:
            time.sleep(latency / 2)
        return use, begin
