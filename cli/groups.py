"""Commands that have commands of their own, `scrollwork seam rank`, and their options: data, for main.py."""

from __future__ import annotations

from scrollwork.cli.declared import Argument, Command, options_with_flags
from scrollwork.cli.nights.declared import NIGHTS

SOURCE = ("--raw", "--sample", "--config")
SIZES = ("--runs", "--shots", "--instances", "--limit", "--seed")

FIT_OPTIONS: list[Argument] = [
    (
        ["--scenario"],
        {
            "choices": ["cow", "pig", "auto"],
            "default": "auto",
            "help": "cow: answers are right or wrong; pig: they have parts; auto (default): by a dip test",
        },
    ),
    (["--tau"], {"type": float, "default": 0.5, "metavar": "SCORE", "help": "right from this score on, in cow (0.5)"}),
    (
        ["--fixed-noise"],
        {"default": "", "metavar": "B1,B0,BI", "help": "cow: the noise of all tasks, right, wrong, IDK; else fitted"},
    ),
    (
        ["--thresholds"],
        {
            "default": "largest",
            "metavar": "T",
            "help": "of categories: by the task's largest context (default), its median one, or LOW,HIGH",
        },
    ),
    (["--passes"], {"type": int, "default": 10, "metavar": "N", "help": "cow: of EM (10)"}),
    (
        ["--free-one"],
        {"action": "store_true", "help": "cow: the hybrid oracle may be right where the span is too short"},
    ),
    (["--equal-lengths"], {"action": "store_true", "help": "every length weighs the same, not every window"}),
    (
        ["--multiplicative"],
        {"action": "store_true", "help": "cow: oracle and noise are multiplied, weights as exponents, not added"},
    ),
    (
        ["--bootstrap"],
        {
            "type": int,
            "default": 0,
            "metavar": "N",
            "help": "probabilities of categories from N redrawn sets of windows, and the category from these",
        },
    ),
    (["--atoms"], {"action": "store_true", "help": "pig: the oracle's score is one of m / lambda, not interpolated"}),
    (["--one-weight"], {"action": "store_true", "help": "pig: all lengths of a problem have one weight"}),
]

