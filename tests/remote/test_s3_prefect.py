"""Runs through Prefect in one process, one after the other, into a folder, another folder and a bucket: each in its own home."""

from __future__ import annotations

from pathlib import Path

import pytest
from prefect.settings import get_current_settings

import scrollwork as sw
from scrollwork.library.running import own_variables
from tests.remote.bucket import BUCKET, Server

pytestmark = pytest.mark.slow


def test_a_run_through_prefect_lands_in_the_home_before(
    s3: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = own_variables()
    homes = [str(tmp_path / "one"), str(tmp_path / "two"), f"s3://{BUCKET}/prefect", str(tmp_path / "one")]
    models = ["lead", "bm25", "lead", "bm25"]
    for home, model in zip(homes, models, strict=True):
        store = f"sqlite:///{tmp_path / 'of_s3.db'}" if home.startswith("s3:") else ""
        kw = {"home": home, "store": store, "sample": True, "tasks": ["qmsum"], "models": [model], "engine": "prefect"}
        result = sw.run("zeroscrolls", **kw)
        assert result.complete
        assert result.board["model"].to_list() == [model]
        states = sw.plan("zeroscrolls", **{name: value for name, value in kw.items() if name != "engine"})
        assert set(states["state"]) == {"reused"}
    assert own_variables() == before
    assert get_current_settings().api.url == before.get("PREFECT_API_URL"), "Prefect goes on as before"
    shown = [sorted(set(sw.open(home).scores().collect()["model"])) for home in homes[:3]]
    assert shown == [["bm25", "lead"], ["bm25"], ["lead"]]
    assert len(sw.open(homes[0]).runs().collect()) == 2
    assert s3.objects("prefect/plans") == {}
    assert not (tmp_path / "one" / "plans").exists() or not list((tmp_path / "one" / "plans").iterdir())
