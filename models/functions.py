"""A Python function as a model: prompt in, text out. `scrollwork.model` makes one (docs/library.md).

It is known by a name and a revision that its user gives. The spec `function:NAME@REVISION` stands for it in requests,
so a plan, a report or `verify` needs no function; only asking does, in the process that made it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scrollwork.models.base import Answer, Ask, Call, CallFailed
from scrollwork.models.registry import FUNCTION, FUNCTION_PREFIX

STORED = "function"  # the provider in the rows of its answers
Function = Callable[[str], str | Awaitable[str]]


class NoFunction(RuntimeError):
    """A function is to be asked in a process that does not have it."""


@dataclass(frozen=True)
class Registered:
    """A function that this process may ask. timeout_s: seconds for one answer. concurrency: calls at once."""

    function: Function
    timeout_s: float
    concurrency: int


_registered: dict[str, Registered] = {}  # by spec


def register(spec: str, found: Registered) -> None:
    """Let this process ask a function. A later function of the same name and revision takes the place of this one."""
    _registered[spec] = found


def spec_of(name: str, revision: str) -> str:
    """Return the spec of a function. Raises ValueError saying what a name or a revision must be."""
    spec = f"{FUNCTION_PREFIX}{name}@{revision}"
    if not (FUNCTION.fullmatch(spec) and name.strip() == name and name.isprintable()):
        raise ValueError(
            f"name {name!r}, revision {revision!r}: a name has 1 to 80 printable characters without quotes, : @ and ~; "
            "a revision 1 to 40 letters, digits, '.', '+', '-' or '_'"
        )
    return spec


def make(name: str, table: Mapping[str, Any], revision: str) -> FunctionModel:
    """Return the model of a function's table. revision: of our code, on which its answers do not depend."""
    return FunctionModel(name, str(table["revision"]))


class FunctionModel:
    """A registered function as a model (scrollwork.models.base.Model)."""

    provider = STORED

    def __init__(self, name: str, revision: str) -> None:
        self.name, self.members, self._revision = name, (name,), revision

    def payload(self, ask: Ask, member: str) -> Mapping[str, Any]:
        """Return what the answer depends on; its digest is the request key."""
        asked = {"provider": self.provider, "name": self.name, "revision": self._revision, "prompt": ask.prompt_sha256}
        return {**asked, "draw": ask.draw} if ask.draw else asked

    def answer(self, calls: Iterable[Call]) -> Iterator[Answer | CallFailed]:
        """Ask the function, and yield a result for each call as it comes. What it raises or gives in place of a text is
        a failure of that call. Raises NoFunction if this process does not have it."""
        from scrollwork.models.function_calls import results  # asyncio, which a plan does without

        found = _registered.get(spec := spec_of(self.name, self._revision))
        if found is None:
            raise NoFunction(
                f"model {self.name!r}: its function, revision {self._revision}, is not in this process; it is asked "
                f"where sw.model made it, by sw.run with the function ({spec} is enough for what is answered already)"
            )
        reported, at_once = f"{self.name}@{self._revision}", found.concurrency
        return results(found.function, reported, calls, timeout_s=found.timeout_s, concurrency=at_once)
