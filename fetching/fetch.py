"""Download missing raw files from where upstream publishes them, unpack archives, and note where files came from."""

from __future__ import annotations

import hashlib
import shutil
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from scrollwork.fetching.hub_sources import Hub, matching_paths
from scrollwork.fetching.raw_states import BrokenTable, RawStates, Row, pins_of
from scrollwork.fetching.sources import Catalogue, Source, needs, releases
from scrollwork.models.addresses import is_open
from scrollwork.pipeline import progress
from scrollwork.pipeline.errors import UsageError
from scrollwork.storage.downloads import hub
from scrollwork.storage.downloads.download import download
from scrollwork.storage.downloads.origins import Origins
from scrollwork.storage.downloads.partial import DownloadRequest, Fetched, put_aside
from scrollwork.storage.downloads.unpack import BadArchive, move_into, unpack
from scrollwork.storage.downloads.web import Patience, Web
from scrollwork.storage.errors import DownloadError, Stopped, StorageError
from scrollwork.storage.home import Home, is_remote
from scrollwork.storage.location import file_lock
from scrollwork.suites.request import Request

KEPT_STATES = ("dead", "manual", "corrupt")  # failures noted between runs; a file that is only missing is tried again


def tokens() -> dict[str, str]:
    """{URL of the hub: HF_TOKEN}. Raises UsageError if the token would be sent unencrypted, DownloadError."""
    found = hub.tokens()
    for url in found:
        if is_open(url):
            raise UsageError(
                f"HF_ENDPOINT={url} is plain http to another machine: others could read HF_TOKEN. Use https or no token"
            )
    return found


@dataclass(frozen=True)
class Job:
    """A download to run. url: decides in which host's queue it waits."""

    url: str
    run: Callable[[], None]


