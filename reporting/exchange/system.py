"""The result of one system on one task, from which files of other tools are made: lm_eval_files.py, inspect_log.py,
every_eval_ever.py.

A `Trial` is a system on a task, split and arm; its `Item`s are the inputs. `Item.trace` has the digests by which an
input can be traced back: request, prompt, documents, and the artifacts that hold them.
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
BASELINES = "scrollwork"  # the developer of the baselines
ELSEWHERE = "elsewhere"  # the developer of a system of which only a name is known
REFUSED = re.compile(r"[^A-Za-z0-9._=+@~-]+")  # not allowed in a model's id, which is also a folder name


@dataclass(frozen=True)
class System:
    """A model or system. name: as on the leaderboard. developer, short: parts of its id, safe as folder names.

    deployment: self_deployed, externally_managed or unknown. settings: keys of its table on which answers depend.
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
    """A system's result on a task. ended: when its scores were written, unix seconds. version: of scrollwork.

    made: content keys of the artifacts, by stage. resamples, level: of the aggregate's interval. run: in SEAM, the run
    that a file is about, while the aggregate is over all `runs`. proxy: a note if the metric is a proxy for the
    benchmark's own.
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
        """The score, its interval if it has one, and its components; for a single run, those of the run."""
        row = self.aggregate
        found = {"value": row.value, "ci_low": row.low, "ci_high": row.high, **row.components}
        if self.run is not None:
            found = {"value": self.run.value, **self.run.components}
        return {name: value for name, value in found.items() if value is not None}

    @property
    def coverage(self) -> Coverage:
        """The coverage; for a single run, that of the run."""
        return self.aggregate.coverage if self.run is None else self.run.coverage

    @property
    def name(self) -> str:
        """SUITE/TASK, with split and arm if they are not "test" and "full"."""
        more = [word for word, plain in ((self.split, "test"), (self.arm, FULL)) if word != plain]
        return "/".join([self.suite, "-".join([self.task, *more])])

    @property
    def digest(self) -> str:
        """sha256 of everything that decides the exported result."""
        told = [self.suite, self.task, self.split, self.arm, self.system.name, sorted(map(str, self.made.items()))]
        if self.run is not None:
            told = [*told, str(self.run.run)]
        return hashlib.sha256(repr(told).encode("utf-8")).hexdigest()

    @property
    def facts(self) -> dict[str, Any]:
        """What a reader of an exported file must know in addition to the numbers."""
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
    """One input. number: its place in the sample, from 0. text: the prompt as sent. answer: the part of the response
    that the metric reads (the content of the tag, if the prompt asks for one). response, failure: both None if the
    input was not asked. score: None without an answer, or without a reference that can be scored. made: content keys by
    stage."""

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
        """Digests by which the input can be traced back; continue from an artifact with `scrollwork verify KEY`."""
        came = self.response or self.failure
        return {
            "request_key": came.request_key if came is not None else None,
            "prompt_sha256": self.prompt.prompt_sha256,
            "document_sha256": list(self.example.document_ids),
            "artifacts": dict(self.made),
        }


def identity(name: str, provider: str, known: str = "") -> tuple[str, str]:
    """(developer, short name) of a model's id. known: its id at the provider ("" for none); if that has the form
    OWNER/NAME, OWNER is the developer."""
    owner, slash, rest = (known or name).partition("/")
    parts = (owner, rest) if slash and owner and rest else (provider, known or name)
    return safe_id(parts[0]), safe_id(parts[1].replace("/", "_"))


def safe_id(text: str) -> str:
    """A text as part of an id: letters, digits and . _ = + @ ~ - only, and no reserved name."""
    name = REFUSED.sub("-", text).strip(".-") or "model"
    reserved = name.lower() in ("data", "unknown", "none", "con", "prn", "aux", "nul")
    return f"_{name}" if reserved or re.fullmatch(r"(?i)(com|lpt)\d", name) else name


def moment(seconds: float) -> str:
    """Unix seconds as ISO 8601 in UTC, to the second."""
    return datetime.fromtimestamp(int(seconds), UTC).isoformat()
