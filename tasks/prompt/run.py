"""Stage prompt: examples -> prompts for a profile. For runs (SEAM): runs.py; for windows (Dolce): windows.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.preprocessing.prompts.from_examples import Profile, PromptMethod, Whole, prompts
from scrollwork.preprocessing.prompts.template import Template
from scrollwork.records.example import Example
from scrollwork.records.prompt import Prompt
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.suites.vocabularies import load
from scrollwork.tasks.tokens import counts

if TYPE_CHECKING:
    from scrollwork.suites.parts import Part

STAGE = "prompt"


@dataclass(frozen=True)
class Parameters:
    """template: the task's texts (preprocessing/prompts/template.py). profile: how prompts are made for a model.

    max_new_tokens: token limit of an answer. chat_sentence: added for chat models. shard: [number, of how many].
    """

    template: Mapping[str, Any]
    profile: Mapping[str, Any]
    arm: str
    max_new_tokens: int
    chat_sentence: str
    shard: Sequence[int] = (0, 1)


def declare(part: Part, curated: Node, sample: Node, tokens: Node | None, body: str = __name__) -> Node:
    """Declare the prompts of a profile and arm. tokens: token counts of the documents, None if the profile cuts none.
    body: the module that makes the prompts, chosen by the design."""
    suite, profile = part.request.config, part.profile
    parameters = Parameters(
        suite.template(part.task, profile.prompts),
        asdict(profile),
        part.arm,
        suite.new_tokens(part.task, profile.prompts),
        suite.chat_sentence,
    )
    if (shard := part.design.prompts(part)) is not None:
        parameters = replace(parameters, shard=shard)
    inputs = [("curated", (curated,)), ("sample", (sample,)), *([("tokens", (tokens,))] if tokens else [])]
    labels = replace(part, model="").sharded
    return Node(STAGE, labels, non_default(parameters), body, part.engine(profile.tokenizer), tuple(inputs))


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write table `prompts` from the task's template."""
    parameters = Parameters(**node.params)
    template, variant = Template(**parameters.template), parameters.profile["variant"]
    write(parameters, Whole(template, variant, parameters.arm, parameters.chat_sentence), inputs, session, writer)


def write(
    parameters: Parameters, way: PromptMethod, inputs: InputArtifacts, session: Session, writer: ArtifactWriter
) -> None:
    """Write table `prompts`. Each prompt is rendered once, for its digest and length; only its parts are stored."""
    table = writer.table("prompts", Prompt)
    profile = Profile(**parameters.profile)
    count = words = truncated = tokens = 0
    for prompt in prompts(
        inputs["sample"].rows("examples", Example),
        Template(**parameters.template),
        profile,
        inputs["curated"].texts(),
        arm=parameters.arm,
        max_new_tokens=parameters.max_new_tokens,
        chat_sentence=parameters.chat_sentence,
        tokenizer=load(profile.tokenizer, session.home) if profile.tokenizer else None,
        counted=counts(inputs["tokens"]) if "tokens" in inputs else {},
        shard=parameters.shard,
        way=way,
    ):
        table.add(prompt)
        count += 1
        words += prompt.words
        truncated += prompt.truncated
        tokens += prompt.tokens_prompt or 0
    writer.facts = {"prompts": count, "words": words, "truncated": truncated, **({"tokens": tokens} if tokens else {})}
