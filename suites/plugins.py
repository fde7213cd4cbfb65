"""What comes from outside the package: suite files, and by name suites, data sets, metrics and providers.

The latter are entry points of installed packages (pipeline/entry_points.py), or modules named `package.module`
(docs/plugins.md). Designs: pipeline/design.py.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from scrollwork.models.table_keys import nearest_known
from scrollwork.pipeline import outside_code
from scrollwork.pipeline.entry_points import (
    SUITES,
    WHAT,
    check,
    checked_module,
    entry,
    installed_entry_points,
    package_of,
)
from scrollwork.pipeline.errors import UsageError

SUFFIX = ".toml"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
OWN = ("name", "title", "citation")  # of a suite that extends another, beside its tasks


def resolve_name(group: str, name: str, known: Collection[str], where: str) -> str:
    """A name of ours as it is; else the module that it stands for: of an entry point, or `package.module` itself. Our
    names come first, so that no installed package changes what they mean.

    where: what names it, for messages. Raises UsageError for what is not here, cannot be imported, or lacks what such
    a module must have.
    """
    if name in known:
        return name
    said = f"{where}: {WHAT[group]} {name!r}"
    if "." not in name:
        found = entry(group, name)
        if found is None:
            names = sorted({*known, *installed_entry_points(group)})
            others = f"{', '.join(names)}, or package.module{nearest_known(name, names)}"
            raise UsageError(f"{said} is none of {others}")
        return checked_module(group, found, said)
    check(group, name, said)
    return name


def suite_path(name: str) -> Path | None:
    """The suite file of an installed package: entry point NAME = "package:FILE.toml". None where there is none of that
    name. Raises UsageError."""
    found = entry(SUITES, name)
    if found is None:
        return None
    said = f"suite {name!r}: entry point {found.value!r} of {package_of(found)}"
    package, _, file = found.value.partition(":")
    if not file:
        raise UsageError(f'{said} must be "package:FILE.toml", a file that lies in the package')
    for folder in outside_code.package_folders(package.strip()):
        path = Path(folder) / file.strip()
        if path.is_file():
            return path
    raise UsageError(f"{said}: there is no such file")


def is_path(suite: str) -> bool:
    """Whether a suite is named by its file."""
    return "/" in suite or suite.endswith(SUFFIX)


def absolute_suite(suite: str) -> str:
    """A suite's file by its whole path; a name as it is."""
    return str(Path(suite).expanduser().resolve()) if is_path(suite) else suite


def read_suite_file(path: Path) -> tuple[str, dict[str, Any]]:
    """(text, tables) of a suite file. Raises UsageError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UsageError(f"{path}: the suite file cannot be read ({why})") from error
    return text, parse_suite(str(path), text)


def parse_suite(file: str, text: str) -> dict[str, Any]:
    """The tables of a suite file's text. Raises UsageError."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{file}: is not TOML: {error}") from error


def installed_path(name: str, bundled: Collection[str]) -> Path:
    """The file of a suite of an installed package. Raises UsageError listing what there is."""
    path = suite_path(name)
    if path is None:
        known = sorted({*bundled, *installed_entry_points(SUITES)})
        there = f"there are: {', '.join(known)}; a file of your own: --suite FILE{nearest_known(name, known)}"
        raise UsageError(f"there is no suite {name!r}; {there}")
    return path


def refuse_bad_names(file: str, data: Mapping[str, Any], bundled: Collection[str]) -> None:
    """Names become folders and files; patterns stay below the raw folder. Raises UsageError."""
    name = data["name"]
    if name in bundled:
        raise UsageError(
            f"{file}: name {name!r} is that of a suite of scrollwork; choose another (extends = {name!r} builds on it)"
        )
    if not NAME.fullmatch(name):
        raise UsageError(f"{file}: name {name!r}: letters, digits, _ and - only, 60 at most")
    for task in data["task"]:
        if not NAME.fullmatch(task):
            raise UsageError(f"{file}: [task.{task}]: a task's name has letters, digits, _ and - only, 60 at most")
    for split in data.get("default_splits", ()):
        if split not in ("train", "validation", "test"):
            raise UsageError(f"{file}: default_splits {split!r} is none of train, validation, test")


def extend_suite(file: str, data: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a suite that adds tasks to another one's. Raises UsageError for a task that this one has."""
    if twice := [task for task in data["task"] if task in base["task"]]:
        raise UsageError(f"{file}: [task.{twice[0]}]: {base['name']} has it; a suite that extends it adds other tasks")
    own = {key: value for key, value in data.items() if key in OWN}
    kept = {key: value for key, value in base.items() if key not in ("citation", "submission_order", "in_sample")}
    return {
        **kept,
        "submission_order": base.get("submission_order", list(base["task"])),
        "in_sample": base.get("in_sample") or list(base["task"]),
        **own,
        "task": {**base["task"], **data["task"]},
    }
