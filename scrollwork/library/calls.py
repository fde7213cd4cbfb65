"""What every function of the library shares: a signature that names the options, and errors in the words of Python.

Messages of the rooms speak of flags, as the command does. `in_keywords` alone turns those of a function into its
keywords, so that no message is written twice.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from typing import Any, TypeVar, cast, get_type_hints

from scrollwork.cli.terminal.common import is_expected
from scrollwork.models.table_keys import nearest_known
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.extras import install_line, with_own_way
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.suites.options import Option, every_option

LONGEST = 8000  # characters of a message: lists of models and tasks are whole, a text of a megabyte is not
ELSEWHERE = {  # (function, keyword that it does not have): what does the same
    ("sw.compare", "out"): "; the result writes its page: sw.compare(...).save('compared.html')",
}
STOPPED = "stopped; what was answered is stored, run it again to go on"
# A flag; the value or the placeholder behind it. What is between backticks is a command and stays.
FLAG = re.compile(
    r"(?P<command>`[^`]*`)|(?<![\w-])--(?P<flag>[a-z][a-z0-9-]*)(?![\w-])"
    r"(?: (?P<value>'[^'\n]*'|[A-Z][A-Z0-9_.]*(?![\w-])|[a-z]+:\w[^\s,;()]*?(?=[:,;)]*(?:\s|$))|"
    r"[^\s:,;()]\S*?(?=[:,;)](?:\s|$)|$)))?(?P<colon>:)?"
)
Function = TypeVar("Function", bound=Callable[..., Any])


def of_library(options: type | None = None, hidden: Collection[str] = ()) -> Callable[[Function], Function]:
    """Make a function one of the library. options: the TypedDict of its `**options`, None where it has none;
    hidden: names in it that the function has other words for.

    `inspect.signature`, help and completion then show each option with its default, and the docstring says what it
    means. An unknown keyword is a UsageError that names the nearest. Expected errors speak of keywords, are bounded and
    without control characters; a notebook shows them in one line instead of a traceback, a plain Python without the
    frames between the caller's line and the message.
    """

    def decorated(function: Function) -> Function:
        own = signature_of(function, options, hidden)
        open_ended = any(one.kind is one.VAR_KEYWORD for one in inspect.signature(function).parameters.values())
        name = function.__qualname__ if "." in function.__qualname__ else f"sw.{function.__name__}"

        @wraps(function)
        def called(*given: Any, **named: Any) -> Any:
            try:
                if not open_ended:
                    refuse_unknown(name, named, own.parameters)
                refuse_no_booleans(named, own.parameters)
                return function(*given, **named)
            except KeyboardInterrupt as error:
                error.args = error.args or (STOPPED,)
                show_in_one_line(error, STOPPED)
                raise
            except Exception as error:
                if not is_expected(error):
                    raise
                in_plain_words(error, own.parameters)
                raise error.with_traceback(None)  # noqa: B904  the caller's line and the message, not our frames

        cast(Any, called).__signature__ = own
        if options is not None:
            called.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n\nOptions:\n\n{meanings(own.parameters)}\n"
        return cast(Function, called)

    return decorated


def signature_of(function: Callable[..., Any], options: type | None, hidden: Collection[str]) -> inspect.Signature:
    """Return the signature of a function with the options of a TypedDict in place of `**options`."""
    plain = inspect.signature(function)
    if options is None:
        return plain
    declared = every_option()
    kept = [one for one in plain.parameters.values() if one.kind is not one.VAR_KEYWORD]
    more = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=declared[name].default,
            annotation=kind_of(hint) + " | None" * (declared[name].default is None),
        )
        for name, hint in get_type_hints(options).items()
        if name not in hidden
    ]
    return plain.replace(parameters=[*kept, *more])


def kind_of(hint: Any) -> str:
    """Name a type as a reader would write it."""
    text = hint.__name__ if isinstance(hint, type) else str(hint)
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Za-z])", "", text)


def meanings(keywords: Iterable[str]) -> str:
    """Return a line for each keyword that is a declared option: what it means."""
    declared = every_option()
    named = [name for name in keywords if name in declared]
    return "\n".join(f"    {name}: {in_keywords(declared[name].help, declared)}" for name in named)


def refuse_unknown(function: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise UsageError, naming the nearest, for a keyword that a function does not have."""
    names = [name for name in known if name != "self"]
    if unknown := [name for name in given if name not in names]:
        hint = ELSEWHERE.get((function, unknown[0])) or nearest_known(unknown[0], names)
        raise UsageError(f"{function} has no option {unknown[0]!r}{hint}")


def refuse_no_booleans(given: Mapping[str, Any], known: Mapping[str, inspect.Parameter]) -> None:
    """Raise UsageError for a keyword that is true or false and got something else: "no" would count as true."""
    for name, value in given.items():
        wanted = known[name].annotation if name in known else ""
        if wanted in ("bool", "bool | None") and not (value is None or isinstance(value, bool)):
            raise UsageError(f"{name} must be True or False, not {value!r}")


def in_plain_words(error: Exception, keywords: Iterable[str]) -> None:
    """Let the message of an error speak of keywords, and a notebook show it in one line."""
    text = str(error)
    plain = bounded(with_own_way(in_keywords(text, keywords)))
    if error.args and error.args[0] == text:  # else the class words it from its own fields
        error.args = (plain, *error.args[1:])
        if isinstance(error, ImportError):
            error.msg = plain  # which str() gives, not the arguments
    show_in_one_line(error, with_own_way(install_line(error)) or plain)


def bounded(text: str) -> str:
    """Return a message with its lines, but without control characters and not too long."""
    return "\n".join(printable(line, LONGEST) for line in text[: LONGEST + 1].split("\n"))[:LONGEST]


def show_in_one_line(error: BaseException, text: str) -> None:
    """Let IPython show a message where it would show a traceback; elsewhere the traceback is whole."""
    shown = [f"{type(error).__name__}: {text}" if text else type(error).__name__]
    error._render_traceback_ = lambda: shown  # type: ignore[attr-defined]  # IPython asks for this name


def in_keywords(text: str, keywords: Iterable[str]) -> str:
    """Return a message that names keywords of a function where it names their flags. keywords: all that it has."""
    known, declared = set(keywords), every_option()
    by_flag = {one.flag: one for one in declared.values()}

    def keyword(match: re.Match[str]) -> str:
        flag = f"--{match['flag']}"
        name = name_of(flag, by_flag, known) if match["flag"] else ""
        if not name:
            return match[0]
        value, colon = match["value"], match["colon"] or ""
        if name in declared and declared[name].type is bool:
            return f"{name}=True{f' {value}' if value else ''}{colon}"
        if value is None:
            return f"{name}{colon}" if colon else f"{name}="
        literal = value[0] == "'" or value.isupper() or value.replace(".", "", 1).lstrip("-").isdigit()
        return f"{name}={value if literal else repr(value)}{colon}"

    return FLAG.sub(keyword, text)


def name_of(flag: str, by_flag: Mapping[str, Option], known: set[str]) -> str:
    """Return the keyword of a flag, "" if the function has none."""
    plain = flag.lstrip("-").replace("-", "_")
    declared = by_flag[flag].name if flag in by_flag else plain
    return next((name for name in (declared, plain, f"{plain}s") if name in known), "")
