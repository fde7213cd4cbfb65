"""An option is declared once: flag, parameter of the flows, field of the request and page of documentation follow."""

from __future__ import annotations

import argparse
import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from scrollwork.cli.declared import argument
from scrollwork.cli.main import parser
from scrollwork.pipeline.errors import UsageError
from scrollwork.suites.options import BUILD, Option, every_option
from scrollwork.suites.request import Request
from tests.conftest import Scrollwork, edit

DECLARED = """    skipped: int | None = option(None, "leave out the first N inputs of a task", metavar="N", least=1)
"""


def request(suite: str = "zeroscrolls", **given: Any) -> Request:
    return Request.of(suite, home="home", sample=True, **given)


@pytest.fixture
def with_option(scrollwork: Scrollwork, tree: Path) -> Scrollwork:
    """The command of a tree that has one option more: one declaration, and the place of a stage that reads it."""
    edit(
        tree / "suites" / "options.py",
        lambda text: text.replace("    limit: int | None", DECLARED + "    limit: int | None", 1),
    )
    edit(
        tree / "tasks" / "sample" / "run.py",
        lambda text: text.replace("**chosen, **limit}", '**chosen, **limit, "skip": request.skipped or 0}'),
    )
    return scrollwork.with_(root=tree)


def ids(work: Scrollwork, *more: str) -> list[str]:
    out = work.home.parent / f"out{len(more)}"
    work("export", "prompts", "zeroscrolls", "--sample", "--task", "squality", *more, "--out", str(out))
    return [json.loads(line)["instance"] for line in (out / "squality-test.jsonl").read_text().splitlines()]


@pytest.mark.slow
def test_new_option_needs_more_than_its_declaration_and_the_place_that_reads_it(with_option: Scrollwork) -> None:
    assert "--skipped N" in with_option("run", "--help").out
    whole, rest = ids(with_option), ids(with_option, "--skipped", "2")
    assert len(rest) == len(whole) - 2
    assert set(rest) < set(whole)
    refused = with_option("build", "zeroscrolls", "--sample", "--skipped", "0", status=2)
    assert "--skipped must be 1 or more, not 0" in refused.err
    program = with_option.home.parent / "schema.py"
    program.write_text(
        "import json\nfrom prefect.utilities.callables import parameter_schema\n"
        "from scrollwork.flows.evaluate import evaluate\nfrom scrollwork.flows.build_datasets import build_datasets\n"
        "for one in (evaluate, build_datasets):\n    print(json.dumps(parameter_schema(one.fn).properties['skipped']))\n",
        encoding="utf-8",
    )
    told = with_option.with_(prefix=(str(program),))("schema")
    for line in told.out.splitlines():
        schema = json.loads(line)
        assert schema["description"] == "Leave out the first N inputs of a task."
        assert schema["default"] is None
        assert {"type": "integer", "minimum": 1} in schema["anyOf"]
    assert len(told.out.splitlines()) == 2


def test_flow_lacks_an_option_or_says_another_default() -> None:
    from scrollwork.flows.build_datasets import build_datasets
    from scrollwork.flows.evaluate import evaluate

    for flow, scopes, own in (
        (evaluate, None, {"sample": True, "models": ["naive"]}),
        (build_datasets, BUILD, {"sample": True}),
    ):
        parameters = inspect.signature(flow.fn).parameters
        wanted = {name: one for name, one in every_option().items() if scopes in (None, one.scope)}
        assert set(parameters) == {*wanted, "suite", "home", "store"}
        for name, one in wanted.items():
            default = list(one.default) if one.type is tuple else one.default
            assert parameters[name].default == own.get(name, default)
            assert parameters[name].default not in ("", 0) or parameters[name].default is False


def test_form_in_the_ui_has_no_type_or_help() -> None:
    from prefect.utilities.callables import parameter_schema

    from scrollwork.flows.evaluate import evaluate

    found = parameter_schema(evaluate.fn).properties
    assert [name for name, one in found.items() if not one.get("description")] == []
    assert {"type": "integer", "minimum": 1} in found["limit"]["anyOf"]
    assert {"const": "official", "type": "string"} in found["truncation"]["anyOf"]
    (arms,) = [one for one in found["arms"]["anyOf"] if one["type"] == "array"]
    assert arms["items"]["enum"] == ["full", "closed-book"]
    assert found["strategy"]["description"].startswith("Windows of contexts (dolce): ")


