"""scrollwork plan: every stage with its state and the reason; runs nothing."""

from __future__ import annotations

import argparse
from collections import Counter

from scrollwork.cli.terminal.common import chain_of, print_json, say
from scrollwork.flows.epochs import with_epochs
from scrollwork.flows.execute import plan


def run(arguments: argparse.Namespace) -> int:
    """Print the plan."""
    chain = with_epochs(chain_of(arguments), opening=False)
    planned = plan(chain)
    rows = [
        {
            "stage": node.stage,
            "task": node.label("task") or None,
            "split": node.label("split") or None,
            "model": node.label("model") or None,
            "state": status.state,
            "why": status.why,
            "key": status.key,
        }
        for node, status in planned.statuses
    ]
    for line in chain.epochs.notes:
        say(line)
    if arguments.json:
        print_json(rows)
        return 0
    for node, status in planned.statuses:
        key = (status.key or "")[:12]
        why = f"because {status.why}" if status.state == "stale" else status.why
        print(f"{status.state:8} {node.title:45} {key:12}  {why}".rstrip())
    counts = Counter(status.state for _, status in planned.statuses)
    print(", ".join(f"{count} {state}" for state, count in counts.items()))
    return 0
