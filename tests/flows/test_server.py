"""Flows on a real Prefect server and worker that `scrollwork up` started, called as a person calls them."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from scrollwork.flows.server.plugin import how_to_make
from scrollwork.flows.server.processes import free_port
from tests.conftest import PROJECT, Scrollwork, edit, environment, files_of, kill, processes_of

pytestmark = pytest.mark.slow

STAGES_OF_BUILD = ("curate", "sample", "prompt", "statistics", "overview")


@pytest.fixture(scope="module")
def builds(server):
    """(first, second) flow run of build-datasets: by its bare name, then by its full one."""
    first = server.wait(server.trigger("build-datasets"))
    second = server.wait(server.trigger("build-datasets/build-datasets"))
    return first, second


@pytest.fixture(scope="module")
def nightly(server, builds):
    """A flow run of nightly-eval by its bare name, in a home where the data sets are built."""
    return server.wait(server.trigger("nightly-eval"))


def test_a_second_up_starts_a_second_server(server):
    before = server.noted
    began = time.monotonic()
    done = server.work("up", "--json")
    assert {name: done.document[name] for name in ("url", "ui", "secret_file", "variables")} == {
        name: before[name] for name in ("url", "ui", "secret_file", "variables")
    }
    assert time.monotonic() - began < 5
    assert server.noted == before
    assert before["server"] in server.processes()
    assert before["worker"] in server.processes()


def test_tasks_that_begin_together_are_sent_away_for_seconds(server):
    """Each asks for the limits of its tags, whose rows the others write: SQLite refuses what read before it wrote."""
    for name in ("tag:one", "tag:two"):
        server.post("v2/concurrency_limits/", name=name, limit=1000)

    def begin(_):
        try:
            answer = server.post("v2/concurrency_limits/increment-with-lease", names=["tag:one", "tag:two"], slots=1)
            return len(answer["limits"])
        except urllib.error.HTTPError as error:
            return f"{error.code}"

    with ThreadPoolExecutor(4) as pool:
        assert Counter(pool.map(begin, range(64))) == {2: 64}


def test_status_does_not_know_the_server(server):
    assert server.work("status", "--json").document["server"] == server.noted["ui"]
    assert server.noted["ui"] in server.work("status").out


def test_a_deployment_is_missing_or_nightly_runs_can_pile_up(server):
    flows = {flow["id"]: flow["name"] for flow in server.post("flows/filter")}
    found = {made["name"]: made for made in server.post("deployments/filter")}
    assert {name: flows[made["flow_id"]] for name, made in found.items()} == {
        "build-datasets": "build-datasets",
        "evaluate": "evaluate",
        "nightly-eval": "evaluate",
        "nightly": "nightly",
    }
    assert {made["status"] for made in found.values()} == {"READY"}, "a worker polls their pool"
    assert {made["work_pool_name"] for made in found.values()} == {"local"}
    assert {name for name, made in found.items() if made["schedules"]} == {"nightly-eval", "nightly"}
    for name, cron in (("nightly-eval", "0 2 * * *"), ("nightly", "30 3 * * *")):
        (schedule,) = found[name]["schedules"]
        assert schedule["active"] == (name == "nightly-eval"), "what asks models anew runs before somebody turned it on"
        assert (schedule["schedule"]["cron"], schedule["schedule"]["timezone"]) == (cron, "Europe/Berlin")
        assert found[name]["global_concurrency_limit"]["limit"] == 1
        assert found[name]["concurrency_options"]["collision_strategy"] == "CANCEL_NEW"


def test_night_never_comes(server):
    """Its schedule makes runs: with SQLAlchemy 2.1, Prefect 3.8's scheduler fails on every turn, in its log alone."""
    (nightly,) = [made for made in server.post("deployments/filter") if made["name"] == "nightly-eval"]
    wanted = {
        "deployments": {"id": {"any_": [nightly["id"]]}},
        "flow_runs": {"state": {"name": {"any_": ["Scheduled"]}}},
    }
    deadline = time.monotonic() + 90
    while not (coming := server.post("flow_runs/filter", **wanted)) and time.monotonic() < deadline:
        time.sleep(1)
    assert coming
    assert all(run["auto_scheduled"] for run in coming)


