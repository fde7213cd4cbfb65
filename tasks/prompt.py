"""Stage prompt: examples -> prompts of one profile."""

from __future__ import annotations

from collections.abc import Mapping

from preprocessing.prompting import Template
from preprocessing.prompts import Profile, prompts
from records.example import Example
from records.prompt import Prompt
from storage.artifacts import Artifact, ArtifactWriter
from tasks.graph import Node
from tasks.workshop import Workshop


def fill(node: Node, inputs: Mapping[str, Artifact], shop: Workshop, writer: ArtifactWriter) -> None:
    """Render every prompt once, for its digest and length; keep its parts."""
    params = node.params
    table = writer.table("prompts", Prompt)
    count = words = truncated = 0
    for prompt in prompts(
        inputs["sample"].rows("examples", Example),
        Template(**params["template"]),
        Profile(**params["profile"]),
        inputs["curated"].texts(),
        arm=params["arm"],
        max_new_tokens=params["max_new_tokens"],
        chat_sentence=params["chat_sentence"],
        shard=params.get("shard", (0, 1)),
    ):
        table.add(prompt)
        count += 1
        words += prompt.words
        truncated += prompt.truncated
    writer.facts = {"prompts": count, "words": words, "truncated": truncated}
