"""The ping of a dead-man's switch, against a server on a loopback port."""

from __future__ import annotations

import time

import pytest

from scrollwork.flows import alerts
from scrollwork.models.engine.budget import Budget
from tests.flows.receivers import Web

SECRET = "s3cret-token"


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the log of the flow run gets."""
    found: list[str] = []
    monkeypatch.setattr(alerts, "say", found.append)
    return found


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/ok", []),
        ("/broken", ["the ping of the dead-man's switch failed: answered 500"]),
        ("/moved", ["the ping of the dead-man's switch failed: answered 302"]),
        ("/hang", ["the ping of the dead-man's switch failed: no answer within 1 seconds"]),
    ],
)
def test_a_ping_is_not_told_to_fail_or_ends_the_night(
    path: str, told: list[str], said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    web = Web()
    monkeypatch.setattr(alerts, "PING_S", 1.0)
    monkeypatch.setenv(alerts.PING_URL, f"{web.url}{path}/{SECRET}")
    began = time.monotonic()
    alerts.ping()
    assert time.monotonic() - began < 5
    assert [where for where, _ in web.got] == [f"{path}/{SECRET}"], "asked once, and nothing else"
    assert [one.replace("timed out", "no answer within 1 seconds") for one in said] == told


@pytest.mark.parametrize("url", ["file:///etc/passwd", "s3cret-token", "http://[s3cret-token", "http://127.0.0.1:9/s3cret-token",
                                 "http://127.0.0.1:x/s3cret-token", "http://s3cret token/\r\n"])  # fmt: skip
def test_a_wrong_address_is_opened_or_written_down(url: str, said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(alerts.PING_URL, url)
    alerts.ping()
    (told,) = said
    assert told.startswith("the ping of the dead-man's switch failed: ")
    assert SECRET not in told
    assert "passwd" not in told
    assert "token" not in told


def test_a_budget_is_gone_while_calls_in_flight_hold_it() -> None:
    budget = Budget(10)
    assert not budget.gone
    assert budget.take(8)
    assert not budget.take(5)
    assert budget.gone, "as long as nothing is given back"
    budget.give(8, 2)
    assert not budget.gone
    assert not budget.take(11, alone=9)
    assert budget.gone
