"""The vendors' own SDKs as judges: they would send what we send, and read the loopback servers' replies as real ones.

They also tell what values exist: a finish reason that a newer SDK knows and we do not is a failed test, not a lost answer.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from datetime import datetime
from pathlib import Path
from ssl import CERT_REQUIRED
from typing import Any, get_args

import httpx2
import pytest

from scrollwork.models.hosted.anthropic import sdk as anthropic_sdk
from scrollwork.models.hosted.endpoint import no_certificates, trusted_certificates
from scrollwork.models.hosted.openai import sdk as openai_sdk
from scrollwork.models.hosted.replies import ANTHROPIC_FINISH, INCOMPLETE, OPENAI_FINISH
from scrollwork.models.hosted.tables import VERSION
from scrollwork.models.registry import make
from tests.models.hosted_kit import (
    ANTHROPIC_KEY,
    OPENAI_KEY,
    SPECS,
    ask,
    body_of,
    one_vendor,
    reply_of,
    table_of,
    vendor,
)
from tests.servers.vendor import Vendor

__all__ = ["one_vendor", "vendor"]


async def said(client: Any, endpoint: str, body: dict[str, Any]) -> Any:
    """What the SDK makes of the same call by its typed method."""
    method = {
        "chat": lambda: client.chat.completions.create(**body),
        "completions": lambda: client.completions.create(**body),
        "responses": lambda: client.responses.create(**body),
        "messages": lambda: client.messages.create(**body),
    }[endpoint]
    try:
        return await method()
    finally:
        await client.close()


def by_sdk(vendor: Vendor, endpoint: str, body: dict[str, Any]) -> Any:
    if endpoint == "messages":
        client: Any = anthropic_sdk(ANTHROPIC_KEY, table_of("anthropic:m", {}, vendor.url))
    else:
        client = openai_sdk(OPENAI_KEY, table_of("openai:m", {}, vendor.url))
    client._strict_response_validation = True
    return asyncio.run(said(client, endpoint, body))


@pytest.mark.parametrize("endpoint", sorted(SPECS))
def test_sdk_sends_another_request(endpoint: str, vendor: Vendor) -> None:
    spec, given = SPECS[endpoint]
    asked = ask('Grüße, 世界 \U0001f600 "quoted"\n\ttab')
    reply_of(spec, vendor.url, asked, **given)
    ours = vendor.log.requests()[-1]
    by_sdk(vendor, endpoint, body_of(spec, asked, **given))
    theirs = vendor.log.requests()[-1]
    for name in ("method", "path", "bytes", "digest"):
        assert ours[name] == theirs[name], name
    ignored = ("x-stainless", "user-agent", "accept-encoding", "host", "connection", "idempotency-key")
    shown = [{n: v for n, v in one["headers"].items() if not n.startswith(ignored)} for one in (ours, theirs)]
    assert shown[0] == shown[1]


@pytest.mark.parametrize("endpoint", sorted(SPECS))
def test_reply_of_the_loopback_server_is_no_reply_of_the_vendor(endpoint: str, vendor: Vendor) -> None:
    spec, given = SPECS[endpoint]
    asked = ask("word " * 1500)
    ours = reply_of(spec, vendor.url, asked, **given)
    theirs = by_sdk(vendor, endpoint, body_of(spec, asked, **given))
    text = {
        "chat": lambda: theirs.choices[0].message.content,
        "completions": lambda: theirs.choices[0].text,
        "responses": lambda: theirs.output_text,
        "messages": lambda: theirs.content[0].text,
    }[endpoint]()
    assert text == ours.text
    assert theirs.model == ours.reported_model
    used = theirs.usage.model_dump()
    assert used.get("prompt_tokens", used.get("input_tokens")) == ours.usage.input_tokens
    assert used.get("completion_tokens", used.get("output_tokens")) == ours.usage.output_tokens


@pytest.mark.parametrize("fault", ["401", "429-after", "500", "529", "context"])
@pytest.mark.parametrize("endpoint", ["chat", "messages"])
def test_error_of_the_loopback_server_is_no_error_of_the_vendor(fault: str, endpoint: str, vendor: Vendor) -> None:
    import anthropic
    import openai

    spec, given = SPECS[endpoint]
    vendor.set(plan={"always": fault})
    kind = anthropic.APIStatusError if endpoint == "messages" else openai.APIStatusError
    with pytest.raises(kind) as caught:
        by_sdk(vendor, endpoint, body_of(spec, ask(), **given))
    assert caught.value.status_code == int({"429-after": "429", "context": "400"}.get(fault, fault))
    assert caught.value.body


def test_sdk_tries_again_behind_our_back(vendor: Vendor) -> None:
    vendor.set(plan={"always": "500"})
    before = len(vendor.log.requests())
    for endpoint in ("chat", "messages"):
        spec, given = SPECS[endpoint]
        with pytest.raises(Exception, match="Internal server error"):
            by_sdk(vendor, endpoint, body_of(spec, ask(), **given))
    assert len(vendor.log.requests()) == before + 2


def literals(of: Any, name: str) -> set[str]:
    """The words that a field of an SDK's type may hold."""
    found: set[str] = set()
    pending = [of.model_fields[name].annotation]
    while pending:
        for one in get_args(pending.pop()):
            found |= {one} if isinstance(one, str) else set()
            pending += [] if isinstance(one, str) else [one]
    return found


