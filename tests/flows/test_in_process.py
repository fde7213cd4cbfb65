"""Prefect in process: `scrollwork run` in a shell without a server."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from scrollwork.flows.server.local_server import settings
from tests.conftest import environment, processes_of


@pytest.mark.slow
def test_a_run_needs_a_server_or_leaves_one_running(scrollwork):
    done = scrollwork("run", "zeroscrolls", "--sample", "--model", "naive", "--task", "musique", "--json")
    (row,) = done.document["tasks"]
    assert (row["task"], row["model"]) == ("musique", "naive")
    assert row["coverage"]["answered"] == row["coverage"]["expected"] > 5
    assert "Traceback" not in done.err
    assert re.search(r"^built: 1 curate, .*1 aggregate, ", done.err, re.M)
    assert (scrollwork.home / "prefect").is_dir(), "it keeps its database in the home, not in the user's ~/.prefect"
    assert processes_of(scrollwork.home) == []
    assert list((scrollwork.home / "prefect" / "runs").iterdir()) == [], "while it ran, its flow run was named there"

    inline = scrollwork.run("--task", "musique", "--json", model="naive")
    assert "nothing was to be done" in inline.err
    assert inline.document == done.document


@pytest.mark.slow
def test_a_failure_in_a_flow_is_a_traceback_or_taken_for_success(scrollwork, raw):
    (raw / "qmsum" / "data" / "ALL" / "jsonl" / "test.jsonl").write_bytes(b"")
    command = ("build", "zeroscrolls", "--raw", str(raw), "--task", "qmsum", "--task", "musique", "--json")
    done = scrollwork(*command, status=1)
    assert [row["task"] for row in done.document] == ["musique"]
    assert "error: curate qmsum failed: qmsum/data/ALL/jsonl/test.jsonl: is empty" in done.err
    assert "Traceback" not in done.err


def test_prefect_in_process_sends_telemetry_or_gives_up_while_it_starts(tmp_path, monkeypatch):
    for name in ("PREFECT_API_URL", "PREFECT_SERVER_ANALYTICS_ENABLED", "DO_NOT_TRACK", "PREFECT_HOME"):
        monkeypatch.delenv(name, raising=False)
    found = settings(tmp_path)
    assert found["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"
    assert found["DO_NOT_TRACK"] == "1"
    assert int(found["PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS"]) >= 120
    assert found["PREFECT_HOME"] == str(tmp_path / "prefect")


def test_a_server_that_ends_while_it_starts_is_waited_for_or_begun_for_ever(scrollwork, tmp_path):
    started = tmp_path / "started"
    broken = tmp_path / "uvicorn"
    broken.mkdir()
    (broken / "__main__.py").write_text(f"open({str(started)!r}, 'a').write('x')\nraise SystemExit(7)\n")
    (broken / "__init__.py").touch()
    in_the_way = f"{tmp_path}{os.pathsep}{scrollwork.root}"
    code = f"import sys; sys.path[:0] = {in_the_way.split(os.pathsep)!r}; from scrollwork.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "--home", str(scrollwork.home)]
    command += ["run", "zeroscrolls", "--sample", "--model", "naive", "--task", "space_digest"]
    env = environment(PYTHONPATH=in_the_way)
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "the Prefect server of this run ended with status 7" in done.stderr
    assert "Traceback" not in done.stderr
    assert started.read_text() == "xxx"


def test_a_server_that_the_user_named_is_overruled(tmp_path, monkeypatch):
    monkeypatch.setenv("PREFECT_API_URL", "http://prefect.example/api")
    found = settings(tmp_path)
    assert {"PREFECT_API_URL", "PREFECT_HOME", "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE"} & set(found) == set()
    assert found["DO_NOT_TRACK"] == "1"


def test_a_note_of_a_server_that_is_gone_is_believed(tmp_path, monkeypatch):
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    note = tmp_path / "prefect" / "server.json"
    note.parent.mkdir()
    note.write_text('{"url": "http://127.0.0.1:9/api", "ui": "http://127.0.0.1:9", "server": 1, "worker": 1}')
    assert "PREFECT_API_URL" not in settings(tmp_path)
    note.write_text('{"url": ')
    assert "PREFECT_API_URL" not in settings(tmp_path)
