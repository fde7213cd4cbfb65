"""What tests of hosted models share: prompts, a client's one attempt against a loopback server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from scrollwork.models.base import Ask, Call, CallProblem, Reply, Segment, SharedPrefix, split_after_documents, text_of
from scrollwork.models.registry import make, settings
from tests.servers.vendor import Vendor, running

OPENAI_KEY = "sk-proj-4x7Kq2-loopback-Zw91"
ANTHROPIC_KEY = "sk-ant-api03-9bQ-loopback-Tt55"
SPECS = {
    "chat": ("openai:gpt-test", {"endpoint": "chat"}),
    "responses": ("openai:gpt-test", {"endpoint": "responses"}),
    "completions": ("compatible:gpt-test", {"endpoint": "completions"}),
    "messages": ("anthropic:claude-test", {}),
}
HUMAN = Segment("wrapper", "\n\nHuman: ")
ASSISTANT = Segment("wrapper", "\n\nAssistant: Answer: <answer>")


def ask(document: str = "one two three", *, question: str = "What?", wrapped: bool = False, **more: Any) -> Ask:
    """A prompt with a document and a question, in Claude's wrappers if asked for."""
    segments = [
        Segment("instruction", "Read and answer."),
        Segment("gap", "\n\n"),
        Segment("context_header", "Text:\n"),
        Segment("document", document),
        *([Segment("gap", "\n\n"), Segment("query", question)] if question else [Segment("gap", "\n\n")]),
    ]
    whole = (HUMAN, *segments, ASSISTANT) if wrapped else tuple(segments)
    if prefix := more.pop("prefix", ""):
        more["shared_prefixes"] = (SharedPrefix(len(text_of(split_after_documents(whole)[0])), prefix),)
    return Ask("qmsum", "e1", whole, "0" * 64, 1, more.pop("max_new_tokens", 100), **more)


def table_of(spec: str, given: Mapping[str, Any], base: str) -> dict[str, Any]:
    """The checked table of a model at a loopback address (without /v1)."""
    at = base if spec.startswith("anthropic") else f"{base}/v1"
    return settings(spec, {}, given={"base_url": at, **given})


def body_of(spec: str, asked: Ask, **given: Any) -> dict[str, Any]:
    """The body that a payload holds."""
    model = make(spec, table_of(spec, given, "http://127.0.0.1:9"), "")
    found: dict[str, Any] = model.payload(asked, spec)["body"]  # type: ignore[assignment]
    return found


def attempt(spec: str, base: str, asked: Ask | None = None, **given: Any) -> Reply | CallProblem:
    """One attempt of the real client: its reply, or its problem. Any other exception is a failed test."""
    table = table_of(spec, given, base)
    model: Any = make(spec, table, "")
    asked = ask() if asked is None else asked
    call = Call("k" * 64, spec, model.payload(asked, spec), asked)

    async def once() -> Reply | CallProblem:
        client = model._client(spec, model._table)
        try:
            return await client.send(call)  # type: ignore[no-any-return]
        except CallProblem as problem:
            return problem
        finally:
            await client.close()

    return asyncio.run(once())


def problem_of(spec: str, base: str, asked: Ask | None = None, **given: Any) -> CallProblem:
    """The problem of an attempt that must have one."""
    found = attempt(spec, base, asked, **given)
    assert isinstance(found, CallProblem), found
    return found


def reply_of(spec: str, base: str, asked: Ask | None = None, **given: Any) -> Reply:
    """The reply of an attempt that must have one."""
    found = attempt(spec, base, asked, **given)
    assert isinstance(found, Reply), found
    return found


@pytest.fixture(scope="module")
def one_vendor() -> Iterator[Vendor]:
    """Both vendors, for the module."""
    with running() as vendor:
        yield vendor


@pytest.fixture
def vendor(one_vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> Vendor:
    """Both vendors without faults and limits; the environment holds keys and nothing else for them."""
    one_vendor.set(plan={}, rpm=0, tpm=0, latency_s=0.0, key="", batch={})
    one_vendor.openai_cache.used.clear()
    one_vendor.anthropic_cache.used.clear()
    for name in ("OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_PROFILE", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", OPENAI_KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", ANTHROPIC_KEY)
    return one_vendor
