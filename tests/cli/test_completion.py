"""scrollwork completion: what real shells make of the script when Tab is pressed."""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from scrollwork.cli.completion.command import SCRIPTS
from scrollwork.cli.completion.words import NOTHING, CommandWords, command_words
from scrollwork.cli.groups import GROUPS
from scrollwork.cli.options import COMMANDS
from scrollwork.suites.suite_files import load_models, load_suite

START = {  # SCRIPT and OUT are put in; what is typed runs a function, which writes down what it was given
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
}
SET_UP = {
    "bash": "scrollwork() {{ printf '%s\\n' \"$@\" > {out}; }}; source {script}; echo rea''dy\n",
    "zsh": "scrollwork() {{ printf '%s\\n' \"$@\" > {out} }}; autoload -U compinit; compinit -u -D; source {script}; "
    "echo rea''dy\n",
}
# What is typed, and what is then called. Each has one way to go on.
TYPED = [
    ("run zero", ["run", "zeroscrolls"]),
    ("run zeroscrolls --task squ", ["run", "zeroscrolls", "--task", "squality"]),
    ("run zeroscrolls --task=squ", ["run", "zeroscrolls", "--task=squality"]),
    ("run seam --model naive --task ecb", ["run", "seam", "--model", "naive", "--task", "ecb_plus"]),
    ("score --metric rouge_ge", ["score", "--metric", "rouge_geo"]),
    ("--home h seam man", ["--home", "h", "seam", "manifest"]),
    ("run scrolls --model lexi", ["run", "scrolls", "--model", "lexicon"]),
    ("plan dolce --max-in", ["plan", "dolce", "--max-input-tokens"]),
]


@cache
def words() -> CommandWords:
    return command_words()


def need(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The file of a shell's script."""
    folder = tmp_path_factory.mktemp("scripts")

    def written(shell: str) -> Path:
        path = folder / f"scrollwork.{shell}"
        path.write_text(SCRIPTS[shell](words()), encoding="utf-8")
        return path

    return written


def candidates_in_bash(script: Path, *words: str) -> list[str]:
    """What bash offers for the last word, all of it."""
    asked = (
        'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _scrollwork; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    command = ["bash", "--norc", "-c", asked, "bash", str(script), "scrollwork", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    assert done.stderr == ""
    return done.stdout.split()


def candidates_in_fish(script: Path, *lines: str) -> list[list[str]]:
    """What fish offers for the last word of each line."""
    asked = "source $argv[1]; for line in $argv[2..-1]; complete -C $line; echo //; end"
    command = ["fish", "--no-config", "-c", asked, str(script), *(f"scrollwork {one}" for one in lines)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    assert done.stderr == ""
    return [[one.split("\t")[0] for one in offered.splitlines()] for offered in done.stdout.split("//\n")[:-1]]


class Typist:
    """A shell at a terminal, and who types there."""

    def __init__(self, shell: str, script: Path, out: Path) -> None:
        self.out = out
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.execvpe(START[shell][0], START[shell], {**os.environ, "TERM": "dumb", "HOME": str(out.parent)})
        self.pid = pid
        self.write(SET_UP[shell].format(out=out, script=script))
        self.until(lambda: b"ready" in self.shown)

    shown = b""

    def write(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def until(self, reached: Callable[[], bool], seconds: float = 20) -> None:
        """Read what the terminal shows until something is so."""
        end = time.monotonic() + seconds
        while not reached():
            assert time.monotonic() < end, self.shown.decode(errors="replace")[-2000:]
            if select.select([self.terminal], [], [], 0.02)[0]:
                self.shown += os.read(self.terminal, 4096)

    def called(self, line: str) -> list[str]:
        """What the command is given where a line is typed, then Tab, then Enter."""
        self.out.unlink(missing_ok=True)
        self.write(f"scrollwork {line}\t\n")
        self.until(lambda: self.out.exists() and self.out.read_text().endswith("\n"))
        return self.out.read_text().splitlines()

    def leave(self) -> None:
        os.close(self.terminal)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_tab_leaves_a_word_as_it_is(script: Callable[[str], Path], tmp_path: Path, shell: str) -> None:
    need(shell)
    typist = Typist(shell, script(shell), tmp_path / "out")
    try:
        assert [typist.called(line) for line, _ in TYPED] == [called for _, called in TYPED]
    finally:
        typist.leave()


def test_fish_offers_nothing_or_too_much(script: Callable[[str], Path]) -> None:
    need("fish")
    path = script("fish")
    assert candidates_in_fish(path, *(line for line, _ in TYPED)) == [[called[-1]] for _, called in TYPED]
    tasks, commands = candidates_in_fish(path, "run scrolls --task ", "")
    assert sorted(tasks) == sorted(load_suite("scrolls").tasks)
    assert sorted(commands) == sorted(COMMANDS)


@pytest.mark.parametrize("suite", ["zeroscrolls", "scrolls", "seam", "dolce"])
def test_tasks_of_another_suite_are_offered(script: Callable[[str], Path], suite: str) -> None:
    tasks = list(load_suite(suite).tasks)
    assert candidates_in_bash(script("bash"), "run", suite, "--task", "") == tasks
    assert candidates_in_bash(script("bash"), "export", "submission", suite, "--task", "=") == tasks


def test_a_value_is_counted_as_an_argument_or_offered_where_none_is_known(script: Callable[[str], Path]) -> None:
    path = script("bash")
    known = [name for name in sorted(load_models()) if name.startswith("gpt-6")]
    assert candidates_in_bash(path, "run", "zeroscrolls", "--model", "gpt-6") == known
    assert candidates_in_bash(path, "run", "zeroscrolls", "--limit", "") == []
    assert candidates_in_bash(path, "run", "--limit", "3", "sea") == ["seam"]
    colon = ("run", "scrolls", "--model", "naive", ":", "seed", "=", "7", "--way", "f")  # as bash splits them
    assert candidates_in_bash(path, *colon) == ["flex", "fastest"]
    assert candidates_in_bash(path, "export", "") == list(words().levels["export",].places[0].words)
    assert candidates_in_bash(path, "seam", "") == list(GROUPS["seam"])


def test_a_file_is_not_offered(script: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my models.toml").touch()
    monkeypatch.chdir(tmp_path)
    assert " ".join(candidates_in_bash(script("bash"), "run", "zeroscrolls", "--models", "my")) == "my models.toml"


def test_an_option_of_a_command_is_left_out_or_taken_for_one_with_a_value() -> None:
    """The words are read from the declarations beside argparse: both must see the same."""
    from scrollwork.cli.main import parser

    for path, level in words().levels.items():
        if not path:
            continue
        sub = parser([*path, "--help"])
        for word in path:
            (choices,) = (one.choices for one in sub._actions if isinstance(one.choices, dict))
            sub = choices[word]
        takes = {flag: one.nargs != 0 for one in sub._actions for flag in one.option_strings}
        assert {flag: value.kind != NOTHING for flag, value in level.options.items()} == takes, path


def test_a_shell_that_is_not_known_passes(call) -> None:
    status, out, _ = call("completion", "zsh")
    assert status == 0
    assert out.startswith("#compdef scrollwork\n")
    status, _, error = call("completion", "tcsh")
    assert status == 2
    assert "'tcsh'" in error
