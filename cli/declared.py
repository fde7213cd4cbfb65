"""Declared options (suites/options.py) as arguments of the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from scrollwork.suites.options import BUILD, CALLS, RUN, Option, every_option, global_options

Argument = tuple[list[str], dict[str, Any]]  # flags, settings of argparse and `group`, the heading in --help
Declared = Callable[[], list[Argument]]  # looked up for the command that is asked for alone
Command = tuple[str, str, str, list[Argument | Declared]]  # summary, example, module that runs it, arguments
REPEAT, STRICT = "repeat for several", "--strict"


def argument(option: Option) -> Argument:
    """Return the arguments of `add_argument` for an option. The default is None: the declaration has the real one."""
    text = option.help.replace("%", "%%")  # argparse fills in what stands behind a sign of percent
    settings: dict[str, Any] = {"dest": option.name, "default": None, "help": text, "group": option.group}
    if option.type is bool:
        return [option.flag], {**settings, "action": "store_true"}
    if option.metavar:
        settings["metavar"] = option.metavar
    if option.choices:
        settings["choices"] = option.choices
    if option.type in (tuple, dict):
        told = f"{text[:-1]}; {REPEAT})" if text.endswith(")") else f"{text} ({REPEAT})"
        return [option.flag], {**settings, "action": "append", "help": told}
    return [option.flag], {**settings, "type": option.type}


def several(options: Iterable[Option]) -> list[Argument]:
    """Return the same for several options."""
    return [argument(one) for one in options]


def options_with_flags(*flags: str) -> Declared:
    """Return the options with these flags. Others are refused by the command."""
    return lambda: several(one for one in every_option().values() if one.flag in flags)


def of_models() -> list[Argument]:
    """Return the options that choose models and prompts."""
    return several(one for one in every_option().values() if one.scope == RUN)


def of_build() -> list[Argument]:
    """Return the options of `build` without --strict: only some commands can stop at a malformed record."""
    return several(one for one in every_option().values() if one.scope == BUILD and one.flag != STRICT)


def of_run() -> list[Argument]:
    """Return all options of `run`."""
    return several(sorted(every_option().values(), key=lambda one: (RUN, CALLS, BUILD).index(one.scope)))


def options_everywhere() -> list[Argument]:
    """Return the options of every command: home, store, output."""
    return several(global_options().values())
