"""The commands around a home, a project and its server, with their arguments: data, for `main.py`."""

from __future__ import annotations

from scrollwork.cli.declared import Command
from scrollwork.cli.keeping.declared import KEEPING
from scrollwork.cli.server.declared import SERVER

HOUSEKEEPING: dict[str, Command] = {
    "verify": (
        "recompute digests from any artifact back to the raw files",
        "scrollwork verify",
        "scrollwork.cli.commands.verify",
        [
            (["key"], {"nargs": "?", "default": "", "help": "first characters of a key (default: everything)"}),
            (
                ["--rebuild"],
                {
                    "default": "",
                    "metavar": "SHARE",
                    "help": "also build a share of what costs CPU alone again (0.05 or 5%%; 1 or 100%% for all), "
                    "compare bytes, and mend what is damaged; nothing is asked",
                },
            ),
        ],
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
    "nights": (
        "evaluations night after night, compared with an accepted one; without a command, those that are stored",
        "scrollwork nights",  # its commands: nights/declared.py
        "scrollwork.cli.nights.group",
        [],
    ),
    **KEEPING,
    "status": ("runs, stages, answers, failures, money", "scrollwork status", "scrollwork.cli.commands.status", []),
    "completion": (
        "print a script by which bash, zsh or fish completes commands, options, suites, tasks, models and metrics",
        "scrollwork completion bash",
        "scrollwork.cli.completion.command",
        [
            (
                ["shell"],
                {
                    "choices": ["bash", "zsh", "fish"],
                    "help": 'bash: eval "$(scrollwork completion bash)" in ~/.bashrc; zsh: the same behind compinit in '
                    "~/.zshrc; fish: scrollwork completion fish > ~/.config/fish/completions/scrollwork.fish",
                },
            )
        ],
    ),
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
    **SERVER,
}
