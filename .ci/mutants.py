"""The mutation round: one small fault at a time is put into a copy of the tree, and the fast tests must find it.

    python .ci/mutants.py [--count 60] [--seed 19] [--marks "not slow and not soak"] [--seconds 60] [--at-once 2]
        [--only 7 --only 31]

The same seed gives the same faults, which are numbered: with --only some of them are looked for again, say with the
slow tests, or those of another commit. A fault is looked for by the tests that import its module and by those of its
room, the nearest first, for so many seconds; those that survive, by all other tests that reach the module by imports,
for three times as long. A test that fails without the fault too (on a busy machine, or for want of data) finds nothing.
Prints a line a fault, and how many were found, survived, or were not found in the time. A person looks at survivors:
some change nothing.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).resolve().parents[1]
ROOMS = (
    *("analysis", "cli", "designs", "exchange", "fetching", "flows", "models", "pipeline", "preprocessing", "readings"),
    *("records", "reporting", "scoring", "storage", "suites", "tasks"),
)
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", ".scrollwork", ".hypothesis", ".*_cache", "__pycache__", "node_modules"
)
OUT_OF_TIME = "out of time"
OTHER = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
}


@dataclass(frozen=True)
class Fault:
    """A place in a module, and its text with the fault. change: for people."""

    module: Path
    line: int
    change: str
    text: str


def places(tree: ast.Module) -> list[ast.AST]:
    """The nodes that can be changed: not in docstrings, types or what only a type checker reads."""
    found: list[ast.AST] = []

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "type_comment", "decorator_list", "type_params"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST):
                    continue
                is_text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
                if not is_text and not isinstance(child, (ast.Import, ast.ImportFrom, ast.JoinedStr)):
                    visit(child)
        if mutations(node):
            found.append(node)

    visit(tree)
    return found


def mutations(node: ast.AST) -> list[ast.AST]:
    """What may stand in the place of a node."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER:
        return [changed(node, ops=[OTHER[type(node.ops[0])](), *node.ops[1:]])]
    if isinstance(node, ast.BoolOp):
        return [changed(node, op=OTHER[type(node.op)]())]
    if isinstance(node, ast.BinOp) and type(node.op) in OTHER and not isinstance(node.left, ast.JoinedStr):
        return [changed(node, op=OTHER[type(node.op)]())]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return [node.operand]
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return [changed(node, value=not node.value)]
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return [changed(node, value=node.value + 1)]
    if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        return [changed(node, value=ast.Constant(None))]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return [ast.Pass()]
    if isinstance(node, ast.IfExp):
        return [changed(node, body=node.orelse, orelse=node.body)]
    return []


def changed(node: ast.AST, **fields: object) -> ast.AST:
    """A copy with other fields."""
    found = copy.copy(node)
    for name, value in fields.items():
        setattr(found, name, value)
    return found


class Replace(ast.NodeTransformer):
    """Puts one node into the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        """Replace, or go on."""
        return ast.copy_location(self._new, node) if node is self._old else self.generic_visit(node)


def faults(seed: int, count: int) -> list[Fault]:
    """So many faults, drawn over all statements of all rooms."""
    drawn = random.Random(seed)
    chosen: list[Fault] = []
    modules = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py") if path.name != "__init__.py")
    weights = [len(path.read_text(encoding="utf-8").splitlines()) for path in modules]
    while len(chosen) < count:
        (module,) = drawn.choices(modules, weights)
        tree = ast.parse(module.read_text(encoding="utf-8"))
        if not (there := places(tree)):
            continue
        node = drawn.choice(there)
        new = drawn.choice(mutations(node))
        before, after = (" ".join(ast.unparse(one).split())[:70] for one in (node, new))
        line = getattr(node, "lineno", 0)
        text = ast.unparse(ast.fix_missing_locations(Replace(node, new).visit(tree)))
        chosen.append(Fault(module.relative_to(ROOT), line, f"{before}  ->  {after}", text))
    return chosen


def imported(path: Path) -> set[str]:
    """The modules of ours that a file imports, at its top or inside."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("scrollwork"):
            found |= {str(node.module), *(f"{node.module}.{one.name}" for one in node.names)}
    return found


