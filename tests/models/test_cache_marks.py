"""Prefix caches by the rule of the family: what is written is read again, and nothing that is asked once is written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scrollwork.models.base import (
    Ask,
    Call,
    Segment,
    SharedPrefix,
    Usage,
    cut_after_prefixes,
    split_after_documents,
    text_of,
)
from scrollwork.models.engine.limits import Caps, Ended, Limiter, tokens_used
from scrollwork.models.engine.usage_bounds import bounds_of, usage_problem
from scrollwork.models.hosted.anthropic import Messages
from scrollwork.models.hosted.tables import checked_table
from scrollwork.models.registry import make
from scrollwork.models.vendors.marks import batch_group, cache_least, cache_seconds, cache_use
from scrollwork.models.vendors.shared_prefixes import with_shared_prefixes
from scrollwork.storage.digest import sha256_of

DOCUMENT = "A document of many words, which is asked again. " * 200
EXPLICIT = {"prompt_cache_options": {"mode": "explicit"}}


def ask(question: str, prefix: str = "d" * 64, document: str = DOCUMENT) -> Ask:
    """One question on a document."""
    segments = (
        Segment("instruction", "Answer. "),
        Segment("document", document),
        Segment("query", f"\n{question}"),
        Segment("response_header", "\nAnswer:"),
    )
    prefixes = (SharedPrefix(len("Answer. ") + len(document), prefix),) if prefix else ()
    return Ask("t", question, segments, "x" * 64, 1, 10, shared_prefixes=prefixes)


def table(model_id: str, **more: Any) -> dict[str, Any]:
    """A model on the spot."""
    return checked_table("m", {"provider": "openai", "id": model_id, **more})


def call(model_id: str, one: Ask, **more: Any) -> tuple[Call, dict[str, Any]]:
    """(the call, its body as it is sent)."""
    of = table(model_id, **more)
    payload = make("m", of, "").payload(one, "m")
    found = Call(sha256_of(payload), "m", payload, one)
    return found, cache_use(of).sent(payload["body"], one)


@pytest.mark.parametrize("model_id", ["gpt-5.6-luna", "gpt-6-luna", "gpt-6.1-terra", "gpt-6.2-sol"])
def test_document_that_is_asked_twice_is_paid_twice(model_id: str) -> None:
    """The mark stands behind the document; the text that the model reads is the same."""
    one, sent = call(model_id, ask("first?"))
    head, tail = sent["messages"][0]["content"]
    assert head["prompt_cache_breakpoint"] == {"mode": "explicit", "ttl": "30m"}
    assert head["text"].endswith(DOCUMENT)
    assert "prompt_cache_breakpoint" not in tail
    assert head["text"] + tail["text"] == one.payload["body"]["messages"][0]["content"] == one.ask.prompt
    other, again = call(model_id, ask("second?"))
    assert again["messages"][0]["content"][0] == head, "another prefix is another entry"
    assert sent["prompt_cache_key"] == again["prompt_cache_key"] == "d" * 16
    assert {key: sent[key] for key in EXPLICIT} == EXPLICIT
    assert other.key != one.key


def test_mark_is_part_of_the_request_key() -> None:
    shared, _ = call("gpt-6-luna", ask("first?"))
    alone, sent = call("gpt-6-luna", ask("first?", prefix=""))
    assert shared.key == alone.key
    assert sent == {**alone.payload["body"], **EXPLICIT}, "asked once: neither written nor read"


def test_piece_behind_the_last_prefix_is_lost_or_empty() -> None:
    prefixes = [SharedPrefix(2, "a"), SharedPrefix(4, "b", marked=False)]
    assert list(cut_after_prefixes("tidal", prefixes)) == [("ti", True), ("da", False), ("l", False)]
    assert list(cut_after_prefixes("tide", prefixes)) == [("ti", True), ("de", False)]
    assert list(cut_after_prefixes("de!", prefixes, begun=2)) == [("de", False), ("!", False)]


def test_responses_endpoint_gets_no_mark() -> None:
    one, sent = call("gpt-6-sol", ask("first?"), endpoint="responses")
    (turn,) = sent["input"]
    assert [part["type"] for part in turn["content"]] == ["input_text", "input_text"]
    assert "".join(part["text"] for part in turn["content"]) == one.ask.prompt
    assert turn["content"][0]["prompt_cache_breakpoint"]["ttl"] == "30m"
    assert sent["store"] is False


@pytest.mark.parametrize("model_id", ["gpt-4o", "gpt-5-mini", "gpt-5.4"])
def test_family_of_before_gets_options_that_it_refuses(model_id: str) -> None:
    one, sent = call(model_id, ask("first?"))
    assert sent == {**one.payload["body"], "prompt_cache_key": "d" * 16}
    _, alone = call(model_id, ask("first?", prefix=""))
    assert "prompt_cache_key" not in alone


def test_server_of_ones_own_gets_what_only_openai_knows() -> None:
    one, sent = call("gpt-6-luna", ask("first?"), base_url="http://127.0.0.1:9/v1")
    assert sent == one.payload["body"]
    one, sent = call("gpt-6-luna", ask("first?"), base_url="http://127.0.0.1:9/v1", vendor="openai")
    assert "prompt_cache_options" in sent


def test_mark_behind_demonstrations_stands_elsewhere_or_changes_the_text() -> None:
    """OpenAI's and Anthropic's: what all prompts of a stage begin with is a part of its own, and the key is as it was."""
    segments = (
        Segment("demonstration", "An example of a task. " * 300),
        Segment("instruction", "Answer. "),
        Segment("document", "Its own document."),
        Segment("query", "\nWhat?"),
    )
    prefix = text_of(segments[:2])
    one = Ask("t", "1", segments, "x" * 64, 1, 10, shared_prefixes=(SharedPrefix(len(prefix), "o" * 64),))
    made, sent = call("gpt-6-luna", one)
    head, tail = sent["messages"][0]["content"]
    assert (head["text"], tail["text"]) == (prefix, text_of(segments[2:]))
    assert "prompt_cache_breakpoint" in head
    assert sent["prompt_cache_key"] == "o" * 16
    assert made.key == call("gpt-6-luna", replace(one, shared_prefixes=()))[0].key
    claude = make("m", checked_table("m", {"provider": "anthropic", "id": "claude-opus-5-5"}), "")
    payload = claude.payload(one, "m")
    assert payload == claude.payload(replace(one, shared_prefixes=()), "m")
    asked = Messages(None, "messages").prepared(Call("k", "m", payload, one))  # type: ignore[arg-type]
    first, second, third = asked["messages"][0]["content"]
    assert (first["text"], "cache_control" in first) == (prefix, True)
    assert first["text"] + second["text"] + third["text"] == "".join(
        block["text"] for block in payload["body"]["messages"][0]["content"]
    )
    assert not any("cache_control" in block for block in (second, third))


def test_grok_is_asked_without_the_header_that_its_cache_wants() -> None:
    """Documents that several questions share go to one cache by the header, and the body is as it was."""
    grok = {"provider": "compatible", "id": "grok-4.7", "base_url": "https://api.x.ai/v1"}
    use = cache_use(checked_table("m", grok))
    assert use.headers(ask("first?")) == use.headers(ask("second?")) == {"x-grok-conv-id": "d" * 16}
    assert use.headers(ask("alone?", prefix="")) == {}
    assert use.sent({"messages": []}, ask("first?")) == {"messages": []}
    assert cache_use(table("gpt-5.4-mini")).headers(ask("first?")) == {}


@pytest.mark.parametrize(
    ("id_and_address", "tokens"),
    [
        (("grok-4.7", "https://api.x.ai/v1"), 128),
        (("deepseek-flash", "https://api.deepseek.com"), 64),
        (("gemini-3.8-flash", "https://generativelanguage.googleapis.com/v1beta/openai"), 4096),
        (("anything", "http://127.0.0.1:8000/v1"), 1024),
    ],
)
def test_cache_of_short_prefixes_is_not_believed(id_and_address: tuple[str, str], tokens: int) -> None:
    """A vendor that names no smallest prefix may give back any whole step."""
    model_id, address = id_and_address
    of = {"provider": "compatible", "id": model_id, "base_url": address}
    assert cache_least(checked_table("m", of)) == tokens
    assert cache_least(checked_table("m", {**of, "cache_minimum": 2048})) == 2048


def test_options_of_ones_own_table_are_overruled() -> None:
    mine = {"prompt_cache_options": {"mode": "implicit"}}
    one, sent = call("gpt-6-luna", ask("first?"), cache_options=mine)
    assert sent == {**one.payload["body"], **mine}


def test_batch_is_charged_for_what_nobody_reads() -> None:
    from scrollwork.models.hosted.openai_batches import OpenAIBatches

    of = table("gpt-6-luna")
    one, _ = call("gpt-6-luna", ask("first?"))
    entry = OpenAIBatches(None, "chat", cache_use(of)).entry(one)  # type: ignore[arg-type]
    assert b'"prompt_cache_options":{"mode":"explicit"}' in entry
    assert b"prompt_cache_breakpoint" not in entry


def test_mark_in_a_batch_costs_more_than_it_saves() -> None:
    """At the 30 % of hits that Anthropic states at the least, a prefix pays from the fourth request on that shares it;
    others are not marked, and OpenAI's batches never are."""
    claude = checked_table("m", {"provider": "anthropic", "id": "claude-sonnet-5-5"})
    least = batch_group(claude)
    write, read, hits = 1.25, 0.05, 0.3

    def price(requests: int) -> float:
        return write + (requests - 1) * (hits * read + (1 - hits) * write)

    assert price(least) < least
    assert price(least - 1) >= least - 1
    assert batch_group(table("gpt-6-luna")) == batch_group(table("gpt-5.4-mini")) == 0
    for many in range(1, 7):
        calls = [Call(str(n), "m", {}, ask(f"question {n}?", prefix="")) for n in range(many)]
        marked = [bool(one.ask.shared_prefixes) for one in with_shared_prefixes(calls, 100, 4, least)]
        assert marked == [many >= least] * many


