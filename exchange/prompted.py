"""The prompts of a request with their examples, for exports. Missing prompts are built; no model is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scrollwork.pipeline.engines.inline import run_inline
from scrollwork.pipeline.errors import StageFailed, UsageError
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.planner import Planner
from scrollwork.preprocessing.prompts.from_examples import Profile
from scrollwork.records.example import Example
from scrollwork.records.prompt import Prompt, render
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.suites.parts import parts

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain


@dataclass(frozen=True)
class Prompted:
    """The prompts of a task, split, arm and run (0 in suites without runs), with the artifacts they were made from."""

    node: Node
    prompts: Artifact
    sample: Artifact
    curated: Artifact

    @property
    def run(self) -> int:
        """Number of the run, from 0."""
        return int(dict(self.node.labels).get("run", 0))

    def rows(self) -> Iterator[tuple[Prompt, str, Example]]:
        """Yield (prompt, its text, the example as the run shows it), in order, with one text in memory."""
        text_of = self.curated.texts()
        examples = self.sample.rows("examples", Example)
        for prompt in self.prompts.rows("prompts", Prompt):
            named = prompt.example_id, prompt.draw
            example = next(one for one in examples if (one.example_id, one.draw) == named)  # in the same order
            yield prompt, render(prompt.parts, text_of), example


def prompts_of_chain(chain: Chain) -> tuple[list[Prompted], list[str]]:
    """(prompts by task and run, failed stages in words) for the request's model, or without a model.

    Without a model prompts are plain and not truncated. Raises UsageError for several models and for limits without a
    model, StageFailed if nothing could be built.
    """
    nodes = prompt_nodes(chain)
    ended = run_inline(chain.plan(nodes))
    failed = dict.fromkeys(f"{one.node.title}: {one.error}" for one in ended if one.how == "failed")
    planner, found = Planner(chain.session), []
    for node in nodes:
        made = [planner.status(one).artifact for one in (node, node.input("sample"), node.input("curated"))]
        prompts, sample, curated = made
        if prompts is not None and sample is not None and curated is not None:
            found.append(Prompted(node, prompts, sample, curated))
    if not found:
        raise StageFailed("; ".join(failed) or "no prompt could be built")
    return found, list(failed)


def prompt_nodes(chain: Chain) -> list[Node]:
    """The prompt nodes of the request, in order, each once. Raises UsageError."""
    request = chain.request
    if len(request.models) > 1:
        raise UsageError(f"prompts are of one model, or of none; name one of {', '.join(request.models)}")
    if request.models:
        return unique_nodes(needed for node in chain.scored for needed in node.each("prompts"))
    limits = {"--max-input-tokens": request.max_input_tokens, "--context": request.context}
    for option, value in (*limits.items(), ("--truncation", request.truncation)):
        if value:
            raise UsageError(f"{option}: without --model prompts are whole; name a model to cut them")
    profile = Profile(prompts=request.prompts or "")
    made = (replace(part, profile=profile, arm=arm) for arm in request.chosen_arms() for part in parts(request))
    return unique_nodes(
        node for part in made if part.arm == "full" or part.task.asks for node in part.each_shard(chain.prompt)
    )


def unique_nodes(nodes: Iterable[Node]) -> list[Node]:
    """The nodes without repetitions of a name."""
    return list({node.name: node for node in nodes}.values())
