"""The Hugging Face hub: list the files of a commit of a data set, with their digests. download.py fetches them.

HF_ENDPOINT names a hub other than the public one. HF_TOKEN is used for data sets that need a login; it is sent to that
hub only.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

import httpx

from scrollwork.storage.downloads.addresses import endpoint, page_of
from scrollwork.storage.downloads.web import Web
from scrollwork.storage.errors import Again, DownloadError

LISTING_BYTES = 64 << 20  # of one page; the hub's have 1,000 files
PAGES = 1_000


@dataclass(frozen=True)
class Published:
    """A file of a commit. sha256: for a file in Git LFS; git_blob: else, the SHA-1 that git gives it."""

    bytes: int
    sha256: str | None = None
    git_blob: str | None = None


def tokens() -> dict[str, str]:
    """{URL of the hub: HF_TOKEN}, empty without a token. Raises DownloadError if it cannot be sent in a header."""
    token = os.environ.get("HF_TOKEN", "").strip()
    if not (token.isascii() and token.isprintable()):
        raise DownloadError("HF_TOKEN holds characters that no token has; copy it anew")
    return {endpoint(): token} if token else {}


def list_files(repo: str, revision: str, web: Web) -> dict[str, Published]:
    """Every file of a commit by its path, in the hub's order; renamed data sets are followed.

    Raises DownloadError; its `state` is "dead" if there is no such commit, "manual" if it needs a login.
    """
    url = f"{endpoint()}/api/datasets/{repo}/tree/{revision}?recursive=true&expand=false"
    found: dict[str, Published] = {}
    asked: set[str] = set()
    while url:
        if url in asked or len(asked) >= PAGES:
            raise DownloadError(f"{url}: the hub's list of files does not end")
        asked.add(url)
        try:
            entries, url = _page(url, web)
        except DownloadError as error:
            raise _explained(error, repo, revision) from error
        found |= dict(file for entry in entries if (file := _file(entry, repo)) is not None)
    return found


def _page(url: str, web: Web) -> tuple[list[Any], str]:
    """One page of a listing, and the address of the next one ("" at the end)."""
    tries = 0
    while True:
        try:
            with web.get(url, {"Accept": "application/json"}) as answer:
                data = bytearray()
                for chunk in answer.iter_bytes():
                    data += chunk
                    if len(data) > LISTING_BYTES:
                        raise DownloadError(f"{url}: a list of files of over {LISTING_BYTES >> 20} MiB; refused")
                after = answer.links.get("next", {}).get("url", "")
                entries = json.loads(data)
                if not isinstance(entries, list):
                    raise ValueError("no list")
                return entries, str(answer.url.join(after)) if after else ""
        except Again as error:
            tries += 1
            if tries >= web.patience.attempts:
                raise DownloadError(f"{url}: {error}; {tries} tries in vain. Run the same command again") from None
            wait_s = error.wait_s if error.wait_s is not None else web.patience.backoff_s * 2 ** (tries - 1)
            web.rest(min(wait_s, web.patience.longest_s))
        except (ValueError, RecursionError, httpx.InvalidURL) as error:
            raise DownloadError(f"{url}: is no list of files ({error})") from error


def _file(entry: Any, repo: str) -> tuple[str, Published] | None:
    """(path, what is published of it); None for a folder."""
    try:
        if entry["type"] != "file":
            return None
        large = entry.get("lfs")
        path, size = entry["path"], large["size"] if large else entry["size"]
        digest, digits = (large["oid"], 64) if large else (entry["oid"], 40)
        if not (isinstance(path, str) and isinstance(size, int) and len(digest) == digits and int(digest, 16) >= 0):
            raise ValueError(f"{path!r} without size or digest")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DownloadError(f"{repo}: the hub's list of files is not understood ({error})") from error
    return path, Published(size, sha256=digest) if large else Published(size, git_blob=digest)


def _explained(error: DownloadError, repo: str, revision: str) -> DownloadError:
    """The error with a message that explains the hub's error code."""
    page = page_of(repo)
    said = {
        "RevisionNotFound": f"{page} has no commit {revision}",
        "RepoNotFound": f"there is no data set {page}, or it is private",
        "GatedRepo": f"{page} asks for a login and for its terms to be accepted",
    }.get(error.code)
    return type(error)(said) if said else error
