"""The manifest of an artifact: what the artifact is, what it was made from, and the digest of each part."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from scrollwork.storage.errors import DamagedArtifact
from scrollwork.storage.location import Location

FORMAT = 1  # enters every key, so that a new format gives new artifacts
NAME = "manifest.json"
RAW = "raw"  # name of the input that is no artifact: the raw files


@dataclass(frozen=True)
class Ingredients:
    """Everything that decides what an artifact contains: equal ingredients give an equal artifact.

    source: digest by name of each of our modules. params: resolved parameters and config values. libraries: version by
    name. inputs: content keys by name of the input, in order. Older artifacts have a single key for each name, and
    number the names of several keys (name-0, name-1, ...); `each` reads both forms.
    """

    stage: str
    slot: str
    source: Mapping[str, str]
    params: Mapping[str, Any]
    libraries: Mapping[str, str]
    inputs: Mapping[str, Sequence[str] | str]

    def each(self, name: str) -> list[str]:
        """Return the content keys of an input, in order; [] if there is no such input."""
        if keys := self.inputs.get(name, ()):
            return [keys] if isinstance(keys, str) else list(keys)
        found: list[str] = []
        while isinstance(key := self.inputs.get(f"{name}-{len(found)}"), str):
            found.append(key)
        return found

    def contents(self) -> list[str]:
        """Return the content keys of all inputs."""
        return [key for keys in self.inputs.values() for key in ([keys] if isinstance(keys, str) else keys)]

    def key(self) -> str:
        """Return the key of the artifact (sha256 in hex). It is known before the artifact is built."""
        from scrollwork.storage.digest import sha256_of

        return sha256_of({"format": FORMAT, **vars(self)})


@dataclass(frozen=True)
class Part:
    """A file of an artifact.

    name: its file name. table: name of its table, or the name that was given for another file. rows: number of rows, 0
    for another file. bytes, sha256: of the whole file.
    """

    name: str
    table: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What an artifact is.

    key: key of its ingredients. content: the key under which later stages know it: `key`, or a digest of its answers.
    files: its parts, in order. facts: what the stage noted, mostly counts.
    """

    key: str
    content: str
    ingredients: Ingredients
    files: tuple[Part, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)

    def parts(self, table: str) -> list[Part]:
        """Return the parts of a table, in order."""
        return [part for part in self.files if part.table == table]

    def to_bytes(self) -> bytes:
        """Return the manifest as JSON, with a digest of itself. Equal manifests give equal bytes."""
        text = _text(vars(self))
        place = text.index(b"\n", len(b"{\n")) + 1  # keys are sorted: it comes after the line of `content`
        return text[:place] + _digest_line(hashlib.sha256(text).hexdigest()) + text[place:]

    @classmethod
    def from_bytes(cls, data: bytes, where: str) -> Manifest:
        """Return the manifest with these bytes. Raises DamagedArtifact if they are not a whole manifest.

        where: the folder, for the message.
        """
        try:
            values = json.loads(data)
            digest = values.pop("digest")
            if not _as_written(data, digest) and digest != _digest(values):
                raise ValueError("its digest is not that of what it says")
            return cls(
                key=values["key"],
                content=values["content"],
                ingredients=Ingredients(**values["ingredients"]),
                files=tuple(Part(**part) for part in values["files"]),
                facts=values["facts"],
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DamagedArtifact(where, NAME, f"is not a manifest ({error})") from error


def remote_manifests(root: Location, known: Container[str]) -> Iterator[tuple[Location, bytes | None]]:
    """Yield each folder of an artifact below a remote folder of artifacts, in order, with the bytes of its manifest.

    known: URLs of folders whose manifest need not be read; it is None for them, and where it has been removed.
    """
    paths = sorted(path.split("/") for path in root.below())
    places = [path[:3] for path in paths if len(path) == 4 and path[3] == NAME]
    folders = [root.child(*place) for place in places]
    unread = [place for place, folder in zip(places, folders, strict=True) if folder.url not in known]
    read = root.read_each(["/".join([*place, NAME]) for place in unread])
    wanted = {folder.url: folder.url not in known for folder in folders}
    for folder in folders:
        yield folder, next(read) if wanted[folder.url] else None


def _text(values: Mapping[str, Any]) -> bytes:
    return (json.dumps(values, indent=1, sort_keys=True, ensure_ascii=False, default=asdict) + "\n").encode("utf-8")


def _digest_line(digest: str) -> bytes:
    return f' "digest": "{digest}",\n'.encode()


def _as_written(data: bytes, digest: str) -> bool:
    """Return whether `to_bytes` made these bytes: a fast check. Another layout of the same JSON is valid, too."""
    return hashlib.sha256(data.replace(_digest_line(digest), b"", 1)).hexdigest() == digest


def _digest(values: Mapping[str, Any]) -> str:
    return hashlib.sha256(_text(values)).hexdigest()
