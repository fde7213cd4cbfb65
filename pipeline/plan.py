"""Nodes and plans, both plain data.

A node is one stage of one task (and model), with its inputs. A plan is all nodes that are built together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from scrollwork.pipeline.session import CallSettings, Locations
from scrollwork.storage.digest import sha256_of

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class RawQuery:
    """How a task's raw files are found (raw_files.py). It is in no key; the digest of the files that are found is.

    dataset: name of the data set. patterns: by role of the files, tried in this order. values: for the {placeholders}
    in patterns, by name. hint: text that is added to the error message if no file is found.
    """

    dataset: str
    patterns: Mapping[str, tuple[str, ...]]
    values: Mapping[str, Any]
    hint: str = ""


@dataclass(frozen=True)
class Node:
    """One stage of one task. It is plain data, so that it can be sent to a worker.

    stage: name of the stage. labels: (name, value) of suite, task, model, ..., in the order in which `slot` shows them.
    params: parameters of the stage, by name.
    body: name of the module that builds the node. modules: names of modules that the body imports by name. What all of
    these import is found in their source (source_digest.py).
    inputs: (input name, nodes that it reads, in order). raw: the raw files that it reads, None for a stage without.
    strict: the first malformed record is an error. This is not in the key: it decides whether an artifact is written,
    not what is in it.
    exact: it shows the usage of answers. So its key depends on the tokens, attempts and cost of answers, not only on
    their texts.
    asks: it asks a model and writes a snapshot of the answers. Its content key is known only when there is a snapshot.
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
        """Names of the modules that run the node. Its source digest covers them and what they import."""
        return (self.body, *self.modules)

    @cached_property
    def slot(self) -> str:
        """The values of the labels as a folder name, such as "zeroscrolls.qmsum.test"."""
        return ".".join(folder_name(value) for _, value in self.labels)

    @cached_property
    def name(self) -> str:
        """The node's name, such as "sample/zeroscrolls.qmsum.test". It is unique in a plan."""
        return f"{self.stage}/{self.slot}"

    @property
    def title(self) -> str:
        """The name that a user sees, such as "score qmsum, naive". A split is part of it only if it is not "test"."""
        shown = [value for name, value in self.labels if name in ("task", "model", "shard", "run")]
        split = self.label("split")
        return " ".join([self.stage, ", ".join([*shown, *([split] if split not in ("", "test") else [])])]).strip()

    def label(self, name: str) -> str:
        """Return the value of one label; "" if there is none of that name."""
        return dict(self.labels).get(name, "")

    def shares(self, of: int) -> tuple[Node, ...]:
        """Return `of` nodes that do a share of this one's work each, by the parameter `share`: [number from 0, of]."""
        return tuple(
            replace(
                self,
                labels=(*self.labels, ("shard", f"{number + 1}-of-{of}")),
                params={**self.params, "share": [number, of]},
            )
            for number in range(of)
        )

    @property
    def needs(self) -> list[Node]:
        """All nodes that the node reads, in the order of its inputs."""
        return [node for _, nodes in self.inputs for node in nodes]

    def input(self, name: str) -> Node:
        """Return the only node of an input.

        Raises KeyError if there is no such input, ValueError if it does not have exactly one node.
        """
        (only,) = dict(self.inputs)[name]
        return only

    def each(self, name: str) -> tuple[Node, ...]:
        """Return all nodes of an input, in order; () if there is no such input."""
        return dict(self.inputs).get(name, ())


LABEL_CHARS = 40  # of a label in a folder name; with their digests, five such labels fit in the 255 bytes of a name


def folder_name(label: str) -> str:
    """Return a label as part of a folder name.

    If characters must be replaced or the label is too long, a short digest of the label is added to keep it unique.
    """
    name = re.sub(r"[^A-Za-z0-9_=-]+", "-", label)
    if name == label and len(name) <= LABEL_CHARS:
        return name
    return f"{name[:LABEL_CHARS]}~{sha256_of(label)[:8]}"


@dataclass(frozen=True)
class Plan:
    """Nodes to build, inputs before the nodes that need them, and where to build them.

    It is plain data. The result of `to_json` can be sent to another machine.
    """

    nodes: tuple[Node, ...]
    locations: Locations

    @classmethod
    def of(cls, targets: Iterable[Node], locations: Locations) -> Plan:
        """Return a plan of the targets and of every node that they need."""
        return cls(tuple(topological(targets)), locations)

    @cached_property
    def by_name(self) -> Mapping[str, Node]:
        """The nodes of the plan by their names."""
        return {node.name: node for node in self.nodes}

    def only(self, nodes: Iterable[Node]) -> Plan:
        """Return a plan of these nodes alone, in the order given, at the same locations.

        Inputs that are not among them are not in the plan.
        """
        return Plan(tuple(nodes), self.locations)

    def to_json(self) -> dict[str, Any]:
        """Return the plan as plain values for JSON: {"nodes", "wanted", "calling"}.

        nodes: the plan's nodes and all that they need, each with the names of its inputs. wanted: names of the plan's
        nodes. calling: see `Locations`. Paths and URLs are left out: the receiver has its own, and the URL of the store
        may contain a password.
        """
        plain = [_plain(node) for node in topological(self.nodes)]
        calling = self.locations.calling
        wanted = [node.name for node in self.nodes]
        return {"nodes": plain, "wanted": wanted, "calling": asdict(calling) if calling is not None else None}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any], locations: Locations) -> Plan:
        """Return the plan from the result of `to_json`. It is built at these locations; their `calling` is not used."""
        made: dict[str, Node] = {}
        for one in plain["nodes"]:
            inputs = tuple((name, tuple(made[needed] for needed in names)) for name, names in one["inputs"])
            node = _node(one, inputs)
            made[node.name] = node
        calling = CallSettings(**plain["calling"]) if plain["calling"] is not None else None
        where = Locations(locations.home, locations.raw, locations.store, calling)
        return cls(tuple(made[name] for name in plain["wanted"]), where)


def _plain(node: Node) -> dict[str, Any]:
    """Return a node as plain values for JSON, its inputs by name."""
    fields = {name: getattr(node, name) for name in Node.__dataclass_fields__}
    raw = asdict(node.raw) if node.raw is not None else None
    return {**fields, "inputs": [(name, [one.name for one in nodes]) for name, nodes in node.inputs], "raw": raw}


def _node(plain: Mapping[str, Any], inputs: tuple[tuple[str, tuple[Node, ...]], ...]) -> Node:
    """Return the node that `_plain` was made from, with tuples where JSON has lists. inputs: its inputs, as nodes."""
    raw = plain["raw"]
    if raw is not None:
        raw = RawQuery(**{**raw, "patterns": {role: tuple(some) for role, some in raw["patterns"].items()}})
    labels = tuple((name, value) for name, value in plain["labels"])
    return Node(**{**plain, "labels": labels, "modules": tuple(plain["modules"]), "inputs": inputs, "raw": raw})


def topological(targets: Iterable[Node]) -> list[Node]:
    """List the targets and every node that they need, each once, inputs before the nodes that need them."""
    found: dict[str, Node] = {}

    def visit(node: Node) -> None:
        if node.name not in found:
            for needed in node.needs:
                visit(needed)
            found[node.name] = node

    for target in targets:
        visit(target)
    return list(found.values())