def test_the_bare_name_of_a_deployment_is_refused_or_its_default_parameters_fail(server, builds):
    first, _ = builds
    assert first["state_name"] == "Completed", first["state"]["message"]
    assert first["name"] == "build zeroscrolls"
    rows = server.work("build", "zeroscrolls", "--sample", "--json").document
    assert len(rows) == 10
    assert all(row["examples"] for row in rows)


def test_task_runs_are_unnamed_or_untagged(server, builds):
    runs = server.task_runs(builds[0]["id"])
    assert {"curate qmsum", "sample qmsum", "prompt qmsum"} <= set(runs)
    assert {run["name"].split()[0] for run in runs.values()} == set(STAGES_OF_BUILD)
    assert set(runs["curate qmsum"]["tags"]) >= {"zeroscrolls", "qmsum"}
    assert all("/" not in name and len(name) < 60 for name in runs)


def test_a_second_run_executes_a_stage(server, builds):
    first, second = (Counter(run["state_name"] for run in server.task_runs(run["id"]).values()) for run in builds)
    assert set(first) == {"Completed"}
    assert set(second) == {"Reused"}
    assert first.total() == second.total()
    assert builds[1]["state_name"] == "Completed"


def test_the_nightly_evaluation_fails_or_rebuilds_the_data_sets(server, nightly):
    assert nightly["state_name"] == "Completed", nightly["state"]["message"]
    runs = server.task_runs(nightly["id"], "report")
    states = {name: run["state_name"] for name, run in runs.items()}
    assert {state for name, state in states.items() if name.split()[0] in STAGES_OF_BUILD} == {"Reused"}
    assert states["generate qmsum, naive"] == states["aggregate qmsum, naive"] == states["report"] == "Completed"


def test_the_leaderboard_cannot_be_seen_in_the_ui(server, nightly):
    (artifact,) = server.post("artifacts/latest/filter", artifacts={"key": {"any_": ["leaderboard-zeroscrolls"]}})
    assert artifact["type"] == "markdown"
    assert artifact["flow_run_id"] == nightly["id"]
    assert "naive" in artifact["data"]
    for short in ("GvRp", "QMsm", "BkSS"):
        assert short in artifact["data"]
    page = server.work.home / "reports" / "zeroscrolls.html"
    assert page.read_text(encoding="utf-8").rstrip().endswith("</html>")


def test_a_command_runs_beside_the_server_or_redoes_its_work(server, nightly):
    """What the worker built, the command in a shell reuses; what the command builds, the server shows."""
    before = files_of(server.work.home)
    assert "nothing was to be done" in server.work("run", "zeroscrolls", "--sample", "--model", "naive").err
    assert files_of(server.work.home) == before
    known = {run["id"] for run in server.flow_runs()}
    done = server.work("run", "zeroscrolls", "--sample", "--model", "naive:seed=99", "--task", "musique", "--json")
    assert done.document["tasks"][0]["task"] == "musique"
    (new,) = [run for run in server.flow_runs() if run["id"] not in known]
    assert (new["name"], new["state_name"]) == ("evaluate zeroscrolls", "Completed")
    states = {name: run["state_name"] for name, run in server.task_runs(new["id"], "report").items()}
    assert (states["curate musique"], states["generate musique, naive:seed=99"]) == ("Reused", "Completed")


