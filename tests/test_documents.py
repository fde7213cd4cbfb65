"""What pages and messages point to: files, modules, headings. A page that names what is gone misleads whoever trusts it."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from scrollwork.cli.main import parser
from scrollwork.pipeline.source_digest import syntax_tree
from tests.conftest import PROJECT

PAGES = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *sorted((PROJECT / "docs").rglob("*.md"))]
FOLDERS = {path.parent.name for path in PROJECT.glob("*/__init__.py")} | {"docs", "sample", ".ci"}
NAMED = re.compile(r"(?<![\w/.:~$<-])((?:[\w.-]+/)+[\w.-]*)")  # a/b.py, a/b/
PLACEHOLDER = re.compile(r"(?:^|/)[A-Z][A-Z_]+(?:[./]|$)|NAME")  # tasks/STAGE/run.py
DOTTED = re.compile(r"\bscrollwork((?:\.[a-z]\w*)+)")
INVENTED = {
    "contains",
    "counted",
    "letters",
    "lighthouse",
    "plain",
    "skipped",
    "vocabulary",
}  # what the pages of docs/extending/ add
GROUPS = {".suites", ".datasets", ".metrics", ".providers"}  # of entry points
LINK = re.compile(r"\]\(([^)\s]+)\)")
FILE = re.compile(
    r"(?<![\w/.:-])((?:[\w.-]+/)*[\w-]+\.md|(?:[\w.-]+/)+[\w.-]+\.(?:py|toml|json|yaml|css|js|html|svg))\b"
)
WRITTEN_BY_US = {"README.md"}  # the card of `export hf`


def pages() -> list[object]:
    return [pytest.param(page, id=page.relative_to(PROJECT).as_posix()) for page in PAGES]


def named_paths(text: str) -> Iterator[str]:
    """Paths of this project that a text names, without those that hold a placeholder or come from a home."""
    for found in NAMED.finditer(text):
        name = found[1].rstrip(".")
        pattern = text[found.end() : found.end() + 1] in ("*", "{", "<")
        if name.split("/")[0] in FOLDERS and not pattern and not PLACEHOLDER.search(name):
            yield name


def invented(page: Path, name: str) -> bool:
    """Whether a page shows how to add what it names."""
    return page.parent.name == "extending" and name in INVENTED


def module_is_there(dotted: str) -> bool:
    """Whether `.room.module` is a module, or a name in the module above it."""
    parts = dotted.strip(".").split(".")
    for upto in range(len(parts), 0, -1):
        place = PROJECT.joinpath(*parts[:upto])
        if place.is_dir():
            return upto == len(parts)
        if place.with_suffix(".py").is_file():
            source = place.with_suffix(".py").read_text(encoding="utf-8")
            return upto == len(parts) or re.search(rf"\b{parts[upto]}\b", source) is not None
    return False


def anchors(page: Path) -> set[str]:
    """What a link into a page may name: its headings as GitHub makes anchors of them, and anchors of its own."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", one.lower()).strip().replace(" ", "-") for one in headings}
    return slugs | set(re.findall(r'<a id="([^"]+)">', text))


@pytest.mark.parametrize("page", pages())
def test_a_page_names_a_file_that_is_gone(page: Path) -> None:
    gone = {path for path in named_paths(page.read_text(encoding="utf-8")) if not (PROJECT / path).exists()}
    assert sorted(path for path in gone if not invented(page, Path(path).stem)) == []


@pytest.mark.parametrize("page", pages())
def test_a_page_names_a_file_beside_another_that_is_not_there(page: Path) -> None:
    """`models/engine/pacing.py`, `limits.py`: the second is in the folder of the first."""
    gone = []
    for line in page.read_text(encoding="utf-8").splitlines():
        folders = {(PROJECT / name).parent for name in named_paths(line) if name.endswith(".py")}
        for short in re.findall(r"`(\w+\.py)`", line) if folders else ():
            if (
                short != "run.py"
                and not any((folder / short).exists() for folder in folders)
                and not invented(page, Path(short).stem)
            ):
                gone.append(short)
    assert gone == []


