"""What a command loads of the rooms, beside what the keys of its stages know."""

from __future__ import annotations

# `nodes` is what is put between: the stages whose keys are meant.
SCRIPT = """
import json, sys
from scrollwork.flows.chains import Chain
named = {name for name in sys.modules if name.startswith("scrollwork.records.")}  # classes of rows that declarations name
from scrollwork.cli.main import main
status = main(sys.argv[1:])
from scrollwork.pipeline.plan import topological
from scrollwork.suites.request import Request
from scrollwork.pipeline.source_digest import sources
pure = ("analysis", "models", "preprocessing", "records", "reporting", "scoring")  # tests/pipeline/test_key_borders.py: all
loaded = {name for name in sys.modules if name.startswith("scrollwork.") and name.split(".")[1] in pure}
{nodes}
known = set().union(*(sources(node.code) for node in topological(nodes)))
print(json.dumps([status, sorted(loaded - known - named), sorted(loaded & known)]), file=sys.stderr)
"""

# They turn names and tables into settings, and say how hosted models are called: nothing of this is in an answer.
IN_NO_ANSWER = {
    *("scrollwork.models.registry", "scrollwork.models.hosted.tables", "scrollwork.models.local.local_tables"),
    *("scrollwork.models.table_keys", "scrollwork.models.baselines.baseline_tables"),
    *("scrollwork.models.local.checkpoint", "scrollwork.scoring.names", "scrollwork.models.engine.breaker"),
    *(
        "scrollwork.models.engine.budget",
        "scrollwork.models.engine.limits_ledger",
        "scrollwork.models.engine.retry",
        "scrollwork.models.engine.sent_prompts",
        "scrollwork.models.engine.stopping",
        "scrollwork.reporting.boards.terminal",  # the board of a terminal, which no page shows
    ),
}


def script(nodes: str) -> str:
    """A program that runs the command of its arguments and ends standard error with [status, modules that no key
    knows, modules that one knows]. nodes: statements that set `nodes`."""
    return SCRIPT.replace("{nodes}", nodes.strip())
