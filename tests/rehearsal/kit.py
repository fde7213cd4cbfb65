"""Clients of the real SDKs, turned to a rehearsal whose clock stands still."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import anthropic
import openai

from scrollwork.rehearsal.clock import Clock
from scrollwork.rehearsal.server import Rehearsal

SUNDAY = "2026-11-22T12:00:00+00:00"


@contextmanager
def rehearsing(start: str = SUNDAY, **knobs: Any) -> Iterator[Rehearsal]:
    with Rehearsal(Clock(start, pace=0), **knobs) as running:
        yield running


def client(running: Rehearsal, vendor: str = "openai") -> openai.OpenAI:
    return openai.OpenAI(base_url=running.url(vendor), api_key="any", max_retries=0)


def claude(running: Rehearsal, version: str | None = None) -> anthropic.Anthropic:
    headers = {"anthropic-version": version} if version else None
    return anthropic.Anthropic(base_url=running.url("anthropic"), api_key="any", max_retries=0, default_headers=headers)


def bill(running: Rehearsal) -> Decimal:
    return running.world.ledger.total()


def text(tokens: int, letter: str = "a") -> str:
    """So many tokens of 4 bytes, without a sentence or an option in them: the answer is this one long word."""
    return letter * (4 * tokens)
