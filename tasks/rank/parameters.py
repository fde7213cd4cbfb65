"""Parameters of the ranking of a suite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scrollwork.suites.suite_files import Suite, load_published
from scrollwork.tasks.rank.run import Parameters

COREFERENCE = "coreference"  # scored over all instances of a run together, so single instances have no score


def rank_parameters(
    suite: Suite, failures: Sequence[Mapping[str, str]], upper_bounds: Sequence[str], lengths: str
) -> Parameters:
    """Return the parameters of a suite's ranking. lengths: the tokenizer that counts the tokens of prompts."""
    return Parameters(
        suite=suite.name,
        tasks={name: task.metric for name, task in suite.tasks.items()},
        upper_bounds=list(upper_bounds),
        failures=[dict(one) for one in failures],
        published=dict(load_published(suite.published)),
        proxies={name: task.proxy for name, task in suite.tasks.items() if task.proxy},
        by_instance=[name for name, task in suite.tasks.items() if task.kind != COREFERENCE],
        lengths=lengths,
    )
