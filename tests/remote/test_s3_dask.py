"""A home in a bucket, built by Dask workers that have processes and credentials of their own."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

import scrollwork as sw
from scrollwork.suites.suite_files import SAMPLE
from tests.conftest import files_of, kill
from tests.remote.bucket import BUCKET, Server
from tests.remote.test_s3_raw import RAW, put

pytestmark = pytest.mark.slow
pytest.importorskip("distributed")
from tests.pipeline.test_dask import cluster  # noqa: E402  needs the library


def test_workers_leave_other_bytes_in_a_bucket(s3: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The raw files, too, are in the bucket."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for path in [path for folder in ("qmsum", "space") for path in (SAMPLE / folder).rglob("*") if path.is_file()]:
        put(s3, path)
    what = {"models": ["lead", "naive"], "raw": RAW, "tasks": ["qmsum", "space_digest"]}
    url, store = f"s3://{BUCKET}/dask/home", f"sqlite:///{tmp_path / 'answers.db'}"
    with cluster(tmp_path / "cluster") as found:
        done = sw.run("zeroscrolls", home=url, store=store, engine=f"dask:{found.url}", **what)
        assert done.failures.is_empty()
        kill(found.workers[:1])
        with s3.counted() as idle:
            sw.run("zeroscrolls", home=url, store=store, engine=f"dask:{found.url}", **what)
    assert [one.method for one in idle if one.method != "GET"] == ["PUT"], "more than the note of a run"
    sw.run("zeroscrolls", home=tmp_path / "home", **{**what, "raw": str(SAMPLE)})
    there = {name: sha256(data).hexdigest() for name, data in s3.objects("dask/home/artifacts").items()}
    assert {name: one for name, one in there.items() if not name.endswith("/run.json")} == files_of(tmp_path / "home")
