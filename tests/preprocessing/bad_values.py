"""What a field can hold instead of what it must, and the reason that must be told."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from tests.preprocessing.bad_layouts import DEEP, GONE

HUGE = 10**30
MISSING, TYPE, EMPTY, SURROGATE, BROKEN = "missing field", "wrong type", "empty field", "lone surrogate", "broken JSON"
ANY = ""  # any reason

TEXTLESS: list[tuple[str, Any, str]] = [
    ("a number", 7, TYPE), ("a huge number", HUGE, TYPE), ("a broken number", 1.5, TYPE), ("true", True, TYPE),
    ("a list", ["x"], TYPE), ("an object", {"x": 1}, TYPE),
]  # fmt: skip
BLANK: list[tuple[str, Any, str]] = [("empty", "", EMPTY), ("blank", " \n\t", EMPTY)]
LISTLESS: list[tuple[str, Any, str]] = [
    ("text", "x", TYPE),
    ("an object", {}, TYPE),
    ("a number", 7, TYPE),
    ("true", True, TYPE),
]
OBJECTLESS: list[tuple[str, Any, str]] = [
    ("text", "x", TYPE),
    ("a list", [{}], TYPE),
    ("a number", 7, TYPE),
    ("false", False, TYPE),
]
UNLIKE_INTEGERS: list[tuple[str, Any, str]] = [
    ("text", "2", TYPE), ("a bool", True, TYPE), ("a broken number", 2.5, TYPE), ("a float", 2.0, TYPE), ("a list", [2], TYPE),
]  # fmt: skip
NULL: list[tuple[str, Any, str]] = [("null", None, TYPE)]
ABSENT: list[tuple[str, Any, str]] = [("missing", GONE, MISSING), *NULL]

KINDS: dict[str, list[tuple[str, Any, str]]] = {
    "text": [*ABSENT, *TEXTLESS, *BLANK, ("a lone surrogate", "a \ud800 b", SURROGATE)],
    "text or blank": [*ABSENT, *TEXTLESS, ("a lone surrogate", "\udfff", SURROGATE)],
    "text or absent": [*TEXTLESS, ("a lone surrogate", "\ud800", SURROGATE)],
    "integer": [*ABSENT, *UNLIKE_INTEGERS, ("a huge number", HUGE, "invalid value")],
    "integer or absent": [*UNLIKE_INTEGERS, ("a huge number", HUGE, ANY), ("negative", -1, ANY)],
    "index": [*((what, value, ANY) for what, value, _ in UNLIKE_INTEGERS), ("null", None, ANY), ("a huge number", HUGE, ANY), ("negative", -1, ANY)],
    "boolean": [*ABSENT, ("one", 1, TYPE), ("zero", 0, TYPE), ("text", "true", TYPE), ("a list", [], TYPE)],
    "boolean or absent": [("one", 1, TYPE), ("zero", 0, TYPE), ("text", "true", TYPE), ("a list", [], TYPE)],
    "object": [*ABSENT, *OBJECTLESS, ("empty", {}, MISSING)],
    "object or empty": [*NULL, *OBJECTLESS],
    "list": [*ABSENT, *LISTLESS],
    "pair": [(what, value, ANY) for what, value, _ in (*NULL, *LISTLESS, ("empty", [], ANY), ("of three", [0, 1, 2], ANY))],
    "texts": [*ABSENT, *LISTLESS, ("a number in it", ["x", 7], TYPE), ("null in it", [None], TYPE), ("a list in it", [["x"]], TYPE),
              ("a lone surrogate in it", ["x", "\ud800"], SURROGATE)],
    "objects": [*ABSENT, *LISTLESS],
}  # fmt: skip
KINDS["texts, not none"] = [*KINDS["texts"], ("empty", [], ANY), ("blank texts", [" ", ""], ANY)]
KINDS["golds"] = [  # texts, or an object that has them
    *(case for case in KINDS["texts, not none"] if case[1] != {}), ("an object without answers", {}, MISSING),
]  # fmt: skip
KINDS["objects, not none"] = [
    *KINDS["objects"], ("empty", [], ANY), ("text in it", ["x"], TYPE), ("null in it", [None], TYPE), ("a list in it", [[]], TYPE),
]  # fmt: skip
KINDS["texts or absent"] = [case for case in KINDS["texts"] if case[0] not in ("missing", "null")]
KINDS["objects or absent"] = [case for case in KINDS["objects"] if case[1] is not GONE]

# What costs the whole record wherever it stands: its line is no JSON.
NO_JSON: list[tuple[str, Any, str]] = [
    ("NaN", math.nan, BROKEN), ("an infinity", -math.inf, BROKEN), ("brackets without end", DEEP, BROKEN),
]  # fmt: skip


def cases(kind: str) -> Iterator[tuple[str, Any, str]]:
    """(name, value, reason) of everything that a field of this kind must not hold."""
    yield from KINDS[kind]
