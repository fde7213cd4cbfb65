"""Anthropic: messages. The Claude variant's wrappers (ZeroSCROLLS, fact sheet 3.5) become the turns of a conversation.

No temperature is sent unless the table says that the model accepts one: newer versions of the API refuse it, so greedy
decoding cannot be promised. With `prefill = true`, the answer begins with the variant's opening tag. Newer models
refuse that too; for them the prompt only asks for the tag.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scrollwork.models.base import Ask, Call, Client, SharedPrefix, cut_after_prefixes, split_after_documents, text_of
from scrollwork.models.hosted.endpoint import TIMEOUT_S, Endpoint, body_with_room, no_certificates, vendor_wire
from scrollwork.models.hosted.model import Hosted, decoding, split_wrapper
from scrollwork.models.hosted.wire import Wire

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

PROVIDER = "anthropic"
BREAKPOINT = {"type": "ephemeral"}


def make(name: str, table: Mapping[str, Any], revision: str) -> Hosted:
    """Make the model of a checked table (scrollwork.models.hosted.tables)."""
    return Hosted(name, PROVIDER, table, body, client)


def body(ask: Ask, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a request.

    The text up to the end of the documents is a block of its own, which a cache can hold. Whether it is cached changes
    no answer, so the body, whose digest is the request key, does not say it.
    """
    segments, begun = split_wrapper(ask.segments)
    turns: list[dict[str, Any]] = [{"role": "user", "content": [text_block(text) for text in blocks(segments)]}]
    if begun and table.get("prefill", False):
        turns.append({"role": "assistant", "content": begun})
    return {"model": table["id"], "messages": turns, **decoding(ask, table)}


def blocks(segments: tuple[Any, ...]) -> list[str]:
    """Return [text up to the end of the documents, the rest]. If either is blank, return one text.

    The API accepts no blank blocks.
    """
    head, tail = map(text_of, split_after_documents(segments))
    return [head, tail] if head.strip() and tail.strip() else [head + tail]


def text_block(text: str) -> dict[str, Any]:
    """Return a block of text."""
    return {"type": "text", "text": text}


def client(name: str, table: Mapping[str, Any]) -> Client:
    """Make a client with the key from the environment. Raises tables.BadTable if there is none."""
    return Messages(wire_of(name, table), "messages")


def wire_of(name: str, table: Mapping[str, Any]) -> Wire:
    """Return the connection to a table's address, with the key. Raises tables.BadTable."""
    return vendor_wire(name, PROVIDER, table, sdk)


def sdk(key: str, table: Mapping[str, Any]) -> AsyncAnthropic:
    """Make the vendor's SDK on its aiohttp transport, without its own retries. It says which headers to send
    and sends nothing itself: it trusts no server."""
    from anthropic import AsyncAnthropic, DefaultAioHttpClient

    return AsyncAnthropic(
        api_key=key,
        base_url=table["base_url"],
        max_retries=0,
        timeout=table.get("timeout_s", TIMEOUT_S),
        default_headers={"anthropic-version": table["version"]},
        http_client=DefaultAioHttpClient(verify=no_certificates()),
    )


class Messages(Endpoint):
    """The client of the messages endpoint. It marks the prefixes that several calls share, for the cache."""

    def prepared(self, call: Call) -> Any:
        """Return the body, with breakpoints at the ends of the prefixes that later calls read from the cache."""
        return with_breakpoints(body_with_room(call), call.ask)


def with_breakpoints(asked: Mapping[str, Any], ask: Ask) -> Mapping[str, Any]:
    """Return a body with its text cut after each shared prefix; the marked prefixes end with a breakpoint."""
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
    """Return the blocks of a text. begun: characters of the prompt before the text.

    The API accepts no blank blocks: a blank piece is joined to the next block. At the end it is joined to the last
    block, which then has no breakpoint.
    """
    found: list[dict[str, Any]] = []
    blank = ""
    for piece, marked in cut_after_prefixes(text, prefixes, begun):
        if not piece.strip():
            blank += piece
            continue
        found.append({**text_block(blank + piece), **({"cache_control": BREAKPOINT} if marked else {})})
        blank = ""
    if blank and found:
        found[-1] = text_block(found[-1]["text"] + blank)
    return found or [text_block(text)]
