"""What prompts that are asked one behind the other begin with together: prefixes that a provider's cache can hold.

A prefix ends behind what stands before all that is an input's own (an instruction, demonstrations), behind one of its
documents, or within one of which another prompt shows less (windows from the same place, a document that was cut at
another place). Prefixes are nested: an instruction, documents behind it, a longer window of these.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import accumulate

from scrollwork.models.base import OF_THE_INPUT, Ask, Call, SharedPrefix
from scrollwork.models.vendors.families import CACHE_MINIMUM, MARKS

AHEAD = 64  # calls that are looked at, so that the first knows all that those behind it begin with
CHARACTERS = 2**25  # of their prompts at most, but for two


def with_shared_prefixes(
    calls: Iterable[Call], minimum: int = CACHE_MINIMUM, marks: int = MARKS, least: int = 2
) -> Iterator[Call]:
    """The calls, some time later, with the prefixes that they share with those before and behind them, from `minimum`
    tokens on. One that shares none has none: nobody would read what it puts into a cache, and writing there costs more
    than plain input (Anthropic: a quarter).

    Calls that share a prefix must stand together; of those that share one, the ones that share more of it too. least:
    how many calls must share a prefix.
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
    """The prefixes of one prompt. back: characters that it shares with the call before, whose prefixes are `before`.
    ahead: that it shares with the next, the next with the one behind it, and so on.

    Marked are the longest that was written before it, the longest that the next shares, and the shortest others. A
    prefix that turns out only later is left alone where longer ones are in use: requests that share a prefix are cut at
    the same places up to its end, so that no vendor can take them for different ones.
    """
    known = {prefix.characters: prefix.digest for prefix in before if prefix.characters <= back}
    deepest = max(known, default=0)
    found = set(known)
    enough = list(accumulate(ahead, min))[least - 2 :]  # what so many calls behind this one share, and more of them
    found.update(shared for shared in enough if shared > deepest)
    longest, following = max(found, default=0), max((one for one in found if ahead and one <= ahead[0]), default=0)
    wanted = [longest, deepest, following, *sorted(found)]
    marked = [one for one in dict.fromkeys(wanted) if one][:marks]
    prompt = ask.prompt if found - known.keys() else ""
    return tuple(SharedPrefix(one, known.get(one) or digest(prompt[:one]), one in marked) for one in sorted(found))


def digest(text: str) -> str:
    """By which prefixes are known."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=32).hexdigest()


def shared_length(one: Ask, other: Ask, minimum: int) -> int:
    """Characters of the longest prefix that two prompts share; 0 where it has fewer tokens than a cache keeps."""
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
