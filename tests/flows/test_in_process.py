"""The server of one run: what may lie in its way."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from scrollwork.flows.server import in_process
from scrollwork.flows.server.processes import ServiceError


def test_locked_database_is_waited_for_until_a_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_process, "LOCKED_S", 0.1)
    file = tmp_path / "prefect.db"
    in_process.need_unlocked(file)
    assert not file.exists(), "a run makes its own"
    with closing(sqlite3.connect(file, isolation_level=None)) as held:
        held.execute("CREATE TABLE one (two)")
        in_process.need_unlocked(file)
        held.execute("BEGIN IMMEDIATE")
        with pytest.raises(ServiceError, match=r"prefect\.db: database is locked, for 0\.1 seconds; end the program"):
            in_process.need_unlocked(file)
        held.execute("ROLLBACK")
        in_process.need_unlocked(file)
