"""A reply that thought up all its room is asked for once more with more room, within the budget; then it has failed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scrollwork.models.base import Answer, Attempt, Call, CallFailed, CallProblem, Reply, SharedPrefix, Usage
from scrollwork.models.engine.budget import Budget, Meter
from scrollwork.models.engine.prices import nano, price_of
from scrollwork.models.engine.sending import Sending
from scrollwork.models.hosted.endpoint import body_with_room
from scrollwork.models.hosted.error_replies import problem_of_status
from tests.models.clock import Scripted, call, drive, in_time

LIMIT = 64


def roomless(used: int = LIMIT) -> CallProblem:
    """What replies.read raises for a reply that ended by length without a word."""
    paid = Usage(100, 0, 0, used, used)
    return CallProblem("terminal", "no room to answer", status=200, own=True, no_room=True, paid=paid)


def asked(number: int, field: str = "max_completion_tokens") -> Call:
    """A call whose body allows LIMIT new tokens."""
    return replace(call(number, new=LIMIT), payload={"body": {"model": "m", field: LIMIT}})


class Thinker(Scripted):
    """Answers once it may use so many tokens. allowed: of each request, as its body says."""

    def __init__(self, needs: int) -> None:
        self.allowed: list[int] = []

        def script(one: Call, _: int) -> Reply | CallProblem:
            (given,) = [value for value in body_with_room(one).values() if isinstance(value, int)]
            self.allowed.append(given)
            if given < needs:
                return roomless(given)
            return Reply("text", "complete", "m", Usage(100, 0, 0, needs, needs - 5))

        super().__init__(script)


def run(client: Scripted, count: int = 1, most: int = 128_000, **more: Any) -> list[Any]:
    """What comes of so many calls."""
    return in_time(drive(client, [asked(n) for n in range(count)], sending=Sending(most_output=most), **more)).results


def test_reply_without_a_word_is_given_up_or_stored() -> None:
    client = Thinker(needs=3_000)
    results = run(client)
    assert client.allowed == [LIMIT, LIMIT + 25_000]
    first, second, answer = results
    assert [one.outcome for one in (first, second)] == ["transient", "answered"]
    assert (first.usage.output_tokens, second.number) == (LIMIT, 2), "what came to nothing was paid"
    assert isinstance(answer, Answer)
    assert (answer.key, answer.text, answer.attempts) == ("0", "text", 2), "under the key of the first asking"


def test_it_is_asked_without_end() -> None:
    client = Thinker(needs=10**9)
    *attempts, failure = run(client)
    assert client.allowed == [LIMIT, LIMIT + 25_000]
    assert [one.outcome for one in attempts if isinstance(one, Attempt)] == ["transient", "terminal"]
    assert isinstance(failure, CallFailed)
    assert (failure.kind, failure.own, failure.attempts) == ("terminal", True, 2)
    assert failure.message.startswith("no room to answer")


@pytest.mark.parametrize(("most", "allowed"), [(1_000, [LIMIT, 1_000]), (LIMIT, [LIMIT]), (0, [LIMIT, LIMIT + 25_000])])
def test_more_is_asked_than_the_model_gives(most: int, allowed: list[int]) -> None:
    client = Thinker(needs=10**9)
    run(client, most=most)
    assert client.allowed == allowed


def test_table_with_much_room_gets_hardly_more() -> None:
    client = Scripted(lambda *_: roomless())
    one = replace(asked(0), payload={"body": {"max_tokens": 30_000}})
    seen: list[int] = []
    client.script = lambda each, _: (seen.append(body_with_room(each)["max_tokens"]), roomless())[1]
    in_time(drive(client, [one], sending=Sending(most_output=128_000)))
    assert seen == [30_000, 120_000]


@pytest.mark.parametrize("status", [400, 422])
def test_refusal_in_words_is_another_fault(status: int) -> None:
    words = (
        "Could not finish the message because max_tokens or model output limit was reached. "
        "Please try again with higher max_tokens."
    )
    problem = problem_of_status(
        status, {}, {"error": {"message": words, "type": "invalid_request_error", "code": None}}
    )
    assert (problem.no_room, problem.own) == (True, True)
    client = Scripted(lambda _, number: problem if number == 1 else Reply("text", "complete", "m", Usage(1, 0, 0, 1)))
    assert isinstance(run(client)[-1], Answer)


def test_full_context_is_asked_again_in_vain() -> None:
    problem = CallProblem("terminal", "no room to answer", status=200, own=True)
    client = Scripted(lambda *_: problem)
    run(client)
    assert len(client.sent) == 1


def test_budget_is_passed_by_the_second_asking() -> None:
    """What the second asking may cost is set aside before it is sent."""
    price = price_of("m", {"price": {"input": 1, "output": 10}})
    budget = Budget(nano("0.1"))  # 10,000 tokens of output
    client = Thinker(needs=10**9)
    results = run(client, gate=Meter(budget, price))
    assert client.allowed == [LIMIT], "25,064 tokens may cost more than there is"
    assert budget.spent <= budget.limit
    assert budget.reserved == 0
    assert not any(isinstance(one, CallFailed) for one in results), "it is left, not failed: money may come"
    rich = Budget(nano("10"))
    client = Thinker(needs=3_000)
    run(client, count=20, gate=Meter(rich, price))
    assert rich.reserved == 0
    assert rich.spent == 20 * (price.of(Usage(100, 0, 0, LIMIT)) + price.of(Usage(100, 0, 0, 3_000)))


def test_followers_wait_for_a_document_that_was_read() -> None:
    client = Thinker(needs=3_000)
    group = [
        replace(one, ask=replace(one.ask, shared_prefixes=(SharedPrefix(1, "d"),)))
        for one in (asked(0), asked(1), asked(2))
    ]
    results = in_time(drive(client, group, sending=Sending(most_output=128_000))).results
    assert sum(isinstance(one, Answer) for one in results) == 3
    assert len(client.sent) == 6
