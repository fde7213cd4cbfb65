"""The `scrollwork` command. Heavy libraries are imported inside the commands that need them."""

from __future__ import annotations

import argparse
import difflib
import gc
import importlib
import io
import json
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scrollwork.pipeline.loaded_code  # noqa: F401  before what it watches
from scrollwork.cli.declared import Command
from scrollwork.cli.groups import GROUPS
from scrollwork.cli.options import COMMANDS, GLOBAL_OPTIONS, SUITE_FILE
from scrollwork.pipeline.errors import UsageError
from scrollwork.suites.options import from_environment, global_options

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

PROG = "scrollwork"
OK, FAILED, WRONG = 0, 1, 2
COLLECT_AFTER = 10_000  # new objects before Python looks for cycles, of which rows have none


def parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The command line; global options may stand before or after the command. words: what is to be parsed; of a command
    that does not stand there only its line in --help is needed. Where --suite FILE names the suite, no command takes it
    by its place."""
    by_file = names_file(words)
    top = argparse.ArgumentParser(
        prog=PROG,
        description="Build long-text benchmarks and evaluate language models on them; every stage is resumable.",
        epilog="example: scrollwork run zeroscrolls --sample --model naive",
    )
    given: set[str] = set()
    for flags, settings in GLOBAL_OPTIONS:
        add_option(top, given, flags, settings)
    top.set_defaults(parser=top)
    top.add_argument("--version", action="store_true", help="print the version")
    made = parsers_of(words)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=made)
    for name, command in COMMANDS.items():
        sub = add_command(commands, given, name, command, whole=name in words, by_file=by_file)
        if name in GROUPS and name in words:
            below = sub.add_subparsers(dest="subcommand", metavar="COMMAND", parser_class=made)
            for inner, one in GROUPS[name].items():
                add_command(below, given, inner, one, whole=inner in words, by_file=by_file)
    return top


def parsers_of(words: Sequence[str]) -> Any:
    """Return what makes the parsers of commands: those that words do not name share one, which parses nothing.

    Each looks for translations of its headings in several files that nobody has: 4 of 7 ms for all.
    """
    others = argparse.ArgumentParser(add_help=False)

    def made(*, prog: str, **settings: Any) -> argparse.ArgumentParser:
        return argparse.ArgumentParser(prog=prog, **settings) if prog.rpartition(" ")[2] in words else others

    return made


def names_file(words: Sequence[str]) -> bool:
    """Whether a call names its suite by a file."""
    return any(one == "--suite" or one.startswith("--suite=") for one in words)


def add_command(
    commands: Commands, given: set[str], name: str, command: Command, *, whole: bool, by_file: bool
) -> argparse.ArgumentParser:
    """A command; whole: with its options, and the global ones behind it. given: names of the options met so far."""
    summary, example, _, arguments = command
    sub = commands.add_parser(name, help=summary, description=summary, epilog=f"example: {example}")
    if not whole:
        return sub
    groups: dict[str, argparse._ArgumentGroup] = {}
    for flags, settings in (each for one in arguments for each in (one() if callable(one) else [one])):
        group = settings.get("group", "")
        if group and group not in groups:
            groups[group] = sub.add_argument_group(group)
        if flags == ["suite"]:
            named = {"dest": "suite", "metavar": "FILE", "type": a_file, "help": SUITE_FILE}
            add_option(sub, given, ["--suite"], {**named, "default": argparse.SUPPRESS})
        if flags != ["suite"] or not by_file:
            add_option(groups.get(group, sub), given, flags, settings)
    for flags, settings in GLOBAL_OPTIONS:
        add_option(sub, given, flags, {**settings, "default": argparse.SUPPRESS})
    sub.set_defaults(parser=sub)
    return sub


def add_option(
    parser: argparse._ActionsContainer, given: set[str], flags: Sequence[str], settings: dict[str, Any]
) -> None:
    """An argument; an option that takes one value takes it once (Once)."""
    settings = {name: value for name, value in settings.items() if name != "group"}
    if flags[0].startswith("-") and "action" not in settings:
        settings = {**settings, "action": partial(Once, given)}
    parser.add_argument(*flags, **settings)


def a_file(path: str) -> str:
    """Return a path that cannot be mistaken for a suite's name."""
    return str(Path(path).expanduser().resolve())