def test_usage_of_a_marked_request_is_doubted_or_believed_beyond_its_mark() -> None:
    one, sent = call("gpt-6-luna", ask("first?"))
    head = text_of(split_after_documents(one.ask.segments)[0])
    bounds = bounds_of(one.ask, sent)
    fits = Usage(2_400, 0, 2_390, 5)
    assert usage_problem(fits, bounds, "x") == ""
    longer = (*one.ask.segments[:2], Segment("query", "tail " * 5_000))
    of = replace(one.ask, segments=longer)
    _, long_sent = call("gpt-6-luna", of)
    beyond = Usage(8_000 + 2_400, 0, len(head) + 5_000, 5)
    assert "written to the cache" in usage_problem(beyond, bounds_of(of, long_sent), "x")
    _, alone = call("gpt-6-luna", replace(one.ask, shared_prefixes=()))
    assert "cached" in usage_problem(Usage(2_400, 2_000, 0, 5), bounds_of(one.ask, alone), "x"), (
        "nothing was to be read"
    )


def test_nested_fronts_are_marked_where_the_vendor_does_not_take_it() -> None:
    """An instruction, a document, a longer window of it: OpenAI's parts and Anthropic's blocks say the same text, with a
    mark behind each, and a prefix that is not marked is cut off all the same."""
    one = ask("first?")
    ends = [len("Answer. "), 2_000, len("Answer. ") + len(DOCUMENT)]
    prefixes = tuple(SharedPrefix(end, str(end) * 16, end != 2_000) for end in ends)
    made, sent = call("gpt-6-luna", replace(one, shared_prefixes=prefixes))
    parts = sent["messages"][0]["content"]
    assert [part["text"] for part in parts] == [one.prompt[a:b] for a, b in zip([0, *ends], [*ends, None], strict=True)]
    assert ["prompt_cache_breakpoint" in part for part in parts] == [True, False, True, False]
    assert sent["prompt_cache_key"] == ("8" * 16), "the shortest, so that all others can be read at one place"
    assert made.key == call("gpt-6-luna", one)[0].key
    wrapped = replace(one, segments=(Segment("wrapper", "\n\nHuman: "), *one.segments))
    claude = make("m", checked_table("m", {"provider": "anthropic", "id": "claude-opus-5-5"}), "")
    payload = claude.payload(wrapped, "m")
    moved = tuple(SharedPrefix(prefix.characters + 9, prefix.digest, prefix.marked) for prefix in prefixes)
    asked = Messages(None, "messages").prepared(Call("k", "m", payload, replace(wrapped, shared_prefixes=moved)))  # type: ignore[arg-type]
    blocks = asked["messages"][0]["content"]
    assert [block["text"] for block in blocks] == [part["text"] for part in parts]
    assert ["cache_control" in block for block in blocks] == [True, False, True, False]
    blank = (SharedPrefix(9 + 7, "b"), *moved[1:])  # behind "Answer.", and a piece of one blank would follow
    blank = (*blank[:1], SharedPrefix(9 + 8, "c"), *blank[1:])
    asked = Messages(None, "messages").prepared(Call("k", "m", payload, replace(wrapped, shared_prefixes=blank)))  # type: ignore[arg-type]
    texts = [block["text"] for block in asked["messages"][0]["content"]]
    assert all(text.strip() for text in texts)
    assert "".join(texts) == "".join(block["text"] for block in payload["body"]["messages"][0]["content"])


