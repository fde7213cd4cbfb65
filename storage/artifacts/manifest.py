"""The manifest of an artifact: what it is, what it was made from, and the digest of every part. Written last."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from scrollwork.storage.errors import DamagedArtifact

FORMAT = 1
NAME = "manifest.json"
RAW = "raw"  # the input that is not an artifact: raw files


@dataclass(frozen=True)
class Ingredients:
    """Everything that decides an artifact's content: equal ingredients, equal artifact.

    source: digest by module of ours; params: resolved parameters and config values; libraries: version by name;
    inputs: content keys by input name, in order. Older artifacts have one key a name, and several as name-0, name-1,
    ...; `each` reads both.
    """

    stage: str
    slot: str
    source: Mapping[str, str]
    params: Mapping[str, Any]
    libraries: Mapping[str, str]
    inputs: Mapping[str, Sequence[str] | str]

    def each(self, name: str) -> list[str]:
        """The content keys of an input, in order; none where there is no such input."""
        if keys := self.inputs.get(name, ()):
            return [keys] if isinstance(keys, str) else list(keys)
        found: list[str] = []
        while isinstance(key := self.inputs.get(f"{name}-{len(found)}"), str):
            found.append(key)
        return found

    def contents(self) -> list[str]:
        """The content keys of all inputs."""
        return [key for keys in self.inputs.values() for key in ([keys] if isinstance(keys, str) else keys)]

    def key(self) -> str:
        """Compute the key of the artifact (sha256 in hex), known before anything runs."""
        from scrollwork.storage.digest import sha256_of

        return sha256_of({"format": FORMAT, **vars(self)})


@dataclass(frozen=True)
class Part:
    """One Parquet or other file of an artifact."""

    name: str
    table: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What an artifact is. content: the key that enters later stages' keys: its own key, or the digest of answers."""

    key: str
    content: str
    ingredients: Ingredients
    files: tuple[Part, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """The manifest as JSON with its own digest; equal manifests give equal bytes."""
        return _text({**asdict(self), "digest": _digest(asdict(self))})

    @classmethod
    def from_bytes(cls, data: bytes, where: str) -> Manifest:
        """Read a manifest. Raises DamagedArtifact, naming the file, if it is not a whole manifest."""
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


def _text(values: Mapping[str, Any]) -> bytes:
    return (json.dumps(values, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode("utf-8")


def _as_written(data: bytes, digest: str) -> bool:
    """Whether these are the bytes that `to_bytes` made (a fast check; another layout of the same JSON is valid too)."""
    line = f' "digest": "{digest}",\n'.encode()
    return hashlib.sha256(data.replace(line, b"", 1)).hexdigest() == digest


def _digest(values: Mapping[str, Any]) -> str:
    return hashlib.sha256(_text(values)).hexdigest()
