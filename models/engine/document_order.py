"""Which call goes next: the first of a document ahead, the others while its prefix is in the provider's cache.

Calls come grouped by `ask.prefix`. Of each group one call leads; the others follow when it was answered or failed for
good. If its attempt fails, another call of the group leads while it waits for its second attempt. Groups go on side by
side: the next is led before the followers at hand run out, so that no place stays empty. Calls without a prefix never
wait.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from scrollwork.models.base import Call, opening
from scrollwork.models.engine.sent_prompts import SentPrompts
from scrollwork.models.vendors.families import CACHE_MINIMUM

CACHE_S = 240.0  # a prefix is kept for five minutes after its last use, where nothing else is known


def sharing(calls: Iterable[Call], minimum: int = CACHE_MINIMUM) -> Iterator[Call]:
    """The calls, each a moment later, with the prefix that they share with a neighbour: their documents, else what
    stands in front of them (SEAM: demonstrations), from `minimum` tokens on. One that shares none has none: nobody
    would read what it puts into a cache, and writing there costs more than plain input (Anthropic: a quarter). Those
    behind the first that share one `follow`."""
    before, held = None, None
    for call in calls:
        if held is not None:
            yield placed(held, before, call, minimum)
            before = held
        held = call
    if held is not None:
        yield placed(held, before, None, minimum)


def placed(call: Call, before: Call | None, after: Call | None, minimum: int) -> Call:
    """The call between its neighbours, as they were given."""
    ask = call.ask
    others = [None if one is None else one.ask for one in (before, after)]
    documents = [ask.prefix != "" and one is not None and one.prefix == ask.prefix for one in others]
    if any(documents):
        return replace(call, ask=replace(ask, follows=documents[0]))
    openings = [ask.opening != "" and one is not None and one.opening == ask.opening for one in others]
    if any(openings) and ask.share_of(opening(ask.segments)) >= minimum:
        found = replace(ask, prefix=ask.opening, by_opening=True, follows=openings[0])
        return replace(call, ask=found)
    return replace(call, ask=replace(ask, prefix=""))


@dataclass(eq=False)
class Group:
    """Calls with the same prefix. state: cold (nobody leads), led (one is under way), warm (the others may go)."""

    prefix: str
    state: str = "cold"
    waiting: deque[Item] = field(default_factory=deque)


@dataclass(eq=False)
class Item:
    """A call and what was tried of it. number: its place in the order in which calls came."""

    call: Call
    number: int
    group: Group
    attempts: int = 0
    refused: int = 0  # of attempts: for want of room in a tier of service
    spent_s: float = 0.0

    @property
    def tries(self) -> int:
        """Attempts that a policy of retries counts."""
        return self.attempts - self.refused

    def __lt__(self, other: Item) -> bool:
        return self.number < other.number


class Order:
    """Calls that wait to be sent. Not thread-safe; in the hands of one event loop."""

    def __init__(self, cache_s: float = CACHE_S, sent: SentPrompts | None = None) -> None:
        """cache_s: seconds that a prefix may be reckoned to stay in the cache after its last use. sent: by all stages
        that ask the model."""
        self._cache_s = cache_s
        self._ready: list[Item] = []  # heap by number: followers of warm groups, and what is tried again
        self._cold: deque[Group] = deque()  # in the order in which they came
        self.behind = 0  # followers of groups that are led
        self._last: Group | None = None
        self._count = 0
        self._sent = sent or SentPrompts()

    def __bool__(self) -> bool:
        """Whether a call waits, be it for its leader."""
        return bool(self._ready or self._cold or self.behind)

    @property
    def at_hand(self) -> int:
        """Calls that need not wait for a leader."""
        return len(self._ready) + len(self._cold)

    def add(self, call: Call) -> Item:
        """Take in the next call."""
        group = self._last
        if group is None or not group.prefix or group.prefix != call.ask.prefix:
            group = self._last = Group(call.ask.prefix)
        item = Item(call, self._count, group)
        self._count += 1
        self._put(item, first=False)
        return item

    def again(self, item: Item) -> None:
        """A call whose attempt failed is to be tried again now."""
        self._put(item, first=True)

    def _put(self, item: Item, *, first: bool) -> None:
        group = item.group
        if group.state == "warm":
            self._follow(item)
            return
        if first:
            group.waiting.appendleft(item)
        else:
            group.waiting.append(item)
        if group.state == "led":
            self.behind += 1
        elif len(group.waiting) == 1 and first:
            self._cold.appendleft(group)
        elif len(group.waiting) == 1:
            self._cold.append(group)

    def peek(self, in_flight: int, gap_s: float) -> Item | None:
        """The call that goes next, None if all wait for their leaders. gap_s: what limits ask for between two sends.

        Followers before leaders, the oldest first; a leader goes before if there are fewer followers than requests in
        flight, unless so many follow that the first group's prefix would leave the cache meanwhile.
        """
        if not self._cold:
            return self._ready[0] if self._ready else None
        lead = self._cold[0].waiting[0]
        if not self._ready:
            return lead if self.behind * gap_s < self._cache_s else None
        following = len(self._ready) + self.behind
        enough = following >= in_flight or following * gap_s > self._cache_s / 2
        return self._ready[0] if enough else lead

    def take(self, item: Item) -> None:
        """The call that `peek` gave goes out."""
        self._sent.add(item.call.ask.segments)
        if self._ready and self._ready[0] is item:
            heapq.heappop(self._ready)
            return
        group = self._cold.popleft()
        group.waiting.popleft()
        group.state = "led"
        self.behind += len(group.waiting)

    def came(self, item: Item) -> None:
        """An attempt of the call ended."""
        ask = item.call.ask
        item.call = replace(item.call, ask=replace(ask, common_bytes=self._sent.common_bytes(ask.segments)))

    def warm(self, group: Group) -> None:
        """The leader under way was answered, failed for good, or takes too long: the others may go."""
        if group.state == "led":
            self.behind -= len(group.waiting)
        group.state = "warm"
        for item in group.waiting:
            self._follow(item)
        group.waiting.clear()

    def _follow(self, item: Item) -> None:
        """A call that goes behind another of its group, be it the first that was given."""
        if item.group.prefix and not item.call.ask.follows:
            item.call = replace(item.call, ask=replace(item.call.ask, follows=True))
        heapq.heappush(self._ready, item)

    def cool(self, group: Group) -> None:
        """The leader's attempt failed: the next call of the group leads."""
        if group.state == "led":
            group.state = "cold"
            self.behind -= len(group.waiting)
            if group.waiting:
                self._cold.appendleft(group)

    def clear(self) -> None:
        """Forget all that waits."""
        self._ready.clear()
        self._cold.clear()
        self.behind = 0
        self._last = None
