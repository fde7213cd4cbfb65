"""Download a file. It gets its final name only when it is complete and verified; partial.py lists its other files.

An interrupted download continues where it stopped, if the server still has the same file (Range, If-Range).
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import IO

import httpx

from scrollwork.storage.downloads.partial import (
    DownloadRequest,
    Fetched,
    Info,
    file_in_place,
    finish_download,
    page_instead,
    remove,
    sibling,
    start_over,
)
from scrollwork.storage.downloads.web import Web
from scrollwork.storage.errors import Again, DownloadError, NeedsPerson, Stopped, WrongBytes, naming_full_disks
from scrollwork.storage.location import file_lock

LIMIT_BYTES = 4 << 30  # most bytes of a response if neither the publisher nor the server says the size

Heard = Callable[[int, int], None]


def download(wanted: DownloadRequest, web: Web, heard: Heard = lambda done, total: None) -> Fetched:
    """Return the file under its final name: one that is there already, or one that is downloaded and verified.

    The URLs are tried in order until one succeeds. heard(bytes so far, total bytes or 0) is called to report progress.
    If another process downloads the same file, this waits and then uses that file.

    Raises a DownloadError, whose `state` is the state of the file. If all URLs fail, it is the gravest of their errors:
    their states, from the gravest on, are corrupt, manual, dead and missing. If there are no URLs, it is NeedsPerson;
    if `web.stop` is set, it is Stopped, at once. Raises StorageFull if there is no space left.
    """
    part = sibling(wanted.target, ".part")
    with naming_full_disks(wanted.target.name, str(wanted.target.parent)), file_lock(part):
        there = file_in_place(wanted)
        if there is not None:
            remove(part, sibling(wanted.target, ".part-info"))
            return there
        problems: list[DownloadError] = []
        for url in wanted.urls:
            try:
                return _from(url, wanted, web, heard)
            except Stopped:
                raise
            except DownloadError as error:
                problems.append(error)
        if part.stat().st_size == 0:
            remove(part, sibling(wanted.target, ".part-info"))
        if not problems:
            raise NeedsPerson(f"{wanted.target.name}: there is no address to download it from")
        raise max(problems, key=lambda error: ("missing", "dead", "manual", "corrupt").index(error.state))


def _from(url: str, wanted: DownloadRequest, web: Web, heard: Heard) -> Fetched:
    """Download the file from one URL, with as many tries as `web.patience` allows. Raises DownloadError."""
    part, patience = sibling(wanted.target, ".part"), web.patience
    tries, furthest, mixed = 0, part.stat().st_size, part.stat().st_size > 0
    while True:
        try:
            info = _more(url, wanted, web, heard)
            return finish_download(info, wanted)
        except WrongBytes:
            if not mixed:
                raise
            mixed = False  # the bytes came in several responses, perhaps of two files: try again with a single one
            remove(sibling(wanted.target, ".corrupt"))
        except Again as error:
            reached = part.stat().st_size
            tries = 1 if reached - furthest >= patience.progress_bytes else tries + 1
            furthest, mixed = max(furthest, reached), reached > 0
            if tries >= patience.attempts:
                raise DownloadError(
                    f"{url}: {error}; {tries} tries without progress. Run the same command again"
                ) from None
            wait_s = error.wait_s if error.wait_s is not None else patience.backoff_s * 2 ** (tries - 1)
            web.rest(min(wait_s, patience.longest_s))


def _more(url: str, wanted: DownloadRequest, web: Web, heard: Heard) -> Info:
    """Request the bytes that are missing in the .part file and append them, or all bytes if it cannot be continued.

    Returns the response that the .part file belongs to. Raises Again, DownloadError.
    """
    part = sibling(wanted.target, ".part")
    noted, have = _noted(wanted, url), part.stat().st_size
    headers = {"Accept-Encoding": "identity"}
    if noted is None or have == 0:
        noted, have = None, 0
    else:
        headers["Range"] = f"bytes={have}-"
        if noted.validator:
            headers["If-Range"] = noted.validator
    with web.get(url, headers) as answer:
        if answer.status_code == 416:
            if noted is not None and noted.total == have:
                return noted
            start_over(part)
            raise Again("the server has another file than before")
        if answer.status_code == 206 and noted is not None and _continues(answer, noted, have):
            info = noted
        elif answer.status_code == 206:
            start_over(part)
            raise Again("the server sent another part than was asked for")
        else:
            have, info = 0, _begun(url, answer, wanted)
        with part.open("r+b") as stream:
            stream.truncate(have)
            stream.seek(have)
            sibling(wanted.target, ".part-info").write_text(json.dumps(asdict(info)), encoding="utf-8")
            _write(answer, stream, info, wanted, web, heard)
    return info


def _noted(wanted: DownloadRequest, url: str) -> Info | None:
    """Return the response that the .part file belongs to, None if it cannot be continued from this URL."""
    try:
        info = Info(**json.loads(sibling(wanted.target, ".part-info").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return info if info.url == url and (info.validator or wanted.pinned) else None


def _continues(answer: httpx.Response, noted: Info, have: int) -> bool:
    """Return whether a 206 response has the bytes from position `have` to the end of the same file."""
    found = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+|\*)", answer.headers.get("Content-Range", "").strip())
    if not found or int(found[1]) != have:
        return False
    if noted.total is not None and (int(found[2]) + 1 != noted.total or found[3] not in ("*", str(noted.total))):
        return False
    etag = answer.headers.get("ETag", "")
    return not (etag and noted.etag and etag != noted.etag)


def _begun(url: str, answer: httpx.Response, wanted: DownloadRequest) -> Info:
    """Return what the headers of a 200 response say. Raises DownloadError if it cannot be the wanted file."""
    headers = answer.headers
    kind = headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind in ("text/html", "application/xhtml+xml") and not wanted.html:
        raise page_instead(url)
    encoding = headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        raise DownloadError(f"{url}: came encoded as {encoding!r} though it was asked for as it is")
    length = headers.get("Content-Length", "")
    total = int(length) if length.isdigit() else None
    zipped = encoding.endswith("gzip")
    if total is not None and not zipped and wanted.bytes is not None and total != wanted.bytes:
        raise WrongBytes(f"{url}: the server has {total:,} bytes, published are {wanted.bytes:,}")
    chunked = "chunked" in headers.get("Transfer-Encoding", "").lower()
    if total is None and not chunked and not zipped and not wanted.pinned and wanted.bytes is None:
        raise DownloadError(f"{url}: the server does not say how long it is; a cut answer could not be told")
    return Info(url, headers.get("ETag", ""), headers.get("Last-Modified", ""), total, zipped)


def _write(
    answer: httpx.Response, stream: IO[bytes], info: Info, wanted: DownloadRequest, web: Web, heard: Heard
) -> None:
    """Write the body as it comes. Raises Again if it is too slow, WrongBytes if it is too long, Stopped."""
    most = info.total or wanted.bytes or LIMIT_BYTES
    have = before = stream.tell()
    since = time.monotonic()
    for chunk in answer.iter_raw():
        stream.write(chunk)
        have += len(chunk)
        heard(have, info.total or wanted.bytes or 0)
        if have > most:
            stream.seek(0)
            stream.truncate()
            raise WrongBytes(f"{info.url}: brought more than the {most:,} bytes that it should have")
        web.rest(0)
        now = time.monotonic()
        if now - since > web.patience.slow_s:
            if have - before < web.patience.slow_bytes:
                raise Again(f"only {have - before:,} bytes in {now - since:.0f} s")
            since, before = now, have
