"""What a run shows and what its home shows come from one ledger: a home in which one run ended holds the run's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrollwork.flows.chains import Chain
from scrollwork.flows.execute import run
from scrollwork.pipeline.engines.inline import run_inline
from scrollwork.readings.home_ledger import ledger_in
from scrollwork.readings.results import Results, report_of
from scrollwork.reporting.boards.ranks import TABLES
from scrollwork.storage.home import Home
from scrollwork.suites.request import Request
from scrollwork.tasks.report.ledger import Ledger

ASKED = {
    "zeroscrolls": {"models": ("bm25", "lead", "naive"), "tasks": ("qmsum", "space_digest", "book_sum_sort")},
    "seam": {"models": ("lead", "naive"), "tasks": ("musique", "sci_co"), "runs": 2},
    "dolce": {"models": ("planted:noise=0.2", "planted:noise=0.4"), "strategy": "take:2", "limit": 4},
}


@pytest.mark.slow
@pytest.mark.parametrize("suite", ASKED)
def test_page_of_a_home_shows_other_rows_than_the_page_of_its_only_run(suite: str, tmp_path: Path) -> None:
    chain = Chain(Request.of(suite, home=str(tmp_path), sample=True, **ASKED[suite]))
    outcome = run(chain, run_inline)
    own = Results(chain).ledger(report_of(outcome))
    assert own is not None
    of_home = ledger_in(Home(str(tmp_path)), suite)
    assert of_home.remarks == []
    assert len(own.rows) > 3
    assert sorted(map(repr, of_home.ledger.rows)) == sorted(map(repr, own.rows))
    assert tables(of_home.ledger) == tables(own)
    assert ranking(of_home.ledger) == ranking(own)
    assert {name for name, rows in own.tables.items() if rows} >= {"conduct", "slices", "comparisons"}
    assert of_home.ledger.board.sections == own.board.sections


def ranking(ledger: Ledger) -> dict[str, list[str]]:
    """Rows of a ranking by table."""
    return {name: sorted(map(repr, getattr(ledger.ranks, name))) for name in TABLES}


def tables(ledger: Ledger) -> dict[str, list[str]]:
    """Rows by table; the order of models differs, for a run has that of its request."""
    return {name: sorted(map(repr, rows)) for name, rows in ledger.tables.items() if rows}
