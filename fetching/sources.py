"""config/sources.toml: where upstream publishes raw files, and which of them the tasks of a suite read."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from scrollwork.fetching.hub_sources import Hub, at_chosen_hub, hub_of
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.raw_files import fill_pattern
from scrollwork.storage.downloads.addresses import HostLimits, check
from scrollwork.storage.downloads.unpack import glob_match
from scrollwork.storage.errors import DownloadError
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import CONFIG, refuse_unknown_keys

HEX = {"sha256": 64, "git_blob": 40}
DRIVE = "https://drive.usercontent.google.com/download?id={}&export=download&confirm=t"
DRIVE_HOST = "https://drive.google.com/"
DRIVE_PAGE = DRIVE_HOST + "file/d/{}/view"
FILE_KEYS = frozenset(
    ("path", "url", "urls", "drive", "sha256", "git_blob", "bytes", "members", "strip", "into", "member_sha256")
) | {"manual", "alternative", "rows", "task", "hub", "revision"}
TABLE_KEYS = frozenset(
    ("title", "page", "licence", "paper", "terms", "note", "base", "folder", "files", "release_of", "hub", "revision")
)


@dataclass(frozen=True)
class RowsOf:
    """Files that a CSV table lists, one for each row. table: path of the CSV; url, size, split: names of its columns.

    pages: {column: values} of rows that are wanted as web pages; in other rows a web page is an error.
    """

    table: str
    url: str
    size: str
    split: str
    pages: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Source:
    """One published file, or with `rows` one for each row of a table. path: below the raw folder, also of an archive.

    members: patterns of the members to unpack, put below `into` without the prefix `strip`. manual: what a person must
    do. alternative: used only if this name is requested. hub: it is in a commit of a hub data set; the hub lists files,
    sizes and digests that are not in our list.
    """

    dataset: str
    title: str
    licence: str
    terms: str
    path: str
    urls: tuple[str, ...] = ()
    page: str = ""
    sha256: str | None = None
    git_blob: str | None = None
    bytes: int | None = None
    members: tuple[str, ...] = ()
    strip: str = ""
    into: str = ""
    member_sha256: Mapping[str, str] | None = None
    manual: str = ""
    alternative: str = ""
    release_of: str = ""
    task: str = ""
    rows: RowsOf | None = None
    paper: str = ""
    hub: Hub | None = None

    @property
    def listed(self) -> Hub | None:
        """The hub data set, if its list of files is needed before anything can be downloaded."""
        known = bool(self.sha256 or self.git_blob or self.members)
        return self.hub if self.hub is not None and not (known and not self.hub.several) else None

    @property
    def gives(self) -> tuple[str, ...]:
        """Patterns of the paths below the raw folder that this source provides."""
        if self.members:
            return tuple(self.into + member.removeprefix(self.strip) for member in self.members)
        return (re.sub(r"\{\w+\}", "*", self.path),)


@dataclass(frozen=True)
class Catalogue:
    """Every source, and how hosts are treated."""

    sources: tuple[Source, ...]
    manners: Mapping[str, HostLimits]


@dataclass(frozen=True)
class Need:
    """The files that a role of a task reads, and the sources that provide them; () if none is known."""

    task: str
    role: str
    patterns: tuple[str, ...]
    sources: tuple[Source, ...]
    split: str


def load_catalogue(own_file: str = "") -> Catalogue:
    """Read config/sources.toml; tables of the user's own file replace those of the same name.

    Raises UsageError, naming file, table and key.
    """
    path = CONFIG / "sources.toml"
    tables: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    names = dict.fromkeys(tables, path.name)
    if own_file:
        try:
            own = tomllib.loads(Path(own_file).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(f"--sources {own_file}: {error}") from error
        tables |= own
        names |= dict.fromkeys(own, own_file)
    manners = {host: _manners(f"{names['hosts']}, hosts.{host}", value) for host, value in _hosts(tables).items()}
    sources = [source for name, table in tables.items() for source in _table(f"{names[name]}, {name}", name, table)]
    return Catalogue(tuple(sources), manners)


def needs(request: Request, catalogue: Catalogue, alternatives: tuple[str, ...] = ()) -> list[Need]:
    """The files that every role of the chosen tasks reads: for the first of its patterns that a source provides; a
    requested alternative is preferred.

    Raises UsageError for an alternative that does not exist.
    """
    known = {source.alternative for source in catalogue.sources if source.alternative}
    for name in alternatives:
        if name not in known:
            raise UsageError(f"there is no alternative {name!r}; there are: {', '.join(sorted(known)) or 'none'}")
    usable = [s for s in catalogue.sources if not s.release_of and s.alternative in ("", *alternatives)]
    found = []
    for task in request.chosen_tasks():
        for split in request.splits_of(task):
            values = {"split": task.splits[split], split: "", **request.options_of(task)}
            for role, ordered in task.raw.items():
                patterns = tuple(p for pattern in ordered if (p := fill_pattern(pattern, values)) is not None)
                chosen = [source for source in usable if source.alternative]
                giving = next(
                    (given for among in (chosen, usable) for p in patterns if (given := _giving(among, p))), ()
                )
                found.append(Need(task.name, role, patterns, giving, task.splits[split]))
    return found


def releases(request: Request, catalogue: Catalogue) -> list[Need]:
    """The official release files of the chosen tasks. Raises UsageError if the suite has none."""
    published = [source for source in catalogue.sources if source.release_of == request.suite]
    if not published:
        raise UsageError(f"there is no official release of {request.suite!r} in the list of sources")
    found = []
    for task in request.chosen_tasks():
        sources = tuple(source for source in published if source.task == task.name)
        found.append(Need(task.name, "release", tuple(s.path for s in sources), sources, ""))
    return found


def _giving(sources: list[Source], pattern: str) -> tuple[Source, ...]:
    """The sources that provide files for a pattern; only alternatives, if there are any among them."""
    giving = [source for source in sources if any(glob_match(_example(path), pattern) for path in source.gives)]
    return tuple([source for source in giving if source.alternative] or giving)


def _example(pattern: str) -> str:
    """Some path that the pattern matches."""
    return pattern.replace("**/", "").replace("*", "0").replace("?", "0")


def _hosts(tables: dict[str, Any]) -> dict[str, Any]:
    hosts = tables.pop("hosts", {})
    if not isinstance(hosts, dict):
        raise UsageError("sources: [hosts] must be a table of hosts")
    return hosts


def _manners(where: str, value: Any) -> HostLimits:
    try:
        manners = HostLimits(**value)
        if manners.at_once >= 1 and 0 <= manners.pause_s <= 60:
            return manners
    except TypeError:
        pass
    raise UsageError(f"{where}: write {{ at_once = 1, pause_s = 2.0 }}")


def _table(where: str, dataset: str, table: Any) -> Iterator[Source]:
    """The sources of a data set's table."""
    if not isinstance(table, dict) or not isinstance(table.get("files"), list):
        raise UsageError(f"{where}: must be a table with a list `files`")
    refuse_unknown_keys(where, table, TABLE_KEYS)
    for number, entry in enumerate(table["files"]):
        if not isinstance(entry, dict):
            raise UsageError(f"{where}, files[{number}]: must be a table")
        yield _source(f"{where}, files[{number}]", dataset, table, entry)


