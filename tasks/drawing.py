"""One run of a suite that draws: its examples and its manifest, from what curation left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from preprocessing.drawn import How, Pool, draw_of, drawn
from preprocessing.draws import Draw
from preprocessing.manifests import manifest
from preprocessing.seam_prompts import wording
from records.example import Example
from records.instruction import Instruction
from storage.artifacts import Artifact
from tasks.blocks import blocks_of
from tasks.graph import Node


def drawing(
    node: Node, inputs: Mapping[str, Artifact], added: Callable[[Iterable[Example]], Iterable[Example]]
) -> bytes:
    """Draw one run; its manifest. added: takes its examples, as the run shows them, and passes them on.

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
    blocks = blocks_of(params["block"], curated)
    return manifest(*names, one, how, shown, blocks, curated.texts(), whose(node, curated))


def whose(node: Node, curated: Artifact) -> str:
    """Whose paraphrases a run draws from."""
    return wording(node.params["task"], curated.rows("instructions", Instruction))


def official(node: Node, inputs: Mapping[str, Artifact], how: How) -> tuple[Draw, dict[str, tuple[int, ...]]]:
    """A run of the official stream, which goes through all data sets before this one."""
    from preprocessing.official_draws import official_draws, official_run, sizes_of  # in the key of these nodes only

    run, task, split = node.params["run"], node.params["task"], node.label("split")
    known = {}
    for name, splits in node.params["official"]:
        every = [inputs[f"{name}-{one}"] for one in splits]
        examples = {one: list(artifact.rows("examples", Example)) for one, artifact in zip(splits, every, strict=True)}
        pool = pool_of(every[-1])
        known[name] = sizes_of(name, examples, pool.instructions, pool.demonstrations)
    stream = official_draws(how.seed, list(known.values()), runs=node.params["runs"], shots=how.shots, most=how.most)
    found = next(one for name, number, one in stream if (name, number) == (task, run))
    names = [row["example_id"] for row in inputs["curated"].columns("examples", ["example_id"])]
    demonstrations = [shot.example_id for shot in pool_of(inputs["curated"]).demonstrations]
    return official_run(found, known[task], split, run, names, demonstrations)


def sizes(curated: Artifact) -> dict[str, int]:
    """How many documents each example has, by its name."""
    rows = curated.columns("examples", ["example_id", "document_ids"])
    return {row["example_id"]: len(row["document_ids"]) for row in rows}


def pool_of(curated: Artifact) -> Pool:
    """What runs of a task choose from beside its instances."""
    instructions = sum(1 for _ in curated.columns("instructions", ["number"]))
    return Pool(instructions, list(curated.rows("demonstrations", Example)))
