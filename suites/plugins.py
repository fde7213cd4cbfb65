"""What comes from outside the package: suite files, and by name suites, data sets, metrics and providers.

The latter are entry points of installed packages, or modules named `package.module` (docs/plugins.md).
"""

from __future__ import annotations

import importlib
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from scrollwork.models.table_keys import meant
from scrollwork.pipeline import loaded_code, outside_code
from scrollwork.pipeline.errors import UsageError

SUFFIX = ".toml"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
OWN = ("name", "title", "citation")  # of a suite that extends another, beside its tasks

SUITES = "scrollwork.suites"
DATASETS = "scrollwork.datasets"
METRICS = "scrollwork.metrics"
PROVIDERS = "scrollwork.providers"
WHAT = {SUITES: "suite", DATASETS: "dataset", METRICS: "metric", PROVIDERS: "provider"}
# What a module must have: names, and whether each is called.
CONTRACTS: Mapping[str, Mapping[str, bool]] = {
    DATASETS: {"curate": True},
    METRICS: {
        **dict.fromkeys(("NAME", "VERSION", "RANGE", "NEEDS", "COMPONENTS"), False),
        **dict.fromkeys(("score", "headline"), True),
    },
    PROVIDERS: {"make": True},
}


@cache
def installed(group: str) -> Mapping[str, Sequence[EntryPoint]]:
    """The entry points of a group, by their names."""
    found: dict[str, list[EntryPoint]] = {}
    for one in entry_points(group=group):
        found.setdefault(one.name, []).append(one)
    return found


def entry(group: str, name: str) -> EntryPoint | None:
    """The entry point of that name, None where there is none. Raises UsageError where two packages have one."""
    found = {one.value: one for one in installed(group).get(name, ())}
    if len(found) > 1:
        origins = " and ".join(f"{package_of(one)} ({one.value})" for one in found.values())
        raise UsageError(f"two installed packages have a {WHAT[group]} {name!r} in {group}: {origins}; remove one")
    return next(iter(found.values()), None)


def package_of(one: EntryPoint) -> str:
    """The distribution that an entry point is of."""
    return one.dist.name if one.dist is not None else "a package"


def resolved(group: str, name: str, known: Collection[str], where: str) -> str:
    """A name of ours as it is; else the module that it stands for: of an entry point, or `package.module` itself. Our
    names come first, so that no installed package changes what they mean.

    where: what names it, for messages. Raises UsageError for what is not here, cannot be imported, or lacks what such
    a module must have.
    """
    if name in known:
        return name
    said, module = f"{where}: {WHAT[group]} {name!r}", name
    if "." not in name:
        found = entry(group, name)
        if found is None:
            names = sorted({*known, *installed(group)})
            others = f"{', '.join(names)}, or package.module{meant(name, names)}"
            raise UsageError(f"{said} is none of {others}")
        if found.attr or found.extras:
            raise UsageError(f"{said}: entry point {found.value!r} of {package_of(found)} must name a module alone")
        said, module = f"{said} (entry point of {package_of(found)})", found.module
    check(group, module, said)
    return module


@cache
def check(group: str, module: str, said: str) -> None:
    """Import a module and see whether it is what its group asks for. Raises UsageError."""
    if module.partition(".")[0] == loaded_code.NAME:
        raise UsageError(f"{said}: a module of scrollwork has a name of its own; leave out its path")
    path = outside_code.file_of(module)
    if path is None:
        top = module.partition(".")[0]
        there = outside_code.spec_of(top) is not None
        lacks = f"package {top} has no module {module}" if there else f"there is no package {top}"
        raise UsageError(f"{said}: {lacks}; install it, or name the folder that it lies in in PYTHONPATH")
    note(module)
    try:
        loaded = importlib.import_module(module)
    except Exception as error:
        raise UsageError(f"{said}: {path} cannot be imported: {type(error).__name__}: {error}") from error
    shown = {name: f"{name}()" if called else name for name, called in CONTRACTS[group].items()}
    needs = f"the module of a {WHAT[group]} has {', '.join(shown.values())}"
    for name, called in CONTRACTS[group].items():
        if not hasattr(loaded, name):
            raise UsageError(f"{said}: {path} lacks {shown[name]}; {needs}")
        if called and not callable(getattr(loaded, name)):
            raise UsageError(f"{said}: {name} of {path} must be a function; {needs}")


def note(module: str) -> None:
    """Note what the files of a module and the packages above it are like, before they are imported."""
    parts = module.split(".")
    for end in range(1, len(parts) + 1):
        name = ".".join(parts[:end])
        if (path := outside_code.file_of(name)) is not None:
            loaded_code.watch(name, str(path))


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
    for folder in outside_code.folders(package.strip()):
        path = Path(folder) / file.strip()
        if path.is_file():
            return path
    raise UsageError(f"{said}: there is no such file")


def is_path(suite: str) -> bool:
    """Whether a suite is named by its file."""
    return "/" in suite or suite.endswith(SUFFIX)


def absolute(suite: str) -> str:
    """A suite's file by its whole path; a name as it is."""
    return str(Path(suite).expanduser().resolve()) if is_path(suite) else suite


def read(path: Path) -> tuple[str, dict[str, Any]]:
    """(text, tables) of a suite file. Raises UsageError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UsageError(f"{path}: the suite file cannot be read ({why})") from error
    return text, parsed(str(path), text)


def parsed(file: str, text: str) -> dict[str, Any]:
    """The tables of a suite file's text. Raises UsageError."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{file}: is not TOML: {error}") from error


def installed_path(name: str, bundled: Collection[str]) -> Path:
    """The file of a suite of an installed package. Raises UsageError listing what there is."""
    path = suite_path(name)
    if path is None:
        known = ", ".join(sorted({*bundled, *installed(SUITES)}))
        raise UsageError(f"there is no suite {name!r}; there are: {known}; a file of your own: --suite FILE")
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


def extended(file: str, data: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
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
