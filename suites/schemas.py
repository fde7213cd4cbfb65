"""JSON Schemas of suite files and tables of models, for editors: config/schema/, made of the keys as declared."""

from __future__ import annotations

import json
from typing import Any

from scrollwork.models.hosted import tables
from scrollwork.models.local import local_tables
from scrollwork.models.registry import HOSTED, LOCAL, PROVIDERS, TABLES
from scrollwork.models.table_keys import Key, Table
from scrollwork.suites.suite_files import CONFIG
from scrollwork.suites.suite_keys import SUITE

FOLDER = CONFIG / "schema"
DRAFT = "https://json-schema.org/draft/2020-12/schema"


def suite_schema() -> dict[str, Any]:
    """Of a suite file."""
    return {"$schema": DRAFT, "title": "A suite of scrollwork (docs/plugins.md)", **SUITE.schema()}


def models_schema() -> dict[str, Any]:
    """Of a file of models: a table each, whose keys are those of its provider. A table without a provider is put over
    ours of that name; what a provider from elsewhere reads, nobody knows here."""
    families = (
        (list(HOSTED), tables.KEYS),
        (list(LOCAL), local_tables.KEYS),
        *(([name], keys) for name, keys in TABLES.items()),
    )
    model = {
        "type": "object",
        "properties": {"provider": {"type": "string", "description": provider_means(list(PROVIDERS))}},
        "allOf": [
            {"if": {"properties": {"provider": {"enum": names}}, "required": ["provider"]}, "then": keyed(keys)}
            for names, keys in families
        ],
    }
    title = "Models of scrollwork (config/models.toml, --models FILE)"
    return {"$schema": DRAFT, "title": title, "type": "object", "additionalProperties": model}


def keyed(keys: Any) -> dict[str, Any]:
    """The schema of a table with these keys."""
    known: dict[str, Key] = dict(keys)
    return Table(known).schema()


def provider_means(names: list[str]) -> str:
    """What a provider may be."""
    return f"What answers: {', '.join(names)}."


def files() -> dict[str, str]:
    """The files of config/schema/, by name, as they are to be."""
    made = {"suite.schema.json": suite_schema(), "models.schema.json": models_schema()}
    return {name: json.dumps(schema, indent=1, ensure_ascii=False) + "\n" for name, schema in made.items()}
