"""Which raw files that a suite needs are here, and what is wrong with the others. Asks no server."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrollwork.fetching.hub_sources import matching_paths, wanted_file
from scrollwork.fetching.sources import Need, Source
from scrollwork.pipeline.raw_files import forget_matches, matching_files
from scrollwork.records.raw_file import RawFile
from scrollwork.storage.digest import FileDigests
from scrollwork.storage.downloads.origins import Origins
from scrollwork.storage.downloads.partial import DownloadRequest, problem_with, sibling

NAMES_OF_FILES = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*")
SMALLEST_STORY = 19_000  # bytes; upstream's own script (NarrativeQA) takes anything smaller for an error page


@dataclass(frozen=True)
class Row:
    """A needed file and its state. url: where it comes from. why: what is wrong, and what to do."""

    file: RawFile
    source: Source
    tasks: tuple[str, ...]
    url: str = ""
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        """As `fetch --json` prints it."""
        file = self.file
        return {
            "tasks": list(self.tasks),
            "dataset": file.dataset,
            "path": file.path,
            "state": file.state,
            "sha256": file.sha256,
            "bytes": file.bytes,
            "url": self.url,
            "licence": self.source.licence,
            "why": self.why,
        }


@dataclass(frozen=True)
class Item:
    """A file that a table of addresses lists. page: a web page is wanted. least_bytes: anything shorter is an error."""

    path: str
    url: str
    page: bool
    least_bytes: int


class BrokenTable(ValueError):
    """A table of addresses that cannot be read; the message names file, line and column."""


@dataclass
class RawStates:
    """The states of the needed files in a raw folder. failed: {path: (state, why)} of downloads that failed in this
    process."""

    raw: Path
    needs: list[Need]
    digests: FileDigests
    origins: Origins
    failed: dict[str, tuple[str, str]] = field(default_factory=dict)

    def sources(self) -> list[Source]:
        """Every needed source once, in the order of the tasks; tables before the files whose addresses they hold."""
        found = {source.path: source for need in self.needs for source in need.sources}
        return sorted(found.values(), key=lambda source: source.rows is not None)

    def tasks_of(self, source: Source) -> tuple[str, ...]:
        """The tasks that read a source."""
        return tuple(
            dict.fromkeys(need.task for need in self.needs if source.path in [one.path for one in need.sources])
        )

    def splits_of(self, source: Source) -> set[str]:
        """The upstream names of the splits for which a source is read."""
        return {need.split for need in self.needs if source.path in [one.path for one in need.sources]}

    def rows(self) -> list[Row]:
        """One row for each file: of every source, and of needs without a source."""
        forget_matches(str(self.raw))
        rows = [row for source in self.sources() for row in self.of(source)]
        for need in self.needs:
            if not need.sources:
                rows += self._without_source(need)
        return rows

    def of(self, source: Source) -> list[Row]:
        """The rows of one source."""
        if source.members:
            return list(self._archive(source))
        if source.rows is not None:
            return list(self._table(source))
        if source.listed is not None:
            return list(self._hub(source))
        if not source.urls:
            return list(self._by_hand(source))
        return [self.row(source, source.path, pins_of(source), source.urls[0])]

    def row(self, source: Source, path: str, pins: DownloadRequest, url: str = "") -> Row:
        """The state of one file, compared with published digests, or without them with its first download."""
        tasks, place, note = self.tasks_of(source), self.raw / path, self.origins.file(path)
        if not place.is_file():
            state, why = self.failed.get(path) or (note.get("state", ""), note.get("why", ""))
            if not state:
                state, why = "missing", self._so_far(place)
            elif state != "missing" and (source.urls or source.hub):
                why = f"{why}. {by_hand(source, path)}"
            return Row(RawFile(source.dataset, path, None, None, state), source, tasks, url, why)
        sha256, size = self.digests.of(place)
        problem = problem_with(place, pins, sha256)
        if not problem and not pins.pinned and note.get("sha256") not in (None, sha256):
            problem = f"has changed since it came (its sha256 was {note['sha256']})"
        url = note.get("url") or url
        if problem:
            return Row(RawFile(source.dataset, path, sha256, size, "corrupt"), source, tasks, url, problem)
        return Row(RawFile(source.dataset, path, sha256, size), source, tasks, url)

    def items(self, source: Source) -> list[Item]:
        """The files that a table lists for the needed splits. Raises BrokenTable, FileNotFoundError."""
        assert source.rows is not None
        spec, splits = source.rows, self.splits_of(source)
        text = (self.raw / spec.table).read_bytes().decode("utf-8-sig", "replace")
        reader = csv.DictReader(io.StringIO(text, newline=""))
        columns = [
            spec.url,
            *re.findall(r"\{(\w+)\}", source.path),
            *filter(None, (spec.size, spec.split)),
            *spec.pages,
        ]
        for column in columns:
            if column not in (reader.fieldnames or []):
                raise BrokenTable(f"{spec.table}: column {column!r} is missing")
        found: dict[str, Item] = {}
        for row in reader:
            if not spec.split or row[spec.split] in splits:
                item = _item(source, row, f"{spec.table}, line {reader.line_num}")
                found[item.path] = item
        return list(found.values())

    def hub_files(self, source: Source) -> list[DownloadRequest] | None:
        """The wanted files of a commit of a hub data set, with digests; None before the hub was asked."""
        assert source.listed is not None
        hub, listed = source.listed, self.origins.listing(source.listed.listing)
        if listed is None:
            return None
        return [
            wanted_file(hub, path, listed[path], self.raw / (source.into + path.removeprefix(source.strip)))
            for path in matching_paths(hub, listed)
        ]

    def unpacked(self, source: Source) -> list[str] | None:
        """Paths of the members if the archive was unpacked completely; None if not."""
        note = self.origins.archive(source.path)
        if note.get("unpacked") and (source.sha256 is None or note.get("sha256") == source.sha256):
            return [str(path) for path in note.get("members", [])]
        return None

    def _archive(self, source: Source) -> Iterator[Row]:
        """Rows of the members if the archive was unpacked (by us or by hand); else one row of the archive."""
        members = self.unpacked(source)
        if members is None and not self.origins.archive(source.path) and not source.alternative:
            found = [matching_files(str(self.raw), pattern) for pattern in source.gives]
            members = [path for paths in found for path in paths] if all(found) else None
        if members is not None:
            url = source.urls[0] if source.urls else ""
            for path in members:
                yield self.row(source, path, self.pins_of_member(source, path), url)
            return
        row = self.row(source, source.path, pins_of(source), next(iter(source.urls), ""))
        if row.file.state == "present":
            state, why = self.failed.get(source.path, ("missing", "is here, but not unpacked yet"))
            row = Row(RawFile(source.dataset, source.path, None, None, state), source, row.tasks, row.url, why)
        elif not source.urls and row.file.state == "missing":
            row = Row(RawFile(source.dataset, source.path, None, None, "manual"), source, row.tasks, "", source.manual)
        yield row

    def pins_of_member(self, source: Source, path: str) -> DownloadRequest:
        """The published sha256 of a member, if known."""
        name = source.strip + path.removeprefix(source.into)
        return DownloadRequest((), self.raw / path, sha256=(source.member_sha256 or {}).get(name))

    def _table(self, source: Source) -> Iterator[Row]:
        assert source.rows is not None
        try:
            items = self.items(source)
        except FileNotFoundError:
            state, why = "missing", f"their addresses stand in {source.rows.table}, which is not here yet"
        except BrokenTable as error:
            state, why = "corrupt", str(error)
        else:
            for item in items:
                yield self.row(source, item.path, DownloadRequest((), self.raw / item.path), item.url)
            return
        yield Row(RawFile(source.dataset, source.path, None, None, state), source, self.tasks_of(source), "", why)

    def _hub(self, source: Source) -> Iterator[Row]:
        """Rows of the files that the hub lists; before it was asked, of existing files, or one row for the pattern."""
        assert source.listed is not None
        files = self.hub_files(source)
        for file in files or ():
            yield self.row(source, file.target.relative_to(self.raw).as_posix(), file, file.urls[0])
        if files is None:
            found = () if source.listed.several else matching_files(str(self.raw), source.path)
            for path in found or (source.path,):
                yield self.row(source, path, DownloadRequest((), self.raw / path), source.listed.url)
        elif not files:
            why = f"{source.listed.page} has no file {source.listed.path} at commit {source.listed.revision}"
            dead = RawFile(source.dataset, source.path, None, None, "dead")
            yield Row(dead, source, self.tasks_of(source), source.listed.url, why)

    def _by_hand(self, source: Source) -> Iterator[Row]:
        """Rows of files that a person put there; without any, one row that says what to do."""
        found = matching_files(str(self.raw), source.gives[0])
        for path in found:
            yield self.row(
                source, path, pins_of(source) if path == source.path else DownloadRequest((), self.raw / path)
            )
        if not found:
            file = RawFile(source.dataset, source.path, None, None, "manual")
            yield Row(file, source, self.tasks_of(source), source.page, source.manual)

    def _without_source(self, need: Need) -> Iterator[Row]:
        dataset = need.patterns[0].split("/")[0] if need.patterns else need.task
        source = Source(dataset, dataset, "", "", need.patterns[0] if need.patterns else need.task)
        found = next((paths for pattern in need.patterns if (paths := matching_files(str(self.raw), pattern))), ())
        for path in found:
            sha256, size = self.digests.of(self.raw / path)
            yield Row(RawFile(dataset, path, sha256, size), source, (need.task,))
        if not found:
            why = "no address is known for it: put it there by hand, as its publisher names it"
            yield Row(RawFile(dataset, source.path, None, None, "manual"), source, (need.task,), "", why)

    def _so_far(self, place: Path) -> str:
        try:
            size = sibling(place, ".part").stat().st_size
        except FileNotFoundError:
            return ""
        return f"{size:,} bytes of it have come" if size else ""


def pins_of(source: Source) -> DownloadRequest:
    """The published digests and size of a source's own file."""
    return DownloadRequest(source.urls, Path(source.path), source.sha256, source.git_blob, source.bytes)


def by_hand(source: Source, path: str) -> str:
    """What a person can do if the download fails."""
    if source.manual:
        return source.manual
    if source.hub is not None:
        return (
            f"Open {source.page} in a browser, accept its terms if it has any and set HF_TOKEN to a token of yours, "
            f"or put the file at raw/{path} in the home; then run the same command again"
        )
    page = f"Open {source.page} in a browser, download the file" if source.page else "Get the file"
    return f"{page}, put it at raw/{path} in the home and run the same command again"


def _item(source: Source, row: Mapping[str, Any], where: str) -> Item:
    assert source.rows is not None
    spec = source.rows

    def value(match: re.Match[str]) -> str:
        name = row[match[1]] or ""
        if not NAMES_OF_FILES.fullmatch(name):
            raise BrokenTable(f"{where}: {match[1]} {name!r} cannot be the name of a file")
        return name

    size = str(row.get(spec.size) or "") if spec.size else ""
    least = min(SMALLEST_STORY, int(size) // 2) if size.isascii() and size.isdigit() else 1
    page = any(row[column] in values for column, values in spec.pages.items())
    path = re.sub(r"\{(\w+)\}", value, source.path)
    return Item(path, (row[spec.url] or "").strip(), page, max(1, least))
