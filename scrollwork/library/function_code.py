"""Notice that a function answers by other code than it did under the same name and revision.

Its stored answers are read all the same: name and revision alone decide. What is compared are digests of its source
text, which are kept in the home's cache, in no key and no row: without them nothing is noticed, and nothing else
changes. The text of functions that it calls is not looked at.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from tokenize import TokenError
from typing import Any

from scrollwork.flows.execute import Planned
from scrollwork.library.functions import FunctionOfUser
from scrollwork.library.noted_code import FILE, codes_of
from scrollwork.pipeline.source_digest import syntax_tree
from scrollwork.storage.digest import sha256_of
from scrollwork.storage.home import Home

PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"  # another version may write the same tree otherwise


def notes_on_code(functions: Iterable[FunctionOfUser], home: Home, planned: Planned) -> list[str]:
    """Say of which functions the home has answers by other code. The code of those that are asked now is noted.

    A function without a source text (a lambda, a callable object, one typed into a plain Python) is passed over.
    """
    open_now = [(node, status) for node, status in planned.statuses if node.asks and status.state != "reused"]
    asked = {node.label("model") for node, _ in open_now}
    failed = Counter[str]()
    for node, status in open_now:
        facts = status.artifact.facts if status.state == "partial" and status.artifact is not None else {}
        failed[node.label("model")] += facts.get("transient", 0)
    noted = home.remembered(FILE)
    lines = []
    for one in functions:
        if (code := code_of(one.registered.function)) is None:
            continue
        own = codes_of(noted, one.spec)
        before = {digest for digest in own if own[digest] == PYTHON}
        if before - {code}:
            if stored_answers(home, one):
                again = "give another revision to ask again"
                if one.name in asked:
                    inputs = f"{failed[one.name]:,} failed input(s)" if failed[one.name] else "inputs without an answer"
                    again = f"{inputs} are asked with the code of now, and the revision is mixed; {again} all of them"
                lines.append(
                    f"model {one.name!r}: this home has answers of revision {one.revision} by other code of the "
                    f"function, and they are read, not asked again; {again}"
                )
            else:
                before = set()
        if one.name in asked and home.writable:
            others = {digest: version for digest, version in own.items() if version != PYTHON}
            noted[one.spec] = {**others, **dict.fromkeys(before | {code}, PYTHON)}
            with suppress(OSError):  # what cannot be written is told when the run begins
                home.remember(FILE, noted)
    return lines


def stored_answers(home: Home, one: FunctionOfUser) -> int:
    """Return how many answers of a function the home has, of its revision alone. Raises StorageError."""
    from scrollwork.storage.answers.attempts import count_answers

    return count_answers(home.store_place, one.name, f"{one.name}@{one.revision}") if home.has_store else 0


def code_of(function: Callable[..., Any]) -> str | None:
    """Return a digest of a function's source text, without its comments, layout and docstring; None if it has none."""
    try:
        tree = syntax_tree(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, ValueError, SyntaxError, TokenError):  # no file or cell has it
        return None
    node = tree.body[0] if tree.body else None
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    if node.name != getattr(function, "__name__", ""):  # a lambda among the arguments of a decorator
        return None
    if ast.get_docstring(node, clean=False) is not None:
        node.body = node.body[1:] or [ast.Pass()]
    return sha256_of(ast.unparse(node))
