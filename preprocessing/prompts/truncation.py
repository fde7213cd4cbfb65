"""Truncation (ZeroSCROLLS, fact sheet 4): keep as much of the front as fits, then the omission, then the whole query.

The budget is in tokens of the model's tokenizer; the cut is made at a character offset, so that nothing is decoded. The
instruction and the query are never cut. `official` repeats the quirks of the official code, which are corrected by
default (docs/fidelity.md#truncation).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from scrollwork.preprocessing.prompts.template import Template
from scrollwork.preprocessing.tokens.tokenizer import Tokenizer
from scrollwork.records.prompt import Part, part_text

POLICIES = ("none", "input", "openai", "claude", "prefix", "documents")
CHAT_OVERHEAD = 9  # tokens of a chat message around its text, as the official code counts them
# Tokens by which the sum over parts may differ from the count of the whole, which is counted only this near to the
# limit. Each joint may add one or take one away: 50 reviews have 150 joints, and their sum was once 51 tokens too low.
SLACK, SLACK_OF_JOINT = 64, 2


@dataclass(frozen=True)
class Limit:
    """How prompts are cut. policy: one of POLICIES. tokens: the model's limit. reserved: tokens for the answer.

    chat: the prompt is a chat message. official: with the quirks of the official code.
    """

    policy: str
    tokens: int
    reserved: int = 0
    chat: bool = False
    official: bool = False


@dataclass(frozen=True)
class Cut:
    """A prompt that fits, and its receipt: tokens of the documents, of what was kept, of the prompt; characters.

    tokens_prompt is the sum over the parts if the prompt is far from the limit, else counted on the whole. dropped: the
    spans of documents that were left out.
    """

    parts: tuple[Part, ...]
    tokens_document: int
    tokens_kept: int
    tokens_prompt: int
    kept_chars: int
    dropped_chars: int
    dropped: tuple[Part, ...] = ()


def uncut_receipt(parts: Sequence[Part], tokens_document: int = 0, tokens_prompt: int = 0) -> Cut:
    """Return the receipt of a prompt that was not cut."""
    return Cut(tuple(parts), tokens_document, tokens_document, tokens_prompt, chars_of(parts), 0)


class Counts:
    """A counter of the tokens of parts. Counts of whole documents are looked up; a literal is counted once."""

    def __init__(self, tokenizer: Tokenizer, documents: Mapping[str, int], text_of: Callable[[str], str]) -> None:
        self.tokenizer, self._documents, self._text_of = tokenizer, documents, text_of
        self._literals: dict[str, int] = {}
        self._whole: dict[str, int] = {}  # documents that were not counted before: those of demonstrations

    def of(self, part: Part) -> int:
        """Count the tokens of a part."""
        if part.document_id is not None:
            text = self._text_of(part.document_id)
            whole = part.start == 0 and part.end == len(text)
            if not whole:
                return self.tokenizer.count(text[part.start : part.end])
            known = self._documents.get(part.document_id, self._whole.get(part.document_id))
            if known is None:
                known = self._whole[part.document_id] = self.tokenizer.count(text)
            return known
        assert part.text is not None
        if part.text not in self._literals:
            self._literals[part.text] = self.tokenizer.count(part.text)
        return self._literals[part.text]

    def total(self, parts: Sequence[Part]) -> int:
        """Return the sum over the parts: within a few tokens of the whole text, as parts meet at white space."""
        return sum(self.of(part) for part in parts)

    def exact(self, parts: Sequence[Part]) -> int:
        """Return the tokens of the joined text."""
        return self.tokenizer.count(joined(parts, self._text_of))

    def fits(self, parts: Sequence[Part], most: int) -> tuple[bool, int]:
        """Return whether the parts fit the limit, and their tokens; the joined text is counted only near the limit."""
        total = self.total(parts)
        if abs(total - most) > SLACK + SLACK_OF_JOINT * len(parts):
            return total <= most, total
        total = self.exact(parts)
        return total <= most, total


def token_room(limit: Limit, tokenizer: Tokenizer) -> int:
    """Return the most tokens that a prompt may have uncut.

    input, prefix: the limit less the tokenizer's special tokens. openai, claude: the limit less the answer; the
    official code forgets the 9 tokens of a chat message here (fact sheet 4.1).
    """
    if limit.policy in ("input", "prefix"):
        return limit.tokens - tokenizer.added
    overhead = CHAT_OVERHEAD if limit.policy == "openai" and limit.chat and not limit.official else 0
    return limit.tokens - limit.reserved - overhead


def front_budget(limit: Limit, tail: int) -> int:
    """Return how many tokens of the front a cut keeps. tail: tokens of omission and query.

    openai (4.1): limit - tail - reserved - 1, and 9 fewer for chat models. claude (4.2): the same without the 9; its
    tail has the Human prefix. input (4.3): limit - tail; its tail has the special tokens.
    """
    if limit.policy in ("openai", "claude"):
        overhead = CHAT_OVERHEAD if limit.policy == "openai" and limit.chat else 0
        return limit.tokens - tail - limit.reserved - 1 - overhead
    return limit.tokens - tail


def truncate(
    parts: Sequence[Part], template: Template, text_of: Callable[[str], str], counts: Counts, limit: Limit
) -> Cut:
    """Cut a prompt to a limit. Raises ValueError if not even instruction and query fit.

    prefix (SCROLLS 5, fact sheet 6.2): the first tokens of the input, no omission marker.
    """
    parts = tuple(parts)
    most = token_room(limit, counts.tokenizer)
    fitting, total = counts.fits(parts, most)
    if fitting:
        return uncut_receipt(parts, counts.total(documents_of(parts)), total)
    if limit.policy == "prefix":
        return prefix(parts, text_of, counts, most)
    front, tail = split_front(parts)
    wrapper = front[:1] if front[0].role == "wrapper" else []
    omission = Part("omission", template.separator)
    ending = (omission, *tail)
    tail_tokens = counts.exact([*wrapper, *ending]) + (counts.tokenizer.added if limit.policy == "input" else 0)
    budget = front_budget(limit, tail_tokens)
    own = front[len(wrapper) :]
    while True:
        needed = counts.exact(head(own))
        if budget < needed:
            answer = f" and the answer up to {limit.reserved:,}" if limit.policy in ("openai", "claude") else ""
            raise ValueError(
                f"{limit.tokens:,} tokens leave no room for the document: instruction and query need "
                f"{needed + tail_tokens:,}{answer}"
            )
        cut = cut_front(wrapper, own, budget, counts.tokenizer, text_of, limit)
        kept = (*wrapper, *cut, *ending)
        total = counts.exact(kept)
        # Tokenised again as one text, it may have a token more at the joint; the official code does not check.
        if total <= most or limit.official:
            return receipt(parts, kept, counts, total, budget - counts.total(literals_of(cut)))
        budget -= total - most


def cut_front(
    wrapper: Sequence[Part],
    front: Sequence[Part],
    budget: int,
    tokenizer: Tokenizer,
    text_of: Callable[[str], str],
    limit: Limit,
) -> list[Part]:
    """Cut the front (without Claude's wrapper) to a number of tokens.

    Official quirk: claude applies a token's position in the wrapped prompt to the text without its wrapper, which is 9
    characters too far (fact sheet 4.2).
    """
    text = joined(front, text_of)
    if limit.official and limit.policy == "claude":
        return cut_at(front, tokenizer.cut(joined(wrapper, text_of) + text, budget), text_of)
    return cut_at(front, tokenizer.cut(text, budget), text_of)


def prefix(parts: Sequence[Part], text_of: Callable[[str], str], counts: Counts, most: int) -> Cut:
    """Keep the first `most` tokens. Raises ValueError if the query alone has more."""
    before = counts.exact(head(parts))
    if most < before:
        raise ValueError(f"{most:,} tokens leave no room for the document: the query needs {before:,}")
    budget = most
    while True:
        kept = tuple(cut_at(parts, counts.tokenizer.cut(joined(parts, text_of), budget), text_of))
        total = counts.exact(kept)
        if total <= most:
            return receipt(parts, kept, counts, total, total - counts.total(literals_of(kept)))
        budget -= total - most


def receipt(parts: Sequence[Part], kept: Sequence[Part], counts: Counts, total: int, kept_tokens: int) -> Cut:
    """Make the receipt of a cut: which spans of the documents were kept and dropped."""
    dropped = tuple(dropped_spans(parts, kept))
    tokens = counts.total(documents_of(parts))
    lost = chars_of(dropped)
    shown = max(0, min(kept_tokens, tokens)) if lost else tokens
    return Cut(tuple(kept), tokens, shown, total, chars_of(parts) - lost, lost, dropped)


def dropped_spans(parts: Sequence[Part], kept: Sequence[Part]) -> list[Part]:
    """List the spans of documents that are not in the kept parts, which are the first of all parts."""
    left = list(documents_of(kept))
    spans = []
    for part in documents_of(parts):
        start = part.start or 0
        if left and (left[0].document_id, left[0].start) == (part.document_id, part.start):
            start = left.pop(0).end or 0
        if start < (part.end or 0):
            spans.append(replace(part, start=start))
    return spans


def documents_of(parts: Sequence[Part]) -> list[Part]:
    """List the parts that are spans of documents."""
    return [part for part in parts if part.role == "document"]


def literals_of(parts: Sequence[Part]) -> list[Part]:
    """List the parts that are literals."""
    return [part for part in parts if part.role != "document"]


def split_front(parts: Sequence[Part]) -> tuple[list[Part], list[Part]]:
    """Split the parts: the front, up to the document's end, may be cut; the query and what follows may not."""
    last = max(index for index, part in enumerate(parts) if part.role == "document")
    tail = list(parts[last + 1 :])
    while tail and tail[0].role == "gap":
        tail.pop(0)  # the omission brings its own blank line
    front = list(parts[: len(parts) - len(tail)])
    return front, tail


def head(front: Sequence[Part]) -> list[Part]:
    """List the parts before the document."""
    first = next(index for index, part in enumerate(front) if part.role in ("inner_header", "document"))
    return list(front[:first])


def cut_at(front: Sequence[Part], keep: int, text_of: Callable[[str], str]) -> list[Part]:
    """Return the parts of the first `keep` characters."""
    kept: list[Part] = []
    for part in front:
        length = len(part_text(part, text_of))
        if length > keep:
            if keep:
                kept.append(shorten(part, keep))
            break
        kept.append(part)
        keep -= length
    return kept


def shorten(part: Part, keep: int) -> Part:
    """Cut a part to its first `keep` characters."""
    if part.text is not None:
        return Part(part.role, part.text[:keep])
    assert part.start is not None
    return Part(part.role, None, part.document_id, part.start, part.start + keep)


def joined(parts: Sequence[Part], text_of: Callable[[str], str]) -> str:
    """Join the text of the parts."""
    return "".join(part_text(part, text_of) for part in parts)


def chars_of(parts: Sequence[Part]) -> int:
    """Count the characters of the parts that are spans of documents."""
    return sum((part.end or 0) - (part.start or 0) for part in documents_of(parts))
