"""The commands of the command line and their arguments: data, for `main.py`."""

from __future__ import annotations

from scrollwork.cli.comparing import COMPARE
from scrollwork.cli.declared import (
    Argument,
    Command,
    of_build,
    of_models,
    of_run,
    options_everywhere,
    options_with_flags,
)
from scrollwork.cli.housekeeping import HOUSEKEEPING
from scrollwork.pipeline.engines.workers import ENGINES
from scrollwork.scoring.names import JUDGED, MODULES

SUITE = "a suite: zeroscrolls, scrolls, seam or dolce, or one of an installed package; or --suite FILE"
SUITE_FILE = "a suite file of your own, from anywhere, in place of SUITE"
ENGINE: Argument = (
    ["--engine"],
    {
        "choices": ENGINES,
        "default": "prefect",
        "help": "prefect (default), or inline: the same stages without Prefect; dask is inline with --dask local, and "
        "dask:ADDRESS with --dask ADDRESS",
    },
)
JUDGES = ("--faithfulness", "--coverage", "--models")
COMMANDS: dict[str, Command] = {
    "fetch": (
        "download raw files from their publishers into the home; verified, resumable",
        "scrollwork fetch zeroscrolls --task qmsum --list",
        "scrollwork.cli.commands.fetch",
        [
            (["suite"], {"help": SUITE}),
            (["--list"], {"action": "store_true", "help": "only say what is here, what is missing and where it is"}),
            options_with_flags("--task", "--split", "--set"),
            (
                ["--allow-private-addresses"],
                {
                    "action": "store_true",
                    "help": "also download from this machine and private networks, e.g. your own mirror",
                },
            ),
            (
                ["--official"],
                {"action": "store_true", "help": "the official release of the suite instead of its raw files"},
            ),
            (
                ["--alternative"],
                {
                    "action": "append",
                    "default": [],
                    "metavar": "NAME",
                    "help": "take files from another place, e.g. narrativeqa-copy (repeat for several)",
                },
            ),
            (
                ["--sources"],
                {
                    "default": "",
                    "metavar": "FILE",
                    "help": "your own list of sources, in the form of config/sources.toml (addresses, hub data sets)",
                },
            ),
        ],
    ),
    "build": (
        "raw files -> curated examples -> benchmark samples",
        "scrollwork build zeroscrolls --sample --task qmsum",
        "scrollwork.cli.commands.build",
        [
            (["suite"], {"help": SUITE}),
            of_build,
            options_with_flags("--strict"),
            ENGINE,
            (
                ["--against"],
                {
                    "action": "append",
                    "default": [],
                    "metavar": "RELEASE",
                    "help": "compare what is built with an official release: TASK.zip, or a folder of them "
                    "(repeat for several)",
                },
            ),
        ],
    ),
    "plan": (
        "list every stage with its state and the reason; runs nothing",
        "scrollwork plan zeroscrolls --sample --model naive",
        "scrollwork.cli.commands.plan",
        [(["suite"], {"help": SUITE}), of_run, ENGINE],
    ),
    "run": (
        "the whole chain, from raw files to scores and a report",
        "scrollwork run zeroscrolls --sample --model naive",
        "scrollwork.cli.commands.run",
        [(["suite"], {"help": SUITE}), of_run, ENGINE],
    ),
    "demo": (
        "the bundled sample with two baselines that need no key: leaderboard and page in a minute",
        "scrollwork demo",
        "scrollwork.cli.commands.demo",
        [],
    ),
    "rehearse": (
        "try a run at no cost: the vendors are simulated on this machine and present a bill",
        "scrollwork rehearse zeroscrolls --sample --model gpt-6-luna",
        "scrollwork.cli.commands.rehearse",
        [
            (["suite"], {"help": SUITE}),
            of_run,
            (
                ["--knob"],
                {
                    "dest": "knobs",
                    "action": "append",
                    "default": [],
                    "metavar": "NAME=VALUE",
                    "help": "how the simulated vendors behave, as JSON: flex_refused=0.3, latency_s=0.5, "
                    'faults={"*":{"closed":0.05}} (repeat for several; a wrong name lists them)',
                },
            ),
        ],
    ),
    "estimate": (
        "requests, tokens and price of a run by task, less stored answers; sends nothing to a vendor",
        "scrollwork estimate zeroscrolls --sample --model openai:gpt-6-luna",
        "scrollwork.cli.commands.estimate",
        [
            (["suite"], {"help": SUITE}),
            of_run,
            ENGINE,
            (
                ["--strategies"],
                {"action": "store_true", "help": "dolce: what each strategy would cost, without building its prompts"},
            ),
            (
                ["--ways"],
                {
                    "action": "store_true",
                    "help": "what each way of asking costs (standard, flex, batch, with and without cache), "
                    "the cheapest that `run --way` takes, and the lower bound",
                },
            ),
        ],
    ),
    "score": (
        "score any JSONL of {id, prediction, references: [...]} with one metric, or another system's files",
        "scrollwork score --metric rouge_geo --pairs answers.jsonl --stem",
        "scrollwork.cli.commands.score",
        [
            (
                ["suite"],
                {
                    "nargs": "?",
                    "default": "",
                    "help": f"{SUITE}, whose inputs the predictions answer; or leval or longbench, whose files bring "
                    "their own references",
                },
            ),
            (
                ["--metric"],
                {
                    "default": "",
                    "metavar": "NAME",
                    "help": f"of --pairs (or leval, longbench): {', '.join((*MODULES, *JUDGED))}",
                },
            ),
            (["--pairs"], {"default": "", "metavar": "FILE", "help": "JSON Lines; - for standard input"}),
            options_with_flags(*JUDGES),
            (["--stem"], {"action": "store_true", "help": "stem words (rouge_geo)"}),
            (["--first-line"], {"action": "store_true", "help": "score only the first line of a prediction"}),
            (
                ["--predictions"],
                {
                    "default": "",
                    "metavar": "PATH",
                    "help": "CSV of Task, ID, Prediction; JSON of {id: prediction} (TASK.json, or with --task), or of "
                    "{task: {id: prediction}}; a folder of them; files of L-Eval or LongBench",
                },
            ),
            (["--name"], {"default": "", "metavar": "NAME", "help": "under which it stands in the leaderboard"}),
            of_build,
            ENGINE,
        ],
    ),
    "compare": COMPARE,
    "report": (
        "leaderboard and HTML page of everything that is scored",
        "scrollwork report zeroscrolls --out report.html",
        "scrollwork.cli.commands.report",
        [
            (["suite"], {"nargs": "?", "default": "zeroscrolls", "help": SUITE}),
            (
                ["--out"],
                {
                    "default": "",
                    "metavar": "FILE",
                    "help": "where it goes; with --format svg or png a folder (default: reports/ of the home)",
                },
            ),
            (
                ["--format"],
                {
                    "default": "html",
                    "choices": ["html", "markdown", "latex", "csv", "svg", "png"],
                    "help": "the page, the leaderboard as a table, or the charts as files (default: html)",
                },
            ),
        ],
    ),
    "export": (
        "prompts, a built suite (hf, lm-eval-task, inspect-task), or what was answered in an earlier run (submission, "
        "lm-eval, inspect, eee, observations), as files",
        "scrollwork export submission zeroscrolls --sample --model naive:seed=0 --out ./submission",
        "scrollwork.cli.files.export",
        [
            (
                ["format"],
                {
                    "choices": [
                        *("prompts", "hf", "lm-eval-task", "inspect-task"),
                        *("submission", "lm-eval", "inspect", "eee", "observations"),
                    ],
                    "help": "prompts: every prompt as JSON Lines, of one --model, or whole and plain without; "
                    "hf: official records that datasets.load_dataset opens; lm-eval-task, inspect-task: the suite as "
                    "tasks that lm-evaluation-harness or inspect_ai runs; submission: the leaderboard's CSV; "
                    "lm-eval: results and samples of lm-evaluation-harness; inspect: logs of inspect_ai; eee: Every "
                    "Eval Ever 0.3.0; observations: answers on windows (dolce), as `dolce fit` reads them",
                },
            ),
            (["suite"], {"help": SUITE}),
            of_models,
            options_with_flags("--base-url", "--context"),
            of_build,
            ENGINE,
            (
                ["--out"],
                {
                    "required": True,
                    "metavar": "PATH",
                    "help": "folder: new, empty, or an earlier export, then replaced; of a submission FILE.csv too; of "
                    "observations a file",
                },
            ),
            (
                ["--allow-missing"],
                {
                    "action": "store_true",
                    "help": "submission: put an empty answer, which counts 0, for every input without one",
                },
            ),
        ],
    ),
    "check-submission": (
        "the official checks of a submission, offline: missing, redundant, duplicate and malformed rows by name",
        "scrollwork check-submission zeroscrolls zero_scrolls_predictions.csv --raw DIR",
        "scrollwork.cli.files.check_submission",
        [
            (["suite"], {"help": SUITE}),
            (["file"], {"metavar": "FILE", "help": "CSV of Task, ID, Prediction"}),
            of_build,
            ENGINE,
        ],
    ),
    "import": (
        "a log of inspect_ai or lm-evaluation-harness, or a submission, scored as a system that ran elsewhere",
        "scrollwork import zeroscrolls logs/2026-01-01_qasper.eval --sample --name theirs",
        "scrollwork.cli.files.import_system",
        [
            (["suite"], {"help": SUITE}),
            (
                ["predictions"],
                {
                    "metavar": "PATH",
                    "help": "as of `score SUITE --predictions`: inspect's .eval or .json, samples_TASK_WHEN.jsonl of "
                    "lm-eval, CSV, JSON; a folder of them",
                },
            ),
            (["--name"], {"default": "", "metavar": "NAME", "help": "under which it stands in the leaderboard"}),
            of_build,
            ENGINE,
        ],
    ),
    "cuts": (
        "list what was removed from book summaries because it reveals their order, by rule, to be checked by hand",
        "scrollwork cuts zeroscrolls --sample --out cuts.html",
        "scrollwork.cli.commands.cuts",
        [
            (["suite"], {"nargs": "?", "default": "zeroscrolls", "help": SUITE}),
            options_with_flags("--raw", "--sample", "--set"),
            (["--every-source"], {"action": "store_true", "help": "all sources of a book, not only the chosen one"}),
            (
                ["--out"],
                {"default": "", "metavar": "FILE", "help": "the whole list: FILE.html to read, FILE.tsv to sort"},
            ),
        ],
    ),
    "strip": (
        "print a story of NarrativeQA without the text that its library or site put around it",
        "scrollwork strip tmp/014de1a8.content --kind gutenberg",
        "scrollwork.cli.commands.strip",
        [
            (["file"], {"metavar": "FILE", "help": "a story as upstream's script downloads it"}),
            (["--kind"], {"required": True, "choices": ("gutenberg", "movie"), "help": "as in documents.csv"}),
            (["--start"], {"default": "", "metavar": "W", "help": "its first words: story_start of documents.csv"}),
            (["--end"], {"default": "", "metavar": "W", "help": "its last words: story_end of documents.csv"}),
        ],
    ),
    "seam": (
        "SEAM: rank models by scores of runs; what a run draws; the official configuration",  # its commands: groups.py
        "scrollwork seam rank --scores scores.jsonl",
        "scrollwork.cli.seam.group",
        [],
    ),
    "dolce": (
        "Dolce: which problems need retrieval, which holistic understanding; from answers on spans",
        "scrollwork dolce fit --observations observations.jsonl",
        "scrollwork.cli.dolce.group",
        [],
    ),
    **HOUSEKEEPING,
}
GLOBAL_OPTIONS: list[Argument] = [
    *options_everywhere(),
    (["--json"], {"action": "store_true", "help": "print one JSON document on standard output"}),
    (["--quiet"], {"action": "store_true", "help": "no progress"}),
]
