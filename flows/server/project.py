"""The project folder, whose prefect.yaml `scrollwork up` serves and in which `prefect` finds that server; making one.

It is the working directory, if its prefect.yaml names flows of this package (`scrollwork init` writes one), else the
checkout whose code runs. Parent folders are not searched: Prefect reads its files in the working directory only, and a
parent such as /tmp may hold another user's prefect.yaml, which can name any code. Imports no Prefect.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import scrollwork
from scrollwork.pipeline.errors import UsageError
from scrollwork.storage.errors import StorageError
from scrollwork.storage.location import Location

CODE = Path(__file__).resolve().parents[2]  # holds prefect.yaml: the checkout, or the installed package
IMPORTED = Path(scrollwork.__file__).parents[1]  # the folder from which scrollwork is imported; in a checkout, CODE
BY_PATH = (  # entrypoints in a checkout
    *("flows/build_datasets.py:build_datasets", "flows/evaluate.py:evaluate", "flows/nightly.py:nightly"),
)
BY_MODULE = tuple(re.sub(r"/(\w+)\.py:", r".\1.", f"scrollwork.{one}") for one in BY_PATH)  # in any other project
MODELS = "models.toml"
IGNORED = ".gitignore"
FILES = (IGNORED, MODELS, "prefect.toml", "prefect.yaml")  # the last one makes a folder a project


# ---- which folder it is


def checkout() -> Path | None:
    """The checkout whose code runs; None if the package is installed."""
    return CODE if (CODE / "scrollwork").is_dir() else None


def project_folder() -> Path | None:
    """The project folder of a command or a flow run; None where there is none."""
    here = Path.cwd()
    return here if is_project(here) else checkout()


def is_project(folder: Path) -> bool:
    """Whether the prefect.yaml of a folder names flows of this package by module. (By path, they would be of a
    checkout, or the user's own.)"""
    try:
        lines = (folder / "prefect.yaml").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return False
    return any(one in line.partition("#")[0] for line in lines for one in BY_MODULE)


def project_of(server: Mapping[str, Any]) -> Path:
    """The project folder that a noted server serves. Earlier versions noted none; they served their checkout."""
    return Path(server.get("project") or CODE)


def own_models(project: Path) -> str:
    """Path of a project's own file of models; "" where it has none."""
    return str(project / MODELS) if os.path.isfile(project / MODELS) else ""


def shadowing(folder: Path) -> list[str]:
    """Modules in a folder with the name of a standard or installed module. Flow runs import from their project folder
    first, so these would be used instead."""
    found = {name.removesuffix(".py") for name in os.listdir(folder) if name.endswith(".py")}
    found |= {name for name in os.listdir(folder) if os.path.isfile(folder / name / "__init__.py")}
    places = [place for place in sys.path if place and Path(place).resolve() not in (folder.resolve(), CODE)]
    return sorted(name for name in found if name in sys.stdlib_module_names or _is_module(name, places))


def _is_module(name: str, places: list[str]) -> bool:
    spec = PathFinder.find_spec(name, places)
    return spec is not None and spec.origin is not None


def checkout_around(folder: Path) -> Path | None:
    """The checkout of scrollwork that contains a folder, this one or another; None if it is in none."""
    marks = ("scrollwork/__init__.py", "flows/chains.py", "prefect.yaml")
    places = (folder, *folder.parents)
    return next((place for place in places if all(os.path.isfile(place / one) for one in marks)), None)


def refuse_no_project(does: str = "up serves") -> UsageError:
    """The error for a working directory that is not a project. does: what the command does with a project."""
    here = Path.cwd()
    above = next((folder for folder in here.parents if is_project(folder)), None)
    other = checkout_around(here)
    then = "`scrollwork init DIR` writes a project that has one; call it there"
    if other:
        then = f"the checkout {other} has a command of its own, `make env` and .venv/bin/scrollwork up"
    elif above:
        then = f"{above} is a project; call it there"
    return UsageError(
        f"{does} the deployments of scrollwork's prefect.yaml, and {here} has none: {then}. `scrollwork run` needs "
        "no server"
    )


# ---- making one


def project_files() -> dict[str, str]:
    """The texts of a project's files, by name. prefect.yaml is the checkout's with flows named by module, the project's
    models and an example; prefect.toml is the checkout's."""
    parts = CODE / "config" / "project"
    deployments = (CODE / "prefect.yaml").read_text(encoding="utf-8")
    for path, module in zip(BY_PATH, BY_MODULE, strict=True):
        deployments = deployments.replace(f"entrypoint: {path}\n", f"entrypoint: {module}\n")
    deployments = re.sub(r"(?m)^    parameters: \{", rf"\g<0>models_file: {MODELS}, ", deployments)
    texts = {
        ".gitignore": (parts / "gitignore").read_text(encoding="utf-8"),
        MODELS: (parts / MODELS).read_text(encoding="utf-8"),
        "prefect.toml": (CODE / "prefect.toml").read_text(encoding="utf-8"),
        "prefect.yaml": deployments + (parts / "example.yaml").read_text(encoding="utf-8"),
    }
    return {name: texts[name] for name in FILES}


def make_project(given: str) -> list[Path]:
    """Write all files of a project into a folder, or none. The folder is made; an existing .gitignore is kept. Returns
    the paths written.

    Raises UsageError if the folder cannot become a project, StorageError if it cannot be written.
    """
    folder = Path(given).expanduser()
    refuse_unfit(given, folder)
    new_folders = [place for place in (folder, *folder.parents) if not os.path.exists(place)]
    texts = {name: text for name, text in project_files().items() if name != IGNORED or not has_gitignore(folder)}
    files = {folder / name: text.encode("utf-8") for name, text in texts.items()}
    begun: list[Path] = []
    try:
        for path, data in files.items():
            begun.append(path)
            if not Location(str(folder)).create(path.name, data):
                raise UsageError(f"{path} came while this was written; nothing was changed")
    except BaseException as error:
        for path in begun:
            with suppress(OSError):
                if path.read_bytes() == files[path]:  # else another process wrote it
                    path.unlink()
        for place in new_folders:
            with suppress(OSError):
                place.rmdir()
        if isinstance(error, OSError):
            raise StorageError(f"{folder}: no project can be written there ({error.strerror or error})") from error
        raise
    return list(files)


def has_gitignore(folder: Path) -> bool:
    """Whether a folder has a .gitignore, which is then kept."""
    return os.path.lexists(folder / IGNORED)


def refuse_unfit(given: str, folder: Path) -> None:
    """Raise UsageError if a folder cannot become a project, or has a file that would be written."""
    if not given.strip() or "://" in given:
        raise UsageError(f"init {given!r}: name a folder of this machine, scrollwork init DIR")
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise UsageError(f"{folder} is no folder; a project is one: scrollwork init DIR")
    if (around := checkout_around(folder.resolve())) is not None:
        raise UsageError(
            f"{folder} lies in the checkout {around}, which is a project by itself: `scrollwork up` works there; name "
            "a folder outside it"
        )
    standing = [name for name in FILES if name != IGNORED and os.path.lexists(folder / name)]
    if standing:
        raise UsageError(
            f"{folder} has {', '.join(standing)} already; nothing was written: move what stands there away, or name "
            "another folder"
        )
    shadow = next((one for one in ("scrollwork.py", "scrollwork/__init__.py") if os.path.exists(folder / one)), None)
    if shadow:
        raise UsageError(
            f"{folder} has {shadow}, which flow runs in that folder would import in place of the package: rename it, "
            "or name another folder"
        )