def test_a_retry_redoes_more_than_what_failed(server, tmp_path):
    """`prefect flow-run retry` of a run with a damaged raw file, once the file is mended."""
    raw = tmp_path / "raw"
    shutil.copytree(server.work.root / "sample" / "raw" / "musique", raw / "musique")
    shutil.copytree(server.work.root / "sample" / "raw" / "qmsum", raw / "qmsum")
    path = raw / "qmsum" / "data" / "ALL" / "jsonl" / "test.jsonl"
    whole = path.read_bytes()
    path.write_bytes(b"")
    work = Scrollwork(server.work.root, tmp_path / "home")
    parameters = {"raw": str(raw), "home": str(work.home), "tasks": ["qmsum", "musique"], "models": ["naive:seed=0"]}
    run_id = server.trigger("evaluate", "--params", json.dumps(parameters))
    failed = server.wait(run_id)
    assert failed["state_name"] == "Failed"
    assert "curate qmsum" in failed["state"]["message"]
    assert "test.jsonl" in failed["state"]["message"]
    states = {name: run["state_name"] for name, run in server.task_runs(run_id, "report").items()}
    assert states["curate qmsum"] == "Failed"
    assert states["aggregate musique, naive:seed=0"] == states["report"] == "Completed", "everything else goes on"
    stood = {place: json.loads((place / "run.json").read_text())["written"] for place in artifacts(work.home)}
    files = files_of(work.home)

    path.write_bytes(whole)
    server.prefect("flow-run", "retry", run_id)
    time.sleep(1)
    ended = server.wait(run_id)
    assert (ended["state_name"], ended["run_count"]) == ("Completed", 2)
    for place, written in stood.items():
        assert json.loads((place / "run.json").read_text())["written"] == written, f"{place} was written again"
    after = files_of(work.home)
    assert {name: after[name] for name in files} == files
    last = {name: run["state_name"] for name, run in server.task_runs(run_id, "report", times=2).items()}
    assert {name: state for name, state in last.items() if "musique" in name} == dict.fromkeys(
        [f"{stage} musique" for stage in ("curate", "sample", "prompt", "tokens")]
        + [f"{stage} musique, naive:seed=0" for stage in ("generate", "score", "aggregate", "judge")],
        "Reused",
    )
    assert {state for name, state in last.items() if "qmsum" in name} == {"Completed"}


def artifacts(home):
    return [path.parent for path in (home / "artifacts").rglob("manifest.json")]


def test_nightly_fails_on_a_fresh_clone_or_its_second_night_does(server, nightly):
    for _ in range(2):
        run = server.wait(server.trigger("nightly"))
        assert run["state_name"] == "Completed", run["state"]["message"]


def test_deploying_all_needs_an_environment_variable(server):
    done = server.prefect("--no-prompt", "deploy", "--all")
    assert done.out.count("successfully created") == 4, done.out[-2000:]
    assert {made["name"] for made in server.post("deployments/filter")} == {
        "build-datasets",
        "evaluate",
        "nightly-eval",
        "nightly",
    }


def test_an_unknown_deployment_is_a_traceback(server):
    done = server.prefect("deployment", "run", "build-dataset", status=1)
    assert "Traceback" not in done.err + done.out
    assert "build-dataset" in done.err + done.out


def test_a_failing_plugin_takes_prefect_along(server, house, tmp_path):
    """Without a server, with a broken note of one, with other insides of Prefect, with a broken module: `prefect` works."""
    root = shutil.copytree(house, tmp_path / "project", symlinks=True)
    other = type(server)(Scrollwork(root, root / ".scrollwork"))
    assert "3." in other.prefect("version").out

    note = root / ".scrollwork" / "prefect" / "server.json"
    note.parent.mkdir(parents=True)
    note.write_text('{"url": "http://127.0.0.1:9/api", "ui": 7, "server": null, "worker": []}')
    assert other.prefect("version", "--omit-integrations").status == 0

    plugin = root / "flows" / "server" / "plugin.py"
    text = plugin.read_text()
    plugin.write_text(
        text.replace(
            "def accept_bare_names() -> None:", "def accept_bare_names() -> None:\n    1 / 0\n\n\ndef before() -> None:"
        )
    )
    access = {"PREFECT_API_URL": server.noted["url"], "PREFECT_API_AUTH_STRING": server.secret}
    listed = other.prefect("deployment", "ls", **access)
    assert "nightly-eval" in listed.out
    plugin.write_text("1 / 0\n")
    listed = other.prefect("deployment", "ls", **access)
    assert "nightly-eval" in listed.out


