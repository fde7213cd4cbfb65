"""Truncation (ZeroSCROLLS, fact sheet 4): keep as much of the front as fits, then the omission, then the whole query.

The budget is in tokens of the model's tokenizer; the cut is made by character offset, so that nothing is decoded. The
instruction and the query are never cut.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from preprocessing.prompting import Template
from records.prompt import Part, part_text

POLICIES = ("none", "input", "openai", "prefix")
CHAT_OVERHEAD = 9  # tokens of a chat message around its text, as the official code counts them
QUERY_ROLES = ("query_header", "query", "response_header")


class Tokenizer(Protocol):
    """Counts tokens and says where they end."""

    name: str

    def ends(self, text: str) -> Sequence[int]:
        """Character offset of the end of each token, rising."""
        ...


class WhitespaceWords:
    """An estimate that says so: one token a white-space word."""

    name = "words (an estimate: one token a word)"

    def ends(self, text: str) -> list[int]:
        """Ends of the white-space words."""
        return [match.end() for match in re.finditer(r"\S+", text)]


TOKENIZERS: dict[str, Callable[[], Tokenizer]] = {"words": WhitespaceWords}


@dataclass(frozen=True)
class Cut:
    """A prompt that fits, and its receipt: tokens of the document, of what was kept, of the prompt; characters."""

    parts: tuple[Part, ...]
    tokens_document: int
    tokens_kept: int
    tokens_prompt: int
    kept_chars: int
    dropped_chars: int


def fits(total: int, limit: int, reserved: int) -> bool:
    """Whether a prompt of `total` tokens needs no cut; `reserved`: tokens of the answer (0 for open models)."""
    return total <= limit - reserved


def front_budget(policy: str, limit: int, reserved: int, tail: int, chat: bool) -> int:
    """How many tokens of the front are kept when a cut is needed; `tail`: tokens of omission and query.

    openai (4.1): limit - tail - reserved - 1, and 9 fewer for chat models. input (4.3, open models): limit - tail.
    """
    if policy == "openai":
        return limit - tail - reserved - 1 - (CHAT_OVERHEAD if chat else 0)
    return limit - tail


def truncate(
    parts: Sequence[Part],
    template: Template,
    text_of: Callable[[str], str],
    tokenizer: Tokenizer,
    *,
    policy: str,
    limit: int,
    reserved: int,
    chat: bool,
) -> Cut:
    """The prompt cut to `limit` tokens by `policy`. Raises ValueError when not even the query fits.

    prefix (SCROLLS): the first `limit` tokens, nothing added.
    """
    if policy == "prefix":
        return prefix(parts, text_of, tokenizer, limit)
    front, tail = split_front(parts)
    omission = Part("omission", template.separator)
    if policy == "input":
        reserved = 0
    front_text = "".join(part_text(part, text_of) for part in front)
    tail_text = "".join(part_text(part, text_of) for part in tail)
    ends = tokenizer.ends(front_text)
    document = sum(part_length(part) for part in parts if part.role == "document")
    before = len(tokenizer.ends("".join(part_text(part, text_of) for part in head(front))))
    whole = len(ends) + len(tokenizer.ends(tail_text))
    if fits(whole, limit, reserved):
        return Cut(tuple(parts), len(ends) - before, len(ends) - before, whole, document, 0)
    tail_tokens = len(tokenizer.ends(f"{omission.text}{tail_text}"))
    budget = front_budget(policy, limit, reserved, tail_tokens, chat)
    if budget < before:
        raise ValueError(
            f"{limit:,} tokens leave no room for the document: instruction and query need {before + tail_tokens:,}"
        )
    kept = cut_at(front, ends[budget - 1] if budget else 0, text_of)
    kept_chars = sum(part_length(part) for part in kept if part.role == "document")
    return Cut(
        (*kept, omission, *tail),
        len(ends) - before,
        budget - before,
        budget + tail_tokens,
        kept_chars,
        document - kept_chars,
    )


def prefix(parts: Sequence[Part], text_of: Callable[[str], str], tokenizer: Tokenizer, limit: int) -> Cut:
    """The first `limit` tokens of the whole input (SCROLLS 5, fact sheet 6.2): no omission marker."""
    ends = tokenizer.ends("".join(part_text(part, text_of) for part in parts))
    before = len(tokenizer.ends("".join(part_text(part, text_of) for part in head(parts))))
    document = sum(part_length(part) for part in parts if part.role == "document")
    if len(ends) <= limit:
        return Cut(tuple(parts), len(ends) - before, len(ends) - before, len(ends), document, 0)
    if limit < before:
        raise ValueError(f"{limit:,} tokens leave no room for the document: the query needs {before:,}")
    kept = cut_at(parts, ends[limit - 1] if limit else 0, text_of)
    kept_chars = sum(part_length(part) for part in kept if part.role == "document")
    return Cut(tuple(kept), len(ends) - before, limit - before, limit, kept_chars, document - kept_chars)


def split_front(parts: Sequence[Part]) -> tuple[list[Part], list[Part]]:
    """What may be cut, up to and with the document, and what may not: the query and what follows."""
    last = max(index for index, part in enumerate(parts) if part.role == "document")
    tail = list(parts[last + 1 :])
    while tail and tail[0].role == "gap":
        tail.pop(0)  # the omission brings its own blank line
    front = list(parts[: len(parts) - len(tail)])
    return front, tail


def head(front: Sequence[Part]) -> list[Part]:
    """What stands before the document."""
    first = next(index for index, part in enumerate(front) if part.role in ("inner_header", "document"))
    return list(front[:first])


def cut_at(front: Sequence[Part], keep: int, text_of: Callable[[str], str]) -> list[Part]:
    """The parts that make the first `keep` characters."""
    kept: list[Part] = []
    for part in front:
        length = len(part_text(part, text_of))
        if length > keep:
            if keep:
                kept.append(shortened(part, keep))
            break
        kept.append(part)
        keep -= length
    return kept


def shortened(part: Part, keep: int) -> Part:
    """The first `keep` characters of a part."""
    if part.text is not None:
        return Part(part.role, part.text[:keep])
    assert part.start is not None
    return Part(part.role, None, part.document_id, part.start, part.start + keep)


def part_length(part: Part) -> int:
    """Characters of a document part."""
    assert part.start is not None
    assert part.end is not None
    return part.end - part.start
