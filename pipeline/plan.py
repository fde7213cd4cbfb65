"""Nodes, one stage of one task (and model, metric) each, with what it needs; and a plan, which is all of a call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from scrollwork.pipeline.session import Calling, Locations
from scrollwork.storage.digest import sha256_of

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class RawQuery:
    """Where a task's raw files are looked for: ordered patterns by role, values of {placeholders}.

    hint: what a person should know where there are none; no part of any key.
    """

    dataset: str
    patterns: Mapping[str, tuple[str, ...]]
    values: Mapping[str, Any]
    hint: str = ""


@dataclass(frozen=True)
class Node:
    """One stage of one task. `labels`: what it is of, in the order of its name. Plain data: it can go to a worker.

    inputs: by name the nodes that it reads, one or several in order. body: the module that builds it; modules: those
    that the body loads by name. What any of them imports is found in their text (pipeline/source_digest.py).
    strict: the first malformed record is an error. It decides whether there is an artifact, not what is in it: no part
    of the key. exact: it shows what answers took, so tokens, tries and cost are in its key, not their texts alone.
    asks: it leaves a snapshot of answers: its content is them, known only when they are there.
    """

    stage: str
    labels: Labels
    params: Mapping[str, Any]
    body: str
    modules: tuple[str, ...] = ()
    inputs: tuple[tuple[str, tuple[Node, ...]], ...] = ()
    raw: RawQuery | None = None
    strict: bool = False
    exact: bool = False
    asks: bool = False

    @property
    def code(self) -> tuple[str, ...]:
        """The modules where its source digest begins."""
        return (self.body, *self.modules)

    @cached_property
    def slot(self) -> str:
        """What its artifacts are of, as a folder name."""
        return ".".join(folder_name(value) for _, value in self.labels)

    @cached_property
    def name(self) -> str:
        """Unique in a plan."""
        return f"{self.stage}/{self.slot}"

    @property
    def title(self) -> str:
        """For people: "score qmsum, naive"."""
        shown = [value for name, value in self.labels if name in ("task", "model", "shard", "run")]
        split = self.label("split")
        return " ".join([self.stage, ", ".join([*shown, *([split] if split not in ("", "test") else [])])]).strip()

    def label(self, name: str) -> str:
        """One label, "" where there is none of that name."""
        return dict(self.labels).get(name, "")

    @property
    def needs(self) -> list[Node]:
        """All nodes that it reads, in the order of its inputs."""
        return [node for _, nodes in self.inputs for node in nodes]

    def input(self, name: str) -> Node:
        """The node of an input that has one. Raises KeyError, ValueError for several."""
        (only,) = dict(self.inputs)[name]
        return only

    def each(self, name: str) -> tuple[Node, ...]:
        """All nodes of an input, in order; none where there is no such input."""
        return dict(self.inputs).get(name, ())


LABEL_CHARS = 40  # of a label in a folder name: five of them stay under the 255 that a file system allows


def folder_name(label: str) -> str:
    """A label as part of a folder name; what would be lost or too long is told apart by a short digest."""
    name = re.sub(r"[^A-Za-z0-9_=-]+", "-", label)
    if name == label and len(name) <= LABEL_CHARS:
        return name
    return f"{name[:LABEL_CHARS]}~{sha256_of(label)[:8]}"


@dataclass(frozen=True)
class Plan:
    """All nodes of a call, inputs first, each once, and where they are built. Plain data: `to_json` can be sent to
    another machine and read there.
    """

    nodes: tuple[Node, ...]
    locations: Locations

    @classmethod
    def of(cls, targets: Iterable[Node], locations: Locations) -> Plan:
        """Every node that the targets need."""
        return cls(tuple(topological(targets)), locations)

    @cached_property
    def by_name(self) -> Mapping[str, Node]:
        """The nodes by their names."""
        return {node.name: node for node in self.nodes}

    def only(self, nodes: Iterable[Node]) -> Plan:
        """Some of the nodes, in the order given; what else they need stands already."""
        return Plan(tuple(nodes), self.locations)

    def to_json(self) -> dict[str, Any]:
        """{nodes: every node that is there or needed, with the names of its inputs; wanted: names; calling}. Not the
        places: these belong to whom it is sent to, and the store's may hold a password."""
        plain = [_plain(node) for node in topological(self.nodes)]
        calling = self.locations.calling
        wanted = [node.name for node in self.nodes]
        return {"nodes": plain, "wanted": wanted, "calling": asdict(calling) if calling is not None else None}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any], locations: Locations) -> Plan:
        """What `to_json` gave, to be built at these locations."""
        made: dict[str, Node] = {}
        for one in plain["nodes"]:
            inputs = tuple((name, tuple(made[needed] for needed in names)) for name, names in one["inputs"])
            node = _node(one, inputs)
            made[node.name] = node
        calling = Calling(**plain["calling"]) if plain["calling"] is not None else None
        where = Locations(locations.home, locations.raw, locations.store, calling)
        return cls(tuple(made[name] for name in plain["wanted"]), where)


def _plain(node: Node) -> dict[str, Any]:
    """A node as JSON knows it."""
    fields = {name: getattr(node, name) for name in Node.__dataclass_fields__}
    raw = asdict(node.raw) if node.raw is not None else None
    return {**fields, "inputs": [(name, [one.name for one in nodes]) for name, nodes in node.inputs], "raw": raw}


def _node(plain: Mapping[str, Any], inputs: tuple[tuple[str, tuple[Node, ...]], ...]) -> Node:
    """The node that `_plain` was made of, with lists as tuples where it has tuples."""
    raw = plain["raw"]
    if raw is not None:
        raw = RawQuery(**{**raw, "patterns": {role: tuple(some) for role, some in raw["patterns"].items()}})
    labels = tuple((name, value) for name, value in plain["labels"])
    return Node(**{**plain, "labels": labels, "modules": tuple(plain["modules"]), "inputs": inputs, "raw": raw})


def topological(targets: Iterable[Node]) -> list[Node]:
    """Every node that the targets need, inputs first, each once."""
    found: dict[str, Node] = {}

    def visit(node: Node) -> None:
        if node.name not in found:
            for needed in node.needs:
                visit(needed)
            found[node.name] = node

    for target in targets:
        visit(target)
    return list(found.values())
