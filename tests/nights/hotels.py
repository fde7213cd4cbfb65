"""What the tests of nights share: raw files with enough hotels for a verdict, a vendor, and the command of a night.

The vendor's edition begins each answer, so "80%" is what it says of every hotel, and "10%" is far off. Answers to the
other task, QuALITY, lose nothing by it.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tests.conftest import PROJECT, Scrollwork
from tests.survival.hosted import Vendors, hosted, of_model, table

HOTELS, REVIEWS = 24, 50
GOOD, BAD = "80%", "10%"
TASKS = ("--task", "space_digest", "--task", "quality")


def raw_of_hotels(folder: Path, count: int = HOTELS) -> Path:
    """Raw files of both tasks. 70 to 93 % of the reviews of a hotel are positive."""
    hotels = []
    for hotel in range(count):
        positive = 35 + hotel % 12
        reviews = [
            {
                "review_id": f"r{hotel}-{number}",
                "sentences": [f"Hotel {hotel}, guest {number}: {'lovely' if number < positive else 'dreadful'}."],
                "rating": 5 if number < positive else 1,
            }
            for number in range(REVIEWS)
        ]
        hotels.append({"entity_id": f"h{hotel}", "entity_name": f"Hotel {hotel}", "reviews": reviews})
    (folder / "space").mkdir(parents=True)
    (folder / "space" / "space_train.json").write_text(json.dumps(hotels))
    shutil.copytree(PROJECT / "sample" / "raw" / "quality", folder / "quality")
    return folder


def ready(work: Scrollwork, served: Vendors, hotels: int = HOTELS, **more: Any) -> Scrollwork:
    """The command with the vendor's model m, and raw files beside its home."""
    work = hosted(work, table("m", served.url, price={"input": 1.0, "output": 10.0}, **more))
    raw_of_hotels(work.home.parent / "raw", hotels)
    served.set(edition=GOOD)
    return work


def words(work: Scrollwork, *more: str) -> tuple[str, ...]:
    """The words of the command of a night."""
    raw = ("--raw", str(work.home.parent / "raw"))
    return ("nights", "run", "zeroscrolls", *raw, *TASKS, "--model", "m", *of_model(work), *more)


def night(work: Scrollwork, *more: str, status: int | None = 0) -> dict[str, Any]:
    """Take a night; returns what it prints."""
    found: dict[str, Any] = work(*words(work, "--json", *more), status=status).document
    return found


def states(row: dict[str, Any]) -> dict[str, str]:
    """What is said of each task of the only model."""
    (model,) = row["models"]
    return {task["task"]: task["state"] for task in model["tasks"]}


def rows(home: Path) -> list[dict[str, Any]]:
    """The files of nights."""
    return [json.loads(path.read_text()) for path in sorted((home / "nights").glob("*.night.json"))]
