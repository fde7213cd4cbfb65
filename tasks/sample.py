"""Stage sample: curated examples -> the benchmark's."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from preprocessing.drawn import How, Pool, draw_of, drawn
from preprocessing.draws import Draw
from preprocessing.manifests import manifest
from preprocessing.official_draws import official_draws, official_run, sizes_of
from preprocessing.sampling import choose
from preprocessing.seam_prompts import wording
from records.example import Example
from records.instruction import Instruction
from storage.artifacts import Artifact, ArtifactWriter
from tasks.blocks import blocks_of
from tasks.graph import Node
from tasks.workshop import Workshop

MANIFEST = "draw.json"  # of a run


def fill(node: Node, inputs: Mapping[str, Artifact], shop: Workshop, writer: ArtifactWriter) -> None:
    """Choose, and count what was chosen."""
    if "run" in node.params:
        fill_run(node, inputs, writer)
    else:
        writer.facts = add(choose(Curated(inputs["curated"]), **node.params), writer)


def add(chosen: Iterable[Example], writer: ArtifactWriter) -> dict[str, int]:
    """Write them down; how many they are."""
    examples = writer.table("examples", Example)
    documents: set[str] = set()
    count = references = 0
    for example in chosen:
        examples.add(example)
        documents.update(example.document_ids)
        count += 1
        references += len(example.references)
    return {"examples": count, "documents": len(documents), "references": references}


def fill_run(node: Node, inputs: Mapping[str, Artifact], writer: ArtifactWriter) -> None:
    """One run of a suite that draws, and its manifest. Raises ValueError for too few demonstrations or ids."""
    curated, params = inputs["curated"], node.params
    names = params["suite"], params["task"]
    lists: dict[str, Any] = {name: tuple(value) for name, value in params["how"].items() if isinstance(value, list)}
    how = How(**{**params["how"], **lists})
    ids: Mapping[str, Sequence[int]] | None = None
    if "official" in params:
        one, ids = official(node, inputs, how)
    else:
        one = draw_of(Curated(curated), names[1], pool_of(curated), how, params["run"])

    def examples() -> Iterator[Example]:
        return drawn(Curated(curated), *names, one, how, ids)

    facts = add(examples(), writer)
    whose = wording(names[1], curated.rows("instructions", Instruction))
    told = manifest(*names, one, how, examples(), blocks_of(params["block"], curated), curated.texts(), whose)
    writer.file(MANIFEST, told)
    writer.facts = {**facts, "manifest": hashlib.sha256(told).hexdigest(), "wording": whose}


def official(node: Node, inputs: Mapping[str, Artifact], how: How) -> tuple[Draw, dict[str, tuple[int, ...]]]:
    """A run of the official stream, which goes through all data sets before this one."""
    run, task, split = node.params["run"], node.params["task"], node.label("split")
    sizes = {}
    for name, splits in node.params["official"]:
        every = [inputs[f"{name}-{one}"] for one in splits]
        examples = dict(zip(splits, (list(Curated(artifact)) for artifact in every), strict=True))
        pool = pool_of(every[-1])
        sizes[name] = sizes_of(name, examples, pool.instructions, pool.demonstrations)
    stream = official_draws(how.seed, list(sizes.values()), runs=node.params["runs"], shots=how.shots, most=how.most)
    found = next(one for name, number, one in stream if (name, number) == (task, run))
    names = [example.example_id for example in Curated(inputs["curated"])]
    shown = [shot.example_id for shot in pool_of(inputs["curated"]).demonstrations]
    return official_run(found, sizes[task], split, run, names, shown)


def pool_of(curated: Artifact) -> Pool:
    """What runs of a task choose from beside its instances."""
    instructions = sum(1 for _ in curated.columns("instructions", ["number"]))
    return Pool(instructions, list(curated.rows("demonstrations", Example)))


@dataclass(frozen=True)
class Curated:
    """The examples of a curated artifact, read anew each time they are gone through: they are never all in memory."""

    artifact: Artifact

    def __iter__(self) -> Iterator[Example]:
        return self.artifact.rows("examples", Example)
