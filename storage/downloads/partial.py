"""Files on disk during a download, and the last step: decode, verify and rename to the final name.

NAME.part        what has come so far; locked while a process works on it
NAME.part-info   which response it belongs to: URL, ETag, Last-Modified, size, encoding
NAME.corrupt     bytes that were not those published; nothing reads them
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
EXPANSION = 100  # a gzip-encoded answer may grow at most so many times
HTML = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b", re.IGNORECASE)


@dataclass(frozen=True)
class DownloadRequest:
    """A file to be downloaded. urls: tried in order. sha256, git_blob (the SHA-1 that git gives), bytes: as published.

    text: a text; it is decompressed even if it comes gzipped without a header that says so. html: a web page is wanted.
    least_bytes: a shorter response is an error page. replaced: sha256 of an existing file that may be replaced.
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
        """Whether a published digest is known."""
        return bool(self.sha256 or self.git_blob)


@dataclass(frozen=True)
class Fetched:
    """A file under its final name. url: where it came from, "" if it was there already."""

    sha256: str
    bytes: int
    url: str = ""
    etag: str = ""


@dataclass(frozen=True)
class Info:
    """The response that a .part file belongs to. total: bytes of the whole encoded body, None if unknown."""

    url: str
    etag: str = ""
    modified: str = ""
    total: int | None = None
    gzip: bool = False

    @property
    def validator(self) -> str:
        """Value for If-Range: a strong ETag, else the date of Last-Modified."""
        return self.etag if self.etag.startswith('"') else self.modified


def sibling(target: Path, ending: str) -> Path:
    """The path of the target with an ending added to its name."""
    return target.with_name(target.name + ending)


def remove(*paths: Path) -> None:
    """Remove files that may not be there."""
    for path in paths:
        path.unlink(missing_ok=True)


def problem_with(path: Path, wanted: DownloadRequest, sha256: str) -> str:
    """What is wrong with a file, whose sha256 is given, compared with what was published; "" for nothing."""
    if problem := difference_from(wanted, sha256, path.stat().st_size):
        return problem
    if wanted.git_blob and git_blob(path) != wanted.git_blob:
        return f"is not git blob {wanted.git_blob}"
    return ""


def difference_from(wanted: DownloadRequest, sha256: str, size: int) -> str:
    """How sha256 and size differ from the published ones; "" if they do not. `git_blob` is not compared."""
    if wanted.bytes is not None and size != wanted.bytes:
        return f"has {size:,} bytes, published are {wanted.bytes:,}"
    if wanted.sha256 and sha256 != wanted.sha256:
        return f"has sha256 {sha256}, published is {wanted.sha256}"
    return ""


def git_blob(path: Path) -> str:
    """The SHA-1 (hex) that git gives the file's bytes."""
    digest = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def put_aside(path: Path) -> Path:
    """Rename a file to NAME.corrupt, replacing an older one. Returns the new path."""
    aside = sibling(path, ".corrupt")
    os.replace(path, aside)
    return aside


def file_in_place(wanted: DownloadRequest) -> Fetched | None:
    """The existing file under the final name if it is right; None, and a wrong or outdated one is put aside."""
    if not wanted.target.is_file():
        return None
    sha256 = sha256_file(wanted.target)
    if sha256 != wanted.replaced and not problem_with(wanted.target, wanted, sha256):
        return Fetched(sha256, wanted.target.stat().st_size)
    put_aside(wanted.target)
    return None


def finish_download(info: Info, wanted: DownloadRequest) -> Fetched:
    """Decode, verify, sync and rename the downloaded bytes. Raises Again, WrongBytes, NeedsPerson, Gone."""
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
    """Whether the bytes are a gzip encoding of the wanted file: of a text, or because the response says so.

    Some servers call a .gz archive encoded although it is the wanted file itself; its digest or its name shows that.
    """
    with part.open("rb") as stream:
        magic = stream.read(2) == b"\x1f\x8b"
    if not magic or not (wanted.text or info.gzip):
        return False
    if wanted.pinned:
        return bool(problem_with(part, wanted, sha256_file(part)))
    return wanted.text or not wanted.target.name.endswith((".gz", ".tgz"))


def _refuse_pages(made: Path, info: Info, wanted: DownloadRequest) -> None:
    """Refuse a web page in place of a file, and a response that is too short."""
    with made.open("rb") as stream:
        head = stream.read(512)
    if not wanted.html and HTML.match(head.removeprefix(b"\xef\xbb\xbf")):
        raise page_instead(info.url)
    size = made.stat().st_size
    if size < wanted.least_bytes:
        raise Gone(f"{info.url}: only {size:,} bytes came, fewer than {wanted.least_bytes:,}: an error page?")


def _decode(part: Path, decoded: Path) -> None:
    """Write the decoded bytes. Raises Again if the encoding is broken, WrongBytes if it grows over EXPANSION times."""
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
    """Empty a .part file; the file itself stays, because it holds our lock."""
    with part.open("r+b") as stream:
        stream.truncate(0)


def page_instead(url: str) -> NeedsPerson:
    """The error to raise if a web page came in place of a file."""
    return NeedsPerson(f"{url}: a web page came instead of the file (a login, an agreement or a confirmation)")
