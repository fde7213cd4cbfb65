"""Damage on purpose is named, repaired and told; what is no damage is left alone; nothing is asked."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from scrollwork.flows.keeping.scrub import Scrubbed, scrub
from scrollwork.storage.artifacts.manifest import Manifest, Part
from scrollwork.storage.home import Home
from tests.conftest import FINISHED, Call, Scrollwork, environment, files_of, leftovers
from tests.nights.hotels import night, ready, words
from tests.survival.hosted import of_model, vendors


def scrubbed(work: Scrollwork, share: float = 1.0, rebuild: float = 0.0) -> Scrubbed:
    return scrub(Home.at(str(work.home)), share, rebuild)


def one(work: Scrollwork, stage: str, task: str = "space_digest") -> Path:
    """The folder of an artifact."""
    (found,) = (work.home / "artifacts" / stage).glob(f"zeroscrolls.{task}.*/*/manifest.json")
    return found.parent


def part(folder: Path) -> Path:
    """Its largest part."""
    return max(folder.glob("*.parquet"), key=lambda path: path.stat().st_size)


def flip(folder: Path) -> None:
    path = part(folder)
    data, times = bytearray(path.read_bytes()), path.stat()
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # as a disk does it: nothing else changes


def lose(folder: Path) -> None:
    part(folder).unlink()


def cut(folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_bytes(path.read_bytes()[:100])


def exchange(folder: Path) -> None:
    """The manifest of another artifact of the stage."""
    other = next(path for path in sorted(folder.parent.parent.glob("*/*/manifest.json")) if path.parent != folder)
    shutil.copy(other, folder / "manifest.json")


def exchange_whole(folder: Path) -> None:
    """The manifest of another artifact, with its parts: they agree with each other."""
    other = next(path for path in sorted(folder.parent.parent.glob("*/*/manifest.json")) if path.parent != folder)
    for path in folder.iterdir():
        path.unlink()
    for path in other.parent.iterdir():
        shutil.copy(path, folder / path.name)


def forge(folder: Path) -> None:
    """Other rows, with the digests in the manifest computed again: everything agrees."""
    import pyarrow.parquet as pq

    manifest = Manifest.from_bytes((folder / "manifest.json").read_bytes(), str(folder))
    path = part(folder)
    table = pq.read_table(path)
    pq.write_table(table.slice(0, table.num_rows - 1), path, compression="zstd")
    data = path.read_bytes()
    sha256 = hashlib.sha256(data).hexdigest()
    final = f"{path.name.rsplit('-', 1)[0]}-{sha256[:12]}.parquet"
    path.rename(folder / final)
    files = tuple(
        Part(final, own.table, own.rows - 1, len(data), sha256) if own.name == path.name else own
        for own in manifest.files
    )
    forged = Manifest(manifest.key, manifest.content, manifest.ingredients, files, manifest.facts)
    (folder / "manifest.json").write_bytes(forged.to_bytes())
    run = json.loads((folder / "run.json").read_text())
    run["times"] = {own.name: (folder / own.name).stat().st_mtime_ns for own in files}
    (folder / "run.json").write_text(json.dumps(run))


KINDS: dict[str, Callable[[Path], None]] = {
    "flipped byte": flip,
    "missing part": lose,
    "truncated manifest": cut,
    "manifest of another": exchange,
    "all files of another": exchange_whole,
}


@pytest.mark.parametrize("kind", KINDS)
def test_damage_is_left_by_a_scrub(finished: Scrollwork, kind: str) -> None:
    before, folder = files_of(finished.home), one(finished, "score")
    KINDS[kind](folder)
    assert files_of(finished.home) != before
    done = scrubbed(finished)
    (damage,) = done.damage
    assert damage.place == str(folder)
    assert damage.how == "repaired: built again"
    assert done.hashed == done.artifacts > 20
    assert files_of(finished.home) == before
    assert finished("verify", "--json").document["ok"]
    assert scrubbed(finished).damage == []


def test_forged_digest_is_not_found_by_building_again(finished: Scrollwork) -> None:
    before, folder = files_of(finished.home), one(finished, "score")
    forge(folder)
    assert scrubbed(finished).damage == [], "only building again can tell"
    assert finished("verify", "--json").document["ok"]
    done = finished("verify", "--rebuild", "100%", "--json", status=1).document
    (damage,) = done["scrub"]["damage"]
    assert damage["place"] == str(folder)
    assert damage["repaired"]
    assert "its files agree with its manifest, and are not what its inputs give: scores (" in damage["why"]
    assert done["scrub"]["rebuilt"] == done["scrub"]["rebuildable"] > 15
    assert files_of(finished.home) == before
    assert finished("verify", "--rebuild", "1").out.count("\n") == 2


@pytest.mark.slow
def test_what_was_made_from_forged_rows_stands(finished: Scrollwork) -> None:
    """The scores are forged, and all that follows was built from them: not only the artifact that is looked at is wrong."""
    before = files_of(finished.home)
    forge(one(finished, "score"))
    for stage in ("aggregate", "judge"):
        shutil.rmtree(one(finished, stage))
    shutil.rmtree(finished.home / "artifacts" / "report")
    shutil.rmtree(finished.home / "artifacts" / "compare")
    finished.run(*FINISHED, status=1)  # an answer seems to lack its score
    assert files_of(finished.home) != before
    done = scrubbed(finished, 0.0, 1.0)
    assert {damage.place.split("/")[-3] for damage in done.damage} >= {"score", "aggregate"}
    assert all(damage.repaired for damage in done.damage)
    assert files_of(finished.home) == before


@pytest.mark.slow
def test_damaged_snapshot_is_built_or_stays(finished: Scrollwork) -> None:
    """Its stage may ask, so it is left to the next run, which would not see a flipped byte by itself."""
    before, folder = files_of(finished.home), one(finished, "generate")
    flip(folder)
    (damage,) = scrubbed(finished, 1.0, 1.0).damage
    assert damage.place == str(folder)
    assert damage.how == "removed: the next run makes it anew from the store"
    assert not list(folder.glob("*.parquet"))
    finished.run(*FINISHED)
    assert files_of(finished.home) == before
    assert scrubbed(finished).damage == []


@pytest.mark.slow
def test_last_copy_of_answers_is_removed(scrollwork: Scrollwork, tmp_path: Path) -> None:
    with vendors(tmp_path) as served:
        work = ready(scrollwork, served)
        night(work)
        asked = len(served.requests())
        folder = one(work, "generate")
        flip(folder)
        (work.home / "responses.db").rename(tmp_path / "lost.db")
        (damage,) = scrubbed(work, 1.0, 1.0).damage
        assert damage.how.startswith("left as it is: ")
        assert part(folder).is_file()
        (tmp_path / "lost.db").rename(work.home / "responses.db")
        (damage,) = scrubbed(work, 1.0, 1.0).damage
        assert damage.how.startswith("removed: ")
        raw = ("--raw", str(work.home.parent / "raw"), "--task", "space_digest", "--task", "quality", *of_model(work))
        work("run", "zeroscrolls", *raw, "--model", "m", "--engine", "inline", "--quiet")
        assert len(served.requests()) == asked, "answers that were paid are asked again"


def test_damaged_artifact_of_no_plan_is_built(finished: Scrollwork) -> None:
    shutil.rmtree(finished.home / "runs")
    (finished.home / "runs").mkdir()
    folder = one(finished, "score")
    flip(folder)
    (damage,) = scrubbed(finished, 1.0, 1.0).damage
    assert damage.place == str(folder)
    assert "no current plan has it" in damage.how


@pytest.mark.slow
def test_changed_code_counts_as_damage(finished: Scrollwork, tree: Path) -> None:
    """The same home, scrubbed by code whose score stage differs: nothing of score and what follows is compared."""
    path = tree / "scoring" / "metrics" / "es.py"
    path.write_text(path.read_text() + "\n\ndef never_called() -> int:\n    return 1\n")
    code = (
        "import sys, json\nfrom scrollwork.flows.keeping.scrub import scrub\nfrom scrollwork.storage.home import Home\n"
    )
    code += "print(json.dumps(scrub(Home.at(sys.argv[1]), 1.0, 1.0).as_json()))"
    env = environment(PYTHONPATH=str(tree))
    done = subprocess.run(
        [sys.executable, "-c", code, str(finished.home)], cwd=tree, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["damage"] == []
    assert found["notes"] == []
    assert 5 < found["rebuilt"] < len(scrubbed(finished).as_json()) + 60


def test_share_leaves_something_unseen(finished: Scrollwork) -> None:
    """Eight scrubs of an eighth each see every artifact; state that is lost or garbage begins a round anew."""
    damaged = {str(one(finished, stage, task)) for stage in ("score", "sample") for task in ("space_digest", "qmsum")}
    for folder in damaged:
        lose(Path(folder))
    found, hashed = set(), []
    for _ in range(8):
        done = scrubbed(finished, 1 / 8)
        found |= {damage.place for damage in done.damage}
        hashed.append(done.hashed)
    assert found == damaged
    assert max(hashed) < done.artifacts
    (finished.home / "scrub" / "state.json").write_bytes(b"\xff{")
    assert scrubbed(finished, 1e-9).hashed == 1
    keys = set()
    for _ in range(4):
        assert scrubbed(finished, 0.0, 0.25).rebuilt > 1
        keys.add(json.loads((finished.home / "scrub" / "state.json").read_text())["rebuilt"])
    assert len(keys) == 4


KILLED = """
import os, signal, sys
from scrollwork.flows.keeping import rebuilt
from scrollwork.flows.keeping.scrub import scrub
from scrollwork.storage.home import Home
from scrollwork.storage.artifacts.artifact import Artifacts
if sys.argv[2] == "cleared":
    original = Artifacts.clear
    def clear(self, folder):
        original(self, folder)
        os.kill(os.getpid(), signal.SIGKILL)
    Artifacts.clear = clear
