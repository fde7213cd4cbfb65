"""Completion in fish: one line for each option and argument, of which fish shows the help too."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from scrollwork.cli.completion.words import FILE, NOTHING, TASKS, WORDS, CommandWords, Level, Value

SHOWN = 90  # characters of a help text
# It leaves the command's words in __scrollwork_path, the suite in __scrollwork_suite, and the number of arguments
# without a flag behind the command in __scrollwork_place. Options that take a value are listed: it is no argument.
READ = """\
function __scrollwork_read
    set -g __scrollwork_path
    set -g __scrollwork_suite
    set -g __scrollwork_place 0
    set -l taken 0
    for word in (commandline -opc)[2..-1]
        if test $taken = 1
            set taken 0
        else if string match -q -- '-*' $word
            contains -- "$__scrollwork_path:$word" $__scrollwork_take_values; and set taken 1
        else if contains -- (string trim -- "$__scrollwork_path $word") $__scrollwork_levels
            set -g __scrollwork_path (string trim -- "$__scrollwork_path $word")
            set -g __scrollwork_place 0
        else
            contains -- $word $__scrollwork_suites; and set -g __scrollwork_suite $word
            set -g __scrollwork_place (math $__scrollwork_place + 1)
        end
    end
end
function __scrollwork_at  # a command's words
    __scrollwork_read
    test "$__scrollwork_path" = "$argv[1]"
end
function __scrollwork_at_place  # a command's words, a number or * for any
    __scrollwork_at $argv[1]; and string match -q -- $argv[2] $__scrollwork_place
end
"""


def fish_script(words: CommandWords) -> str:
    """The script for fish 3 and later, which `source` or a file in its folder of completions loads."""
    levels = [" ".join(level.path) for level in words.levels.values() if level.path]
    take = [
        f"{' '.join(level.path)}:{flag}"
        for level in words.levels.values()
        for flag, value in level.options.items()
        if value.kind != NOTHING
    ]
    head = "# scrollwork's completion for fish, by `scrollwork completion fish`\n"
    lists = {"levels": levels, "suites": list(words.tasks), "take_values": take}
    tables = "".join(f"set -g __scrollwork_{name} {_list(own)}\n" for name, own in lists.items())
    lines = [line for level in words.levels.values() for line in _lines(level, words)]
    return f"{head}{tables}{READ}{_tasks(words)}complete -c scrollwork -f\n" + "\n".join(lines) + "\n"


def _tasks(words: CommandWords) -> str:
    """The function that prints the tasks of the suite that was typed, of all where it is none of those known."""
    every = dict.fromkeys(task for tasks in words.tasks.values() for task in tasks)
    cases = [(name, tasks) for name, tasks in words.tasks.items()] + [("*", tuple(every))]
    lines = "".join(f"        case {_quoted(name)}\n            printf '%s\\n' {_list(own)}\n" for name, own in cases)
    return (
        f'function __scrollwork_tasks\n    __scrollwork_read\n    switch "$__scrollwork_suite"\n{lines}    end\nend\n'
    )


def _lines(level: Level, words: CommandWords) -> Iterator[str]:
    at = " ".join(level.path)
    for flag, value in level.options.items():
        name = f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
        there = _quoted(f"__scrollwork_at {_quoted(at)}")
        yield f"complete -c scrollwork -n {there} {name}{_taken(value)} -d {_short(value.help)}"
    for number, value in enumerate(level.places):
        place = "*" if level.rest and number == len(level.places) - 1 else str(number)
        there = _quoted(f"__scrollwork_at_place {_quoted(at)} {_quoted(place)}")
        if value.kind == FILE:
            yield f"complete -c scrollwork -n {there} -F"
        below = {path[-1]: one.help for path, one in words.levels.items() if path and path[:-1] == level.path}
        for word in value.words:
            told = f" -d {_short(below[word])}" if word in below else ""
            yield f"complete -c scrollwork -n {there} -a {_quoted(word)}{told}"


def _taken(value: Value) -> str:
    """The switches of `complete` for what an option takes."""
    if value.kind == NOTHING:
        return ""
    if value.kind == TASKS:
        return " -x -a '(__scrollwork_tasks)'"
    if value.kind == WORDS:
        return f" -x -a {_quoted(' '.join(value.words))}"
    return " -r -F" if value.kind == FILE else " -x"


def _list(words: list[str] | tuple[str, ...]) -> str:
    return " ".join(map(_quoted, words))


def _short(text: str) -> str:
    """What fish shows of a help text beside a candidate."""
    return _quoted(textwrap.shorten(text, SHOWN, placeholder=" ..."))


def _quoted(text: str) -> str:
    """A text in single quotes, in which fish knows two escapes."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
