"""scrollwork completion: print the script that completes commands, options and values in a shell."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

from scrollwork.cli.completion.fish import fish_script
from scrollwork.cli.completion.posix import bash_script, zsh_script
from scrollwork.cli.completion.words import CommandWords, command_words
from scrollwork.cli.terminal.common import print_json

SCRIPTS: Mapping[str, Callable[[CommandWords], str]] = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}


def run(arguments: argparse.Namespace) -> int:
    """Print the script of a shell. Returns the exit status."""
    script = SCRIPTS[arguments.shell](command_words())
    if arguments.json:
        print_json({"shell": arguments.shell, "script": script})
    else:
        print(script, end="")
    return 0
