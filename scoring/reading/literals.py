"""Literals of Python and JSON in a model's reply, parsed and never evaluated. SEAM (seam.md 5).

One pass over the text: a megabyte of brackets, numbers or quotes takes linear time. Not accepted, unlike in
`ast.literal_eval`: bytes, sets, complex numbers, \\N{...}, more than DEEPEST nested brackets.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

DEEPEST = 100  # nested brackets; Python's own parser stops at 200
DIGITS = 4300  # of an integer, the limit of Python's int()
NUMBER_KEYS = 1000  # of an object: numbers, unlike texts, can be chosen so that their hashes collide

QUOTES, PREFIXES = ("'", '"'), ("r", "R", "u", "U")
PYTHON = {"True": True, "False": False, "None": None}
ANY = {**PYTHON, "true": True, "false": False, "null": None}

# No group is possessive: before Python 3.11.5 it would resume where its last attempt failed (cpython 106052).
_SPACE = re.compile(r"[ \t\f\r\n]*+")
_WORD = re.compile(r"[A-Za-z]++(?![A-Za-z0-9_'\"])")
_NUMBER = re.compile(
    r"(?P<sign>[+-]?)[ \t]*+(?:"
    r"(?P<integer>0[xX][0-9a-fA-F]++|0[oO][0-7]++|0[bB][01]++|(?:0++|[1-9][0-9]*+(?:_[0-9]++)*)(?![.eE]|_[0-9]))"
    r"|(?P<real>(?:[0-9]++\.[0-9]*+|\.[0-9]++|[0-9]++(?=[eE]))(?:[eE][+-]?[0-9]++)?)"
    r")(?![A-Za-z0-9_.])"
)
_STRING = {
    quote: re.compile(rf"{quote}([^{quote}\\\r\n]*+(?:\\.[^{quote}\\\r\n]*+)*){quote}", re.DOTALL) for quote in "'\""
}
_TRIPLE = {
    quote: re.compile(
        rf"{quote * 3}([^{quote}\\]*+(?:(?:\\.|{quote}(?!{quote * 2}))[^{quote}\\]*+)*){quote * 3}", re.DOTALL
    )
    for quote in "'\""
}
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_ESCAPED = {"\n": "", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_ESCAPED["v"] = "\v"


class NoLiteral(ValueError):
    """A text that is not a literal."""


def literal(text: str, words: dict[str, Any] = PYTHON) -> Any:
    """Return the value of a text that is one literal: dict, list, tuple, str, int, float, bool or None.

    words: names that stand for values; PYTHON as Python writes them, ANY also as JSON does. Raises NoLiteral.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise NoLiteral("it holds a lone surrogate") from error
    reader = _Reader(text, words)
    value = reader.value(0)
    if reader.peek():
        raise NoLiteral(f"more follows at {reader.place}")
    return value


class _Reader:
    """A parser. place: position in the text of what is read next."""

    def __init__(self, text: str, words: dict[str, Any]) -> None:
        self.text, self.words, self.place = text, words, 0
        self._kinds: dict[str, Callable[[int], Any]] = {"{": self._object, "[": self._list, "(": self._tuple}

    def peek(self) -> str:
        """Skip white space and return the next character, "" at the end."""
        found = _SPACE.match(self.text, self.place)
        self.place = found.end() if found else self.place
        return self.text[self.place : self.place + 1]

    def value(self, depth: int) -> Any:
        first = self.peek()
        if first in self._kinds:
            if depth >= DEEPEST:
                raise NoLiteral(f"over {DEEPEST} brackets in each other")
            self.place += 1
            return self._kinds[first](depth + 1)
        if self._quoted(first):
            return self._texts()
        if found := _WORD.match(self.text, self.place):
            if found[0] not in self.words:
                raise NoLiteral(f"a name at {self.place}")
            self.place = found.end()
            return self.words[found[0]]
        return self._number()

    def _quoted(self, first: str) -> bool:
        """Return whether a text literal begins with this character: a quote, or a prefix r or u before one."""
        if first in QUOTES:
            return True
        return first in PREFIXES and self.text[self.place + 1 : self.place + 2] in QUOTES

    def _texts(self) -> str:
        """Read one text literal, or several in a row, which are joined."""
        found = []
        while self._quoted(first := self.peek()):
            raw = first in "rR"
            self.place += first not in QUOTES
            quote = self.text[self.place]
            pattern = (_TRIPLE if self.text.startswith(quote * 3, self.place) else _STRING)[quote]
            match = pattern.match(self.text, self.place)
            if not match:
                raise NoLiteral(f"a text that does not end at {self.place}")
            self.place = match.end()
            found.append(match[1] if raw or "\\" not in match[1] else _ESCAPE.sub(_unescaped, match[1]))
        return "".join(found)

    def _number(self) -> int | float:
        match = _NUMBER.match(self.text, self.place)
        if not match:
            raise NoLiteral(f"no value at {self.place}")
        self.place = match.end()
        if match["real"]:
            number: int | float = float(match["real"])
        elif len(match["integer"]) > DIGITS:
            raise NoLiteral(f"an integer of over {DIGITS} digits")
        else:
            number = int(match["integer"], 0)
        return -number if match["sign"] == "-" else number

    def _more(self, closes: str) -> bool:
        """Read the comma or closing bracket after a value; return whether another value may follow."""
        mark = self.peek()
        if mark not in (",", closes) or not mark:
            raise NoLiteral(f"neither a comma nor {closes} at {self.place}")
        self.place += 1
        return mark == ","

    def _closed(self, closes: str) -> bool:
        """Read the closing bracket if it is next; return whether it was."""
        closed = self.peek() == closes
        self.place += closed
        return closed

    def _list(self, depth: int) -> list[Any]:
        return self._values("]", depth)[0]

    def _tuple(self, depth: int) -> Any:
        found, comma = self._values(")", depth)
        return tuple(found) if comma or not found else found[0]

    def _values(self, closes: str, depth: int) -> tuple[list[Any], bool]:
        """Read the values up to the closing bracket; return them, and whether there was a comma."""
        found: list[Any] = []
        comma = False
        while not self._closed(closes):
            found.append(self.value(depth))
            if not self._more(closes):
                break
            comma = True
        return found, comma

    def _object(self, depth: int) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        numbers = 0
        while not self._closed("}"):
            key = self.value(depth)
            numbers += not isinstance(key, str)
            if numbers > NUMBER_KEYS:
                raise NoLiteral(f"over {NUMBER_KEYS} keys that are no texts")
            if self.peek() != ":":
                raise NoLiteral(f"no colon at {self.place}")
            self.place += 1
            value = self.value(depth)
            try:
                found[key] = value
            except TypeError as error:
                raise NoLiteral("a list or an object is no key") from error
            if not self._more("}"):
                break
        return found


def _unescaped(match: re.Match[str]) -> str:
    octal, *hexadecimal, other = match.groups()
    if octal:
        return chr(int(octal, 8))
    digits = next(filter(None, hexadecimal), None)
    if digits:
        try:
            return chr(int(digits, 16))
        except (ValueError, OverflowError) as error:
            raise NoLiteral("an escape beyond Unicode") from error
    if other in "xuUN":
        raise NoLiteral("an escape that is cut off")
    return _ESCAPED.get(other, f"\\{other}")
