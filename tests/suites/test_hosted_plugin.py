"""A package's model that says it is hosted is asked anew, by --fresh or its table; one that does not say so is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scrollwork.pipeline.errors import UsageError
from scrollwork.suites.model_tables import is_hosted_elsewhere
from tests.conftest import Scrollwork, edit
from tests.suites.plugin_kit import installed
from tests.survival.test_fresh_killed import results

ORACLE = '''"""Says what a file says, and notes each call in another."""
from pathlib import Path

from scrollwork.models.base import Answer

HOSTED = True
PLACE = Path(__file__).parent


def make(name, table, revision):
    return Oracle(name, table)


class Oracle:
    provider = "oracle"

    def __init__(self, name, table):
        self.name, self.table = name, table
        self.members = tuple(f"{name}-{n}" for n in range(table.get("voices", 1))) if "voices" in table else (name,)

    def payload(self, ask, member):
        return {"prompt": ask.prompt_sha256, "member": member, "table": dict(self.table)}

    def answer(self, calls):
        for call in calls:
            with (PLACE / "calls.txt").open("a") as log:
                log.write(f"{call.key} {sorted(call.payload['table'])}\\n")
            yield Answer(call.key, (PLACE / "says.txt").read_text(), "complete", self.name)
'''
INPUTS = 3  # of both tasks


@pytest.fixture
def work(scrollwork: Scrollwork, tmp_path: Path) -> Scrollwork:
    made = installed(scrollwork, tmp_path)
    place = tmp_path / "site" / "harbour_suite"
    (place / "oracle.py").write_text(ORACLE)
    (place / "says.txt").write_text("first")
    (place / "calls.txt").touch()
    edit(tmp_path / "site" / "harbour_suite-1.0.dist-info" / "entry_points.txt",
         lambda text: f"{text}oracle = harbour_suite.oracle\n")  # fmt: skip
    return made


def tables(work: Scrollwork, **more: object) -> tuple[str, ...]:
    path = work.home.parent / "own.toml"
    given = {"provider": "oracle", "heat": 1, **more}
    path.write_text("[o]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in given.items()))
    return ("--model", "o", "--models", str(path))


def run(work: Scrollwork, *arguments: str, status: int = 1, command: str = "run") -> Any:
    """A record of the suite is broken, so the status is 1."""
    engine = ("--engine", "inline", "--quiet") if command == "run" else ()
    return work(command, "harbour", *engine, "--raw", str(work.home.parent / "raw"), *arguments, status=status)


def calls(work: Scrollwork) -> list[str]:
    return (work.home.parent / "site" / "harbour_suite" / "calls.txt").read_text().splitlines()


def say(work: Scrollwork, text: str) -> None:
    (work.home.parent / "site" / "harbour_suite" / "says.txt").write_text(text)


def texts(work: Scrollwork) -> set[str]:
    return set(results(work.home).values())


def test_model_of_a_package_is_never_asked_anew(work: Scrollwork) -> None:
    asked = tables(work)
    run(work, *asked)
    assert len(calls(work)) == INPUTS
    say(work, "second")
    run(work, *asked)
    assert len(calls(work)) == INPUTS
    planned = run(work, *asked, "--fresh", "run", "--json", command="plan", status=None).document
    assert {row["why"] for row in planned if row["stage"] == "generate"} == {"a new epoch"}
    run(work, *asked, "--fresh", "run")
    assert len(calls(work)) == 2 * INPUTS
    assert texts(work) == {"second"}
    run(work, *asked)
    run(work, *asked, "--fresh", "7")
    assert len(calls(work)) == 2 * INPUTS
    assert texts(work) == {"second"}
    work("verify")


@pytest.mark.slow
def test_table_of_a_package_says_fresh_in_vain(work: Scrollwork) -> None:
    run(work, *tables(work))
    say(work, "second")
    run(work, *tables(work, fresh=7))
    assert len(calls(work)) == INPUTS, "`fresh` is in the key of the answers, or answers of today do not stand"
    run(work, *tables(work, fresh="run"))
    assert len(calls(work)) == 2 * INPUTS
    assert not any("fresh" in line for line in calls(work))
    assert texts(work) == {"second"}
    run(work, *tables(work, fresh="run"), "--fresh", "never")
    assert len(calls(work)) == 2 * INPUTS


@pytest.mark.slow
def test_family_of_a_package_is_a_traceback_in_an_epoch(work: Scrollwork) -> None:
    asked = tables(work, voices=2)
    run(work, *asked)
    run(work, *asked, "--fresh", "run")
    assert len(calls(work)) == len({line.split()[0] for line in calls(work)}) == 4 * INPUTS
    run(work, *asked)
    assert len(calls(work)) == 4 * INPUTS


@pytest.mark.parametrize("value", ["always", 0, 1.5, True])
def test_wrong_value_in_the_table_of_a_package_is_taken(work: Scrollwork, value: object) -> None:
    done = run(work, *tables(work, fresh=value), status=2)
    assert "own.toml: model 'o': fresh must be never, run, or a number of whole days" in done.err
    assert calls(work) == []


def test_package_that_does_not_say_so_is_asked_anew_or_silently_not(work: Scrollwork) -> None:
    told = "model 'o': fresh is for hosted models, and harbour_suite.parrot does not say that it calls one: HOSTED"
    assert told in run(work, *tables(work, provider="parrot", fresh="run"), status=2).err
    done = run(work, *tables(work, provider="parrot"), "--fresh", "run", status=2)
    assert "--fresh run is for hosted and local models, and none was named" in done.err
    assert "HOSTED = True" in done.err


def test_garbage_that_a_package_says_of_itself_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    import tests.suites.plugin_kit as module

    assert not is_hosted_elsewhere("tests.suites.plugin_kit")
    monkeypatch.setattr(module, "HOSTED", "yes", raising=False)
    with pytest.raises(UsageError, match=r"provider tests.suites.plugin_kit: HOSTED must be True or False, not 'yes'"):
        is_hosted_elsewhere("tests.suites.plugin_kit")
