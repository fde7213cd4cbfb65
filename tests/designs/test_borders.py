"""What is one suite's experiment stays its own: code of runs and of windows is in no other suite's keys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from scrollwork.flows.chains import Chain
from scrollwork.pipeline.design import design_of
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.plan import topological
from scrollwork.pipeline.source_digest import sources
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import load_suite
from tests.conftest import PROJECT

OWN = {"zeroscrolls": "", "scrolls": "", "seam": "runs", "dolce": "windows"}


@pytest.mark.parametrize("suite", OWN)
def test_stage_has_code_of_another_experiment_in_its_key(suite: str, tmp_path: Path) -> None:
    model = "bm25" if suite == "dolce" else "naive"
    chain = Chain(Request.of(suite, home=str(tmp_path), sample=True, models=(model,), limit=2))
    scored = chain.scored
    together = chain.after_all_scores([chain.judge(one) for one in scored], scored, [])
    beside = [*map(chain.judge, scored), *chain.after_each_score, *together]
    nodes = topological([chain.overview(chain.built), chain.report(scored, [], beside)])
    other = {path.stem for path in (PROJECT / "designs").glob("[a-z]*.py")} - {"fixed", OWN[suite]}
    found = {
        (node.stage, module) for node in nodes for module in sources(node.code) if other.intersection(module.split("."))
    }
    assert found == set()
    assert {node.stage for node in nodes} >= {"curate", "sample", "prompt", "generate", "score", "aggregate", "judge"}
    assert {node.stage for node in nodes} >= {"statistics", "overview", "compare", "report"}


@pytest.mark.parametrize("suite", OWN)
def test_suite_names_another_design(suite: str) -> None:
    assert load_suite(suite).design == (OWN[suite] or "fixed")
    assert design_of(load_suite(suite)) is design_of(load_suite(suite))


def test_design_that_there_is_not_ends_in_a_traceback() -> None:
    with pytest.raises(UsageError, match="suite zeroscrolls: there is no design 'twice'"):
        design_of(replace(load_suite("zeroscrolls"), design="twice"))
