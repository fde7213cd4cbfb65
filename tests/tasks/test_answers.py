"""Which requests are asked, and what their rows say."""

from pathlib import Path

import pytest

from scrollwork.models.base import Answer, Usage
from scrollwork.models.engine.prices import price_of
from scrollwork.pipeline.calling import CallSettings, budget_of
from scrollwork.storage.answers.rows import ANSWERED
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.tasks.generate.stored_answers import cost_of, is_to_be_asked, stored_answer
from tests.storage.store_kit import attempt


@pytest.mark.parametrize(
    ("state", "retry_failed", "asked"),
    [
        (None, False, True),
        ("transient", False, True),
        ("terminal", False, False),
        ("terminal", True, True),
        (ANSWERED, False, False),
        (ANSWERED, True, False),
    ],
)
def test_paid_answer_is_asked_again_or_a_missing_one_is_not(state, retry_failed, asked):
    assert is_to_be_asked(state, retry_failed) is asked


def test_unreported_tokens_are_taken_for_free_ones():
    price = price_of("m", {"price": {"input": 2, "output": 10}})
    assert cost_of(Usage(), price) is None
    assert cost_of(Usage(input_tokens=100, output_tokens=10), None) is None
    assert cost_of(Usage(input_tokens=100, output_tokens=10), price) == 100 * 2000 + 10 * 10000


def test_count_of_tokens_lands_in_another_column():
    usage = Usage(1, 2, 3, 4, 5)
    row = stored_answer(Answer("k" * 64, "text", "complete", "m-1", usage, 0.5, 2), "openai", "m", 7)
    assert (row.input_tokens, row.cached_tokens, row.cache_write_tokens) == (1, 2, 3)
    assert (row.output_tokens, row.reasoning_tokens, row.cost_nano_usd, row.attempts) == (4, 5, 7, 2)


def test_call_that_never_connected_has_an_unknown_cost() -> None:
    assert cost_of(Usage(0, 0, 0, 0, 0), None) == 0
    assert cost_of(Usage(10, 0, 0, 0, 0), None) is None
    assert cost_of(Usage(), None) is None


def test_run_that_is_retried_takes_replies_that_were_lost_for_free(tmp_path: Path) -> None:
    store = ResponseStore(tmp_path / "responses.db")
    lost = {"outcome": "transient", "status": None}
    known = [attempt(n, owner="run-of-lost-replies.x", cost_nano_usd=cost) for n, cost in enumerate((100, 300))]
    store.add([], [], [*known, *(attempt(n, owner="run-of-lost-replies.y", **lost) for n in (2, 3, 4))])
    budget = budget_of(CallSettings("run-of-lost-replies", budget_usd="1"), store)
    assert budget is not None
    assert budget.spent == 400 + 3 * 200
    store.close()
