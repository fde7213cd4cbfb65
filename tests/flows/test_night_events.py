"""What an event of a night is compared with."""

from __future__ import annotations

from dataclasses import replace

from scrollwork.flows.alerts import last_before
from tests.reporting.nights_rows import nights


def test_another_version_is_told_against_a_night_without_one() -> None:
    rows = nights(4)
    (model,) = rows[3].models
    assert last_before(rows[3], model, rows) == rows[2].models[0]
    silent = replace(rows[2], models=(replace(rows[2].models[0], versions=()),))
    assert last_before(rows[3], model, [*rows[:2], silent, rows[3]]) == rows[1].models[0]
    assert last_before(rows[3], replace(model, versions=()), rows) is None
    assert last_before(rows[0], rows[0].models[0], rows) is None
    assert last_before(replace(rows[3], settings="f" * 16), model, rows) is None
