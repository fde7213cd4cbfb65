"""The official code's configuration read and written, and what `seam manifest` says of a run that was asked otherwise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Scrollwork
from tests.flows.seam_kit import manifest, seam

# Listing 1 of the paper (fact sheet seam.md 3), with other numbers
LISTING: dict[str, Any] = {
    "out_dir": "o",
    "run_name": "r",
    "random_seed": 7,
    "num_different_runs": 2,
    "num_demonstrations": 1,
    "max_num_samples": 4,
    "datasets": [
        {"name": "ECB", "task": "coreference", "split_name": "test_events", "path": "p"},
        {"name": "Musique", "task": "QA", "split_name": "val", "path": "p"},
    ],
}


def config(work: Scrollwork, path: Path, values: dict[str, Any], *arguments: str, status: int = 0) -> Any:
    path.write_text(json.dumps(values))
    done = work("seam", "config", "--config", str(path), *arguments, status=status)
    return json.loads(done.out) if not status else done.err


def test_configuration_changes_when_it_is_read_and_written(scrollwork: Scrollwork, tmp_path: Path) -> None:
    path = tmp_path / "seam.json"
    found = config(scrollwork, path, LISTING)
    same = ("random_seed", "num_different_runs", "num_demonstrations", "max_num_samples")
    assert {name: found[name] for name in same} == {name: LISTING[name] for name in same}
    assert {one["name"] for one in found["datasets"]} == {"ECB", "MusiQue"}
    assert config(scrollwork, path, found) == found
    assert not scrollwork.home.exists(), "a configuration needs no raw files and no home"


def test_configuration_that_says_nothing_has_other_values_than_the_official_code(
    scrollwork: Scrollwork, tmp_path: Path
) -> None:
    found = config(scrollwork, tmp_path / "seam.json", {"datasets": [{"name": "SciCo"}]})
    numbers = {name: value for name, value in found.items() if name.startswith(("num", "max", "random"))}
    assert numbers == {"random_seed": 42, "num_different_runs": 10, "num_demonstrations": 3, "max_num_samples": -1}


def test_zero_on_the_command_line_counts_as_not_said(scrollwork: Scrollwork, tmp_path: Path) -> None:
    found = config(scrollwork, tmp_path / "seam.json", LISTING, "--seed", "0", "--shots", "0", "--runs", "3")
    assert (found["random_seed"], found["num_demonstrations"], found["num_different_runs"]) == (0, 0, 3)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"max_num_instances": 100}, "max_num_samples"),
        ({"seed": 1}, "'seed' is no field"),
        ({"num_different_runs": 0}, "num_different_runs"),
        ({"random_seed": True}, "random_seed"),
        ({"max_num_samples": 0}, "max_num_samples"),
        ({"datasets": []}, "datasets"),
        ({"datasets": [{"name": "ECB+"}]}, "datasets[0].name 'ECB+'"),
        ({"datasets": [{"name": "ECB", "split_name": "test"}]}, "test_events"),
        ({"datasets": [{"name": "ECB", "num_demonstrations": 2}]}, "datasets[0].num_demonstrations is no field"),
    ],
)
def test_wrong_configuration_is_taken(
    scrollwork: Scrollwork, tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    told = config(scrollwork, tmp_path / "seam.json", {**LISTING, **change}, status=2)
    assert said in told
    assert "seam.json" in told


def test_option_that_a_command_would_ignore_is_taken(scrollwork: Scrollwork) -> None:
    scrollwork("seam", "config", "--vary", "shots", status=2)
    for ignored in (("--task", "musique"), ("--max-input-tokens", "9")):
        scrollwork("seam", "manifest", "ecb_plus", "0", "--sample", *ignored, status=2)


def test_manifest_of_a_run_with_official_prompts_is_that_of_another(scrollwork: Scrollwork) -> None:
    seam(scrollwork, "--prompts", "official", "--model", "naive", tasks=("musique",))
    stood = manifest(scrollwork.home, "musique", 0)
    command = ("seam", "manifest", "musique", "0", "--sample")
    assert scrollwork(*command, "--prompts", "official").out.encode() == stood
    assert scrollwork(*command).out.encode() != stood
