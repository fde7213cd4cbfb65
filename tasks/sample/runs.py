"""Stage sample for runs (SEAM): draw the examples of one run and write its manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.preprocessing.runs.drawn_examples import DrawSettings, Pool, draw_of, examples_of_run
from scrollwork.preprocessing.runs.draws import Draw
from scrollwork.preprocessing.runs.manifests import manifest
from scrollwork.preprocessing.runs.official_draws import (
    ORDER,
    Split,
    in_marked_order,
    official_draws,
    official_run,
    sizes_of,
)
from scrollwork.preprocessing.runs.raw_prompts import wording
from scrollwork.records.example import Example
from scrollwork.records.instruction import Instruction
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter
from scrollwork.tasks.sample.blocks import blocks_of
from scrollwork.tasks.sample.run import STAGE, Keeper

if TYPE_CHECKING:
    from scrollwork.suites.parts import Part
    from scrollwork.suites.suite_files import TaskConfig

MANIFEST = "draw.json"
OF_STREAM = ("mentions", "entities", "empty_documents")  # metadata that the official draws depend on


@dataclass(frozen=True)
class Parameters:
    """run: its number. how: fields of `DrawSettings`. block: how a prompt shows examples.

    The rest is for the official random stream only. official: the [task, splits] that it draws for, up to this task.
    runs: how many. limit: how many examples of a run are kept, None for all; the stream does not depend on it.
    """

    suite: str
    task: str
    run: int
    how: Mapping[str, Any]
    block: Mapping[str, Any]
    official: Sequence[Sequence[Any]] = ()
    runs: int = 0
    limit: int | None = None


@dataclass(frozen=True)
class Drawing:
    """How a request draws. runs: how many. shots: number of demonstrations. most: instances of a run, 0 for all.

    drawn: the same before --limit cuts it. vary: what differs between runs, () for everything. official: all runs draw
    from the paper's one random stream.
    """

    runs: int
    shots: int
    most: int
    drawn: int
    vary: Sequence[str] = ()
    official: bool = False


def declare(
    part: Part, curated: Node, drawing: Drawing, official: Sequence[tuple[TaskConfig, Sequence[Node]]] = ()
) -> Node:
    """Declare the drawing of one run; its key does not depend on other runs. official: the tasks of the official random
    stream up to this one, each with its curated splits; empty for none."""
    request, task = part.request, part.task
    how: dict[str, Any] = {
        "seed": part.seed,
        "shots": drawing.shots,
        "most": drawing.most,
        "ids": list(task.mention_ids),
        **({"vary": list(drawing.vary)} if drawing.vary else {}),
    }
    block = request.config.template(task, request.prompts)["block"]
    parameters = Parameters(request.suite, task.name, part.shard, how, block)
    inputs: list[tuple[str, tuple[Node, ...]]] = [("curated", (curated,))]
    if official:
        inputs.append(("official", tuple(node for _, nodes in official for node in nodes)))
        parameters = replace(
            parameters,
            how={**how, "most": drawing.drawn},  # --limit cuts a run after it was drawn, so the stream stays the same
            official=[[other.name, list(other.splits)] for other, _ in official],
            runs=drawing.runs,
            limit=request.limit,
        )
    return Node(STAGE, part.sampled, non_default(parameters), __name__, (), tuple(inputs))


def official_order(part: Part) -> list[TaskConfig]:
    """List the requested tasks for which the official random stream draws, in its order, up to this one."""
    chosen = {task.name: task for task in part.request.chosen_tasks()}
    names = [name for name in ORDER if name in chosen]
    return [chosen[name] for name in names[: names.index(part.task.name) + 1]]


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Draw one run and write its examples (table `examples`) and its manifest.

    Raises UsageError for too few demonstrations or ids, and if the official random stream cannot be followed.
    """
    keeper = Keeper(writer)
    try:
        told = draw_run(node, inputs, keeper)
    except ValueError as error:
        if type(error) is ValueError:
            raise UsageError(f"{node.params['task']}: {error}") from None
        raise
    writer.file(MANIFEST, told)
    wording_of = paraphrase_source(node, inputs["curated"])
    writer.facts = {**keeper.counts(), "manifest": hashlib.sha256(told).hexdigest(), "wording": wording_of}


