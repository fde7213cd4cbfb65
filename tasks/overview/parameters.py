"""Parameters of the overview page."""

from __future__ import annotations

from collections.abc import Sequence

from scrollwork.pipeline.design import design_of
from scrollwork.pipeline.plan import Node
from scrollwork.reporting.page.files import STATISTICS, digest
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import load_published, paper_means, paper_sizes
from scrollwork.tasks.overview.run import Parameters
from scrollwork.tasks.report.parameters import differing_settings


def overview_parameters(request: Request, statistics: Sequence[Node]) -> Parameters:
    """Collect the parameters of an overview of these statistics."""
    suite, tasks, design = request.config.published, request.config.tasks, design_of(request.config)
    shown_tasks = [
        {
            "name": node.label("task"),
            "split": node.label("split"),
            "paper": paper_sizes(suite, tasks[node.label("task")], node.label("split")),
            "means": paper_means(suite, node.label("task")),
            **design.overview(request.suite, node.label("task")),
        }
        for node in statistics
    ]
    published = load_published(suite)
    return Parameters(
        request.config.title,
        shown_tasks,
        {node.label("task"): sorted(tasks[node.label("task")].splits) for node in statistics},
        {name: published.get(name, "") for name in ("title", "short", "url")},
        differing_settings(request),
        digest(*STATISTICS),
    )
