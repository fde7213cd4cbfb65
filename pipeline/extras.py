"""Say how to install an optional library that is missing."""

from __future__ import annotations

import re

_REQUIREMENT = re.compile(r"([\w.-]+).*;.*extra == ['\"]([\w-]+)['\"]")
_OURS = ("dev", "bench")  # extras for developers of scrollwork


def install_line(error: BaseException) -> str:
    """Return how to install the library that an error says is missing, if an extra of scrollwork brings it.

    For example: "openai is not installed: pip install 'scrollwork[api]'". "" for any other error.
    """
    if not isinstance(error, ModuleNotFoundError) or not error.name:  # PackageNotFoundError is a subclass
        return ""
    library = error.name.partition(".")[0]
    for extra in extras_with(library):
        return f"{library} is not installed: pip install 'scrollwork[{extra}]'"
    return ""


def extras_with(library: str) -> list[str]:
    """List the extras of scrollwork that bring a library, without those for developers.

    library: its import name. It is found only if its distribution has the same name, apart from case and "-", "_", ".".
    Returns [] if scrollwork itself is not installed.
    """
    from importlib.metadata import PackageNotFoundError, requires  # takes 30 ms, so only when a library is missing

    try:
        lines = requires("scrollwork") or []
    except PackageNotFoundError:
        return []
    found = [match.groups() for line in lines if (match := _REQUIREMENT.match(line))]
    return [extra for name, extra in found if _plain(name) == _plain(library) and extra not in _OURS]


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
