"""The response store held against the snapshots of answers in its home: what was changed in it, what it lost."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from models.registry import CALLED
from records.base import InvalidRow
from records.response import Failure, Response
from storage.artifacts import Artifact
from storage.errors import DamagedArtifact, LostAnswers, StorageError
from storage.home import Home
from storage.responses import ResponseStore
from storage.store_check import Checked, absent, check_store, rows_of
from storage.store_database import in_batches
from storage.store_tables import responses
from tasks.snapshot_rows import differences

REPAIR = "`scrollwork store repair` puts them back, nothing is asked; or name their store with --store"
_KEYS: dict[str, frozenset[str]] = {}  # of the answers in a snapshot of a called model, by its folder


@dataclass
class Held:
    """The store against snapshots. different: (what a snapshot holds, its provider, the fields that differ); gone:
    answers that are not in the store, failures that are neither there nor answered."""

    answers: int = 0
    different: list[tuple[Response, str, list[str]]] = field(default_factory=list)
    gone: list[tuple[Response, str]] = field(default_factory=list)
    failures_gone: list[tuple[Failure, str]] = field(default_factory=list)


def snapshots(home: Home) -> Iterator[Artifact]:
    """Every snapshot of answers whose manifest can be read; `verify` names the others."""
    base = home.artifacts.root.child("generate")
    for slot in base.names():
        for name in base.child(slot).names():
            if name.endswith(".json"):
                continue
            try:
                artifact = home.artifacts.at(base.child(slot, name))
            except StorageError:
                continue
            if artifact is not None:
                yield artifact


def provider_of(snapshot: Artifact) -> str:
    """Who answered; "" where the snapshot does not say it."""
    settings = snapshot.manifest.ingredients.params.get("settings")
    return str(settings.get("provider", "")) if isinstance(settings, dict) else ""


def store_problems(home: Home, found: Sequence[Artifact], whole: bool) -> list[str]:
    """What is wrong with the store of a home that holds these snapshots; with every row of it (whole)."""
    return list(checked_store(home, found, whole).problems)


def checked_store(home: Home, found: Sequence[Artifact], whole: bool = True) -> Checked:
    """Rows of the store, counted, and what is wrong with them, also beside these snapshots. Nothing is written where
    there is no store."""
    asked = [one for one in found if one.manifest.ingredients.stage == "generate"]
    if why := absent(home.store_place):
        number = sum(artifact.facts.get("answered", 0) for artifact in asked)
        if number:
            why = f"{why}; {beside(number, len(asked))}"
        return Checked(problems=(why,) if number or home.has_store else ())
    try:
        store = ResponseStore(home.store_place)
    except StorageError as error:
        return Checked(problems=(str(error),))
    try:
        base = check_store(store) if whole else Checked()
        if any(line.startswith("the database") for line in base.problems):
            return base
        return replace(base, problems=(*base.problems, *against(store, asked)))
    except StorageError as error:
        return Checked(problems=(str(error),))
    finally:
        store.close()


def beside(number: int, count: int) -> str:
    """What lies beside a store that holds nothing."""
    return f"{count:,} snapshots of its home hold {number:,} answers: {REPAIR}"


def against(store: ResponseStore, found: Sequence[Artifact]) -> Iterator[str]:
    """Where the store does not say what snapshots hold, in words."""
    held = hold(store, found)
    if not held.answers and not held.different and held.gone:
        yield f"{store.name}: holds none of their answers; {beside(len(held.gone), len(found))}"
        return
    for written, _, fields in held.different:
        yield f"answer {written.request_key} of {written.model}: not what its snapshot holds: {', '.join(fields)}"
    for written, _ in held.gone:
        yield f"answer {written.request_key} of {written.model}: is gone, a snapshot holds it; {REPAIR}"
    for failure, _ in held.failures_gone:
        yield f"failure {failure.request_key} of {failure.model}: is gone, a snapshot holds it; {REPAIR}"


def hold(store: ResponseStore, found: Iterable[Artifact]) -> Held:
    """Compare the store with these snapshots; each answer once, with the newest form of snapshot that holds it."""
    held = Held()
    different: dict[str, tuple[Response, str, list[str]]] = {}
    gone: dict[str, tuple[Response, str]] = {}
    lost: dict[str, tuple[Failure, str]] = {}
    for artifact in found:
        provider = provider_of(artifact)
        try:
            for some in in_batches(list(artifact.rows("responses", Response))):
                keys = [row.request_key for row in some]
                rows = store.database.read(
                    lambda connection, keys=keys: {  # type: ignore[misc]
                        row["request_key"]: row for row in rows_of(connection, responses, keys)
                    }
                )
                for written in some:
                    key, row = written.request_key, rows.get(written.request_key)
                    if row is None:
                        if key not in gone or gone[key][0].digest is None:
                            gone[key] = (written, provider)
                    elif fields := differences(written, row):
                        if key not in different or different[key][0].digest is None:
                            different[key] = (written, provider, fields)
                    else:
                        held.answers += 1
            failed = {row.request_key: row for row in artifact.rows("failures", Failure)}
            states = store.states(list(failed))
            lost |= {key: (row, provider) for key, row in failed.items() if key not in states}
        except (DamagedArtifact, InvalidRow):
            continue  # `verify` names it
    held.different = [different[key] for key in sorted(different)]
    held.gone = [gone[key] for key in sorted(gone)]
    held.failures_gone = [lost[key] for key in sorted(set(lost).difference(gone))]
    return held


class Guard:
    """Stands before what costs: no request is claimed whose answer a snapshot of the home holds and the store lost."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._known: frozenset[str] | None = None

    def __call__(self, store: ResponseStore, keys: Collection[str]) -> None:
        """Raises LostAnswers."""
        if self._known is None:
            self._known = paid_keys(self._home)
        if not self._known:
            return
        among = self._known.intersection(keys)
        lost = among.difference(key for key, state in store.states(among).items() if state == "answered")
        empty = not lost and not store.holds_answers()
        if not lost and not empty:
            return
        what = f"{len(lost):,} of the answers wanted (the first: {min(lost)})" if lost else "all answers"
        raise LostAnswers(
            f"{store.name}: {what} that snapshots in {self._home.url} hold are not in it. Nothing was asked for them. "
            f"{REPAIR}; whoever wants new answers names another --home"
        )


def paid_keys(home: Home) -> frozenset[str]:
    """Request keys of all answers of called models that snapshots of the home hold."""
    found: set[str] = set()
    base = home.artifacts.root.child("generate")
    for slot in base.names():
        for name in base.child(slot).names():
            if not name.endswith(".json"):
                found |= _keys_in(home, str(base.child(slot, name)), slot, name)
    return frozenset(found)


def _keys_in(home: Home, where: str, slot: str, name: str) -> frozenset[str]:
    if where in _KEYS:
        return _KEYS[where]
    keys: frozenset[str] = frozenset()
    try:
        artifact = home.artifacts.at(home.artifacts.root.child("generate", slot, name))
        if artifact is None:
            return keys  # being written
        if provider_of(artifact) in CALLED:
            keys = frozenset(row["request_key"] for row in artifact.columns("responses", ["request_key"]))
    except (DamagedArtifact, StorageError):
        return keys
    _KEYS[where] = keys
    return keys
