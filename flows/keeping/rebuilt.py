"""Build an artifact again, beside the one that stands, and compare bytes: nothing but CPU is spent.

Only stages that ask nobody are built: no model, no model that judges, no tokenizer that may be downloaded. Only what
today's code makes of today's raw files is compared, so changed code is no damage.
"""

from __future__ import annotations

import importlib
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from scrollwork.flows.chains import Chain
from scrollwork.flows.keeping.current import CurrentPlans
from scrollwork.flows.keeping.garbage import TRASH
from scrollwork.pipeline.build import ensure
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node, topological
from scrollwork.pipeline.planner import Planner
from scrollwork.pipeline.source_digest import load_settled
from scrollwork.storage.artifacts.artifact import Artifact, Artifacts
from scrollwork.storage.artifacts.manifest import NAME as MANIFEST
from scrollwork.storage.errors import DamagedArtifact
from scrollwork.storage.home import Home
from scrollwork.suites.tokenizers import WORDS
from scrollwork.tasks.tokens import STAGE as TOKENS

JUDGED = "scrollwork.tasks.score.judged"
REPAIRED = "repaired: built again"
UNREADABLE = "not compared, as an input is damaged"


@dataclass(frozen=True)
class Damage:
    """place: folder of the artifact. why: what is wrong. how: what was done about it, or why nothing was."""

    place: str
    why: str
    how: str

    @property
    def repaired(self) -> bool:
        """Return whether what stands now is whole."""
        return self.how.startswith(REPAIRED)

    def __str__(self) -> str:
        return f"{self.place}: {self.why}; {self.how}"


def costs_cpu_alone(node: Node) -> bool:
    """Return whether a stage asks nobody."""
    return not node.asks and node.body != JUDGED and (node.stage != TOKENS or node.label("tokenizer") == WORDS)


def place_of(home: Home, node: Node, key: str) -> str:
    """Return the folder of a node's artifact."""
    return str(home.artifacts.folder(node.stage, node.slot, key))


@dataclass
class Rebuilding:
    """Builds artifacts of the current plans again. mend: whether what is found damaged is replaced.

    same: names and keys of nodes that were examined. damage: what was found.
    """

    home: Home
    plans: CurrentPlans
    mend: bool
    same: set[str] = field(default_factory=set)
    damage: list[Damage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def nodes(self) -> dict[str, tuple[Node, Chain]]:
        """Return what may be built again, by key; in the order of keys, which is no order of stages."""
        found = {
            status.key: (node, chain)
            for node, status, chain in self.plans.nodes.values()
            if status.key is not None and status.artifact is not None and costs_cpu_alone(node)
        }
        return dict(sorted(found.items()))

    def examine(self, node: Node, chain: Chain) -> None:
        """Build a node again and compare. If it differs, first examine what it was made from; then replace it, and
        examine what was made from it."""
        own = named(node, chain)
        if own in self.same or not costs_cpu_alone(node):
            return
        self.same.add(own)
        if self.differs(node, chain) == "":
            return
        for needed in topological(node.needs):
            self.examine(needed, chain)
        why = self.differs(node, chain)
        if not why:
            return  # it was made right; what it was made from was not, and is now
        folder = place_of(self.home, node, Planner(chain.session).status(node).key or "")
        if why.startswith(UNREADABLE):
            self.notes.append(f"{folder}: {why}")
            return
        if self.differs(node, chain) != why:
            self.notes.append(f"{folder}: built twice, it is not the same twice, so nothing is known of what stands")
            return
        self.damage.append(Damage(folder, why, self.replace(node, chain)))
        for user, status, of_chain in list(self.plans.nodes.values()):
            if status.artifact is not None and any(one.name == node.name for one in user.needs):
                self.same.discard(named(user, of_chain))  # it was compared with what the damage gives
                self.examine(user, of_chain)

    def differs(self, node: Node, chain: Chain) -> str:
        """Return how an artifact differs from one that is built now, in words that are equal for equal differences; ""
        if it does not, or if it cannot be built here."""
        status = Planner(chain.session).status(node)
        if status.artifact is None or status.key is None:
            return ""
        try:
            standing = chain.session.artifacts.at(status.artifact.folder)
            if standing is None:
                return ""
            standing.check(rehash=True)
        except DamagedArtifact as damage:
            return f"part {damage.part} {damage.problem}"
        with scratch(self.home) as folder:
            try:
                made = build_beside(node, chain, folder)
            except DamagedArtifact as damage:
                return f"{UNREADABLE}: {damage}"
            if made is None or made.manifest.to_bytes() == standing.manifest.to_bytes():
                return ""
            was = {part.table: part.sha256[:12] for part in standing.manifest.files}
            now = {part.table: part.sha256[:12] for part in made.manifest.files}
        tables = sorted(name for name in {*was, *now} if was.get(name) != now.get(name))
        told = ", ".join(f"{name} ({was.get(name, 'none')}, built now {now.get(name, 'none')})" for name in tables)
        return f"its files agree with its manifest, and are not what its inputs give: {told or MANIFEST}"

    def replace(self, node: Node, chain: Chain) -> str:
        """Build a damaged artifact anew in its place. Returns what was done."""
        if not self.mend:
            return "not repaired, as the home cannot be written"
        if lacking := unready(node, chain):
            return f"not repaired: {lacking}"
        session = chain.session
        planner = Planner(session)
        ingredients = planner.ingredients(node)
        assert ingredients is not None
        with session.artifacts.building(node.stage, node.slot, ingredients.key()):
            session.artifacts.clear(session.artifacts.folder(node.stage, node.slot, ingredients.key()))
        ensure(node, session, again=False)
        return REPAIRED


def named(node: Node, chain: Chain) -> str:
    """Return the name of a node with its key now."""
    return f"{node.name} {Planner(chain.session).status(node).key}"


def unready(node: Node, chain: Chain) -> str:
    """Return which input keeps a node from being built by CPU alone, "" for none."""
    planner = Planner(chain.session)
    for needed in topological(node.needs):
        if costs_cpu_alone(needed):
            continue
        status = planner.status(needed)
        try:
            if status.artifact is None:
                return f"{needed.title} is not here, and would ask"
            status.artifact.check(rehash=True)
        except DamagedArtifact as damage:
            return f"{needed.title} is damaged, too ({damage.problem})"
    return ""


def build_beside(node: Node, chain: Chain, folder: Path) -> Artifact | None:
    """Build a node into a folder of its own; None if an input is not here. Raises the errors of the stage."""
    planner = Planner(chain.session)
    ingredients = planner.ingredients(node)
    found: dict[str, Artifact] = {}
    for needed in node.needs:
        artifact = planner.status(needed).artifact
        if artifact is None:
            return None
        found[needed.name] = artifact
    if ingredients is None:
        return None
    load_settled(node.code)
    writing = Artifacts(str(folder)).write(ingredients)
    inputs = InputArtifacts.of(node, lambda needed: found[needed.name])
    with writing as writer:
        importlib.import_module(node.body).run(node, inputs, chain.session, writer)
    return writing.artifact


@contextmanager
def scratch(home: Home) -> Iterator[Path]:
    """Yield a folder that is removed afterwards; `gc` removes what a kill leaves of it."""
    if "://" in home.url or not home.writable:
        with tempfile.TemporaryDirectory(prefix="scrollwork-") as name:
            yield Path(name)
        return
    folder = Path(home.url) / TRASH / uuid4().hex
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