def _source(where: str, dataset: str, table: Mapping[str, Any], entry: Mapping[str, Any]) -> Source:
    refuse_unknown_keys(where, entry, FILE_KEYS)
    below = _text(where, entry, "path")
    if not below:
        raise UsageError(f"{where}: `path` is missing")
    folder = _text(where, table, "folder") or f"{dataset}/"
    drive = _text(where, entry, "drive")
    hub = hub_of(where, table, entry, below)
    urls = _urls(where, table, entry, below, hub)
    strip, into = _text(where, entry, "strip"), _text(where, entry, "into") or folder
    whole = hub is not None and "members" not in entry
    source = Source(
        dataset=dataset,
        title=_text(where, table, "title") or dataset,
        licence=_text(where, table, "licence"),
        terms=_text(where, table, "terms"),
        path=into + below.removeprefix(strip) if whole else folder + below,
        urls=urls,
        page=DRIVE_PAGE.format(drive) if drive else hub.page if hub else at_chosen_hub(_text(where, table, "page")),
        sha256=_digest(where, entry, "sha256"),
        git_blob=_digest(where, entry, "git_blob"),
        bytes=entry.get("bytes"),
        members=tuple(entry.get("members", ())),
        strip=strip,
        into=into,
        member_sha256=entry.get("member_sha256", {}),
        manual=_text(where, entry, "manual"),
        alternative=_text(where, entry, "alternative"),
        release_of=_text(where, table, "release_of"),
        task=_text(where, entry, "task"),
        rows=_rows(where, entry.get("rows")),
        paper=_text(where, table, "paper"),
        hub=hub,
    )
    if whole and not below.startswith(strip):
        raise UsageError(f"{where}: `path` must begin with `strip`")
    if hub is not None and hub.several and (source.members or source.sha256 or source.git_blob):
        raise UsageError(f"{where}: a pattern of several files has no `members` and no digest of its own")
    _check(where, source)
    return source


