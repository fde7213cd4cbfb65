"""What was spent: every try counts once, nothing unknown is taken for free, nothing free for unknown."""

import pytest

from scrollwork.storage.answers.rows import Spent
from scrollwork.storage.errors import StorageError
from tests.storage.store_kit import answer, attempt, batch, failure, key


def test_try_without_an_answer_costs_nothing(store):
    store.add(
        [answer(1, model="gpt", cost_nano_usd=700)],
        [failure(2)],
        [
            attempt(1, "transient", tried=1, cost_nano_usd=0),
            attempt(
                1, tried=2, input_tokens=100, cached_tokens=80, cache_write_tokens=7, output_tokens=9, cost_nano_usd=700
            ),
            attempt(2, "transient", status=200, message="empty", input_tokens=50, output_tokens=1, cost_nano_usd=300),
        ],
    )
    assert store.spent() == {"gpt": Spent(3, 1, 150, 80, 10, 1000, 0, 7)}
    assert store.holdings().attempts == {"gpt": {"answered": 1, "transient": 2}}


def test_unknown_price_is_taken_for_nothing(store):
    store.add(
        [],
        [],
        [
            attempt(1, input_tokens=5, output_tokens=1),  # no price in the table
            attempt(2, "cancelled", status=None),  # sent, and nobody knows what became of it
            attempt(3, "transient", status=529),  # an HTTP error is never charged
            attempt(4, "terminal", status=400),
            attempt(5, cost_nano_usd=0),
        ],
    )
    assert store.spent()["gpt"] == Spent(5, 2, 5, 0, 1, 0, 2)


def test_answers_without_attempts_are_not_counted_or_counted_twice(store):
    store.add([answer(1, cost_nano_usd=0), answer(2, cost_nano_usd=0)])
    store.add([answer(3, model="gpt", cost_nano_usd=5)], [], [attempt(3, cost_nano_usd=5)])
    store.add([answer(4, model="gpt")])
    assert store.spent() == {"gpt": Spent(2, 2, 7, 0, 3, 5, 1, 0, 1, 5), "naive:seed=0": Spent(2, 2, 14, 0, 6, 0, 0)}


def test_money_of_one_run_is_mixed_with_that_of_another(store):
    store.add([], [], [attempt(1, owner="mon", cost_nano_usd=2), attempt(1, owner="tue", cost_nano_usd=3)])
    store.add([answer(9)])
    assert store.spent("mon") == {"gpt": Spent(1, 1, 0, 0, 0, 2, 0, 0, 1, 2)}
    assert store.spent("wed") == {}
    assert store.spent()["gpt"].cost_nano_usd == 5


def test_attempt_written_twice_is_paid_twice(store):
    store.add([], [], [attempt(1, cost_nano_usd=2)])
    store.add([], [], [attempt(1, cost_nano_usd=2), attempt(1, tried=2, cost_nano_usd=2)])
    assert store.spent()["gpt"].cost_nano_usd == 4


def test_sum_of_money_is_rounded(store):
    """A thousand attempts of a third of a cent, beyond what a float adds exactly."""
    costs = [10**15 + number for number in range(1000)]
    store.add([], [], [attempt(number, cost_nano_usd=cost) for number, cost in enumerate(costs)])
    assert store.spent()["gpt"].cost_nano_usd == sum(costs)


def test_last_message_of_a_kind_is_another(store):
    store.add([], [failure(1, message="first"), failure(2, "terminal", message="no such model")])
    store.add([], [failure(3, message="last")])
    told = {(one["kind"], one["count"], one["message"]) for one in store.holdings().failure_kinds}
    assert told == {("transient", 2, "last"), ("terminal", 1, "no such model")}


def test_answer_without_its_attempt_or_attempt_without_its_answer_is_committed(store):
    with pytest.raises(StorageError):
        store.add([answer(1), answer(2, text=None)], [], [attempt(1), attempt(2)])
    assert store.spent() == {}
    assert store.answers([key(1)]) == {}


def test_batch_is_forgotten_or_submitted_without_its_intent(store):
    keys = [key(number) for number in range(1200)]
    store.claim(keys, "a", 60)
    store.intend(batch(1), keys, "a")
    store.intend(batch(2), keys[:1], "a")
    assert store.open_batches() == [batch(1), batch(2)]
    store.save_batch(batch(1, "submitted", provider_batch_id="batch_abc", submitted=5.0))
    store.settle_requests(batch(1).batch_id, dict.fromkeys(keys[:1100], "done") | {keys[1150]: "again"})
    states = store.batch_requests(batch(1).batch_id)
    assert {state: list(states.values()).count(state) for state in states.values()} == {
        "done": 1100,
        "waiting": 99,
        "again": 1,
    }
    store.save_batch(batch(2, "lost", ended=6.0))
    assert store.open_batches() == [batch(1, "submitted", provider_batch_id="batch_abc", submitted=5.0)]
    assert store.holdings().batches == {"lost": 1, "submitted": 1}
    with pytest.raises(LookupError):
        store.save_batch(batch(3, "submitted"))


def test_thoughts_are_of_another_model_or_limit_or_are_none_where_they_are_not_told(store):
    """Where a vendor counts thoughts as output alone, they are the output less four characters of text a token."""
    own = {"model": "gpt", "output_limit": 612}
    store.add([
        answer(1, **own, output_tokens=70, reasoning_tokens=60),
        answer(2, "x" * 40, **own, output_tokens=110),
        answer(3, **own, output_tokens=None),
        answer(4, "y" * 400, **{**own, "output_limit": 700}, output_tokens=90),
        answer(5, model="gpt", output_tokens=9),
        answer(6, model="other", output_limit=612, output_tokens=1_000),
    ])  # fmt: skip
    assert store.output_tokens("gpt", 4) == {612: (2, 160, 180), 700: (1, 0, 90)}
    assert store.output_tokens("nobody", 4) == {}
