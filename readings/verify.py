"""`verify`: recompute every digest, from any score back to the raw files, and look for what runs left."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.raw_files import forget_matches, place_of
from scrollwork.pipeline.session import pointer_bytes, pointer_to
from scrollwork.pipeline.snapshots.check import store_problems
from scrollwork.pipeline.snapshots.rows import answer_state
from scrollwork.readings.verified_sources import made_by_other_code
from scrollwork.records.base import InvalidRow
from scrollwork.records.raw_file import RawFile
from scrollwork.records.response import Failure, Response
from scrollwork.storage.artifacts.artifact import KEY_CHARS, LOCK, RUN, Artifact
from scrollwork.storage.artifacts.manifest import NAME as MANIFEST
from scrollwork.storage.artifacts.manifest import RAW
from scrollwork.storage.digest import sha256_file, sha256_of
from scrollwork.storage.errors import DamagedArtifact, StorageError
from scrollwork.storage.home import Home
from scrollwork.storage.location import Location
from scrollwork.suites.outside_systems import is_outside, read_note
from scrollwork.tasks.curate.run import STAGE as CURATE
from scrollwork.tasks.generate.run import STAGE as GENERATE
from scrollwork.tasks.generate.snapshot import MISSING
from scrollwork.tasks.overview.run import STAGE as OVERVIEW
from scrollwork.tasks.predictions import STAGE as PREDICTIONS
from scrollwork.tasks.report.run import STAGE as REPORT

USUAL = ".scrollwork"  # the home's folder where none is named


@dataclass
class HomeContents:
    """The artifacts of a home, by folder. pointers: (slot's folder, name of the file). broken: problems, in words."""

    artifacts: dict[str, Artifact] = field(default_factory=dict)
    pointers: list[tuple[Location, str]] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


def require_home(home: Home) -> None:
    """Raise UsageError if a folder, or a place in a store of objects, is no home: nothing in it would be broken.

    Raises StorageError for a file, or a folder that may not be read."""
    home.check_place()
    names = Location(home.url).names()
    if not {"artifacts", "runs"} & set(names):
        why = "holds neither artifacts/ nor runs/" if names else "there is no such folder, or it is empty"
        below = Home(f"{home.url}/{USUAL}")
        near = f"; did you mean {below.url}?" if {"artifacts", "runs"} & set(Location(below.url).names()) else ""
        how = "`scrollwork run` and `build` make one (--home), in Python `sw.run(..., home=...)`"
        raise UsageError(f"{home.url}: is no home of scrollwork: {why}; {how}{near}")


def stopped(home: Home) -> str:
    """Return a sentence on a home whose first run was stopped after it had answers or artifacts, "" for any other.
    Raises StorageError."""
    from scrollwork.storage.answers.attempts import count_answers

    if home.runs():
        return ""
    shared = bool(home.store) or "://" in home.url  # the store may have answers for other homes
    stored = 0 if shared or not home.has_store else count_answers(home.store_place)
    if not stored and not any(home.artifacts.root.names()):
        return ""
    has = f"{stored:,} answer(s) are stored" if stored else "its first stages stand"
    return f"a run in this home was stopped before it ended: {has}; run the same again to go on"


def verify(home: Home, key: str) -> dict[str, Any]:
    """Recompute the digests of artifacts whose key begins with `key` ("": all), of all that they were made from, and of
    raw files.

    The response store is compared with the snapshots among them. With "", also check every row of the store, whether
    artifacts of the newest runs are gone, pages, files of systems that ran elsewhere, and whether the newest runs'
    results were made by other code than is here (readings/verified_sources.py). Return {ok, checked: number of files
    hashed, artifacts: their number, broken: problems in words, other_code: lines on what other code made}.
    """
    found = contents_of(home)
    broken = found.broken
    by_content: dict[str, list[Artifact]] = {}
    for artifact in found.artifacts.values():
        for name in (artifact.content, artifact.exact):
            by_content.setdefault(name, []).append(artifact)
    waiting = [a for a in found.artifacts.values() if a.manifest.key.startswith(key) or a.content.startswith(key)]
    if key and not waiting:
        broken.append(f"no artifact has a key that begins with {key}")
    seen: set[str] = set()
    checked = 0
    if not key:
        broken += [problem for base, name in found.pointers for problem in check_pointer(base, name, found.artifacts)]
        broken += check_runs(home)
        if "://" not in home.url:  # else pages and notes are on the machines that ran
            broken += [*check_pages(home, found.artifacts), *check_notes(home)]
    while waiting:
        artifact = waiting.pop()
        if str(artifact.folder) in seen:
            continue
        seen.add(str(artifact.folder))
        files, problems = check(artifact, by_content)
        checked += files
        broken += problems
        for content in artifact.manifest.ingredients.contents():
            waiting += by_content.get(content, [])
    broken += store_problems(home, [one for one in found.artifacts.values() if str(one.folder) in seen], whole=not key)
    other: list[str] = []
    if not key:
        other = made_by_other_code(rows_of(home), list(found.artifacts.values()), by_content)
    ok = not broken and not other
    return {"ok": ok, "checked": checked, "artifacts": len(seen), "broken": broken, "other_code": other}


def contents_of(home: Home) -> HomeContents:
    """Find every artifact with a readable manifest, every pointer, and the problems of the other artifacts."""
    found = HomeContents()
    root = home.artifacts.root
    for stage in root.names():
        for slot in root.child(stage).names():
            base = root.child(stage, slot)
            for name in base.names():
                if name.endswith(".json"):
                    found.pointers.append((base, name))
                    continue
                try:
                    artifact = home.artifacts.at(base.child(name))
                except StorageError as error:
                    found.broken.append(str(error))
                    continue
                if artifact is None:
                    continue
                found.artifacts[str(artifact.folder)] = artifact
                made = artifact.manifest.ingredients
                if (made.stage, made.slot, artifact.manifest.key[:KEY_CHARS]) != (stage, slot, name):
                    found.broken.append(f"{artifact.folder}: is an artifact of another place")
    return found


def check(artifact: Artifact, by_content: Mapping[str, list[Artifact]]) -> tuple[int, list[str]]:
    """Check manifest, parts, unknown files, key, inputs, answers, raw files. Return (files hashed, problems)."""
    manifest = artifact.manifest
    made = manifest.ingredients
    where = str(artifact.folder)
    problems = []
    whole = True
    if artifact.folder.read(MANIFEST) != manifest.to_bytes():
        problems.append(f"{where}/{MANIFEST}: says what it said, in other bytes than were written")
    for part in manifest.files:
        try:
            artifact.check_part(part)
        except DamagedArtifact as damage:
            problems.append(str(damage))
            whole = False
    ours = {part.name for part in manifest.files} | {MANIFEST, RUN, LOCK}
    for name in artifact.folder.names():
        if name not in ours and not name.startswith("."):
            problems.append(f"{where}/{name}: is no file of this artifact")
    own = made.key() if made.stage != GENERATE else sha256_of([made.key(), manifest.content])
    if own != manifest.key or (made.stage != GENERATE and manifest.content != manifest.key):
        problems.append(f"{where}: the manifest's key does not follow from what it says the artifact was made from")
    for name in sorted({*made.inputs} - {RAW}):
        for content in made.each(name):
            if content not in by_content:
                problems.append(f"{where}: input {name} ({content[:12]}) is not here any more")
    files = len(manifest.files)
    if whole and made.stage == GENERATE:
        problems += check_answers(artifact)
    if whole and made.stage in (CURATE, PREDICTIONS):
        hashed, found = check_raw(artifact)
        files += hashed
        problems += found
    return files, problems


def check_pointer(base: Location, name: str, artifacts: Mapping[str, Artifact]) -> list[str]:
    """Check that a pointer names a snapshot that is here and was made for the pointer's key. Return the problems."""
    try:
        data = base.read(name)
        snapshot = artifacts[str(base.child(json.loads(data)["artifact"][:KEY_CHARS]))]
        same = data == pointer_bytes(pointer_to(snapshot))
        whole = same and snapshot.manifest.ingredients.key().startswith(name[:-5])
    except (ValueError, LookupError, TypeError):
        whole = False
    return [] if whole else [f"{base}/{name}: does not point to a snapshot of answers that is here; run again"]


def check_answers(artifact: Artifact) -> list[str]:
    """Check that a snapshot's answers give its answers digest. Return the problems."""
    states = {}
    try:
        for row in artifact.rows("responses", Response):
            states[row.request_key] = answer_state(row.text, row.scored_characters)
        for failure in artifact.rows("failures", Failure):
            states[failure.request_key] = failure.kind
    except InvalidRow as error:
        return [f"{artifact.folder}: {error}"]
    states |= dict.fromkeys(artifact.facts["missing_keys"], MISSING)
    same = sha256_of(sorted(states.items())) == artifact.content
    return [] if same else [f"{artifact.folder}: its answers do not give the digest by which it is known"]


def check_raw(artifact: Artifact) -> tuple[int, list[str]]:
    """Return (files hashed, problems) of the raw files that an artifact was curated from, in the folder used then or
    behind its URL, where a file that has the same stamp as then is not fetched again (storage/mirror.py)."""
    folder = artifact.run().get("raw")
    if not folder:
        return 0, [f"{artifact.folder}: {RUN} does not say where the raw files lay"]
    forget_matches(folder)  # look behind a URL as it is now
    problems = []
    count = 0
    for file in artifact.rows("raw_files", RawFile):
        named = f"{folder}/{file.path}"
        count += 1
        try:
            same = sha256_file(place_of(folder, file.path)) == file.sha256
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            problems.append(f"{named}: the raw file is gone")
        except (OSError, StorageError) as error:
            problems.append(f"{named}: the raw file cannot be read ({error})")
        else:
            if not same:
                problems.append(f"{named}: the raw file has other bytes than when it was read (sha256)")
    return count, problems


def rows_of(home: Home) -> list[dict[str, Any]]:
    """Return the rows of runs, the oldest first, without those that lack the fields that are read here."""

    def whole(run: Mapping[str, Any]) -> bool:
        request, keys = run.get("request"), run.get("keys")
        models = request.get("models") if isinstance(request, dict) else None
        return "id" in run and isinstance(models, list) and isinstance(keys, dict)

    return [run for run in home.runs() if whole(run)]


def check_runs(home: Home) -> Iterator[str]:
    """Yield problems: artifacts of a slot's newest run that are gone, and rows of runs that cannot be read."""
    rows = Location(f"{home.url}/runs")
    runs = rows_of(home)
    known = {f"{run['id']}.json" for run in runs}
    yield from (f"{rows}/{name}: is no row of a run" for name in rows.names() if name[:1] != "." and name not in known)
    seen: set[str] = set()
    for run in reversed(runs):
        for name, key in run["keys"].items():
            stage, _, slot = name.partition("/")
            if name in seen:
                continue
            seen.add(name)
            base = home.artifacts.root.child(stage, slot)
            stands = f"{key[:KEY_CHARS]}.json" if stage == GENERATE else f"{key[:KEY_CHARS]}/{MANIFEST}"
            if not base.exists(stands):
                yield f"{base}/{stands}: is gone, run {run['id']} left it; run again"


def check_pages(home: Home, artifacts: Mapping[str, Artifact]) -> Iterator[str]:
    """Yield problems of published pages and their data: they must exist and be those of a report or an overview."""
    pages = {
        part.sha256: artifact
        for artifact in artifacts.values()
        if artifact.manifest.ingredients.stage in (REPORT, OVERVIEW)
        for part in artifact.manifest.files
        if part.table.endswith(".html")
    }
    for name in sorted({Path(run["report"]).name for run in rows_of(home) if run.get("report")}):
        path = home.reports / name
        if not path.is_file():
            yield f"{path}: the page is gone; run again"
            continue
        artifact = pages.get(sha256_file(path))
        if artifact is None:
            yield f"{path}: has other bytes than the page of any report that is here; run again"
            continue
        data = {part.table: part.sha256 for part in artifact.manifest.files}
        for file in artifact.facts.get("files", ()):
            beside = home.reports / artifact.facts["folder"] / file
            if not beside.is_file() or sha256_file(beside) != data[file]:
                yield f"{beside}: is gone or has other bytes than the page needs; run again"


def check_notes(home: Home) -> Iterator[str]:
    """Yield problems of systems that ran elsewhere: their notes must be readable and their prediction files exist."""
    folder = home.predictions
    asked = {model for run in rows_of(home) for model in run["request"]["models"] if is_outside(model)}
    named = {folder / f"{model.rpartition('~')[2]}.json" for model in asked}
    for path in sorted({*folder.glob("*.json"), *named}):
        note = read_note(path)
        if note is None:
            yield f"{path}: is gone, or not what was noted of predictions; score --predictions takes them in again"
            continue
        for file in note["files"]:
            if not (folder / file["sha256"]).is_file():
                yield f"{folder / file['sha256']}: the predictions of {path.name} are gone"
