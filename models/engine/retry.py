"""When a call is retried and when it is given up: one policy for all providers, as no SDK retries anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from scrollwork.models.base import CallProblem

LONGEST_S = 900.0  # longest wait, whatever a table or a provider asks for
OF_EVERY_CALL = (401, 402, 404)  # wrong key, no money, no such model or address: no single call is marked as failed


@dataclass(frozen=True)
class Policy:
    """Limits on the retries of one call.

    attempts: at most. seconds: of attempts and the waits between them together, without waits for a rate limit.
    longest_wait_s: cap of a wait, including a Retry-After. first_wait_s: about the wait before the second attempt; each
    later wait is twice as long.
    """

    attempts: int = 8
    seconds: float = 900.0
    longest_wait_s: float = 120.0
    first_wait_s: float = 1.0

    def wait(self, attempts: int, spent_s: float, retry_after_s: float | None, rng: Random) -> float | None:
        """Return the seconds until the next attempt after so many failed ones, None to give up.

        Half of the growing wait is random, so that calls that failed together are not retried together. The provider's
        Retry-After is a minimum, within the cap.
        """
        if attempts >= self.attempts:
            return None
        longest_s = min(self.longest_wait_s, LONGEST_S)
        grown = min(longest_s, self.first_wait_s * 2.0 ** min(attempts - 1, 60))
        wait = grown * rng.uniform(0.5, 1.0)
        if retry_after_s is not None and retry_after_s > 0:
            wait = max(wait, min(retry_after_s * rng.uniform(1.0, 1.1), longest_s))
        return None if spent_s + wait > self.seconds else wait


def retry_policy(table: Mapping[str, Any]) -> Policy:
    """Return the policy of a model's `retry = {attempts, seconds, longest_wait_s}`.

    Raises ValueError naming the key.
    """
    known = ("attempts", "seconds", "longest_wait_s")
    for key, value in table.items():
        if key not in known:
            raise ValueError(f"retry.{key} is not known; there are: {', '.join(known)}")
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or value <= 0 or (key == "attempts" and value != int(value)):
            raise ValueError(f"retry.{key} = {value!r} must be a positive number" + " (whole)" * (key == "attempts"))
    return replace(Policy(), **table)


def ends_the_run(problem: CallProblem) -> bool:
    """Return whether no other call can succeed either: money or quota used up, key refused, no such model."""
    return problem.kind == "quota" or problem.status in OF_EVERY_CALL


def maybe_charged(problem: CallProblem) -> bool:
    """Return whether the provider may have charged for a reply that never came.

    It may if no status came, or 200 with a broken body.
    """
    return may_be_charged(problem.status)


def may_be_charged(status: int | None) -> bool:
    """Return whether an attempt that ended with this HTTP status, None for none, may have been charged."""
    return status is None or status < 300