def test_deploying_to_a_pool_that_is_missing_does_not_say_what_to_do(server, house, tmp_path):
    root = shutil.copytree(house, tmp_path / "project", symlinks=True)
    edit(root / "prefect.yaml", lambda text: text.replace("{name: local", "{name: lacking"))
    other = type(server)(Scrollwork(root, root / ".scrollwork"))
    access = {"PREFECT_API_URL": server.noted["url"], "PREFECT_API_AUTH_STRING": server.secret}
    done = other.prefect("--no-prompt", "deploy", "--all", status=1, **access)
    assert (
        done.err.count("There is no work pool 'lacking' on this server. Make it: `prefect work-pool create lacking")
        == 1
    )
    assert "deploy again, and `prefect worker start --pool lacking` for its runs." in done.err
    assert "Make it: `scrollwork up` starts a server that has it" in how_to_make("local")


def test_the_plugin_overrules_the_server_that_the_user_named(server):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}/api"
    done = server.prefect("config", "view", "--show-sources", PREFECT_API_URL=url)
    assert f"PREFECT_API_URL='{url}'" in re.sub(r"\s+", "", done.out)


def test_the_ui_is_not_served_or_asks_another_server(server):
    page = server.get("/")
    assert "<html" in page.lower()
    assert server.get("/ui-settings")["api_url"] == "/api", "of the address that the page came from"
    assert server.noted["url"] == f"{server.noted['ui']}/api" == f"http://127.0.0.1:{server.noted['port']}/api"


def test_server_worker_or_a_flow_run_send_telemetry(server):
    wanted = {b"PREFECT_SERVER_ANALYTICS_ENABLED=false", b"DO_NOT_TRACK=1"}
    for pid in (server.noted["server"], server.noted["worker"]):
        with open(f"/proc/{pid}/environ", "rb") as stream:
            assert wanted <= set(stream.read().split(b"\0"))
    assert server.get("admin/settings")["server"]["analytics_enabled"] is False


def test_down_leaves_processes_or_a_note_behind(house, tmp_path):
    """A home beside the other one: up on a port of its own, runs nothing, is stopped alone and whole."""
    root = shutil.copytree(house, tmp_path / "project", symlinks=True)
    work = Scrollwork(root, tmp_path / "home")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    try:
        up = work("up", "--port", str(port), "--json").document
        assert up["ui"] == f"http://127.0.0.1:{port}"
        assert len(processes_of(work.home)) >= 2
        note = json.loads((work.home / "prefect" / "server.json").read_text())
        assert work("down", "--json").document == {"stopped": True}
        assert processes_of(work.home) == []
    finally:
        work("down", status=None)
    assert note["port"] == port
    assert not (work.home / "prefect" / "server.json").exists()
    assert not (root / ".scrollwork" / "prefect" / "server.json").exists()
    assert free_port(port) == port, "the next server can have it at once"
    assert work("down", "--json").document == {"stopped": False}


def test_a_command_of_prefect_that_fails_is_hidden_or_goes_on_to_the_next():
    lines = "".join(json.dumps(line) + "\n" for line in (["no-such-command"], ["version"]))
    command = [sys.executable, "-m", "scrollwork.flows.server.prefect_commands"]
    done = subprocess.run(command, cwd=PROJECT, env=environment(), input=lines, capture_output=True, text=True)
    assert done.returncode not in (0, None)
    assert "prefect no-such-command failed" in done.stderr
    assert "Python version" not in done.stdout


def test_a_deployment_that_cannot_be_made_is_not_told_or_leaves_a_server(tree, tmp_path):
    work = Scrollwork(tree, tmp_path / "home")
    edit(tree / "prefect.yaml", lambda text: text.replace("flows/evaluate.py:evaluate", "flows/evaluate.py:gone"))
    with socket.create_server(("127.0.0.1", 0)) as free:  # the usual port is that of other tests, too
        port = free.getsockname()[1]
    done = work("up", "--quiet", "--port", str(port), status=1)
    assert "work pool and deployments were not made:" in done.err
    assert "gone" in done.err
    assert "Traceback" not in done.err.partition("were not made")[0]
    assert not (work.home / "prefect" / "server.json").exists()
    assert processes_of(work.home) == []


