"""Stage sample: curated examples -> the benchmark's."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    """Choose, and count what was chosen. Of a run, its manifest too."""
    examples = writer.table("examples", Example)
    documents: set[str] = set()
    counts: Counter[str] = Counter()

    def added(chosen: Iterable[Example]) -> Iterator[Example]:
        for example in chosen:
            examples.add(example)
            documents.update(example.document_ids)
            counts["examples"] += 1
            counts["references"] += len(example.references)
            yield example

    facts: dict[str, Any] = {}
    if "run" in node.params:
        whose = wording(node.params["task"], inputs["curated"].rows("instructions", Instruction))
        told = drawing(node, inputs, added, whose)
        writer.file(MANIFEST, told)
        facts = {"manifest": hashlib.sha256(told).hexdigest(), "wording": whose}
    else:
        for _ in added(choose(Curated(inputs["curated"]), **node.params)):
            pass
    writer.facts = {
        "examples": counts["examples"],
        "documents": len(documents),
        "references": counts["references"],
        **facts,
    }


def drawing(
    node: Node,
    inputs: Mapping[str, Artifact],
    added: Callable[[Iterable[Example]], Iterable[Example]],
    whose: str,
) -> bytes:
    """Draw one run; its manifest. added: takes its examples, as the run shows them, and passes them on. whose: wording
    the paraphrases are.

    Raises ValueError for too few demonstrations or ids.
    """
    curated, params = inputs["curated"], node.params
    names = params["suite"], params["task"]
    lists: dict[str, Any] = {name: tuple(value) for name, value in params["how"].items() if isinstance(value, list)}
    how = How(**{**params["how"], **lists})
    ids: Mapping[str, Sequence[int]] | None = None
    if "official" in params:
        one, ids = official(node, inputs, how)
    else:
        one = draw_of(sizes(curated), names[1], pool_of(curated), how, params["run"])
    chosen = curated.rows("examples", Example, ("example_id", one.instances))
    shown = added(drawn(chosen, *names, one, how, ids))
    return manifest(*names, one, how, shown, blocks_of(params["block"], curated), curated.texts(), whose)


def sizes(curated: Artifact) -> dict[str, int]:
    """How many documents each example has, by its name."""
    rows = curated.columns("examples", ["example_id", "document_ids"])
    return {row["example_id"]: len(row["document_ids"]) for row in rows}


def official(node: Node, inputs: Mapping[str, Artifact], how: How) -> tuple[Draw, dict[str, tuple[int, ...]]]:
    """A run of the official stream, which goes through all data sets before this one."""
    run, task, split = node.params["run"], node.params["task"], node.label("split")
    known = {}
    for name, splits in node.params["official"]:
        every = [inputs[f"{name}-{one}"] for one in splits]
        examples = dict(zip(splits, (list(Curated(artifact)) for artifact in every), strict=True))
        pool = pool_of(every[-1])
        known[name] = sizes_of(name, examples, pool.instructions, pool.demonstrations)
    stream = official_draws(how.seed, list(known.values()), runs=node.params["runs"], shots=how.shots, most=how.most)
    found = next(one for name, number, one in stream if (name, number) == (task, run))
    names = [example.example_id for example in Curated(inputs["curated"])]
    demonstrations = [shot.example_id for shot in pool_of(inputs["curated"]).demonstrations]
    return official_run(found, known[task], split, run, names, demonstrations)


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
