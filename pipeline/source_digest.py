"""Compute digests of the code that a stage runs. Comments, docstrings and layout do not change them.

The digest of a module is over its canonical syntax tree, which is the same in all Python versions that we support. A
stage's source is its module and every module of ours that this imports, directly or through others, also inside
functions. The kernel (kernel.py) and imports under TYPE_CHECKING are left out. The modules of a plug-in's own package
are followed in the same way; the libraries that it imports enter keys by version (outside_code.py).
"""

from __future__ import annotations

import ast
import gc
import hashlib
import sys
import threading
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError
from itertools import chain
from pathlib import Path
from typing import Any

from scrollwork.pipeline import loaded_code, outside_code
from scrollwork.pipeline.errors import CodeChanged
from scrollwork.pipeline.kernel import KERNEL, KEYED, KEYED_BESIDE
from scrollwork.pipeline.loaded_code import NAME, ROOMS, ROOT
from scrollwork.pipeline.outside_code import version
from scrollwork.pipeline.source_cache import Memory, Parsed

ABSENT = "not installed"  # stands in keys in place of a version
_IMPORTED_AS: dict[str, set[str]] = {}  # the top-level modules that are imported from a distribution, by its name
_SURE: set[str] = set()  # distributions that are known to be loaded in the version that is in keys
PARSING = threading.Lock()
SKIPPED = {"lineno", "col_offset", "end_lineno", "end_col_offset", "type_comment", "type_ignores", "kind", "ctx"}
HOLDERS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)  # nodes that may have a docstring
MEANT = (*HOLDERS, ast.JoinedStr)  # nodes whose fields `_meant` must look at


def sources(entries: Sequence[str]) -> dict[str, str]:
    """Return the digests (sha256 in hex), by module name, of the entry modules and of all modules that they run.

    entries: names of modules, such as `Node.code`. Raises ModuleNotFoundError if there is no module of such a name.
    """
    return dict(_sources(tuple(entries)))


