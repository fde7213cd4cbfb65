"""The results file of a run of lm-evaluation-harness: model, settings, metrics and filters of each task."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrollwork.analysis.logs.log import log_error
from scrollwork.exchange.logs.json_pieces import parsed
from scrollwork.exchange.logs.settings import as_object, setting_text, settings_of

MOST_BYTES = 1 << 28  # of a results file; it holds the settings of each task
MEANS = {"mean", "nanmean"}  # aggregations of which a row's value is an item's part
UNSTATED = {"perplexity": "perplexity"}  # values that are numbers but no scores; of BLEU, F1, ... they would be lists
FUNCTION = re.compile(r"\W")  # an aggregation by a function of the task is its source or its repr, no word
NAMED = re.compile(r"(?:def|<function) (\w+)")
SECRET = re.compile(r"key|token|secret|password", re.IGNORECASE)
RUN = ("limit", "gen_kwargs", "random_seed", "numpy_seed", "torch_seed", "fewshot_seed")  # of the whole run
WHOLE = ("chat_template_sha", "system_instruction_sha", "fewshot_as_multiturn", "lm_eval_version", "git_hash")
TASK = ("dataset_path", "dataset_name", "test_split", "num_fewshot", "output_type", "repeats", "description")


@dataclass(frozen=True)
class Results:
    """A results file; `held` is empty where there is none. folder: that of the samples, which often names the model."""

    held: Mapping[str, Any] = field(default_factory=dict)
    folder: str = ""

    def task_named(self, name: str) -> str:
        """Return the task that a part of a file's name means: characters other than letters and digits may be "_"."""
        return next((task for task in self._object("configs") if name in (task, _plain(task))), name)

    def task_at_end(self, name: str) -> str:
        """Return the task with which a file's name ends, the longest of several; "" if there is none."""
        tasks = sorted(self._object("configs"), key=len, reverse=True)
        return next((task for task in tasks if f"_{name}".endswith((f"_{task}", f"_{_plain(task)}"))), "")

    @property
    def model(self) -> str:
        """The model as the run was told it, else the name of the folder. Values of secret arguments are not shown.

        `model_name` is no name: where the arguments hold none, it is a word by chance, the same for all models.
        """
        config = self._object("config")
        kind, arguments = config.get("model"), config.get("model_args")
        if not isinstance(kind, str) or not kind:
            return self.folder
        if isinstance(arguments, str):
            pairs = [part.partition("=") for part in arguments.split(",")]
            told = [(name, value if mark else None) for name, mark, value in pairs if name]
        else:
            told = list(arguments.items()) if isinstance(arguments, dict) else []
        shown = [name if value is None else f"{name}={'...' if SECRET.search(name) else value}" for name, value in told]
        return setting_text(", ".join((kind, ",".join(shown))) if shown else kind)

    def filters(self, task: str) -> list[str]:
        """Return the names of a task's filters in the order of their rows; "none" alone where it has none."""
        listed = self._config(task).get("filter_list")
        names = [one.get("name") for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        return [name for name in names if isinstance(name, str)] or ["none"]

    def aggregation(self, task: str, metric: str) -> str:
        """Return how the tool makes a task's value of a metric's rows; "" where this is not known.

        As the task states it; a function of the task's own is its text.
        """
        for one in self._metrics(task):
            if one.get("metric") == metric and one.get("aggregation"):
                return setting_text(one["aggregation"])
        return UNSTATED.get(metric, "")

    def value(self, task: str, metric: str) -> float | None:
        """Return the tool's own value of a task's metric ("acc,none"), None where there is none."""
        held = as_object(self._object("results").get(task)).get(metric)
        return float(held) if isinstance(held, (int, float)) else None

    def lower_is_better(self, task: str, metric: str) -> bool:
        """Return whether low values of a metric are good."""
        said = as_object(self._object("higher_is_better").get(task)).get(metric)
        listed = [one.get("higher_is_better") for one in self._metrics(task) if one.get("metric") == metric]
        return (said if said is not None else next(iter(listed), None)) is False

    def documents(self, task: str) -> int:
        """Return how many documents the run was to ask, 0 where this is not known."""
        count = as_object(self._object("n-samples").get(task)).get("effective")
        return count if isinstance(count, int) else 0

    def repeats(self, task: str) -> int:
        """Return how many answers were asked for each document; 1 where this is not known."""
        count = self._config(task).get("repeats")
        return count if isinstance(count, int) else 1

    def settings(self, task: str) -> dict[str, str]:
        """Return what two runs of a task should share."""
        config, whole = self._config(task), self._object("config")
        said: dict[str, Any] = {name: config.get(name) for name in TASK}
        said |= {name: whole.get(name) for name in RUN}
        said |= {name: self.held.get(name) for name in WHOLE}
        said |= as_object(config.get("generation_kwargs"))
        said |= {
            "task version": self._object("versions").get(task),
            "num_fewshot": self._object("n-shot").get(task, said["num_fewshot"]),
        }
        return settings_of(said)

    def _config(self, task: str) -> Mapping[str, Any]:
        return as_object(self._object("configs").get(task))

    def _metrics(self, task: str) -> list[Mapping[str, Any]]:
        listed = self._config(task).get("metric_list")
        return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []

    def _object(self, key: str) -> Mapping[str, Any]:
        return as_object(self.held.get(key))


def read_results(path: Path, folder: Path) -> Results:
    """Read a results file. folder: that of the samples. Raises LogError for one that is damaged."""
    try:
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
        held = parsed(data) if len(data) <= MOST_BYTES else None
    except (OSError, ValueError) as error:
        problem = f"is no results file of lm-eval ({error}); move it away to read the samples alone"
        raise log_error(path, "", problem) from None
    if not isinstance(held, dict) or not isinstance(held.get("results"), dict):
        raise log_error(path, 'field "results"', "is missing; move the file away to read the samples alone")
    return Results(held, folder.name)


def function_named(aggregation: str) -> str:
    """Return what to call an aggregation by a function of the task's own, "" for one of the tool's ("mean", "f1")."""
    if not FUNCTION.search(aggregation):
        return ""
    named = NAMED.match(aggregation)
    return f"function {named[1]} of the task" if named else "a function of the task"


def _plain(task: str) -> str:
    return re.sub(r"\W", "_", task)
