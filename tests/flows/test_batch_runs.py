"""`run --batch` from the command line: days apart, beside a run without it, under Prefect, and where it cannot be."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import PROJECT, Call, Scrollwork, environment, files_of
from tests.models.hosted_kit import ANTHROPIC_KEY, OPENAI_KEY
from tests.servers.vendor import Vendor, running

TASKS = ("--task", "qmsum", "--task", "space_digest")
ASKED = 15  # requests of these tasks


@pytest.fixture
def vendor() -> Iterator[Vendor]:
    with running() as served:
        yield served


@pytest.fixture
def work(scrollwork: Scrollwork, vendor: Vendor, tmp_path: Path) -> Scrollwork:
    """The command with keys in its environment, and a file of models at the loopback."""
    price = 'price = { input = 1.0, output = 2.0, batch = 0.5, date = "2026-01-01", source = "a test" }'
    (tmp_path / "own.toml").write_text(
        f'[gpt]\nprovider = "openai"\nid = "g"\nbase_url = "{vendor.url}/v1"\nserver = "lab"\n{price}\n'
        f'[claude]\nprovider = "anthropic"\nid = "claude-old"\nbase_url = "{vendor.url}"\nserver = "lab"\n'
    )
    return scrollwork.with_(env={"OPENAI_API_KEY": OPENAI_KEY, "ANTHROPIC_API_KEY": ANTHROPIC_KEY})


def own(work: Scrollwork) -> tuple[str, ...]:
    """The tasks, and the file of models."""
    return (*TASKS, "--models", str(work.home.parent / "own.toml"))


@pytest.mark.slow
def test_run_ends_without_saying_what_waits_or_pays_for_it_again(work: Scrollwork, vendor: Vendor) -> None:
    arguments = (*own(work), "--model", "claude", "--batch")
    vendor.set(batch={"looks": 10**6})
    first = work.run(*arguments, "--batch-wait", "1", model="gpt", status=1)
    assert f"{ASKED} requests of gpt wait in batch batch_00000001" in first.err
    assert f"{ASKED} requests of claude wait in batch msgbatch_00000001" in first.err
    assert "run the same command with --batch later" in first.err
    status = work("status", "--json").document
    assert [(one["model"], one["requests"]) for one in status["open_batches"]] == [("gpt", ASKED), ("claude", ASKED)]
    assert f"open batch: {ASKED} requests of gpt wait in batch batch_00000001" in work("status").out

    online = work.run(*arguments[:-1], model="gpt", status=1)
    assert "requests wait in a batch; run it with --batch to wait too" in online.err
    assert vendor.log.requests("/v1/chat/completions") == [], "what waits in a batch is as good as paid"

    vendor.set(batch={})
    last = work.run(*arguments, "--json", model="gpt")
    assert [len(vendor.batches[name].made) for name in ("openai", "anthropic")] == [1, 1]
    assert last.document["spent"]["calls"] == 2 * ASKED
    alone = work.with_(home=work.home.parent / "online")
    alone.run(*arguments[:-1], model="gpt")
    assert answers(work.home) == answers(alone.home)
    kinds = ("score", "aggregate", "judge", "compare")  # a report shows the price, half of it in a batch
    batched, asked = ({n: d for n, d in files_of(h).items() if n.startswith(kinds)} for h in (work.home, alone.home))
    assert asked.items() <= batched.items()
    written = b"".join(path.read_bytes() for path in work.home.rglob("*") if path.is_file())
    assert not any(key.encode() in written for key in (OPENAI_KEY, ANTHROPIC_KEY))


def answers(home: Path) -> dict[str, str]:
    """Stored answers by request key."""
    with sqlite3.connect(home / "responses.db") as store:
        return dict(store.execute("SELECT request_key, text FROM responses"))


@pytest.mark.slow
def test_run_without_batch_leaves_answers_that_are_there(work: Scrollwork, vendor: Vendor) -> None:
    vendor.set(batch={"looks": 10**6})
    work.run(*own(work), "--batch", "--batch-wait", "1", model="gpt", status=1)
    vendor.set(batch={})
    (batch,) = vendor.batches["openai"].made.values()
    vendor.batches["openai"].look(batch)
    work.run(*own(work), model="gpt")
    assert len(answers(work.home)) == ASKED
    assert vendor.log.requests("/v1/chat/completions") == []


@pytest.mark.slow
def test_interrupt_cancels_batches_or_is_a_traceback(work: Scrollwork, vendor: Vendor) -> None:
    vendor.set(batch={"looks": 10**6})
    process = work.start(
        "run", "zeroscrolls", "--sample", "--engine", "inline", *own(work), "--model", "gpt", "--batch"
    )
    deadline = time.monotonic() + 60
    while not any(row["path"].startswith("/v1/batches/") for row in vendor.log.requests()):
        assert time.monotonic() < deadline, process.poll()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert not [row for row in vendor.log.requests() if "cancel" in row["path"]]
    vendor.set(batch={})
    work.run(*own(work), "--batch", model="gpt")
    assert len(vendor.batches["openai"].made) == 1


@pytest.mark.slow
def test_batches_do_not_work_under_prefect(work: Scrollwork, vendor: Vendor) -> None:
    vendor.set(batch={"ends": ["expired"], "done": 0.5})
    done = work("run", "zeroscrolls", "--sample", *own(work), "--model", "gpt", "--model", "naive:seed=0", "--batch")
    first, second = vendor.batches["openai"].made.values()
    answered = sum(line["how"] == "succeeded" for line in first.lines)
    assert f"has ended: {answered} answered, {ASKED - answered} without an answer" in done.err
    assert (len(first.requests), len(second.requests)) == (ASKED, ASKED - answered)
    assert set(work.last_run().values()) == {"built"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--model", "compatible:t", "--base-url", "http://127.0.0.1:9/v1", "--batch"), "which takes no batches"),
        (("--model", "naive", "--batch"), "--batch is for models of anthropic and openai; none was named"),
        (("--model", "naive", "--batch-wait", "5"), "--batch-wait says how long --batch waits: give both"),
        (("--model", "openai:g", "--batch", "--batch-wait", "-1"), "--batch-wait must be 0 or more, not -1"),
    ],
)
def test_batch_where_there_is_none(
    call: Call, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", OPENAI_KEY)
    status, _, err = call("run", "zeroscrolls", "--sample", *TASKS, "--engine", "inline", *arguments)
    assert status == 2
    assert said in err


@pytest.mark.slow
@pytest.mark.soak  # as tests/flows/test_secrets.py, with two tasks in one batch
def test_key_in_a_secret_block_is_not_read_for_batches(work: Scrollwork, vendor: Vendor) -> None:
    vendor.set(key=OPENAI_KEY)
    file = work.home.parent / "own.toml"
    file.write_text(file.read_text().replace('id = "g"', 'id = "g"\nkey_secret = "lab-key"'))
    block = "from prefect.blocks.system import Secret; Secret(value=sys.argv[1]).save('lab-key')"
    start = "import os, sys, pathlib; from scrollwork.flows.server.local_server import settings; os.environ |= settings(pathlib.Path(sys.argv[2]))"
    env = {**environment(PYTHONPATH=str(PROJECT)), "SCROLLWORK_HOME": str(work.home)}
    (work.home / "prefect").mkdir(parents=True)
    made = [sys.executable, "-c", f"{start}; {block}", OPENAI_KEY, str(work.home)]
    subprocess.run(made, cwd=PROJECT, env=env, check=True, timeout=120, capture_output=True)
    keyless = work.with_(env={})
    done = keyless("run", "zeroscrolls", "--sample", "--json", "--batch", "--model", "gpt", *own(work))
    assert {row["coverage"]["answered"] for row in done.document["tasks"]} == {9, 6}
    assert len(vendor.batches["openai"].made) == 1