class Fetcher:
    """Finds and downloads the raw files that a request needs.

    official: the official release of the suite instead of raw files. alternatives: names of alternative sources to use.
    private: allow addresses of this machine and of private networks. Raises UsageError, StorageError for a home that
    cannot be where it was named.
    """

    def __init__(
        self,
        request: Request,
        catalogue: Catalogue,
        *,
        official: bool = False,
        alternatives: tuple[str, ...] = (),
        patience: Patience | None = None,
        private: bool = False,
    ) -> None:
        if is_remote(request.raw):
            raise UsageError(f"--raw {request.raw}: files are downloaded into a folder of this machine; name one")
        self.raw = Path(request.raw)
        self._catalogue, self._patience, self._private = catalogue, patience, private
        wanted = releases(request, catalogue) if official else needs(request, catalogue, alternatives)
        self._home = Home(request.home, request.store)
        self._home.check_place()
        self._digests = self._home.digests()
        self.origins = Origins(self.raw)
        self.states = RawStates(self.raw, wanted, self._digests, self.origins)

    def rows(self) -> list[Row]:
        """One row for each needed file, with its present state."""
        rows = self.states.rows()
        self._digests.save()
        return rows

    def pending(self) -> list[Source]:
        """The sources with a file that is not present."""
        return [s for s in self.states.sources() if any(row.file.state != "present" for row in self.states.of(s))]

    def fetch(self) -> list[Row]:
        """Download what is missing. Returns the rows afterwards. Raises UsageError, StorageError (a full disk, a home
        that cannot be written)."""
        if pending := self.pending():
            self._home.make()
        self.raw.mkdir(parents=True, exist_ok=True)
        try:
            with Web(self._catalogue.manners, self._patience, tokens(), private=self._private) as web:
                self._side_by_side([self._job(source, web) for source in pending if self._one_file(source)], web)
                for source in pending:
                    if source.rows is not None:
                        self._rows_of(source, web)
                    elif source.listed is not None:
                        self._listed(source, source.listed, web)
            self._trust_the_rest()
        finally:
            self.origins.save()
        return self.rows()

    def _one_file(self, source: Source) -> bool:
        """Whether a source is one file to download, or an archive that was put here by hand and must be unpacked."""
        by_hand = bool(source.members) and (self.raw / source.path).is_file()
        return source.rows is None and source.listed is None and (bool(source.urls) or by_hand)

    def _trust_the_rest(self) -> None:
        """Note the digests of files that were put here by hand, so that later changes are noticed."""
        for row in self.states.rows():
            if row.file.state == "present" and not self.origins.file(row.file.path).get("sha256"):
                self.origins.note_file(row.file.path, url="", sha256=row.file.sha256, bytes=row.file.bytes, etag="")

    def _job(self, source: Source, web: Web) -> Job:
        url = next(iter(source.urls), "")

        def work() -> None:
            if source.members:
                self._archive(source, web)
            else:
                self._single(source, web)

        def run() -> None:
            progress.started(source.path)
            self._tried(source.path, url, work)
            progress.ended(source.path, "failed" if source.path in self.states.failed else "fetched")

        return Job(url, run)

    def _tried(self, path: str, url: str, work: Callable[[], None]) -> None:
        """Run `work`; if it fails, note state and reason for `path`."""
        try:
            work()
        except Stopped:
            raise
        except (DownloadError, BadArchive) as error:
            state = error.state if isinstance(error, DownloadError) else "corrupt"
            self.states.failed[path] = (state, str(error))
            if state in KEPT_STATES:
                self.origins.note_file(path, state=state, why=str(error), url=url)

    def _single(self, source: Source, web: Web) -> None:
        self._note(source.path, self._downloaded(source, web))

    def _downloaded(self, source: Source, web: Web) -> Fetched:
        pins = pins_of(source)
        wanted = replace(pins, target=self.raw / source.path, replaced=self._changed(source.path))
        return download(wanted, web, lambda done, total: progress.tell(source.path, done, total) if total else None)

    def _changed(self, path: str) -> str | None:
        """The sha256 of a file that differs from its first download; None if it does not."""
        place, noted = self.raw / path, self.origins.file(path).get("sha256")
        if noted is None or not place.is_file():
            return None
        sha256, _ = self._digests.of(place)
        return sha256 if sha256 != noted else None

    def _note(self, path: str, fetched: Fetched) -> None:
        url = fetched.url or self.origins.file(path).get("url", "")
        self.origins.note_file(path, url=url, sha256=fetched.sha256, bytes=fetched.bytes, etag=fetched.etag)

    def _archive(self, source: Source, web: Web) -> None:
        """Download and unpack an archive, in one process at a time; others then find it unpacked."""
        name = hashlib.sha256(source.path.encode()).hexdigest()[:12]
        room, lock = self.raw / f".tmp-unpack-{name}", self.raw / f".tmp-unpack-{name}.lock"
        with file_lock(lock):
            self.origins.reread()
            if self.states.unpacked(source) and all(row.file.state == "present" for row in self.states.of(source)):
                return
            archive = self.raw / source.path
            was_here = archive.is_file()
            fetched = self._downloaded(source, web)
            progress.say(f"unpacking {source.path}")
            try:
                made = self._unpacked(source, archive, room)
            except BadArchive:
                if not source.sha256 and not source.git_blob:
                    put_aside(archive)  # so that the next run downloads it again
                raise
            self._take(source, fetched, made, room)
            if not (was_here and not fetched.url):
                archive.unlink(missing_ok=True)
            lock.unlink(missing_ok=True)

    def _unpacked(self, source: Source, archive: Path, room: Path) -> dict[str, str]:
        """Unpack the members into the empty folder `room` and verify them. Returns sha256 by path."""
        shutil.rmtree(room, ignore_errors=True)
        room.mkdir()
        try:
            made = unpack(archive, source.members, room, strip=source.strip)
            for member, sha256 in (source.member_sha256 or {}).items():
                found = made.get(member.removeprefix(source.strip))
                if found != sha256:
                    raise BadArchive(f"{archive.name}: member {member} has sha256 {found}, published is {sha256}")
        except BaseException:
            shutil.rmtree(room, ignore_errors=True)
            raise
        return made

    def _take(self, source: Source, fetched: Fetched, made: dict[str, str], room: Path) -> None:
        """Move the members to their places. The archive is noted as unpacked only after the last one."""
        into = self.raw / source.into
        sizes = {name: (room / name).stat().st_size for name in made}
        origin = {"url": fetched.url, "sha256": fetched.sha256, "bytes": fetched.bytes, "etag": fetched.etag}
        self.origins.note_archive(source.path, **origin, unpacked=False)
        for name, sha256 in made.items():
            there, noted = into / name, self.origins.file(source.into + name).get("sha256")
            if there.is_file() and self._digests.of(there)[0] not in (sha256, noted):
                put_aside(there)  # changed by the user: kept
        move_into(room, into, made)
        for name, sha256 in made.items():
            self.origins.note_file(
                source.into + name, url=fetched.url, sha256=sha256, bytes=sizes[name], etag="", archive=source.path
            )
        members = sorted(source.into + name for name in made)
        self.origins.note_archive(source.path, **origin, unpacked=True, members=members)

    def _rows_of(self, source: Source, web: Web) -> None:
        """Download the missing files that a table lists."""
        absent = {row.file.path for row in self.states.of(source) if row.file.state != "present"}
        try:
            items = [item for item in self.states.items(source) if item.path in absent]
        except (FileNotFoundError, BrokenTable):
            return  # its row says so
        wanted = [
            DownloadRequest((item.url,), self.raw / item.path, text=True, html=item.page, least_bytes=item.least_bytes)
            for item in items
        ]
        self._several(source, wanted, web)

    def _listed(self, source: Source, data_set: Hub, web: Web) -> None:
        """Download the missing files of a commit of a hub data set; the hub is asked for its list of files once."""
        if self.states.hub_files(source) is None:

            def ask() -> None:
                files = hub.list_files(data_set.repo, data_set.revision, web)
                mine = {path: asdict(files[path]) for path in matching_paths(data_set, files)}
                self.origins.note_listing(data_set.listing, mine)

            self._tried(source.path, data_set.url, ask)
        absent = {row.file.path for row in self.states.of(source) if row.file.state != "present"}
        files = self.states.hub_files(source) or []
        self._several(source, [file for file in files if self._path(file) in absent], web)

    def _several(self, source: Source, files: list[DownloadRequest], web: Web) -> None:
        """Download files of one source at the same time; a failure is noted for each file."""
        done = iter(range(1, len(files) + 1))

        def job(file: DownloadRequest) -> Job:
            path = self._path(file)

            def fetch() -> None:
                self._note(path, download(replace(file, replaced=self._changed(path)), web))

            def run() -> None:
                self._tried(path, file.urls[0], fetch)
                progress.tell(source.path, next(done), len(files))

            return Job(file.urls[0], run)

        progress.started(source.path)
        self._side_by_side([job(file) for file in files], web)
        vain = any(self._path(file) in self.states.failed for file in files) or source.path in self.states.failed
        progress.ended(source.path, "failed" if vain else "fetched")

    def _path(self, file: DownloadRequest) -> str:
        return file.target.relative_to(self.raw).as_posix()

    def _side_by_side(self, jobs: Iterable[Job], web: Web) -> None:
        """Run the jobs: in order for each host, with as many at once as its manners allow. Raises StorageError."""
        queues: dict[str, deque[Job]] = {}
        for job in jobs:
            queues.setdefault(web.key(job.url), deque()).append(job)
        errors: list[BaseException] = []

        def drain(queue: deque[Job]) -> None:
            try:
                while not web.stop.is_set():
                    queue.popleft().run()
            except IndexError:
                pass  # empty
            except Stopped:
                pass
            except BaseException as error:
                errors.append(error)
                web.stop.set()

        threads = [
            threading.Thread(target=drain, args=(queue,), daemon=True)
            for host, queue in queues.items()
            for _ in range(min(web.at_once(host), len(queue)))
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(0.2)
        except KeyboardInterrupt:
            web.stop.set()
            for thread in threads:
                thread.join(1.0)
            raise
        for error in errors:
            raise error if isinstance(error, (StorageError, OSError)) else RuntimeError("a download broke") from error
