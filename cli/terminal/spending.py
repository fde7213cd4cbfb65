"""What a run has spent on hosted models, from the attempts that it wrote down."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from scrollwork.cli.terminal.common import say
from scrollwork.models.base import Usage
from scrollwork.models.engine.prices import NANO, dollars, round_up
from scrollwork.pipeline.calling import known_price
from scrollwork.readings.status import spent_by_model
from scrollwork.storage.answers.rows import Spent

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain


def usd(amount: float | None) -> str:
    """Format US dollars for a table, as `dollars` does without its sign; "–" where the amount is not known."""
    return "–" if amount is None else dollars(round(amount * NANO)).removeprefix("$")


def sum_known(amounts: Iterable[float | None]) -> float | None:
    """Add up amounts; None where one of them is not known."""
    known = list(amounts)
    return None if None in known else sum(amount for amount in known if amount is not None)


@contextmanager
def spending_told(chain: Chain) -> Iterator[None]:
    """Say what was spent meanwhile if the block is stopped: the id of the run may be Prefect's, which ends with it."""
    began = time.time()
    try:
        yield
    except KeyboardInterrupt:
        if chain.resolved.calling.tables:
            say(spending_line(spent_by(chain, None, began)))
        raise


def spent_by(chain: Chain, run: str | None, since: float | None = None) -> dict[str, Any]:
    """{currency, amount, saved, calls, input_tokens, cached_tokens, output_tokens, cost_unknown_calls,
    cost_assumed_calls, assumed} of a run of a chain's models.

    amount leaves out calls whose price nobody knows: cost_unknown_calls of them. Those whose tokens nobody knows count
    for what was set aside: cost_assumed_calls of them, assumed of the amount. saved: what all input would have cost
    more at the plain price, without prefix caches. run, since: as of `spent_by_model`.
    """
    tables = chain.resolved.calling.tables
    spent = {model: one for model, one in spent_by_model(chain.session.home, run, since).items() if model in tables}
    total = sum(spent.values(), Spent())
    saved = sum(saved_by_cache(model, tables[model], one) for model, one in spent.items())
    return {
        "currency": "USD",
        "amount": total.cost_nano_usd / NANO,
        "saved": saved / NANO,
        "calls": total.calls,
        "input_tokens": total.input_tokens,
        "cached_tokens": total.cached_tokens,
        "output_tokens": total.output_tokens,
        "cost_unknown_calls": total.cost_unknown_calls,
        "cost_assumed_calls": total.cost_assumed_calls,
        "assumed": total.cost_assumed_nano_usd / NANO,
    }


def saved_by_cache(model: str, table: Mapping[str, Any], spent: Spent) -> int:
    """Nano-dollars that a prefix cache saved: less for what it gave back, more for what was written to it. 0 where the
    price is not known, below 0 where writing cost more. Reckoned at today's standard price of short prompts, times what
    was paid by that price: other tiers of service, long prompts and dear hours."""
    price = known_price(model, table)
    if price is None:
        return 0
    given, written, rates = spent.cached_tokens, spent.cache_write_tokens, price.rates()
    standard = rates.of(Usage(spent.input_tokens, given, written, spent.output_tokens))
    share = Decimal(spent.cost_nano_usd - spent.cost_assumed_nano_usd) / standard if standard else Decimal(0)
    return round_up(share * (given * (rates.input - rates.cached) - written * (rates.cache_write - rates.input)))


def spending_line(spent: dict[str, Any]) -> str:
    """For a person."""
    saved = f", which saved ${spent['saved']:,.4f}" if spent["saved"] > 0 else ""
    saved = f", writing to it cost ${-spent['saved']:,.4f} more" if spent["saved"] < 0 else saved
    cached = f" ({spent['cached_tokens']:,} from the cache{saved})" if spent["cached_tokens"] or saved else ""
    unknown = f"; of {spent['cost_unknown_calls']:,} calls the cost is not known" if spent["cost_unknown_calls"] else ""
    if spent["cost_assumed_calls"]:
        unknown += f"; ${spent['assumed']:,.4f} of it set aside for {spent['cost_assumed_calls']:,} calls without usage"
    return (
        f"spent: ${spent['amount']:,.4f} on {spent['calls']:,} calls, {spent['input_tokens']:,} tokens in{cached}, "
        f"{spent['output_tokens']:,} out{unknown}"
    )