def test_finish_reason_of_a_vendor_has_no_meaning() -> None:
    from anthropic.types import Message
    from openai.types import CompletionChoice
    from openai.types.chat.chat_completion import Choice
    from openai.types.responses.response import IncompleteDetails

    found = {
        "chat": literals(Choice, "finish_reason"),
        "completions": literals(CompletionChoice, "finish_reason"),
        "responses": literals(IncompleteDetails, "reason"),
        "messages": literals(Message, "stop_reason"),
    }
    assert {"stop", "length"} <= found["chat"], "the types were not read"
    assert found["chat"] | found["completions"] <= set(OPENAI_FINISH)
    assert found["responses"] == set(INCOMPLETE)
    assert found["messages"] == set(ANTHROPIC_FINISH)


def test_another_version_of_the_interface_is_asked_than_the_key_says(
    vendor: Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    from anthropic._constants import ANTHROPIC_API_VERSION

    assert VERSION == ANTHROPIC_API_VERSION, (
        "the SDK has moved on: another version answers otherwise, under another key"
    )
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "anthropic-version: 2001-01-01")
    for given in ({}, {"version": "2023-06-01"}):
        reply_of("anthropic:m", vendor.url, **given)
        sent = vendor.log.requests()[-1]["headers"]["anthropic-version"]
        model: Any = make("anthropic:m", table_of("anthropic:m", given, vendor.url), "")
        assert sent == given.get("version", VERSION)
        assert sent in model.payload(ask(), "anthropic:m")["endpoint"]


def test_error_names_of_a_vendor_have_no_kind() -> None:
    from anthropic.types.shared.error_type import ErrorType
    from openai.types.responses.response_error import ResponseError

    from scrollwork.models.hosted.error_replies import QUOTA_NAMES, SLOW_DOWN_NAMES, TERMINAL_NAMES, TRANSIENT_NAMES

    known = TRANSIENT_NAMES | SLOW_DOWN_NAMES | TERMINAL_NAMES | QUOTA_NAMES
    about_text = {one for one in literals(ResponseError, "code") if "image" not in one}
    assert "server_error" in about_text
    assert about_text <= known
    assert {one for one in get_args(ErrorType) if not one.startswith("memory")} <= known


def retirements() -> dict[str, str]:
    """Day by model id, as the installed SDKs announce it."""
    from anthropic.resources.messages.messages import DEPRECATED_MODELS
    from openai.types.shared import chat_model

    listed = r'- ((?:"[^"]+",?\s*)+):\s*Announced\s+shutdown\s+date:\s+(\d{4}-\d\d-\d\d)'
    found = {
        name: day
        for names, day in re.findall(listed, inspect.getsource(chat_model))
        for name in re.findall(r'"([^"]+)"', names)
    }
    for name, day in DEPRECATED_MODELS.items():
        at = datetime.strptime(re.sub(r"(?<=\d)[a-z]{2}", "", day), "%B %d, %Y")
        found |= dict.fromkeys([name, name.replace("claude-", "claude-v")], at.date().isoformat())
    return found


def test_day_of_retirement_is_another_than_the_vendors() -> None:
    from scrollwork.models.vendors.families import families
    from scrollwork.suites.suite_files import load_models

    announced = retirements()
    assert {"gpt-4-0314", "claude-v1.3"} <= set(announced), "the lists were not read"
    tables = {name: table for name, table in load_models("").items() if table["provider"] in ("openai", "anthropic")}
    of_families = {one.id: one.get("ends") for one in families() if one.vendor in ("openai", "anthropic")}
    known = {name: table.get("retired") or of_families.get(table["id"]) for name, table in tables.items()}
    ours = {name: day for name, day in known.items() if tables[name]["id"] in announced}
    assert len(ours) >= 8
    assert ours == {name: announced[tables[name]["id"]] for name in ours}
    ending = {name: day for name, day in of_families.items() if name in announced}
    assert len(ending) >= 8
    assert ending == {name: announced[name] for name in ending}
    told = {name for name, table in tables.items() if table.get("retired") and table["id"] not in announced}
    assert told == {"davinci003"}, "of memory alone, by no list"


def test_body_is_sent_in_another_encoding_than_the_sdks() -> None:
    import orjson

    body = {"text": "é\u2028\x7f\x00 \U0001f600", "number": 0.0, "list": [1, 1.5, None, True]}
    ours = json.loads(orjson.dumps(body))
    assert ours == body
    assert httpx2.Request("POST", "http://h", json=body).content == orjson.dumps(body)


def test_certificates_are_read_for_each_model_or_kept_where_others_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    of_tests = trusted_certificates("https://a.example")
    assert trusted_certificates("https://b.example") is of_tests
    assert len(of_tests.get_ca_certs()) == 1
    monkeypatch.delenv("SSL_CERT_FILE")
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    others = trusted_certificates("https://a.example")
    assert others.get_ca_certs() == []
    for one in (of_tests, others, no_certificates()):
        assert one.verify_mode == CERT_REQUIRED
        assert one.check_hostname
    assert no_certificates().get_ca_certs() == []
