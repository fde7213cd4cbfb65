"""How a model is called, from its table: limits, retries, times."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scrollwork.models.engine.limits import Caps, Limiter, limiter_of
from scrollwork.models.engine.limits_ledger import LimitsLedger
from scrollwork.models.engine.retry import retry_policy
from scrollwork.models.engine.sending import Sending
from scrollwork.models.registry import UnknownModel
from scrollwork.models.vendors.families import family_of
from scrollwork.models.vendors.marks import cache_seconds, limit_counting
from scrollwork.models.vendors.tiers import FLEX


@dataclass(frozen=True)
class Settings:
    """What a model's table says about how it is called. key_name: the variable that holds the key, never the key."""

    provider: str = ""
    base_url: str = ""
    model_id: str = ""
    key_name: str = ""
    caps: Caps = field(default_factory=Caps)
    sending: Sending = field(default_factory=Sending)

    def limiter(self, ledger: LimitsLedger | None = None) -> Limiter:
        """Return the limiter that all stages of this process share for this account's model.

        ledger: as in `limiter_of`.
        """
        return limiter_of(self.provider, self.base_url, self.model_id, self.key_name, self.caps, ledger)


def settings(name: str, table: Mapping[str, Any], *, key_name: str) -> Settings:
    """Return the settings of a model's table: concurrency, concurrency_start, rpm, tpm, timeout_s, warmup_s, retry.

    Raises UnknownModel, which names the model and the key.
    """

    def positive(key: str, default: float | None, whole: bool = False) -> Any:
        value = table.get(key, default)
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if value is not default and (not number or value <= 0 or (whole and value != int(value))):
            raise UnknownModel(f"model {name!r}: {key} = {value!r} must be a positive number" + " (whole)" * whole)
        return int(value) if whole and value is not None else value

    known = family_of(table)
    allowed = known.family.get("concurrency", math.inf) if known is not None else math.inf
    concurrency = min(positive("concurrency", 32, whole=True), allowed)
    try:
        retrying = retry_policy(table.get("retry", {}))
    except ValueError as error:
        raise UnknownModel(f"model {name!r}: {error}") from error
    return Settings(
        provider=str(table.get("provider", "")),
        base_url=str(table.get("base_url", "")),
        model_id=str(table.get("id", name)),
        key_name=key_name,
        caps=Caps(
            concurrency=concurrency,
            start=positive("concurrency_start", min(8, concurrency), whole=True),
            rpm=positive("rpm", None),
            tpm=positive("tpm", None),
            **limit_counting(table),
        ),
        sending=Sending(
            policy=retrying,
            timeout_s=positive("timeout_s", 600.0),
            warmup_s=positive("warmup_s", 60.0),
            name=name,
            cache_s=cache_seconds(table),
            most_output=int(table.get("max_output", 0)),
            service=FLEX if table.get("service") == FLEX else "",
        ),
    )
