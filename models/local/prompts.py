"""Convert a prompt to the token ids of a local checkpoint, within its window. Instruction and query are never cut.

Prompts are already cut to the profile's limit (preprocessing/prompts/truncation.py), counted by the checkpoint's own
tokenizer. Only what still exceeds the window is cut here: because a chat template adds more tokens than estimated, or
because another tokenizer counted the prompt.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from scrollwork.models.base import Ask, Segment


class TooLong(ValueError):
    """Even the instruction and the query alone do not fit."""


class Codec(Protocol):
    """A checkpoint's tokenizer and chat template."""

    def ids(self, text: str, *, special: bool) -> list[int]:
        """Return the token ids of a text. special: with the special tokens that the tokenizer puts around a text."""
        ...

    def templated(self, content: str) -> str:
        """Return one user message in the chat template, up to where the assistant's turn begins."""
        ...


@dataclass(frozen=True)
class Encoded:
    """Token ids of a prompt. cut: the document was cut to fit, in addition to earlier cuts."""

    ids: list[int]
    cut: bool = False


def payload_pieces(ask: Ask) -> dict[str, Any]:
    """Return a prompt in the form that payloads have.

    text: the prompt. documents, front: characters before its first document, and up to the end of its last one; both 0
    without documents. cut: its documents were cut before.
    """
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
    """Return the text of segments."""
    return "".join(segment.text for segment in segments)


def for_encoder(prompt: Mapping[str, Any], limit: int, codec: Codec) -> Encoded:
    """Return the ids for an encoder (fact sheet 4.3). limit: tokens of the window. Raises TooLong.

    They are the ids of the whole prompt if it fits and was not cut before. Else the ids of the front (up to the end of
    the documents) and of the rest are concatenated; of the front, the first limit - |rest| are kept.

    The official code leaves the end-of-sequence token of an uncut front in the middle; here it is only at the end.
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
    """Return the ids for a causal model. limit: tokens that the prompt may have. Raises TooLong.

    chat: use the chat template, in place of the tokenizer's own special tokens. A prompt that is too long loses the end
    of its documents before the template is applied: cutting afterwards would remove the template's opening or the
    assistant's header.
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
