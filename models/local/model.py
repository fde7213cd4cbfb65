"""Checkpoints of Hugging Face's `transformers`, run in this process: the open models of the papers, and any other.

Decoding is greedy unless the table says otherwise. The number of new tokens is always explicit, as the library's silent
default is 20. Encoder-decoders get concatenated ids (fact sheet 4.3), causal models use their chat template if they
have one.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import TracebackType
from typing import Any

from scrollwork.models.base import Answer, Ask, Attempt, Call, CallFailed, Usage
from scrollwork.models.engine.breaker import Breaker
from scrollwork.models.engine.budget import Gate
from scrollwork.models.engine.limits_ledger import LimitsLedger
from scrollwork.models.engine.stopping import Stop
from scrollwork.models.local.checkpoint import CAUSAL, ENCODER_DECODER, Checkpoint, Generated, OutOfMemory
from scrollwork.models.local.device_turns import Turns
from scrollwork.models.local.prompts import Encoded, TooLong, for_decoder, for_encoder, payload_pieces
from scrollwork.records.base import canonical_json

log = logging.getLogger("scrollwork")
PROVIDER = "transformers"
RECIPE = 1  # increase it when the conversion of a payload to token ids changes
BATCH = 8  # prompts
BATCH_TOKENS = 16_384  # of input with padding: in T5, attention over 8,192 tokens takes gigabytes for each prompt
WINDOW = 16  # batches of calls that are taken from the iterable and sorted by length
TURNS = Turns()
Result = Answer | CallFailed | Attempt


def make(name: str, table: Mapping[str, Any], revision: str) -> Local:
    """Make the model of a table that scrollwork.suites.checkpoints has completed."""
    return Local(name, table)


class Local:
    """A model with one member."""

    provider = PROVIDER

    def __init__(self, name: str, table: Mapping[str, Any]) -> None:
        self.name, self.members, self.table = name, (name,), table

    def payload(self, ask: Ask, member: str) -> Mapping[str, Any]:
        """Return what decides the answer: checkpoint (by its files' digest), prompt, window and decoding."""
        table = self.table
        return {
            "provider": PROVIDER,
            "recipe": RECIPE,
            "checkpoint": table["digest"],
            "kind": table["kind"],
            "chat": table["variant"] == "chat",
            "prompt": payload_pieces(ask),
            "window": table["window"],
            "room": ask.max_new_tokens,
            "max_new_tokens": table.get("max_new_tokens", ask.max_new_tokens),
            "dtype": table.get("dtype", "auto"),
            "load_in_4bit": table.get("load_in_4bit", False),
            "template": table.get("template", {}),
            "generation": table.get("generation", {}),
            "sample": ask.draw,
        }

    def answer(self, calls: Iterable[Call]) -> Iterator[Result]:
        """Yield the results of the calls as batches are answered."""
        with self.run(calls) as running:
            yield from running

    def run(
        self,
        calls: Iterable[Call],
        *,
        gate: Gate | None = None,
        stop: Stop | None = None,
        ledger: LimitsLedger | None = None,
        breaker: Breaker | None = None,
    ) -> Run:
        """Return the results of the calls, which come as batches are answered.

        gate, ledger, breaker: not used, as the model costs nothing, has no rate limits and is no endpoint.
        """
        return Run(self, calls, stop or Stop())


@dataclass(frozen=True)
class Ready:
    """A call with its token ids."""

    call: Call
    encoded: Encoded

    @property
    def max_new_tokens(self) -> int:
        """Return how many tokens may be generated: for a causal model, at most what is left of its window."""
        payload = self.call.payload
        most = int(payload["max_new_tokens"])
        return most if payload["kind"] == ENCODER_DECODER else min(most, payload["window"] - len(self.encoded.ids))


class Run:
    """The results of calls (see scrollwork.models.engine.running.Running). The first call loads the checkpoint."""

    def __init__(self, model: Local, calls: Iterable[Call], stop: Stop) -> None:
        self._model, self._calls, self._stop = model, iter(calls), stop
        self._batch = 1 if model.table.get("generation", {}).get("do_sample") else model.table.get("batch_size", BATCH)
        self._tokens = model.table.get("batch_tokens", BATCH_TOKENS)
        self._reason = ""
        self._left_out = False
        self._cut = 0
        self._results = self._run()

    @property
    def stopped(self) -> str:
        """Return why calls were left without a result, "" if none were."""
        return (self._reason or self._stop.reason) if self._left_out else ""

    def stop(self, reason: str = "stopped") -> None:
        """Begin no more batches."""
        self._reason = self._reason or reason

    def came(self, into: list[Result], most: int) -> None:
        """Append nothing: the next result may need the work of a whole batch."""

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._results.close()

    def __iter__(self) -> Run:
        return self

    def __next__(self) -> Result:
        return next(self._results)

    def _ignore_stop(self) -> None:
        """Do nothing: the stop is checked between batches and tokens, and nothing waits that should be woken."""

    @property
    def _ending(self) -> bool:
        return bool(self._reason or self._stop.level)

    def _run(self) -> Generator[Result, None, None]:
        key = identity(self._model.table)
        self._stop.tell(self._ignore_stop)  # a first Ctrl-C lets the running batch end
        try:
            if not TURNS.take(key, self._stop):
                self._left_out = True
                return
            try:
                yield from self._windows(key)
            finally:
                TURNS.give()
        finally:
            self._stop.forget(self._ignore_stop)
        if self._cut:
            log.warning(
                "%s: of %s prompts the document was cut further to fit the model's window than their receipts say",
                self._model.name,
                f"{self._cut:,}",
            )

    def _windows(self, key: str) -> Iterator[Result]:
        while not self._ending and (calls := list(islice(self._calls, WINDOW * self._batch))):
            checkpoint = loaded_checkpoint(key, self._model)
            ready = []
            for call in calls:
                try:
                    ready.append(Ready(call, prompt_tokens(call.payload, checkpoint)))
                except TooLong as error:
                    yield from self._failed(call, "terminal", str(error), time.time(), 0.0)
            self._cut += sum(one.encoded.cut for one in ready)
            # the longest first, so that an input that does not fit on the device is found at once
            ready.sort(key=lambda one: (one.max_new_tokens, len(one.encoded.ids)), reverse=True)
            while ready and not self._ending:
                batch = ready[: self._size(ready)]
                del ready[: len(batch)]
                yield from self._answers(batch, checkpoint)
            self._left_out = self._left_out or bool(ready)
        self._left_out = self._left_out or (self._ending and next(self._calls, None) is not None)

    def _size(self, ready: Sequence[Ready]) -> int:
        """Return how many of the first calls form a batch: as many as fit that allow equally many new tokens.

        ready: sorted, not empty.
        """
        most = max(1, min(self._batch, self._tokens // len(ready[0].encoded.ids)))
        return sum(one.max_new_tokens == ready[0].max_new_tokens for one in ready[:most])

    def _answers(self, batch: list[Ready], checkpoint: Checkpoint) -> Iterator[Result]:
        began, clock = time.time(), time.monotonic()
        try:
            made = checkpoint.generate(
                [one.encoded.ids for one in batch],
                batch[0].max_new_tokens,
                seed=int(batch[0].call.key[:15], 16),
                cancelled=lambda: self._stop.level >= 2,
            )
        except OutOfMemory as error:
            if len(batch) > 1:
                self._batch = half = (len(batch) + 1) // 2
                log.warning("%s: out of memory, going on in batches of %d (batch_size)", self._model.name, half)
                yield from self._answers(batch[:half], checkpoint)
                yield from self._answers(batch[half:], checkpoint)
                return
            message = f"out of memory with {len(batch[0].encoded.ids):,} tokens of input: {error}"
            yield from self._failed(batch[0].call, "transient", message, began, time.monotonic() - clock)
            return
        if made is None:
            self._left_out = True
            return
        seconds = (time.monotonic() - clock) / len(batch)
        for one, new in zip(batch, made, strict=True):
            yield from self._answered(one, new, began, seconds)

    def _answered(self, one: Ready, new: Generated, began: float, seconds: float) -> Iterator[Result]:
        usage = Usage(input_tokens=len(one.encoded.ids), output_tokens=new.tokens)
        yield Attempt(one.call.key, 1, "answered", None, "", began, seconds, usage)
        yield Answer(
            one.call.key,
            new.text,
            "complete" if new.ended else "length",
            self._model.table["checkpoint"],
            usage,
            seconds,
        )

    def _failed(self, call: Call, kind: Any, message: str, began: float, seconds: float) -> Iterator[Result]:
        yield Attempt(call.key, 1, kind, None, message, began, seconds)
        yield CallFailed(call.key, kind, message)


def identity(table: Mapping[str, Any]) -> str:
    """Return a text that identifies what must be loaded for a table: runs share a checkpoint if it is equal."""
    keys = (
        "place",
        "digest",
        "kind",
        "dtype",
        "device",
        "device_map",
        "load_in_4bit",
        "threads",
        "template",
        "generation",
    )
    return canonical_json({key: table[key] for key in keys if key in table})


def loaded_checkpoint(key: str, model: Local) -> Checkpoint:
    """Return the model's checkpoint: the one that is loaded, if it is the same, else load it in its place."""
    found = TURNS.loaded(key)
    if found is None:
        TURNS.keep("", None)  # free the former one before the next is loaded
        found = Checkpoint(model.name, model.table)
        TURNS.keep(key, found)
    assert isinstance(found, Checkpoint)
    return found


def prompt_tokens(payload: Mapping[str, Any], checkpoint: Checkpoint) -> Encoded:
    """Return the token ids of a payload's prompt. Raises TooLong."""
    if payload["kind"] == CAUSAL:
        room = int(payload["window"]) - int(payload["room"])
        return for_decoder(payload["prompt"], room, checkpoint.codec, chat=payload["chat"])
    return for_encoder(payload["prompt"], int(payload["window"]), checkpoint.codec)
