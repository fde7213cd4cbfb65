"""JSON Schemas of configuration files: what an editor says is what scrollwork says."""

from __future__ import annotations

import copy
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from scrollwork.models.baselines.baseline_tables import RULE
from scrollwork.models.extractive.by_rule import RULES
from scrollwork.models.registry import UnknownModel, settings
from scrollwork.models.table_keys import BadValue, ListOf, MapOf, Place, Table
from scrollwork.pipeline.errors import UsageError
from scrollwork.preprocessing.runs.blocks import Block
from scrollwork.suites.suite_files import CONFIG, load_models, refuse_bad_tables
from scrollwork.suites.suite_keys import BLOCK, FOLDER, SUITE, models_schema, schema_files, suite_schema

SUITES = sorted((CONFIG / "suites").glob("*.toml"))


def read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def complaints(schema: dict[str, Any], data: Any) -> list[str]:
    return [error.message for error in Draft202012Validator(schema).iter_errors(data)]


def test_schema_in_the_wheel_is_older_than_the_keys() -> None:
    for name, text in schema_files().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, "python .ci/schemas.py write"
    for schema in (suite_schema(), models_schema()):
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("path", SUITES, ids=lambda path: path.stem)
def test_editor_marks_a_suite_of_ours(path: Path) -> None:
    assert complaints(suite_schema(), read(path)) == []


def test_editor_marks_our_models_or_passes_a_wrong_one() -> None:
    ours = read(CONFIG / "models.toml")
    assert complaints(models_schema(), ours) == []
    for name, key, value in (
        ("gpt-4o", "contxt", 8),
        ("gpt-4o", "context", "8"),
        ("naive", "seedz", 8),
        ("naive", "rules", {"qmsum": {"spann": 3}}),
        ("planted", "noise", "much"),
        ("t0pp", "dtpye", "float16"),
    ):
        wrong = {**ours, name: {**ours[name], key: value}}
        assert complaints(models_schema(), wrong), (name, key)
        with pytest.raises(UnknownModel, match=rf"model '{name}'.*{key}"):
            settings(name, wrong)
    assert complaints(models_schema(), {"gpt-4o": {"price": {"input": 1, "output": 2}}}) == []  # put over ours


def test_both_refuse_a_wrong_value_of_a_suite_file_or_neither() -> None:
    """Each key of each table of our files, with a value that no kind takes."""
    tried = 0
    for path in SUITES:
        data = read(path)
        for place in places(SUITE, data):
            wrong = copy.deepcopy(data)
            table = wrong
            for step in place[:-1]:
                table = table[step]
            table[place[-1]] = 3.5 if isinstance(table[place[-1]], str | list | dict) else "wrong"
            assert complaints(suite_schema(), wrong), (path.name, place)
            with pytest.raises(UsageError) as error:
                refuse_bad_tables(path.name, wrong)
            assert str(error.value).startswith(f"{path.name}: ")
            assert str(place[-1]) in str(error.value)
            tried += 1
            if tried % 40 == 0:  # the rest of a file is alike
                break
    assert tried > 100


def places(kind: Any, data: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of values whose kind is declared, of one task in seven."""
    found: list[tuple[Any, ...]] = []
    if isinstance(kind, Table):
        for key, value in data.items():
            inner = kind.keys[key].kind
            found.append((*above, key))
            found += places(inner, value, (*above, key))
    elif isinstance(kind, MapOf):
        for number, (key, value) in enumerate(data.items()):
            if number % 7 == 0:
                found += places(kind.kind, value, (*above, key))
    elif isinstance(kind, ListOf) and isinstance(kind.kind, Table):
        for number, value in enumerate(data):
            found += places(kind.kind, value, (*above, number))
    return found


def test_key_has_no_meaning_for_whoever_writes_a_file() -> None:
    def described(schema: Any) -> bool:
        if not isinstance(schema, dict):
            return True
        own = schema.get("properties", {})
        return all(one.get("description", "").strip() and described(one) for one in own.values()) and all(
            described(schema.get(name)) for name in ("items", "additionalProperties", "then")
        )

    assert described(suite_schema())
    assert all(described(one) for one in models_schema()["additionalProperties"]["allOf"])


def test_rule_or_string_that_the_code_reads_is_refused() -> None:
    assert set(RULES) <= set(RULE.keys)
    assert set(BLOCK.keys) == set(Block.__dataclass_fields__)
    for name, table in load_models().items():
        if "rules" in table:
            settings(name, load_models())


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("max_new_tokens", True, "a whole number from 1 to 1000000, not True"),
        ("max_new_tokens", 0, "a whole number from 1 to 1000000, not 0"),
        ("shards", 0, "a whole number from 1 to 1000, not 0"),  # no inputs, and no error
        ("shards", -2, "a whole number from 1 to 1000, not -2"),
        ("shards", 2.0, "a whole number from 1 to 1000, not 2.0"),
    ],
)
def test_number_that_is_none_passes(name: str, value: object, wanted: str) -> None:
    kind = SUITE.keys["task"].kind.kind.keys[name].kind  # type: ignore[attr-defined]
    with pytest.raises(BadValue, match=rf"x: \[task\.a\]: {name} must be {wanted}$"):
        kind.check(Place("x", ("task", "a")), name, value)
