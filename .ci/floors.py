"""docs/floors.svg: the rooms of the house on their floors, with the imports that tie them, read from the code.

`write` draws it anew, `check` fails where it is not what the code says.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import defaultdict
from html import escape
from pathlib import Path

from scrollwork.pipeline.source_digest import syntax_tree

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "floors.svg"
WIDTH, GAP, LINE, TOP, BETWEEN = 1180, 18, 15, 30, 46
FACE = "scrollwork"  # the modules beside the links to the rooms: the library, a room of its own in the picture
SAYS = {
    FACE: "the library: import scrollwork",
    "cli": "the command line, one module a command",
    "flows": "what is started: chains, Prefect flows, server",
    "designs": "experiments: once, in runs, on windows",
    "exchange": "files of other tools, in and out",
    "readings": "reads a home or a plan: results, estimate, verify",
    "tasks": "the stages",
    "fetching": "what is fetched from where, and what is here",
    "suites": "what is asked: requests, suite files, model tables",
    "pipeline": "the kernel: nodes, keys, states, engines",
    "analysis": "scores -> statements",
    "models": "prompt -> answer",
    "preprocessing": "raw files -> prompts",
    "rehearsal": "simulated vendors: to try a run",
    "reporting": "rows -> board and page",
    "scoring": "answer -> score",
    "storage": "artifacts, answers, files",
    "records": "the rows: schema, class and check in one",
}


def floors() -> list[list[str]]:
    """Rooms from the top floor down, as `make check` holds them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (layers,) = [one["layers"] for one in project["tool"]["importlinter"]["contracts"] if one["type"] == "layers"]
    return [sorted({room_of(name.strip()) for name in re.split("[|:]", layer)}) for layer in layers]


def room_of(name: str) -> str:
    """The room of a module, or of a room, by its name behind "scrollwork."."""
    own = ROOT / FACE / name
    return FACE if own.with_suffix(".py").is_file() or (own.is_dir() and not own.is_symlink()) else name


def files_of(room: str) -> list[Path]:
    """The modules of a room; of the library without what its links lead to."""
    if room != FACE:
        return sorted((ROOT / room).rglob("*.py"))
    own = [path for path in (ROOT / FACE).iterdir() if not path.is_symlink()]
    return sorted(
        file for path in own for file in (path.rglob("*.py") if path.is_dir() else [path]) if file.suffix == ".py"
    )


def modules() -> dict[str, Path]:
    """Every module of the rooms, of the library and of the benchmarks, by the name under which it is imported."""
    found = {}
    for room in (path.parent.name for path in ROOT.glob("*/__init__.py")):
        if room != "tests":
            for path in files_of(room):
                parts = path.relative_to(ROOT).with_suffix("").parts
                name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                found[name if room in (FACE, "benchmarks") else f"{FACE}.{name}"] = path
    return found


def imports(path: Path) -> set[str]:
    """The dotted names that a module imports when it runs, also inside functions, as "module" and "module.name".

    Imports for type checkers alone are left out: they load nothing.
    """
    found = set()
    waiting: list[ast.AST] = [syntax_tree(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            found |= {base, *(f"{base}.{one.name}" for one in node.names)}
        waiting += ast.iter_child_nodes(node)
    return found


def room_imports(path: Path) -> set[str]:
    """The rooms that a module imports when it runs."""
    return {room_of(name.split(".")[1]) for name in imports(path) if name.startswith(f"{FACE}.")}


def reduced(arrows: dict[str, set[str]]) -> dict[str, set[str]]:
    """The arrows without those that a longer way stands for. Only rooms above each other are tied."""

    def below(room: str) -> set[str]:
        return arrows[room].union(*(below(one) for one in arrows[room]))

    return {room: {one for one in to if not any(one in below(other) for other in to)} for room, to in arrows.items()}


def picture() -> str:
    """The SVG."""
    levels = floors()
    rooms = [room for level in levels for room in level]
    files = {room: files_of(room) for room in rooms}
    folders = {
        room: sorted({path.relative_to(ROOT / room).parts[0] for path in files[room] if path.parent != ROOT / room})
        for room in rooms
    }
    arrows: dict[str, set[str]] = defaultdict(set)
    for room in rooms:
        arrows[room] = set().union(*map(room_imports, files[room])) & set(rooms) - {room}
    texts = {}
    for level in levels:
        wide = (WIDTH - GAP * (len(level) + 1)) / len(level)
        for room in level:
            texts[room] = [SAYS[room]]
            row = ""
            for folder in folders[room]:
                if row and len(row) + len(folder) > wide / 6.4 - 6:
                    texts[room].append(row)
                    row = ""
                row += f"{folder}/ "
            texts[room] += [row] if row else []
    place = {}
    y = float(GAP)
    for level in levels:
        high = TOP + LINE * max(len(texts[room]) for room in level)
        wide = (WIDTH - GAP * (len(level) + 1)) / len(level)
        for number, room in enumerate(level):
            place[room] = (GAP + number * (wide + GAP), y, wide, high)
        y += high + BETWEEN
    box = f"0 0 {WIDTH} {y - BETWEEN + GAP:g}"
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" font-family="sans-serif">',
        "<title>Rooms of scrollwork, from the top floor down; an arrow is an import</title>",
        '<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#8d8679"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{y:g}" fill="#fcfbf8"/>',
    ]
    for room, to in reduced(arrows).items():
        x, top, wide, high = place[room]
        for other in sorted(to):
            ox, otop, owide, _ = place[other]
            at = (max(x, ox) + min(x + wide, ox + owide)) / 2  # where one stands above the other
            drawn.append(
                f'<path d="M{at:.0f} {top + high:g}V{otop - 2:g}" stroke="#8d8679" fill="none" marker-end="url(#end)"/>'
            )
    for room, (x, top, wide, high) in place.items():
        drawn.append(
            f'<rect x="{x:g}" y="{top:g}" width="{wide:g}" height="{high:g}" rx="8" fill="#fff" stroke="#e2ddd2"/>'
            f'<text x="{x + 12:g}" y="{top + 20:g}" font-size="15" font-weight="600" fill="#1d5f6b">{room}/</text>'
        )
        for number, text in enumerate(texts[room]):
            down = top + 37 + number * LINE
            drawn.append(f'<text x="{x + 12:g}" y="{down:g}" font-size="11.5" fill="#625d54">{escape(text)}</text>')
    return "\n".join([*drawn, "</svg>"]) + "\n"


def main() -> int:
    """The exit status: 1 where the picture is another than the code's."""
    drawn = picture()
    if sys.argv[1:] == ["write"]:
        PICTURE.write_text(drawn, encoding="utf-8")
        return 0
    if not PICTURE.is_file() or PICTURE.read_text(encoding="utf-8") != drawn:
        print("docs/floors.svg is not what the code says: make floors")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
