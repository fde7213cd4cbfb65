"""Compute the key and state of each node: can its artifact be reused, or is it missing, stale or partial?

No stage is run for this. Keys up to the stage `generate` are known before anything runs. Keys of later stages depend on
the answers, so they are known only when `generate` has run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from scrollwork.pipeline.plan import Node, RawQuery
from scrollwork.pipeline.raw_files import FoundFiles, found_for
from scrollwork.pipeline.session import Session
from scrollwork.pipeline.source_digest import exists, libraries, sources
from scrollwork.preprocessing.raw.errors import MissingFile, RawError
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.artifacts.manifest import RAW, Ingredients
from scrollwork.storage.errors import DamagedArtifact, StorageError
from scrollwork.storage.location import AT_ONCE

STATES = ("reused", "missing", "stale", "partial")


@dataclass(frozen=True)
class Status:
    """The state of a node.

    state: one of STATES. "reused": the artifact is up to date. "missing": it was never built, or its key is not known.
    "stale": the one that was last built for this slot has other ingredients or was removed, or an existing one is
    damaged. "partial": it is a snapshot that lacks answers which can be asked for again.
    why: the reason for the state, in words; "" if "reused".
    key: None if an input's content key is not known yet, or if there is a problem.
    content: the content key. None whenever `key` is. For a node that asks a model, also None if there is no snapshot
    that can be read.
    artifact: the existing one, also if a part of it is damaged; None if there is none or its manifest is damaged.
    problem: the error that keeps the node, or an input of it, from being built at all.
    damage: what is wrong with the existing artifact, which must be removed before the node is built.
    """

    state: str
    why: str = ""
    key: str | None = None
    content: str | None = None
    artifact: Artifact | None = None
    problem: Exception | None = None
    damage: DamagedArtifact | None = None


class Planner:
    """Computes the states of nodes in a home, each only once.

    known: states that the caller has just found, by node name. They are not computed again.
    """

    def __init__(self, session: Session, known: Mapping[str, Status] | None = None) -> None:
        self._session = session
        self._known: dict[str, Status] = dict(known or {})

    def status(self, node: Node) -> Status:
        """Return the node's state. Errors of raw files and damaged artifacts are in the result, not raised."""
        if node.name not in self._known:
            self._known[node.name] = self._status(node)
        return self._known[node.name]

    def look_at(self, nodes: Sequence[Node]) -> None:
        """Compute the states of nodes and of their inputs; of a remote home, for several nodes at once.

        nodes: in an order in which no node comes before its inputs.
        """
        if self._session.artifacts.root.local is not None:
            return  # one by one is faster
        for node in nodes:
            if node.raw is not None:
                with suppress(RawError):
                    self._found(node.raw)  # in this thread: files are listed and hashed once
        depths: dict[str, int] = {}
        levels: dict[int, list[Node]] = {}
        for node in nodes:
            depths[node.name] = max((depths.get(one.name, -1) for one in node.needs), default=-1) + 1
            levels.setdefault(depths[node.name], []).append(node)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for depth in sorted(levels):
                list(pool.map(self.status, levels[depth]))

    def ingredients(self, node: Node) -> Ingredients | None:
        """Return everything that enters the node's key; None if an input's content key is not known yet.

        Raises RawError if raw files are missing or cannot be read.
        """
        inputs: dict[str, list[str]] = {}
        if node.raw is not None:
            inputs[RAW] = [self._found(node.raw).digest()]
        for name, nodes in node.inputs:
            inputs[name] = []
            for needed in nodes:
                status = self.status(needed)
                if status.content is None:
                    return None
                exact = node.exact and needed.asks and status.artifact is not None
                inputs[name].append(status.artifact.exact if exact and status.artifact else status.content)
        return Ingredients(
            node.stage,
            node.slot,
            sources(node.code),
            node.params,
            libraries(node.code),
            dict(sorted(inputs.items())),
        )

    def _found(self, raw: RawQuery) -> FoundFiles:
        try:
            return found_for(raw, self._session)
        except MissingFile as error:
            problem = f"{error.problem}; {raw.hint}" if raw.hint else error.problem
            raise MissingFile(error.file, error.record, error.field, problem, error.reason) from error

    def _status(self, node: Node) -> Status:
        for needed in node.needs:
            if (problem := self.status(needed).problem) is not None:
                return Status("missing", f"{needed.title} cannot be built: {problem}", problem=problem)
        try:
            ingredients = self.ingredients(node)
        except RawError as problem:
            return Status("missing", str(problem), problem=problem)
        if ingredients is None:
            return Status("missing", "its key is known when the answers are there")
        key = ingredients.key()
        generating = node.asks
        try:
            if generating:
                return self._generate_status(node, ingredients, key)
            return self._state(node, ingredients, key, self._session.artifacts.find(node.stage, node.slot, key), key)
        except DamagedArtifact as damage:
            content = None if generating else key
            return Status("stale", f"{damage.part} {damage.problem}", key, content, damage=damage)

    def _generate_status(self, node: Node, ingredients: Ingredients, key: str) -> Status:
        """Return the state of a node that asks a model, from the snapshot of answers that its pointer names."""
        pointer = self._session.pointer(node.stage, node.slot, key)
        if pointer is None:
            return self._state(node, ingredients, key, None, None)
        artifact = self._session.artifacts.find(node.stage, node.slot, pointer["artifact"])
        status = self._state(node, ingredients, key, artifact, artifact.content if artifact is not None else None)
        if status.state == "reused" and artifact is not None:
            calling = self._session.locations.calling
            again = "failed" if calling is not None and calling.retry_failed else "transient"
            unanswered = artifact.facts["missing"] + artifact.facts[again]
            if unanswered:
                why = f"{unanswered} of {artifact.facts['expected']} answers are missing"
                return Status("partial", why, key, status.content, artifact)
        return status

    def _state(
        self, node: Node, ingredients: Ingredients, key: str, artifact: Artifact | None, content: str | None
    ) -> Status:
        if artifact is None:
            why = self._difference(node, ingredients)
            pure = not node.asks
            return Status("stale" if why else "missing", why or "never built", key, key if pure else None)
        try:
            artifact.check(rehash=False)
        except DamagedArtifact as damage:
            return Status("stale", f"part {damage.part} {damage.problem}", key, content, artifact, damage=damage)
        return Status("reused", "", key, content, artifact)

    def _difference(self, node: Node, now: Ingredients) -> str:
        """Return why the artifact that was last built for this slot cannot be reused; "" if none was built."""
        try:
            versions = self._session.artifacts.versions(node.stage, node.slot)
        except StorageError as error:
            return str(error)
        if not versions:
            return ""
        return difference(versions[0].manifest.ingredients, now) or "an earlier build of it was removed"


