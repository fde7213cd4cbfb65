"""licences.py check|write: the licences of everything in requirements.lock, as docs/licences.md says them.

check: every package has a row, each installed one says what its row says, and none is GPL without a reason (ALLOWED).
write: the rows of installed packages anew; the others stay. Needs nothing but Python.
"""

from __future__ import annotations

import re
import sys
from email.message import Message
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE, LOCK = ROOT / "docs" / "licences.md", ROOT / "requirements.lock"
HEAD = """# Licences of what scrollwork needs

scrollwork asks for these packages; it holds no code of theirs. Written by `make licences` from what each says of itself
(BSD: it does not say which); `make check` compares it with what is installed, and refuses a package under the GPL, or
without a licence, that has no reason here.

"""
TABLE = "| package | licence |\n|---|---|\n"
# The official F1 of SCROLLS and ZeroSCROLLS strips accents with Unidecode, and its numbers need it.
ALLOWED = {
    "unidecode": "GPL: imported by the official F1 only (scoring/parts/normalize.py), when an answer is scored by it.",
    "text-unidecode": "its users choose: we take the Artistic License. Prefect needs it, by way of python-slugify.",
    **dict.fromkeys(
        ("cuda-toolkit", "nvidia-cudnn-cu13", "nvidia-nccl-cu13", "nvidia-nvshmem-cu13"),
        "NVIDIA's; its metadata name no licence. It comes with torch where pip takes a build for CUDA.",
    ),
}
READ = {
    "rouge": "Apache-2.0",  # its metadata say LICENCE.txt, and that is this one
    # of the build on PyPI; others hold less, and say less
    "torch": "Apache-2.0 AND Apache-2.0 WITH LLVM-exception AND BSD-2-Clause AND BSD-3-Clause AND BSL-1.0 AND ISC AND "
    "MIT AND Zlib",
}
# Words of classifiers and of loose fields, as SPDX has them.
SPDX = {
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache 2.0 License": "Apache-2.0",
    "Artistic License": "Artistic-1.0",
    "BSD License": "BSD",
    "GNU General Public License (GPL)": "GPL",
    "GNU General Public License v2 or later (GPLv2+)": "GPL-2.0-or-later",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}


def names() -> list[str]:
    """The packages of requirements.lock, each once, in small letters."""
    lines = LOCK.read_text(encoding="utf-8").splitlines()
    found = {name[0].lower() for line in lines if (name := re.match(r"[A-Za-z0-9._-]+", line))}
    return sorted(found)


def said(fields: Message) -> str:
    """What metadata say of a licence: the expression, else the classifiers, else the first line of text."""
    if expression := fields.get("License-Expression"):
        return str(expression)
    found = fields.get_all("Classifier") or []
    classes = [one.rpartition(" :: ")[2] for one in found if one.startswith("License :: ")]
    loose = next(iter(str(fields.get("License") or "").strip().splitlines()), "")
    words = [word for word in classes if word not in ("OSI Approved", "DFSG approved")] or [loose]
    return " or ".join(sorted({SPDX.get(word, word) for word in words})) or "unknown"


def installed(name: str) -> str | None:
    """The licence of an installed package, None where it is not."""
    try:
        return READ.get(name) or said(metadata.metadata(name))
    except metadata.PackageNotFoundError:
        return None


def rows() -> dict[str, str]:
    """{package: licence} of the page."""
    found = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: licence for name, licence in found if name != "package"}


def wrong(page: dict[str, str]) -> list[str]:
    """What is wrong with the page, a line each."""
    lines = [f"{name}: in requirements.lock and not in docs/licences.md" for name in names() if name not in page]
    lines += [f"{name}: in docs/licences.md and not in requirements.lock" for name in page if name not in names()]
    for name, licence in page.items():
        here = installed(name)
        if here is not None and here != licence:
            lines.append(f"{name}: is {here}, docs/licences.md says {licence}")
        if re.search(r"(?<!L)A?GPL|unknown", licence) and name not in ALLOWED:
            lines.append(f"{name}: {licence}; scrollwork needs no such package, or ALLOWED says why")
    return lines


def main() -> int:
    """Check or write the page; 1 where something is wrong."""
    if sys.argv[1:] == ["write"]:
        before = rows()
        table = "".join(f"| {name} | {installed(name) or before.get(name, 'unknown')} |\n" for name in names())
        reasons = "".join(f"- **{name}**: {reason}\n" for name, reason in ALLOWED.items())
        PAGE.write_text(f"{HEAD}{reasons}\n{TABLE}{table}", encoding="utf-8")
    lines = wrong(rows())
    print("\n".join(lines) or f"the licences of {len(rows())} packages are as docs/licences.md says")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