@pytest.mark.parametrize(
    ("of", "seconds"),
    [
        ({"provider": "anthropic", "id": "claude-opus-5-5"}, 240.0),
        ({"provider": "openai", "id": "gpt-6-luna"}, 1440.0),
        ({"provider": "openai", "id": "gpt-4o"}, 480.0),
        ({"provider": "openai", "id": "gpt-5.5"}, 2880.0),
        ({"provider": "compatible", "id": "tiny", "base_url": "http://127.0.0.1:9/v1"}, 240.0),
    ],
)
def test_order_reckons_with_another_lifetime(of: dict[str, Any], seconds: float) -> None:
    assert cache_seconds(checked_table("m", of)) == pytest.approx(seconds)


def test_limits_count_what_the_vendor_does_not() -> None:
    usage = Usage(10_000, 9_000, 0, 100)
    reserved = 1_000
    answered = Ended(0.0, reserved, True, usage=usage)
    assert tokens_used(answered, Caps()) == 10_100
    assert tokens_used(answered, Caps(counts_cached=False)) == 1_100
    assert tokens_used(answered, Caps(admits_by_limit=True)) == reserved, "it was let in by what it might take"
    assert tokens_used(Ended(0.0, reserved, charged=False), Caps(admits_by_limit=True)) == 0
    assert Limiter(Caps(admits_by_limit=True)).expected(300, 10, 25_010) == 25_010
    assert Limiter(Caps(admits_by_limit=True)).expected(30_000, 10, 25_010) == 30_000
    assert Limiter(Caps()).expected(300, 10, 25_010) == 310
