"""Prefixes that prompts of neighbouring calls share, so that a provider's cache can hold them.

A prefix ends after the text that comes before all that belongs to one input (an instruction, demonstrations), after one
of the documents, or within a document of which another prompt shows less (windows from the same start, a document that
was cut elsewhere). Prefixes are nested: an instruction, the documents after it, a longer window of these.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import accumulate

from scrollwork.models.base import OF_THE_INPUT, Ask, Call, SharedPrefix
from scrollwork.models.vendors.marks import CACHE_MINIMUM, MARKS

AHEAD = 64  # calls that are read ahead, so that the first of them knows the prefixes that later ones share
CHARACTERS = 2**25  # of their prompts at most, if there are more than two


def with_shared_prefixes(
    calls: Iterable[Call], minimum: int = CACHE_MINIMUM, marks: int = MARKS, least: int = 2
) -> Iterator[Call]:
    """Yield the calls in order, with the prefixes that each shares with calls before and after it.

    `follows` is set for a call if the one before it shares its longest prefix. A call that shares nothing gets no
    prefixes: nobody would read what it writes to a cache, and writing costs more than plain input (Anthropic: a quarter
    more). Calls that share a prefix must follow one another, and among them those that share a longer one. Calls are
    read ahead, and so yielded later. minimum: tokens of the shortest prefix. marks: that a request may have. least: how
    many calls must share a prefix.
    """
    source, held, ahead = iter(calls), deque[Call](), deque[int]()  # ahead: what each held call shares with the next
    before: tuple[SharedPrefix, ...] = ()
    back, size, ended = 0, 0, False
    while True:
        while not ended and (len(held) < 2 or (ahead[-1] and len(held) <= AHEAD and size <= CHARACTERS)):
            following = next(source, None)
            if following is None:
                ended = True
            else:
                if held:
                    ahead.append(shared_length(held[-1].ask, following.ask, minimum))
                held.append(following)
                size += following.ask.characters
        if not held:
            return
        call = held.popleft()
        size -= call.ask.characters
        before = prefixes_of(call.ask, back, list(ahead), before, marks, least)
        behind = bool(before) and back >= before[-1].characters
        yield replace(call, ask=replace(call.ask, shared_prefixes=before, follows=behind))
        back = ahead.popleft() if ahead else 0


def prefixes_of(
    ask: Ask, back: int, ahead: Sequence[int], before: Sequence[SharedPrefix], marks: int, least: int = 2
) -> tuple[SharedPrefix, ...]:
    """Return the prefixes of one prompt, the shortest first.

    back: characters that it shares with the call before, whose prefixes are `before`. ahead: characters that it shares
    with the next call, that call with the one after it, and so on. marks, least: as in `with_shared_prefixes`.

    Marked are the longest prefix that was written before, the longest that the next call shares, and the shortest
    others. A prefix that becomes known only later is not used while longer ones are: requests that share a prefix are
    cut at the same places up to its end, so that no vendor can take them for different prefixes.
    """
    known = {prefix.characters: prefix.digest for prefix in before if prefix.characters <= back}
    deepest = max(known, default=0)
    found = set(known)
    enough = list(accumulate(ahead, min))[least - 2 :]  # the prefixes that this call and enough calls after it share
    found.update(shared for shared in enough if shared > deepest)
    longest, following = max(found, default=0), max((one for one in found if ahead and one <= ahead[0]), default=0)
    wanted = [longest, deepest, following, *sorted(found)]
    marked = [one for one in dict.fromkeys(wanted) if one][:marks]
    prompt = ask.prompt if found - known.keys() else ""
    return tuple(SharedPrefix(one, known.get(one) or digest(prompt[:one]), one in marked) for one in sorted(found))


def digest(text: str) -> str:
    """Return the digest that identifies a prefix."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=32).hexdigest()


def shared_length(one: Ask, other: Ask, minimum: int) -> int:
    """Return the characters of the longest prefix that two prompts share; 0 if it has fewer than `minimum` tokens."""
    at = end = 0
    own = False
    for mine, theirs in zip(one.segments, other.segments, strict=False):
        own = own or mine.role in OF_THE_INPUT
        if mine != theirs:
            shorter, longer = sorted((mine.text, theirs.text), key=len)
            if mine.role == theirs.role == "document" and shorter and longer.startswith(shorter):
                end = at + len(shorter)
            break
        at += len(mine.text)
        if not own or mine.role in ("document", "omission"):
            end = at
    return end if min(one.share_of(end), other.share_of(end)) >= max(1, minimum) else 0
