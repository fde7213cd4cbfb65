"""A reply that should be {'is_answerable': bool, 'answer_content': text}: SEAM's MuSiQue (seam.md 5).

It is read in two ways. The official reading determines `f1_output` and `format_ok`: a Python object on one line, after
repairs that break as much as they mend (JSON's true fails, and so do answers that begin with s or t). The lenient one
accepts what a person would: JSON or Python, over several lines, in code fences; the official repairs come last.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scrollwork.scoring.reading.literals import ANY, DEEPEST, PYTHON, NoLiteral, literal

Object = Mapping[Any, Any]
SAID = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class AnswerObject:
    """What a reply says. answerable: None if it does not say. answer: the whole reply if it is not an object.

    official: the text whose tokens the official code compares, of its object or else the whole reply. format_ok,
    json_ok: whether the official and the lenient reading found an object.
    """

    answerable: bool | None
    answer: str
    official: str
    format_ok: bool
    json_ok: bool


def answer_object(reply: str) -> AnswerObject:
    """Read a reply both ways, in linear time."""
    strict = official_object(reply)
    free = lenient_object(reply)
    fields = {_key(key): value for key, value in (free or {}).items()}
    return AnswerObject(
        answerable=_answerable(fields.get("is_answerable")),
        answer=reply if free is None else _answer(fields.get("answer_content")),
        official=reply if strict is None else str(dict(strict)),
        format_ok=strict is not None,
        json_ok=free is not None,
    )


def official_object(reply: str) -> Object | None:
    """Return the object that the official code would evaluate, or None if it fails; nothing is evaluated here."""
    return next(_objects(_repaired(_on_one_line(reply)), PYTHON), None)


def lenient_object(reply: str) -> Object | None:
    """Return the object from the first { to the last }, JSON or Python, else by the official repairs; or None."""
    whole = reply[reply.find("{") : reply.rfind("}") + 1] if "{" in reply else ""
    if whole.count("{") + whole.count("[") <= DEEPEST:  # how deep JSON may be must not depend on the stack
        try:
            return dict(json.loads(whole))
        except ValueError:
            pass
    return next(_objects([whole, *_repaired(_on_one_line(reply))], ANY), None)


def _on_one_line(reply: str) -> str:
    """Return the text from the first { to the last } of the first line with both in this order, else ""."""
    for line in reply.split("\n"):
        begin, end = line.find("{"), line.rfind("}")
        if 0 <= begin < end:
            return line[begin : end + 1]
    return ""


def _repaired(text: str) -> list[str]:
    """Return the text after the official repairs, and again with a quote before every }."""
    for broken, mended in (("'s", "\\'s"), ("'t", "\\'t"), ("s' ", "s\\' "), ("\\_", "_")):
        text = text.replace(broken, mended)
    return [text, text.replace("}", "'}")] if text else []


def _objects(texts: list[str], words: dict[str, Any]) -> Iterator[Object]:
    for text in texts:
        try:
            found = literal(text, words)
        except NoLiteral:
            continue
        if isinstance(found, dict):
            yield found


def _key(key: object) -> str:
    return str(key).replace("\\", "").strip().lower()


def _answerable(value: object) -> bool | None:
    return (
        value if isinstance(value, bool) else SAID.get(str(value).strip().lower()) if isinstance(value, str) else None
    )


def _answer(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else str(value)
