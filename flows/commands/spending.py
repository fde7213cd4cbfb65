"""What a run has spent on hosted models, from the attempts that it wrote down."""

from __future__ import annotations

from typing import Any

from models.budget import NANO
from storage.home import Home
from tasks.chain import Chain


def spent_by(chain: Chain) -> dict[str, Any]:
    """{currency, amount, calls, input_tokens, cached_tokens, output_tokens, cost_unknown_calls} of a run.

    amount leaves out calls whose cost nobody knows: cost_unknown_calls of them.
    """
    from storage.responses import ResponseStore, Spent  # brings SQLAlchemy; a run of baselines that stand needs none

    request = chain.request
    home = Home(request.home, request.store)
    total = Spent()
    if home.has_store:
        store = ResponseStore(home.store_place)
        total = sum(store.spent(request.run).values(), total)
        store.close()
    return {
        "currency": "USD",
        "amount": total.cost_nano_usd / NANO,
        "calls": total.calls,
        "input_tokens": total.input_tokens,
        "cached_tokens": total.cached_tokens,
        "output_tokens": total.output_tokens,
        "cost_unknown_calls": total.cost_unknown_calls,
    }


def told(spent: dict[str, Any]) -> str:
    """For a person."""
    cached = f" ({spent['cached_tokens']:,} from the cache)" if spent["cached_tokens"] else ""
    unknown = f"; of {spent['cost_unknown_calls']:,} calls the cost is not known" if spent["cost_unknown_calls"] else ""
    return (
        f"spent: ${spent['amount']:,.4f} on {spent['calls']:,} calls, {spent['input_tokens']:,} tokens in{cached}, "
        f"{spent['output_tokens']:,} out{unknown}"
    )
