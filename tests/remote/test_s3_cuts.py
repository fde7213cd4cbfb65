"""Connections to S3 that are cut in the middle: nothing is torn, taken for whole or paid twice, and waiting ends."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

import scrollwork as sw
from scrollwork.storage.errors import StorageError
from scrollwork.storage.location import Location
from tests.remote.bucket import BUCKET, Server, asked, with_variables
from tests.remote.cutting import LOST, REPLY, REQUEST, Cut, cutting
from tests.survival.hosted import KEYS, table, vendors

pytestmark = pytest.mark.slow

KINDS = {  # places where a connection is cut: method, pattern of the path, how
    "list": ("GET", r"list-type=2", REPLY),
    "manifest read": ("GET", r"/manifest\.json$", REPLY),
    "part read": ("GET", r"\.parquet$", REPLY),
    "part write": ("PUT", r"\.parquet$", REQUEST),
    "part written": ("PUT", r"\.parquet$", LOST),
    "manifest create": ("PUT", r"/manifest\.json$", REQUEST),
    "manifest created": ("PUT", r"/manifest\.json$", LOST),
}


def build(name: str, folder: Path, **more: object) -> sw.RunResult:
    """A small run into the bucket."""
    own = f"sqlite:///{folder / name}.db"
    return sw.run(
        "zeroscrolls", home=f"s3://{BUCKET}/{name}", store=own, sample=True, tasks=["qmsum"], models=["lead"], **more
    )


def artifacts(server: Server, name: str) -> dict[str, bytes]:
    """What differs in no two builds, by path."""
    return {path: data for path, data in server.objects(f"{name}/artifacts").items() if not path.endswith("/run.json")}


@pytest.fixture(scope="module")
def whole(started: Server, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The artifacts of a run that nothing disturbs."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        with_variables(patch, started.variables)
        patch.chdir(folder)
        assert build("uncut", folder).complete
    return artifacts(started, "uncut")


def through(cutter_url: str, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with_variables(monkeypatch, {**server.variables, "AWS_ENDPOINT_URL": cutter_url})


def first_of_each() -> Cut:
    """Cut each request of KINDS once, the writes in both ways in turn."""
    seen: dict[tuple[str, str], int] = {}

    def cut(method: str, path: str) -> str:
        ways = [how for verb, pattern, how in KINDS.values() if verb == method and re.search(pattern, path)]
        number = seen[method, path] = seen.get((method, path), -1) + 1
        return ways[number] if number < len(ways) else ""

    return cut


def test_a_connection_that_is_cut_once_changes_a_home(
    s3: Server, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with cutting(s3, first_of_each()) as cutter:
        through(cutter.url, s3, monkeypatch)
        result = build("cut-once", tmp_path)
        assert result.complete
        assert result.failures.is_empty()
        again = build("cut-once", tmp_path)
        assert again.board.equals(result.board)
        scores = sw.open(f"s3://{BUCKET}/cut-once").scores().collect()
        assert len(scores) == 9
        cuts = cutter.cuts()
    for verb, pattern, how in KINDS.values():
        assert any(one[0] == verb and re.search(pattern, one[1]) and one[2] == how for one in cuts), (verb, pattern)
    assert artifacts(s3, "cut-once") == whole


@pytest.mark.parametrize("kind", KINDS)
def test_a_connection_that_is_always_cut_leaves_half_of_something(
    s3: Server, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    method, pattern, how = KINDS[kind]
    name = f"always-{kind.replace(' ', '-')}"
    began = time.monotonic()
    with cutting(s3, lambda verb, path: how if verb == method and re.search(pattern, path) else "") as cutter:
        through(cutter.url, s3, monkeypatch)
        try:
            result = build(name, tmp_path)
        except StorageError as error:
            told = [str(error)]
        else:
            told = [str(one) for one in result.failures["message"].to_list()]
        assert cutter.cuts()
    assert time.monotonic() - began < 240
    assert told
    assert any(f"s3://{BUCKET}/{name}/" in text for text in told), told
    with_variables(monkeypatch, s3.variables)
    left = artifacts(s3, name)
    assert {path: data for path, data in left.items() if whole.get(path) not in (None, data)} == {}
    assert build(name, tmp_path).complete
    after = artifacts(s3, name)
    assert {path: data for path, data in after.items() if path in whole} == whole
    assert {path.split("/")[0] for path in after.keys() - whole.keys()} <= {"report", "compare"}, (
        "of what failed before"
    )
    assert sw.verify(f"s3://{BUCKET}/{name}", store=f"sqlite:///{tmp_path / name}.db").ok


SIZE = 101 << 20  # bytes, beyond which s3fs sends a file in pieces


@pytest.mark.parametrize(("cut", "always"), [("second", False), ("second", True), ("completed", False)])
def test_a_part_that_is_sent_in_pieces_is_torn(
    s3: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: str, always: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    data, done = os.urandom(1 << 20) * (SIZE >> 20), []

    def decide(method: str, path: str) -> str:
        if cut == "second" and (method != "PUT" or "partNumber=2" not in path):
            return ""
        if cut == "completed" and (method != "POST" or "uploadId=" not in path):
            return ""
        done.append(path)
        return (REQUEST if cut == "second" else LOST) if always or len(done) == 1 else ""

    with cutting(s3, decide) as cutter:
        through(cutter.url, s3, monkeypatch)
        folder = Location(f"s3://{BUCKET}/pieces-{cut}-{always}")

        def publish() -> None:
            with folder.temporary("large.parquet") as (stream, path):
                stream.write(data)
                folder.publish(stream, path, "large.parquet")

        if always:
            with pytest.raises(StorageError, match=re.escape(folder.url)):
                publish()
        else:
            publish()
    assert len(done) >= 1
    with_variables(monkeypatch, s3.variables)
    assert Location(folder.url).sizes() == ({} if always else {"large.parquet": SIZE})
    assert not s3.client("s3").list_multipart_uploads(Bucket=BUCKET).get("Uploads")
    if not always:
        assert Location(folder.url).read("large.parquet") == data
        Location(folder.url).remove("large.parquet")


def test_answers_are_paid_again_after_a_snapshot_that_was_cut(s3: Server, tmp_path: Path) -> None:
    with vendors(tmp_path) as served:
        (tmp_path / "own.toml").write_text(table("m", served.url))
        home, store = f"s3://{BUCKET}/paid-once", f"sqlite:///{tmp_path / 'answers.db'}"
        whole = [
            *("run", "zeroscrolls", "--sample", "--task", "space_digest", "--engine", "inline"),
            *("--models", str(tmp_path / "own.toml"), "--model", "m"),
        ]

        def called(url: str) -> tuple[int, str]:
            variables = {**KEYS, **s3.variables, "AWS_ENDPOINT_URL": url}
            done = asked(home, store, tmp_path, *whole, status=None, **variables)
            return done.status, done.err

        def cut(method: str, path: str) -> str:
            return REQUEST if method == "PUT" and "/artifacts/generate/" in path else ""

        with cutting(s3, cut) as cutter:
            status, err = called(cutter.url)
            assert cutter.cuts()
        assert status == 1
        assert f"s3://{BUCKET}/paid-once/artifacts/generate/" in err
        assert "Traceback" not in err
        assert len(served.requests()) == 6
        status, err = called(s3.url)
        assert status == 0, err
        assert len(served.requests()) == 6
