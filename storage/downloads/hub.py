"""The Hugging Face hub: list the files of a commit of a data set, with their digests. download.py downloads them.

The environment variable HF_ENDPOINT names another hub than the public one. HF_TOKEN is used for data sets that need a
login; it is sent to the hub only.
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

LISTING_BYTES = 64 << 20  # most bytes of one page of a listing; the hub puts 1,000 files on a page
PAGES = 1_000  # most pages of a listing


@dataclass(frozen=True)
class Published:
    """What the hub says of a file of a commit: its size, and one of two digests.

    sha256: of a file in Git LFS. git_blob: of any other file, the SHA-1 that git gives it.
    """

    bytes: int
    sha256: str | None = None
    git_blob: str | None = None


def tokens() -> dict[str, str]:
    """Return {URL of the hub: HF_TOKEN}, {} without a token, as `Web` takes it.

    Raises DownloadError if the token cannot be sent in a header.
    """
    token = os.environ.get("HF_TOKEN", "").strip()
    if not (token.isascii() and token.isprintable()):
        raise DownloadError("HF_TOKEN holds characters that no token has; copy it anew")
    return {endpoint(): token} if token else {}


def list_files(repo: str, revision: str, web: Web) -> dict[str, Published]:
    """Return all files of a commit by their paths, in the hub's order. A renamed data set is found by its old name.

    repo: name of the data set ("owner/name"). revision: the commit. Raises DownloadError; its `state` is "dead" if the
    hub has no such commit, "manual" if it asks for a login.
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
    """Return the entries of one page of a listing, and the URL of the next page ("" after the last).

    Tries as often as `web.patience` allows. Raises DownloadError.
    """
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
    """Return (path, what is published of the file) for an entry of a listing, None for a folder.

    Raises DownloadError if the entry is not understood.
    """
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
    """Return an error of the same class whose message explains the hub's error code; `error` if that is unknown."""
    page = page_of(repo)
    said = {
        "RevisionNotFound": f"{page} has no commit {revision}",
        "RepoNotFound": f"there is no data set {page}, or it is private",
        "GatedRepo": f"{page} asks for a login and for its terms to be accepted",
    }.get(error.code)
    return type(error)(said) if said else error
