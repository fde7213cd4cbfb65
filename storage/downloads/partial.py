"""The files on disk during a download, and its last step: decode, verify and rename to the final name.

NAME.part           what has come so far; locked while a process works on it
NAME.part-info      the response that it belongs to: URL, ETag, Last-Modified, size, encoding
NAME.part-decoded   the decoded bytes, if the response was gzip-encoded
NAME.corrupt        bytes that differ from the published ones; nothing reads them
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shutil
import zlib
from dataclasses import dataclass
from pathlib import Path

from scrollwork.storage.digest import CHUNK, sha256_file
from scrollwork.storage.errors import Again, DownloadError, Gone, NeedsPerson, WrongBytes

UNFINISHED = (".part", ".part-info", ".part-decoded", ".corrupt")
EXPANSION = 100  # how many times larger a gzip-encoded response may become when decoded (1 MiB is always allowed)
HTML = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b", re.IGNORECASE)


@dataclass(frozen=True)
class DownloadRequest:
    """A file to be downloaded.

    urls: tried in order. target: its final path. sha256, git_blob (the SHA-1 that git gives it), bytes (its size): as
    published, None if not published. text: the file is a text: if it comes gzipped, it is decompressed, even without a
    header that says so. html: the file is a web page, so a page is not refused. least_bytes: a smaller file is taken
    for an error page. replaced: sha256 of an outdated file; if the target is that file, it is downloaded again.
    """

    urls: tuple[str, ...]
    target: Path
    sha256: str | None = None
    git_blob: str | None = None
    bytes: int | None = None
    text: bool = False
    html: bool = False
    least_bytes: int = 1
    replaced: str | None = None

    @property
    def pinned(self) -> bool:
        """Whether a digest was published."""
        return bool(self.sha256 or self.git_blob)


@dataclass(frozen=True)
class Fetched:
    """A file under its final name.

    url, etag: where it came from, and the ETag there ("" if none); both "" if the file was there already.
    """

    sha256: str
    bytes: int
    url: str = ""
    etag: str = ""


@dataclass(frozen=True)
class Info:
    """The response that a .part file belongs to.

    modified: its Last-Modified. total: bytes of the whole encoded body, None if unknown. gzip: whether it is encoded.
    """

    url: str
    etag: str = ""
    modified: str = ""
    total: int | None = None
    gzip: bool = False

    @property
    def validator(self) -> str:
        """The value for If-Range: the ETag if it is a strong one, otherwise the date of Last-Modified ("" if none)."""
        return self.etag if self.etag.startswith('"') else self.modified


def sibling(target: Path, ending: str) -> Path:
    """Return the path of the target with an ending added to its name."""
    return target.with_name(target.name + ending)


def remove(*paths: Path) -> None:
    """Remove files, if they exist."""
    for path in paths:
        path.unlink(missing_ok=True)


def problem_with(path: Path, wanted: DownloadRequest, sha256: str) -> str:
    """Return how a file differs from what was published, "" if it does not. sha256: of the file."""
    if problem := difference_from(wanted, sha256, path.stat().st_size):
        return problem
    if wanted.git_blob and git_blob(path) != wanted.git_blob:
        return f"is not git blob {wanted.git_blob}"
    return ""


def difference_from(wanted: DownloadRequest, sha256: str, size: int) -> str:
    """Return how sha256 and size differ from the published ones, "" if they do not. `git_blob` is not compared."""
    if wanted.bytes is not None and size != wanted.bytes:
        return f"has {size:,} bytes, published are {wanted.bytes:,}"
    if wanted.sha256 and sha256 != wanted.sha256:
        return f"has sha256 {sha256}, published is {wanted.sha256}"
    return ""


def git_blob(path: Path) -> str:
    """Return the SHA-1, in hex, that git gives to the bytes of the file."""
    digest = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def put_aside(path: Path) -> Path:
    """Rename a file to NAME.corrupt, which replaces an older file of that name. Returns the new path."""
    aside = sibling(path, ".corrupt")
    os.replace(path, aside)
    return aside


def file_in_place(wanted: DownloadRequest) -> Fetched | None:
    """Return the file under the final name if it is right, otherwise None. A wrong or outdated file is put aside."""
    if not wanted.target.is_file():
        return None
    sha256 = sha256_file(wanted.target)
    if sha256 != wanted.replaced and not problem_with(wanted.target, wanted, sha256):
        return Fetched(sha256, wanted.target.stat().st_size)
    put_aside(wanted.target)
    return None


def finish_download(info: Info, wanted: DownloadRequest) -> Fetched:
    """Decode and verify the downloaded bytes, sync them to disk and give them their final name.

    Raises Again if bytes are missing or the encoding is broken, WrongBytes if they differ from what was published,
    NeedsPerson for a web page, and Gone for a file that is too small. After each of these errors the .part file is
    empty, unless bytes are missing.
    """
    part, decoded = sibling(wanted.target, ".part"), sibling(wanted.target, ".part-decoded")
    size = part.stat().st_size
    if info.total is not None and size != info.total:
        raise Again(f"{size:,} of {info.total:,} bytes came")
    try:
        made = part
        if _gzipped(part, info, wanted):
            _decode(part, decoded)
            made = decoded
        sha256, size = sha256_file(made), made.stat().st_size
        _refuse_pages(made, info, wanted)
        problem = problem_with(made, wanted, sha256)
        if problem:
            aside = sibling(wanted.target, ".corrupt")
            shutil.copyfile(made, aside)
            raise WrongBytes(f"{info.url}: {problem}; not accepted, what came is kept as {aside.name}")
        _sync(made)
        os.replace(made, wanted.target)
        _sync(wanted.target.parent)
        remove(part, sibling(wanted.target, ".part-info"))
    except (Again, DownloadError):
        start_over(part)
        raise
    finally:
        remove(decoded)
    return Fetched(sha256, size, info.url, info.etag)


def _gzipped(part: Path, info: Info, wanted: DownloadRequest) -> bool:
    """Return whether the bytes are a gzip encoding of the wanted file: of a text, or because the response says so.

    Some servers say that a .gz archive is encoded, although it is the wanted file itself. Then its digest matches, or
    its name says so.
    """
    with part.open("rb") as stream:
        magic = stream.read(2) == b"\x1f\x8b"
    if not magic or not (wanted.text or info.gzip):
        return False
    if wanted.pinned:
        return bool(problem_with(part, wanted, sha256_file(part)))
    return wanted.text or not wanted.target.name.endswith((".gz", ".tgz"))


def _refuse_pages(made: Path, info: Info, wanted: DownloadRequest) -> None:
    """Raise NeedsPerson if a web page came in place of the file, Gone if the file is too small."""
    with made.open("rb") as stream:
        head = stream.read(512)
    if not wanted.html and HTML.match(head.removeprefix(b"\xef\xbb\xbf")):
        raise page_instead(info.url)
    size = made.stat().st_size
    if size < wanted.least_bytes:
        raise Gone(f"{info.url}: only {size:,} bytes came, fewer than {wanted.least_bytes:,}: an error page?")


def _decode(part: Path, decoded: Path) -> None:
    """Write the decoded bytes. Raises Again if the encoding is broken, WrongBytes if they are too many (EXPANSION)."""
    most = max(part.stat().st_size * EXPANSION, 1 << 20)
    try:
        with gzip.open(part, "rb") as stream, decoded.open("wb") as out:
            while chunk := stream.read(CHUNK):
                out.write(chunk)
                if out.tell() > most:
                    raise WrongBytes(f"{decoded.stem}: its gzip encoding grows over {EXPANSION} times; refused")
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise Again(f"its gzip encoding is broken ({error})") from error


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def start_over(part: Path) -> None:
    """Empty a .part file. The file itself stays, because our lock is on it."""
    with part.open("r+b") as stream:
        stream.truncate(0)


def page_instead(url: str) -> NeedsPerson:
    """Return the error to raise if a web page came in place of a file."""
    return NeedsPerson(f"{url}: a web page came instead of the file (a login, an agreement or a confirmation)")
