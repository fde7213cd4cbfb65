"""One way of asking all prompts, in a process: `python -m benchmarks.calling.ways WAY PORT CONCURRENCY COUNT FOLDER`.

floor: sockets, in a bare loop of so many tasks. sdk: openai's own client on aiohttp, in the same loop. waiting: the
engine with a client that only waits. raw: the engine over the floor's sockets. documents: the same, five questions a
document. hosted: our client of the provider openai in the engine. store: the whole path, with claims, commits and
attempts in a response store on disk.
"""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Awaitable, Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from benchmarks.calling.clients import Null, Raw, calls
from benchmarks.calling.load import KEY, MODEL, MOST_OUTPUT, PROMPT, Told, Wanted, text_of, wanted
from scrollwork.models.base import Answer, Ask, Call, Client, Segment
from scrollwork.models.engine.answers import answer
from scrollwork.models.engine.limits import Caps, Limiter
from scrollwork.models.engine.settings import Settings


async def bare(ask: Callable[[int], Awaitable[Any]], want: Wanted, told: Told) -> None:
    """So many tasks, each one call after the other."""
    numbers = iter(range(want.count))

    async def place() -> None:
        for number in numbers:
            await ask(number)
            told.ended()

    await asyncio.gather(*(place() for _ in range(want.concurrency)))


def floor(want: Wanted) -> Told:
    """Raw sockets."""
    told = Told()

    async def main() -> None:
        client = Raw(want.port)
        await bare(lambda number: client.send(next(calls([number], PROMPT))), want, told)
        await client.close()

    asyncio.run(main())
    return told


def sdk(want: Wanted) -> Told:
    """The vendor's SDK on its faster transport."""
    from openai import AsyncOpenAI, DefaultAioHttpClient

    told = Told()

    async def main() -> None:
        client = AsyncOpenAI(
            api_key=KEY, base_url=want.base_url, max_retries=0, timeout=600, http_client=DefaultAioHttpClient()
        )

        async def ask(number: int) -> None:
            await client.chat.completions.create(
                model=MODEL,
                messages=[{"role": "user", "content": text_of(number)}],
                max_completion_tokens=MOST_OUTPUT,
                temperature=0.0,
            )

        await bare(ask, want, told)
        await client.close()

    asyncio.run(main())
    return told


def engine(want: Wanted, client: Callable[[], Client], group: int = 0) -> Told:
    """The engine with a client."""
    told = Told()
    caps = Caps(want.concurrency, want.concurrency)
    asked = calls(range(want.count), PROMPT, group)
    for result in answer(client, asked, Settings(caps=caps), limiter=Limiter(caps)):
        if isinstance(result, Answer):
            told.ended()
    return told


def model_of(want: Wanted) -> Any:
    """Our model of the provider openai at the server, with its checked table."""
    from scrollwork.models import registry
    from scrollwork.models.hosted import openai

    importlib.import_module("openai")  # late, and no work
    os.environ["OPENAI_API_KEY"] = KEY
    given = {
        "base_url": want.base_url,
        "concurrency": want.concurrency,
        "price": {"input": 1, "output": 2},
        "temperature": 0.0,
    }
    table = {**registry.settings(f"openai:{MODEL}", {}, given=given), "concurrency_start": want.concurrency}
    return table, openai.make(MODEL, table, "")


def call_of(model: Any, number: int) -> Call:
    """A call as stage generate makes it, key and all."""
    from scrollwork.storage.digest import sha256_of

    text = text_of(number)
    ask = Ask("task", str(number), (Segment("document", text),), "0" * 64, 1, MOST_OUTPUT, tokens=10_000)
    payload = model.payload(ask, MODEL)
    return Call(sha256_of(payload), MODEL, payload, ask)


def hosted(want: Wanted) -> Told:
    """Our client in the engine."""
    _, model = model_of(want)
    told = Told()
    for result in model.run(call_of(model, number) for number in range(want.count)):
        if isinstance(result, Answer):
            told.ended()
    return told


def store(want: Wanted) -> Told:
    """The whole path of a hosted model: an answer counts when it is committed."""
    from scrollwork.pipeline import progress
    from scrollwork.pipeline.calling import CallSettings
    from scrollwork.storage.answers.store import ResponseStore
    from scrollwork.tasks.generate.asker import Asker
    from scrollwork.tasks.generate.pending import CHUNK, chunks

    table, model = model_of(want)

    class Listener:
        def said(self, text: str) -> None: ...
        def started(self, title: str) -> None: ...
        def ended(self, title: str, how: str) -> None: ...
        def moved(self, title: str, done: int, total: int, steady: bool) -> None:
            told.ended(done - len(told.ends))

    def source(keys: Collection[str] | None) -> Iterator[list[Call]]:
        assert keys is None, "nobody else asks"
        return chunks((call_of(model, number) for number in range(want.count)), CHUNK)

    told = Told()
    progress.listen(Listener())
    kept = ResponseStore(Path(want.place) / "responses.db")
    Asker(model, CallSettings("benchmark", tables={MODEL: table}), kept, "calls", want.count).ask(source)
    held = kept.holdings()
    kept.close()
    assert (held.answers, held.claimed) == ({MODEL: want.count}, 0), held
    assert held.attempts == {MODEL: {"answered": want.count}}, held
    return told


WAYS: dict[str, Callable[[Wanted], Told]] = {
    "floor": floor,
    "sdk": sdk,
    "waiting": lambda want: engine(want, Null),
    "raw": lambda want: engine(want, lambda: Raw(want.port)),
    "documents": lambda want: engine(want, lambda: Raw(want.port), group=5),
    "hosted": hosted,
    "store": store,
}

if __name__ == "__main__":
    want = wanted()
    WAYS[want.way](want).tell()
