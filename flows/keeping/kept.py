"""What of a home is kept: what its newest runs, its nights and its current plans refer to, and what that was made from.

A run is kept if it is of the last days, if a kept night is of it, or if it left the newest artifact of some name with
its settings, which is what the page of the home shows. A night is kept if it is of the last days, if it was accepted,
or if it is the first with its settings. All that was built in the last days is kept, too.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scrollwork.flows.keeping.current import CurrentPlans, current_plans
from scrollwork.pipeline.errors import UsageError
from scrollwork.readings.home_scores import revisions_of, scores_in, settings_of
from scrollwork.readings.nights.register import Nights
from scrollwork.readings.verify import HomeContents, rows_of
from scrollwork.records.base import InvalidRow
from scrollwork.records.nights.night import NightRow
from scrollwork.storage.artifacts.artifact import KEY_CHARS, Artifact
from scrollwork.storage.errors import StorageError
from scrollwork.storage.home import SNAPSHOTS, Home
from scrollwork.storage.location import Location
from scrollwork.tasks.aggregate.run import STAGE as AGGREGATE

Row = Mapping[str, Any]


@dataclass
class Kept:
    """folders: of artifacts that stay. pointers: (slot's folder, file name) likewise. rows: of the runs that are kept,
    the newest first. epochs: names of epochs that they, or nights, read. plans: the current ones. notes: sentences."""

    folders: set[str] = field(default_factory=set)
    pointers: set[tuple[str, str]] = field(default_factory=set)
    rows: list[Row] = field(default_factory=list)
    epochs: set[str] = field(default_factory=set)
    plans: CurrentPlans = field(default_factory=CurrentPlans)
    notes: list[str] = field(default_factory=list)


def kept_of(home: Home, found: HomeContents, since: float) -> Kept:
    """Collect what is kept of a home. found: its artifacts. since: unix seconds; what is of a later time is kept.

    Raises StorageError for a row of a run that cannot be read, as nobody knows what it refers to.
    """
    refuse_unreadable(home)
    kept, everything = Kept(), list(found.artifacts.values())
    nights = kept_nights(home, since, kept)
    kept.rows = kept_rows(home, found, since, {row.run for row in nights} - {""})
    kept.plans = current_plans(home, kept.rows)
    kept.notes += kept.plans.notes
    kept.epochs |= {one.epoch for row in nights for one in row.models if one.epoch}
    for row in kept.rows:
        told = row.get("epochs")
        of_run = told.values() if isinstance(told, dict) else ()
        kept.epochs |= {str(one.get("epoch")) for one in of_run if isinstance(one, dict)}
    roots = {str(one.folder): one for row in kept.rows for one in left_by(home, found, row, kept)}
    for node, status, _ in kept.plans.nodes.values():
        if status.artifact is not None:
            roots[str(status.artifact.folder)] = status.artifact
            if node.asks and status.key:
                base = home.artifacts.root.child(node.stage, node.slot)
                kept.pointers.add((str(base), f"{status.key[:KEY_CHARS]}.json"))
    for one in shown_by(home, everything, kept.notes):
        roots[str(one.folder)] = one
    aggregates = [one for one in roots.values() if stage_of(one) == AGGREGATE]
    for one in beside(everything, aggregates):
        roots[str(one.folder)] = one
    kept.folders = closure(everything, roots.values())
    return kept


def refuse_unreadable(home: Home) -> None:
    """Raise StorageError, naming the file, if there are rows of runs that cannot be read."""
    folder, known = Location(f"{home.url}/runs"), {f"{run['id']}.json" for run in rows_of(home)}
    for name in folder.names():
        if name[:1] != "." and name not in known:
            raise StorageError(
                f"{folder}/{name}: is no row of a run, so nobody knows what it refers to; nothing is removed. Put it "
                "back from a backup, or move it out of the folder"
            )


def kept_nights(home: Home, since: float, kept: Kept) -> list[NightRow]:
    """List the nights whose runs are kept. The epochs of nights that have begun and not ended are added to `kept`."""
    nights = Nights(home.url)
    rows, accepted = nights.rows(), {one.digest for one in nights.accepted()}
    first: dict[tuple[str, str], str] = {}
    for row in rows:
        first.setdefault((row.suite, row.settings), row.digest)
    for settings in {row.settings for row in rows}:
        kept.epochs |= {epoch for begun in nights.begun(settings) for epoch in begun.epochs}
    kept.notes += nights.notes
    return [row for row in rows if row.ended >= since or row.digest in {*accepted, *first.values()}]


def kept_rows(home: Home, found: HomeContents, since: float, of_nights: set[str]) -> list[Row]:
    """List the rows of runs that are kept, the newest first. of_nights: names of runs that nights are of."""
    kept, taken = [], set[tuple[str, ...]]()
    for row in reversed(rows_of(home)):
        request = row["request"]
        own = json.dumps([settings_of(request), revisions_of(request)], sort_keys=True)
        standing = {(name, own) for name, key in row["keys"].items() if stands(home, found, name, key)}
        if page := str(row.get("report") or ""):
            standing.add(("page", page.rpartition("/")[2]))
        if standing - taken or time_of(row) >= since or request.get("run") in of_nights:
            kept.append(row)
        taken |= standing
    return kept


def time_of(row: Row) -> float:
    """Return when a run ended, in unix seconds; infinity where its row does not say."""
    told = row.get("time")
    return float(told) if isinstance(told, (int, float)) else float("inf")


def stands(home: Home, found: HomeContents, name: str, key: Any) -> bool:
    """Return whether what a run left under a name, STAGE/SLOT, is here."""
    stage, _, slot = name.partition("/")
    base = home.artifacts.root.child(stage, slot)
    if stage == SNAPSHOTS:
        return snapshot_of(base, str(key), found) is not None
    return str(base.child(str(key)[:KEY_CHARS])) in found.artifacts


def snapshot_of(base: Location, key: str, found: HomeContents) -> Artifact | None:
    """Return the snapshot of answers that the pointer of a stage key names, None if there is none. base: the slot."""
    try:
        told = json.loads(base.read(f"{key[:KEY_CHARS]}.json"))
        return found.artifacts.get(str(base.child(told["artifact"][:KEY_CHARS])))
    except (OSError, ValueError, TypeError, LookupError):
        return None


def left_by(home: Home, found: HomeContents, row: Row, kept: Kept) -> Iterator[Artifact]:
    """Yield the artifacts that a run left and that are here; pointers among them are added to `kept`."""
    for name, key in row["keys"].items():
        stage, _, slot = name.partition("/")
        base = home.artifacts.root.child(stage, slot)
        if stage == SNAPSHOTS:
            kept.pointers.add((str(base), f"{str(key)[:KEY_CHARS]}.json"))
            artifact = snapshot_of(base, str(key), found)
        else:
            artifact = found.artifacts.get(str(base.child(str(key)[:KEY_CHARS])))
        if artifact is not None:
            yield artifact


def shown_by(home: Home, everything: Sequence[Artifact], notes: list[str]) -> Iterator[Artifact]:
    """Yield the scores that the page of the home shows, of all suites that ran here."""
    for suite in dict.fromkeys(str(row["request"].get("suite", "")) for row in rows_of(home)):
        try:
            yield from (artifact for _, artifact in scores_in(home, suite, everything).artifacts)
        except (UsageError, StorageError, InvalidRow) as error:
            notes.append(f"{suite}: what its page shows is not known ({error})")


def beside(everything: Iterable[Artifact], aggregates: Iterable[Artifact]) -> Iterator[Artifact]:
    """Yield what pages show beside scores: whatever else was made from the scores behind one of these aggregates."""
    behind = {frozenset(one.manifest.ingredients.each("scores")) for one in aggregates}
    for one in everything:
        scores = frozenset(one.manifest.ingredients.each("scores"))
        if scores and scores in behind and stage_of(one) != AGGREGATE:
            yield one


def closure(everything: Iterable[Artifact], roots: Iterable[Artifact]) -> set[str]:
    """Return the folders of these artifacts and of all that they were made from.

    Where several artifacts have the content that an input names, all of them are among these.
    """
    by_content: dict[str, list[Artifact]] = defaultdict(list)
    for one in everything:
        for name in {one.content, one.exact}:
            by_content[name].append(one)
    found, waiting = set[str](), list(roots)
    while waiting:
        one = waiting.pop()
        if str(one.folder) not in found:
            found.add(str(one.folder))
            waiting += [made for content in one.manifest.ingredients.contents() for made in by_content.get(content, ())]
    return found


def stage_of(artifact: Artifact) -> str:
    """Return the stage of an artifact."""
    return artifact.manifest.ingredients.stage
