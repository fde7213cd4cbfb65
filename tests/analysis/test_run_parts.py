"""What a model did in one run: nothing of another."""

from __future__ import annotations

from scrollwork.analysis.comparison.summary import Member, run_of
from scrollwork.analysis.runs.summary import of_run


def test_an_input_of_another_run_is_counted() -> None:
    names = [f"{run}\x1f{name}" for run in (0, 1, 12) for name in ("a", "b")]
    member = Member(
        scores={name: {"f1": 50.0} for name in names},
        failed=set(names),
        ended=dict.fromkeys(names, "length"),
        in_format=dict.fromkeys(names, True),
        masked=set(names),
    )
    for run in (0, 1, 12):
        own = {name for name in names if run_of(name) == run}
        found = of_run(member, run)
        assert len(own) == 2
        assert [{*part} for part in (found.scores, found.failed, found.ended, found.in_format, found.masked)] == [
            own
        ] * 5
