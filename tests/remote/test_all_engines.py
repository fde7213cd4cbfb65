"""One request by each engine, into folders and buckets: the same files under the same keys, byte for byte."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

import scrollwork as sw
from scrollwork.pipeline.engines import processes
from scrollwork.suites.suite_files import SAMPLE
from tests.conftest import files_of
from tests.remote.bucket import BUCKET, Server
from tests.remote.test_s3_raw import RAW, put

pytestmark = pytest.mark.slow
pytest.importorskip("distributed")
WHAT = {"models": ["lead", "naive"], "tasks": ["qmsum", "space_digest"]}
WAYS = {  # name: engine, processes, whether the home and the raw files are in a bucket
    "inline": ("inline", 1, False),
    "processes": ("inline", 2, False),
    "prefect": ("prefect", 1, False),
    "dask": ("dask", 2, False),
    "inline into a bucket": ("inline", 1, True),
    "prefect into a bucket": ("prefect", 2, True),
    "dask into a bucket": ("dask", 2, True),
}


def test_an_engine_leaves_other_bytes_or_keys(s3: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(processes, "WAIT_S", 0.0)
    for path in [path for folder in ("qmsum", "space") for path in (SAMPLE / folder).rglob("*") if path.is_file()]:
        put(s3, path)
    left, rows = {}, {}
    for name, (engine, count, remote) in WAYS.items():
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / name))  # each on a machine of its own
        place = name.replace(" ", "-")
        home = f"s3://{BUCKET}/engines/{place}" if remote else str(tmp_path / place)
        store = f"sqlite:///{tmp_path / place}.db"
        raw = RAW if remote else str(SAMPLE)
        done = sw.run("zeroscrolls", home=home, store=store, raw=raw, engine=engine, workers=count, **WHAT)
        assert done.complete
        (row,) = sw.open(home, store=store).runs().collect().to_dicts()
        rows[name] = {key: value for key, value in row.items() if key in ("built", "reused", "failed")}
        if remote:
            found = s3.objects(f"engines/{place}/artifacts")
            left[name] = {
                path: sha256(data).hexdigest() for path, data in found.items() if not path.endswith("/run.json")
            }
        else:
            left[name] = files_of(tmp_path / place)
    assert len(left["inline"]) > 50
    assert [name for name, files in left.items() if files != left["inline"]] == []
    assert [name for name, row in rows.items() if row != rows["inline"]] == []
