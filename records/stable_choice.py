"""Stable choices: a number that depends on names only, so that one example's choice moves no other's."""

import hashlib
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def stable_int(*names: object) -> int:
    """Derive a number below 2**128 from names; equal on every machine and Python version."""
    text = "\x1f".join(str(name) for name in names)
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16], "big")


def stable_index(count: int, *names: object) -> int:
    """Choose uniformly among 0..count-1. Raises ValueError where count is 0."""
    if count < 1:
        raise ValueError("nothing to choose from")
    return stable_int(*names) % count


def stable_order(items: Iterable[T], *names: object) -> list[T]:
    """The items in a random order that depends on the names; an item's place among the others depends on it alone.

    Items are told apart by their text; equal ones keep their order.
    """
    return sorted(items, key=lambda item: stable_int(*names, item))
