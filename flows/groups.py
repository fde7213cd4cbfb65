"""Commands that have commands of their own, `scrollwork seam rank`, and their options: data, for `cli.py`."""

from __future__ import annotations

from typing import Any

Command = tuple[str, str, str, list[tuple[list[str], dict[str, Any]]]]  # as in options.COMMANDS

GROUPS: dict[str, dict[str, Command]] = {
    "seam": {
        "rank": (
            "AR, ARSD, ranks and stochastic dominance from scores of runs",
            "scrollwork seam rank --scores scores.jsonl",
            "flows.commands.seam_rank",
            [
                (
                    ["--scores"],
                    {
                        "required": True,
                        "metavar": "FILE",
                        "help": "JSON Lines of {model, dataset, run, score} or {model, dataset, mean, std}, score or "
                        "mean null for NA; - for standard input",
                    },
                ),
                (
                    ["--detail"],
                    {
                        "action": "store_true",
                        "help": "also intervals by resampling runs, how often each model is best, how many runs the "
                        "ranking needs, lowest and highest run; with rows that name a source in `vary`, its variance",
                    },
                ),
            ],
        ),
    },
}
