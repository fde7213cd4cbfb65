"""What the house promises of its rooms: no circle, no upward arrow, folders and modules that are read in one go.

Imports are read by `.ci/floors.py`, which draws docs/floors.svg from them: imports inside functions count, those for
type checkers alone do not. `make check` holds the floors as well, by import-linter, whose graph has the same imports.
"""

from __future__ import annotations

import importlib.util
import subprocess
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType

from tests.conftest import PROJECT

LONGEST = 350  # lines of a module
FEWEST, MOST = 3, 20  # modules of a folder; an `__init__.py` holds no code and does not count, a folder inside does
LARGER = {
    "preprocessing/datasets": "one module a data set",
}
SMALLER = {
    "exchange/runs": "what SEAM's design names of its own",
    "exchange/windows": "what Dolce's design names of its own",
    "tasks/complexity": "a stage: run.py and what it alone needs",
    "tasks/judge": "a stage",
    "tasks/overview": "a stage",
}


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FLOORS = load(PROJECT / ".ci" / "floors.py")
MODULES: Mapping[str, Path] = FLOORS.modules()
ROOMS = {path.relative_to(PROJECT).parts[0] for path in MODULES.values()} - {FLOORS.FACE}


@cache
def imports() -> Mapping[str, set[str]]:
    """Imports by module. Read where a test asks: every worker of pytest imports this file, one runs it."""
    return {name: FLOORS.imports(path) for name, path in MODULES.items()}


def circles(imports: Mapping[str, set[str]]) -> list[list[str]]:
    """Groups of modules each of which imports the others, directly or through others (Tarjan's algorithm)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        stack.append(module)
        for other in sorted(imports[module] & imports.keys()):
            if other not in number:
                visit(other)
                lowest[module] = min(lowest[module], lowest[other])
            elif other in stack:
                lowest[module] = min(lowest[module], number[other])
        if lowest[module] == number[module]:
            group = stack[stack.index(module) :]
            del stack[stack.index(module) :]
            if len(group) > 1 or module in imports[module]:
                found.append(sorted(group))

    for module in sorted(imports):
        if module not in number:
            visit(module)
    return found


def test_modules_import_each_other_in_a_circle() -> None:
    assert circles(imports()) == []


def test_a_circle_of_three_is_not_seen() -> None:
    around = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": set()}
    assert circles(around) == [["a", "b", "c"]]


def test_import_inside_a_function_is_not_seen_or_one_for_type_checkers_is(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from scrollwork.cli import main\n"
        "else:\n    import scrollwork.records.base\n"
        "def run():\n    from scrollwork.tasks import tokens\n"
    )
    assert FLOORS.imports(tmp_path / "module.py") == {
        "typing", "typing.TYPE_CHECKING", "scrollwork.records.base", "scrollwork.tasks", "scrollwork.tasks.tokens",
    }  # fmt: skip


def test_a_room_imports_one_above_it_or_beside_it() -> None:
    floor = {room: number for number, rooms in enumerate(FLOORS.floors()) for room in rooms}
    upward = {
        (name, room)
        for name, path in MODULES.items()
        if (own := path.relative_to(PROJECT).parts[0]) in floor
        for room in FLOORS.room_imports(path) & floor.keys()
        if room != own and floor[room] <= floor[own]
    }
    assert upward == set()
    assert ROOMS - floor.keys() == {"benchmarks", "config", "sample"}  # on no floor: data, and what no room imports
    aside = {(name, other) for name in MODULES for other in imports()[name] if other.startswith("scrollwork.sample.")}
    assert {name for name, _ in aside if not name.startswith("scrollwork.sample.")} <= {"benchmarks.dolce"}


def test_a_module_imports_a_room_by_its_bare_name_or_by_dots() -> None:
    bare = {
        (name, other) for name, found in imports().items() for other in found if other.split(".")[0] in ROOMS | {""}
    }
    assert {one for one in bare if not one[0].startswith("benchmarks.") or not one[1].startswith("benchmarks")} == set()


def folders() -> dict[str, int]:
    """Modules and subfolders of each folder that holds modules."""
    held: dict[str, set[str]] = defaultdict(set)
    for path in MODULES.values():
        inside = path.relative_to(PROJECT)
        while path.name != "__init__.py" and inside.parent != Path():
            held[inside.parent.as_posix()].add(inside.name)
            inside = inside.parent
    return {folder: len(names) for folder, names in held.items()}


def test_a_folder_holds_too_many_modules_to_find_one_or_too_few_to_be_a_folder() -> None:
    modules = Counter(
        path.parent.relative_to(PROJECT).as_posix() for path in MODULES.values() if path.name != "__init__.py"
    )
    assert {folder for folder, count in modules.items() if count > MOST} == set(LARGER)
    assert {folder for folder, count in folders().items() if count < FEWEST} == set(SMALLER)


def test_a_module_is_too_long_to_be_read_in_one_go() -> None:
    lines = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in MODULES.items()}
    assert {name: count for name, count in lines.items() if count > LONGEST} == {}


def test_a_link_leads_to_one_machine() -> None:
    """A link to an environment of a developer was committed once: its path is of no other machine."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    links = [PROJECT / name for name in listed.stdout.splitlines() if (PROJECT / name).is_symlink()]
    assert links
    assert [path for path in links if path.readlink().parts[0] != ".."] == []
