"""The plan of a remote home: the same as when each node is looked at alone, with several requests under way."""

from __future__ import annotations

import time
import uuid
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from scrollwork.flows import execute
from scrollwork.flows.chains import Chain
from scrollwork.pipeline.planner import Planner, Status
from scrollwork.storage.errors import StorageError
from scrollwork.storage.location import Location
from scrollwork.suites.request import Request


def chain_of(home: str, store: Path, **more: Any) -> Chain:
    wanted = {"sample": True, "models": ("lead", "bm25"), "tasks": ("qmsum", "space_digest"), **more}
    return Chain(Request.of("zeroscrolls", home=home, store=f"sqlite:///{store / 'answers.db'}", **wanted))


def test_report_from_other_raw_files_ends_in_an_assertion(own_cache: Path, tmp_path: Path) -> None:
    chain = chain_of(str(tmp_path / "home"), tmp_path)
    with pytest.raises(StorageError, match="raw files changed while this ran: run the same command again"):
        execute.just_built(chain, chain.evaluated[0])


def plain(status: Status) -> tuple[Any, ...]:
    return status.state, status.why, status.key, status.content, str(status.problem), str(status.damage)


@pytest.mark.slow
def test_looking_at_nodes_together_gives_other_states(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    home = f"memory://{uuid.uuid4().hex}/home"
    at_once, most, lock, original = 0, 0, Lock(), Location.read

    def read(self: Location, name: str) -> bytes:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        time.sleep(0.02)
        try:
            with lock:  # files of fsspec's memory have one position
                return original(self, name)
        finally:
            with lock:
                at_once -= 1

    monkeypatch.setattr(Location, "read", read)
    (tmp_path / "raw").mkdir()
    seen = set()
    for step in ("empty", "built", "damaged", "changed", "no raw files"):
        more: dict[str, Any] = {"changed": {"seed": 7}, "no raw files": {"sample": False, "raw": str(tmp_path / "raw")}}
        if step == "built":
            assert not execute.run(chain_of(home, tmp_path)).failed
        if step == "damaged":
            artifacts = Location(f"{home}/artifacts")
            manifest = next(path for path in artifacts.below() if path.startswith("score/") and "manifest" in path)
            artifacts.replace(manifest, b"{}")
        most = 0
        together = {
            node.name: plain(one) for node, one in execute.plan(chain_of(home, tmp_path, **more.get(step, {}))).statuses
        }
        reached = most
        chain = chain_of(home, tmp_path, **more.get(step, {}))
        planner = Planner(chain.session)
        alone = {node.name: plain(planner.status(node)) for node in chain.plan(chain.evaluated).nodes}
        assert {name: together[name] for name in alone} == alone
        assert reached >= 2 or step == "no raw files", "one request after the other"
        seen |= {one[0] for one in together.values()}
    assert seen == {"missing", "reused", "stale"}