@cache
def _sources(entries: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    waiting = [*entries, *(package for entry in entries for package in _followed(entry.rpartition(".")[0], entry))]
    while waiting:
        module = waiting.pop()
        if module not in found:
            digest, imports, _ = _read(module)
            found[module] = digest
            waiting += imports
    return dict(sorted(found.items()))


def libraries(entries: Sequence[str]) -> dict[str, str]:
    """Return the installed versions, or ABSENT, of the distributions that enter the key of these modules, by name.

    entries: as for `sources`.
    """
    return dict(_libraries(tuple(entries)))


@cache  # a plan calls this for each of its nodes, and each version is read from a file
def _libraries(entries: tuple[str, ...]) -> dict[str, str]:
    found = _sources(entries)
    imported = {pair for module in found for pair in _read(module)[2]}
    for top, name in imported:
        _IMPORTED_AS.setdefault(name, set()).add(top)
    named = {name for _, name in imported}
    named |= {name for module, beside in KEYED_BESIDE.items() if module in found for name in beside}
    return {name: _version(name) for name in sorted(named)}


def load_settled(entries: Sequence[str]) -> None:
    """Import the modules that the entry modules run, before a stage uses them. entries: as for `sources`.

    Raises CodeChanged if one of them may be other code, or a library another version, than the key says.
    """
    loaded_code.load_as_digested(sources(entries))
    for name, keyed in libraries(entries).items():
        if name not in _SURE:
            tops = {one for one, distribution in KEYED.items() if distribution == name} | _IMPORTED_AS.get(name, set())
            imported = any(one in sys.modules for one in tops)
            if not keyed == _at_first().get(name, keyed) == _version(name):
                raise CodeChanged(f"{name} was installed anew under this run: {CodeChanged.THEN}")
            if imported:
                _SURE.add(name)


@cache
def _at_first() -> dict[str, str]:
    """Return the versions that all keyed libraries had at the first call, by distribution.

    The first stage whose key has a library makes that call. All versions are read then, because a library may be loaded
    before a stage needs it.
    """
    return {name: _version(name) for name in {*KEYED.values(), *chain.from_iterable(KEYED_BESIDE.values())}}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ABSENT


def exists(module: str) -> bool:
    """Return whether the file of a module, ours or another, can be found, and the module is not in the kernel."""
    return _path(module) is not None and not in_kernel(module)


@cache
def _read(module: str) -> tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return (digest, imports by source, imports by version) of a module.

    The imports by source are names of modules. Those by version are (top-level module, distribution). Raises
    ModuleNotFoundError if there is no such module.
    """
    path = _path(module)
    if path is None:
        raise ModuleNotFoundError(f"{module} is no module of the house, nor of an installed package")
    ours = _is_house(module)
    if not ours:
        loaded_code.watch(module, str(path))
    data = path.read_bytes()
    if path.suffix != ".py":  # an extension module
        return hashlib.sha256(data).hexdigest(), (), ()
    package = not ours and path.name == "__init__.py"  # its relative imports begin at the package itself, not above it
    digest, names = _memory().of(f"{module}.__init__" if package else module, data, _parsed)
    followed = {found for name in names for found in _followed(name, module)}
    if ours:
        tops = {name.partition(".")[0] for name in names} & set(KEYED)
        return digest, tuple(sorted(followed)), tuple(sorted((top, KEYED[top]) for top in tops))
    return digest, tuple(sorted(followed)), tuple(outside_code.libraries(names, module))


def _parsed(module: str, data: bytes) -> Parsed:
    """Return (digest, names of all imports) of a module. data: the bytes of its file."""
    tree = syntax_tree(data)
    return hashlib.sha256(canonical_text(tree).encode()).hexdigest(), tuple(sorted(set(_imports(tree, module))))


def syntax_tree(source: str | bytes) -> ast.Module:
    """Parse a module as `ast.parse` does, safe from others that parse meanwhile.

    Python 3.11 to 3.13.0 count one depth for all parsing (python/cpython issue 106905) and fail with "SystemError: AST
    constructor recursion depth mismatch" if something else is parsed in the middle. A collection of garbage may do
    that: it runs finalizers, and lets other threads run. Printing a traceback parses, too.
    """
    with PARSING:
        collecting = gc.isenabled()
        gc.disable()
        try:
            return ast.parse(source)
        finally:
            if collecting:
                gc.enable()


@cache
def _memory() -> Memory:
    """Return the cache for this version of Python and of this file, which computes the digests."""
    version = hashlib.sha256(f"{sys.implementation.cache_tag}\n".encode() + Path(__file__).read_bytes()).hexdigest()
    return Memory(Path(__file__).parent / "__pycache__", version)


def _is_house(module: str) -> bool:
    return module.partition(".")[0] == NAME


def _path(module: str) -> Path | None:
    return _file(ROOT, module) if _is_house(module) else outside_code.file_of(module)


@cache
def _file(root: Path, module: str) -> Path | None:
    base = root.joinpath(*module.split(".")[1:])
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


def _imports(tree: ast.AST, module: str) -> Iterator[str]:
    """Yield every name that could be an imported module; of `from a import b`, both a and a.b.

    Relative imports give absolute names. Imports under TYPE_CHECKING are left out.
    """
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module.split(".")[: -node.level]
                base = ".".join([*package, base] if base else package)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield every statement below a node that may run. Expressions are not visited: they contain no statements."""
    blocks = ("body", "orelse", "finalbody", "handlers", "cases")
    for block in blocks[1:] if _for_types(node) else blocks:
        for inner in getattr(node, block, ()):
            yield inner
            yield from _statements(inner)


def _for_types(node: ast.AST) -> bool:
    """Return whether the node is `if TYPE_CHECKING:` (or `typing.TYPE_CHECKING`), whose body never runs."""
    test = node.test if isinstance(node, ast.If) else None
    return "TYPE_CHECKING" in (getattr(test, "id", ""), getattr(test, "attr", ""))


def _followed(name: str, importer: str) -> Iterator[str]:
    """Yield the module of that name and its parent packages, if they enter the importer's key by source.

    These are modules of ours outside the kernel and, if the importer is a module of a plug-in, what
    `outside_code.is_own` accepts.
    """
    yield from _house(name)
    if name and not _is_house(importer) and outside_code.is_own(name, importer):
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            module = ".".join(parts[:end])
            if _path(module) is not None:
                yield module


def _house(name: str) -> Iterator[str]:
    """Yield our module of that name and its parent packages, without those of the kernel."""
    parts = name.split(".")
    if parts[0] == NAME and len(parts) > 1 and parts[1] in ROOMS:
        for end in range(2, len(parts) + 1):
            module = ".".join(parts[:end])
            if _path(module) is not None and not in_kernel(module):
                yield module


def in_kernel(module: str) -> bool:
    """Return whether a module, or a package that contains it, is in KERNEL."""
    parts = module.split(".")
    return any(".".join(parts[:end]) in KERNEL for end in range(1, len(parts) + 1))


def canonical_text(node: object) -> str:
    """Return a syntax tree as text, without positions, docstrings, empty fields and fields that depend on the version.

    node: an AST node, a list of nodes, or the value of a field.
    """
    if isinstance(node, ast.AST):
        kind: Any = type(node)
        fields = []
        for name in _fields(kind):
            value = getattr(node, name, None)
            if value is not None and value != []:
                fields.append(f"{name}={canonical_text(_meant(node, name, value) if kind in MEANT else value)}")
        return f"{kind.__name__}({','.join(fields)})"
    if isinstance(node, list):
        return f"[{','.join(map(canonical_text, node))}]"
    return f"{type(node).__name__}:{node!a}"  # not repr(), which depends on the Unicode tables of the Python version


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    """Return the names of the fields of a node class that enter the digest, sorted."""
    return tuple(sorted(name for name in kind._fields if name not in SKIPPED))


def _meant(node: ast.AST, field: str, value: object) -> object:
    """Return a field's value without a docstring, and without the empty pieces that Python 3.12 leaves in f-strings."""
    if field == "body" and isinstance(node, HOLDERS) and isinstance(value, list) and value:
        first = value[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            return value[1:]
    if isinstance(node, ast.JoinedStr) and isinstance(value, list):
        return [piece for piece in value if not (isinstance(piece, ast.Constant) and piece.value == "")]
    return value
