"""The commands around a home, a project and its server, with their arguments: data, for `main.py`."""

from __future__ import annotations

from scrollwork.cli.declared import Command

HOUSEKEEPING: dict[str, Command] = {
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
                    "check: every row's digest, the answers against the home's snapshots, old empty answers; "
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
    "models": (
        "what is known of hosted models: price, context, end, what is sent; check: what their vendors say today",
        "scrollwork models",
        "scrollwork.cli.commands.models",
        [
            (
                ["action"],
                {
                    "nargs": "?",
                    "choices": ["check"],
                    "help": "check: ask GET /v1/models of every vendor whose key is set, and tell differences",
                },
            ),
            (["--models"], {"dest": "models_file", "metavar": "FILE", "help": "your own tables of models, over ours"}),
        ],
    ),
    "status": ("runs, stages, answers, failures, money", "scrollwork status", "scrollwork.cli.commands.status", []),
    "init": (
        "a project of your own: prefect.yaml, prefect.toml, models.toml, .gitignore; then `scrollwork up` there",
        "scrollwork init my-evals",
        "scrollwork.cli.commands.init",
        [
            (
                ["folder"],
                {"metavar": "DIR", "help": "where it is written; made if missing, no file in it is overwritten"},
            )
        ],
    ),
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
                    "metavar": "FILE",
                    "help": "your own tables of models, for the names of their keys (default: models.toml there)",
                },
            ),
        ],
    ),
    "down": ("stop what `up` started", "scrollwork down", "scrollwork.cli.commands.down", []),
}
