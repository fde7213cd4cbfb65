"""Files that are one JSON object with many records: what is wrong with one of them costs only that one."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrollwork.preprocessing.raw.errors import MalformedFile, MalformedRecord
from scrollwork.preprocessing.raw.files import RawFiles, Record
from scrollwork.preprocessing.raw.json_objects import kind_name


@dataclass(frozen=True)
class NotJson:
    """NaN or an infinity, which JSON does not allow; it marks its place until the record around it is dropped."""

    name: str


class Repeated(dict[str, Any]):
    """An object that names `keys_twice` more than once; the last value of each counts."""

    keys_twice: tuple[str, ...] = ()


def whole_object(raw: RawFiles, path: tuple[str, Path]) -> Record:
    """Return the file's object, like raw.object, with NotJson and Repeated inside. Raises MalformedFile."""
    name = path[0]
    try:
        value = json.loads(raw.text(path), parse_constant=NotJson, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise MalformedFile(name, f"line {error.lineno}", "", f"is not JSON: {error.msg}", "broken JSON") from None
    except (RecursionError, ValueError) as error:
        raise MalformedFile(name, "", "", f"is not JSON: {error}", "broken JSON") from None
    if not isinstance(value, dict):
        raise MalformedFile(name, "", "", f"must be a JSON object, is {kind_name(value)}", "wrong type")
    return Record(value, name, "")


def member_of(file: str, where: str, value: Any) -> Record | MalformedRecord:
    """Return one record of such a file, or what is wrong with it as a whole."""
    if (name := constant_in(value)) is not None:
        return MalformedRecord(file, where, "", f"{name} is not JSON", "broken JSON")
    if not isinstance(value, dict):
        return MalformedRecord(file, where, "", f"must be an object, is {kind_name(value)}", "wrong type")
    return Record(value, file, where)


def named_parts(file: str, where: str, values: Any) -> Iterator[tuple[str, Record | MalformedRecord]]:
    """Yield the records of an object by their names; a repeated name is reported, and its last record is taken."""
    for name in getattr(values, "keys_twice", ()):
        problem = "stands twice in this file; the last one is taken"
        yield name, MalformedRecord(file, f"{where} {name}", "", problem, "duplicate id")
    for name, value in values.items():
        yield name, member_of(file, f"{where} {name}", value)


def constant_in(value: Any) -> str | None:
    """Return the name of the first NotJson inside a value, or None."""
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, NotJson):
            return one.name
        if isinstance(one, dict):
            todo += one.values()
        elif isinstance(one, list):
            todo += one
    return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    seen: set[str] = set()
    twice = [key for key, _ in pairs if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
    repeated = Repeated(found)
    repeated.keys_twice = tuple(dict.fromkeys(twice))
    return repeated
