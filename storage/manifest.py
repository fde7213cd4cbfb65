"""The manifest: what an artifact is, what it was made from, and the digest of every part. Written last."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from storage.errors import StorageError

FORMAT = 1
NAME = "manifest.json"


@dataclass(frozen=True)
class Ingredients:
    """Everything that decides an artifact's content: equal ingredients, equal artifact.

    source: digest by house module; params: resolved parameters and config values; libraries: version by name;
    inputs: content key by input name.
    """

    stage: str
    slot: str
    source: Mapping[str, str]
    params: Mapping[str, Any]
    libraries: Mapping[str, str]
    inputs: Mapping[str, str]

    def key(self) -> str:
        """sha256 in hex: the artifact's name, known before anything runs."""
        from storage.digest import sha256_of

        return sha256_of({"format": FORMAT, **asdict(self)})


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
    """content: the key by which later stages know the artifact (its own, or the answers digest)."""

    key: str
    content: str
    ingredients: Ingredients
    files: tuple[Part, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """The manifest file: stable bytes."""
        return (json.dumps(asdict(self), indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode("utf-8")

    @classmethod
    def from_bytes(cls, data: bytes, where: str) -> Manifest:
        """Read a manifest; raises StorageError naming the file when it is not one."""
        try:
            values = json.loads(data)
            return cls(
                key=values["key"],
                content=values["content"],
                ingredients=Ingredients(**values["ingredients"]),
                files=tuple(Part(**part) for part in values["files"]),
                facts=values["facts"],
            )
        except (ValueError, KeyError, TypeError) as error:
            raise StorageError(
                f"{where}/{NAME} is not a manifest ({error}); remove the folder and run again"
            ) from error
