"""`scrollwork fetch` as a person types it: exit status, JSON, kills, two at once, and a build from what it brought."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Scrollwork
from tests.fileserver import FileServer, body, serving, status

PATHS = ("data/ALL/jsonl/val.jsonl", "data/ALL/jsonl/test.jsonl")


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serving() as files:
        yield files


@pytest.fixture
def data(house: Path) -> bytes:
    return (house / "sample/raw/qmsum" / PATHS[1]).read_bytes()


@pytest.fixture
def fetch(scrollwork: Scrollwork, server: FileServer, tmp_path: Path) -> tuple[Scrollwork, list[str]]:
    own = tmp_path / "own.toml"
    listed = ", ".join(f'{{ path = "{path}" }}' for path in PATHS)
    own.write_text(f'[hosts]\n[qmsum]\nlicence = "MIT"\nbase = "{server.url}/"\nfiles = [{listed}]\n')
    return scrollwork, ["fetch", "zeroscrolls", "--task", "qmsum", "--sources", str(own), "--allow-private-addresses"]


@pytest.mark.slow
def test_fetch_then_build_needs_no_more_words(
    fetch: tuple[Scrollwork, list[str]], server: FileServer, data: bytes
) -> None:
    scrollwork, command = fetch
    server.on(f"/{PATHS[1]}", body(data, cut_after=5000), body(data))
    (row,) = scrollwork(*command, "--json").document
    assert (row["state"], row["tasks"], row["licence"]) == ("present", ["qmsum"], "MIT")
    assert row["bytes"] == len(data)
    (built,) = scrollwork("build", "zeroscrolls", "--task", "qmsum", "--engine", "inline", "--json").document
    assert built["examples"] > 0


def test_list_exits_0_and_fetch_exits_1_while_something_is_missing(
    fetch: tuple[Scrollwork, list[str]], server: FileServer
) -> None:
    scrollwork, command = fetch
    listed = scrollwork(*command, "--list")
    assert f"missing: qmsum/{PATHS[1]} from {server.url}" in listed.out
    assert server.asked == []
    server.on(f"/{PATHS[1]}", status(404))
    done = scrollwork(*command, "--json", status=1)
    assert done.document[0]["state"] == "dead"
    assert "1 of 1 files are not here" in done.err


def test_server_of_this_machine_is_asked_without_the_option(
    fetch: tuple[Scrollwork, list[str]], server: FileServer, data: bytes
) -> None:
    scrollwork, command = fetch
    server.on(f"/{PATHS[1]}", body(data))
    done = scrollwork(*(word for word in command if word != "--allow-private-addresses"), "--json", status=1)
    (row,) = done.document
    assert row["state"] == "missing"
    assert (
        "127.0.0.1: an address of this machine or a private network; fetch asks none such without --allow-p"
        in row["why"]
    )
    assert server.asked == []


def test_splits_are_fetched_as_asked(fetch: tuple[Scrollwork, list[str]], server: FileServer, data: bytes) -> None:
    scrollwork, command = fetch
    server.on(f"/{PATHS[0]}", body(data))
    (row,) = scrollwork(*command, "--split", "validation", "--json").document
    assert row["path"] == f"qmsum/{PATHS[0]}"


@pytest.mark.parametrize(
    "wrong",
    [["fetch", "nonsuite"], ["fetch", "zeroscrolls", "--task", "x"], ["fetch", "zeroscrolls", "--sources", "/no"]],
)
def test_wrong_call_exits_2(scrollwork: Scrollwork, wrong: list[str]) -> None:
    scrollwork(*wrong, "--list", status=2)


def test_killed_fetch_goes_on_where_it_stopped(
    fetch: tuple[Scrollwork, list[str]], server: FileServer, data: bytes
) -> None:
    scrollwork, command = fetch
    server.on(f"/{PATHS[1]}", body(data, drip=(len(data) // 40 + 1, 0.1)), body(data))
    process = scrollwork.start(*command)
    final = scrollwork.home / "raw/qmsum" / PATHS[1]
    part = final.with_name(final.name + ".part")
    while not part.exists() or part.stat().st_size < len(data) // 8:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert not final.exists()
    listed = json.loads(scrollwork(*command, "--list", "--json").out)
    assert "bytes of it have come" in listed[0]["why"]
    scrollwork(*command)
    assert server.asked[-1].range
    assert final.read_bytes() == data


def test_ctrl_c_stops_in_time_and_says_that_nothing_is_lost(
    fetch: tuple[Scrollwork, list[str]], server: FileServer, data: bytes
) -> None:
    scrollwork, command = fetch
    server.on(f"/{PATHS[1]}", body(data, drip=(100, 0.05)))
    process = scrollwork.start(*command)
    while not server.asked:
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.2)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert time.monotonic() - began < 5
    assert "run the same command to go on" in err


@pytest.mark.slow
def test_two_fetches_at_once_share_one_download(
    fetch: tuple[Scrollwork, list[str]], server: FileServer, data: bytes
) -> None:
    scrollwork, command = fetch
    server.on(f"/{PATHS[1]}", body(data, drip=(len(data) // 10 + 1, 0.15)))
    both = [scrollwork.start(*command, "--json") for _ in range(2)]
    told = [json.loads(process.communicate(timeout=60)[0]) for process in both]
    assert [rows[0]["state"] for rows in told] == ["present", "present"]
    assert len(server.asked) == 1
