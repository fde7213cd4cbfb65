"""Alerts on a real server of `up`, from real flow runs to receivers on loopback ports."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scrollwork.flows import alive
from scrollwork.flows.alive import ALIVE, EVERY_S
from scrollwork.flows.server.automations import automation, digest_of, is_untouched, shipped
from scrollwork.flows.server.lost_alerts import EXECUTED, FAILED, lost, lost_line
from scrollwork.flows.server.receivers import MAIL, SLACK, WEBHOOK, Receiver
from tests.conftest import PROJECT, Scrollwork, Server, environment, kill
from tests.flows.receivers import Mail, Web, until
from tests.nights.hotels import GOOD, ready
from tests.survival.hosted import KEYS, Vendors, vendors

SECRET = "s3cret-token"
HOSTILE = '10% <!channel> @all ![x](http://e.example/p) <img src=x> {{ 7*7 }} "}\n'
NAMES = [str(row["name"]) for row in shipped()]
BLOCKS = """
import sys
import time
from prefect.blocks.notifications import SlackWebhook
from prefect.blocks.system import Secret
from prefect.blocks.webhook import Webhook
url, mail = sys.argv[1:]
headers = {"Content-Type": "application/json"}
Webhook(url=f"{url}/json/s3cret-token", headers=headers).save("scrollwork-alerts")
Webhook(url=f"{url}/slack/s3cret-token", headers=headers).save("scrollwork-slack")
SlackWebhook(url=f"mailto://127.0.0.1:{mail}?from=nights@example.org&to=ana@example.org&mode=insecure").save("scrollwork-mail")
Secret(value=f"{url}/ping/s3cret-token").save("scrollwork-ping")
"""


class Alerted:
    """The server, its vendor and its receivers."""

    def __init__(self, server: Server, vendor: Vendors, raw: Path) -> None:
        self.server, self.vendor, self.web, self.mail = server, vendor, Web(), Mail()
        self.raw = raw

    def automations(self) -> dict[str, dict[str, Any]]:
        return {one["name"]: one for one in self.server.post("automations/filter", limit=200)}

    def put(self, name: str, **changes: Any) -> None:
        """Change the trigger of an automation, as its user would."""
        found = self.automations()[name]
        self.send("PUT", f"automations/{found['id']}", {**written(found), "trigger": {**found["trigger"], **changes}})

    def send(self, method: str, path: str, body: Any) -> Any:
        headers = {"Content-Type": "application/json"}
        url = f"{self.server.noted['url']}/{path}"
        return self.server._answer(urllib.request.Request(url, json.dumps(body).encode(), headers, method=method))

    def night(self, **parameters: Any) -> dict[str, Any]:
        """A night of the deployment `hotels`, to its end."""
        made = self.server.get("deployments/name/nightly/hotels")["id"]
        run = self.server.post(f"deployments/{made}/create_flow_run", parameters=parameters)
        return self.server.wait(run["id"], timeout_s=240)

    def told(self, kind: str, count: int = 1, timeout_s: float = 60) -> list[dict[str, Any]]:
        """What the webhook got of a kind, once it is that much; what was sent twice of one event counts once."""
        path = f"/json/{SECRET}"

        def found() -> list[dict[str, Any]]:
            assert None not in self.web.at(path), "a call was cut before its body"
            of_kind = [one for one in self.web.at(path) if one["kind"] == kind]
            return list({(one["about"], one["event"], one["at"]): one for one in of_kind}.values())

        until(lambda: len(found()) >= count, f"{count} alerts of kind {kind}", timeout_s)
        return found()


@pytest.fixture(scope="module")
def alerted(house: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Alerted]:
    place = tmp_path_factory.mktemp("alerted")
    root = shutil.copytree(house, place / "project", symlinks=True)
    server = Server(Scrollwork(root, root / ".scrollwork", env={**KEYS, "PREFECT_LOGGING_ROOT_LEVEL": "INFO"}))
    with vendors(place) as vendor:
        work = ready(Scrollwork(root, place / "kit" / "home"), vendor, retired=str(date.today() + timedelta(days=9)),
                     family={"context": 1_000_000}, concurrency=2)  # fmt: skip
        found = Alerted(server, vendor, work.home.parent)
        try:
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            said = server.work("up", "--port", str(port)).err
            assert said.count("alerts go nowhere yet: make a Webhook block named scrollwork-alerts") == 1, said
            deploy_hotels(found)
            yield found
        finally:
            server.work("down", "--quiet", status=None)
            kill(server.processes())


def deploy_hotels(alerted: Alerted) -> None:
    """A deployment beside `nightly`, of the vendor's model, and one whose pool has no worker."""
    own = alerted.server.get("deployments/name/nightly/nightly")
    parameters = {
        "raw": str(alerted.raw / "raw"), "sample": False, "models": ["m"], "tasks": ["space_digest", "quality"],
        "models_file": str(alerted.raw / "own.toml"),
    }  # fmt: skip
    same = {name: own[name] for name in ("flow_id", "entrypoint", "path", "pull_steps", "tags", "job_variables")}
    alerted.server.post("work_pools/", name="idle", type="process")
    hotels = {"name": "hotels", "work_pool_name": "local", "parameters": parameters, **same}
    alerted.send("POST", "deployments/", hotels)
    alerted.send("POST", "deployments/", {"name": "idle", "work_pool_name": "idle", **same})


