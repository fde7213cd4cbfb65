"""What a chain left, read from its artifacts: rows for people and for --json."""

from __future__ import annotations

from typing import Any

from records.drop import Drop
from records.score import Aggregate
from reporting.leaderboard import Board, board
from reporting.text import percent_off
from storage.artifacts import Artifact
from tasks.chain import Chain, locations_of
from tasks.graph import Node, Planner
from tasks.request import Request
from tasks.stages import Part, curate_node, parts, prompt_node, sample_node, statistics_node
from tasks.suites import paper_sizes
from tasks.workshop import Workshop


class Results:
    """Reads the artifacts of one request."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self._planner = Planner(Workshop(locations_of(request)))

    def artifact(self, node: Node) -> Artifact | None:
        """The artifact of a node, None where it does not stand."""
        status = self._planner.status(node)
        return status.artifact if status.state in ("reused", "partial") else None

    def built(self) -> list[dict[str, Any]]:
        """One row a task and split, as `build --json` prints it; tasks that failed are left out."""
        rows = []
        for part in parts(self.request):
            curated, sampled = self.artifact(curate_node(part)), self.artifact(sample_node(part))
            prompted = [self.artifact(node) for node in part.each_shard(prompt_node)]
            whole = [artifact for artifact in prompted if artifact is not None]
            if curated is None or sampled is None or len(whole) < len(prompted):
                continue
            prompts, words = (sum(artifact.facts[name] for artifact in whole) for name in ("prompts", "words"))
            rows.append(
                {
                    "task": part.task.name,
                    "split": part.split,
                    "examples": sampled.facts["examples"],
                    "documents": sampled.facts["documents"],
                    "references": sampled.facts["references"],
                    "mean_words": words / prompts if prompts else None,
                    **self.statistics(part),
                    "dropped": curated.facts["dropped"],
                    "errors": curated.facts["errors"],
                    "artifact": str(sampled.folder),
                }
            )
        return rows

    def statistics(self, part: Part) -> dict[str, Any]:
        """What was counted of a task and split, beside what the paper prints; differences in percent of the paper's.

        statistics: by measure (records/statistics.py), empty where that stage failed.
        """
        artifact = self.artifact(statistics_node(part))
        counted = artifact.facts["distributions"] if artifact is not None else {}
        paper = paper_sizes(self.request.suite, part.task, part.split)
        means = {name: counted.get(name, {}).get("mean") for name in ("words_in", "words_out")}
        return {
            "words_out": means["words_out"],
            "spread_median": counted.get("spread", {}).get("median"),
            "published": paper,
            "difference": {name: percent_off(mean, paper.get(name)) for name, mean in means.items()},
            "statistics": counted,
        }

    def bad_records(self) -> list[Drop]:
        """Every malformed record behind this request, also of stages that were reused."""
        found: list[Drop] = []
        for part in parts(self.request):
            artifact = self.artifact(curate_node(part))
            if artifact is not None and artifact.facts["errors"]:
                found += [drop for drop in artifact.rows("drops", Drop) if drop.error]
        return found

    def unanswered(self, report: Node) -> list[str]:
        """What is not answered, a line a task and model; answers that failed for good are named as such."""
        artifact = self.artifact(report)
        rows = list(artifact.rows("aggregates", Aggregate)) if artifact is not None else []
        return [
            f"{row.task}, {row.model}: {row.coverage.answered:,} of {row.coverage.expected:,} inputs are answered "
            f"({row.coverage.failed:,} failed, {row.coverage.missing:,} missing)"
            for row in rows
            if not row.coverage.complete and row.coverage.expected
        ]

    def board(self, report: Node) -> Board | None:
        """The leaderboard that a report node made."""
        artifact = self.artifact(report)
        return None if artifact is None else board(list(artifact.rows("aggregates", Aggregate)), report.params)


def report_of(chain: Chain) -> Node | None:
    """The report node of a chain, None where there is none or it failed."""
    last = chain.finished[-1]
    return last.node if last.node.stage == "report" and not last.error else None