@pytest.mark.parametrize("page", pages())
def test_a_page_names_a_module_that_is_gone(page: Path) -> None:
    found = set(DOTTED.findall(page.read_text(encoding="utf-8"))) - GROUPS
    gone = {name for name in found if not module_is_there(name)}
    assert sorted(name for name in gone if not invented(page, name.rpartition(".")[2])) == []


@pytest.mark.parametrize("page", pages())
def test_a_link_leads_nowhere(page: Path) -> None:
    broken = []
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        to = page.parent / path if path else page
        if not to.exists() or (anchor and anchor not in anchors(to)):
            broken.append(link)
    assert broken == []


def test_a_page_is_linked_from_nowhere() -> None:
    """Who reads README and follows links reaches every page."""
    reached, todo = set(), [PROJECT / "README.md"]
    while todo:
        page = todo.pop().resolve()
        if page in reached:
            continue
        reached.add(page)
        links = (link.partition("#")[0] for link in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link)
        todo += [page.parent / link for link in links if link.endswith(".md")]
    assert sorted(page.name for page in PAGES if page.resolve() not in reached) == []


# ---- commands


def commands(text: str) -> Iterator[list[str]]:
    """The words of every `scrollwork` call in the indented lines and code blocks of a page, as a shell splits them."""
    for line in re.findall(r"^ {4,}(?:\S+=\S+ )*(?:export \S+ )?(?:\.venv/bin/)?scrollwork (.+)$", text, re.MULTILINE):
        words = shlex.split(line, comments=True)
        yield words[: next((place for place, word in enumerate(words) if word in ("&&", "|", ";", ">")), len(words))]


def refusal(words: list[str]) -> str:
    """What the command line says against a call; "" where it takes it."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            _, unknown = parser(words).parse_known_args(words)
    except SystemExit as error:
        return said.getvalue() if error.code else ""
    return " ".join(unknown)


@pytest.mark.parametrize("page", pages())
def test_a_command_of_a_page_is_refused(page: Path) -> None:
    """Whether the values are right is not asked: whether there is such a command with such options."""
    for words in commands(page.read_text(encoding="utf-8")):
        added = page.parent.name == "extending" and INVENTED & {word.lstrip("-") for word in words}
        if not added and not any(word.startswith("[") for word in words):
            assert refusal(words) == "", words


# ---- messages


def wheel() -> tuple[list[str], set[str]]:
    """The rooms that a wheel holds, and every file of them by its path in the checkout."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    target = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    held = [*target["only-include"], *target["force-include"]]
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *held],
        cwd=PROJECT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return held, {name for name in listed.stdout.splitlines() if (PROJECT / name).is_file()}


def messages(source: str) -> Iterator[tuple[int, str]]:
    """Texts of a module but for docstrings and comments: what a person may be shown, with their lines."""
    tree = syntax_tree(source)
    documents = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
            yield node.lineno, node.value


def test_a_message_or_a_file_in_the_wheel_names_one_that_the_wheel_lacks() -> None:
    """Whoever installed with pip has no docs/, no tests/ and no Makefile: a message says by itself what to do, and so does
    a file that `init` writes. Comments of the tables in config/ are notes for those who edit them here, and may cite."""
    _, held = wheel()
    assert len(held) > 600
    plain = [name for name in held if re.match(r"prefect\.|config/(?:project|schema)/|reporting/templates/", name)]
    shown = {name: [(0, (PROJECT / name).read_text(encoding="utf-8"))] for name in plain}
    shown |= {name: list(messages((PROJECT / name).read_text("utf-8"))) for name in held if name.endswith(".py")}
    lacking = [
        f"{name}:{line} {path}"
        for name, texts in shown.items()
        for line, text in texts
        for path in FILE.findall(text)
        if (path.endswith(".md") or path.split("/")[0] in FOLDERS) and path not in held | WRITTEN_BY_US
    ]
    assert sorted(lacking) == []
