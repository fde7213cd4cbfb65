"""What a run has spent on hosted models, from the attempts that it wrote down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from models.budget import NANO, whole
from storage.home import Home
from tasks.calling import calling_of, known_price
from tasks.chain import Chain


def spent_by(chain: Chain) -> dict[str, Any]:
    """{currency, amount, saved, calls, input_tokens, cached_tokens, output_tokens, cost_unknown_calls} of a run.

    amount leaves out calls whose cost nobody knows: cost_unknown_calls of them. saved: what the tokens that came from
    prefix caches would have cost more at the price of input.
    """
    from storage.responses import ResponseStore, Spent  # brings SQLAlchemy; a run of baselines that stand needs none

    request = chain.request
    home = Home(request.home, request.store)
    total, saved = Spent(), 0
    if home.has_store:
        store = ResponseStore(home.store_place)
        spent = store.spent(request.run)
        store.close()
        total = sum(spent.values(), total)
        tables = calling_of(request).tables
        saved = sum(cheaper(model, tables.get(model, {}), one.cached_tokens) for model, one in spent.items())
    return {
        "currency": "USD",
        "amount": total.cost_nano_usd / NANO,
        "saved": saved / NANO,
        "calls": total.calls,
        "input_tokens": total.input_tokens,
        "cached_tokens": total.cached_tokens,
        "output_tokens": total.output_tokens,
        "cost_unknown_calls": total.cost_unknown_calls,
    }


def cheaper(model: str, table: Mapping[str, Any], cached_tokens: int) -> int:
    """Nano-dollars that a prefix cache saved, 0 where the price is not known."""
    price = known_price(model, table)
    return whole(cached_tokens * (price.input - price.cached)) if price else 0


def told(spent: dict[str, Any]) -> str:
    """For a person."""
    saved = f", which saved ${spent['saved']:,.4f}" if spent["saved"] else ""
    cached = f" ({spent['cached_tokens']:,} from the cache{saved})" if spent["cached_tokens"] else ""
    unknown = f"; of {spent['cost_unknown_calls']:,} calls the cost is not known" if spent["cost_unknown_calls"] else ""
    return (
        f"spent: ${spent['amount']:,.4f} on {spent['calls']:,} calls, {spent['input_tokens']:,} tokens in{cached}, "
        f"{spent['output_tokens']:,} out{unknown}"
    )
