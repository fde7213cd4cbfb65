"""The configuration of SEAM's official code (Lior et al. 2024, listing 1; seam.md 3): read into options and written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

NAMES = {  # of data sets there, and the tasks here
    "MultiNews": "multi_news",
    "OpenASP": "open_asp",
    "FuseReviews": "fuse_reviews",
    "MusiQue": "musique",
    "Musique": "musique",  # the paper's spelling
    "SciCo": "sci_co",
    "ECB": "ecb_plus",
}
SPLITS = {  # what is evaluated there, and is the split test here
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
DEFAULTS = {"shots": 3, "instances": -1}  # the official code's
TEXTS = ("out_dir", "run_name")
FIELDS = (*TEXTS, *NUMBERS, "datasets")
OF_DATASET = ("name", "task", "split_name", "path")
UNREAD = "max_num_instances"  # in the published configuration, although nothing reads it (fact sheet 0)


def read_config(file: str) -> dict[str, Any]:
    """Return seed, runs, shots, instances and tasks of a configuration. Raises OSError, ValueError naming the field."""
    data = json.loads(Path(file).read_bytes())
    if not isinstance(data, dict):
        raise ValueError("must be a JSON object")
    for name in data:
        if name == UNREAD:
            raise ValueError(
                f"{UNREAD} is a name that the official code does not read, so that it takes all instances; write "
                "max_num_samples"
            )
        if name not in FIELDS:
            raise ValueError(f"{name!r} is no field; there are: {', '.join(FIELDS)}")
    found: dict[str, Any] = dict(DEFAULTS)
    for name, own in NUMBERS.items():
        value = data.get(name)
        least = -1 if own == "instances" else 1 if own == "runs" else 0
        if value is not None:
            if type(value) is not int or value < least or (own == "instances" and value == 0):
                raise ValueError(f"{name} must be a whole number of {least} or more, not {value!r}")
            found[own] = value
    return {**found, "tasks": _tasks(data.get("datasets"))}


def _tasks(listed: Any) -> list[str]:
    if not isinstance(listed, list) or not listed:
        raise ValueError("datasets must be a list of objects")
    tasks = []
    for place, one in enumerate(listed):
        name = one.get("name") if isinstance(one, dict) else None
        if name not in NAMES:
            raise ValueError(f"datasets[{place}].name {name!r} is none of {', '.join(NAMES)}")
        if unknown := [field for field in one if field not in OF_DATASET]:
            asked = f"datasets[{place}].{unknown[0]}"
            raise ValueError(f"{asked} is no field; there are: {', '.join(OF_DATASET)}")
        task = NAMES[name]
        split = one.get("split_name", SPLITS[task][0])
        if split not in SPLITS[task]:
            asked = f"datasets[{place}].split_name {split!r}"
            raise ValueError(f"{asked}: SEAM evaluates {SPLITS[task][0]}")
        tasks.append(task)
    return tasks


def config_of(tasks: Sequence[str], *, seed: int, runs: int, shots: int, instances: int) -> dict[str, Any]:
    """Return the official configuration for these options, without paths. instances: 0 for all."""
    names: dict[str, str] = {}
    for name, task in NAMES.items():
        names.setdefault(task, name)
    return {
        "out_dir": "out",
        "run_name": "scrollwork",
        "random_seed": seed,
        "num_different_runs": runs,
        "num_demonstrations": shots,
        "max_num_samples": instances or -1,
        "datasets": [{"name": names[task], "task": KINDS[task], "split_name": SPLITS[task][0]} for task in tasks],
    }
