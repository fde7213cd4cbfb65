"""What the tests of keeping share: a home in which older artifacts were replaced, and what its commands print."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from pathlib import Path
from typing import Any

from tests.conftest import PROJECT, Scrollwork

TASKS = ("--task", "space_digest")


def replaced(work: Scrollwork) -> Scrollwork:
    """A home in which each artifact of space_digest was built three times, as its raw file changed."""
    raw = work.home.parent / "raw"
    shutil.copytree(PROJECT / "sample" / "raw", raw)
    again(work)
    for number in range(2):
        change(raw, number)
        again(work)
    return work


def change(raw: Path, number: int) -> None:
    """Change a word in the raw file of space_digest."""
    (path,) = (raw / "space").glob("*.json")
    text = path.read_text()
    place = text.index('"sentences": ["') + len('"sentences": ["')
    path.write_text(f"{text[:place]}Changed {number}. {text[place:]}")


def again(work: Scrollwork, *more: str, **options: Any) -> Any:
    """The run of this home."""
    return work.run("--raw", str(work.home.parent / "raw"), *TASKS, "--quiet", *more, **options)


def plan(work: Scrollwork, raw: Path) -> list[tuple[str, str, str]]:
    """The stages of the run's plan, with key and state."""
    told = work("plan", "zeroscrolls", "--raw", str(raw), *TASKS, "--model", "naive:seed=0", "--json").document
    return [(row["stage"], row["key"], row["state"]) for row in told]


def page(work: Scrollwork) -> tuple[str, str]:
    """What `report` prints, and the digest of its page."""
    out = work("report", "zeroscrolls").out
    return out, hashlib.sha256((work.home / "reports" / "zeroscrolls-all.html").read_bytes()).hexdigest()


def every(home: Path) -> dict[str, str]:
    """sha256 by path of all files of a home, without caches."""
    found = (path for path in sorted(home.rglob("*")) if path.is_file() and "cache" not in path.parts)
    names = {path.relative_to(home).as_posix(): path for path in found if path.name not in (".in-use", ".lock")}
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in names.items()
        if not name.startswith("responses.db-")
    }


def stored(home: Path) -> list[Any]:
    """All rows of answers."""
    with sqlite3.connect(home / "responses.db") as store:
        return sorted(map(str, store.execute("SELECT * FROM responses")))


def manifests(home: Path) -> set[str]:
    """The folders of artifacts."""
    return {str(path.parent.relative_to(home)) for path in home.glob("artifacts/*/*/*/manifest.json")}


def broken(work: Scrollwork) -> list[str]:
    """What verify finds, without raw files that were changed on purpose."""
    found: list[str] = work("verify", "--json", status=None).document["broken"]
    return [line for line in found if "the raw file has other bytes" not in line]
