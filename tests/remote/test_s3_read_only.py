"""A home on S3 whose reader may only list and get: everything is read, equal to the home in a folder, nothing is sent that
writes, and what must write says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import scrollwork as sw
from scrollwork.cli.main import main
from scrollwork.pipeline.errors import UsageError
from scrollwork.storage.errors import AccessDenied, StorageError
from scrollwork.storage.location import Location
from tests.remote.bucket import BUCKET, Sent, Server, with_variables
from tests.remote.test_s3_homes import FRAMES

pytestmark = pytest.mark.slow

URL = f"s3://{BUCKET}/read/home"
TASKS, MODELS = ["qmsum"], ["bm25", "naive:seed=0"]
REQUEST = ["zeroscrolls", "--sample", "--task", "qmsum"]
ASKED = [*REQUEST, "--model", "bm25", "--model", "naive:seed=0"]


@dataclass(frozen=True)
class Both:
    """The same runs in a folder and in a bucket. reader: the environment of who may only read the bucket."""

    server: Server
    local: Path
    store: str
    reader: dict[str, str]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    """Built by the owner; then the server refuses what a user may not do."""
    folder = tmp_path_factory.mktemp("both")
    server = Server(folder / "s3")
    with pytest.MonkeyPatch.context() as patch:
        with_variables(patch, server.variables)
        patch.chdir(folder)
        local, store = folder / "home", f"sqlite:///{folder / 'answers.db'}"
        for home, own in ((str(local), ""), (URL, store)):
            assert sw.run("zeroscrolls", home=home, store=own, sample=True, tasks=TASKS, models=MODELS).complete
    yield Both(server, local, store, server.reader())
    server.stop()


@pytest.fixture
def reading(both: Both, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Both:
    """This process is the reader, in a folder of its own."""
    with_variables(monkeypatch, both.reader)
    monkeypatch.chdir(tmp_path)
    return both


def writes(sent: list[Sent]) -> list[Sent]:
    return [one for one in sent if one.method not in ("GET", "HEAD")]


def test_the_reader_may_write(reading: Both) -> None:
    folder = Location(URL)
    for change in (lambda: folder.replace("x", b""), lambda: folder.create("x", b""), lambda: folder.remove("x")):
        with pytest.raises(AccessDenied, match=rf"{URL}: access denied .*\(s3:PutObject, s3:DeleteObject\)"):
            change()


def test_a_frame_writes_or_holds_other_values(reading: Both) -> None:
    with reading.server.counted() as sent:
        remote, local = sw.open(URL, store=reading.store), sw.open(reading.local)
        for name in FRAMES:
            assert getattr(remote, name)().collect().equals(getattr(local, name)().collect()), name
        assert remote.prompts(text=True).collect().equals(local.prompts(text=True).collect())
        assert len(remote.runs().collect()) == 1
    assert len(sent) > 20
    assert writes(sent) == []


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "words",
    [
        ["status", "--json"],
        ["verify", "--json"],
        ["plan", *ASKED, "--json"],
        ["report", "zeroscrolls", "--out", "OUT/page.html", "--json"],
        ["report", "zeroscrolls", "--format", "csv", "--out", "OUT/page.csv", "--json"],
        ["export", "hf", *REQUEST, "--out", "OUT", "--json"],
        ["export", "prompts", *REQUEST, "--out", "OUT", "--json"],
        ["export", "lm-eval-task", *REQUEST, "--out", "OUT", "--json"],
        ["export", "submission", *REQUEST, "--model", "bm25", "--out", "OUT/own.csv", "--allow-missing", "--json"],
        ["store", "check"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_command_writes_or_says_other_than_of_a_folder(
    reading: Both, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    told, made = [], []
    for number, (home, store) in enumerate(((URL, reading.store), (str(reading.local), ""))):
        out = tmp_path / str(number)
        out.mkdir()
        own = [one.replace("OUT", str(out)) for one in words]
        with reading.server.counted() as sent:
            assert main(["--home", home, *(("--store", store) if store else ()), *own]) == 0
        shown, err = capsys.readouterr()
        assert "Traceback" not in err
        assert bool(sent) == (home == URL)
        assert writes(sent) == []
        told.append(shown.replace(str(out), "OUT"))
        made.append(files(out))
    assert made[0] == made[1]
    if words[0] in ("status", "verify"):
        rows = [json.loads(one) for one in told]
        for row in rows:
            for name in ("home", "runs"):
                row.pop(name, None)
        assert rows[0] == rows[1]
    else:
        assert told[0] == told[1]
    assert bool(made[0]) == ("--out" in words)


def test_a_page_is_lost_where_its_home_cannot_hold_it(
    reading: Both, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without --out, and without a store, which a page does not read."""
    assert main(["--home", URL, "report", "zeroscrolls"]) == 0
    page = tmp_path / ".scrollwork" / "reports" / "zeroscrolls-all.html"
    assert f"report: {page}" in capsys.readouterr().err
    assert "bm25" in page.read_text()


def test_a_remote_home_cannot_be_compared(reading: Both, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with reading.server.counted() as sent:
        ours = sw.compare(URL).table
        assert ours.equals(sw.compare(sw.open(URL)).table)
        assert main(["compare", URL, "--json", "--out", "page.md"]) == 0
    assert writes(sent) == []
    assert ours.equals(sw.compare(reading.local).table)
    assert len(ours) == 1
    told = [json.loads(capsys.readouterr().out)]
    assert main(["compare", str(reading.local), "--json"]) == 0
    told.append(json.loads(capsys.readouterr().out))
    assert json.dumps(told[0]).replace(URL, "HOME") == json.dumps(told[1]).replace(str(reading.local), "HOME")
    assert (tmp_path / "page.md").is_file()
    both_homes = sw.compare(URL, reading.local, models=["bm25"]).table
    assert both_homes["difference"].to_list() == [0.0]


@pytest.mark.parametrize(
    "named", [f"s3://{BUCKET}/nothing", "https://example.org/log.eval", "s3://no-such-bucket/home"]
)
def test_no_home_is_compared(reading: Both, named: str) -> None:
    with pytest.raises((UsageError, StorageError), match=named):
        sw.compare(named)


@pytest.mark.parametrize(
    "words",
    [
        ["run", *REQUEST, "--model", "lead", "--engine", "inline"],
        ["run", *REQUEST, "--model", "lead", "--engine", "prefect"],
        ["build", *REQUEST, "--engine", "inline"],
    ],
    ids=["inline", "prefect", "build"],
)
def test_work_begins_where_nothing_can_be_kept(
    reading: Both, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    with reading.server.counted() as sent:
        assert main(["--home", URL, "--store", reading.store, *words, "--quiet"]) == 1
    lines = capsys.readouterr().err.splitlines()
    (line,) = [one for one in lines if one.startswith("scrollwork: ")]
    assert f"{URL}/plans: access denied" in line
    assert "(s3:PutObject, s3:DeleteObject)" in line
    assert [one.status for one in writes(sent)] == [403], "one try, before anything is built"


def test_a_run_that_finds_everything_fails_for_its_note(
    reading: Both, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with reading.server.counted() as sent:
        assert main(["--home", URL, "--store", reading.store, "run", *ASKED, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["tasks"]) == 2
    assert f"{URL}/runs: access denied" in caplog.text
    assert "no row of this run is kept" in caplog.text
    assert [one.status for one in writes(sent)] == [403]