GROUPS: dict[str, dict[str, Command]] = {
    "nights": NIGHTS,
    "dolce": {
        "fit": (
            "complexity (lambda), redundancy (k) and category of every problem, from answers on spans",
            "scrollwork dolce fit --observations observations.jsonl",
            "scrollwork.cli.dolce.fit",
            [
                (
                    ["--observations"],
                    {
                        "required": True,
                        "metavar": "FILE",
                        "help": "JSON Lines of {task, problem, units (of the context), length (of the span), outcome "
                        '("1", "0", "idk") or score (0 to 1), count (1)}; - for standard input',
                    },
                ),
                *FIT_OPTIONS,
                (
                    ["--strategy"],
                    {
                        "default": "",
                        "metavar": "S",
                        "help": "fit the windows that it takes alone, of rows with `first` (export observations); as "
                        "for run dolce",
                    },
                ),
                (["--seed"], {"type": int, "default": 0, "metavar": "N", "help": "of --strategy sample:R (0)"}),
                (["--detail"], {"action": "store_true", "help": "also what was observed and fitted at each length"}),
            ],
        ),
        "probability": (
            "how probable it is that a span shows the evidence (cow), or so many of its aspects (pig)",
            "scrollwork dolce probability --lambda 5 --k 2 --units 381 --length 20",
            "scrollwork.cli.dolce.probability",
            [
                (["--scenario"], {"choices": ["cow", "pig"], "default": "cow", "help": "default: cow"}),
                (
                    ["--lambda"],
                    {
                        "required": True,
                        "dest": "complexity",
                        "metavar": "L",
                        "help": "units of a ground-truth span, or aspects; C for the whole context",
                    },
                ),
                (
                    ["--k"],
                    {"required": True, "type": int, "metavar": "K", "help": "such spans, or units of each aspect"},
                ),
                (["--units"], {"required": True, "type": int, "metavar": "C", "help": "of the context"}),
                (["--length"], {"required": True, "type": int, "metavar": "l", "help": "of the span, in units"}),
            ],
        ),
        "units": (
            "how many units contexts have, and how long units are, by granularity, beside the windows of a strategy",
            "scrollwork dolce units leval_quality --raw DIR --out units.png",
            "scrollwork.cli.dolce.units",
            [
                (["task"], {"nargs": "?", "default": "", "help": "all 44 by default"}),
                options_with_flags("--raw", "--sample", "--strategy"),
                (["--out"], {"default": "", "metavar": "FILE", "help": "histograms, .svg or .png"}),
            ],
        ),
        "compare": (
            "two fits of the same problems: relative change and rank correlation of lambda and k, KL of the noise",
            "scrollwork dolce compare reference.json test.json",
            "scrollwork.cli.dolce.compare",
            [
                (
                    ["reference"],
                    {
                        "metavar": "A",
                        "help": "of `dolce fit --json` or `run dolce --json`, or observations, which are fitted",
                    },
                ),
                (["test"], {"metavar": "B", "help": "the same, of what is compared with A"}),
                (["--reference-model"], {"default": "", "metavar": "M", "help": "of A, where a run has several"}),
                (["--test-model"], {"default": "", "metavar": "M", "help": "of B, likewise"}),
                *FIT_OPTIONS,
            ],
        ),
        "design": (
            "how many windows a length it takes until categories come out right, by simulation",
            "scrollwork dolce design --accuracy 0.9 --units 120,500",
            "scrollwork.cli.dolce.design",
            [
                (["--scenario"], {"choices": ["cow", "pig"], "default": "cow", "help": "default: cow"}),
                (
                    ["--accuracy"],
                    {
                        "type": float,
                        "default": 0.9,
                        "metavar": "SHARE",
                        "help": "of problems whose category is found (0.9)",
                    },
                ),
                (
                    ["--mode"],
                    {
                        "choices": ["fixed", "iid"],
                        "default": "fixed",
                        "help": "fixed (default): all windows of a problem see one placement, as in a real run; iid: "
                        "each has its own",
                    },
                ),
                (["--units"], {"default": "120,500", "metavar": "LOW,HIGH", "help": "of the contexts (120,500)"}),
                (
                    ["--windows"],
                    {"default": "5,10,20,50,100", "metavar": "N,...", "help": "tried (5,10,20,50,100; then all)"},
                ),
                (["--noise"], {"default": "0.02,0.2,0.78", "metavar": "B1,B0,BI", "help": "cow (0.02,0.2,0.78)"}),
                (["--problems"], {"type": int, "default": 60, "metavar": "N", "help": "of a task (60)"}),
                (["--tasks"], {"type": int, "default": 6, "metavar": "N", "help": "simulated (6)"}),
                (["--seed"], {"type": int, "default": 0, "metavar": "N", "help": "of the first task (0)"}),
            ],
        ),
    },
    "seam": {
        "rank": (
            "AR, ARSD, ranks and stochastic dominance from scores of runs",
            "scrollwork seam rank --scores scores.jsonl",
            "scrollwork.cli.seam.rank",
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
            "scrollwork.cli.seam.manifest",
            [
                (["dataset"], {"help": "multi_news, open_asp, fuse_reviews, musique, sci_co or ecb_plus"}),
                (["number"], {"type": int, "metavar": "run", "help": "from 0"}),
                options_with_flags("--task", "--split", *SOURCE, *SIZES, "--draws", "--vary", "--set", "--prompts"),
            ],
        ),
        "config": (
            "the official code's configuration of a run, as JSON",
            "scrollwork seam config --runs 10 --out seam.json",
            "scrollwork.cli.seam.config",
            [
                (["--out"], {"default": "", "metavar": "FILE", "help": "where it goes (default: printed)"}),
                options_with_flags("--task", "--config", *SIZES),
            ],
        ),
    },
}
