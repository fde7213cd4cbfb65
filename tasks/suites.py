"""Suite files: what differs between benchmarks and their tasks, as data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tasks.errors import UsageError

CONFIG = Path(__file__).resolve().parents[1] / "config"
SAMPLE = Path(__file__).resolve().parents[1] / "sample" / "raw"

TEMPLATE_FIELDS = (
    "kind",
    "instruction",
    "context_header",
    "response_header",
    "omission",
    "query_header",
    "inner_header",
)


@dataclass(frozen=True)
class TaskConfig:
    """One [task.NAME] table; its fields are explained at the head of the suite file."""

    name: str
    dataset: str
    short: str
    metric: str
    max_new_tokens: int
    template: Mapping[str, Any]
    splits: Mapping[str, str]
    raw: Mapping[str, tuple[str, ...]]
    options: Mapping[str, Any]
    sample: Mapping[str, Any]
    paper: Mapping[str, Any]
    seeded: bool
    one_source: bool
    shards: int
    query_ends: str


@dataclass(frozen=True)
class Suite:
    """A benchmark: its tasks in official order."""

    name: str
    title: str
    default_splits: tuple[str, ...]
    seed: int
    chat_sentence: str
    truncation: str
    validation_size: int
    release: tuple[str, ...]
    tasks: Mapping[str, TaskConfig]


@cache
def load_suite(name: str) -> Suite:
    """The suite file of that name. Raises UsageError listing what there is."""
    path = CONFIG / "suites" / f"{name}.toml"
    if not path.is_file():
        known = sorted(file.stem for file in (CONFIG / "suites").glob("*.toml"))
        raise UsageError(f"there is no suite {name!r}; there are: {', '.join(known)}")
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return Suite(
        name=data["name"],
        title=data["title"],
        default_splits=tuple(data["default_splits"]),
        seed=data["seed"],
        chat_sentence=data.get("chat_sentence", ""),
        truncation=data["truncation"],
        validation_size=data.get("validation_size", 0),
        release=tuple(data.get("release", ())),
        tasks={task: _task(task, table, data.get("layout")) for task, table in data["task"].items()},
    )


def _task(name: str, table: Mapping[str, Any], layout: list[list[str]] | None) -> TaskConfig:
    return TaskConfig(
        name=name,
        dataset=table["dataset"],
        short=table["short"],
        metric=table["metric"],
        max_new_tokens=table["max_new_tokens"],
        template={
            **{field: table[field] for field in TEMPLATE_FIELDS if field in table},
            **({"layout": layout} if layout else {}),
        },
        splits=table["splits"],
        raw={role: tuple(patterns) for role, patterns in table["raw"].items()},
        options=table.get("options", {}),
        sample=table.get("sample", {}),
        paper=table.get("paper", {}),
        seeded=table.get("seeded", False),
        one_source=table.get("one_source", False),
        shards=table.get("shards", 1),
        query_ends=table.get("query_ends", ""),
    )


@cache
def load_published(suite: str) -> Mapping[str, Any]:
    """config/published/SUITE.toml: tables of the paper, for reference rows; empty where there is none."""
    path = CONFIG / "published" / f"{suite}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def load_models(own_file: str = "") -> dict[str, dict[str, Any]]:
    """The tables of config/models.toml, with those of the user's own file put over them."""
    tables: dict[str, dict[str, Any]] = tomllib.loads((CONFIG / "models.toml").read_text(encoding="utf-8"))
    if own_file:
        try:
            own = tomllib.loads(Path(own_file).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(f"--models {own_file}: {error}") from error
        for name, table in own.items():
            if not isinstance(table, dict):
                raise UsageError(f"--models {own_file}: {name} must be a table, [{name}]")
        tables |= own
    return tables
