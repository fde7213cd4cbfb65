"""Homes of scrollwork as logs: what the page of a home shows, an answer a row.

Scores are those of answers, 0 to 100. A headline that is no mean of answers (rouge_geo: a geometric mean of means) is
not what is compared here: `run --json` and the page compare headlines.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import fsum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scrollwork.analysis.logs.log import NO_VALUE, Log, ReadOptions, ValueNote, log_error
from scrollwork.readings.home_artifacts import Line, current
from scrollwork.readings.verify import require_home, stopped
from scrollwork.records.judgement import Judgement
from scrollwork.records.prompt import FULL
from scrollwork.records.score import Score
from scrollwork.storage.home import Home

TOOL = "scrollwork"
SAME = 1e-6  # points: means of the same values in another order
PLAIN = "plain"  # the profile of prompts that are neither cut nor adapted to a model


def recognizes(path: Path) -> bool:
    """Return whether a folder is a home in which something ran, or began to."""
    return (path / "artifacts").is_dir() and ((path / "runs").is_dir() or (path / "responses.db").is_file())


def read(path: Path, options: ReadOptions) -> list[Log]:
    """Return a log for each model, task and split that the home shows. Raises LogError if it shows no score.

    options: not used, as a home knows the ids and documents of its inputs.
    """
    return of_home(str(path), Home.at(str(path)))


def read_remote(url: str) -> list[Log]:
    """Return the same of a home at a URL. Raises UsageError if there is none, LogError, StorageError."""
    home = Home.to_read(url).one_look()
    require_home(home)
    return of_home(url, home)


def of_home(source: str, home: Home) -> list[Log]:
    """Return the logs of a home. source: its name in them. Raises LogError."""
    suites = dict.fromkeys(str(run["request"]["suite"]) for run in home.runs())
    logs = [log for suite in suites for log in of_suite(source, home, suite)]
    if not logs:
        raise log_error(source, "", stopped(home) or "nothing in this home is scored: `scrollwork run` scores models")
    return logs


def of_suite(source: str, home: Home, suite: str) -> Iterator[Log]:
    """Yield the logs of a suite. Lines whose answers are gone are left out."""
    return (log for _, log in with_lines(source, home, suite))


def with_lines(source: str, home: Home, suite: str) -> Iterator[tuple[Line, Log]]:
    """Yield the logs of a suite, each with its line of the page. Lines whose answers are gone are left out."""
    shown = current(home, suite, list(home.artifacts.everything()))
    splits = {task: {line.shown.split for line in shown.lines if line.shown.task == task} for task in shown.suite.tasks}
    for line in shown.lines:
        if line.behind is not None and line.judged is not None:
            name = line.shown.task if len(splits[line.shown.task]) == 1 else f"{line.shown.task}, {line.shown.split}"
            yield line, of_line(source, name, line, shown.left_out)


def model_label(model: str, arm: str) -> str:
    """Return what a model in an arm is called in a log."""
    return model if arm == FULL else f"{model}, {arm}"


def of_line(source: str, task: str, line: Line, left_out: tuple[str, ...]) -> Log:
    """Return the answers behind a line; the seeds of a family are repeats of its inputs."""
    assert line.behind is not None
    assert line.judged is not None
    judged = list(line.judged.rows("judgements", Judgement))
    place = {(row.example_id, row.draw, row.model): number for number, row in enumerate(judged)}
    values = np.full(len(judged), NO_VALUE)
    for score in chain.from_iterable(artifact.rows("scores", Score) for artifact in line.behind.scores):
        if (row := place.get((score.example_id, score.draw, score.model))) is not None:
            values[row] = score.value
    asked = {
        (one["example_id"], one["draw"]): one["prompt_sha256"]
        for artifact in line.behind.prompts
        for one in artifact.columns("prompts", ["example_id", "draw", "prompt_sha256"])
    }
    profile = line.behind.profile
    return Log(
        source,
        TOOL,
        task,
        model_label(line.shown.model, line.shown.arm),
        {line.shown.metric: values},
        ids=[f"{row.example_id}#{row.draw}" if row.draw else row.example_id for row in judged],
        prompts=[asked.get((row.example_id, row.draw), "") for row in judged],
        prompt_part="" if profile == PLAIN else f"profile {profile}",
        clusters=[row.cluster for row in judged],
        repeats=[row.model for row in judged] if line.members else None,
        failures={number: "no answer" for number, row in enumerate(judged) if not row.answered},
        truncated=np.array([row.truncated or bool(row.length_cut) for row in judged]),
        settings={"suite": line.shown.suite, "split": line.shown.split, "metric": line.shown.metric},
        notes=(*left_out, *other_number(line, judged, values)),
    )


def other_number(line: Line, judged: list[Judgement], values: NDArray[np.float64]) -> Iterator[ValueNote]:
    """Yield a note if the board's value is no mean of the answers, whose means are compared here."""
    members: dict[str, list[float]] = {}
    for row, value in zip(judged, values, strict=True):
        if not np.isnan(value):
            members.setdefault(row.model, []).append(float(value))
    means = [fsum(own) / len(own) for own in members.values()]
    board = line.shown.value
    if board is not None and means and abs(fsum(means) / len(means) - board) > SAME:
        metric = line.shown.metric
        others = "the means of answers that are compared here are other numbers, and may order models otherwise"
        yield ValueNote(f"{metric} on the board is of all answers together; {others}", metric)
