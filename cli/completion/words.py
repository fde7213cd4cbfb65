"""What can be typed behind `scrollwork`: commands, options and values, read from the declarations of the commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from scrollwork.cli.declared import Argument, Command, Declared
from scrollwork.cli.groups import GROUPS
from scrollwork.cli.options import COMMANDS, GLOBAL_OPTIONS, SUITE_FILE
from scrollwork.pipeline.entry_points import SUITES, installed_entry_points
from scrollwork.pipeline.errors import UsageError
from scrollwork.scoring.names import JUDGED, MODULES
from scrollwork.suites.suite_files import bundled_suites, load_models, load_suite

NOTHING, TEXT, FILE, WORDS, TASKS = "nothing", "text", "file", "words", "tasks"  # what an option takes
OF_FILES = ("FILE", "DIR", "PATH", "LOG", "RELEASE", "A", "B")  # metavars whose value is a file or a folder
SPLITS = ("train", "validation", "test")
HELP: Argument = (["--help", "-h"], {"action": "store_true", "help": "show this help message and exit"})
VERSION: Argument = (["--version"], {"action": "store_true", "help": "print the version"})


@dataclass(frozen=True)
class Value:
    """What stands in one place of the command line. kind: NOTHING, TEXT, FILE, WORDS (one of `words`) or TASKS (a
    task of the suite that was typed). help: the help text of an option."""

    kind: str
    words: tuple[str, ...] = ()
    help: str = ""


@dataclass(frozen=True)
class Level:
    """A command, or a group of them. path: its words, () for `scrollwork` itself. options: what each option takes, by
    flag. places: what its arguments without a flag are, in order. rest: whether the last of them repeats."""

    path: tuple[str, ...]
    help: str
    options: Mapping[str, Value]
    places: tuple[Value, ...] = ()
    rest: bool = False


@dataclass(frozen=True)
class CommandWords:
    """All levels by path, and the tasks of each suite by its name."""

    levels: Mapping[tuple[str, ...], Level] = field(default_factory=dict)
    tasks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def command_words() -> CommandWords:
    """Read the declarations of all commands, the suites and the names of the models.

    A suite of an installed package whose file is wrong is left out: the commands that use it say what is wrong.
    """
    tasks: dict[str, tuple[str, ...]] = {}
    for suite in [*bundled_suites(), *sorted(set(installed_entry_points(SUITES)) - set(bundled_suites()))]:
        try:
            tasks[suite] = tuple(load_suite(suite).tasks)
        except UsageError:
            continue
    named = named_values(tuple(tasks))
    top = _options([*GLOBAL_OPTIONS, HELP, VERSION], named)
    below = Value(WORDS, tuple(COMMANDS))
    levels: dict[tuple[str, ...], Level] = {(): Level((), "", top, (below,))}
    for name, command in COMMANDS.items():
        levels[(name,)] = _level((name,), command, named)
        for inner, one in GROUPS.get(name, {}).items():
            levels[name, inner] = _level((name, inner), one, named)
    return CommandWords(levels, tasks)


def named_values(suites: tuple[str, ...]) -> Mapping[str, Value]:
    """What stands behind options, and in the place of arguments, that declare no choices; by flag or name."""
    models = Value(WORDS, tuple(sorted(load_models())))
    metrics = Value(WORDS, (*MODULES, *JUDGED))
    of_options = {"--task": Value(TASKS), "--model": models, "--metric": metrics, "--split": Value(WORDS, SPLITS)}
    return {**of_options, "suite": Value(WORDS, suites)}


def _level(path: tuple[str, ...], command: Command, named: Mapping[str, Value]) -> Level:
    summary, _, _, declared = command
    arguments = list(_each(declared))
    if any(flags == ["suite"] for flags, _ in arguments):
        arguments.append((["--suite"], {"metavar": "FILE", "help": SUITE_FILE}))
    options = _options([*arguments, *GLOBAL_OPTIONS, HELP], named)
    placed = [(flags, settings) for flags, settings in arguments if not flags[0].startswith("-")]
    places = tuple(_value(flags, settings, named) for flags, settings in placed)
    if len(path) == 1 and path[0] in GROUPS:
        places = (Value(WORDS, tuple(GROUPS[path[0]])),)
    rest = bool(placed) and placed[-1][1].get("nargs") in ("+", "*")
    return Level(path, summary, options, places, rest)


def _each(declared: list[Argument | Declared]) -> Iterator[Argument]:
    for one in declared:
        yield from one() if callable(one) else [one]


def _options(arguments: list[Argument], named: Mapping[str, Value]) -> dict[str, Value]:
    return {flag: _value(flags, settings, named) for flags, settings in arguments for flag in flags if flag[0] == "-"}


def _value(flags: list[str], settings: Mapping[str, Any], named: Mapping[str, Value]) -> Value:
    """What an argument takes, by its declaration alone: choices before known names before files."""
    text = str(settings.get("help", "")).replace("%%", "%")
    if str(settings.get("action", "")) == "store_true":
        return Value(NOTHING, (), text)
    if settings.get("choices"):
        return Value(WORDS, tuple(settings["choices"]), text)
    if flags[0] in named:
        return Value(named[flags[0]].kind, named[flags[0]].words, text)
    return Value(FILE if settings.get("metavar") in OF_FILES else TEXT, (), text)
