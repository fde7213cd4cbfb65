"""The configuration of SEAM's official code (Lior et al. 2024, listing 1; fact sheet seam.md 3): read into a request's
values, and written from a request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scrollwork.pipeline.errors import UsageError
from scrollwork.storage.errors import naming_full_disks
from scrollwork.suites.request import Request

NAMES = {  # of data sets there, and the tasks that they are here
    "MultiNews": "multi_news",
    "OpenASP": "open_asp",
    "FuseReviews": "fuse_reviews",
    "MusiQue": "musique",
    "Musique": "musique",  # as the paper writes it
    "SciCo": "sci_co",
    "ECB": "ecb_plus",
}
SPLITS = {  # what is evaluated there; it stands as the split test here
    "multi_news": ("test",),
    "open_asp": ("test",),
    "fuse_reviews": ("validation", "dev"),
    "musique": ("val", "validation", "dev"),
    "sci_co": ("test",),
    "ecb_plus": ("test_events",),
}
KINDS = {
    "multi_news": "summarization",
    "open_asp": "summarization",
    "fuse_reviews": "summarization",
    "musique": "QA",
    "sci_co": "coreference",
    "ecb_plus": "coreference",
}
NUMBERS = {
    "random_seed": "seed",
    "num_different_runs": "runs",
    "num_demonstrations": "shots",
    "max_num_samples": "instances",
}
DEFAULTS = {"shots": 3, "instances": -1}  # of the official code
TEXTS = ("out_dir", "run_name")
FIELDS = (*TEXTS, *NUMBERS, "datasets")
OF_DATASET = ("name", "task", "split_name", "path")
UNREAD = "max_num_instances"  # in the configuration that was published, where nothing reads it (fact sheet 0)


def read_config(file: str) -> dict[str, Any]:
    """seed, runs, shots, instances and tasks of a configuration. Raises UsageError, naming file and field."""
    try:
        data = json.loads(Path(file).read_bytes())
    except (OSError, ValueError) as error:
        raise UsageError(f"--config {file}: {error}") from error
    if not isinstance(data, dict):
        raise UsageError(f"--config {file}: must be a JSON object")
    for name in data:
        if name == UNREAD:
            raise UsageError(
                f"--config {file}: {UNREAD} is a name that the official code does not read, so that it takes all "
                f"instances; write max_num_samples"
            )
        if name not in FIELDS:
            raise UsageError(f"--config {file}: {name!r} is no field; there are: {', '.join(FIELDS)}")
    found: dict[str, Any] = dict(DEFAULTS)
    for name, own in NUMBERS.items():
        value = data.get(name)
        least = -1 if own == "instances" else 1 if own == "runs" else 0
        if value is not None:
            if type(value) is not int or value < least or (own == "instances" and value == 0):
                raise UsageError(f"--config {file}: {name} must be a whole number of {least} or more, not {value!r}")
            found[own] = value
    return {**found, "tasks": _tasks(file, data.get("datasets"))}


def _tasks(file: str, listed: Any) -> list[str]:
    if not isinstance(listed, list) or not listed:
        raise UsageError(f"--config {file}: datasets must be a list of objects")
    tasks = []
    for place, one in enumerate(listed):
        name = one.get("name") if isinstance(one, dict) else None
        if name not in NAMES:
            raise UsageError(f"--config {file}: datasets[{place}].name {name!r} is none of {', '.join(NAMES)}")
        if unknown := [field for field in one if field not in OF_DATASET]:
            asked = f"--config {file}: datasets[{place}].{unknown[0]}"
            raise UsageError(f"{asked} is no field; there are: {', '.join(OF_DATASET)}")
        task = NAMES[name]
        split = one.get("split_name", SPLITS[task][0])
        if split not in SPLITS[task]:
            asked = f"--config {file}: datasets[{place}].split_name {split!r}"
            raise UsageError(f"{asked}: SEAM evaluates {SPLITS[task][0]}")
        tasks.append(task)
    return tasks


def config_of(request: Request) -> dict[str, Any]:
    """The official configuration of a request; paths are left to its reader."""
    names: dict[str, str] = {}
    for name, task in NAMES.items():
        names.setdefault(task, name)
    sizes = request.config.runs
    seed = request.config.seed if request.seed is None else request.seed
    return {
        "out_dir": "out",
        "run_name": "scrollwork",
        "random_seed": seed,
        "num_different_runs": request.run_count,
        "num_demonstrations": sizes["shots"] if request.shots is None else request.shots,
        "max_num_samples": request.most or -1,
        "datasets": [
            {"name": names[task.name], "task": KINDS[task.name], "split_name": SPLITS[task.name][0]}
            for task in request.chosen_tasks()
        ],
    }


def write_config(file: str, values: Mapping[str, Any]) -> None:
    """As JSON. Raises OSError."""
    with naming_full_disks(file, str(Path(file).parent)):
        Path(file).write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