else:
    def beside(*_):
        os.kill(os.getpid(), signal.SIGKILL)
    rebuilt.build_beside = beside
scrub(Home.at(sys.argv[1]), 1.0, 1.0)
"""


@pytest.mark.slow
@pytest.mark.parametrize("when", ["cleared", "beside"])
def test_killed_scrub_leaves_damage_or_half_a_home(finished: Scrollwork, when: str) -> None:
    before = files_of(finished.home)
    flip(one(finished, "score"))
    env = environment(PYTHONPATH=str(finished.root))
    killed = subprocess.run([sys.executable, "-c", KILLED, str(finished.home), when], cwd=finished.root, env=env)
    assert killed.returncode == -signal.SIGKILL
    assert leftovers(finished.home) == []
    finished.run(*FINISHED)
    assert files_of(finished.home) == before
    assert scrubbed(finished, 1.0, 1.0).damage == []
    finished("gc", "--keep-days", "0", "--yes")
    assert files_of(finished.home) == before
    assert not (finished.home / ".gc").exists()


def test_wrong_share_is_taken(call: Call, finished: Scrollwork) -> None:
    own = call.at(finished.home)
    for wrong in ("0", "5", "101%", "-1", "x", "nan", "inf"):
        status, _, err = own("verify", f"--rebuild={wrong}")
        assert status == 2, wrong
        assert "write a share above 0 and up to 1" in err
    assert own("verify", "ab", "--rebuild", "1")[0] == 2


@pytest.mark.slow
def test_night_does_not_tell_what_its_scrub_found(scrollwork: Scrollwork, tmp_path: Path) -> None:
    with vendors(tmp_path) as served:
        work = ready(scrollwork, served)
        night(work)
        asked = len(served.requests())
        assert scrubbed(work, 1.0, 1.0).damage == []
        assert len(served.requests()) == asked, "the scrub asks"
        folder = one(work, "score")  # of the first night's epoch: the second does not read it
        flip(folder)
        place = str(folder.relative_to(work.home / "artifacts"))
        (work.home / "scrub" / "state.json").write_text(json.dumps({"hashed": place[:-1]}))
        told = work(*words(work))
        assert f"note: damaged: {folder}: part scores-" in told.err
        assert "left as it is: no current plan has it" in told.err
        kept = work.home / "scrub" / "damage.json"
        (found,) = work("status", "--json").document["damage"]
        assert (found["place"], found["repaired"]) == (str(folder), False)
        line = f"warning: 1 artifact was found damaged in 7 days, 1 of them not repaired: {folder}: part scores-"
        assert line in work("status").out
        row, old = json.loads(kept.read_text())[0], int(time.time()) - 8 * 24 * 3600
        for others in ([row, {**row, "at": old}], [{**row, "at": "now"}, {"at": 1}, 7, row], [row]):
            kept.write_text(json.dumps(others))
            assert work("status", "--json").document["damage"] == [found]
        for others in ("{", "7", "[" * 100_000):
            kept.write_text(others)
            assert work("status", "--json").document["damage"] == []
        shutil.rmtree(work.home / "scrub")
        (work.home / "scrub").write_text("in the way")
        assert "note: scrub: it ended early" in work(*words(work)).err, "the night fails, or is silent"
