"""From a prompt to the token ids of a local checkpoint, within its window; instruction and query are never cut.

Prompts come cut to the profile's limit already (preprocessing/prompts/truncation.py), counted by the checkpoint's own
tokenizer. What is cut here is what still lies over: the tokens that a chat template adds beyond its estimate, or a
prompt that was counted by another tokenizer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from scrollwork.models.base import Ask, Segment


class TooLong(ValueError):
    """Not even instruction and query fit."""


class Codec(Protocol):
    """A checkpoint's tokenizer and chat template."""

    def ids(self, text: str, *, special: bool) -> list[int]:
        """Token ids, with the special tokens that the tokenizer puts around a text or without."""
        ...

    def templated(self, content: str) -> str:
        """One user message in the chat template, up to where the assistant begins."""
        ...


@dataclass(frozen=True)
class Encoded:
    """Token ids, and whether the document was cut for them, further than it came."""

    ids: list[int]
    cut: bool = False


def payload_pieces(ask: Ask) -> dict[str, Any]:
    """A prompt for a payload: text; front: characters up to the end of its last document; documents: where the first
    begins (both 0 without one); cut: whether its documents were cut before."""
    segments = list(ask.segments)
    last = max((number for number, one in enumerate(segments) if one.role == "document"), default=-1)
    first = next((number for number, one in enumerate(segments) if one.role == "document"), 0)
    return {
        "text": joined_text(segments),
        "documents": len(joined_text(segments[:first])) if last >= 0 else 0,
        "front": len(joined_text(segments[: last + 1])),
        "cut": any(segment.role == "omission" for segment in segments),
    }


def joined_text(segments: Sequence[Segment]) -> str:
    """Their text."""
    return "".join(segment.text for segment in segments)


def for_encoder(prompt: Mapping[str, Any], limit: int, codec: Codec) -> Encoded:
    """Ids for an encoder (fact sheet 4.3): of the whole prompt where it fits and was not cut, else those of its front
    and of what follows the document, concatenated, the front's first limit - |rest|.

    The official code leaves the end-of-sequence of an uncut front in the middle; here it stands at the end only.
    """
    text, front = prompt["text"], prompt["front"]
    if not prompt["cut"]:
        whole = codec.ids(text, special=True)
        if len(whole) <= limit:
            return Encoded(whole)
    rest = codec.ids(text[front:], special=True)
    first = codec.ids(text[:front], special=False)
    head = len(codec.ids(text[: prompt["documents"]], special=False))
    if head + len(rest) > limit:
        raise TooLong(f"instruction and query alone are {head + len(rest):,} tokens, the model takes {limit:,}")
    room = limit - len(rest)
    return Encoded(first[:room] + rest, len(first) > room)


def for_decoder(prompt: Mapping[str, Any], limit: int, codec: Codec, *, chat: bool) -> Encoded:
    """Ids for a causal model: in the chat template or with the tokenizer's own special tokens.

    Over the limit the end of the document goes, before the template is put around what is left: cutting the templated
    prompt would take its opening or the assistant's header.
    """

    def ids(text: str) -> list[int]:
        return codec.ids(codec.templated(text), special=False) if chat else codec.ids(text, special=True)

    text, start, end = prompt["text"], prompt["documents"], prompt["front"]
    found = ids(text)
    if len(found) <= limit:
        return Encoded(found)
    if (least := len(ids(text[:start] + text[end:]))) > limit:
        raise TooLong(f"instruction and query alone are {least:,} tokens, there is room for {limit:,}")
    keep = end
    while len(found) > limit:
        tokens = max(1, len(codec.ids(text[start:keep], special=False)))
        keep -= max(1, math.ceil((len(found) - limit) * (keep - start) / tokens))
        keep = max(start, keep)
        found = ids(text[:keep] + text[end:])
    return Encoded(found, True)