def tests_of(fault: Fault) -> tuple[list[str], list[str]]:
    """(tests that are near, others that reach the module by imports), the nearest first."""
    name = ".".join(("scrollwork", *fault.module.with_suffix("").parts))
    graph = {path: imported(path) for room in ROOMS for path in (ROOT / room).rglob("*.py")}
    names = {".".join(("scrollwork", *path.relative_to(ROOT).with_suffix("").parts)): path for path in graph}
    reach, border = {name}, {name}
    while border:
        border = {one for one, path in names.items() if one not in reach and graph[path] & border}
        reach |= border
    tests = {path: imported(path) for path in sorted((ROOT / "tests").rglob("test_*.py"))}
    words = set(re.split(r"[/_.]", str(fault.module)))

    def near(path: Path) -> tuple[bool, int]:
        return name not in tests[path], -len(words & set(re.split(r"[/_.]", str(path.relative_to(ROOT)))))

    own = [path for path in tests if name in tests[path] or path.is_relative_to(ROOT / "tests" / fault.module.parts[0])]
    far = [path for path in tests if path not in own and tests[path] & reach]
    return [[str(one.relative_to(ROOT)) for one in sorted(some, key=near)] for some in (own, far)]  # type: ignore[return-value]


def found_by(tree: Path, files: Sequence[str], marks: str, seconds: int, passed_over: Sequence[str] = ()) -> str:
    """The first test that fails, "" where none does, OUT_OF_TIME where none has failed in that time."""
    if not files:
        return ""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "--timeout",
        "60",
        "--hypothesis-profile",
        "everyday",  # as `make test`
        "-m",
        marks,
        *(word for name in passed_over for word in ("--deselect", name)),
        *files,
    ]
    env = {**os.environ, "PYTHONPATH": str(tree), "TMPDIR": str(tree.parent)}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    with subprocess.Popen(
        command, cwd=tree, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as process:
        try:
            out, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            return OUT_OF_TIME
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)( (?!- ))?", out, re.MULTILINE)
    if failed and failed[2]:  # the name goes on after a space: the whole function stands for the case
        return failed[1].partition("[")[0]
    return failed[1] if failed else f"exit {process.returncode}" if process.returncode not in (0, 5) else ""


def found_first(
    tree: Path, fault: Fault, files: Sequence[str], marks: str, seconds: int, failing_anyway: list[str]
) -> str:
    """As `found_by`, of the tree with this fault. A test that fails without it too is added to `failing_anyway`."""
    module = tree / fault.module
    sound = module.read_text(encoding="utf-8")
    while True:
        try:
            module.write_text(fault.text, encoding="utf-8")
            by = found_by(tree, files, marks, seconds, failing_anyway)
        finally:
            module.write_text(sound, encoding="utf-8")
        if "::" not in by or not found_by(tree, [by], marks, seconds):
            return by
        failing_anyway.append(by)


def copies(count: int, place: Path) -> Iterator[Path]:
    """Copies of the tree."""
    for number in range(count):
        yield Path(shutil.copytree(ROOT, place / str(number) / "tree", symlinks=True, ignore=LEFT_OUT))


def main() -> int:
    """Draw, look, tell; 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=19)
    parser.add_argument("--marks", default="not slow and not soak")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--only", type=int, action="append", help="a fault's number; all without")
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    every = dict(enumerate(faults(asked.seed, asked.count), 1))
    drawn = {number: fault for number, fault in every.items() if number in (asked.only or every)}
    with tempfile.TemporaryDirectory(prefix="scrollwork-mutants-") as place:
        trees: Queue[Path] = Queue()
        for tree in copies(asked.at_once, Path(place)):
            trees.put(tree)

        def look(fault: Fault) -> str:
            tree = trees.get()
            failing_anyway: list[str] = []
            ended = ""
            try:
                for files, seconds in zip(tests_of(fault), (asked.seconds, 3 * asked.seconds), strict=True):
                    ended = found_first(tree, fault, files, asked.marks, seconds, failing_anyway) or ended
                    if ended not in ("", OUT_OF_TIME):
                        break
            finally:
                trees.put(tree)
            return ended

        with ThreadPoolExecutor(asked.at_once) as pool:
            counts = Counter[str]()
            for (number, fault), by in zip(drawn.items(), pool.map(look, drawn.values()), strict=True):
                ended = {"": "SURVIVED", OUT_OF_TIME: "NOT IN TIME"}.get(by, "found")
                counts[ended] += 1
                print(f"{number:3d} {ended:11s} {fault.module}:{fault.line}  {fault.change}", flush=True)
                print(f"                {by}", flush=True)
    rest = f"{counts['SURVIVED']} survived, {counts['NOT IN TIME']} were not found in the time"
    print(f"{counts['found']} of {len(drawn)} faults were found, {rest}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