def _urls(
    where: str, table: Mapping[str, Any], entry: Mapping[str, Any], below: str, hub: Hub | None
) -> tuple[str, ...]:
    """The URLs to try, in order: the hub's, those of `urls` and `url`, of `drive`; else the table's `base` + path."""
    if hub is not None and hub.several:
        return ()
    urls = [hub.url] if hub is not None else []
    urls += list(entry.get("urls", ())) + [url for url in [_text(where, entry, "url")] if url]
    drive, base = _text(where, entry, "drive"), _text(where, table, "base")
    if drive:
        urls.append(DRIVE.format(drive))
    if not urls and base and "manual" not in entry and "rows" not in entry:
        urls.append(base + quote(below, safe="/"))
    for url in urls:
        try:
            check(url if isinstance(url, str) else "")
        except DownloadError:
            raise UsageError(f"{where}: {url!r} is no http or https URL") from None
    return tuple(at_chosen_hub(url) for url in urls)


def _check(where: str, source: Source) -> None:
    for path in (source.path, source.into, *source.gives, *(source.member_sha256 or ())):
        if path.startswith("/") or "\\" in path or ".." in PurePosixPath(path).parts:
            raise UsageError(f"{where}: {path!r} must lie below the raw folder")
    if source.bytes is not None and (not isinstance(source.bytes, int) or source.bytes < 0):
        raise UsageError(f"{where}: `bytes` must be a number of bytes")
    if not (source.urls or source.manual or source.rows or source.hub):
        raise UsageError(f"{where}: needs `url`, `drive`, `hub`, `rows` or `manual`")


def _digest(where: str, entry: Mapping[str, Any], key: str) -> str | None:
    value = entry.get(key)
    if value is not None and not (isinstance(value, str) and re.fullmatch(f"[0-9a-f]{{{HEX[key]}}}", value)):
        raise UsageError(f"{where}: `{key}` must be {HEX[key]} hexadecimal digits")
    return value


def _rows(where: str, value: Any) -> RowsOf | None:
    if value is None:
        return None
    try:
        pages = {column: tuple(values) for column, values in value.get("pages", {}).items()}
        return RowsOf(value["table"], value["url"], value.get("size", ""), value.get("split", ""), pages)
    except (KeyError, AttributeError, TypeError):
        raise UsageError(f"{where}: `rows` needs `table` and `url`, and may have `size`, `split`, `pages`") from None


def _text(where: str, table: Mapping[str, Any], key: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise UsageError(f"{where}: `{key}` must be text")
    return value
