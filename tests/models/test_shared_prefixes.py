"""What neighbours begin with: found on texts, nested, marked, and cut at the same places in all that share it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from scrollwork.models.base import Ask, Call, Segment, cut_after_prefixes
from scrollwork.models.vendors.shared_prefixes import AHEAD, with_shared_prefixes
from scrollwork.records.prompt import Part, Prompt
from scrollwork.tasks.generate.prefix_order import MOST, in_prefix_order


def call(number: int, *parts: tuple[str, str], tokens: int = 0) -> Call:
    """A call of (role, text)."""
    segments = tuple(Segment(role, text) for role, text in (*parts, ("query", f" Question {number}?")))
    return Call(str(number), "m", {}, Ask("t", str(number), segments, "0" * 64, 1, 10, tokens=tokens))


def on(number: int, name: str, size: int = 8_000) -> Call:
    """A question on a document of 2,000 tokens."""
    return call(number, ("instruction", "Answer. "), ("document", f"{name} " * (size // (len(name) + 1))))


def ends(calls: Sequence[Call]) -> list[list[int]]:
    return [[prefix.characters for prefix in one.ask.shared_prefixes] for one in calls]


def test_prompt_that_nobody_shares_is_written_to_a_cache() -> None:
    given = [on(number, name) for number, name in enumerate(["a", "b", "b", "c", "d", "b", "b", "e"])]
    shared = list(with_shared_prefixes(iter(given)))
    assert [one.key for one in shared] == [one.key for one in given]
    assert [bool(one.ask.shared_prefixes) for one in shared] == [False, True, True, False, False, True, True, False]
    assert {one.ask.prefix_text for one in shared if one.ask.shared_prefixes} == {
        given[1].ask.prompt[: len("Answer. ") + 8_000]
    }
    assert [one.ask.follows for one in shared] == [False, False, True, False, False, False, True, False]
    assert len({one.ask.prefix_digest for one in shared}) == 2
    assert list(with_shared_prefixes([])) == []
    assert ends(list(with_shared_prefixes([given[0]]))) == [[]]


def test_document_that_no_vendor_would_keep_is_marked() -> None:
    short = [on(number, "a", 3_000) for number in range(2)]
    assert ends(list(with_shared_prefixes(short))) == [[], []]
    assert ends(list(with_shared_prefixes(short, 512))) == [[3_008]] * 2
    counted = [replace(one, ask=replace(one.ask, tokens=90)) for one in (on(0, "a"), on(1, "a"))]
    assert ends(list(with_shared_prefixes(counted))) == [[], []], "by a tokenizer it is short"


DEMONSTRATIONS = ("demonstration", "An example. " * 400)  # 1,200 tokens


def shown(number: int, document: str, prefix: tuple[str, str] = DEMONSTRATIONS) -> Call:
    """A call that shows demonstrations before a document of its own."""
    return call(number, prefix, ("instruction", "Answer. "), ("document", document))


def test_demonstrations_that_all_prompts_share_are_paid_with_each() -> None:
    """Where no document is shared, what stands in front of it is: the whole stage is a group that one call leads."""
    found = list(with_shared_prefixes([shown(n, f"{n} its own") for n in range(4)]))
    assert ends(found) == [[4_808]] * 4
    assert [one.ask.follows for one in found] == [False, True, True, True]
    assert ends(list(with_shared_prefixes([shown(n, f"{n} its own") for n in range(4)], 2048))) == [[]] * 4
    long = "word " * 1_600
    mixed = [
        shown(0, f"a {long}"),
        shown(1, f"a {long}"),
        shown(2, "b"),
        shown(3, "c", ("demonstration", "No. " * 999)),
    ]
    assert ends(list(with_shared_prefixes(mixed))) == [[4_808, 12_810], [4_808, 12_810], [4_808], []]


def test_shorter_window_from_the_same_place_is_paid_again_in_the_longer() -> None:
    """Dolce: what two questions on the short window began with is read by those on the long one."""
    text = "".join(f"unit {number} of a text. " for number in range(2_000))
    windows = [text[:6_000], text[:6_000], text[:20_000], text[:20_000], text[100:9_000]]
    found = list(
        with_shared_prefixes([call(n, ("instruction", "Read. "), ("document", one)) for n, one in enumerate(windows)])
    )
    assert ends(found) == [[6_006], [6_006], [6_006, 20_006], [6_006, 20_006], []]
    assert [one.ask.follows for one in found] == [False, True, False, True, False]
    assert found[0].ask.prefix_digest == found[2].ask.shared_prefixes[0].digest
    assert {prefix.marked for one in found for prefix in one.ask.shared_prefixes} == {True}
    cut = [call(n, ("document", text[:end]), ("omission", "..."), ("document", text[-end:])) for n, end in
           enumerate((9_000, 9_000, 9_040))]  # fmt: skip
    assert ends(list(with_shared_prefixes(cut))) == [[9_000, 18_003], [9_000, 18_003], [9_000]], (
        "as documents that were cut"
    )


def test_front_beyond_the_calls_that_are_looked_at_is_lost() -> None:
    """More questions on the first document than are looked at, and only then another that begins as it does."""
    calls = [shown(n, "word " * 1_600) for n in range(3 * AHEAD)] + [shown(999, "other"), shown(1_000, "else")]
    found = ends(list(with_shared_prefixes(calls)))
    assert found[0] == [12_808], "nobody knows yet"
    assert found[-2:] == [[4_808], [4_808]]
    near = ends(list(with_shared_prefixes(calls[2 * AHEAD + 9 :])))
    assert near[0] == [4_808, 12_808]


@pytest.mark.parametrize("marks", [1, 2, 4])
def test_requests_that_share_a_front_are_cut_at_different_places(marks: int) -> None:
    """On random trees, however deep: each prefix is what a neighbour begins with, its marks are few, the text is whole,
    and whoever shares a prefix sends the same pieces up to its end."""
    for seed in range(60):
        rng = random.Random(seed)
        found = list(with_shared_prefixes(tree(rng), 1, marks))
        for place, one in enumerate(found):
            pieces = list(cut_after_prefixes(one.ask.prompt, one.ask.shared_prefixes))
            assert "".join(text for text, _ in pieces) == one.ask.prompt
            assert sum(prefix.marked for prefix in one.ask.shared_prefixes) <= marks
            beside = [other.ask.prompt for other in found[max(0, place - 1) : place + 2] if other is not one]
            if one.ask.shared_prefixes:
                assert any(prompt.startswith(one.ask.prefix_text) for prompt in beside)
                assert one.ask.shared_prefixes[-1].marked
        cuts: dict[str, list[str]] = {}
        for one in found:
            texts = [text for text, _ in cut_after_prefixes(one.ask.prompt, one.ask.shared_prefixes)]
            for number, prefix in enumerate(one.ask.shared_prefixes):
                assert cuts.setdefault(prefix.digest, texts[: number + 1]) == texts[: number + 1]


def tree(rng: random.Random, depth: int = 5) -> list[Call]:
    """Prompts of a random tree of documents, those that share more of it together."""
    calls: list[Call] = []

    def grow(path: tuple[tuple[str, str], ...], left: int) -> None:
        for _ in range(rng.randint(1, 3)):
            more = ("document", f"{rng.random()} " * rng.randint(1, 9))
            if left and rng.random() < 0.7:
                grow((*path, more), left - 1)
            else:
                calls.extend(call(len(calls) + n, *path) for n in range(rng.randint(1, 3)))

    grow((("instruction", "Read. "),), depth)
    return calls


def prompt(document: str, start: int, end: int, question: str) -> Prompt:
    parts = (Part("instruction", "Read."), Part("document", None, document, start, end), Part("query", question))
    more = {"words": 1, "kept_chars": 1, "dropped_chars": 0, "truncated": False, "max_new_tokens": 1}
    return Prompt("s", "t", "test", question, 0, "plain", "full", parts, "0" * 64, **more)  # type: ignore[arg-type]


def test_prompts_on_one_document_are_asked_apart_or_answers_lose_their_place() -> None:
    closed = replace(prompt("d", 0, 1, "closed"), parts=(Part("query", "closed"),))
    table = [closed]
    table += [prompt("d", start, start + length, q) for length in (5, 20) for start in (0, 7) for q in "ab"]
    table += [prompt("e", 0, 5, "a"), prompt("d", 0, 5, "later")]
    found = list(in_prefix_order(table))
    assert [place for place, _ in found] == [0, 1, 2, 10, 5, 6, 3, 4, 7, 8, 9]
    assert all(table[place] is one for place, one in found)


def test_context_with_more_windows_than_memory_is_held() -> None:
    table = [prompt("d", 0, 10 - number % 2, "q") for number in range(2 * MOST + 3)]
    places = [place for place, _ in in_prefix_order(iter(table))]
    assert sorted(places) == list(range(len(table)))
    assert max(places[:MOST]) < MOST <= min(places[MOST : 2 * MOST])
