"""The options of build and run as keywords, for type checkers. suites/options.py declares them and says what they mean
(docs/options.md); tests/library/test_run.py holds these names against that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, TypedDict

from scrollwork.library.functions import FunctionOfUser

Texts = str | Sequence[str]  # one, or several
PathText = str | PathLike[str]


class FetchOptions(TypedDict, total=False):
    """What may be said of the files that are wanted."""

    tasks: Texts
    splits: Texts
    options: Mapping[str, Any]


class BuildOptions(TypedDict, total=False):
    """What may be said of the inputs, their prompts, and of the designs of suites."""

    raw: PathText
    sample: bool
    tasks: Texts
    splits: Texts
    limit: int
    seed: int
    options: Mapping[str, Any]
    strict: bool
    workers: int
    dask: str
    max_input_tokens: int
    runs: int
    instances: int
    shots: int
    draws: str
    vary: Texts
    config: PathText
    strategy: str
    units: str


class RunOptions(BuildOptions, total=False):
    """These, and what may be said of models and calls."""

    models: str | FunctionOfUser | Sequence[str | FunctionOfUser]
    arms: Texts
    tokenizer: str
    truncation: str
    prompts: str
    models_file: PathText
    faithfulness: str
    coverage: str
    base_url: str
    context: int
    budget: str | float
    concurrency: int
    rpm: int
    tpm: int
    batch: bool
    batch_wait: int
    time_limit: int
    way: str
    fresh: str | int
    retry_failed: bool
