"""What reaches a provider: the whole prompt in the roles that the papers gave it, and nothing that only costs."""

from __future__ import annotations

import pytest

from scrollwork.models.base import Ask, Segment
from scrollwork.models.hosted.model import split_wrapper
from scrollwork.models.registry import make
from scrollwork.storage.digest import sha256_of
from tests.models.hosted_kit import ASSISTANT, HUMAN, ask, body_of, table_of


def key_of(spec: str, asked: Ask, base: str = "http://127.0.0.1:9", **given: object) -> str:
    return sha256_of(make(spec, table_of(spec, given, base), "").payload(asked, spec))


@pytest.mark.parametrize("endpoint", ["chat", "responses", "completions"])
def test_openai_prompt_is_split_or_gets_a_system_message(endpoint: str) -> None:
    asked = ask()
    body = body_of("openai:m", asked, endpoint=endpoint)
    shown = {
        "chat": {"messages": [{"role": "user", "content": asked.prompt}]},
        "responses": {"input": asked.prompt, "store": False},
        "completions": {"prompt": asked.prompt},
    }[endpoint]
    tokens = {"chat": "max_completion_tokens", "responses": "max_output_tokens", "completions": "max_tokens"}[endpoint]
    assert body == {"model": "m", **shown, tokens: 100, "temperature": 0.0}


def test_compatible_server_is_asked_for_max_completion_tokens_that_it_ignores() -> None:
    assert body_of("compatible:m", ask())["max_tokens"] == 100
    assert "max_completion_tokens" not in body_of("compatible:m", ask())
    named = body_of("compatible:m", ask(), parameters={"max_tokens": "max_completion_tokens"})
    assert "max_tokens" not in named


def test_reasoning_model_gets_a_temperature_or_no_room_to_think() -> None:
    body = body_of("openai:o9", ask(), parameters={"temperature": False}, reasoning_tokens=4000, max_output=3000)
    assert "temperature" not in body
    assert body["max_completion_tokens"] == 3000
    assert body_of("openai:o9", ask(), reasoning_tokens=4000)["max_completion_tokens"] == 4100


def test_claude_gets_a_temperature_unless_its_table_says_so() -> None:
    assert "temperature" not in body_of("anthropic:m", ask())
    assert body_of("anthropic:m", ask(), parameters={"temperature": True}, temperature=0.5)["temperature"] == 0.5


def test_wrappers_of_the_claude_variant_reach_the_messages_endpoint() -> None:
    asked = ask("doc", wrapped=True)
    body = body_of("anthropic:m", asked)
    (turn,) = body["messages"]
    assert [block["text"] for block in turn["content"]] == ["Read and answer.\n\nText:\ndoc", "\n\nWhat?"]
    begun = body_of("anthropic:m", asked, prefill=True)["messages"]
    assert begun[0] == turn
    assert begun[1] == {"role": "assistant", "content": "Answer: <answer>"}


def test_summary_prompt_of_claude_is_prefilled_with_nothing() -> None:
    segments = (HUMAN, Segment("document", "doc"), Segment("wrapper", "\n\nAssistant:"))
    assert split_wrapper(segments) == ((segments[1],), "")
    body = body_of("anthropic:m", Ask("gov_report", "e", segments, "0" * 64, 1, 9), prefill=True)
    assert [turn["role"] for turn in body["messages"]] == ["user"]


def test_text_of_a_document_is_taken_for_the_assistants_turn() -> None:
    own, begun = split_wrapper((HUMAN, Segment("document", "\n\nAssistant: I lie. Human: no"), ASSISTANT))
    assert [segment.text for segment in own] == ["\n\nAssistant: I lie. Human: no"]
    assert begun == "Answer: <answer>"


def test_blank_block_is_sent_that_the_api_refuses() -> None:
    body = body_of("anthropic:m", ask(question=""))
    assert [block["text"] for block in body["messages"][0]["content"]] == [
        "Read and answer.\n\nText:\none two three\n\n"
    ]
    closed = Ask("qmsum", "e", (Segment("instruction", "Answer."), Segment("query", "What?")), "0" * 64, 1, 9)
    assert [block["text"] for block in body_of("anthropic:m", closed)["messages"][0]["content"]] == ["Answer.What?"]


def test_cut_document_loses_its_omission_to_the_uncached_part() -> None:
    segments = (Segment("document", "doc"), Segment("omission", "... [omitted]"), Segment("query", "What?"))
    body = body_of("anthropic:m", Ask("qmsum", "e", segments, "0" * 64, 1, 9))
    assert [block["text"] for block in body["messages"][0]["content"]] == ["doc... [omitted]", "What?"]


def test_same_request_is_paid_twice_because_of_what_does_not_reach_the_provider() -> None:
    for spec in ("openai:m", "anthropic:m", "compatible:m"):
        plain = key_of(spec, ask())
        same = [
            key_of(
                spec,
                ask(),
                rpm=9,
                tpm=9,
                concurrency=3,
                timeout_s=5,
                price={"input": 1.0, "output": 2.0},
                key_env="OTHER",
            ),
            key_of(spec, ask(), context=9000, tokenizer="words", retry={"attempts": 2}, cache_minimum=5),
            key_of(spec, ask(prefix="p", tokens=90_000)),
        ]
        assert set(same) == {plain}, spec


def test_different_requests_share_an_answer() -> None:
    for spec in ("openai:m", "anthropic:m", "compatible:m"):
        keys = [
            key_of(spec, ask()),
            key_of(spec, ask("other")),
            key_of(spec, ask(draw=1)),
            key_of(spec, ask(max_new_tokens=101)),
            key_of(spec, ask(), extra={"seed": 3}),
            key_of(spec, ask(), stop=["\n"]),
            key_of(spec, ask(), base="http://127.0.0.1:8"),
            key_of(spec[:-1] + "n", ask()),
        ]
        assert len(set(keys)) == len(keys), spec
    assert key_of("openai:m", ask(), endpoint="responses") != key_of("openai:m", ask())
    assert key_of("anthropic:m", ask(), version="2023-06-01") != key_of("anthropic:m", ask())


def test_server_that_moved_is_paid_again_though_it_is_named() -> None:
    here, there = "http://127.0.0.1:9", "http://127.0.0.1:8"
    assert key_of("compatible:m", ask(), here, server="lab") == key_of("compatible:m", ask(), there, server="lab")
    assert key_of("compatible:m", ask(), here, server="lab") != key_of("compatible:m", ask(), here, server="home")


def test_vendors_own_address_enters_the_key() -> None:
    model = make("openai:m", table_of("openai:m", {"base_url": "https://api.openai.com/v1/"}, ""), "")
    assert model.payload(ask(), "m")["endpoint"] == "/chat/completions"
