"""`verify` recomputes everything: one flipped byte anywhere is found and named, back to the raw files."""

from __future__ import annotations

import json
import os
import shutil
from importlib.metadata import version

import pytest

from scrollwork.flows.chains import Chain
from scrollwork.flows.execute import plan
from scrollwork.pipeline import source_digest
from scrollwork.readings import verified_sources
from scrollwork.readings.verify import verify
from scrollwork.reporting.page.assembly import assemble
from scrollwork.storage.home import Home
from scrollwork.suites.request import Request
from tests.conftest import Scrollwork


@pytest.fixture(scope="module")
def whole(house, tmp_path_factory):
    """A home with one finished task, curated from a raw folder of its own."""
    folder = tmp_path_factory.mktemp("whole")
    shutil.copytree(house / "sample" / "raw" / "musique", folder / "raw" / "musique")
    work = Scrollwork(house, folder / "home")
    work.run("--raw", str(folder / "raw"), "--task", "musique", "--quiet")
    return work


@pytest.fixture
def work(whole, tmp_path):
    return whole.with_(home=shutil.copytree(whole.home, tmp_path / "home"))


def flip(path, place, keep_time=False):
    """Flip one bit of the byte at `place`."""
    stat = path.stat()
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
    if keep_time:
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def artifact_files(work):
    """All files of artifacts and pointers; run.json (clock, host) is outside every digest."""
    files = sorted(path for path in (work.home / "artifacts").rglob("*") if path.is_file())
    return [path for path in files if path.name not in ("run.json", ".lock")]