@pytest.fixture(scope="module")
def received(alerted: Alerted) -> Alerted:
    """The same, with receivers that the user made."""
    server = alerted.server
    access = {"PREFECT_API_URL": server.noted["url"], "PREFECT_API_AUTH_STRING": server.secret}
    command = [sys.executable, "-c", BLOCKS, alerted.web.url, str(alerted.mail.port)]
    subprocess.run(command, env=environment(**access), cwd=alerted.raw, check=True, timeout=120)
    before = alerted.automations()
    assert set(before) == set(NAMES)
    said = server.work("up").err
    assert "alerts go to scrollwork-alerts, scrollwork-mail, scrollwork-slack\n" in said
    after = alerted.automations()
    assert {name: one["id"] for name, one in after.items()} == {name: one["id"] for name, one in before.items()}
    assert len(after["scrollwork: failed"]["actions"]) == 3
    return alerted


def texts(bodies: list[Any]) -> list[str]:
    return list(dict.fromkeys(str(one["text"]) for one in bodies))  # one may be sent twice


def written(found: dict[str, Any]) -> dict[str, Any]:
    """What a request may say of an automation that the server told."""
    return {name: value for name, value in found.items() if name not in ("id", "created", "updated")}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_night_that_drops_changes_ends_or_has_no_money_is_not_told(received: Alerted) -> None:
    assert received.night()["state_name"] == "Completed"
    (ends,) = received.told("model-ends")
    assert ends["text"].startswith(f"m: its vendor retires it on {date.today() + timedelta(days=9)}, in 9 days")
    until(lambda: received.web.at(f"/ping/{SECRET}"), "the ping of a whole night")

    received.vendor.set(edition=HOSTILE)
    failed = received.night()
    assert failed["state_name"] == "Failed"
    (regressed,) = received.told("regression")
    assert regressed["text"].endswith(failed["state"]["message"])
    assert "space_digest fell by " in regressed["text"]
    (version,) = received.told("version")
    assert version["text"].startswith("m: its vendor reports version ")
    assert "<!channel>" in version["text"], "as JSON it is data"
    assert [one["text"] for one in received.told("failed")] == [
        f"The run nightly zeroscrolls failed: {failed['state']['message']}"
    ]
    until(lambda: len(received.web.at(f"/ping/{SECRET}")) == 2, "a ping of each whole night")

    kinds = {f"scrollwork, {kind}" for kind in ("model-ends", "regression", "version", "failed")}
    slack = until(
        lambda: found if len(found := texts(received.web.at(f"/slack/{SECRET}"))) == 4 else None, "all of Slack"
    )
    assert {text.partition(":")[0] for text in slack} == kinds
    (told,) = [text for text in slack if text.startswith("scrollwork, version")]
    assert not [bad for bad in ("<", ">", "](", "@all") if bad in told], told
    assert "{{ 7*7 }}" in told, "it was taken for a template"
    mails = until(lambda: [one for one in received.mail.got if one["Subject"] == "scrollwork: version"], "a mail")
    assert "<img" not in mails[0].get_body().get_content()  # type: ignore[union-attr]

    received.vendor.set(edition=GOOD)
    poor = received.night(budget="0.001", fresh="run")
    assert poor["state_name"] == "Failed"
    (budget,) = received.told("budget")
    assert "of its budget of $0.0010 are spent" in budget["text"]
    assert len(received.told("failed", 2)) == 2
    assert len(received.web.at(f"/ping/{SECRET}")) == 2, "a night that is not whole was pinged"
    assert len(received.told("model-ends")) == 1, "it is told each night"

    try_out = ["event", "emit", "scrollwork-night.changed", "--resource-id", "scrollwork-night.a-try"]
    received.server.prefect(*try_out, "--payload", '{"text": "a try"}')  # as docs/alerts.md says
    assert [one["text"] for one in received.told("changed")] == ["a try"]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_late_missed_or_crashed_night_is_not_told_or_a_change_by_hand_is_undone(received: Alerted) -> None:
    received.put("scrollwork: late", within=10)
    received.put("scrollwork: missed", within=10)
    received.put("scrollwork: long", within=10)
    before = received.automations()
    said = received.server.work("up").err
    for name in ("late", "missed", "long"):
        assert f"alerts: 'scrollwork: {name}' was changed by hand and is left so" in said
    assert received.automations() == before

    nightly = received.server.get("deployments/name/nightly/nightly")
    (schedule,) = nightly["schedules"]
    timed = {"active": True, "schedule": {"cron": "* * * * *", "timezone": "UTC"}}
    received.send("PATCH", f"deployments/{nightly['id']}/schedules/{schedule['id']}", timed)
    idle = received.server.get("deployments/name/nightly/idle")["id"]
    due = {
        "type": "SCHEDULED",
        "state_details": {"scheduled_time": (datetime.now(UTC) - timedelta(minutes=5)).isoformat()},
    }
    late = received.server.post(f"deployments/{idle}/create_flow_run", state=due, name="of an idle pool")

    hanging = received.server.post(f"deployments/{idle}/create_flow_run", state={"type": "RUNNING"}, name="hanging")
    run = received.server.post(f"deployments/{idle}/create_flow_run", state={"type": "RUNNING"}, name="mine")["id"]
    received.server.post(f"flow_runs/{run}/set_state", state={"type": "CRASHED", "message": "killed"})
    crashed = received.told("crashed")
    assert [one["text"] for one in crashed] == ["The run mine crashed: killed"]
    assert crashed[0]["about"] == f"prefect.flow-run.{run}"

    told = received.told("long", timeout_s=120)
    assert told[0]["about"] == f"prefect.flow-run.{hanging['id']}"
    assert told[0]["text"].startswith("The run hanging has not ended")
    (told,) = received.told("late", timeout_s=120)
    assert told["about"] == f"prefect.flow-run.{late['id']}"
    assert told["text"].startswith("The run of an idle pool was due and has not begun")

    wanted = {"event": {"name": ["scrollwork-night.begun"]}}
    begun = lambda: received.server.post("events/filter", filter=wanted)["events"]  # noqa: E731
    until(begun, "a night begun by its schedule", 180)
    received.send("PATCH", f"deployments/{nightly['id']}/schedules/{schedule['id']}", {"active": False})
    missed = received.told("missed", timeout_s=180)
    assert missed[0]["text"].startswith("No night began in time after the one of ")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_an_alert_of_a_busy_server_is_lost(received: Alerted) -> None:
    """Other runs begin and end meanwhile. Before each transaction took SQLite's lock first, 14 of 21 came, 39 times,
    and the server stood still for a minute at a time (flows/server/busy.py)."""
    idle = received.server.get("deployments/name/nightly/idle")["id"]

    def ended(state: str, message: str = "") -> str:
        path = f"deployments/{idle}/create_flow_run"
        run = received.server.post(path, state={"type": "RUNNING"})["id"]
        received.server.post(f"flow_runs/{run}/set_state", state={"type": state, "message": message})
        return f"prefect.flow-run.{run}"

    stop, others = threading.Event(), 0

    def load() -> None:
        nonlocal others
        while not stop.wait(0.3):
            ended("COMPLETED")
            others += 1

    threads = [threading.Thread(target=load) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        failed: list[str] = []
        while len(failed) < 25 or others <= 10:
            failed.append(ended("FAILED", f"n. {len(failed)}"))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    came = lambda: [one["about"] for one in received.web.at(f"/json/{SECRET}") if one["about"] in failed]  # noqa: E731
    until(lambda: set(came()) == set(failed), "all alerts", 60)
    time.sleep(2)
    assert len(came()) <= len(failed) + 2, "more than two came twice"


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_secret_of_a_receiver_is_written_down(received: Alerted) -> None:
    home = received.server.work.home
    received.server.work("up", "--json")
    shown = [
        json.dumps(received.server.post("automations/filter", limit=200)),
        received.server.work("status", "--json").out,
    ]
    shown += [path.read_text(errors="replace") for path in (home / "prefect").glob("*.log")]
    shown.append(json.dumps(received.server.post("logs/filter", limit=200)))
    assert not [text for text in shown if SECRET in text]
    assert SECRET.encode() not in (home / "prefect" / "prefect.db").read_bytes()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_an_alert_that_nobody_took_is_known_to_nobody(received: Alerted) -> None:
    def found() -> list[Any]:
        return list(received.server.work("status", "--json").document["lost_alerts"])

    before, text = len(found()), {"text": "a try"}
    emitted = ("event", "emit", "scrollwork-night.regressed", "--resource-id", "scrollwork-night.of-nobody")
    with received.web.refusing():
        received.server.prefect(*emitted, "--payload", json.dumps(text))
        until(lambda: len(found()) >= before + 2, "both webhooks are told as lost", 60)
    assert {(one["alert"], one["status"]) for one in found()[:2]} == {("scrollwork: regression", 500)}
    told = received.server.work("status").out
    assert re.search(
        r"warning: \d alerts were not delivered in 7 days, the last one 'scrollwork: regression' at ", told
    )
    assert "its receiver answered 500" in told
    assert SECRET not in told


def test_a_receiver_that_was_not_reached_is_quoted_with_its_address() -> None:
    event = {"resource": {"prefect.resource.name": "scrollwork: failed"}, "occurred": "2026-11-29T03:31:00+00:00",
             "payload": {"action_type": "call-webhook", "reason": f"ConnectError: {SECRET}"}}  # fmt: skip
    found = lost(event, FAILED)
    assert found is not None
    assert lost_line([found]) == (
        "1 alert was not delivered in 7 days, the last one 'scrollwork: failed' at 2026-11-29T03:31:00Z: its receiver was "
        "not reached"
    )
    assert lost(event, EXECUTED) is None
    assert lost({**event, "resource": {"prefect.resource.name": "mine"}}, FAILED) is None


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_second_apply_changes_something_or_a_first_one_tramples(received: Alerted) -> None:
    received.send("PATCH", f"automations/{received.automations()['scrollwork: failed']['id']}", {"enabled": False})
    before = received.automations()
    mine = {**written(before["scrollwork: failed"]), "name": "mine", "description": "", "enabled": True}
    received.server.post("automations/", **mine)
    received.send("POST", "automations/", written(before["scrollwork: crashed"]))  # two commands at the same time
    renamed = before["scrollwork: budget gone"]
    received.send("PUT", f"automations/{renamed['id']}", {**written(renamed), "name": "ours: budget"})
    said = received.server.work("up").err
    after = received.automations()
    assert len(received.server.post("automations/filter", limit=200)) == len(NAMES) + 1
    assert set(after) == {*NAMES, "mine", "ours: budget"} - {"scrollwork: budget gone"}
    assert "'scrollwork: budget gone' was changed by hand" in said
    assert after["scrollwork: failed"]["enabled"] is False
    assert {name: after[name] for name in before if name in after and name != "scrollwork: crashed"} == {
        name: before[name] for name in before if name in after and name != "scrollwork: crashed"
    }
    received.send("DELETE", f"automations/{after['mine']['id']}", None)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_server_that_was_down_crashes_a_run_that_lives(received: Alerted) -> None:
    """It was silent for the server alone: `up` lets its signs of life count anew."""
    server, vendor = received.server, received.vendor
    asked = len(vendor.requests())
    vendor.set(latency_s=25.0)
    made = server.get("deployments/name/nightly/hotels")["id"]
    run = server.post(f"deployments/{made}/create_flow_run", parameters={"tasks": ["space_digest"]})["id"]
    until(lambda: len(vendor.requests()) > asked, "the vendor is asked", 120)
    kill([server.noted["server"]])
    time.sleep(95)  # longer than a run may be silent
    server.work("up")
    for _ in range(20):
        assert server.get(f"flow_runs/{run}")["state_type"] == "RUNNING"
        time.sleep(1)
    vendor.set(latency_s=0.02)
    server.wait(run, timeout_s=240)
    names = [one["name"] for one in server.get(f"flow_run_states/?flow_run_id={run}")]
    assert names[-1] in ("Completed", "Failed")  # alone, this night has no verdict on the other task
    assert "Crashed" not in names


# ---- without a server


def test_an_automation_depends_on_how_the_server_writes_it() -> None:
    """Digests are equal with ids, defaults, sets in another order, and numbers as floats."""
    for row in shipped():
        made = automation(
            row, [Receiver(name, "00000000-0000-0000-0000-000000000001") for name in (MAIL, SLACK, WEBHOOK)]
        )
        trigger = made["trigger"]
        theirs = {**trigger, "id": "1", "within": float(trigger["within"]), "expect": trigger["expect"][::-1]}
        theirs["match_related"] = trigger["match_related"] or {}
        found = {**made, "trigger": theirs, "actions_on_trigger": [], "tags": []}
        assert is_untouched(found)
        assert not is_untouched({**found, "name": "other"})
        assert not is_untouched({**found, "description": "other"})
        for change in ({"within": trigger["within"] + 1}, {"expect": [*trigger["expect"], "more"]}, {"threshold": 2}):
            assert not is_untouched({**found, "trigger": {**theirs, **change}})
        assert not is_untouched({**found, "actions": [*made["actions"], {"type": "do-nothing"}]})
        assert digest_of(automation(row, [])) == digest_of(automation(row, []))


def test_a_run_of_other_flows_is_judged_by_signs_of_life() -> None:
    """Only what gives them, every 30 seconds, is waited for; no deployment has to ask for it."""
    (lost,) = [row for row in shipped() if row["name"] == "scrollwork: heartbeat lost"]
    trigger = lost["trigger"]
    assert (trigger["after"], trigger["within"]) == ([ALIVE], 3 * EVERY_S)
    assert ALIVE in trigger["expect"]
    assert "heartbeat" not in (PROJECT / "prefect.yaml").read_text()


@pytest.mark.slow
def test_a_run_that_no_deployment_began_gives_signs_or_a_deployed_one_goes_on_after_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[dict[str, str]] = []
    monkeypatch.setattr(alive, "emit_event", lambda name, resource: told.append(resource) or 1 / 0)
    monkeypatch.setattr(alive, "EVERY_S", 0.05)

    def of(deployment: str | None) -> Any:
        return SimpleNamespace(flow_run=SimpleNamespace(id="r", name="n", deployment_id=deployment))

    for context, least in ((None, 0), (of(None), 0), (of("d"), 3)):
        monkeypatch.setattr(alive.FlowRunContext, "get", lambda context=context: context)
        told.clear()
        with alive.signs_of_life():
            time.sleep(0.5)
        count = len(told)
        assert (count >= least) if least else (count == 0), "an event that cannot be told ends them"
        time.sleep(0.2)
        assert len(told) == count
    assert told[0]["prefect.resource.id"] == "prefect.flow-run.r"
