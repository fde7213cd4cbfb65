"""sbom.py [FILE]: what scrollwork needs, as CycloneDX 1.6 JSON (default: dist/scrollwork-VERSION.cdx.json).

A component for each line of requirements.lock: name, version, purl, the licence that docs/licences.md has, the marker
of the line, and which parts need it (core, or an extra of pyproject.toml). The last is read from what is installed: a
component to which no installed package leads has no such property, and is named on standard error. The same lock and
environment give the same bytes: there is no time in it and no serial number. Needs no network.
"""

from __future__ import annotations

import json
import re
import runpy
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LINE = re.compile(r"([A-Za-z0-9._-]+)==([^\s;]+)(?:\s*;\s*(.+))?")
CORE = "core"


def project() -> dict[str, Any]:
    """The table [project] of pyproject.toml."""
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def locked(text: str) -> list[tuple[str, str, str]]:
    """(name, version, marker) of each line of requirements.lock; marker "" for none. Raises ValueError."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = LINE.fullmatch(line.strip())
        if match is None:
            raise ValueError(f"requirements.lock, line {number}: {line!r} is not NAME==VERSION ; MARKER: make lock")
        found.append((canonicalize_name(match[1]), match[2], match[3] or ""))
    return sorted(found)


def required(requirements: list[str], extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """(name, extras of it) of the requirements that count with these extras, on any platform and any Python."""
    for one in map(Requirement, requirements):
        marker = one.marker
        of_extra = marker is not None and "extra" in str(marker)
        if marker is None or not of_extra or any(marker.evaluate({"extra": extra}) for extra in extras):
            yield canonicalize_name(one.name), frozenset(one.extras)


def reached(requirements: list[str]) -> set[str]:
    """The packages to which requirements lead, as far as they are installed."""
    waiting, seen = list(required(requirements, frozenset())), set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            own = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        waiting += required(own, extras)
    return {name for name, _ in seen}


def parts(table: Mapping[str, Any]) -> dict[str, set[str]]:
    """The packages of the core and of each extra, by its name, what is shared in each. An extra that names others of
    ours has what they have, not the core."""
    extras = table["optional-dependencies"]

    def named(requirements: list[str]) -> Iterator[str]:
        for one in requirements:
            if canonicalize_name(Requirement(one).name) == table["name"]:
                for extra in sorted(Requirement(one).extras):
                    yield from named(extras[extra])
            else:
                yield one

    return {CORE: reached(table["dependencies"])} | {name: reached(list(named(own))) for name, own in extras.items()}


def licences(text: str) -> list[dict[str, Any]]:
    """The field `licenses` of a component: an SPDX expression, else the words as a name."""
    try:
        return [{"expression": canonicalize_license_expression(text)}]
    except InvalidLicenseExpression:
        return [{"license": {"name": text}}]


def component(name: str, version: str, marker: str, licence: str, needed_by: list[str]) -> dict[str, Any]:
    """A component. needed_by: the parts that lead to it."""
    properties = [{"name": "scrollwork:needed-by", "value": part} for part in needed_by]
    properties += [{"name": "scrollwork:marker", "value": marker}] if marker else []
    purl = f"pkg:pypi/{name}@{version}"
    found = {"type": "library", "bom-ref": purl, "name": name, "version": version, "licenses": licences(licence)}
    return found | {"purl": purl} | ({"properties": properties} if properties else {})


def bom() -> dict[str, Any]:
    """The whole document. Raises ValueError where a package of the lock has no licence in docs/licences.md."""
    table = project()
    said = runpy.run_path(str(ROOT / ".ci" / "licences.py"))["rows"]()
    needed = parts(table)
    components = []
    for name, version, marker in locked((ROOT / "requirements.lock").read_text(encoding="utf-8")):
        if name not in said:
            raise ValueError(f"{name}: docs/licences.md has no row for it: make licences")
        by = [part for part, names in needed.items() if name in names]
        components.append(component(name, version, marker, said[name], by))
    own = {"type": "application", "bom-ref": table["name"], "name": table["name"], "version": table["version"]}
    own |= {"licenses": licences(table["license"]), "purl": f"pkg:pypi/{table['name']}@{table['version']}"}
    head = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": {"component": own}}
    return head | {"components": components}


def written(document: Mapping[str, Any]) -> str:
    """The text of a document's file."""
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def unreached(document: Mapping[str, Any]) -> list[str]:
    """The components of which no part is known to need them."""
    every = ((one["name"], one.get("properties", ())) for one in document["components"])
    return sorted({name for name, known in every if "scrollwork:needed-by" not in {one["name"] for one in known}})


def main() -> int:
    """Write the document; 1 where lock or licences are not in order."""
    try:
        document = bom()
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    table = project()
    out = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "dist" / f"{table['name']}-{table['version']}.cdx.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(written(document), encoding="utf-8")
    print(f"{out}: {len(document['components'])} components")
    if alone := unreached(document):
        print(f"in the lock, and needed by no part that is installed here: {', '.join(alone)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