def draw_run(node: Node, inputs: InputArtifacts, keeper: Keeper) -> bytes:
    """Draw one run, write its examples and return its manifest. Raises UsageError, ValueError."""
    curated, params = inputs["curated"], node.params
    names = params["suite"], params["task"]
    lists: dict[str, Any] = {name: tuple(value) for name, value in params["how"].items() if isinstance(value, list)}
    how = DrawSettings(**{**params["how"], **lists})
    ids: Mapping[str, Sequence[int]] | None = None
    verbatim = bool(params["block"].get("verbatim"))
    if "official" in params:
        one, ids = official_draw(node, inputs, how)
    else:
        one = draw_of(sizes(curated, empty=verbatim), names[1], pool_of(curated), how, params["run"])
    chosen: Iterable[Example] = curated.rows("examples", Example, ("example_id", one.instances))
    if ids is not None and names[1] == "ecb_plus":
        swapped = bool(params["block"].get("swapped"))
        chosen = (
            in_marked_order(example, ids[example.example_id], curated.texts(), swapped=swapped) for example in chosen
        )
    shown = keeper.keep(examples_of_run(chosen, *names, one, how, ids, counted=verbatim or ids is not None))
    blocks = blocks_of(params["block"], curated)
    stream = {"datasets": params["official"], "runs": params["runs"]} if "official" in params else None
    if stream and params.get("limit"):
        stream["limit"] = params["limit"]
    return manifest(*names, one, how, shown, blocks, curated.texts(), paraphrase_source(node, curated), stream)


def paraphrase_source(node: Node, curated: Artifact) -> str:
    """Return whose paraphrased instructions a run draws from (`wording` of preprocessing/runs/raw_prompts.py)."""
    return wording(node.params["task"], curated.rows("instructions", Instruction))


def official_draw(node: Node, inputs: InputArtifacts, how: DrawSettings) -> tuple[Draw, dict[str, tuple[int, ...]]]:
    """Draw a run from the official random stream, after all draws for the data sets before this one. Raises UsageError.

    Return the draw, and the ids of mentions by example id.
    """
    run, task, split = node.params["run"], node.params["task"], node.label("split")
    known = {}
    curated = iter(inputs.each("official"))
    for name, splits in node.params["official"]:
        every = {one: next(curated) for one in splits}
        pool = pool_of(every[splits[-1]])
        sized = {one: split_of(artifact) for one, artifact in every.items()}
        try:
            known[name] = sizes_of(name, sized, pool.instructions, len(pool.demonstrations))
        except ValueError as error:
            raise UsageError(f"--draws official: {name}: {error}") from None
        if how.shots > len(pool.demonstrations):
            raise UsageError(f"{name}: {len(pool.demonstrations)} demonstrations are too few for {how.shots} shots")
    stream = official_draws(how.seed, list(known.values()), runs=node.params["runs"], shots=how.shots, most=how.most)
    found = next(one for name, number, one in stream if (name, number) == (task, run))
    names = [row["example_id"] for row in inputs["curated"].columns("examples", ["example_id"])]
    demonstrations = [shot.example_id for shot in pool_of(inputs["curated"]).demonstrations]
    one, ids = official_run(found, known[task], split, run, names, demonstrations)
    return replace(one, instances=one.instances[: node.params.get("limit")]), ids


def split_of(curated: Artifact) -> Split:
    """Collect what the official random stream depends on in a split."""
    rows = list(curated.columns("examples", ["document_ids", "metadata"]))
    facts = [
        {name: value for name, value in json.loads(row["metadata"] or "{}").items() if name in OF_STREAM}
        for row in rows
    ]
    return Split([len(row["document_ids"]) for row in rows], facts, curated.facts["dropped"])


def sizes(curated: Artifact, *, empty: bool = False) -> dict[str, int]:
    """Count the documents of each example, by example id. empty: count documents without text too."""
    rows = curated.columns("examples", ["example_id", "document_ids", "metadata"])

    def without(facts: str) -> int:
        return len(json.loads(facts).get("empty_places", ())) if empty and '"empty_places"' in facts else 0

    return {row["example_id"]: len(row["document_ids"]) + without(row["metadata"]) for row in rows}


def pool_of(curated: Artifact) -> Pool:
    """Collect the demonstrations and paraphrases that runs of a task draw from."""
    instructions = sum(1 for _ in curated.columns("instructions", ["number"]))
    return Pool(instructions, list(curated.rows("demonstrations", Example)))
