"""What a file really is if it is not the UTF-8 text that its name promises, by its first bytes."""

from scrollwork.preprocessing.raw.errors import MalformedFile

# first bytes -> (what it is, what to do)
MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"\xff\xfe\x00\x00", "UTF-32", "save it as UTF-8"),
    (b"\x00\x00\xfe\xff", "UTF-32", "save it as UTF-8"),
    (b"\xff\xfe", "UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", "UTF-16", "save it as UTF-8"),
    (b"PK\x03\x04", "a zip archive", "unpack it"),
    (b"\xfd7zXZ\x00", "xz-compressed", "unpack it"),
    (b"BZh", "bzip2-compressed", "unpack it"),
    (b"PAR1", "a Parquet file", "the upstream file is wanted"),
    (b"%PDF-", "a PDF", "the upstream file is wanted"),
    (b"version https://git-lfs.github.com/spec/", "a pointer of Git LFS", "fetch the file itself with `git lfs pull`"),
)


def refuse_foreign(head: bytes, name: str, *, pages: bool = False) -> None:
    """Raise MalformedFile if the first bytes of a file are those of something other than UTF-8 text.

    pages: web pages are expected.
    """
    for magic, kind, advice in MAGIC:
        if head.startswith(magic):
            encoding = kind.startswith("UTF")
            reason = "invalid UTF-8" if encoding else "another kind of file"
            marked = " (byte-order mark)" if encoding else ""
            raise MalformedFile(name, "", "", f"is {kind}{marked} under this name: {advice}", reason)
    start = head.lstrip()[:15].lower()
    if not pages and start.startswith((b"<!doctype html", b"<html")):
        raise MalformedFile(
            name, "", "", "is a web page: a login or an error page was saved under this name", "another kind of file"
        )
