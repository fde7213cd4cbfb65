"""Numbers by key in bounded memory: which keys came before, also when most of them lie on the disk."""

from __future__ import annotations

import os
import sqlite3
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.records import key_table
from scrollwork.records.key_table import KeyTable

keys = st.lists(st.tuples(st.text(max_size=3), st.integers(-(2**63), 2**63 - 1)), max_size=40)


@given(keys, st.integers(1, 8))
def test_table_is_no_dictionary(added: list[tuple[str, int]], keep: int) -> None:
    table, usual = KeyTable(keep), dict[str, int]()
    for key, number in added:
        assert table.add(key, number) == usual.get(key)
        usual.setdefault(key, number)
        assert len(table) == len(usual)
    assert {key: table.get(key) for key in usual} == usual
    assert "never added" not in table
    assert table.get("never added") is None


def test_lone_surrogate_breaks_a_key() -> None:
    table = KeyTable()
    assert table.add("\ud800", 7) is None
    assert "\ud800" in table


def test_memory_grows_with_the_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_table, "KEEP", 1_000)

    def peak(count: int) -> int:
        tracemalloc.start()
        try:
            table = KeyTable()
            for number in range(count):
                table.add(f"key {number}")
            assert len(table) == count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(5_000)  # what is imported late
    assert peak(20_000) - peak(5_000) < 30 * 15_000  # bytes; a set of such texts takes 100 for each


def test_keys_beyond_those_kept_leave_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQLITE_TMPDIR", str(tmp_path))
    table = KeyTable(10)
    for number in range(1_000):
        table.add(str(number))
    assert os.listdir(tmp_path) == []  # it has no name: nothing stays, however the process ends


def test_full_disk_is_no_error_of_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def execute(self, *_: object) -> object:
            return self

        def fetchone(self) -> None:
            return None

        def executemany(self, *_: object) -> None:
            raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(key_table, "_database", Full)
    table = KeyTable(1)
    with pytest.raises(OSError, match="no space left for temporary files"):
        table.add("key")
