"""What `scrollwork gc` finds in a home that nothing kept refers to, in the order in which it may be removed.

No answer in the store is ever among it: answers were paid.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrollwork.flows.keeping.kept import Kept, closure, kept_of, stage_of
from scrollwork.pipeline.snapshots.check import compare_with_store
from scrollwork.readings.verify import HomeContents, contents_of, rows_of
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.artifacts.artifact import KEY_CHARS, Artifact
from scrollwork.storage.artifacts.manifest import NAME as MANIFEST
from scrollwork.storage.digest import sha256_file
from scrollwork.storage.epochs import COMPLETE, DAY_S, Entry, Register
from scrollwork.storage.epochs import FOLDER as EPOCHS
from scrollwork.storage.errors import StorageError
from scrollwork.storage.home import PLANS, SNAPSHOTS, Home
from scrollwork.storage.in_use import dead_leases
from scrollwork.storage.location import TEMPORARY, Location
from scrollwork.tasks.report.published import FOLDER as DATA

KEEP_DAYS = 30
TRASH = ".gc"  # in a local home: what a killed gc was removing
ARTIFACT, POINTER, LEFTOVER, PLAN, PAGE, EPOCH = "artifact", "pointer", "leftover", "plan", "page", "epoch"
REPLACED = "of runs that newer ones have replaced"
NOBODY = "no run and no current plan refers to it"
KILLED = "left by what was killed"
_TEMPORARY = re.compile(r"\..+\.[0-9]+")  # of tasks/report/published.py


@dataclass(frozen=True)
class Item:
    """What may be removed. kind: one of those above. stage: of an artifact or pointer, else the kind. why: a reason, in
    words. folder, names: where it lies, and its files; () for all of the folder."""

    kind: str
    stage: str
    bytes: int
    why: str
    folder: Location
    names: tuple[str, ...] = ()
    artifact: Artifact | None = None

    @property
    def place(self) -> str:
        """Where it is, for people."""
        return f"{self.folder}/{self.names[0]}" if self.names else str(self.folder)


@dataclass
class Garbage:
    """items: what may be removed, in this order. kept: number of artifacts that stay. notes: sentences. rows: numbers
    of all runs and of those that are kept."""

    items: list[Item] = field(default_factory=list)
    kept: int = 0
    notes: list[str] = field(default_factory=list)
    rows: tuple[int, int] = (0, 0)

    def by_stage(self) -> list[Mapping[str, Any]]:
        """Return {kind, stage, why, count, bytes} for each combination of these, the largest first."""
        found: dict[tuple[str, str, str], list[int]] = {}
        for one in self.items:
            found.setdefault((one.kind, one.stage, one.why), []).append(one.bytes)
        rows = [
            {"kind": kind, "stage": stage, "why": why, "count": len(sizes), "bytes": sum(sizes)}
            for (kind, stage, why), sizes in found.items()
        ]
        return sorted(rows, key=lambda row: (-row["bytes"], row["kind"], row["stage"]))


def garbage_of(home: Home, keep_days: float = KEEP_DAYS, now: float | None = None) -> Garbage:
    """List what may be removed from a home. keep_days: what is of the last days stays. now: unix seconds.

    Call it under `alone` before anything is removed. Raises StorageError.
    """
    now = time.time() if now is None else now
    since, found = now - keep_days * DAY_S, contents_of(home)
    kept = kept_of(home, found, since)
    keys = {str(key) for row in rows_of(home) for key in row["keys"].values()}
    artifacts, broken = list(found.artifacts.values()), "\n".join(found.broken)
    goes: list[Artifact] = []
    stays: list[Artifact] = []
    for one in artifacts:
        old = str(one.folder) not in kept.folders and str(one.folder) not in broken and written(one) < since
        (goes if old else stays).append(one)
    stays += unsure(home, goes, kept.notes)
    whole = closure(artifacts, stays)  # whatever stays keeps what it was made from
    goes = [one for one in goes if str(one.folder) not in whole]
    done = Garbage(kept=len(artifacts) - len(goes), notes=kept.notes, rows=(len(rows_of(home)), len(kept.rows)))
    done.notes += [f"left as it is, damaged: {problem}" for problem in found.broken]
    done.items += pointers(found, kept, {str(one.folder) for one in goes}, keys)
    done.items += [of_artifact(one, keys) for one in users_first(goes)]
    done.items += [*leftovers(home, found), *plans(home), *pages(home, found, since), *epochs(home, kept, since)]
    return done


def written(artifact: Artifact) -> float:
    """Return when an artifact was built, in unix seconds; infinity if that is not known."""
    at = artifact.run().get("written")
    return float(at) if isinstance(at, (int, float)) else float("inf")


def unsure(home: Home, goes: Sequence[Artifact], notes: list[str]) -> Iterator[Artifact]:
    """Yield the snapshots whose answers the store does not have as they stand there: they may be the last copy."""
    asked = [one for one in goes if stage_of(one) == SNAPSHOTS]
    if not asked:
        return
    store = ResponseStore(home.store_place) if home.has_store else None
    try:
        for one in asked:
            if store is None or not holds(store, one):
                notes.append(f"{one.folder}: stays: the store does not hold all its answers (scrollwork store check)")
                yield one
    finally:
        if store is not None:
            store.close()


def holds(store: ResponseStore, snapshot: Artifact) -> bool:
    """Return whether the store has each answer and failure of a snapshot, as the snapshot has it."""
    try:
        snapshot.check(rehash=True)
    except StorageError:
        return False  # `store repair` may read some of it
    held = compare_with_store(store, [snapshot])
    return not (held.different or held.gone or held.failures_gone or held.disputed)


def pointers(found: HomeContents, kept: Kept, going: set[str], keys: set[str]) -> Iterator[Item]:
    """Yield the pointers that nothing kept has, to a snapshot that goes or is gone."""
    targets = {str(one.folder): one for one in found.artifacts.values()}
    for base, name in found.pointers:
        if (str(base), name) in kept.pointers:
            continue
        target = pointed(base, name)
        if target is None or (target in targets and target not in going):
            continue
        why = REPLACED if any(key.startswith(name[: -len(".json")]) for key in keys) else NOBODY
        yield Item(POINTER, SNAPSHOTS, size_of(base, name), why, base, (name,))


def pointed(base: Location, name: str) -> str | None:
    """Return the folder that a pointer names; None if it cannot be read."""
    try:
        return str(base.child(json.loads(base.read(name))["artifact"][:KEY_CHARS]))
    except (OSError, ValueError, TypeError, LookupError):
        return None


def of_artifact(one: Artifact, keys: set[str]) -> Item:
    """Return an artifact as an item. keys: those that any run noted."""
    named = one.manifest.key in keys or (stage_of(one) == SNAPSHOTS and one.manifest.ingredients.key() in keys)
    size = sum(part.bytes for part in one.manifest.files)
    return Item(ARTIFACT, stage_of(one), size, REPLACED if named else NOBODY, one.folder, artifact=one)


def users_first(goes: Sequence[Artifact]) -> list[Artifact]:
    """Sort artifacts so that each comes before those that it was made from."""
    by_content: dict[str, list[Artifact]] = {}
    for one in goes:
        for name in {one.content, one.exact}:
            by_content.setdefault(name, []).append(one)
    order: list[Artifact] = []
    seen: set[str] = set()
    for first in goes:
        waiting = [(first, False)]
        while waiting:
            one, ended = waiting.pop()
            if ended:
                order.append(one)
            elif str(one.folder) not in seen:
                seen.add(str(one.folder))
                made = [each for name in one.manifest.ingredients.contents() for each in by_content.get(name, ())]
                waiting += [(one, True), *((each, False) for each in made)]
    return order[::-1]


def leftovers(home: Home, found: HomeContents) -> Iterator[Item]:
    """Yield folders of parts without a manifest, and what a killed gc had set aside. Snapshots without a manifest are
    left to `store repair`, and temporary files to the next run, which knows whether their writers live."""
    root = home.artifacts.root
    broken = "\n".join(found.broken)
    for stage in root.names():
        for slot in root.child(stage).names() if stage != SNAPSHOTS else ():
            for name in root.child(stage, slot).names():
                folder = root.child(stage, slot, name)
                if name.endswith(".json") or str(folder) in found.artifacts or str(folder) in broken:
                    continue
                sizes = folder.sizes()
                if MANIFEST not in sizes and not any(one.startswith(TEMPORARY) for one in sizes):
                    yield Item(LEFTOVER, stage, sum(sizes.values()), KILLED, folder)
    if root.local is not None:
        aside = Location(f"{home.url}/{TRASH}")
        for name in aside.names():
            folder = aside.child(name)
            yield Item(LEFTOVER, LEFTOVER, sum(folder.sizes().values()), KILLED, folder)


def plans(home: Home) -> Iterator[Item]:
    """Yield files of plans and leases: no run is at work under `alone`, so all of them were left."""
    folder = Location(f"{home.url}/{PLANS}")
    dead = dead_leases(home.url) if folder.local is None else []
    for name, size in folder.sizes().items():
        if name.endswith((".json", ".try")) or name in dead:
            yield Item(PLAN, PLAN, size, KILLED, folder, (name,))


def pages(home: Home, found: HomeContents, since: float) -> Iterator[Item]:
    """Yield old pages of runs that no run names, with the folders of their data, and what killed writers of pages left.

    Only a file with the bytes of a report that is here is known to be ours. Pages of `scrollwork report` stay. Those of
    a remote home lie elsewhere.
    """
    if "://" in home.url or not home.reports.is_dir():
        return
    rows = rows_of(home)
    named = {Path(str(row["report"])).name for row in rows if row.get("report")}
    named |= {f"{row['request'].get('suite')}-all.html" for row in rows}
    parts = (part for one in found.artifacts.values() for part in one.manifest.files if part.table.endswith(".html"))
    ours, folder = {part.sha256 for part in parts}, Location(str(home.reports))
    for path in sorted(home.reports.iterdir()):
        if path.name in named or not path.is_file() or path.is_symlink() or path.stat().st_mtime >= since:
            continue
        if _TEMPORARY.fullmatch(path.name):
            yield Item(PAGE, PAGE, path.stat().st_size, KILLED, folder, (path.name,))
        elif path.suffix == ".html" and sha256_file(path) in ours:
            yield Item(PAGE, PAGE, path.stat().st_size, NOBODY, folder, (path.name,))
            data = path.with_suffix(DATA)
            if data.is_dir() and not data.is_symlink():
                size = sum(one.stat().st_size for one in data.rglob("*") if one.is_file())
                yield Item(PAGE, PAGE, size, NOBODY, folder.child(data.name))


def epochs(home: Home, kept: Kept, since: float) -> Iterator[Item]:
    """Yield old epochs that a later complete one of the same words has replaced, so that no run reads them.

    Its answers stay in the store. The opening goes first: what is left by a kill is still a complete epoch.
    """
    register, damaged = Register(home.url), list[str]()
    every = {one.file: one for one in register.every(damaged=damaged)}
    used = [one for one in every.values() if one.opened >= since or not one.completed]
    earlier = {name for one in used for name in one.earlier}
    last: dict[tuple[str, str], int] = {}
    for entry in register.entries():
        if entry.complete:
            scope = entry.model, entry.scope
            last[scope] = max(last.get(scope, 0), entry.number)
    for file, number in sorted({(file_of(one), one.number) for one in register.entries()}):
        epoch = every.get(file)
        if epoch is None or epoch.name in kept.epochs | earlier or max(epoch.opened, epoch.completed) >= since:
            continue
        model, of_scope, _ = file.split("-")
        if number < last.get((model, of_scope), 0):
            folder = Location(f"{home.url}/{EPOCHS}")
            names = sorted(names_of(register.entries(), file), key=lambda name: name.endswith(COMPLETE))
            yield Item(EPOCH, EPOCH, sum(size_of(folder, name) for name in names), REPLACED, folder, tuple(names))
    kept.notes += [f"left as it is: {problem}" for problem in damaged]


def file_of(entry: Entry) -> str:
    """Return the name of an epoch's files, without their endings."""
    return f"{entry.model}-{entry.scope}-{entry.number:04d}"


def names_of(entries: Iterable[Entry], file: str) -> Iterator[str]:
    """Yield the files of an epoch."""
    return (one.file for one in entries if file_of(one) == file)


def size_of(folder: Location, name: str) -> int:
    """Return the size of a file in bytes, 0 if it is gone."""
    try:
        return folder.size_and_time(name)[0]
    except OSError:
        return 0
