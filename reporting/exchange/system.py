"""What one system did on one task, of which files of other tools are made: lm_eval_files.py, inspect_log.py,
every_eval_ever.py.

A `Trial` is a system on a task, split and arm; its `Item`s are the inputs. Everything a file says of an input can be
traced by what `trace` gives: the request, the prompt, the documents and the artifacts that hold them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from scrollwork.records.example import Example
from scrollwork.records.prompt import FULL, Prompt
from scrollwork.records.response import Failure, Response
from scrollwork.records.run_score import RunScore
from scrollwork.records.score import Aggregate, Coverage, Score

UNIT = "percent"  # every score of ours is on 0 to 100
BASELINES = "scrollwork"  # whose models the baselines are
ELSEWHERE = "elsewhere"  # of a system of which nothing but a name is known
REFUSED = re.compile(r"[^A-Za-z0-9._=+@~-]+")  # in a part of a model's id, which names a folder too


@dataclass(frozen=True)
class System:
    """Who answered. name: as on the leaderboard. developer, short: of its id "developer/short", safe as folder names.

    deployment: self_deployed, externally_managed or unknown. settings: what answers depend on, as in its table.
    """

    name: str
    developer: str
    short: str
    deployment: str
    provider: str
    settings: Mapping[str, Any]

    @property
    def id(self) -> str:
        """developer/short."""
        return f"{self.developer}/{self.short}"


@dataclass(frozen=True)
class Trial:
    """A system on a task. ended: seconds since 1970, when its scores were written; version: of scrollwork.

    made: the contents of the artifacts by stage. resamples, level: of the interval of the aggregate. run: of a suite
    that draws its prompts anew, the run that the file is of; the aggregate is over all `runs`. proxy: what must be said
    of a metric that stands in for the benchmark's own.
    """

    suite: str
    title: str
    task: str
    split: str
    arm: str
    system: System
    metric: str
    metric_version: int
    profile: str
    max_new_tokens: int
    temperature: float | None
    aggregate: Aggregate
    made: Mapping[str, Any]
    ended: float
    version: str
    resamples: int
    level: float
    run: RunScore | None = None
    runs: int = 0
    proxy: str = ""

    @property
    def values(self) -> dict[str, float]:
        """The score, its interval where there is one, and its components: of the run where the file is of one."""
        row = self.aggregate
        found = {"value": row.value, "ci_low": row.low, "ci_high": row.high, **row.components}
        if self.run is not None:
            found = {"value": self.run.value, **self.run.components}
        return {name: value for name, value in found.items() if value is not None}

    @property
    def coverage(self) -> Coverage:
        """Of the run where the file is of one."""
        return self.aggregate.coverage if self.run is None else self.run.coverage

    @property
    def name(self) -> str:
        """suite/task, with what differs from a plain run of the test split."""
        more = [word for word, plain in ((self.split, "test"), (self.arm, FULL)) if word != plain]
        return "/".join([self.suite, "-".join([self.task, *more])])

    @property
    def digest(self) -> str:
        """sha256 of what decides everything in a file about it."""
        told = [self.suite, self.task, self.split, self.arm, self.system.name, sorted(map(str, self.made.items()))]
        if self.run is not None:
            told = [*told, str(self.run.run)]
        return hashlib.sha256(repr(told).encode("utf-8")).hexdigest()

    @property
    def facts(self) -> dict[str, Any]:
        """What a reader of a file has to know beside the numbers."""
        row = self.aggregate
        interval = {"low": row.low, "high": row.high, "level": self.level}
        if self.run is None:
            over = {
                "value_missing_as_zero": row.value_missing_as_zero,
                "interval": {**interval, "resamples": self.resamples},
            }
        else:
            over = {
                "run": self.run.run,
                "manifest": self.run.manifest,
                "over_runs": {"mean": row.value, "std": row.spread, "interval": interval, "runs": self.runs},
            }
        return {
            "suite": self.suite,
            "task": self.task,
            "split": self.split,
            "arm": self.arm,
            "model": self.system.name,
            "profile": self.profile,
            "metric": self.metric,
            "metric_version": self.metric_version,
            "score_unit": f"{UNIT}, 0 to 100",
            **({"proxy": self.proxy} if self.proxy else {}),
            **over,
            "coverage": dict(vars(self.coverage)),
            "artifacts": dict(self.made),
            "scrollwork": self.version,
        }


@dataclass(frozen=True)
class Item:
    """One input. number: its place in the sample, from 0. text: the prompt as sent. answer: what the metric read of the
    response's text (the content of the tag, where one was asked for). response, failure: None both where nothing came;
    score: None where there is no answer, or no reference that can be scored."""

    number: int
    example: Example
    prompt: Prompt
    text: str
    response: Response | None = None
    failure: Failure | None = None
    score: Score | None = None
    answer: str = ""
    made: Mapping[str, str] = field(default_factory=dict)

    @property
    def trace(self) -> dict[str, Any]:
        """By which digests it can be followed back: `scrollwork verify KEY` goes on from an artifact."""
        came = self.response or self.failure
        return {
            "request_key": came.request_key if came is not None else None,
            "prompt_sha256": self.prompt.prompt_sha256,
            "document_sha256": list(self.example.document_ids),
            "artifacts": dict(self.made),
        }


def identity(name: str, provider: str, known: str = "") -> tuple[str, str]:
    """(developer, short name) of a model's id. known: the id at its provider ("" for none), which names its developer
    where it has the form OWNER/NAME."""
    owner, slash, rest = (known or name).partition("/")
    parts = (owner, rest) if slash and owner and rest else (provider, known or name)
    return safe(parts[0]), safe(parts[1].replace("/", "_"))


def safe(text: str) -> str:
    """A text as part of an id: letters, digits and . _ = + @ ~ - only, no name that some system or tool reserves."""
    name = REFUSED.sub("-", text).strip(".-") or "model"
    reserved = name.lower() in ("data", "unknown", "none", "con", "prn", "aux", "nul")
    return f"_{name}" if reserved or re.fullmatch(r"(?i)(com|lpt)\d", name) else name


def moment(seconds: float) -> str:
    """ISO 8601 in UTC, to the second."""
    return datetime.fromtimestamp(int(seconds), UTC).isoformat()
