"""Stage sample of a suite that observes: a row for each window of the chosen problems' contexts (Dolce)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Workshop
from scrollwork.preprocessing.sampling import choose
from scrollwork.preprocessing.windows.observations import Observed, observed
from scrollwork.preprocessing.windows.prompt_template import window_in
from scrollwork.preprocessing.windows.spans import strategy as read
from scrollwork.records.example import Example
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.tasks.sample.run import STAGE, Curated, kept, policy

if TYPE_CHECKING:
    from scrollwork.suites.parts import Part


def declare(part: Part, curated: Node) -> Node:
    """Choose problems and the windows of their contexts. Parameters: those of any sample; observed: units, lengths,
    full and more of `windows` in the suite file; strategy: which windows (preprocessing/windows/spans.py)."""
    request = part.request
    observed = {"observed": dict(part.task.observed(request.units)), "strategy": request.strategy or "all"}
    return Node(STAGE, part.base, policy(part) | observed, __name__, (), (("curated", (curated,)),))


def run(node: Node, inputs: InputArtifacts, shop: Workshop, writer: ArtifactWriter) -> None:
    """Write table `examples`: a row for each window that the strategy takes of the chosen problems' contexts."""
    curated, params = inputs["curated"], dict(node.params)
    how, strategy = params.pop("observed"), read(params.pop("strategy"))
    own = Observed(how["units"], tuple(how["lengths"]), how["full"], how.get("more"))
    chosen = choose(Curated(curated), **params)
    texts = curated.texts()
    windows = observed(chosen, texts, own, strategy, seed=params["seed"], suite=params["suite"])
    writer.facts = {"largest_units": 0}
    writer.facts |= kept(measured(windows, writer.facts), writer)


def measured(rows: Iterable[Example], facts: dict[str, int]) -> Iterator[Example]:
    """The same rows; how many units the largest context has goes into facts as they pass."""
    problem = ""
    for row in rows:
        if row.example_id != problem and (window := window_in(row)) is not None:
            problem = row.example_id
            facts["largest_units"] = max(facts["largest_units"], window["units"])
        yield row
