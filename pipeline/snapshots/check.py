"""Compare the response store with the snapshots of answers in its home: what the store lost, and what changed in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from scrollwork.models.hosted.replies import WITHOUT_ROOM, without_room
from scrollwork.models.registry import CALLED, HOSTED
from scrollwork.pipeline.snapshots.damaged import (
    Damaged,
    damaged_snapshot,
    lacking_answers,
    move_aside,
    provider_of,
    refusal_message,
    snapshot_folders,
)
from scrollwork.pipeline.snapshots.rows import differences, same_where_both_hold
from scrollwork.records.base import InvalidRow
from scrollwork.records.response import Failure, Response
from scrollwork.storage.answers.check import StoreCheck, check_store, rows_of, why_no_store
from scrollwork.storage.answers.database import in_batches
from scrollwork.storage.answers.empty_replies import without_a_word
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.answers.tables import responses
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.errors import DamagedArtifact, LostAnswers, StorageError
from scrollwork.storage.home import SNAPSHOTS, Home
from scrollwork.storage.location import Location

REPAIR = "`scrollwork store repair` puts them back, nothing is asked; or name their store with --store"
_KEYS: dict[str, Paid] = {}  # request keys of intact snapshots by folder, for this process


@dataclass
class SnapshotComparison:
    """How the store differs from snapshots.

    answers: number of the store's answers that agree with at least one snapshot. different: (the snapshot's answer, its
    provider, the fields that differ), if all snapshots agree with each other against the store. gone, failures_gone:
    (answer or failure, provider) that is in a snapshot but not in the store. disputed, conflicts: messages about
    answers on which snapshots disagree. The store agrees with none of them (disputed), or with one, which makes the
    store's answer right (conflicts).
    """

    answers: int = 0
    different: list[tuple[Response, str, list[str]]] = field(default_factory=list)
    gone: list[tuple[Response, str]] = field(default_factory=list)
    failures_gone: list[tuple[Failure, str]] = field(default_factory=list)
    disputed: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Paid:
    """Request keys in the snapshots of models that are called (hosted or local): answered, and failed for good.

    An empty reply that an older version stored as an answer counts as failed. damaged: the damaged snapshots.
    """

    answered: frozenset[str]
    failed: frozenset[str]
    damaged: tuple[Damaged, ...] = ()


def snapshots(home: Home) -> Iterator[Artifact]:
    """Yield each snapshot of answers whose manifest can be read. `damaged_snapshots` lists the damaged ones."""
    for folder in snapshot_folders(home):
        try:
            artifact = home.artifacts.at(folder)
        except DamagedArtifact:  # a remote home that cannot be reached is no damage: that must be told
            continue
        if artifact is not None:
            yield artifact


def store_problems(home: Home, found: Sequence[Artifact], whole: bool) -> list[str]:
    """List what is wrong with the store of a home, compared with these snapshots, in words.

    whole: also check every row of the store.
    """
    return list(checked_store(home, found, whole).problems)


def checked_store(home: Home, found: Sequence[Artifact], whole: bool = True) -> StoreCheck:
    """Check the store of a home and compare it with these snapshots. Creates no store, and reports errors as problems.

    whole: also count and check every row; without it, the numbers of rows in the result are 0.
    """
    asked = [one for one in found if one.manifest.ingredients.stage == SNAPSHOTS]
    if why := why_no_store(home.store_place):
        number = sum(artifact.facts.get("answered", 0) + artifact.facts.get("failed", 0) for artifact in asked)
        if number:
            why = f"{why}; {empty_store_problem(number, len(asked))}"
        return StoreCheck(problems=(why,) if number or home.has_store else ())
    try:
        store = ResponseStore(home.store_place)
    except StorageError as error:
        return StoreCheck(problems=(str(error),))
    try:
        base = check_store(store) if whole else StoreCheck()
        if any(line.startswith("the database") for line in base.problems):
            return base
        empty = tuple((key, model) for key, at, model in without_a_word(store, WITHOUT_ROOM) if at in HOSTED)
        return replace(base, problems=(*base.problems, *store_differences(store, asked)), empty=empty)
    except StorageError as error:
        return StoreCheck(problems=(str(error),))
    finally:
        store.close()


def empty_store_problem(number: int, count: int) -> str:
    """Return the message about an empty store whose home has snapshots.

    number: answers and failures in the `count` snapshots.
    """
    return f"{count:,} snapshots of its home hold {number:,} answers and failures: {REPAIR}"


def store_differences(store: ResponseStore, found: Sequence[Artifact]) -> Iterator[str]:
    """Yield the differences between the store and snapshots, in words.

    If the store holds no answer of the snapshots at all, yield only one message that says so.
    """
    held = compare_with_store(store, found)
    if not held.answers and not held.different and not held.disputed and held.gone:
        number = len(held.gone) + len(held.failures_gone)
        yield f"{store.name}: holds none of their answers; {empty_store_problem(number, len(found))}"
        return
    for written, _, fields in held.different:
        yield f"answer {written.request_key} of {written.model}: not what its snapshot holds: {', '.join(fields)}"
    yield from held.disputed
    for written, _ in held.gone:
        yield f"answer {written.request_key} of {written.model}: is gone, a snapshot holds it; {REPAIR}"
    for failure, _ in held.failures_gone:
        yield f"failure {failure.request_key} of {failure.model}: is gone, a snapshot holds it; {REPAIR}"


def compare_with_store(store: ResponseStore, found: Iterable[Artifact]) -> SnapshotComparison:
    """Compare the store with these snapshots; damaged ones are passed over.

    The store's answer is right if any snapshot agrees with it. If it agrees with none, and the snapshots disagree with
    each other, none is believed. Snapshots with digests (schema 4) are preferred to older ones.
    """
    held = SnapshotComparison()
    equal: dict[str, bool] = {}  # answers that agree with a snapshot: whether with one that has digests
    different: dict[str, list[tuple[Response, str, list[str]]]] = {}
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
                stand = store.states([row.request_key for row in some if without_room(row.text, row.finish_reason)])
                for written in some:
                    key, row = written.request_key, rows.get(written.request_key)
                    if key in stand and (row is None or row["text"] != written.text):
                        continue  # an empty reply, which a failure or a newer answer has replaced since
                    if row is None:
                        if key not in gone or gone[key][0].digest is None:
                            gone[key] = (written, provider)
                    elif fields := differences(written, row):
                        different.setdefault(key, []).append((written, provider, fields))
                    else:
                        equal[key] = equal.get(key, False) or written.digest is not None
            failed = {row.request_key: row for row in artifact.rows("failures", Failure)}
            states = store.states(list(failed))
            lost |= {key: (row, provider) for key, row in failed.items() if key not in states}
        except (DamagedArtifact, InvalidRow):
            continue  # the command `verify` reports it
    for key in sorted(different):
        _judge(held, key, different[key], equal.get(key))
    held.answers = len(equal)
    held.gone = [gone[key] for key in sorted(gone)]
    held.failures_gone = [lost[key] for key in sorted(set(lost).difference(gone))]
    return held


def _judge(held: SnapshotComparison, key: str, said: list[tuple[Response, str, list[str]]], equal: bool | None) -> None:
    """Add an answer to `held` that differs between the store and some snapshots.

    said: (answer, provider, fields that differ) of those snapshots. equal: True if a snapshot with a digest agrees with
    the store, False if only an older one does, None if none does. An older snapshot lacks some fields, so it cannot
    confirm them.
    """
    newest = [one for one in said if one[0].digest is not None]
    if equal is False and newest and any(same_where_both_hold(fields) for _, _, fields in newest):
        equal = None
    said = newest or said
    versions = {one[0].digest or one[0].text for one in said}
    name = f"answer {key} of {said[0][0].model}"
    if equal is not None:
        held.conflicts.append(
            f"{name}: {len(said):,} snapshots hold another one; the store's is that of a snapshot too"
        )
    elif len(versions) > 1:
        held.disputed.append(f"{name}: {len(versions)} snapshots hold different ones, and the store none of them")
    else:
        held.different.append(said[0])


class Guard:
    """Refuses claims on requests whose paid answers are in a snapshot of the home, but no longer in the store.

    retry_failed: allow requests that failed for good to be asked again.
    """

    def __init__(self, home: Home, retry_failed: bool = False) -> None:
        self._home, self._retry_failed = home, retry_failed
        self._known: Paid | None = None

    def __call__(self, store: ResponseStore, keys: Collection[str]) -> None:
        """Raise LostAnswers if the store has lost paid answers. Called before the requests of these keys are claimed.

        These are answers to `keys` that snapshots hold; all answers, if the store holds none and a snapshot holds some;
        and answers of a damaged snapshot whose keys cannot be read, if the store may lack them.
        """
        known = self._known = self._known or paid(self._home)
        for one in known.damaged:
            if one.unread and (why := lacking_answers(store, one)):
                raise LostAnswers(refusal_message(one, why))
        among = (known.answered | (frozenset() if self._retry_failed else known.failed)).intersection(keys)
        states = store.states(among)
        lost = {key for key in among if key not in states}
        lost |= {key for key in known.answered.intersection(states) if states[key] != "answered"}
        empty = not lost and known.answered and not store.holds_answers()
        if not lost and not empty:
            return
        what = f"{len(lost):,} of the answers wanted (the first: {min(lost)})" if lost else "all answers"
        torn = "".join(f"; damaged: {one}" for one in known.damaged if lost & (one.answered | one.failed))
        raise LostAnswers(
            f"{store.name}: {what} that snapshots in {self._home.url} hold are not in it. Nothing was asked for them. "
            f"{REPAIR}; whoever wants new answers names another --home{torn}"
        )


class Keeper:
    """Refuses to remove a damaged snapshot that holds the last copy of paid answers."""

    def __init__(self, home: Home, store: Callable[[], ResponseStore]) -> None:
        self._home, self._store = home, store

    def __call__(self, folder: Location) -> Location | None:
        """Protect a snapshot before `Artifacts` empties its folder. Returns where its files were moved, or None.

        Only a damaged snapshot that may be of a called model is protected. Raises LostAnswers if the store may lack
        some of its answers. Otherwise it is moved aside if some of its answers cannot be read, unless a process is
        writing there.
        """
        found = damaged_snapshot(self._home, folder)
        if found is None or not found.paid:
            return None
        if why := why_no_store(self._home.store_place) or lacking_answers(self._store(), found):
            raise LostAnswers(refusal_message(found, why))
        return move_aside(self._home, folder) if found.unread else None


def paid(home: Home) -> Paid:
    """Read from the home's snapshots which requests were paid.

    Counted are the snapshots of models that are called, and damaged ones that may belong to such a model.
    """
    answered: set[str] = set()
    failed: set[str] = set()
    torn: list[Damaged] = []
    for folder in snapshot_folders(home):
        known = _KEYS.get(str(folder)) or _keys_in(home, folder)
        if known is None and (found := damaged_snapshot(home, folder)) is not None and found.paid:
            torn.append(found)
            known = Paid(found.answered, found.failed)
        if known is not None:
            answered |= known.answered
            failed |= known.failed
    return Paid(frozenset(answered), frozenset(failed.difference(answered)), tuple(torn))


def _keys_in(home: Home, folder: Location) -> Paid | None:
    """Return the request keys of an intact snapshot, none for a free model; None if it is damaged or absent."""
    try:
        artifact = home.artifacts.at(folder)
        if artifact is None:
            return None
        known = Paid(frozenset(), frozenset())
        if provider_of(artifact) in CALLED:
            failures, named = artifact.columns("failures", ["request_key", "kind"]), ["request_key", "finish_reason"]
            ended = {row["request_key"]: row["finish_reason"] for row in artifact.columns("responses", named)}
            empty = set[str]()
            if any(finish in WITHOUT_ROOM for finish in ended.values()):
                texts = artifact.columns("responses", [*named, "text"])  # only if needed: they are long
                empty = {row["request_key"] for row in texts if without_room(row["text"], row["finish_reason"])}
            failed = {row["request_key"] for row in failures if row["kind"] == "terminal"}
            known = Paid(frozenset(ended.keys() - empty), frozenset(failed | empty))
    except (DamagedArtifact, FileNotFoundError):
        return None
    _KEYS[str(folder)] = known
    return known
