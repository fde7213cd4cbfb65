"""The commands that keep a home in order, and their options: data, for main.py."""

from __future__ import annotations

from scrollwork.cli.declared import Argument, Command

YES: Argument = (["--yes"], {"action": "store_true", "help": "do it; without, it only says what would go"})

KEEPING: dict[str, Command] = {
    "gc": (
        "what no kept run, night or current plan refers to: says what would go, and why; removes it with --yes. "
        "Answers in the store always stay",
        "scrollwork gc --keep-days 90 --yes",
        "scrollwork.cli.keeping.garbage",
        [
            (
                ["--keep-days"],
                {"type": int, "default": 30, "metavar": "N", "help": "keep all of the last N days (30); from 0"},
            ),
            YES,
        ],
    ),
    "retention": (
        "what Prefect may forget: flow runs of this home that are old, with their logs and artifacts, but not those of "
        "kept nights; old logs of server and worker. Says what would go; removes it with --yes",
        "scrollwork retention --keep-days 90 --yes",
        "scrollwork.cli.keeping.retention",
        [
            (
                ["--keep-days"],
                {"type": int, "default": 30, "metavar": "N", "help": "keep runs that ended in the last N days (30)"},
            ),
            YES,
        ],
    ),
}
