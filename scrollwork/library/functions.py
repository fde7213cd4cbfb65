"""A function of the user's as a model: `scrollwork.model`."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

from scrollwork.library.calls import of_library
from scrollwork.models.functions import Function, Registered, register, spec_of
from scrollwork.pipeline.errors import UsageError
from scrollwork.preprocessing.raw.errors import printable

TIMEOUT_S = 600.0  # for one answer: a long text on a slow model takes minutes
COROUTINES = 8  # calls at once of a function that is a coroutine: it waits for something else
MOST_AT_ONCE = 256  # each call has a thread


@dataclass(frozen=True)
class FunctionOfUser:
    """A function as a model, for `models=` of `scrollwork.run`. name, revision: what its answers are known by."""

    name: str
    revision: str
    registered: Registered

    def __repr__(self) -> str:
        calls = f"{self.registered.concurrency} call(s) at once, at most {self.registered.timeout_s:g} s each"
        named = f"{self.name}, revision {self.revision}; {calls}; in requests {self.spec}"
        return printable(f"function as a model: {named}")

    @property
    def spec(self) -> str:
        """Return the model's name in a request, `function:NAME@REVISION`."""
        return spec_of(self.name, self.revision)

    def adopt(self) -> str:
        """Let this process ask the function; return its spec."""
        register(self.spec, self.registered)
        return self.spec


@of_library()
def model(
    function: Function | Callable[[str], Any],
    *,
    name: str,
    revision: str,
    timeout_s: float = TIMEOUT_S,
    concurrency: int | None = None,
) -> FunctionOfUser:
    """Make a model of a function that takes a prompt and returns the answer, both texts. It may be a coroutine.

    name: shown in every table; revision: of what answers (weights, instructions, code). Answers are stored under both
    and never asked again: say another revision when the function answers otherwise. timeout_s: seconds for one answer;
    a call that takes longer is a failure and its thread is left behind. concurrency: calls at once, by default 1, or 8
    for a coroutine function. The function is called in threads, never in the notebook's own event loop.

    Raises UsageError for a name of one of our models, a function that cannot be called with a prompt alone or that
    yields, or a value that cannot be used.
    """
    from scrollwork.suites.suite_files import load_models

    if not callable(function):
        raise UsageError(f"sw.model: a function (prompt) -> text is wanted, not a {type(function).__name__}")
    refuse_uncallable(function)
    if not (isinstance(name, str) and isinstance(revision, str)):
        raise UsageError("sw.model: name and revision must be texts, such as name='mine', revision='1'")
    if name in load_models():
        raise UsageError(f"sw.model: {name!r} is a model of config/models.toml; choose another name")
    if isinstance(timeout_s, bool) or not (isinstance(timeout_s, Real) and math.isfinite(timeout_s) and timeout_s > 0):
        raise UsageError(f"sw.model: timeout_s must be a number of seconds above 0, not {timeout_s!r}")
    waits = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)
    at_once = concurrency if concurrency is not None else COROUTINES if waits else 1
    if type(at_once) is not int or not 1 <= at_once <= MOST_AT_ONCE:
        raise UsageError(f"sw.model: concurrency must be a whole number from 1 to {MOST_AT_ONCE}, not {at_once!r}")
    made = FunctionOfUser(name, revision, Registered(function, float(timeout_s), at_once))
    try:
        made.spec  # noqa: B018 - checks both
    except ValueError as error:
        raise UsageError(f"sw.model: {error}") from error
    return made


def refuse_uncallable(function: Callable[..., Any]) -> None:
    """Raise UsageError for a function that would fail at every prompt: it yields, or it cannot be called with one text.

    What Python does not tell (functions of C, a decorator that says another signature) is tried when it is asked.
    """
    called = function if inspect.isroutine(function) else type(function).__call__
    if any(
        kind(one) for one in (function, called) for kind in (inspect.isgeneratorfunction, inspect.isasyncgenfunction)
    ):
        raise UsageError("sw.model: the function yields, and is a generator: it must return the answer, one text")
    if getattr(function, "__signature__", None) is not None:
        return
    try:
        signature = inspect.Signature.from_callable(function, follow_wrapped=False)
    except (TypeError, ValueError):
        return
    try:
        signature.bind("prompt")
    except TypeError as error:
        named = getattr(function, "__name__", type(function).__name__)
        raise UsageError(
            f"sw.model: the function is called with the prompt alone, and {named}{signature} cannot be ({error}); "
            "other arguments may be given before: functools.partial(f, other=...)"
        ) from error
