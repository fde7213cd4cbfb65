"""Node: one stage of one task (and model), with its inputs. Plan: all nodes of one call. Both are plain data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from scrollwork.pipeline.session import CallSettings, Locations
from scrollwork.storage.digest import sha256_of

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class RawQuery:
    """How a task's raw files are found: patterns by role, tried in order, and values of their {placeholders}.

    hint: added to the error message where no file is found; not in any key.
    """

    dataset: str
    patterns: Mapping[str, tuple[str, ...]]
    values: Mapping[str, Any]
    hint: str = ""


@dataclass(frozen=True)
class Node:
    """One stage of one task. Plain data, so it can be sent to a worker.

    labels: (suite, task, model, ...) by name, in the order in which `slot` shows them.
    body: the module that builds it. modules: those that the body loads by name. What any of them imports is found in
    their source (pipeline/source_digest.py).
    inputs: the nodes that it reads, by input name, one or several in order.
    strict: the first malformed record is an error. Not in the key: it decides whether an artifact is written, not what
    is in it.
    exact: it shows the usage of answers, so their tokens, attempts and cost are in its key, not their texts alone.
    asks: it asks a model and writes a snapshot of answers, whose content key is known only then.
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
        """The labels as a folder name, such as "zeroscrolls.qmsum.test"."""
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
        """The value of one label, "" where there is none of that name."""
        return dict(self.labels).get(name, "")

    @property
    def needs(self) -> list[Node]:
        """All nodes that it reads, in the order of its inputs."""
        return [node for _, nodes in self.inputs for node in nodes]

    def input(self, name: str) -> Node:
        """The only node of an input. Raises KeyError where there is no such input, ValueError for several."""
        (only,) = dict(self.inputs)[name]
        return only

    def each(self, name: str) -> tuple[Node, ...]:
        """All nodes of an input, in order; none where there is no such input."""
        return dict(self.inputs).get(name, ())


LABEL_CHARS = 40  # of a label in a folder name, so that five labels stay under a file system's 255


def folder_name(label: str) -> str:
    """A label as part of a folder name. A short digest keeps it unique if characters are replaced or it is too long."""
    name = re.sub(r"[^A-Za-z0-9_=-]+", "-", label)
    if name == label and len(name) <= LABEL_CHARS:
        return name
    return f"{name[:LABEL_CHARS]}~{sha256_of(label)[:8]}"


@dataclass(frozen=True)
class Plan:
    """All nodes of a call, inputs before the nodes that need them, and where they are built. Plain data: `to_json` can
    be sent to another machine.
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
        """A plan of some of the nodes, in the order given; their other inputs must exist already."""
        return Plan(tuple(nodes), self.locations)

    def to_json(self) -> dict[str, Any]:
        """{nodes: each with the names of its inputs, inputs of the plan's nodes included; wanted: names of the plan's
        nodes; calling}. Locations are left out: the receiver has its own, and the store's URL may hold a password."""
        plain = [_plain(node) for node in topological(self.nodes)]
        calling = self.locations.calling
        wanted = [node.name for node in self.nodes]
        return {"nodes": plain, "wanted": wanted, "calling": asdict(calling) if calling is not None else None}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any], locations: Locations) -> Plan:
        """Read the result of `to_json`; the plan is built at these locations."""
        made: dict[str, Node] = {}
        for one in plain["nodes"]:
            inputs = tuple((name, tuple(made[needed] for needed in names)) for name, names in one["inputs"])
            node = _node(one, inputs)
            made[node.name] = node
        calling = CallSettings(**plain["calling"]) if plain["calling"] is not None else None
        where = Locations(locations.home, locations.raw, locations.store, calling)
        return cls(tuple(made[name] for name in plain["wanted"]), where)


def _plain(node: Node) -> dict[str, Any]:
    """A node as plain values for JSON."""
    fields = {name: getattr(node, name) for name in Node.__dataclass_fields__}
    raw = asdict(node.raw) if node.raw is not None else None
    return {**fields, "inputs": [(name, [one.name for one in nodes]) for name, nodes in node.inputs], "raw": raw}


def _node(plain: Mapping[str, Any], inputs: tuple[tuple[str, tuple[Node, ...]], ...]) -> Node:
    """The node that `_plain` was made from, with tuples where JSON has lists."""
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
