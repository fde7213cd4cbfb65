"""No key in any form stays anywhere: after runs with failures whose messages echo it, every byte of the home is read,
decoded where it is compressed, and all that was said."""

from __future__ import annotations

import base64
import sqlite3
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.conftest import Scrollwork
from tests.models.hosted_kit import ANTHROPIC_KEY, OPENAI_KEY
from tests.survival.hosted import Vendors, hosted, of_model, rows, table, vendors

GATEWAY_KEY = "gw+7/Q9 &=é".encode().hex() + "/+=loopback-Pq33"  # of no vendor's shape


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Vendors]:
    with vendors(tmp_path) as running:
        yield running


def forms(key: str) -> set[bytes]:
    """How a key may be written down, whole or by its secret end."""
    found = {key, repr(key), urllib.parse.quote(key, safe=""), key[-16:], key.replace("/", "\\/")}
    coded = {base64.b64encode(f"{before}{key}".encode()) for before in ("", "Bearer ", "user:", ":")}
    return {form.encode() for form in found} | coded | {key.encode("utf-16-le"), key.encode().hex().encode()}


def contents(home: Path) -> Iterator[tuple[str, bytes]]:
    """(name, bytes) of every file, of the tables of databases and Parquet as text too."""
    for path in sorted(home.rglob("*")):
        if not path.is_file():
            continue
        yield str(path), path.read_bytes()
        if path.suffix == ".parquet":
            yield f"{path} decoded", str(pq.read_table(path).to_pylist()).encode("utf-8", "replace")
        elif path.suffix == ".db":
            with sqlite3.connect(path) as database:
                yield f"{path} dumped", "\n".join(database.iterdump()).encode("utf-8", "replace")


@pytest.mark.slow
# Without Prefect in `make soak`: the case through Prefect asserts the same of the same files, and of Prefect's.
@pytest.mark.parametrize("engine", ["prefect", pytest.param("inline", marks=pytest.mark.soak)])
def test_key_is_in_the_home_or_in_what_is_said(engine: str, scrollwork: Scrollwork, served: Vendors) -> None:
    retry = {"attempts": 2, "seconds": 5.0}
    tables = (
        table("gpt", served.url, retry=retry),
        table("claude", served.url, provider="anthropic", retry=retry),
        table("gateway", served.url, provider="compatible", id="h", key_env="GATEWAY_KEY", retry=retry),
    )
    work = hosted(scrollwork, "".join(tables), GATEWAY_KEY=GATEWAY_KEY, PREFECT_LOGGING_LEVEL="DEBUG")
    command = ("run", "zeroscrolls", "--sample", "--engine", engine, *of_model(work, "gateway", "claude", "gpt"))
    said = b""
    mixed = {"share": 1.0, "kinds": ["403", "500", "html", "reset", "400"], "most": 1}
    for task, plan in (("qmsum", mixed), ("space_digest", {"always": "401"}), ("quality", {"always": "echo"})):
        served.set(plan=plan)
        done = work(*command, "--task", task, status=0 if task == "quality" else 1)
        said += done.out.encode() + done.err.encode()
    assert b"[key]" in said, "a failure that echoes the key is told, without it"
    for more in (("status",), ("status", "--json"), ("plan", *command[1:3], *command[5:])):
        done = work(*more)
        said += done.out.encode() + done.err.encode()
    statuses = {status for (status,) in rows(work.home, "SELECT DISTINCT status FROM attempts")}
    assert {400, 401, 403, 500} <= statuses
    masked = "SELECT DISTINCT text FROM responses WHERE masked"
    assert rows(work.home, masked) == [("Authorization: [key]",)], "answers that repeat it"
    assert rows(work.home, "SELECT count(*) FROM responses WHERE masked <> (text LIKE '%[key]%')") == [(0,)]
    files = [("what was said", said), *contents(work.home)]
    if engine == "prefect":
        assert any("prefect" in name and name.endswith("dumped") for name, _ in files)
    for name, data in files:
        for key in (OPENAI_KEY, ANTHROPIC_KEY, GATEWAY_KEY):
            for form in forms(key):
                assert form not in data, f"{form!r} in {name}"