class Once(argparse.Action):
    """Stores a value. A second one is an error: the last would win without a word, on both sides of the command too."""

    def __init__(self, given: set[str], option_strings: Sequence[str], dest: str, **settings: Any) -> None:
        super().__init__(option_strings, dest, **settings)
        self._given = given

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Raises ArgumentError."""
        if self.option_strings[-1] in self._given:
            raise argparse.ArgumentError(self, "given twice; it takes one value")
        self._given.add(self.option_strings[-1])
        setattr(namespace, self.dest, values)


def unrecognized(arguments: argparse.Namespace, unknown: Sequence[str]) -> str:
    """Word the error for unknown arguments, with the option that may have been meant."""
    known = [flag for action in arguments.parser._actions for flag in action.option_strings]
    asked = next((one.partition("=")[0] for one in unknown if one.startswith("-")), "")
    near = difflib.get_close_matches(asked, known, n=1)
    return f"unrecognized arguments: {' '.join(unknown)}" + (f"; did you mean {near[0]}?" if near else "")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit status: 0 done, 1 the work failed, 2 the call was wrong."""
    spare_cpu()
    words = sys.argv[1:] if argv is None else argv
    top = parser(words)
    arguments, unknown = top.parse_known_args(words)
    if unknown and names_file(words) and not unknown[0].startswith("-"):
        arguments.parser.error(f"{unknown[0]!r} beside --suite FILE: name a suite or its file, not both")
    if unknown:
        arguments.parser.error(unrecognized(arguments, unknown))
    if arguments.version:
        from importlib.metadata import version

        print(f"{PROG} {version('scrollwork')}")
        return OK
    if not arguments.command:
        top.print_help()
        return WRONG
    print_anywhere(arguments.json)
    try:
        for name, one in global_options().items():
            one.checked(getattr(arguments, name))
        arguments.home = arguments.home or from_environment("SCROLLWORK_HOME") or ".scrollwork"
        arguments.store = arguments.store or from_environment("SCROLLWORK_STORE") or ""
    except UsageError as error:
        arguments.parser.error(str(error))
    module = importlib.import_module(COMMANDS[arguments.command][2])
    try:
        status: int = module.run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print(f"{PROG}: stopped; what was finished stands, run the same command to go on", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except Exception as error:
        return print_error(error, arguments.json)
    return status


def spare_cpu() -> None:
    """Do without what costs CPU and gains nothing here: looking for cycles often, and numpy's threads, which spin
    between its products of small matrices. Called before numpy is imported; OPENBLAS_NUM_THREADS of the user stands."""
    gc.set_threshold(COLLECT_AFTER)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def print_anywhere(as_json: bool) -> None:
    """Let a terminal show "?" for characters that it lacks. JSON is UTF-8 everywhere."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if as_json and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # a lone surrogate as JSON writes it


def print_error(error: Exception, as_json: bool) -> int:
    """Print an error on standard error: an expected one in one line, others with their traceback."""
    from scrollwork.cli.terminal.common import is_expected, wrong_call
    from scrollwork.pipeline.extras import install_line, with_own_way

    if not is_expected(error):
        import traceback

        traceback.print_exception(error)
    text = with_own_way(install_line(error) or str(error)) or type(error).__name__
    print(f"{PROG}: {text}", file=sys.stderr)
    if as_json:
        print(json.dumps({"error": text}))
    return WRONG if wrong_call(error) else FAILED


if __name__ == "__main__":
    sys.exit(main())
