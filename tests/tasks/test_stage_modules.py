"""A stage is its module: name, parameters, declaration and body; nobody else knows it by a string."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from dataclasses import dataclass, field, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from scrollwork.flows.chains import Chain
from scrollwork.pipeline import source_digest
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node, topological
from scrollwork.suites.request import Request
from tests.conftest import PROJECT

MODULES = {
    path.parent.name
    if path.name == "run.py"
    else path.stem: f"scrollwork.tasks.{'.'.join(path.relative_to(PROJECT / 'tasks').with_suffix('').parts)}"
    for path in [*(PROJECT / "tasks").glob("*.py"), *(PROJECT / "tasks").glob("*/run.py")]
    if path.name != "__init__.py"
}
PLAIN = {"judge"}  # it has those of score


def nodes(suite: str, home: Path) -> list[Node]:
    models = {"scrolls": ("lead:fit_split=validation",), "dolce": ("bm25",)}.get(suite, ("naive",))
    asked = Request.of(suite, home=str(home), sample=True, models=models, limit=4)
    chain = Chain(asked)
    judged = [chain.judge(node) for node in chain.scored]
    together = chain.after_all_scores(judged, chain.scored, [])
    report = chain.report(chain.scored, [], [*judged, *together])
    return topological([*chain.built, chain.overview(chain.built), *chain.evaluated, report])


@pytest.mark.parametrize("stage", sorted(MODULES))
def test_a_stage_lacks_its_name_declaration_or_body(stage: str) -> None:
    module: Any = importlib.import_module(MODULES[stage])
    assert stage == module.STAGE
    assert callable(module.declare)
    assert callable(module.run)
    if stage not in PLAIN:
        assert is_dataclass(module.Parameters)
        assert module.Parameters.__doc__
        assert not module.Parameters.__doc__.startswith("Parameters("), "a dataclass makes itself a docstring"


@pytest.mark.parametrize("suite", ["zeroscrolls", "scrolls", "seam", "dolce"])
def test_a_node_has_parameters_that_its_stage_does_not_know(suite: str, tmp_path: Path) -> None:
    """What a body is told goes through its dataclass: a key that it lacks would be decided and never read."""
    seen = set()
    for node in nodes(suite, tmp_path):
        module: Any = importlib.import_module(MODULES[node.stage])
        parameters = getattr(importlib.import_module(node.body), "Parameters", getattr(module, "Parameters", None))
        if parameters is not None:
            assert non_default(parameters(**node.params)) == dict(node.params), node.name
            seen.add(node.stage)
    assert {"curate", "prompt", "generate", "score", "aggregate", "statistics", "tokens", "sample", "report"} <= seen


@dataclass(frozen=True)
class Sized:
    """Parameters of a stage."""

    size: int
    names: tuple[str, ...] = ()
    more: dict[str, int] = field(default_factory=dict)
    limit: int | None = None


def test_a_default_stands_in_a_key_or_what_was_set_does_not() -> None:
    assert non_default(Sized(0)) == {"size": 0}, "one without default stands there whatever it is"
    assert non_default(Sized(3, ("a",), {"b": 1}, 0)) == {"size": 3, "names": ("a",), "more": {"b": 1}, "limit": 0}
    assert non_default(Sized(3, (), {}, None)) == {"size": 3}


def test_an_import_for_type_checkers_is_in_a_key_or_one_that_runs_is_not() -> None:
    text = """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from scrollwork.suites.parts import Part
else:
    from scrollwork.records.score import Score
if not TYPE_CHECKING:
    import scrollwork.records.prompt
def run():
    if True:
        from scrollwork.records.example import Example
"""
    imports = source_digest._imports(source_digest.syntax_tree(text), "scrollwork.tasks.x")
    found = {name for name in imports if "scrollwork" in name}
    assert "scrollwork.suites.parts" not in found
    assert {"scrollwork.records.score", "scrollwork.records.prompt", "scrollwork.records.example"} <= found


def compared(path: Path) -> Iterator[str]:
    """Names of stages that a module writes as text where it compares `.stage` or `stage` with it."""
    for node in ast.walk(source_digest.syntax_tree(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Compare) and ast.unparse(node.left).rpartition(".")[2] == "stage":
            yield from (one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and one.value in MODULES)


def test_a_stage_is_known_by_a_string_outside_its_module() -> None:
    rooms = ("cli", "exchange", "flows", "readings", "tasks", "suites", "pipeline", "fetching", "storage")
    found = {
        str(path.relative_to(PROJECT)): names
        for room in rooms
        for path in (PROJECT / room).rglob("*.py")
        if (names := list(compared(path)))
    }
    assert set(found) == set(), found