def difference(then: Ingredients, now: Ingredients) -> str:
    """Return what changed in source, parameters, libraries and inputs, in words: at most four changes, "" if none."""
    changes = [
        *source_changed(then.source, now.source),
        *describe_changes("parameter", flattened(then.params), flattened(now.params), values=True),
        *describe_changes("library", then.libraries, now.libraries, values=True),
        *inputs_changed(then, now),
    ]
    return "; ".join(changes[:4]) + ("; ..." if len(changes) > 4 else "")


def source_changed(then: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    """Yield which modules changed, in words. If modules of the old key no longer exist, only that is said.

    then, now: digests by module name.
    """
    gone = sorted(module for module in then if not exists(module))
    if gone:
        more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
        yield f"modules were renamed or removed ({gone[0]}{more})"
    else:
        yield from describe_changes("source", then, now, values=False)


def describe_changes(kind: str, then: Mapping[str, Any], now: Mapping[str, Any], values: bool) -> Iterator[str]:
    """Yield the differences between two mappings, in words.

    kind: what their names are, such as "parameter". values: True to show the old and new values.
    """
    for name in sorted({*then, *now}):
        before, after = then.get(name), now.get(name)
        if before != after:
            if name not in then or name not in now:
                yield f"{kind} {name} {'added' if name in now else 'removed'}"
            else:
                yield f"{kind} {name} changed" + (f" from {_short(before)} to {_short(after)}" if values else "")


def inputs_changed(then: Ingredients, now: Ingredients) -> Iterator[str]:
    """Yield which inputs changed, in words; for an input of several artifacts, also how many of them changed."""
    gone = [name for name, keys in then.inputs.items() if name not in now.inputs and not isinstance(keys, str)]
    for name in sorted({*gone, *now.inputs}):
        before, after = then.each(name), now.each(name)
        if before != after and not (before and after):
            yield f"input {name} {'added' if after else 'removed'}"
        elif before != after:
            others = f" ({len(set(after).difference(before))} of {len(after)})" if len(after) > 1 else ""
            yield f"input {name} changed{others}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def flattened(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested mappings as one, with dotted names: {"a": {"b": 1}} as {"a.b": 1}. prefix: begins each name."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            found |= flattened(value, f"{prefix}{name}.")
        else:
            found[prefix + name] = value
    return found
