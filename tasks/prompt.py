"""Stage prompt: examples -> prompts of one profile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Workshop
from scrollwork.preprocessing.prompts.from_examples import Profile, prompts
from scrollwork.preprocessing.prompts.template import Template
from scrollwork.preprocessing.runs.block_prompts import Blocks
from scrollwork.records.example import Example
from scrollwork.records.prompt import Prompt
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter
from scrollwork.suites.vocabularies import load
from scrollwork.tasks.sample.blocks import blocks_of
from scrollwork.tasks.tokens import counts


def fill(node: Node, inputs: InputArtifacts, shop: Workshop, writer: ArtifactWriter) -> None:
    """Render every prompt once, for its digest and length; keep its parts."""
    params = node.params
    table = writer.table("prompts", Prompt)
    profile = Profile(**params["profile"])
    count = words = truncated = tokens = 0
    for prompt in prompts(
        inputs["sample"].rows("examples", Example),
        Template(**params["template"]),
        profile,
        inputs["curated"].texts(),
        arm=params["arm"],
        max_new_tokens=params["max_new_tokens"],
        chat_sentence=params["chat_sentence"],
        tokenizer=load(profile.tokenizer, shop.home) if profile.tokenizer else None,
        counted=counts(inputs["tokens"]) if "tokens" in inputs else {},
        shard=params.get("shard", (0, 1)),
        blocks=blocks(params["template"].get("block"), inputs["curated"]),
    ):
        table.add(prompt)
        count += 1
        words += prompt.words
        truncated += prompt.truncated
        tokens += prompt.tokens_prompt or 0
    writer.facts = {"prompts": count, "words": words, "truncated": truncated, **({"tokens": tokens} if tokens else {})}


def blocks(block: Mapping[str, Any] | None, curated: Artifact) -> Blocks | None:
    """What prompts with demonstrations are made of, None for others."""
    return blocks_of(block, curated) if block else None
