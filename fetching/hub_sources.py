"""Hugging Face data sets in the list of sources: `hub = "owner/name"`, `revision` (a commit), `path` (file or
pattern)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from scrollwork.pipeline.errors import UsageError
from scrollwork.storage.downloads.addresses import PUBLIC, endpoint, page_of, resolve_url
from scrollwork.storage.downloads.partial import UNFINISHED, DownloadRequest
from scrollwork.storage.downloads.unpack import glob_match
from scrollwork.storage.errors import DownloadError

NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?", re.ASCII)
COMMIT = re.compile(r"[0-9a-f]{40}")
WILD = re.compile(r"[*?]")


@dataclass(frozen=True)
class Hub:
    """Files of one commit of a hub data set. path: of one file, or a pattern for several."""

    repo: str
    revision: str
    path: str

    @property
    def page(self) -> str:
        """URL of the data set's page."""
        return page_of(self.repo)

    @property
    def several(self) -> bool:
        """Whether the path is a pattern, so that the hub must be asked for the files."""
        return WILD.search(self.path) is not None

    @property
    def url(self) -> str:
        """URL of the file's bytes; for a pattern, URL of the page that lists the commit's files."""
        if self.several:
            return f"{self.page}/tree/{self.revision}"
        return resolve_url(self.repo, self.revision, self.path)

    @property
    def listing(self) -> str:
        """The name under which the commit's matching files are noted (origins.py)."""
        return f"{self.repo}@{self.revision}:{self.path}"


def hub_of(where: str, table: Mapping[str, Any], entry: Mapping[str, Any], path: str) -> Hub | None:
    """The hub data set of an entry: its own or its table's; None if the entry names another place. Raises
    UsageError."""
    elsewhere = any(key in entry for key in ("url", "urls", "drive", "manual", "rows"))
    repo = entry.get("hub", "" if elsewhere else table.get("hub", ""))
    revision = entry.get("revision", table.get("revision", ""))
    if not repo:
        return None
    if not isinstance(repo, str) or not NAME.fullmatch(repo) or ".." in repo:
        raise UsageError(f"{where}: `hub` must be the name of a data set on the hub, owner/name")
    if not isinstance(revision, str) or not COMMIT.fullmatch(revision):
        raise UsageError(
            f"{where}: `revision` must be a commit, 40 hexadecimal digits: a branch or tag can change under you. "
            f"{page_of(repo)}/commits/main lists them"
        )
    return Hub(repo, revision, path)


def at_chosen_hub(url: str) -> str:
    """The URL, with the public hub replaced by the one that HF_ENDPOINT names."""
    return endpoint() + url.removeprefix(PUBLIC) if url.startswith(f"{PUBLIC}/") else url


def matching_paths(hub: Hub, listed: Mapping[str, Any]) -> list[str]:
    """The listed paths that the source wants, sorted. Raises DownloadError for a path that cannot be a file here."""
    found = sorted(path for path in listed if path == hub.path or (hub.several and glob_match(path, hub.path)))
    for path in found:
        parts = PurePosixPath(path).parts
        hidden = any(part.startswith(".") for part in parts)
        if hidden or path.startswith("/") or "\\" in path or not path.isprintable() or path.endswith(UNFINISHED):
            raise DownloadError(f"{hub.repo}: {path!r} cannot be the name of a raw file")
    return found


def wanted_file(hub: Hub, path: str, published: Mapping[str, Any], target: Path) -> DownloadRequest:
    """The file to download, with size and digest from the hub's list."""
    return DownloadRequest(
        (resolve_url(hub.repo, hub.revision, path),),
        target,
        sha256=published.get("sha256"),
        git_blob=published.get("git_blob"),
        bytes=published.get("bytes"),
    )
