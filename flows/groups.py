"""Commands that have commands of their own, `scrollwork seam rank`, and their options: data, for `cli.py`."""

from __future__ import annotations

from typing import Any

from flows.options import BUILD_OPTIONS, RUN_OPTIONS

Command = tuple[str, str, str, list[tuple[list[str], dict[str, Any]]]]  # as in options.COMMANDS


def options(*names: str) -> list[tuple[list[str], dict[str, Any]]]:
    """Those of build and run that decide what a command says: an option that it would ignore is refused."""
    return [one for one in (*BUILD_OPTIONS, *RUN_OPTIONS) if one[0][0] in names]


SOURCE = ("--raw", "--sample", "--config")
SIZES = ("--runs", "--shots", "--instances", "--limit", "--seed")

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
        "manifest": (
            "what one run of a data set draws: paraphrase, orders, demonstrations, instances, ids, digests of prompts",
            "scrollwork seam manifest ecb_plus 3 --raw DIR",
            "flows.commands.seam_manifest",
            [
                (["dataset"], {"help": "multi_news, open_asp, fuse_reviews, musique, sci_co or ecb_plus"}),
                (["number"], {"type": int, "metavar": "run", "help": "from 0"}),
                *options("--task", "--split", *SOURCE, *SIZES, "--draws", "--vary", "--set", "--prompts"),
            ],
        ),
        "config": (
            "the official code's configuration of a run, as JSON",
            "scrollwork seam config --runs 10 --out seam.json",
            "flows.commands.seam_config",
            [
                (["--out"], {"default": "", "metavar": "FILE", "help": "where it goes (default: printed)"}),
                *options("--task", "--config", *SIZES),
            ],
        ),
    },
}
