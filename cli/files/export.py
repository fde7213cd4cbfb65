"""scrollwork export: a built suite, or what was scored of it, in another tool's format."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from scrollwork.cli.terminal.common import chain_of, print_json, say
from scrollwork.pipeline.design import reader_of
from scrollwork.pipeline.errors import UsageError


def run(arguments: argparse.Namespace) -> int:
    """Write the files, and name them; exit status 1 where something is lacking in them."""
    if arguments.allow_missing and arguments.format != "submission":
        raise UsageError("--allow-missing is for export submission")
    if arguments.format == "hf":
        return hf(arguments)
    if arguments.format == "prompts":
        return prompts(arguments)
    if arguments.format == "submission":
        return submission(arguments)
    if arguments.format == "observations":
        return observations(arguments)
    if arguments.format in ("lm-eval-task", "inspect-task"):
        return tasks(arguments)
    from scrollwork.exchange.export_logs import export_trials

    made = export_trials(arguments.format, chain_of(arguments), Path(arguments.out))
    tell(
        arguments,
        list(made.files),
        lacking=list(made.lacking),
        unanswered=dict(made.unanswered),
        notes=list(made.notes),
    )
    for line in made.lacking:
        say(f"lacking: {line}")
    for line in made.notes:
        say(f"not scored: {line}")
    for name, count in made.unanswered.items():
        say(f"unanswered: {name}: {count:,} inputs without an answer that could be scored have no score")
    return int(bool(made.lacking or made.unanswered))


def hf(arguments: argparse.Namespace) -> int:
    """Write the built suite in the official format of its release."""
    from scrollwork.exchange.hf import export_hf

    if arguments.models:
        raise UsageError("export hf writes the suite, not what a model answered: leave out --model")
    tell(arguments, export_hf(chain_of(arguments), Path(arguments.out)))
    return 0


def prompts(arguments: argparse.Namespace) -> int:
    """Write every prompt as JSON Lines, and the manifests of runs."""
    from scrollwork.cli.terminal.progress import progress_display
    from scrollwork.exchange.prompted import prompt_nodes
    from scrollwork.exchange.prompts import export_prompts

    chain = chain_of(arguments)
    with progress_display(arguments.quiet, len(prompt_nodes(chain))):
        made = export_prompts(chain, Path(arguments.out))
    tell(arguments, list(made.files), prompts=made.prompts, lacking=list(made.lacking))
    for line in made.lacking:
        say(f"lacking: {line}")
    return int(bool(made.lacking))


def submission(arguments: argparse.Namespace) -> int:
    """Write a model's answers as the official CSV."""
    from scrollwork.exchange.submission import export_submission

    made = export_submission(chain_of(arguments), Path(arguments.out), fill=arguments.allow_missing)
    tell(arguments, list(made.files), **made.told)
    for line in made.lines:
        say(line)
    return int(made.partial and not arguments.allow_missing)


def observations(arguments: argparse.Namespace) -> int:
    """Write a model's answers on windows, one row each."""
    chain = chain_of(arguments)
    made = reader_of(chain.request.config, "export observations").export_observations(chain, Path(arguments.out))
    tell(arguments, list(made.files), rows=made.rows, lacking=list(made.lacking))
    for line in made.lacking:
        say(f"lacking: {line}")
    return int(bool(made.lacking))


def tasks(arguments: argparse.Namespace) -> int:
    """Write the built suite as tasks that another tool runs."""
    from scrollwork.cli.terminal.progress import progress_display
    from scrollwork.exchange.prompted import prompt_nodes
    from scrollwork.exchange.task_files.export_tasks import export_tasks

    chain = chain_of(arguments)
    with progress_display(arguments.quiet, len(prompt_nodes(chain))):
        made = export_tasks(arguments.format, chain, Path(arguments.out))
    tell(
        arguments,
        list(made.files),
        tasks=list(made.tasks),
        rows=made.rows,
        lacking=list(made.lacking),
        notes=list(made.notes),
    )
    for line in made.lacking:
        say(f"lacking: {line}")
    for line in made.notes:
        say(f"left out: {line}")
    return int(bool(made.lacking))


def tell(arguments: argparse.Namespace, files: list[Path], **more: Any) -> None:
    """Print the names of the files."""
    named = [str(file) for file in files]
    if arguments.json:
        print_json({"out": str(Path(arguments.out)), "files": named, **more})
        return
    for file in named:
        print(file)
