"""Tables of hosted models: what cannot be is refused by model and key, before anything is paid."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from scrollwork.models.hosted.tables import PAYING, BadTable, answer_relevant, checked_table
from scrollwork.models.hosted.wire import proxy_for
from scrollwork.models.registry import HOSTED, UnknownModel, make, settings
from scrollwork.preprocessing.tokens.tokenizer import engine_module
from scrollwork.suites.suite_files import load_models
from tests.models.hosted_kit import ask

TABLES = load_models()
OURS = {name: table for name, table in TABLES.items() if table["provider"] in HOSTED}
LAB = {"provider": "compatible", "id": "tiny", "base_url": "http://127.0.0.1:9/v1"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"temprature": 1}, "temprature is no key of its table; there are: base_url, "),
        ({"price": {"inptu": 1}}, "price.inptu is no key"),
        ({"price": {"input": "cheap"}}, "price.input must be a number, not 'cheap'"),
        ({"price": {"input": -1.0, "output": 2.0}}, "price.input must not be negative"),
        ({"price": {"input": 1.0, "output": 2.0, "date": "YYYY-MM-DD"}}, "price.date must be a date such as"),
        ({"price": {"input": 1.0, "output": 2.0, "date": "2026-13-01"}}, "price.date must be a date such as"),
        (
            {"price": {"input": 0.000001, "output": 2.0}},
            "price.input is in USD per million tokens, and 1e-06 is next to",
        ),
        ({"price": 3}, "price must be a table"),
        ({"parameters": {"max_tokens": "tokens"}}, "parameters.max_tokens 'tokens' is none of max_tokens, "),
        ({"parameters": {"temperature": 0}}, "parameters.temperature must be true or false, not 0"),
        ({"retry": {"times": 3}}, "retry.times is no key"),
        ({"id": ""}, "id is missing"),
        ({"id": 4}, "id must be text"),
        ({"endpoint": "messages"}, "endpoint 'messages' is none of chat, completions"),
        ({"variant": "chatgpt"}, "variant 'chatgpt' is none of plain, chat, claude"),
        ({"context": 0}, "context must be positive"),
        ({"context": True}, "context must be a whole number, not True"),
        ({"rpm": -5}, "rpm must be positive"),
        ({"prefill": "yes"}, "prefill must be true or false"),
        ({"extra": {"messages": []}}, "extra 'messages' is set by the request itself"),
        ({"extra": {"stream": True}}, "extra 'stream' is set"),
        ({"extra": {"temperature": 0.7}}, "extra 'temperature' is set"),
        ({"temperature": -0.1}, "temperature must not be negative"),
        ({"temperature": float("nan")}, "temperature must be a number, not nan"),
        (
            {"temperature": 0.7, "parameters": {"temperature": False}},
            "temperature = 0.7 would not be sent; parameters = ",
        ),
        ({"temperature": 0.7, "provider": "anthropic"}, "temperature = 0.7 would not be sent; parameters = "),
        ({"reasoning_tokens": -1}, "reasoning_tokens must not be negative"),
        ({"retry": {"attempts": 0}}, "retry.attempts = 0 must be a positive number"),
        ({"stop": [3]}, "stop[0] must be text, not 3"),
        ({"version": "2023-06-01"}, "version is for anthropic"),
        ({"prefill": True}, "prefill is for anthropic"),
        ({"base_url": ""}, "base_url is missing"),
        ({"base_url": "127.0.0.1:9/v1"}, "base_url is no address"),
        ({"base_url": "ftp://host/v1"}, "base_url is no address"),
        ({"base_url": "http://[::1/v1"}, "base_url is no address"),
        ({"base_url": "http://me:s3cret@host/v1"}, "must not hold a user, a password or a query"),
        ({"base_url": "http://host/v1?api-key=s3cret"}, "must not hold a user, a password or a query"),
    ],
)
def test_slip_in_a_table_is_found_by_the_bill(change: dict[str, Any], said: str) -> None:
    with pytest.raises(UnknownModel) as caught:
        settings("lab", {"lab": {**LAB, **change}})
    assert str(caught.value).startswith("model 'lab': ")
    assert said in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_model_on_the_spot_is_not_known() -> None:
    table = settings("openai:gpt-new", TABLES)
    assert (table["provider"], table["id"], table["endpoint"]) == ("openai", "gpt-new", "chat")
    assert table["variant"] == "chat"
    assert "price" not in table
    given = {"base_url": "http://127.0.0.1:9/v1/", "context": 4096, "tokenizer": "words"}
    spot = settings("compatible:meta-llama/Llama:8b", TABLES, given=given)
    assert (spot["id"], spot["base_url"]) == ("meta-llama/Llama:8b", "http://127.0.0.1:9/v1")
    assert make("compatible:x", spot, "").members == ("compatible:x",)


def test_model_on_the_spot_forgets_what_a_table_knows_of_it() -> None:
    known = {"mine": {"provider": "openai", "id": "gpt-x", "context": 77, "parameters": {"temperature": False}}}
    assert settings("openai:gpt-x", known)["context"] == 77
    twice = {**known, "other": {"provider": "openai", "id": "gpt-x", "context": 88}}
    assert "context" not in settings("openai:gpt-x", twice)


def test_key_of_one_server_is_sent_to_another_of_the_same_model() -> None:
    lab = {**LAB, "key_env": "LAB_KEY", "server": "lab"}
    table = settings("compatible:tiny", {"lab": lab}, given={"base_url": "http://127.0.0.1:8/v1"})
    assert not {"key_env", "server"} & set(table)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("openai", "'openai' is a provider, not a model: write openai:ID"),
        ("anthropic:", "'anthropic' is a provider"),
        ("compatible:tiny", "base_url is missing: the address of the server up to /v1 (--base-url URL)"),
        ("lab:seed=3", "'lab' has no options"),
        ("azure:gpt", "no model is named 'azure'"),
    ],
)
def test_wrong_name_of_a_hosted_model_is_taken(spec: str, said: str) -> None:
    with pytest.raises(UnknownModel) as caught:
        settings(spec, {"lab": LAB})
    assert said in str(caught.value)


FAR = ["http://10.0.0.7:8000/v1", "http://gpu.lan/v1", "http://api.example.com/v1", "http://0.0.0.0:8000/v1",
       "http://2130706433/v1", "http://127.0.0.1.example.com/v1", "http://localhost.example.com/v1", "http://[fe80::1]/v1",
       "HTTP://[::ffff:10.0.0.7]/v1", "http://gpu.localhost/v1", "http://x.localhost./v1"]  # fmt: skip
NEAR = ["http://127.0.0.1:8000/v1", "http://127.9.9.9/v1", "http://localhost:8000/v1", "http://LOCALHOST./v1",
        "http://[::1]:8000/v1", "http://[::ffff:127.0.0.1]/v1", "https://api.example.com/v1"]  # fmt: skip


@pytest.mark.parametrize("url", FAR)
def test_key_is_sent_over_plain_http_to_another_machine(url: str) -> None:
    for more in ({"provider": "openai"}, {"provider": "anthropic"}, {"key_env": "LAB_KEY"}, {"key_secret": "lab"}):
        table = {**LAB, "base_url": url, **more}
        with pytest.raises(BadTable, match=r"is plain http to another machine.* insecure = true in its table"):
            checked_table("lab", table)
        assert checked_table("lab", {**table, "insecure": True})["base_url"] == url
    assert checked_table("lab", {**LAB, "base_url": url})["base_url"] == url, "no key, nothing to read"


@pytest.mark.parametrize("url", NEAR)
def test_key_for_a_server_of_this_machine_or_over_https_is_refused(url: str) -> None:
    assert checked_table("lab", {**LAB, "base_url": url, "key_env": "LAB_KEY"})["base_url"] == url


def test_insecure_is_part_of_the_request_key() -> None:
    table = {**LAB, "base_url": "http://gpu.lan/v1"}
    one, other = checked_table("lab", table), checked_table("lab", {**table, "insecure": True})
    assert answer_relevant(one) == answer_relevant(other)
    assert make("lab", one, "").payload(ask(), "lab") == make("lab", other, "").payload(ask(), "lab")


def test_key_for_this_machine_goes_to_a_proxy_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    assert proxy_for("http://127.0.0.1:8000/v1") is None
    assert proxy_for("http://localhost:8000/v1") is None
    assert proxy_for("http://gpu.lan/v1") == proxy_for("https://api.example.com") == "http://proxy.example:3128"
    for proxy in ("http://127.0.0.1:3128", "127.0.0.1:3128"):
        monkeypatch.setenv("http_proxy", proxy)
        assert proxy_for("http://127.0.0.1:8000/v1") == "http://127.0.0.1:3128"


def test_proxy_is_asked_that_cannot_be_or_must_not(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for proxy in ("socks5://127.0.0.1:1080", "[::1:3128", "proxy.example:port", "http://"):
        monkeypatch.setenv("https_proxy", proxy)
        with pytest.raises(
            BadTable, match=r"the proxy that HTTPS_PROXY or ALL_PROXY names cannot be asked: it must be http:"
        ):
            proxy_for("https://api.example.com")
        monkeypatch.setenv("http_proxy", proxy)
        assert proxy_for("http://127.0.0.1:8000/v1") is None, "a server of this machine needs no proxy"
    monkeypatch.setenv("https_proxy", "  ")
    assert proxy_for("https://api.example.com") is None
    monkeypatch.setenv("https_proxy", "proxy.example:3128")
    monkeypatch.setenv("no_proxy", "gateway.example:8443,other.example")
    assert proxy_for("https://gateway.example:8443/v1") is None
    assert proxy_for("https://other.example:8443/v1") is None
    assert proxy_for("https://gateway.example/v1") == "http://proxy.example:3128"


def test_suite_changes_nothing_of_a_hosted_model() -> None:
    tables = {"lab": {**LAB, "on": {"scrolls": {"temperature": 0.7}}}}
    assert "temperature" not in settings("lab", tables, "zeroscrolls")
    assert settings("lab", tables, "scrolls")["temperature"] == 0.7


def test_own_file_of_hosted_models_is_not_read(tmp_path: Path) -> None:
    own = tmp_path / "models.toml"
    own.write_text(
        '[lab]\nprovider = "compatible"\nid = "tiny"\nbase_url = "http://127.0.0.1:9/v1"\ncontext = 2048\n'
        'tokenizer = "words"\nprice = { input = 0, output = 0, date = "2026-11-21", source = "ours" }\n'
        'parameters = { max_tokens = "max_tokens", temperature = true }\nextra = { top_k = 1 }\n'
    )
    model = make("lab", settings("lab", load_models(str(own))), "")
    body = model.payload(ask(), "lab")["body"]
    assert body["top_k"] == 1


def test_price_or_limits_rebuild_what_they_do_not_change() -> None:
    one = checked_table("lab", {**LAB, "context": 2048})
    other = checked_table(
        "lab", {**LAB, "context": 2048, "rpm": 3, "price": {"input": 1, "output": 2}, "concurrency": 2, "timeout_s": 1}
    )
    assert answer_relevant(one) == answer_relevant(other)
    assert not set(PAYING) & {"id", "endpoint", "base_url", "temperature", "extra", "prefill", "context", "tokenizer"}


def spot_of(name: str) -> dict[str, str]:
    """Open weights run on the user's own server."""
    return {"base_url": "http://127.0.0.1:9/v1"} if OURS[name]["provider"] == "compatible" else {}


@pytest.mark.parametrize("name", sorted(OURS))
def test_entry_of_ours_cannot_be_run(name: str) -> None:
    table = settings(name, TABLES, given={} if "base_url" in OURS[name] else spot_of(name))
    assert "variant" in table
    if price := table.get("price"):
        assert {"input", "output", "date", "source"} <= set(price), "a price without date and source"
    assert table["context"] >= 4096
    engine_module(table["tokenizer"])
    body = make(name, table, "").payload(ask(wrapped=table["variant"] == "claude"), name)["body"]
    assert body["model"] == table["id"]
    assert date.fromisoformat(table.get("retired", "2099-01-01"))
