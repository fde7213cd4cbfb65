"""Completion in bash and zsh: a script that looks up what may follow in tables, and starts no process."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from scrollwork.cli.completion.words import FILE, NOTHING, TASKS, TEXT, CommandWords, Level, Value

# One reading of the words before the cursor, for both shells. It leaves the command's words in `level`, the suite in
# `suite`, the number of arguments without a flag in `place`, and in `waiting` whether the last option lacks its value.
READ = """\
_scrollwork_read() {  # the words before the cursor, without the command's own name
  local word
  level= suite= place=0 waiting=
  for word in "$@"; do
    if [[ -n $waiting ]]; then
      waiting=
    elif [[ $word = -* ]]; then
      _scrollwork_option "$level" "$word"
      waiting=$takes
    elif _scrollwork_is_level "${level:+$level }$word"; then
      level=${level:+$level }$word place=0
    else
      _scrollwork_is_suite "$word" && suite=$word
      place=$((place + 1))
    fi
  done
}
"""
# bash splits words at = and : too: `--option=value` is three words, `naive:seed=7` five.
BASH = """\
_scrollwork() {
  local current=${COMP_WORDS[COMP_CWORD]} level suite place waiting takes files word number=1
  local -a before values
  before=()
  while ((number < COMP_CWORD)); do
    word=${COMP_WORDS[number]}
    if [[ $word = '=' && ${#before[@]} -gt 0 && ${before[${#before[@]}-1]} = --* ]]; then
      :
    elif [[ $word = [=:] ]]; then
      number=$((number + 1))
    else
      before+=("$word")
    fi
    number=$((number + 1))
  done
  [[ $current = '=' ]] && current=
  _scrollwork_read "${before[@]}"
  _scrollwork_candidates "$current" "${before[@]}"
  COMPREPLY=()
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
  else
    for word in "${values[@]}"; do
      if [[ $word = "$current"* ]]; then COMPREPLY+=("$word"); fi
    done
  fi
}
complete -F _scrollwork scrollwork
"""
ZSH = """\
_scrollwork() {
  emulate -L zsh
  local level suite place waiting takes files current=${PREFIX}
  local -a before values
  before=("${(@)words[2,CURRENT-1]}")
  if [[ $current = --*=* ]]; then
    before+=("${current%%=*}")
    compset -P '*='
    current=${PREFIX}
  fi
  _scrollwork_read "${before[@]}"
  _scrollwork_candidates "$current" "${before[@]}"
  if [[ -n $files ]]; then _files; else compadd -a values; fi
}
if [[ ${funcstack[1]} = _scrollwork ]]; then _scrollwork "$@"; else compdef _scrollwork scrollwork; fi
"""
CANDIDATES = """\
_scrollwork_candidates() {  # the word at the cursor, then those before it
  local current=$1 last
  values=() files=
  for last in "$@"; do :; done
  if [[ -n $waiting ]]; then
    _scrollwork_option "$level" "$last"
  elif [[ $current = -* ]]; then
    takes=
    _scrollwork_flags "$level"
  else
    _scrollwork_place "$level" "$place"
  fi
  case $takes in
    tasks) _scrollwork_tasks "$suite" ;;
    file) files=1 ;;
  esac
}
"""


def bash_script(words: CommandWords) -> str:
    """The script for bash 3.2 and later, which `eval` or a file in bash-completion's folder loads."""
    return (
        f"# scrollwork's completion for bash, by `scrollwork completion bash`\n{_tables(words)}{READ}{CANDIDATES}{BASH}"
    )


def zsh_script(words: CommandWords) -> str:
    """The script for zsh, loaded behind `compinit` or as the file _scrollwork in a folder of fpath."""
    head = "#compdef scrollwork\n# scrollwork's completion for zsh, by `scrollwork completion zsh`\n"
    return f"{head}{_tables(words)}{READ}{CANDIDATES}{ZSH}"


def _tables(words: CommandWords) -> str:
    """Functions that look up levels, flags, options, places and tasks. Each sets `values` or `takes`."""
    levels = words.levels.values()
    names = "|".join(shlex.quote(" ".join(one.path)) for one in levels if one.path)
    known = "|".join(map(shlex.quote, words.tasks))
    all_tasks = tuple(dict.fromkeys(task for tasks in words.tasks.values() for task in tasks))
    suites = [*((shlex.quote(name), _values(tasks)) for name, tasks in words.tasks.items()), ("*", _values(all_tasks))]
    flags = ((_case(one), _values(one.options)) for one in levels)
    return (
        f"_scrollwork_is_level() {{ case $1 in {names}) return 0 ;; esac; return 1; }}\n"
        f"_scrollwork_is_suite() {{ case $1 in {known}) return 0 ;; esac; return 1; }}\n"
        + _function("_scrollwork_tasks", "$1", suites)
        + _function("_scrollwork_flags", "$1", flags)
        + "_scrollwork_option() {\n  takes=\n"
        + _cases('"$1:$2"', _option_cases(levels))
        + "}\n_scrollwork_place() {\n  takes=\n"
        + _cases('"$1:$2"', _place_cases(levels))
        + "}\n"
    )


def _option_cases(levels: Iterable[Level]) -> Iterator[tuple[str, str]]:
    """A case for each option that takes a value, once for all levels at which it takes the same."""
    at: dict[tuple[str, str], list[str]] = {}
    for level in levels:
        for flag, value in level.options.items():
            if value.kind != NOTHING:
                at.setdefault((flag, _taken(value)), []).append(" ".join(level.path))
    for (flag, taken), paths in at.items():
        yield "|".join(shlex.quote(f"{path}:{flag}") for path in paths), taken


def _place_cases(levels: Iterable[Level]) -> Iterator[tuple[str, str]]:
    for level in levels:
        for number, value in enumerate(level.places):
            last = level.rest and number == len(level.places) - 1
            pattern = shlex.quote(f"{' '.join(level.path)}:") + "*" if last else _place(level, number)
            yield pattern, _taken(value)


def _place(level: Level, number: int) -> str:
    return shlex.quote(f"{' '.join(level.path)}:{number}")


def _taken(value: Value) -> str:
    """The commands of a shell that set what an option or a place takes."""
    if value.kind in (TASKS, FILE, TEXT):
        return f"takes={value.kind}"
    return f"takes=words {_values(value.words)}"


def _values(words: Iterable[str]) -> str:
    return f"values=({' '.join(map(shlex.quote, words))})"


def _case(level: Level) -> str:
    return shlex.quote(" ".join(level.path))


def _function(name: str, word: str, cases: Iterable[tuple[str, str]]) -> str:
    return f"{name}() {{\n{_cases(word, cases)}}}\n"


def _cases(word: str, cases: Iterable[tuple[str, str]]) -> str:
    return f"  case {word} in\n" + "".join(f"    {pattern}) {done} ;;\n" for pattern, done in cases) + "  esac\n"
