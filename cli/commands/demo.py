"""scrollwork demo: the bundled sample, two baselines that need no key, their leaderboard and page, in a minute."""

from __future__ import annotations

import argparse

from scrollwork.cli.commands import run as run_command
from scrollwork.cli.terminal.common import say

SUITE, MODELS = "zeroscrolls", ["naive", "bm25"]


def run(arguments: argparse.Namespace) -> int:
    """Run ZeroSCROLLS on the sample, without Prefect, and print the leaderboard. Returns the exit status."""
    given = {"suite": SUITE, "models": MODELS, "sample": True, "engine": "inline"}
    status = run_command.run(argparse.Namespace(**{**vars(arguments), **given}))
    if not arguments.json:
        models = " ".join(f"--model {model}" for model in MODELS)
        say(f"this was: scrollwork run {SUITE} --sample {models} --engine inline")
        say("with your own files: --raw DIR in place of --sample; with a hosted model: --model gpt-6-luna")
    return status