# ---- recovery. Last: the session's worker is another one afterwards.


def made_run(server, deployment, name, **changes):
    """The id of a flow run that is shown as running, as a worker of `up` would have left it."""
    run = server.post(f"deployments/{deployment}/create_flow_run", name=name, state={"type": "RUNNING"})["id"]
    labels = changes.pop("labels", {"prefect.worker.name": f"scrollwork-{server.noted['port']}"})
    for path, body in (("", changes), ("/labels", labels)):
        if body:
            url = f"{server.noted['url']}/flow_runs/{run}{path}"
            headers = {"Content-Type": "application/json"}
            server._answer(urllib.request.Request(url, json.dumps(body).encode(), headers, method="PATCH"))
    return run


def test_a_dead_worker_is_not_told_or_up_ends_more_than_what_is_gone(server):
    """kill -9 of the worker: `status` says it, `up` starts another beside the same server, and ends what has no process."""
    before = server.noted
    with subprocess.Popen([sys.executable, "-c", ""]) as died:
        died.wait()
    gone = str(died.pid)
    (ours,) = [made for made in server.post("deployments/filter") if made["name"] == "evaluate"]
    theirs = server.post("deployments/", name="theirs", flow_id=ours["flow_id"], entrypoint="other.py:evaluate")["id"]
    killed = made_run(server, ours["id"], "killed", infrastructure_pid=gone)
    stage = {"type": "RUNNING", "name": "Running"}
    task = server.post("task_runs/", flow_run_id=killed, task_key="score", dynamic_key="0", state=stage)["id"]
    alone = made_run(server, ours["id"], "flow alone", infrastructure_pid=gone)
    server.post(f"flow_runs/{alone}/set_state", state={"type": "CRASHED"})
    left = server.post("task_runs/", flow_run_id=alone, task_key="score", dynamic_key="0", state=stage)["id"]
    others = [
        made_run(server, theirs, "of another project", infrastructure_pid=gone),
        made_run(
            server, ours["id"], "of a remote worker", infrastructure_pid=gone, labels={"prefect.worker.name": "r"}
        ),
        made_run(server, ours["id"], "of a command", labels={}),
    ]
    env = environment(PREFECT__FLOW_RUN_ID=(live := made_run(server, ours["id"], "live")))
    with subprocess.Popen([sys.executable, "-c", "input()"], env=env, stdin=subprocess.PIPE) as process:
        others.append(live)
        assert server.work("status", "--json").document["worker_state"] == "running"
        kill([before["worker"]])
        state = server.work("status", "--json").document
        assert (state["server"], state["server_state"], state["worker_state"]) == (before["ui"], "running", "ended")
        assert "worker: ended, nothing that is deployed runs (scrollwork up starts it)" in server.work("status").out
        said = server.work("up").err
        process.kill()
    after = server.noted
    assert (after["server"], after["url"]) == (before["server"], before["url"])
    assert after["worker"] != before["worker"]
    assert "its worker has ended" in said
    assert "starting the Prefect server" not in said
    assert "worker: running" in server.work("status").out
    assert "ended 1 flow run whose process is gone" in said
    assert server.get(f"flow_runs/{killed}")["state_type"] == "CRASHED"
    assert [server.get(f"task_runs/{one}")["state_type"] for one in (task, left)] == ["CRASHED"] * 2
    assert [server.get(f"flow_runs/{run}")["state_type"] for run in others] == ["RUNNING"] * 4
    for run in others:
        server.post(f"flow_runs/{run}/set_state", state={"type": "CANCELLED"}, force=True)
    url = f"{server.noted['url']}/deployments/{theirs}"
    server._answer(urllib.request.Request(url, method="DELETE"))
    ran = server.wait(server.trigger("evaluate", "--param", 'tasks=["space_digest"]'))
    assert ran["state_name"] == "Completed", "the new worker asks the server, with its secret"
