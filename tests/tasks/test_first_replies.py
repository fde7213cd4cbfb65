"""The first two requests of a model in a home go one after the other, and what they show is told before the rest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from scrollwork.models.base import Answer, Ask, Attempt, CallProblem, Segment, SharedPrefix, Usage
from scrollwork.models.base import Call as Request
from scrollwork.models.engine.breaker import ALONE_S, Breaker
from scrollwork.models.hosted.tables import checked_table
from scrollwork.models.vendors.differences import FirstReply, differences
from scrollwork.pipeline.session import CallSettings
from scrollwork.rehearsal.clock import Clock
from scrollwork.rehearsal.server import Rehearsal
from scrollwork.tasks.generate.first_replies import FirstReplies
from tests.conftest import Call

LONG = Segment("document", "word " * 4000)  # 5,000 tokens by characters


def ask(number: int, **facts: Any) -> Ask:
    made = Ask(
        "t",
        f"e{number}",
        (LONG, Segment("query", "Why?")),
        "0" * 64,
        1,
        100,
        shared_prefixes=(SharedPrefix(len(LONG.text), "d"),),
    )
    return replace(made, **facts)


def seen(
    number: int = 0, served: str = "gpt-6-luna", tier: str = "", follows: bool = False, **usage: Any
) -> FirstReply:
    counts = {"input_tokens": 5000, "cached_tokens": 0, "output_tokens": 20, **usage}
    return FirstReply(ask(number, follows=follows), Usage(**counts), served, tier)


TABLE = {"provider": "openai", **checked_table("gpt-6-luna", {"provider": "openai", "id": "gpt-6-luna"})}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((seen(), seen(1, follows=True, cached_tokens=4900)), []),
        ((seen(served="gpt-6-luna-2026-11-01"),), []),
        ((seen(served="openai/gpt-6-luna"),), []),
        (
            (seen(), seen(1, served="gpt-6-luna-mini")),
            ["gpt-6-luna was asked for, and the reply names gpt-6-luna-mini"],
        ),
        ((seen(served="gpt-6"),), ["gpt-6-luna was asked for, and the reply names gpt-6"]),
        ((seen(served="g"),), ["gpt-6-luna was asked for, and the reply names g"]),
        ((seen(served="gpt-6-luna-2"),), ["gpt-6-luna was asked for, and the reply names gpt-6-luna-2"]),
        ((seen(served="gpt-5-nano"),), ["gpt-6-luna was asked for, and the reply names gpt-5-nano"]),
        ((seen(tier="priority"),), ["it is served by the tier priority, at 2 times the standard price"]),
        ((seen(input_tokens=9000),), ["the vendor counts 9,000 tokens of a prompt reckoned at 5,002"]),
        ((seen(input_tokens=None),), ["replies do not say how many tokens they took"]),
        ((seen(reasoning_tokens=15),), ["it thinks (15 tokens)"]),
        ((seen(), seen(1, follows=True)), ["nothing of the second prompt came from the cache, though 5,"]),
        ((seen(), seen(1)), []),  # of another document
    ],
)
def test_difference_is_not_told_or_one_is_invented(given: tuple[FirstReply, ...], told: list[str]) -> None:
    found = [line for _, line in differences(TABLE, *reversed(given))]
    assert len(found) == len(told), found
    for line, begins in zip(found, told, strict=True):
        assert line.startswith(begins)


def test_requests_go_beside_each_other_before_two_are_answered_or_one_holds_all_for_ever() -> None:
    breaker = Breaker(alone=2)
    assert breaker.due(0.0) == 0.0
    breaker.sent("a")
    assert breaker.due(1.0) == ALONE_S
    breaker.failed("a", CallProblem("transient", "no", status=500), 2.0)
    assert breaker.due(2.0) == 2.0
    breaker.sent("a")
    breaker.answered("a")
    assert breaker.due(3.0) == 3.0
    breaker.sent("b")
    assert breaker.due(4.0) == 3.0 + ALONE_S
    assert breaker.due(3.0 + ALONE_S) == 3.0 + ALONE_S
    breaker.sent("c")
    assert breaker.due(4.0 + ALONE_S) == 4.0 + ALONE_S, "it does not wait once for each"
    breaker = Breaker(alone=2)
    for _ in range(4):
        breaker.due(0.0)
        breaker.sent("a")
        breaker.failed("a", CallProblem("transient", "no", status=429, slow_down=True), 0.0)
    breaker.sent("a")
    assert breaker.due(1.0) == 1.0, "an endpoint that refuses is not asked one by one for ever"
    breaker = Breaker(alone=2)
    for name in ("a", "b"):
        breaker.due(0.0)
        breaker.sent(name)
        breaker.answered(name)
    breaker.due(0.0)
    breaker.sent("c")
    assert breaker.due(0.0) == 0.0


def test_run_is_sent_whole_before_anybody_looks(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                caplog: pytest.LogCaptureFixture) -> None:  # fmt: skip
    """A gateway that serves another model, from no cache: told of the first two; the second run looks no more."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdefghij")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    tables = tmp_path / "own.toml"
    beside: list[int] = []
    sent = Breaker.sent

    def counted(self: Breaker, what: object) -> int:
        number = sent(self, what)
        beside.append(len(self._in_flight))
        return number

    monkeypatch.setattr(Breaker, "sent", counted)
    with Rehearsal(Clock(), faults={"openai": {"other_model": 1.0}}, latency_s=0.1) as vendors:
        tables.write_text(
            f'[luna]\nprovider = "openai"\nid = "gpt-6-luna"\nvendor = "openai"\nbase_url = "{vendors.url("openai")}"\n'
        )
        asked = ("run", "zeroscrolls", "--sample", "--engine", "inline", "--models", str(tables), "--model", "luna")
        assert call(*asked, "--task", "squality", "--quiet")[0] == 0
        lines = vendors.world.ledger.lines()
        assert len(lines) == 10
        assert beside[:2] == [1, 1]
        assert max(beside) > 1
        beside.clear()
        told = [record.getMessage() for record in caplog.records if "another-model" in record.getMessage()]
        assert told == ["luna: gpt-6-luna was asked for, and the reply names another-model"]
        caplog.clear()
        assert call(*asked, "--task", "qasper", "--quiet")[0] == 0
        assert not [record for record in caplog.records if "another-model" in record.getMessage()]
        assert beside[1] == 2, "the home holds answers of this model"


def test_name_that_a_reply_gives_moves_the_cursor(caplog: pytest.LogCaptureFixture) -> None:
    first = FirstReplies("generate t", "luna", TABLE, CallSettings(uuid4().hex), new=True)
    given = Answer("k", "text", "complete", "\x1b[2Jevil\u202e\n" + "x" * 5000, Usage(5000, 0, 0, 20))
    first.note_answer(given, Request("k", "luna", {}, ask(0)), None)
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.isprintable()
    assert len(line) < 1500


def test_reply_without_usage_silences_one_that_is_not_believed(caplog: pytest.LogCaptureFixture) -> None:
    first = FirstReplies("generate t", "luna", TABLE, CallSettings(uuid4().hex), new=True)
    first.note_answer(Answer("k", "text", "complete", "gpt-6-luna"), Request("k", "luna", {}, ask(0)), None)
    first.note_attempt(Attempt("l", 1, "answered", None, "2 input tokens for a prompt of 20,000 bytes", 1.0, 1.0))
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2
    assert "replies do not say" in said[0]
    assert "2 input tokens" in said[1]
