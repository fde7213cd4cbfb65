"""The commands verify and fetch as functions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from scrollwork.frames import polars
from scrollwork.library.asking import checked
from scrollwork.library.calls import of_library
from scrollwork.library.display import shown_progress
from scrollwork.library.keywords import FetchOptions
from scrollwork.library.places import place_of
from scrollwork.preprocessing.raw.errors import printable

if TYPE_CHECKING:
    from scrollwork.home import Home

FETCHED: dict[str, Any] = {
    "tasks": polars.List(polars.String),
    **dict.fromkeys(("dataset", "path", "state", "sha256"), polars.String),
    "bytes": polars.Int64,
    **dict.fromkeys(("url", "licence", "why"), polars.String),
}


@dataclass(frozen=True)
class Verified:
    """The result of `scrollwork.verify`. ok: nothing is broken. artifacts: how many were checked. files: how many were
    hashed. broken: problems in words. other_code: what code other than this made."""

    ok: bool
    artifacts: int
    files: int
    broken: tuple[str, ...]
    other_code: tuple[str, ...]

    def __repr__(self) -> str:
        counted = f"{self.artifacts:,} artifact(s), {self.files:,} file(s) hashed"
        problems = "".join(f"; broken: {line}" for line in self.broken[:1]) + " ..." * (len(self.broken) > 1)
        other = f"; {len(self.other_code)} note(s) on other code" if self.other_code else ""
        return printable(f"{'whole' if self.ok else f'{len(self.broken)} broken'}: {counted}{problems}{other}")


@of_library()
def verify(home: str | Path | Home | None = None, key: str = "", *, store: str = "") -> Verified:
    """Recompute digests from artifacts back to the raw files, as the command `verify`. Nothing is changed.

    home: None for SCROLLWORK_HOME, else ./.scrollwork. key: how the keys of the artifacts begin, "" for all. Raises
    UsageError if there is no home.
    """
    from scrollwork.api import open as opened
    from scrollwork.readings.verify import verify as recomputed
    from scrollwork.storage.home import Home as StoredHome

    place, store = place_of(home, store)
    opened(place)  # a folder that is no home would be whole
    found = recomputed(StoredHome.at(place, store), key)
    broken, other = (tuple(map(printable, found[name])) for name in ("broken", "other_code"))
    return Verified(found["ok"], found["artifacts"], found["checked"], broken, other)


@of_library(FetchOptions)
def fetch(
    suite: str | Path,
    *,
    home: str | Path | Home | None = None,
    store: str = "",
    list: bool = False,
    official: bool = False,
    alternative: str | Sequence[str] = (),
    sources: str | Path = "",
    allow_private_addresses: bool = False,
    progress: bool | None = None,
    **options: Unpack[FetchOptions],
) -> polars.DataFrame:
    """Download raw files from their publishers into the home, as the command `fetch`; what is here stays.

    list: only look what is here. The other keywords are the command's options by name. Returns a row for each file:
    tasks, dataset, path, state ("present" where it is here), sha256, bytes, url, licence, and why it is not here.
    Raises UsageError.
    """
    from scrollwork.fetching.fetch import Fetcher
    from scrollwork.fetching.sources import load_catalogue
    from scrollwork.storage.home import Home as StoredHome
    from scrollwork.suites.request import Request
    from scrollwork.suites.suite_files import fresh_suite

    place, named = StoredHome.at(*place_of(home, store)), fresh_suite(os.fspath(suite))
    known = ("tasks", "splits", "options")
    given = checked("fetch", known, options)
    raw = str(place.folder / "raw")
    request = Request(suite=named.name, suite_file=named.file, home=place.url, raw=raw, store=place.store, **given)
    others = (alternative,) if isinstance(alternative, str) else tuple(dict.fromkeys(alternative))
    fetcher = Fetcher(
        request,
        load_catalogue(str(sources)),
        official=official,
        alternatives=others,
        private=allow_private_addresses,
    )
    if list:
        rows = fetcher.rows()
    else:
        with shown_progress(progress, len(fetcher.pending())):
            rows = fetcher.fetch()
    return polars.DataFrame([row.to_json() for row in rows], schema=FETCHED)
