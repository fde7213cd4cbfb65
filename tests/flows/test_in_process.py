"""The server of one run: what may lie in its way."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
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


class Noted:
    """A server that is not started: `patience_s` of each use."""

    url, alive = "http://127.0.0.1:2/api", True

    def __init__(self, folder: Path) -> None:
        self.folder, self.patience_s = folder, list[float]()

    def use(self, patience_s: float) -> None:
        self.patience_s.append(patience_s)

    def is_alive(self) -> bool:
        return self.alive


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """A process that has imported Prefect, without a server of its own or of another."""
    from prefect.context import refresh_global_settings_context

    monkeypatch.setattr(in_process, "TemporaryServer", Noted)
    monkeypatch.setattr(in_process, "_own", None)
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.setenv("PREFECT_SERVER_ALLOW_EPHEMERAL_MODE", "true")
    refresh_global_settings_context()
    yield monkeypatch
    monkeypatch.undo()
    refresh_global_settings_context()


def test_settings_are_those_of_the_moment_prefect_was_imported(fresh: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fresh.setenv("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "170")
    made = in_process.start_server(tmp_path)
    assert isinstance(made, Noted)
    assert made.patience_s == [170]
    fresh.setenv("PREFECT_API_URL", "http://127.0.0.1:3/api")
    assert in_process.start_server(tmp_path) is None, "`up` has started one since"


def test_second_run_of_a_process_starts_a_second_server(fresh: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = in_process.start_server(tmp_path / "one")
    assert in_process.start_server(tmp_path / "two") is first
    fresh.setenv("PREFECT_API_URL", Noted.url)  # as another thread's run has it that is under way
    assert in_process.start_server(tmp_path / "two") is first
    fresh.delenv("PREFECT_API_URL")
    fresh.setattr(Noted, "alive", False)
    again = in_process.start_server(tmp_path / "two")
    assert again is not first
    assert isinstance(again, Noted)
    assert again.folder == tmp_path / "two"
