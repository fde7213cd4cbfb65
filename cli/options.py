"""The commands of the command line and their options: data, for `main.py`."""

from __future__ import annotations

from typing import Any

from scrollwork.scoring.names import JUDGED, MODULES

SUITE = "a suite: zeroscrolls, scrolls, seam or dolce, or one of an installed package; or --suite FILE"
SUITE_FILE = "a suite file from anywhere, in place of SUITE (docs/plugins.md)"
BUILD_OPTIONS: list[tuple[list[str], dict[str, Any]]] = [
    (["--task"], {"action": "append", "default": [], "metavar": "T", "help": "only this task (repeat for several)"}),
    (
        ["--split"],
        {"action": "append", "default": [], "metavar": "S", "help": "this split instead of the suite's own (test)"},
    ),
    (
        ["--raw"],
        {
            "default": "",
            "metavar": "DIR",
            "help": "folder of raw upstream files, DIR/<dataset>/<path as upstream>, or of the official TASK.zip",
        },
    ),
    (["--sample"], {"action": "store_true", "help": "use the small input bundled with scrollwork"}),
    (
        ["--limit"],
        {"type": int, "default": 0, "metavar": "N", "help": "at most N inputs a task; a larger N takes these and more"},
    ),
    (["--seed"], {"type": int, "metavar": "N", "help": "seed of random choices (default: the suite's)"}),
    (
        ["--max-input-tokens"],
        {
            "type": int,
            "default": 0,
            "metavar": "N",
            "help": "cut prompts to N tokens (of --tokenizer, the model's own, or else white-space words)",
        },
    ),
    (["--runs"], {"type": int, "default": 0, "metavar": "N", "help": "seam: runs (default 10)"}),
    (
        ["--instances"],
        {"type": int, "default": 0, "metavar": "N", "help": "seam: instances of a run at most (default 100, -1: all)"},
    ),
    (
        ["--config"],
        {"default": "", "metavar": "FILE", "help": "seam: the official code's configuration (JSON) in place of these"},
    ),
    (
        ["--strategy"],
        {
            "default": "",
            "metavar": "S",
            "help": "dolce: which windows are observed: all, take:N, sample:R, take-ip[:N], sample-ip[:R], short, long "
            "or wide; several joined by + (default: all)",
        },
    ),
    (
        ["--units"],
        {
            "default": "",
            "metavar": "SPEC",
            "help": "dolce: contexts in other units than the task's own, of those that it has (`dolce units`), e.g. o "
            "for a passage each",
        },
    ),
    (["--shots"], {"type": int, "metavar": "K", "help": "seam: demonstrations in a prompt (default 3)"}),
    (
        ["--draws"],
        {
            "default": "",
            "choices": ["", "official"],
            "help": "seam: official draws all in one stream, as the official code does",
        },
    ),
    (
        ["--vary"],
        {
            "action": "append",
            "default": [],
            "metavar": "VARIABLE",
            "help": "seam: only this differs between runs: instruction, document-order, shots, shot-order, instances, "
            "mention-ids, or generation, nothing but the model's own draws (repeat for several; default: all)",
        },
    ),
    (
        ["--set"],
        {
            "action": "append",
            "default": [],
            "metavar": "TASK.OPTION=VALUE",
            "dest": "settings",
            "help": "an option of the suite file, e.g. squality.release=v1-3",
        },
    ),
    (
        ["--engine"],
        {
            "choices": ["prefect", "inline"],
            "default": "prefect",
            "help": "prefect (default), or inline: the same stages one after another without Prefect",
        },
    ),
]
STRICT: list[tuple[list[str], dict[str, Any]]] = [
    (["--strict"], {"action": "store_true", "help": "stop at the first malformed record instead of dropping it"}),
]
JUDGE_OPTIONS: list[tuple[list[str], dict[str, Any]]] = [
    (
        ["--faithfulness"],
        {
            "default": "",
            "metavar": "MODEL",
            "help": "metric fic, in place of seam's lexical proxy, with --coverage: the encoder-decoder that judges "
            "whether highlights entail an answer: transformers:FOLDER, or a name of --models",
        },
    ),
    (
        ["--coverage"],
        {"default": "", "metavar": "MODEL", "help": "metric fic: the one that judges whether an answer covers them"},
    ),
]
RUN_OPTIONS: list[tuple[list[str], dict[str, Any]]] = [
    (
        ["--model"],
        {
            "action": "append",
            "default": [],
            "metavar": "M",
            "help": "a model of config/models.toml (naive, naive:seed=7, lead, lexrank, bm25, lexicon, strong, oracle, "
            "...) or PROVIDER:ID: openai:gpt-6-luna, anthropic:ID, compatible:ID --base-url URL, "
            "transformers:FOLDER (repeat for several)",
        },
    ),
    (["--models"], {"default": "", "metavar": "FILE", "dest": "models_file", "help": "your own file of models"}),
    *JUDGE_OPTIONS,
    (
        ["--arm"],
        {
            "action": "append",
            "default": [],
            "choices": ["full", "closed-book"],
            "help": "closed-book: the QA tasks without their documents (repeat for both; default: full)",
        },
    ),
    (
        ["--tokenizer"],
        {
            "default": "",
            "metavar": "NAME",
            "help": "what --max-input-tokens and a model's context count: words, estimate, tiktoken:ENCODING, "
            "hf:FOLDER, hf:OWNER/NAME@REV",
        },
    ),
    (
        ["--truncation"],
        {"default": "", "choices": ["", "official"], "help": "official: cut with the quirks of the official code"},
    ),
    (
        ["--prompts"],
        {"default": "", "metavar": "SET", "help": "a set of instructions of the suite file, e.g. instructed (scrolls)"},
    ),
]
CALL_OPTIONS: list[tuple[list[str], dict[str, Any]]] = [
    (
        ["--base-url"],
        {"default": "", "metavar": "URL", "help": "address up to /v1 of your own server, for compatible:ID"},
    ),
    (
        ["--context"],
        {"type": int, "default": 0, "metavar": "TOKENS", "help": "limit of a model of which nothing is known"},
    ),
    (
        ["--budget"],
        {
            "default": "",
            "metavar": "USD",
            "help": "stop before this run's hosted models cost more; needs their prices",
        },
    ),
    (["--concurrency"], {"type": int, "default": 0, "metavar": "N", "help": "requests in flight at most"}),
    (["--rpm"], {"type": int, "default": 0, "metavar": "N", "help": "requests a minute"}),
    (["--tpm"], {"type": int, "default": 0, "metavar": "N", "help": "tokens a minute"}),
    (
        ["--batch"],
        {"action": "store_true", "help": "ask in batches (openai, anthropic): cheaper, answered within a day"},
    ),
    (
        ["--batch-wait"],
        {
            "type": int,
            "default": 0,
            "metavar": "SECONDS",
            "help": "wait so long for batches; the same command later takes in the rest (default: until they end)",
        },
    ),
    (["--retry-failed"], {"action": "store_true", "help": "ask again what failed for good"}),
]
# command -> (summary, example, module that runs it, arguments)
COMMANDS: dict[str, tuple[str, str, str, list[tuple[list[str], dict[str, Any]]]]] = {
    "fetch": (
        "download raw files from where upstream publishes them into the home; verified, resumable",
        "scrollwork fetch zeroscrolls --task qmsum --list",
        "scrollwork.cli.commands.fetch",
        [
            (["suite"], {"help": SUITE}),
            (["--list"], {"action": "store_true", "help": "only say what is here, what is missing and where it is"}),
            *(option for option in BUILD_OPTIONS if option[0][0] in ("--task", "--split", "--set")),
            (
                ["--allow-private-addresses"],
                {
                    "action": "store_true",
                    "help": "ask servers of this machine and of private networks too: a mirror of one's own",
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
            *BUILD_OPTIONS,
            *STRICT,
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
        "every stage with its state, and why; runs nothing",
        "scrollwork plan zeroscrolls --sample --model naive",
        "scrollwork.cli.commands.plan",
        [(["suite"], {"help": SUITE}), *RUN_OPTIONS, *CALL_OPTIONS, *BUILD_OPTIONS, *STRICT],
    ),
    "run": (
        "the whole chain, to scores and report",
        "scrollwork run zeroscrolls --sample --model naive",
        "scrollwork.cli.commands.run",
        [(["suite"], {"help": SUITE}), *RUN_OPTIONS, *CALL_OPTIONS, *BUILD_OPTIONS, *STRICT],
    ),
    "estimate": (
        "requests, tokens and price of a run by task, after what is stored; sends nothing",
        "scrollwork estimate zeroscrolls --sample --model openai:gpt-6-luna",
        "scrollwork.cli.commands.estimate",
        [
            (["suite"], {"help": SUITE}),
            *RUN_OPTIONS,
            *CALL_OPTIONS,
            *BUILD_OPTIONS,
            *STRICT,
            (
                ["--strategies"],
                {"action": "store_true", "help": "dolce: what each strategy would cost, without building its prompts"},
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
            *JUDGE_OPTIONS,
            (["--models"], {"default": "", "metavar": "FILE", "dest": "models_file", "help": "your own file of them"}),
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
            *BUILD_OPTIONS,
        ],
    ),
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
        "prompts, a built suite (hf), or what was answered (submission, lm-eval, inspect, eee, observations), as files",
        "scrollwork export submission zeroscrolls --sample --model naive:seed=0 --out ./submission",
        "scrollwork.cli.commands.export",
        [
            (
                ["format"],
                {
                    "choices": ["prompts", "hf", "submission", "lm-eval", "inspect", "eee", "observations"],
                    "help": "prompts: every prompt as JSON Lines, of one --model, or whole and plain without; "
                    "hf: official records that datasets.load_dataset opens; submission: the leaderboard's CSV; "
                    "lm-eval: results and samples of lm-evaluation-harness; inspect: logs of inspect_ai; eee: Every "
                    "Eval Ever 0.3.0; observations: answers on windows (dolce), as `dolce fit` reads them",
                },
            ),
            (["suite"], {"help": SUITE}),
            *RUN_OPTIONS,
            *(option for option in CALL_OPTIONS if option[0][0] in ("--base-url", "--context")),
            *BUILD_OPTIONS,
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
        "scrollwork.cli.commands.check_submission",
        [
            (["suite"], {"help": SUITE}),
            (["file"], {"metavar": "FILE", "help": "CSV of Task, ID, Prediction"}),
            *BUILD_OPTIONS,
        ],
    ),
    "import": (
        "a log of inspect_ai or lm-evaluation-harness, or a submission, scored as a system that ran elsewhere",
        "scrollwork import zeroscrolls logs/2026-01-01_qasper.eval --sample --name theirs",
        "scrollwork.cli.commands.import_system",
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
            *BUILD_OPTIONS,
        ],
    ),
    "cuts": (
        "what was taken out of book summaries because it reveals their order, rule by rule, for a person to check",
        "scrollwork cuts zeroscrolls --sample --out cuts.html",
        "scrollwork.cli.commands.cuts",
        [
            (["suite"], {"nargs": "?", "default": "zeroscrolls", "help": SUITE}),
            *(option for option in BUILD_OPTIONS if option[0][0] in ("--raw", "--sample", "--set")),
            (["--every-source"], {"action": "store_true", "help": "all sources of a book, not only the chosen one"}),
            (
                ["--out"],
                {"default": "", "metavar": "FILE", "help": "the whole list: FILE.html to read, FILE.tsv to sort"},
            ),
        ],
    ),
    "strip": (
        "a story of NarrativeQA without what its library or site put around it, on standard output",
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
    "verify": (
        "recompute digests from any artifact back to the raw files",
        "scrollwork verify",
        "scrollwork.cli.commands.verify",
        [(["key"], {"nargs": "?", "default": "", "help": "first characters of a key (default: everything)"})],
    ),
    "store": (
        "the stored answers: to a file, from a file of another home, backed up, checked, repaired",
        "scrollwork store backup --out backup",
        "scrollwork.cli.commands.store",
        [
            (
                ["action"],
                {
                    "choices": ["export", "import", "check", "repair", "backup", "restore"],
                    "help": "export: all answers to a file; import: from one, an answer that is here is kept; "
                    "check: every row's digest, and the answers against the home's snapshots; "
                    "repair: damaged rows set aside, what snapshots hold put back, nothing is asked; "
                    "backup: answers that are new since the last backup, to a folder; restore: from one, as import",
                },
            ),
            (
                ["file"],
                {"nargs": "?", "default": "", "metavar": "FILE", "help": "what to import; the folder to restore"},
            ),
            (
                ["--out"],
                {"default": "", "metavar": "FILE", "help": "what to export to (Parquet); the folder of a backup"},
            ),
            (
                ["--intact"],
                {"action": "store_true", "help": "restore the parts that are whole, where others are damaged"},
            ),
        ],
    ),
    "status": ("runs, stages, answers, failures, money", "scrollwork status", "scrollwork.cli.commands.status", []),
    "up": (
        "start a local Prefect server, work pool, deployments and worker",
        "scrollwork up",
        "scrollwork.cli.commands.up",
        [
            (
                ["--port"],
                {
                    "type": int,
                    "metavar": "N",
                    "help": "port of the server (default: the last one's after a crash, else 4200, or any free one)",
                },
            ),
            (
                ["--allow-host"],
                {
                    "action": "append",
                    "default": [],
                    "metavar": "NAME",
                    "help": "another name or address by which the server is asked, beside 127.0.0.1 and localhost",
                },
            ),
            (
                ["--pass-env"],
                {
                    "action": "append",
                    "default": [],
                    "metavar": "NAME",
                    "help": "another variable for the worker, beside what it runs with and the keys that tables of "
                    "models name (key_env); NAME* for all that begin so, as 'AWS_*'",
                },
            ),
            (
                ["--models"],
                {
                    "dest": "models_file",
                    "default": "",
                    "metavar": "FILE",
                    "help": "your own tables of models, for the names of their keys",
                },
            ),
        ],
    ),
    "down": ("stop what `up` started", "scrollwork down", "scrollwork.cli.commands.down", []),
}
GLOBAL_OPTIONS: list[tuple[list[str], dict[str, Any]]] = [
    (["--home"], {"metavar": "DIR", "help": "where everything is kept (default: SCROLLWORK_HOME, else ./.scrollwork)"}),
    (["--store"], {"metavar": "URL", "help": "database of answers (default: responses.db in the home)"}),
    (["--json"], {"action": "store_true", "help": "print one JSON document on standard output"}),
    (["--quiet"], {"action": "store_true", "help": "no progress"}),
]
