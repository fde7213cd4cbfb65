"""A raw upstream file: what was found, and its digest."""

from dataclasses import dataclass

from scrollwork.records.base import Row

STATES = ("present", "missing", "dead", "manual", "corrupt")


@dataclass(frozen=True)
class RawFile(Row):
    """A raw file. path: relative to the raw folder, with forward slashes. sha256 (hex), bytes: None without a file."""

    dataset: str
    path: str
    sha256: str | None
    bytes: int | None
    state: str = "present"

    def check(self) -> None:
        self.require(self.state in STATES, "state", f"{self.state!r} is none of {', '.join(STATES)}")
        self.require(bool(self.path) and not self.path.startswith("/"), "path", "must be relative to the raw folder")
        if self.state == "present":
            self.require(
                self.sha256 is not None and len(self.sha256) == 64, "sha256", "a present file needs its digest"
            )
            self.require(self.bytes is not None and self.bytes >= 0, "bytes", "a present file needs its size")
