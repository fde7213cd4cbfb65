"""Anthropic: messages. The Claude variant's wrappers (ZeroSCROLLS, fact sheet 3.5) become the turns of a conversation.

No temperature is sent unless the table says that the model takes one: newer versions of the API refuse it, and greedy
decoding cannot be promised. `prefill = true` begins the answer with the variant's opening tag; newer models refuse that
too, and the tag is only asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scrollwork.models.base import Ask, Call, Client, SharedPrefix, cut_behind, halves, text_of
from scrollwork.models.hosted.endpoint import TIMEOUT_S, Endpoint, body_with_room, vendor_wire
from scrollwork.models.hosted.model import Hosted, decoding, split_wrapper
from scrollwork.models.hosted.wire import Wire

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
    return Messages(wire_of(name, table), "messages")


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
    """The client of the messages endpoint; marks for the cache what several calls begin with."""

    def prepared(self, call: Call) -> Any:
        """The body, with breakpoints at the ends of the prefixes that will be read again from the cache."""
        return with_breakpoints(body_with_room(call), call.ask)


def with_breakpoints(asked: Mapping[str, Any], ask: Ask) -> Mapping[str, Any]:
    """The same body with its text cut behind the prefixes, each of them marked for the cache."""
    if not ask.shared_prefixes:
        return asked
    first, *others = asked["messages"]
    begun = len(ask.segments[0].text) if ask.segments[0].role == "wrapper" else 0
    content: list[dict[str, Any]] = []
    for block in first["content"]:
        content += cut(block["text"], ask.shared_prefixes, begun)
        begun += len(block["text"])
    return {**asked, "messages": [{**first, "content": content}, *others]}


def cut(text: str, prefixes: Sequence[SharedPrefix], begun: int) -> list[dict[str, Any]]:
    """The blocks of a text. begun: as of `cut_behind`. A prefix whose end leaves a blank piece has no end here: the API
    takes no blank block."""
    found: list[dict[str, Any]] = []
    blank = ""
    for piece, marked in cut_behind(text, prefixes, begun):
        if not piece.strip():
            blank += piece
            continue
        found.append({**text_block(blank + piece), **({"cache_control": BREAKPOINT} if marked else {})})
        blank = ""
    if blank and found:
        found[-1] = text_block(found[-1]["text"] + blank)
    return found or [text_block(text)]
