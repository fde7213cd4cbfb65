"""Anthropic: messages. The Claude variant's wrappers (ZeroSCROLLS, fact sheet 3.5) become the turns of a conversation.

No temperature is sent unless the table says that the model takes one: newer versions of the API refuse it, and greedy
decoding cannot be promised. `prefill = true` begins the answer with the variant's opening tag; newer models refuse that
too, and the tag is only asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scrollwork.models.base import Ask, Call, Client, halves, opening, text_of
from scrollwork.models.hosted.endpoint import TIMEOUT_S, Endpoint, roomy, vendor_wire
from scrollwork.models.hosted.model import Hosted, decoding, split_wrapper
from scrollwork.models.hosted.wire import Wire
from scrollwork.models.vendors.families import cache_minimum

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

PROVIDER = "anthropic"
BREAKPOINT = {"type": "ephemeral"}


def make(name: str, table: Mapping[str, Any], revision: str) -> Hosted:
    """The model of a checked table (scrollwork.models.hosted.tables)."""
    return Hosted(name, PROVIDER, table, body, client)


def body(ask: Ask, table: Mapping[str, Any]) -> dict[str, Any]:
    """What the endpoint gets. The text up to the end of the documents is a block of its own: the prefix that a cache
    can hold. Whether it is cached changes no answer, so the body that the key is the digest of does not say it."""
    segments, begun = split_wrapper(ask.segments)
    turns: list[dict[str, Any]] = [{"role": "user", "content": [text_block(text) for text in blocks(segments)]}]
    if begun and table.get("prefill", False):
        turns.append({"role": "assistant", "content": begun})
    return {"model": table["id"], "messages": turns, **decoding(ask, table)}


def blocks(segments: tuple[Any, ...]) -> list[str]:
    """[up to the end of the documents, the rest]; one text where the rest is blank: the API takes no blank block."""
    head, tail = map(text_of, halves(segments))
    return [head, tail] if head.strip() and tail.strip() else [head + tail]


def text_block(text: str) -> dict[str, Any]:
    """A block of text."""
    return {"type": "text", "text": text}


def client(name: str, table: Mapping[str, Any]) -> Client:
    """A client with the key from the environment. Raises tables.BadTable where there is none."""
    return Messages(wire_of(name, table), cache_minimum(table))


def wire_of(name: str, table: Mapping[str, Any]) -> Wire:
    """The connection to a table's address, with the key. Raises tables.BadTable."""
    return vendor_wire(name, PROVIDER, table, sdk)


def sdk(key: str, table: Mapping[str, Any]) -> AsyncAnthropic:
    """The vendor's SDK on its aiohttp transport, without retries of its own: it says which headers to send."""
    from anthropic import AsyncAnthropic, DefaultAioHttpClient

    return AsyncAnthropic(
        api_key=key,
        base_url=table["base_url"],
        max_retries=0,
        timeout=table.get("timeout_s", TIMEOUT_S),
        default_headers={"anthropic-version": table["version"]},
        http_client=DefaultAioHttpClient(),
    )


class Messages(Endpoint):
    """The client of the messages endpoint; marks prefixes that several calls share for the cache."""

    def __init__(self, wire: Wire, cache_minimum: int) -> None:
        super().__init__(wire, "messages")
        self._cache_minimum = cache_minimum

    def prepared(self, call: Call) -> Any:
        """The body, with a breakpoint at the end of the prefix that will be read again from the cache."""
        asked = roomy(call)
        if not call.ask.prefix or call.ask.likely_tokens < self._cache_minimum:
            return asked
        front = text_of(opening(split_wrapper(call.ask.segments)[0])) if call.ask.by_opening else ""
        return with_breakpoint(asked, front)


def with_breakpoint(asked: Mapping[str, Any], front: str = "") -> dict[str, Any]:
    """The same body with its first block of text marked for the cache; with that part of it alone, a block of its own,
    where it begins with `front`."""
    first, *others = asked["messages"]
    block, *rest = first["content"]
    if front.strip() and block["text"].startswith(front) and (behind := block["text"][len(front) :]).strip():
        block, rest = text_block(front), [text_block(behind), *rest]
    marked = {**first, "content": [{**block, "cache_control": BREAKPOINT}, *rest]}
    return {**asked, "messages": [marked, *others]}
