"""A home in a bucket whose every request takes a while: the first run, and one that finds everything done.

The floor is what the same requests take one after the other, and 16 at once. The bucket is fsspec's memory with a wait
before each request, so that neither a server nor a network is measured. --small: a tenth of the wait.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

import fsspec
from fsspec.implementations.memory import MemoryFileSystem

import scrollwork as sw
from scrollwork.storage.location import AT_ONCE

WAIT_S = 0.05
WHAT = {"sample": True, "models": ["lead", "naive"], "workers": 1}  # other processes have another memory


class Slow(MemoryFileSystem):
    """Memory behind a slow network. wait_s: of each request. requests: so far. at_once: the most so far."""

    protocol = "slow"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    wait_s, requests, at_once = 0.0, 0, 0
    _under_way, _lock = 0, Lock()

    def _asked(self) -> None:
        with Slow._lock:
            Slow.requests += 1
            Slow._under_way += 1
            Slow.at_once = max(Slow.at_once, Slow._under_way)
        time.sleep(Slow.wait_s)
        with Slow._lock:
            Slow._under_way -= 1

    def ls(self, path: str, detail: bool = True, **options: Any) -> Any:
        self._asked()
        return super().ls(path, detail, **options)

    def find(self, path: str, *given: Any, **options: Any) -> Any:
        self._asked()
        below = self._strip_protocol(path)
        found = {name: super(Slow, self).info(name) for name in sorted(self.store) if name.startswith(f"{below}/")}
        return found if options.get("detail") else list(found)

    def cat_file(self, path: str, *given: Any, **options: Any) -> Any:
        self._asked()
        return super().cat_file(path, *given, **options)

    def get_file(self, rpath: str, lpath: str, **options: Any) -> None:
        Path(lpath).write_bytes(self.cat_file(rpath))

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **options: Any) -> None:
        self._asked()
        super().pipe_file(path, value, mode, **options)

    def put_file(self, lpath: str, rpath: str, **options: Any) -> None:
        self.pipe_file(rpath, Path(lpath).read_bytes())


def main(small: bool = False) -> Iterator[str]:
    """The lines of the report."""
    fsspec.register_implementation("slow", Slow, clobber=True)
    Slow.wait_s = WAIT_S / 10 if small else WAIT_S
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
        for name in ("the first run", "a run that finds everything done", "the same on another machine"):
            if name.endswith("machine"):
                os.environ["XDG_CACHE_HOME"] = f"{folder}/another"
            Slow.requests = Slow.at_once = 0
            began = time.perf_counter()
            done = sw.run("zeroscrolls", home="slow://bucket/home", store=f"sqlite:///{folder}/answers.db", **WHAT)
            took = time.perf_counter() - began
            if not done.complete:
                raise RuntimeError(f"bucket: {done.failures.to_dicts()[:2]}")
            serial = Slow.requests * Slow.wait_s
            yield (
                f"{name}: {took:.1f} s, {Slow.requests:,} requests of {1e3 * Slow.wait_s:.0f} ms, up to {Slow.at_once} "
                f"at once; {took / serial:.2f} of them one after the other (all {AT_ONCE} at once: {1 / AT_ONCE:.2f})"
            )


if __name__ == "__main__":
    for line in main("--small" in sys.argv):
        print(line)