def places(path):
    """Bytes to flip: some everywhere, and every twentieth of a manifest."""
    size = path.stat().st_size
    if path.suffix == ".json":
        return range(0, size, max(1, size // 20))
    return sorted({0, size // 3, size // 2, size - 1})


def test_a_whole_home_is_told_broken(work):
    found = verify(Home.at(str(work.home)), "")
    assert (found["ok"], found["broken"], found["artifacts"]) == (True, [], 10)


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_one_flipped_byte_somewhere_is_not_found_or_not_named(work, every):
    files = artifact_files(work)
    assert {path.suffix for path in files} == {".parquet", ".json", ".html"}
    assert len(files) > 15
    home = Home.at(str(work.home))
    missed = []
    for path in files:
        before = path.read_bytes(), path.stat()
        for place in places(path) if every else [path.stat().st_size // 2]:
            flip(path, place)
            found = verify(home, "")
            if found["ok"] or not any(path.name in told for told in found["broken"]):
                missed.append((str(path.relative_to(work.home)), place, found["broken"]))
            path.write_bytes(before[0])
        os.utime(path, ns=(before[1].st_atime_ns, before[1].st_mtime_ns))
    assert missed == []
    assert verify(home, "")["ok"]


def test_a_missing_or_longer_part_is_not_found(work):
    home = Home.at(str(work.home))
    page = next((work.home / "artifacts" / "report").rglob("*.html"))
    page.write_bytes(page.read_bytes() + b" ")
    (problem,) = verify(home, "")["broken"]
    assert page.name in problem
    page.unlink()
    (problem,) = verify(home, "")["broken"]
    assert f"{page.name} is missing" in problem


def test_the_command_trusts_time_and_size(work):
    """A byte flipped with the time put back is what a failing disk does."""
    part = next((work.home / "artifacts" / "score").rglob("*.parquet"))
    flip(part, 100, keep_time=True)
    done = work("verify", status=1)
    assert part.name in done.out
    assert "1 broken" in done.out
    document = work("verify", "--json", status=1).document
    assert (document["ok"], len(document["broken"])) == (False, 1)


def test_a_changed_or_missing_raw_file_is_not_named(work, whole):
    raw = next(whole.home.parent.rglob("musique*.jsonl"))
    before, stat = raw.read_bytes(), raw.stat()
    try:
        flip(raw, 5000, keep_time=True)
        done = work("verify", status=1)
        assert f"{raw}: the raw file has other bytes" in done.out
        raw.unlink()
        assert f"{raw}: the raw file is gone" in work("verify", status=1).out
    finally:
        raw.write_bytes(before)
        os.utime(raw, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def test_a_score_cannot_be_followed_to_its_raw_file(work):
    manifest = next((work.home / "artifacts" / "score").rglob("manifest.json"))
    key = json.loads(manifest.read_text())["key"]
    found = work("verify", key[:12], "--json").document
    assert found["ok"]
    assert found["artifacts"] == 5, "score, generate, prompt, sample, curate"
    shutil.rmtree(work.home / "artifacts" / "curate")
    broken = work("verify", key[:12], "--json", status=1).document["broken"]
    assert any("input curated" in problem for problem in broken)


def test_a_forged_manifest_is_believed(work):
    """Someone who writes another value and a fitting digest of the manifest still has to forge its key."""
    manifest = next((work.home / "artifacts" / "sample").rglob("manifest.json"))
    from scrollwork.storage.artifacts.manifest import Manifest

    forged = Manifest.from_bytes(manifest.read_bytes(), "")
    forged.ingredients.params["seed"] = 99
    manifest.write_bytes(forged.to_bytes())
    broken = work("verify", "--json", status=1).document["broken"]
    assert any("key does not follow" in problem for problem in broken)


def test_answers_of_the_snapshot_are_not_those_by_which_it_is_known(work):
    """Parts and manifest in order, but other answers than the digest says."""
    from scrollwork.storage.artifacts.manifest import Manifest

    (path,) = (work.home / "artifacts" / "generate").rglob("manifest.json")
    manifest = Manifest.from_bytes(path.read_bytes(), "")
    object.__setattr__(manifest, "content", "0" * 64)
    path.write_bytes(manifest.to_bytes())
    broken = work("verify", "--json", status=1).document["broken"]
    assert any("answers do not give the digest" in problem for problem in broken)


def test_white_space_of_a_manifest_or_a_pointer_is_not_its_bytes(work):
    home = Home.at(str(work.home))
    files = [path for path in artifact_files(work) if path.suffix == ".json"]
    assert {path.name == "manifest.json" for path in files} == {True, False}
    for path in files:
        data = path.read_bytes()
        for changed in (data.replace(b" ", b"\t", 1), data + b"\n", data[::-1].replace(b" ", b"\n", 1)[::-1]):
            assert changed != data
            path.write_bytes(changed)
            assert any(path.name in told for told in verify(home, "")["broken"])
        path.write_bytes(data)
    assert verify(home, "")["broken"] == []


@pytest.mark.slow
def test_what_a_run_left_is_gone_without_a_word(work):
    """Also what is nobody's input: the report, the pointer to the answers."""
    home = Home.at(str(work.home))
    for path in artifact_files(work):
        data = path.read_bytes()
        path.unlink()
        assert any(path.name in told for told in verify(home, "")["broken"]) or "generate" in path.parts
        assert not verify(home, "")["ok"]
        path.write_bytes(data)
    shutil.rmtree(work.home / "artifacts" / "report")
    assert any("manifest.json: is gone" in told for told in verify(home, "")["broken"])


def test_page_that_people_open_is_not_that_of_the_report(work):
    home = Home.at(str(work.home))
    page = work.home / "reports" / "zeroscrolls.html"
    before = page.read_bytes()
    flip(page, len(before) // 2)
    (told,) = verify(home, "")["broken"]
    assert str(page) in told
    page.unlink()
    (told,) = verify(home, "")["broken"]
    assert f"{page}: the page is gone" in told
    page.write_bytes(before)
    (page.parent / "notes.html").write_text("mine")
    assert verify(home, "")["ok"], "other files there are nobody's business"


def test_stranger_among_the_parts_or_an_artifact_in_another_place_is_not_told(work):
    home = Home.at(str(work.home))
    (folder,) = (path.parent for path in (work.home / "artifacts" / "score").rglob("manifest.json"))
    (folder / "scores-00001-abc.parquet").write_bytes(b"x")
    (told,) = verify(home, "")["broken"]
    assert "scores-00001-abc.parquet: is no file of this artifact" in told
    (folder / "scores-00001-abc.parquet").unlink()
    shutil.copytree(folder, folder.with_name("0" * 20))
    (told,) = verify(home, "")["broken"]
    assert f"{'0' * 20}: is an artifact of another place" in told


def test_row_of_a_run_that_cannot_be_read_is_passed_over(work):
    (row,) = (work.home / "runs").glob("*.json")
    before = row.read_bytes()
    for changed in (before[:-1], before.replace(b'"request"', b'"bequest"'), before.replace(b'"models"', b'"nodels"')):
        row.write_bytes(changed)
        (told,) = verify(Home.at(str(work.home)), "")["broken"]
        assert f"{row}: is no row of a run" in told


def test_data_file_of_a_page_changes_unseen(call, monkeypatch):
    monkeypatch.setattr(assemble, "__defaults__", (1000,))  # bytes up to which a page has no folder of data
    options = ("--sample", "--model", "naive:seed=0", "--task", "quality", "--engine", "inline")
    assert call("--quiet", "run", "zeroscrolls", *options)[0] == 0
    home = Home.at(str(call.home))
    assert verify(home, "")["broken"] == []
    data = [path for path in (home.reports / "zeroscrolls.files").rglob("*") if path.is_file()]
    assert data
    flip(data[0], 100)
    (told,) = verify(home, "")["broken"]
    assert str(data[0]) in told
    data[0].unlink()
    (told,) = verify(home, "")["broken"]
    assert str(data[0]) in told


@pytest.fixture
def other_numpy(monkeypatch):
    """Another version of numpy than made the home."""
    remembered = (source_digest._libraries, verified_sources._now)
    monkeypatch.setattr(source_digest, "version", lambda name: "0.1" if name == "numpy" else version(name))
    for cached in remembered:
        cached.cache_clear()
    yield
    monkeypatch.undo()
    for cached in remembered:
        cached.cache_clear()


@pytest.mark.usefixtures("other_numpy")
def test_numbers_of_another_version_of_a_library_are_whole(work, whole):
    raw = str(whole.home.parent / "raw")
    asked = Request.of("zeroscrolls", home=str(work.home), raw=raw, tasks=("musique",), models=("naive:seed=0",))
    why = f"library numpy changed from {version('numpy')!r} to '0.1'"
    planned = {node.stage for node, status in plan(Chain(asked)).statuses if why in status.why}
    assert "curate" in planned  # what stands behind answers has no key before they are there
    found = verify(Home.at(str(work.home)), "")
    assert (found["ok"], found["broken"]) == (False, [])
    told = [line for line in found["other_code"] if f"was made by other code than is here ({why})" in line]
    stages = {line.partition("/artifacts/")[2].partition("/")[0] for line in told}
    assert stages > {*planned, "aggregate"}
    assert told == found["other_code"]
