"""A driver for tests: `scrollwork gc` that ends itself by SIGKILL after so many items, in the middle of the next, or
waits between its listing and the removal.

    python gc_killed.py COUNT|pause ARGUMENTS...
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from typing import Any

from scrollwork.cli.main import main
from scrollwork.flows.keeping import removal

WHEN, *ARGUMENTS = sys.argv[1:]
seen = {"items": 0}
listing, removing = removal.garbage_of, shutil.rmtree


def paused(*arguments: Any, **options: Any) -> Any:
    found = listing(*arguments, **options)
    print("listed", flush=True)
    sys.stdin.readline()
    return found


def counted(folder: Any, *arguments: Any, **options: Any) -> None:
    seen["items"] += 1
    if seen["items"] > int(WHEN):
        first = sorted(os.listdir(folder))[0]
        os.unlink(os.path.join(folder, first))
        os.kill(os.getpid(), signal.SIGKILL)
    removing(folder, *arguments, **options)


if WHEN == "pause":
    removal.garbage_of = paused
else:
    removal.shutil.rmtree = counted
sys.exit(main(ARGUMENTS))
