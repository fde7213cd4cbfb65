"""How many prompts a stage renders at once: many short ones, few long ones, with the same answers either way."""

from __future__ import annotations

from pathlib import Path

import pytest

import scrollwork as sw
from scrollwork.tasks.generate import pending, snapshot
from tests.conftest import files_of

ASKED = {"models": "bm25", "tasks": ("squality", "qmsum"), "sample": True, "engine": "inline", "workers": 1}


def test_long_prompts_fill_the_memory_or_short_ones_are_stored_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[int]] = []
    plain = snapshot.answer_missing

    def noted(calls, model, session):
        asked[-1].append(len(calls))
        return plain(calls, model, session)

    monkeypatch.setattr(snapshot, "answer_missing", noted)
    left = []
    for characters in (pending.MOST_CHARACTERS, 60_000, 1):
        monkeypatch.setattr(pending, "MOST_CHARACTERS", characters)
        asked.append([])
        home = tmp_path / str(characters)
        assert sw.run("zeroscrolls", home=home, **ASKED).complete
        left.append(files_of(home))
    whole, some, single = asked
    assert len(whole) == 2, "a stage for each task"
    assert max(single) == 1
    assert sum(whole) == sum(some) == sum(single)
    assert 2 < len(some) < len(single)
    assert left[0] == left[1] == left[2]
