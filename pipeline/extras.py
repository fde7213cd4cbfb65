"""Optional libraries: the message that says how to install a missing one."""

from __future__ import annotations

import re

_REQUIREMENT = re.compile(r"([\w.-]+).*;.*extra == ['\"]([\w-]+)['\"]")
_OURS = ("dev", "bench")  # extras for developers of scrollwork


def install_line(error: BaseException) -> str:
    """How to install the library that the error says is missing, if an extra of scrollwork brings it; "" for any other
    error."""
    if not isinstance(error, ModuleNotFoundError) or not error.name:  # PackageNotFoundError is one
        return ""
    library = error.name.partition(".")[0]
    for extra in extras_with(library):
        return f"{library} is not installed: pip install 'scrollwork[{extra}]'"
    return ""


def extras_with(library: str) -> list[str]:
    """The extras of scrollwork that bring a library, by its import name; none where scrollwork is not installed."""
    from importlib.metadata import PackageNotFoundError, requires  # 30 ms: only when a library is missing

    try:
        lines = requires("scrollwork") or []
    except PackageNotFoundError:
        return []
    found = [match.groups() for line in lines if (match := _REQUIREMENT.match(line))]
    return [extra for name, extra in found if _plain(name) == _plain(library) and extra not in _OURS]


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
