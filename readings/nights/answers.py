"""What a finished run leaves for a night: the score of each input, and facts of each model's answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrollwork.analysis.nights.night import LONGEST_NAME
from scrollwork.pipeline.errors import StageFailed
from scrollwork.pipeline.plan import Node
from scrollwork.readings.results import Results
from scrollwork.records.judgement import Judgement
from scrollwork.records.nights.night import NightTask
from scrollwork.records.prompt import FULL
from scrollwork.records.score import Aggregate
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.digest import sha256_of

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain

PLAIN_SPLIT = "test"
TEXT = 16  # hex digits of the digest of an answer's text
NANO = 1e9
ANSWER = ("example_id", "draw", "model", "text", "reported_model", "fingerprint", "cost_nano_usd")


@dataclass
class ModelNight:
    """A model's part of a night before it is compared. scores: columns by task (readings/nights/register.py).

    contents: content keys of its scores. versions, fingerprints: as reported. cost_nano_usd: of the answers; unknown:
    answers without a known price.
    """

    tasks: dict[str, NightTask] = field(default_factory=dict)
    scores: dict[str, dict[str, list[Any]]] = field(default_factory=dict)
    contents: list[str] = field(default_factory=list)
    versions: set[str] = field(default_factory=set)
    fingerprints: set[str] = field(default_factory=set)
    cost_nano_usd: int = 0
    unknown: int = 0

    @property
    def cost_usd(self) -> float:
        """Return what its answers cost."""
        return self.cost_nano_usd / NANO


def models_of_run(chain: Chain) -> dict[str, ModelNight]:
    """Read the scores of a finished run, by the name that a model has in the request.

    The seeds of a family of baselines are averaged. Raises StageFailed if an artifact is missing.
    """
    results, found = Results(chain), dict[str, ModelNight]()
    for aggregated in chain.scored:
        one = found.setdefault(aggregated.label("model"), ModelNight())
        add_task(results, aggregated, chain.judge(aggregated), one, aggregated.label("model") in asked(chain))
    return found


def asked(chain: Chain) -> Mapping[str, Any]:
    """Return the tables of the models that are called."""
    return chain.resolved.calling.tables


def add_task(results: Results, aggregated: Node, judged: Node, one: ModelNight, called: bool) -> None:
    """Add a task to a model's night. called: whether its answers cost something. Raises StageFailed."""
    *_, row = standing(results, aggregated).rows("aggregates", Aggregate)
    name = task_name(row.task, row.split, row.arm)
    counts = row.coverage.expected, row.coverage.answered
    one.tasks[name] = NightTask(name, row.metric, row.value, row.low, row.high, *counts, clusters=row.clusters)
    answers = [standing(results, node) for node in aggregated.each("answers")]
    scores = [standing(results, node) for node in aggregated.each("scores")]
    one.contents += [artifact.content for artifact in scores]
    texts: dict[tuple[str, int], dict[str, str]] = defaultdict(dict)
    for example, draw, member, text, version, fingerprint, cost in of_each(answers, "responses", ANSWER):
        texts[example, draw][member] = text
        one.versions |= {version} - {""} if called else set()
        one.fingerprints |= {fingerprint} if fingerprint else set()
        one.cost_nano_usd += cost or 0
        one.unknown += called and cost is None
    values: dict[tuple[str, int], dict[str, float]] = defaultdict(dict)
    for example, draw, member, value in of_each(scores, "scores", ("example_id", "draw", "model", "value")):
        values[example, draw][member] = value
    inputs: dict[tuple[str, int], list[Judgement]] = defaultdict(list)
    for judgement in standing(results, judged).rows("judgements", Judgement):
        inputs[judgement.example_id, judgement.draw].append(judgement)
    columns: dict[str, list[Any]] = {"items": [], "documents": [], "scores": [], "answers": []}
    for (example, draw), members in sorted(inputs.items()):
        own = [values[example, draw].get(member.model) for member in members]
        known = [value for value in own if value is not None]
        said = sorted(texts[example, draw].items())
        columns["items"].append(item_name(example, draw))
        columns["documents"].append(members[0].cluster)
        columns["scores"].append(sum(known) / len(known) if len(known) == len(own) else None)
        columns["answers"].append(sha256_of(said)[:TEXT] if len(said) == len(own) else None)
    if columns["items"]:
        one.scores[name] = columns


def standing(results: Results, node: Node) -> Artifact:
    """Return the artifact of a node. Raises StageFailed if there is none."""
    artifact = results.artifact(node)
    if artifact is None:
        raise StageFailed(f"{node.title}: not built, so this night cannot be read; the same command goes on")
    return artifact


def of_each(artifacts: Sequence[Artifact], table: str, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield the columns of a table of several artifacts."""
    for artifact in artifacts:
        yield from artifact.tuples(table, names)


def task_name(task: str, split: str, arm: str) -> str:
    """Return what a task is called on a night."""
    named = [task, *([split] if split != PLAIN_SPLIT else []), *([arm] if arm != FULL else [])]
    return ", ".join(named)


def item_name(example: str, draw: int) -> str:
    """Return the id of an input for the gate, which takes one printable line: of another id, its digest."""
    name = f"{example}#{draw}" if draw else example
    return name if name.isprintable() and 0 < len(name) <= LONGEST_NAME else sha256_of(name)
