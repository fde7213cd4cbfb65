"""Limits that real processes share through a real store: SQLite on one machine, PostgreSQL on several."""

from __future__ import annotations

import time
from collections import Counter
from itertools import pairwise
from subprocess import Popen

import pytest

from scrollwork.storage.answers.store import ResponseStore
from tests.servers.vendor import running
from tests.storage.conftest import place, postgres  # noqa: F401 (fixtures)
from tests.storage.postgres import serve
from tests.tasks.limits_kit import ASKER, SENDER, go, most_in_a_second, start, times_of

pytestmark = [pytest.mark.slow, pytest.mark.alone]  # shares of a limit where processes run when they want to

SECONDS = 6.0


def begun(code: str, number: int, url: str, *arguments: object) -> list[Popen[str]]:
    """Processes that have begun to send, all at once."""
    ResponseStore(url).close()
    processes = [start(code, url, *arguments) for _ in range(number)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        go(process)
    return processes


def together(url: str, number: int, rpm: int, *, kill_after_s: float = 0.0) -> list[list[float]]:
    """When each of several processes sent, the first of which may be killed."""
    processes = begun(SENDER, number, url, rpm, SECONDS)
    if kill_after_s:
        time.sleep(kill_after_s)
        processes[0].kill()
    return [times_of(process) for process in processes]


# The other two pairs in `make soak`: each number of processes and each limit is in one that stays.
@pytest.mark.parametrize(
    ("number", "rpm"),
    [
        (2, 6000),
        (4, 600),
        pytest.param(2, 600, marks=pytest.mark.soak),
        pytest.param(4, 6000, marks=pytest.mark.soak),
    ],
)
def test_real_processes_pass_a_limit_or_lose_some_of_it(place: str, number: int, rpm: int) -> None:  # noqa: F811
    each = together(place, number, rpm)
    found = sorted(moment for one in each for moment in one)
    seconds = SECONDS - 1.0  # they do not end at the same moment
    found = [moment for moment in found if moment < found[0] + seconds]
    allowed = 1 + rpm * seconds / 60
    print(f"{len(found)} of {allowed:g}, busiest second {most_in_a_second(found)}, each {[len(one) for one in each]}")
    assert 0.95 * allowed <= len(found) <= allowed + max(1, 0.01 * allowed)  # the first timer may be late, others not
    assert most_in_a_second(found) <= 2 * rpm / 60
    even = sum(map(len, each)) / number
    assert min(map(len, each)) >= 0.4 * even, "stretches are of half a second"


def after_a_kill(url: str) -> float:
    """What two processes send of what is allowed, from a second and a half after the third was killed."""
    each = together(url, 3, 6000, kill_after_s=2.0)
    died = max(each[0])
    found = sorted(moment for one in each for moment in one)
    assert most_in_a_second(found) <= 200
    seconds = SECONDS - 1.0 - (died - found[0] + 1.5)
    return sum(0 <= moment - died - 1.5 < seconds for moment in found) / (100 * seconds)


def test_killed_process_keeps_its_share(place: str) -> None:  # noqa: F811
    """Where the machine is so busy that the store takes long, stretches are longer: one quiet moment of three."""
    found: list[float] = []
    while len(found) < 3 and not (found and found[-1] == pytest.approx(1, rel=0.05)):
        found.append(after_a_kill(place))
    assert found[-1] == pytest.approx(1, rel=0.05), found


def refused(url: str, rpm: int, own: str) -> tuple[float, float]:
    """(share of the requests of three processes that a vendor refuses whose bucket holds half a second, those that went
    over those that are allowed)."""
    with running() as vendor:
        vendor.set(rpm=rpm, burst_s=0.5)
        processes = begun(ASKER, 3, url, vendor.url, rpm, SECONDS, own)
        said = [process.communicate(timeout=60)[0] for process in processes]
        assert all(one.startswith("{") for one in said), said
        vendor.log.quiet()
        began = [row["time"] for row in vendor.log.requests()]
        ended = Counter(row["status"] for row in vendor.log.rows if row["event"] == "ended")
    seconds = SECONDS - 0.5  # from then on one after the other stops, and its stretches pass unused
    went = sum(moment < began[0] + seconds for moment in began)
    print(own, ended, f"{went} in {seconds:g} s")
    return ended[429] / ended.total(), went / (1 + seconds * rpm / 60)


def test_vendor_refuses_processes_that_share_its_limit(
    place: str,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-Zw91")
    share, of_allowed = refused(place, 1200, "shared")
    assert share <= 0.01
    assert of_allowed >= 0.95
    share, _ = refused(place, 1200, "alone")
    assert share > 0.03, "processes that know nothing of each other are refused"


def test_server_that_restarts_ends_runs_or_unpaces_them() -> None:
    """Nothing goes while it is away; then they go on, as even as before."""
    serving = serve()
    server = next(serving)
    try:
        processes = begun(SENDER, 2, server.url(server.database()), 6000, SECONDS + 4)
        time.sleep(2.0)
        server.stop()
        stopped = time.monotonic()
        time.sleep(2.5)
        restarted = time.monotonic()
        server.start()
        each = [times_of(process) for process in processes]
    finally:
        serving.close()
    found = sorted(moment for one in each for moment in one)
    assert most_in_a_second(found) <= 200
    assert not [moment for moment in found if stopped + 2.0 < moment < restarted]
    assert all(max(one) > restarted + 1.0 for one in each)
    # That it was away is not taken for slowness, or one would take stretches as long for itself, and the other wait.
    after = [[moment for moment in one if moment > restarted] for one in each]
    assert all(one[0] < restarted + 4.0 and max(b - a for a, b in pairwise(one)) < 2.5 for one in after)
