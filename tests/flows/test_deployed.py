"""`up` in a project whose prefect.yaml was edited: the server has what the file says, and what the user deployed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from scrollwork.flows.server.deployed import of_file
from scrollwork.flows.server.processes import free_port
from tests.conftest import Scrollwork, Server, lend_database

BY_HAND = "7 7 * * *"
NAMED = ("parameters", "description", "tags", "entrypoint", "work_pool_name")


def deployed(server: Server) -> dict[str, dict[str, Any]]:
    """What the server has, by name, in the words of the file."""
    found = {}
    for made in server.post("deployments/filter"):
        times = sorted((one["schedule"].get("cron"), one["schedule"].get("timezone")) for one in made["schedules"])
        limit = (made["global_concurrency_limit"] or {}).get("limit")
        found[made["name"]] = {**{name: made[name] for name in NAMED}, "schedules": times, "limit": limit}
    return found


def drop_own(found: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Without the schedule that the test makes by hand."""
    return {
        name: {**one, "schedules": [at for at in one["schedules"] if at[0] != BY_HAND]} for name, one in found.items()
    }


def said_by(file: Path) -> dict[str, dict[str, Any]]:
    """What the file says, alike."""
    found = {}
    for row in yaml.safe_load(file.read_text(encoding="utf-8"))["deployments"]:
        times = sorted((one["cron"], one.get("timezone", "UTC")) for one in row.get("schedules", ()))
        parts = {"parameters": row.get("parameters", {}), "work_pool_name": row["work_pool"]["name"]}
        same = {name: row[name] for name in ("description", "tags", "entrypoint")}
        limit = row.get("concurrency_limit", {}).get("limit")
        found[row["name"]] = {**same, **parts, "schedules": times, "limit": limit}
    return found


@pytest.mark.slow
def test_evaluation_that_was_taken_out_of_the_file_goes_on_every_night(tree: Path, tmp_path: Path) -> None:
    """Before, the server kept what the file had: a removed deployment, and the schedule of one that has none now."""
    work, file = Scrollwork(tree, tmp_path / "home"), tree / "prefect.yaml"
    lend_database(work.home)
    server, port = Server(work), str(free_port(4300, others=True))
    rows = yaml.safe_load(file.read_text(encoding="utf-8"))
    build, evaluate, nightly, _ = rows["deployments"]
    rows["deployments"].append({**nightly, "name": "weekly"})

    def up() -> str:
        file.write_text(yaml.safe_dump(rows), encoding="utf-8")
        said = work("up", "--port", port).err
        found = {name: one for name, one in deployed(server).items() if name in said_by(file)}
        assert drop_own(found) == said_by(file)
        return said

    try:
        assert "removed" not in up()
        once = ("--name", "own", "--pool", "local", "--cron", "1 1 * * *")
        server.prefect("--no-prompt", "deploy", evaluate["entrypoint"], *once)
        server.prefect("deployment", "schedule", "create", "evaluate/evaluate", "--cron", BY_HAND)
        assert "prefect.yaml was changed" not in work("up").err
        file.write_text(file.read_text(encoding="utf-8") + "# edited\n", encoding="utf-8")
        assert "prefect.yaml was changed after it was deployed: scrollwork down, then up" in work("up").err
        assert work("down").err.endswith("stopped\n")
        del nightly["schedules"], nightly["concurrency_limit"]
        nightly |= {"parameters": {"suite": "zeroscrolls", "models": ["lead"], "limit": 3}, "tags": ["other"]}
        timed = {"name": "new", "schedules": [{"cron": "5 6 * * 1", "timezone": "Europe/Rome"}]}
        rows["deployments"] = [evaluate, nightly, {**build, **timed}]
        said, found = up(), deployed(server)
        assert {*found} == {"evaluate", "nightly-eval", "new", "own"}
        assert [found[name]["schedules"][0][0] for name in ("own", "evaluate")] == ["1 1 * * *", BY_HAND]
        for name in ("weekly", "build-datasets", "nightly"):
            assert f"removed deployment {name}: prefect.yaml has it no longer" in said
        assert "removed the schedules of nightly-eval: prefect.yaml has none" in said
    finally:
        work("down", status=None)


def test_names_that_prefect_fills_in_are_taken_for_removed_ones(tmp_path: Path) -> None:
    file = tmp_path / "prefect.yaml"
    file.write_text("deployments:\n- {name: a, entrypoint: x:y, schedules: [{cron: 0 2 * * *}]}\n- name: b\n")
    assert of_file(file) == {("a", "x:y"): True, ("b", "None"): False}
    file.write_text("deployments:\n- {name: 'a-{{ $WHERE }}', entrypoint: x:y}\n")
    assert of_file(file) is None
    file.write_text("deployments:\n")
    assert of_file(file) == {}