@pytest.mark.parametrize("name", sorted(every_option()))
def test_command_line_lacks_an_option(name: str) -> None:
    one = every_option()[name]
    words = ["run", "zeroscrolls", one.flag]
    if one.type is not bool:
        words.append("1" if one.type is int else one.choices[0] if one.choices else "a.b=1")
    value = getattr(parser(words).parse_args(words), name)
    assert value not in (None, [], False)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"limit": 0}, "--limit must be 1 or more, not 0"),
        ({"limit": "5"}, "--limit must be a whole number, not '5'"),
        ({"limit": True}, "--limit must be a whole number, not True"),
        ({"rpm": 0}, "--rpm must be 1 or more"),
        ({"budget": ""}, "--budget is empty"),
        ({"tokenizer": ""}, "--tokenizer is empty"),
        ({"truncation": "offical"}, "there is no truncation 'offical'; there are: official"),
        ({"arms": ["ful"]}, "there is no arm 'ful'; there are: full, closed-book"),
        ({"tasks": "qmsum"}, "--task must be a list of texts, not 'qmsum'"),
        ({"batch_wait": -1, "batch": True}, "--batch-wait must be 0 or more"),
        ({"runs": 2}, "--runs: zeroscrolls does not draw its prompts anew in runs"),
        ({"strategy": "all"}, "--strategy: zeroscrolls does not observe windows of its contexts"),
    ],
)
def test_wrong_value_is_taken_for_none(given: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told.replace("(", r"\(")):
        request(**given)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"instances": 0}, "--instances must be 1 or more, or -1 for all, not 0"),
        ({"runs": 0}, "--runs must be 1 or more"),
        ({"vary": ["order"]}, "there is no variable of --vary 'order'; there are: instruction"),
        ({"vary": ["shots"], "draws": "official"}, "--vary holds other variables fixed"),
        ({"units": "o"}, "--units: seam does not observe"),
    ],
)
def test_wrong_option_of_a_design_is_taken(given: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        request("seam", **given)


def test_option_that_there_is_not_is_taken() -> None:
    with pytest.raises(TypeError, match="there is no option 'limits'"):
        request(limits=5)


def test_nothing_that_is_said_is_something() -> None:
    assert request(limit=None, tokenizer=None, tasks=()) == request()
    assert request("seam", shots=0).of_design.shots == 0


def test_a_request_is_another_after_its_plain_form() -> None:
    asked = request("seam", models=("naive",), runs=2, vary=("shots",), limit=3, budget="1.5")
    plain = asked.to_json()
    assert (plain["runs"], plain["vary"], plain["limit"], plain["strict"], plain["rpm"]) == (
        2,
        ["shots"],
        3,
        False,
        None,
    )
    places = {name: plain.pop(name) for name in ("suite", "suite_file", "home", "raw", "store", "run")}
    again = Request.of(places["suite"], home=places["home"], raw=places["raw"], store=places["store"], **plain)
    assert again == asked


def test_configuration_of_a_flow_loses_its_data_sets(tmp_path: Path) -> None:
    from scrollwork.flows.parameters import request_of

    file = tmp_path / "seam.json"
    file.write_text('{"datasets": [{"name": "MusiQue"}], "num_different_runs": 4}', encoding="utf-8")
    given = {"suite": "seam", "tasks": [], "splits": [], "vary": [], "runs": None, "config": str(file)}
    made = request_of({**given, "home": str(tmp_path / "home")})
    assert (made.tasks, made.of_design.runs, made.of_design.config) == (("musique",), 4, None)


@pytest.mark.parametrize("name", ["raw", "config"])
def test_empty_place_is_taken_for_none(name: str) -> None:
    with pytest.raises(UsageError, match=f"--{name} is empty"):
        Request.of("seam", home="home", **{"sample": name != "raw", name: ""})


@pytest.mark.parametrize("place", ["home", "raw"])
def test_request_without_a_place_is_made(place: str) -> None:
    with pytest.raises(UsageError, match=f"has an empty {place}: name its folder"):
        Request("zeroscrolls", **{"home": "/nowhere", "raw": "/nowhere", place: ""})


@pytest.mark.parametrize("variable", ["SCROLLWORK_HOME", "SCROLLWORK_STORE"])
def test_variable_that_is_set_to_nothing_is_taken_for_none(
    variable: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from scrollwork.flows.parameters import request_of

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCROLLWORK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(variable, "")
    with pytest.raises(UsageError, match=f"{variable} is empty: unset it for none"):
        request_of({"suite": "zeroscrolls", "home": None, "store": None})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["status", "verify", "down"])
def test_empty_variable_of_the_home_is_overlooked_by_a_command(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from scrollwork.cli.main import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCROLLWORK_HOME", "")
    with pytest.raises(SystemExit) as ended:
        main([command])
    assert ended.value.code == 2
    assert "SCROLLWORK_HOME is empty: unset it for none" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_flow_takes_an_empty_home(tmp_path: Path) -> None:
    from scrollwork.flows.parameters import request_of

    with pytest.raises(UsageError, match="--home is empty: leave it out for none"):
        request_of({"suite": "zeroscrolls", "home": "", "store": None})


def test_flow_takes_no_null_for_a_list() -> None:
    from scrollwork.flows.build_datasets import build_datasets

    assert build_datasets.validate_parameters({"tasks": None, "vary": None})["tasks"] is None


@pytest.mark.parametrize("kind", [int, tuple])
def test_help_with_a_sign_of_percent_ends_the_command(kind: type) -> None:
    one = Option("least", kind, None, "the page names a task below N % (of all)", BUILD, "inputs", "--least", "N")
    flags, settings = argument(one)
    top = argparse.ArgumentParser()
    top.add_argument(*flags, **{name: value for name, value in settings.items() if name != "group"})
    assert "below N % (of all" in top.format_help()
