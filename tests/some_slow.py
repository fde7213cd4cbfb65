"""Cases of which some are run by `make test`, and all by `make test-all`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def one_in(number: int, cases: Iterable[Any]) -> list[Any]:
    """Return the cases for `parametrize`: the first of every `number` is fast, the others are marked as slow. A tuple is a
    case of several arguments."""
    return [
        pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=[pytest.mark.slow] * (place % number > 0))
        for place, one in enumerate(cases)
    ]
