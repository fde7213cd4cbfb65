"""A driver for tests: the `scrollwork` command that ends itself by a signal at one point of one stage.

    python killed.py STAGE POINT SIGNAL ARGUMENTS...

STAGE@7 is the stage of run 7, of a suite that draws.

Points: begin (the stage has begun), answers (the first answers or attempts are committed), answer (the first answer
is), half (half of some bytes of a part are written), part (a part has its final name), manifest (all parts stand, the
manifest does not), done (the manifest does).
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from scrollwork.cli.main import main
from scrollwork.pipeline import build
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.artifacts.artifact import Artifacts  # noqa: F401  (parts and locations are patched after everything is imported)
from scrollwork.storage.artifacts.parts import _Hashing
from scrollwork.storage.location import Location
from scrollwork.tasks.generate import snapshot

STAGE, POINT, SIGNAL, *ARGUMENTS = sys.argv[1:]
now = {"stage": ""}


def end_at(point: str) -> None:
    if now["stage"] == STAGE and point == POINT:
        os.kill(os.getpid(), signal.Signals[SIGNAL])


def around(holder: Any, name: str, before: Any = None, after: Any = None) -> None:
    """Let `before` and `after` run around a method."""
    original = getattr(holder, name)

    def wrapped(*arguments: Any, **options: Any) -> Any:
        if before is not None:
            before(*arguments)
        result = original(*arguments, **options)
        if after is not None:
            after(*arguments)
        return result

    setattr(holder, name, wrapped)


def begin(node: Any, *_: Any) -> None:
    now["stage"] = STAGE if f"{node.stage}@{dict(node.labels).get('run')}" == STAGE else node.stage
    end_at("begin")


def half(sink: Any, data: Any) -> None:
    if now["stage"] == STAGE and POINT == "half":
        sink._stream.write(bytes(data)[: len(data) // 2])
        sink._stream.flush()
        end_at("half")


def created(place: Any, name: str, *_: Any) -> None:
    if name == "manifest.json":
        end_at("done")


def committed(store: Any, answers: Any = (), *_: Any) -> None:
    end_at("answers")
    if answers:
        end_at("answer")


def creating(place: Any, name: str, *_: Any) -> None:
    if name == "manifest.json":
        end_at("manifest")


snapshot.COMMIT = 16  # the answers of a small task are of several transactions, of which some are committed
around(build, "_build", before=begin)
around(ResponseStore, "add", after=committed)
around(_Hashing, "write", before=half)
around(Location, "publish", after=lambda *_: end_at("part"))
around(Location, "create", before=creating, after=created)
sys.exit(main(ARGUMENTS))
