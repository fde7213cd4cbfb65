"""A key is in the header of a request and nowhere else."""

from __future__ import annotations

import logging
import traceback

import pytest

from scrollwork.models.base import CallProblem
from scrollwork.models.hosted.tables import BadTable
from scrollwork.models.registry import make
from tests.models.hosted_kit import (
    ANTHROPIC_KEY,
    OPENAI_KEY,
    SPECS,
    ask,
    attempt,
    one_vendor,
    problem_of,
    reply_of,
    table_of,
    vendor,
)
from tests.servers import raw
from tests.servers.vendor import Vendor

__all__ = ["one_vendor", "vendor"]
KEYS = (OPENAI_KEY, ANTHROPIC_KEY, "loopback")


def hidden(text: str) -> bool:
    """Whether no key, and no piece of one, is in the text."""
    return not any(key in text for key in KEYS)


@pytest.mark.parametrize("endpoint", sorted(SPECS))
def test_key_is_in_a_payload_a_table_or_a_repr(endpoint: str, vendor: Vendor) -> None:
    spec, given = SPECS[endpoint]
    table = table_of(spec, given, vendor.url)
    model = make(spec, table, "")
    client = model._client(spec, model._table)  # type: ignore[attr-defined]
    shown = [repr(model.payload(ask(), spec)), repr(table), repr(model), repr(client), str(client), repr(client._wire)]
    assert all(map(hidden, shown))


@pytest.mark.parametrize("endpoint", ["chat", "responses", "messages"])
@pytest.mark.parametrize("fault", ["401", "403", "500", "reset", "cut", "html", "half", "429", "null"])
def test_key_is_in_an_exception_or_a_log(
    fault: str, endpoint: str, vendor: Vendor, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    spec, given = SPECS[endpoint]
    vendor.set(plan={"always": fault})
    problem = problem_of(spec, vendor.url, **given)
    told = "".join(traceback.format_exception(problem))
    assert hidden(told), told
    assert hidden(repr(vars(problem)))
    assert problem.__cause__ is None
    assert hidden(caplog.text)
    assert hidden("".join(capfd.readouterr()))


def test_key_that_the_server_repeats_is_passed_on(vendor: Vendor) -> None:
    vendor.set(plan={"always": "401"})
    assert problem_of("openai:m", vendor.url).message == "HTTP 401: Incorrect API key provided: [key]"
    assert problem_of("anthropic:m", vendor.url).message == "HTTP 401: Incorrect API key provided: [key]"


@pytest.mark.parametrize("endpoint", sorted(SPECS))
def test_key_that_an_answer_repeats_is_stored(endpoint: str, vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_KEY", "loopback-lab-secret-7")
    vendor.set(plan={"always": "echo"})
    spec, given = SPECS[endpoint]
    reply = reply_of(spec, vendor.url, **given, key_env="LAB_KEY")
    assert (reply.text, reply.reported_model) == ("Authorization: [key]",) * 2


@pytest.mark.parametrize("endpoint", sorted(SPECS))
@pytest.mark.parametrize("key", ["loopback", "loop-back-of-letters-alone", "l00pback-of-15c"])
def test_short_key_or_a_word_as_key_changes_an_answer(
    key: str, endpoint: str, vendor: Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_KEY", key)
    spec, given = SPECS[endpoint]
    vendor.set(plan={"always": "echo"})
    reply = reply_of(spec, vendor.url, **given, key_env="LAB_KEY")
    assert (reply.text, reply.reported_model) == (f"Authorization: Bearer {key}",) * 2
    vendor.set(plan={"always": "401"})
    told = problem_of(spec, vendor.url, **given, key_env="LAB_KEY").message
    assert told == "HTTP 401: Incorrect API key provided: [key]"


def test_key_of_one_vendor_reaches_another_server(vendor: Vendor) -> None:
    reply_of("compatible:m", vendor.url)
    assert vendor.log.requests()[-1]["key"] is False
    reply_of("openai:m", vendor.url)
    assert vendor.log.requests()[-1]["key"] is True


def test_key_is_not_sent_where_the_table_names_it(vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> None:
    vendor.set(key="lab-secret")
    assert problem_of("compatible:m", vendor.url).status == 401
    monkeypatch.setenv("LAB_KEY", " lab-secret\n")
    assert reply_of("compatible:m", vendor.url, key_env="LAB_KEY").text
    assert reply_of("openai:m", vendor.url, key_env="LAB_KEY").text
    assert reply_of("anthropic:m", vendor.url, key_env="LAB_KEY").text


@pytest.mark.parametrize("spec", ["openai:m", "anthropic:m"])
def test_missing_key_is_found_after_the_first_request(
    spec: str, vendor: Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = {"openai:m": "OPENAI_API_KEY", "anthropic:m": "ANTHROPIC_API_KEY"}[spec]
    monkeypatch.delenv(variable)
    before = [row for row in vendor.log.rows if row["event"] == "began"]  # an earlier one may end meanwhile
    with pytest.raises(BadTable, match=f"model '{spec}': no key; set {variable} in the environment"):
        attempt(spec, vendor.url)
    assert [row for row in vendor.log.rows if row["event"] == "began"] == before


@pytest.mark.parametrize("key", ["two\nlines-of-it", "schlüssel-geheim"])
def test_key_that_no_header_can_carry_is_shown(key: str, vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(BadTable, match="holds characters that no header can carry") as caught:
        attempt("openai:m", vendor.url)
    assert key[4:] not in str(caught.value)


def test_environment_of_the_sdk_sends_the_key_elsewhere(vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> None:
    with raw.running(raw.early_end) as other:
        monkeypatch.setenv("OPENAI_BASE_URL", other)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", other)
        assert reply_of("openai:m", vendor.url).text
        assert reply_of("anthropic:m", vendor.url).text


def test_private_header_of_the_environment_is_shown(vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Gateway-Key: gate-w4y-secret\nX-Team: red")
    with raw.running(raw.garbage) as url:
        problem = problem_of("anthropic:m", url.removesuffix("/v1"))
    assert isinstance(problem, CallProblem)
    assert "gate-w4y" not in repr(vars(problem))
    reply_of("anthropic:m", vendor.url)
    assert vendor.log.requests()[-1]["headers"]["x-team"] == "red"
