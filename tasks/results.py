"""What a chain left, read from its artifacts: rows for people and for --json."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from records.drop import Drop
from records.score import Aggregate
from reporting.leaderboard import Board, board
from storage.artifacts import Artifact
from tasks.chain import Chain, locations_of
from tasks.graph import Node, Planner
from tasks.request import Request
from tasks.stages import PLAIN, curate_node, prompt_node, sample_node
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
        for task, split, nodes in self._tasks():
            curated, sampled, prompted = (self.artifact(node) for node in nodes)
            if curated is None or sampled is None or prompted is None:
                continue
            prompts = prompted.facts["prompts"]
            rows.append(
                {
                    "task": task,
                    "split": split,
                    "examples": sampled.facts["examples"],
                    "documents": sampled.facts["documents"],
                    "references": sampled.facts["references"],
                    "mean_words": prompted.facts["words"] / prompts if prompts else None,
                    "dropped": curated.facts["dropped"],
                    "errors": curated.facts["errors"],
                    "artifact": str(sampled.folder),
                }
            )
        return rows

    def bad_records(self) -> list[Drop]:
        """Every malformed record behind this request, also of stages that were reused."""
        found: list[Drop] = []
        for _, _, (curate, _, _) in self._tasks():
            artifact = self.artifact(curate)
            if artifact is not None and artifact.facts["errors"]:
                found += [drop for drop in artifact.rows("drops", Drop) if drop.error]
        return found

    def board(self, report: Node) -> Board | None:
        """The leaderboard that a report node made."""
        artifact = self.artifact(report)
        return None if artifact is None else board(list(artifact.rows("aggregates", Aggregate)), report.params)

    def _tasks(self) -> Iterator[tuple[str, str, tuple[Node, Node, Node]]]:
        for task in self.request.chosen_tasks():
            for split in self.request.chosen_splits():
                yield (
                    task.name,
                    split,
                    (
                        curate_node(self.request, task, split),
                        sample_node(self.request, task, split),
                        prompt_node(self.request, task, split, PLAIN),
                    ),
                )


def report_of(chain: Chain) -> Node | None:
    """The report node of a chain, None where there is none or it failed."""
    last = chain.finished[-1]
    return last.node if last.node.stage == "report" and not last.error else None
