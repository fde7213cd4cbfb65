"""Scrub a home: hash a rolling share of it, build a share of what costs nothing but CPU again, mend what is damaged.

    HOME/scrub/state.json    which artifact was hashed last, and which was built again last

Artifacts are hashed in the order of their folders and built again in the order of their keys, each time from where the
last scrub ended. So with a share of 1/N all that stands is hashed in N nights. The state is written as the work goes
on; a kill repeats a little, and lost state only begins a round anew.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from scrollwork.flows.chains import Chain
from scrollwork.flows.keeping.current import ERRORS, current_plans
from scrollwork.flows.keeping.found_damage import note_damage
from scrollwork.flows.keeping.kept import kept_rows
from scrollwork.flows.keeping.rebuilt import Damage, Rebuilding, costs_cpu_alone, place_of
from scrollwork.pipeline.errors import CodeChanged
from scrollwork.readings.verify import HomeContents, check_answers, contents_of
from scrollwork.storage.artifacts.artifact import KEY_CHARS
from scrollwork.storage.artifacts.manifest import NAME as MANIFEST
from scrollwork.storage.digest import sha256_of
from scrollwork.storage.errors import DamagedArtifact, StorageError
from scrollwork.storage.home import SNAPSHOTS, Home
from scrollwork.storage.in_use import at_work
from scrollwork.storage.location import Location

log = logging.getLogger("scrollwork")

SHARE = 1 / 30  # of the bytes of a home, hashed each night
REBUILT = 0.01  # of the artifacts that cost CPU alone, built again each night
FOLDER, STATE = "scrub", "state.json"
SOME = 50  # artifacts after which the state is written


@dataclass
class Scrubbed:
    """What a scrub did. hashed, artifacts: number of artifacts, and how many the home has. bytes: that were hashed.
    rebuilt, rebuildable: number of artifacts that were built again, and that can be. damage: what was found. notes:
    sentences on what could not be done. unplanned: sentences on requests of runs that cannot be planned here, whose
    artifacts are only hashed. rounds: how often all of the home has been hashed."""

    hashed: int = 0
    artifacts: int = 0
    bytes: int = 0
    rebuilt: int = 0
    rebuildable: int = 0
    rounds: int = 0
    damage: list[Damage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unplanned: list[str] = field(default_factory=list)

    @property
    def lines(self) -> tuple[str, ...]:
        """What is to be told: what was damaged, and what could not be done."""
        return (*(f"damaged: {one}" for one in self.damage), *(f"scrub: {one}" for one in self.notes))

    def as_json(self) -> dict[str, Any]:
        """Return it as data."""
        shown = [{"place": one.place, "why": one.why, "how": one.how, "repaired": one.repaired} for one in self.damage]
        return {**vars(self), "damage": shown}


def scrub(home: Home, share: float = SHARE, rebuild: float = REBUILT) -> Scrubbed:
    """Hash a share of a home's bytes, build a share of its artifacts again, and mend what is damaged.

    share, rebuild: 0 to 1; at least one artifact of each unless it is 0. Snapshots of answers are hashed and never
    built: a damaged one is named, and the next run makes it anew from the store. Nothing is asked. In a home that
    cannot be written nothing is mended, and each scrub begins at the first artifact.
    """
    done, writable = Scrubbed(), home.writable
    with at_work(home.url):
        state = state_of(home)
        found = contents_of(home)
        plans = current_plans(home, kept_rows(home, found, float("inf"), set()))
        done.unplanned = plans.notes
        work = Rebuilding(home, plans, mend=writable)
        if share > 0:
            hash_share(home, found, share, state, work, done)
        if rebuild > 0:
            rebuild_share(home, rebuild, state, work, done)
        done.damage, done.rounds = work.damage, int(state.get("rounds", 0))
        done.notes += work.notes
        note_state(home, state)
        note_damage(home, done.as_json()["damage"])
    return done


def scrub_lines(home: Home) -> tuple[str, ...]:
    """Scrub a home as each night does, and return what is to be told. A night that is stored does not fail by it."""
    try:
        return scrub(home).lines
    except Exception as error:  # whatever it is: the night stands
        log.debug("the scrub failed", exc_info=True)
        return (f"scrub: it ended early ({type(error).__name__}: {error})",)


def hash_share(
    home: Home, found: HomeContents, share: float, state: dict[str, Any], work: Rebuilding, done: Scrubbed
) -> None:
    """Hash artifacts from where the last scrub ended, until a share of the bytes is hashed."""
    places = folders_of(home)
    sizes = {place: size_of(found, folder) for place, folder in places.items()}
    done.artifacts = len(places)
    quota, last = math.ceil(share * sum(sizes.values())), str(state.get("hashed", ""))
    for place in from_last(sorted(places), last):
        if done.bytes >= quota and done.hashed:
            break
        if why := problem_of(home, places[place], place):
            work.damage.append(Damage(str(places[place]), why, mend(home, work, places[place])))
        if last and place <= last:
            state["rounds"] = int(state.get("rounds", 0)) + 1
        state["hashed"] = last = place
        done.hashed, done.bytes = done.hashed + 1, done.bytes + sizes[place]
        if done.hashed % SOME == 0:
            note_state(home, state)


def rebuild_share(home: Home, share: float, state: dict[str, Any], work: Rebuilding, done: Scrubbed) -> None:
    """Build artifacts again from where the last scrub ended, until a share of them is."""
    nodes = work.nodes()
    done.rebuildable = len(nodes)
    for key in from_last(list(nodes), str(state.get("rebuilt", "")))[: math.ceil(share * len(nodes))]:
        node, chain = nodes[key]
        try:
            work.examine(node, chain)
        except CodeChanged as error:
            work.notes.append(str(error))
            break
        except (*ERRORS, OSError) as error:
            work.notes.append(f"{place_of(home, node, key)}: could not be built again ({error})")
        state["rebuilt"] = key
        done.rebuilt += 1
        if done.rebuilt % SOME == 0:
            note_state(home, state)


def folders_of(home: Home) -> dict[str, Location]:
    """Return the folders of all artifacts, also of those with a broken manifest, by their path in the home."""
    root = home.artifacts.root
    found = {}
    for stage in root.names():
        for slot in root.child(stage).names():
            for name in root.child(stage, slot).names():
                if not name.endswith(".json"):
                    found[f"{stage}/{slot}/{name}"] = root.child(stage, slot, name)
    return found


def size_of(found: HomeContents, folder: Location) -> int:
    """Return the bytes that the manifest of a folder names, 1 for one without."""
    artifact = found.artifacts.get(str(folder))
    return 1 + (sum(part.bytes for part in artifact.manifest.files) if artifact is not None else 0)


def from_last(names: Sequence[str], last: str) -> list[str]:
    """Return sorted names, beginning behind the last one that was seen."""
    return [name for name in names if name > last] + [name for name in names if name <= last]


def problem_of(home: Home, folder: Location, place: str) -> str:
    """Return what is wrong with the artifact in a folder, "" for nothing, or where none is (any more)."""
    try:
        artifact = home.artifacts.at(folder)
        if artifact is None:
            return ""
        artifact.check(rehash=True)
        manifest = artifact.manifest
        made = manifest.ingredients
        if f"{made.stage}/{made.slot}/{manifest.key[:KEY_CHARS]}" != place:
            return f"part {MANIFEST} is of another artifact, {made.stage}/{made.slot}"
        own = made.key() if made.stage != SNAPSHOTS else sha256_of([made.key(), manifest.content])
        if own != manifest.key or (made.stage != SNAPSHOTS and manifest.content != manifest.key):
            return f"the key in {MANIFEST} does not follow from what it says"
        problems = check_answers(artifact) if made.stage == SNAPSHOTS else []
        return problems[0].removeprefix(f"{artifact.folder}: ") if problems else ""
    except DamagedArtifact as damage:
        return f"part {damage.part} {damage.problem}"


def mend(home: Home, work: Rebuilding, folder: Location) -> str:
    """Build a damaged artifact again, if a current plan has it and it costs CPU alone. Returns what was done."""
    for node, status, chain in work.plans.nodes.values():
        standing = str(status.artifact.folder) if status.artifact is not None else ""
        if node.asks and work.mend and str(folder) in (standing, status.damage.folder if status.damage else ""):
            return of_snapshot(chain, folder)
        if status.key is None or place_of(home, node, status.key) != str(folder) or not costs_cpu_alone(node):
            continue
        try:
            return work.replace(node, chain)
        except (*ERRORS, CodeChanged, OSError) as error:
            return f"not repaired: {error}"
    return "left as it is: no current plan has it, so nothing reads it"


def of_snapshot(chain: Chain, folder: Location) -> str:
    """Remove a damaged snapshot, as a run that meets it does, if it holds no last copy of an answer. Returns what was
    done. It is not built here, as its stage may ask."""
    try:
        gone = chain.session.repair(DamagedArtifact(str(folder), "", ""))
    except StorageError as error:
        return f"left as it is: {error}"
    return "removed: the next run makes it anew from the store" if gone else "left as it is: it is whole now"


def state_of(home: Home) -> dict[str, Any]:
    """Read the state; an empty one where there is none that can be read."""
    try:
        told = json.loads(Location(f"{home.url}/{FOLDER}").read(STATE))
    except (OSError, ValueError, StorageError, RecursionError):
        return {}
    if not isinstance(told, dict) or not isinstance(told.get("rounds", 0), int):
        return {}
    return told


def note_state(home: Home, state: dict[str, Any]) -> None:
    """Write the state, if the home can be written."""
    if home.writable:
        Location(f"{home.url}/{FOLDER}").replace(STATE, json.dumps(state, sort_keys=True).encode("utf-8"))
