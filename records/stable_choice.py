"""Stable choices: numbers that depend only on names, so that one example's choice changes no other's."""

import hashlib
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def stable_int(*names: object) -> int:
    """Return a number below 2**128 derived from names; equal on every machine and Python version."""
    text = "\x1f".join(str(name) for name in names)
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16], "big")


def stable_index(count: int, *names: object) -> int:
    """Choose uniformly among 0..count-1. Raises ValueError if count is below 1."""
    if count < 1:
        raise ValueError("nothing to choose from")
    return stable_int(*names) % count


def stable_order(items: Iterable[T], *names: object) -> list[T]:
    """Return the items in a random order that depends on the names.

    An item's sort key depends on the names and its own text alone; equal items keep their order.
    """
    return sorted(items, key=lambda item: stable_int(*names, item))
