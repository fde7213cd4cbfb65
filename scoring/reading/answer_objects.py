"""A reply that should be {'is_answerable': bool, 'answer_content': text}. SEAM, MuSiQue (seam.md 5).

Two readings. The official one decides what `f1_output` and `format_ok` see: an object of Python on one line, after
repairs that break as much as they mend (JSON's true, and answers that begin with s or t, are failures). The second
takes what a person would: JSON or Python, over several lines, in fences; the official repairs come last.
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
    """What a reply says. answerable: None where it does not say. answer: the whole reply where it is no object.

    official: the text whose tokens the official code compares, that of its object or the whole reply.
    """

    answerable: bool | None
    answer: str
    official: str
    format_ok: bool
    json_ok: bool


def answer_object(reply: str) -> AnswerObject:
    """A reply read both ways, in linear time; a reply that is no object stands for itself."""
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
    """The object that the official code evaluates, None where it fails; nothing is evaluated here."""
    return next(_objects(_repaired(_on_one_line(reply)), PYTHON), None)


def lenient_object(reply: str) -> Object | None:
    """The object from the first { to the last }, of JSON or Python; else what the official repairs make of a line."""
    whole = reply[reply.find("{") : reply.rfind("}") + 1] if "{" in reply else ""
    if whole.count("{") + whole.count("[") <= DEEPEST:  # so that it depends on no stack how deep may be read
        try:
            return dict(json.loads(whole))
        except ValueError:
            pass
    return next(_objects([whole, *_repaired(_on_one_line(reply))], ANY), None)


def _on_one_line(reply: str) -> str:
    """From the first { to the last } behind it of the first line that has both, else ""."""
    for line in reply.split("\n"):
        begin, end = line.find("{"), line.rfind("}")
        if 0 <= begin < end:
            return line[begin : end + 1]
    return ""


def _repaired(text: str) -> list[str]:
    """The official repairs, and those with a quote set before every } too."""
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
