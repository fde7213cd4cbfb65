"""Stage fit: examples with known outputs -> the values that a heuristic rule learns from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.records.document import Document
from scrollwork.records.example import Example
from scrollwork.records.fitted import Fitted
from scrollwork.records.prompt import Part as PromptPart
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter

if TYPE_CHECKING:
    from scrollwork.models.baselines.fitted_rules import Case
    from scrollwork.preprocessing.prompts.template import Template
    from scrollwork.suites.parts import Part

STAGE = "fit"


@dataclass(frozen=True)
class Parameters:
    """kind: which rule is fitted (models/baselines/fitted_rules.py). template: the task's prompt template."""

    kind: str
    template: Mapping[str, Any]


def other_splits(part: Part) -> str:
    """Return the hint that tells the user how to fit on another split."""
    model = part.model.partition(":")[0]
    return f"{model}:fit_split=SPLIT takes another (there are: {', '.join(part.task.splits)})"


def check(part: Part, split: str) -> None:
    """Raise UsageError if the model cannot learn from this split."""
    model, task, other = part.model, part.task.name, other_splits(part)
    if split not in part.task.splits:
        raise UsageError(f"model {model!r}, task {task}: there is no split {split!r} to learn from; {other}")
    if split == part.split:
        raise UsageError(f"model {model!r} would be fitted on split {split}, which it is to be scored on; {other}")


def declare(part: Part, curated: Node, kind: str, split: str) -> Node:
    """Declare the fit of a model's rule. curated: the split that it learns from, which has passed `check`."""
    assert curated.raw is not None
    hint = f"model {part.model!r} takes its rule for {part.task.name} from split {split}; {other_splits(part)}"
    labels = (*replace(part, split=split, model="").base, ("rule", kind))
    raw = replace(curated.raw, hint=hint)
    shares = tuple((name, tuple(replace(one, raw=raw) for one in nodes)) for name, nodes in curated.inputs)
    learned = replace(curated, raw=raw, inputs=shares)
    parameters = non_default(Parameters(kind, dict(part.task.template)))
    return Node(STAGE, labels, parameters, __name__, (), (("curated", (learned,)),))


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write table `fitted`: a row for each value that the rule learned."""
    from scrollwork.models.baselines.fitted_rules import fit
    from scrollwork.preprocessing.prompts.template import Template

    parameters = Parameters(**node.params)
    rows = fit(parameters.kind, cases(inputs["curated"], Template(**parameters.template)))
    table = writer.table("fitted", Fitted)
    for row in rows:
        table.add(row)
    writer.facts = {
        "kind": parameters.kind,
        "split": node.label("split"),
        "cases": rows[0].cases,
        "value": rows[0].choice if rows[0].number is None else rows[0].number,
    }


def cases(curated: Artifact, template: Template) -> Iterator[Case]:
    """Yield each example with the lengths of its documents and of its prompt in characters; no prompt is rendered."""
    from scrollwork.models.baselines.fitted_rules import Case
    from scrollwork.preprocessing.prompts.template import assemble

    lengths = {document.document_id: len(document.text) for document in curated.rows("documents", Document)}
    for example in curated.rows("examples", Example):
        parts = assemble(example, template, lengths.__getitem__)
        yield Case(
            example, sum(count_chars(part) for part in parts if part.role == "document"), sum(map(count_chars, parts))
        )


def count_chars(part: PromptPart) -> int:
    """Count the characters of a part of a prompt."""
    if part.text is not None:
        return len(part.text)
    assert part.start is not None
    assert part.end is not None
    return part.end - part.start
