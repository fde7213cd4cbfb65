"""Order by document: who leads, who follows, and that nobody is forgotten."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.models.base import Call, Segment, SharedPrefix
from scrollwork.models.engine.document_order import CACHE_S, Item, Order
from scrollwork.models.engine.sent_prompts import Recent, SentPrompts
from scrollwork.models.vendors.shared_prefixes import with_shared_prefixes
from tests.models.clock import call


def order_of(*prefixes: str) -> tuple[Order, list[Item]]:
    order = Order()
    return order, [order.add(call(number, prefix)) for number, prefix in enumerate(prefixes)]


def sent(order: Order, in_flight: int = 0, gap_s: float = 0.0) -> list[int]:
    """Numbers of the calls that may go now."""
    found = []
    while (item := order.peek(in_flight + len(found), gap_s)) is not None:
        order.take(item)
        found.append(item.number)
    return found


def test_followers_go_before_their_leader_was_answered() -> None:
    order, items = order_of("a", "a", "a", "b", "b")
    assert sent(order) == [0, 3]
    order.warm(items[0])
    assert sent(order) == [1, 2]
    assert order
    order.warm(items[3])
    assert sent(order) == [4]
    assert not order


def test_call_without_a_prefix_waits() -> None:
    assert sent(order_of("", "", "a", "")[0]) == [0, 1, 2, 3]


def test_follower_that_comes_late_is_not_let_through() -> None:
    order, items = order_of("a")
    assert sent(order) == [0]
    late = order.add(call(1, "a"))
    assert sent(order) == []
    order.warm(items[0])
    assert sent(order) == [late.number]
    assert order.add(call(2, "a")).groups[-1].state == "warm"
    assert sent(order) == [2]


def test_group_waits_for_a_leader_that_rests() -> None:
    order, items = order_of("a", "a", "a")
    assert sent(order) == [0]
    order.cool(items[0])
    assert sent(order) == [1]  # one, not both
    order.again(items[0])
    assert sent(order) == []
    order.warm(items[1])
    assert sent(order) == [0, 2]


def test_call_to_be_tried_again_is_sent_last() -> None:
    order, items = order_of("", "", "")
    order.take(items[0])
    order.cool(items[0])
    order.again(items[0])
    assert sent(order) == [0, 1, 2]


def test_next_group_is_led_only_when_nothing_else_is_left() -> None:
    order, items = order_of(*"aaaaa", *"bbbbb")
    order.take(items[0])
    order.warm(items[0])
    first = order.peek(in_flight=8, gap_s=0.0)
    assert first is not None
    assert first.number == 5  # four followers for eight places: the next document's leader goes ahead
    assert sent(order, in_flight=2) == [1, 2, 5, 3, 4]  # two followers are left for four places


def test_group_is_led_whose_prefix_would_leave_the_cache() -> None:
    order, items = order_of(*"a" * 20, *"b" * 20)
    order.take(items[0])
    assert order.peek(1, gap_s=CACHE_S / 10) is None
    order.warm(items[0])
    found = sent(order, in_flight=30, gap_s=CACHE_S / 10)
    assert found[:15] == [*range(1, 15), 20]  # the next leader once what is left takes half as long as the cache


@st.composite
def plays(draw: st.DrawFn) -> tuple[list[str], list[tuple[str, int]]]:
    groups = draw(st.lists(st.tuples(st.sampled_from(["", "x", "xy", "xyz"]), st.integers(1, 6)), max_size=8))
    prefixes = [outer and f"{outer}{place}" for place, (outer, size) in enumerate(groups) for _ in range(size)]
    what = st.sampled_from(["add", "send", "answer", "fail", "rest", "patience"])
    return prefixes, draw(st.lists(st.tuples(what, st.integers(0, 100)), max_size=120))


@given(plays())
def test_call_is_sent_twice_or_forgotten(play: tuple[list[str], list[tuple[str, int]]]) -> None:
    """Any course of events, then all that is left is answered: each call was answered once, and followers followed."""
    prefixes, events = play
    order, coming = Order(), deque(enumerate(prefixes))
    flying: list[Item] = []
    resting: list[Item] = []
    done: list[int] = []

    def step(what: str, which: int) -> None:
        if what == "add" and coming:
            number, prefix = coming.popleft()
            letters, place = prefix.rstrip("0123456789"), prefix.lstrip("xyz")
            order.add(nested(number, *(letters[: n + 1] + (place if n else "") for n in range(len(letters)))))
        elif what == "send" and (item := order.peek(len(flying), 0.0)) is not None:
            for group in item.groups:
                assert group.state == "warm" or not any(group in other.groups for other in flying)
            order.take(item)
            flying.append(item)
        elif what == "answer" and flying:
            item = flying.pop(which % len(flying))
            order.warm(item)
            done.append(item.number)
        elif what == "fail" and flying:
            item = flying.pop(which % len(flying))
            order.cool(item)
            resting.append(item)
        elif what == "rest" and resting:
            order.again(resting.pop(which % len(resting)))
        elif what == "patience" and flying:
            order.warm(flying[which % len(flying)])

    for what, which in events:
        step(what, which)
    while coming:
        step("add", 0)
    while resting:
        step("rest", 0)
    while order or flying:
        before = len(done), len(flying)
        step("send", 0)
        if before == (len(done), len(flying)):
            assert flying, "calls wait, and nothing is in flight that would let them go"
            step("answer", 0)
    assert sorted(done) == list(range(len(prefixes)))


def test_call_that_fails_as_the_first_of_its_documents_is_taken_for_one_that_nobody_went_before() -> None:
    """Another one leads in its place, so the vendor gives it what that one wrote, and money counts so."""
    order = Order()
    calls = list(with_shared_prefixes([call(number, text="word " * 1000, tokens=0) for number in range(3)]))
    assert [one.ask.follows for one in calls] == [False, True, True]
    for one in calls:
        order.add(one)
    first = order.peek(1, 0.0)
    assert first is not None
    order.take(first)
    order.cool(first)
    second = order.peek(1, 0.0)
    assert second is not None
    order.take(second)
    order.warm(second)
    order.again(first)
    assert (first.call.key, first.call.ask.follows) == ("0", True)


def nested(number: int, *digests: str) -> Call:
    """A call in groups within groups, the outermost first."""
    one = call(number)
    prefixes = tuple(SharedPrefix(place + 1, digest) for place, digest in enumerate(digests))
    return replace(one, ask=replace(one.ask, shared_prefixes=prefixes))


def test_document_waits_for_another_that_shares_its_instruction_or_is_led_before_it_is_written() -> None:
    """One call writes the instruction and its own document; the leaders of other documents read the one, and go at once
    when it came, with the followers of the first."""
    order = Order()
    items = [order.add(nested(number, "all", of)) for number, of in enumerate("aaabbcc")]
    assert sent(order) == [0]
    order.warm(items[0])
    assert sent(order) == [1, 2, 3, 5]
    order.cool(items[3])
    assert sent(order) == [4], "the document is led by its next question, and the instruction stays"
    order.again(items[3])
    assert sent(order) == []
    order.warm(items[5])
    assert sent(order) == [6]
    order.warm(items[4])
    assert sent(order) == [3]
    assert not order


def test_instruction_that_nobody_wrote_is_led_by_a_call_of_the_same_document() -> None:
    order = Order()
    items = [order.add(nested(number, "all", of)) for number, of in enumerate("ab")]
    alone = order.add(nested(2))
    assert sent(order) == [0, alone.number]
    order.cool(items[0])
    assert sent(order) == [1]
    order.again(items[0])
    order.warm(items[1])
    assert sent(order) == [0]


def test_prompts_begin_alike_by_less_than_their_documents() -> None:
    """Where a cache needs no marks, it gives back an instruction that stands before documents, too, of whatever prompt
    was sent: not of the one beside it in the list alone, and whichever comes first at its vendor."""
    word = "é" * 50  # a hundred bytes
    texts = ["short", word * 3, word + "x" * 200, "short", word * 3 + "y", "shorter", "x" * 200]
    order = Order()
    items = [order.add(call(number, "", text=text)) for number, text in enumerate(texts)]
    for number in sent(order):
        order.came(items[number])
    assert [item.call.ask.common_bytes for item in items] == [5, 243, 100, 5, 243, 0, 0]


@pytest.mark.parametrize("shared", [64, 100, 1000, 12_345, 99_999])
def test_more_than_a_fifth_of_what_prompts_begin_with_is_lost(shared: int) -> None:
    prompts = SentPrompts()
    one = [Segment("document", "a" * shared + "b" * 5000)]
    other = [Segment("document", "a" * shared), Segment("query", "c" * 5000)]
    prompts.add(one)
    assert prompts.common_bytes(one) == 0
    prompts.add(other)
    assert 0.8 * shared <= prompts.common_bytes(one) == prompts.common_bytes(other) <= shared


def test_digests_of_prompts_grow_for_ever() -> None:
    recent = Recent(most=50)
    prompts = SentPrompts(recent)
    first = [Segment("document", "first " * 100)]
    prompts.add(first)
    prompts.add(first)
    assert prompts.common_bytes(first) == 600
    for number in range(20):
        prompts.add([Segment("document", f"{number} other " * 100)])
    assert 50 < len(recent) <= 101
    assert prompts.common_bytes(first) == 0
