"""The order in which calls are sent, so that calls on one document find its prefix in the provider's cache.

Calls come grouped by their `ask.shared_prefixes`, groups within groups. One call of each group leads; the others follow
when it is answered or has failed for good. If its attempt fails, another call of the group leads while it waits for its
retry. Groups overlap in time: the next one is led before the followers of this one run out, so that no place stays
empty. Calls without a prefix never wait.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass, field, replace

from scrollwork.models.base import Call
from scrollwork.models.engine.sent_prompts import SentPrompts

CACHE_S = 240.0  # vendors keep a prefix for five minutes after its last use, if nothing else is known


@dataclass(eq=False)
class Group:
    """Calls with the same prefix.

    state: cold (no call leads), led (the leader is in flight), warm (the others may go).
    """

    prefix: str
    state: str = "cold"
    waiting: deque[Item] = field(default_factory=deque)


@dataclass(eq=False)
class Item:
    """A call and its attempts. number: its place in the order in which calls came. groups: its groups, outermost first.

    leads: those of `groups` whose other calls wait until this one is answered.
    """

    call: Call
    number: int
    groups: tuple[Group, ...]
    leads: tuple[Group, ...] = ()
    attempts: int = 0
    refused: int = 0  # of the attempts: refused because a service tier had no capacity
    spent_s: float = 0.0

    @property
    def tries(self) -> int:
        """Return the attempts that count in the retry policy."""
        return self.attempts - self.refused

    @property
    def awaited(self) -> bool:
        """Return whether calls that share a prefix may be waiting for it."""
        return any(group.prefix for group in self.leads)

    def __lt__(self, other: Item) -> bool:
        return self.number < other.number


class Order:
    """Calls that wait to be sent. Not thread-safe: one event loop owns it."""

    def __init__(self, cache_s: float = CACHE_S, sent: SentPrompts | None = None) -> None:
        """cache_s: how long a prefix surely stays in the cache after its last use.

        sent: shared by all stages that ask the model.
        """
        self._cache_s = cache_s
        self._ready: list[Item] = []  # heap by number: followers of warm groups, and retries
        self._cold: list[tuple[int, Group]] = []  # heap by the number of the call that was next to lead
        self.behind = 0  # followers that wait for their leader
        self._last: dict[str, Group] = {}  # groups of the latest call, by digest
        self._count = 0
        self._sent = sent or SentPrompts()

    def __bool__(self) -> bool:
        """Return whether any call waits, including those that wait for their leader."""
        return bool(self._ready or self._cold or self.behind)

    @property
    def at_hand(self) -> int:
        """Return how many calls need not wait for a leader."""
        return len(self._ready) + len(self._cold)

    def add(self, call: Call) -> Item:
        """Add the next call."""
        digests = [prefix.digest for prefix in call.ask.shared_prefixes]
        self._last = {one: self._last.get(one) or Group(one) for one in digests}
        item = Item(call, self._count, tuple(self._last.values()) or (Group(""),))
        self._count += 1
        self._put(item)
        return item

    def again(self, item: Item) -> None:
        """Add a call again, as its attempt failed and it is to be retried now."""
        self._put(item, first=True)

    def _put(self, item: Item, *, first: bool = False) -> None:
        """Queue a call in the first of its groups that is not warm."""
        group = next((one for one in item.groups if one.state != "warm"), None)
        if group is None:
            self._follow(item)
            return
        if first:
            group.waiting.appendleft(item)
        else:
            group.waiting.append(item)
        if group.state == "led":
            self.behind += 1
        elif len(group.waiting) == 1:
            heapq.heappush(self._cold, (item.number, group))

    def peek(self, in_flight: int, gap_s: float) -> Item | None:
        """Return the call that goes next, None if all wait for their leaders.

        gap_s: between two requests by the limits.

        Followers go before leaders, the oldest first. A leader goes first if there are fewer followers than requests in
        flight, unless the followers need so long that the first group's prefix would leave the cache meanwhile.
        """
        if not self._cold:
            return self._ready[0] if self._ready else None
        lead = self._cold[0][1].waiting[0]
        if not self._ready:
            return lead if self.behind * gap_s < self._cache_s else None
        following = len(self._ready) + self.behind
        enough = following >= in_flight or following * gap_s > self._cache_s / 2
        return self._ready[0] if enough else lead

    def take(self, item: Item) -> None:
        """Take out the call that `peek` returned, as it is sent now."""
        self._sent.add(item.call.ask.segments)
        if self._ready and self._ready[0] is item:
            heapq.heappop(self._ready)
            return
        _, group = heapq.heappop(self._cold)
        group.waiting.popleft()
        item.leads = tuple(one for one in item.groups if one.state == "cold")
        for one in item.leads:
            one.state = "led"
        self.behind += len(group.waiting)

    def came(self, item: Item) -> None:
        """Note the end of an attempt: update `common_bytes` of the call."""
        ask = item.call.ask
        item.call = replace(item.call, ask=replace(ask, common_bytes=self._sent.common_bytes(ask.segments)))

    def warm(self, item: Item) -> None:
        """Release the calls that wait for this one, as it was answered, failed for good, or takes too long."""
        led, item.leads = item.leads, ()
        waiting: list[Item] = []
        for group in led:
            self.behind -= len(group.waiting)
            group.state = "warm"
            waiting += group.waiting
            group.waiting.clear()
        for one in waiting:
            self._put(one)

    def _follow(self, item: Item) -> None:
        """Queue a call that goes after another of its group, even if it was the first one added."""
        if item.groups[-1].prefix and not item.call.ask.follows:
            item.call = replace(item.call, ask=replace(item.call.ask, follows=True))
        heapq.heappush(self._ready, item)

    def cool(self, item: Item) -> None:
        """Let the next call of each group that this one leads take the lead, as its attempt failed."""
        led, item.leads = item.leads, ()
        for group in led:
            group.state = "cold"
            self.behind -= len(group.waiting)
            if group.waiting:
                heapq.heappush(self._cold, (group.waiting[0].number, group))

    def clear(self) -> None:
        """Forget all calls that wait."""
        self._ready.clear()
        self._cold.clear()
        self.behind = 0
        self._last = {}
