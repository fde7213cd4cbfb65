"""Raw files in a bucket: the same rows, fetched once by a machine, seen when they change."""

from __future__ import annotations

from pathlib import Path

import pytest

import scrollwork as sw
from scrollwork.storage.errors import AccessDenied
from scrollwork.suites.suite_files import SAMPLE
from tests.conftest import files_of
from tests.remote.bucket import BUCKET, READER, Server, Start, with_variables

pytestmark = pytest.mark.slow
RAW = f"s3://{BUCKET}/raw"
TASKS = ["qmsum", "quality", "narrative_qa"]
FOLDERS = ("qmsum", "quality", "narrativeqa", "narrative_qa")


def put(s3: Server, path: Path, data: bytes | None = None) -> None:
    key = f"raw/{path.relative_to(SAMPLE).as_posix()}"
    s3.client("s3").put_object(Bucket=BUCKET, Key=key, Body=path.read_bytes() if data is None else data)


def test_raw_files_in_a_bucket_give_other_rows_or_are_fetched_again(
    s3: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    paths = [path for folder in FOLDERS for path in sorted((SAMPLE / folder).rglob("*")) if path.is_file()]
    for path in paths:
        put(s3, path)
    what = {"models": ["lead"], "tasks": TASKS}
    assert sw.run("zeroscrolls", raw=str(SAMPLE), home=tmp_path / "local", **what).failures.is_empty()
    with s3.counted() as first:
        done = sw.run("zeroscrolls", raw=RAW, home=tmp_path / "home", **what)
    assert done.failures.is_empty()
    assert files_of(tmp_path / "home") == files_of(tmp_path / "local")
    got = [one.path for one in first if "list-type" not in one.path and one.method == "GET"]
    assert got
    assert len(got) == len(set(got)), "a file was fetched twice"

    with s3.counted() as again:
        sw.run("zeroscrolls", raw=RAW, home=tmp_path / "home", **what)
        sw.run("zeroscrolls", raw=RAW, home=tmp_path / "other", **what)
    assert [one for one in again if "list-type" not in one.path] == [], "more than lists"
    assert {one.method for one in again} == {"GET"}

    assert sw.verify(tmp_path / "home").ok
    changed = next(path for path in paths if path.relative_to(SAMPLE).parts[0] == "qmsum")
    put(s3, changed, changed.read_bytes() + b"\n")
    with s3.counted() as third:
        after = sw.plan("zeroscrolls", raw=RAW, home=tmp_path / "home", **what)
    stale = set(after.filter(after["state"] != "reused")["task"].to_list())
    assert "qmsum" in stale
    assert not stale & {"quality", "narrative_qa"}
    assert len([one for one in third if "list-type" not in one.path and one.method == "GET"]) == 1

    named = f"{RAW}/{changed.relative_to(SAMPLE).as_posix()}: the raw file"
    assert [one for one in sw.verify(tmp_path / "home").broken if "raw file" in one] == [
        f"{named} has other bytes than when it was read (sha256)"
    ]
    s3.client("s3").delete_object(Bucket=BUCKET, Key=f"raw/{changed.relative_to(SAMPLE).as_posix()}")
    assert [one for one in sw.verify(tmp_path / "home").broken if "raw file" in one] == [f"{named} is gone"]


def test_denied_bucket_is_a_traceback_or_no_files(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = start()
    server.reader()  # from now on rights count
    with_variables(monkeypatch, {**server.variables, **server.user("blind", READER[1:])})
    url = f"s3://{BUCKET}/denied"
    with pytest.raises(AccessDenied, match=f"{url}: access denied"):
        sw.plan("zeroscrolls", raw=url, home=tmp_path / "home", models=["lead"], tasks=TASKS)
