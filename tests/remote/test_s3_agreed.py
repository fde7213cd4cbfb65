"""What all users of a home in a bucket must know alike: the context that a model's server listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrollwork.models.hosted.tables import checked_table
from scrollwork.storage.home import Home
from scrollwork.suites.served_contexts import may_list_context, note_contexts, served_context
from tests.remote.bucket import BUCKET, Server, with_variables

pytestmark = pytest.mark.slow


def test_machines_with_one_home_cut_prompts_to_other_lengths(
    started: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Each answer would be paid once a machine where the server lists another context by the time that the next asks."""
    with_variables(monkeypatch, started.variables)
    home = Home.at(f"s3://{BUCKET}/agreed", f"sqlite:///{tmp_path}/answers.db")
    table = checked_table("m", {"provider": "compatible", "id": "tiny", "base_url": "http://127.0.0.1:9/v1"})
    asked: list[str] = []

    def noted(machine: str, listed: int) -> int:
        """The context that a machine cuts to, in a folder of its own, whose server lists so many tokens."""
        (tmp_path / machine).mkdir()
        monkeypatch.chdir(tmp_path / machine)
        monkeypatch.setattr("scrollwork.models.hosted.listing.context_at", lambda *_: asked.append(machine) or listed)
        note_contexts({"m": table}, home)
        return served_context({**table, "tokenizer": "hf:x"}, home)

    assert noted("one", 3000) == 3000
    assert noted("two", 6000) == 3000
    with monkeypatch.context() as patch:  # asked at the same time as the first
        patch.setattr("scrollwork.suites.served_contexts.may_list_context", lambda *_: True)
        assert noted("three", 6000) == 3000
    assert asked == ["one", "three"]
    assert "lists a context of 6,000 tokens; that of 3000 stands" in caplog.text
    before = len(started.sent())
    for machine in ("one", "two", "three"):
        monkeypatch.chdir(tmp_path / machine)
        assert not may_list_context(table, home)
    assert len(started.sent()) == before, "each plan asks the bucket"
