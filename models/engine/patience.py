"""How long a request waits for a limit or a retry: after a minute it is logged, after fifteen the run stops."""

from __future__ import annotations

import logging

from scrollwork.models.engine.breaker import Breaker
from scrollwork.models.engine.limits import Limiter
from scrollwork.models.engine.retry import LONGEST_S

log = logging.getLogger("scrollwork")
TOLD_S = 60.0  # of waiting, after which its reason is logged


class Patience:
    """The patience of one engine. name: of the model, for the log."""

    def __init__(self, name: str, breaker: Breaker, limiter: Limiter) -> None:
        self._name, self._breaker, self._limiter = name, breaker, limiter
        self._since: float | None = None

    def over(self) -> None:
        """End the wait, as a request was sent."""
        self._since = None

    def wait(self, now: float, due: float | None, seconds: float, reason: str) -> float | None:
        """Return when to look again, None to wait for `wake`; trips the breaker if the wait is too long.

        due: when something may be sent, None if unknown. seconds: for which nothing may be sent, at least. reason: ""
        if only other requests are waited for.
        """
        times = [] if due is None else [due]
        if reason:
            self._since = now if self._since is None else self._since
            held = now - self._since
            if max(seconds, held) > LONGEST_S:
                self._limiter.forget()  # the next run starts afresh
                self._breaker.trip(f"nothing could be sent for {max(seconds, held) / 60:,.0f} minutes: {reason}")
                return None
            if held >= TOLD_S and self._breaker.first(reason):
                log.warning(
                    "%s: nothing was sent for %.0f s, %.0f more are to come: %s", self._name, held, seconds, reason
                )
            times += [self._since + TOLD_S, self._since + LONGEST_S + 1.0]
        return min((at for at in times if at > now), default=None)
