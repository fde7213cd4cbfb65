"""The options of a night beside those of `run`: of the command and of the flow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scrollwork.suites.options import Option, option, options_of

GROUP, SCOPE = "nights", "nights"


@dataclass(frozen=True)
class NightOptions:
    """When the full set is asked."""

    full_every: int = option(
        1,
        "ask the full set after so many days, and when a model is seen to change; on other nights a canary, about 1 % "
        "of it (default: 1, the full set every night)",
        scope=SCOPE,
        group=GROUP,
        metavar="DAYS",
        least=1,
        decides=False,
    )


def night_options() -> Mapping[str, Option]:
    """Return the options of nights by name."""
    return options_of(NightOptions)
