"""What a person or a schedule asks for, checked, with absolute locations: a worker elsewhere can act on it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from scrollwork.pipeline.errors import UsageError
from scrollwork.records.prompt import ARMS, CLOSED_BOOK, FULL
from scrollwork.storage.home import Home
from scrollwork.suites.home_suites import asked
from scrollwork.suites.judging_models import ROLES, judged_suite, judges_of, labels_of
from scrollwork.suites.outside_systems import shown_name
from scrollwork.suites.suite_files import SAMPLE, Suite, TaskConfig, load_suite
from scrollwork.suites.tokenizers import adopt

NOTHING_COUNTED = "--tokenizer says how --max-input-tokens or --context counts"
KINDS = {bool: "true or false", int: "a whole number", str: "text", list: "a list"}


@dataclass(frozen=True)
class Request:
    """suite: its name. suite_file: where it lies, of one that a person named by its file. tasks, splits: () for all of
    the suite, its default ones. limit, max_input_tokens: 0 for none.

    options: values of `--set TASK.OPTION=VALUE`, by "task.option". models: () to build only.
    arms: () for the full one. tokenizer: lasting name (scrollwork.suites.tokenizers), "" for the model's own.
    truncation: "official" for the quirks of the official code. prompts: one of the suite's sets of instructions, "" for
    its own. strict: the first malformed record ends the run. base_url: where compatible models run whose tables do not
    say. context: limit of hosted models, instead of their tables'.

    Of suites that draw their prompts anew in each run: runs (0 for the suite's number), shots (demonstrations), vary
    (the variables that differ between runs; the others stay those of run 0; () for all), draws ("official" for the
    official code's one stream, in which every data set and run depends on those before it), instances (of a run at
    most; 0 for the suite's number, -1 for all).

    strategy: which windows of a context are observed, of suites that observe (preprocessing/windows/spans.py); ""
    for all.
    units: another granularity of the tasks' contexts than their own, one of theirs (preprocessing/windows/units.py).

    faithfulness, coverage: models by which a metric judges answers, named as models are; "" for the metric that stands
    in for it.

    How hosted models are called, which decides nothing of what they are asked: budget (USD, "" for none), rpm, tpm and
    concurrency (0 for those of the model's table), batch, batch_wait (seconds, 0 until batches end), retry_failed (ask
    terminal failures again), run (a name under which what is spent is written down).
    """

    suite: str
    home: str
    raw: str
    store: str = ""
    tasks: tuple[str, ...] = ()
    splits: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    models_file: str = ""
    limit: int = 0
    seed: int | None = None
    max_input_tokens: int = 0
    options: Mapping[str, Any] | None = None
    arms: tuple[str, ...] = ()
    tokenizer: str = ""
    truncation: str = ""
    prompts: str = ""
    strict: bool = False
    base_url: str = ""
    context: int = 0
    budget: str = ""
    rpm: int = 0
    tpm: int = 0
    concurrency: int = 0
    batch: bool = False
    batch_wait: int = 0
    retry_failed: bool = False
    run: str = ""
    runs: int = 0
    shots: int | None = None
    vary: tuple[str, ...] = ()
    draws: str = ""
    instances: int = 0
    faithfulness: str = ""
    coverage: str = ""
    strategy: str = ""
    units: str = ""
    suite_file: str = ""

    def __post_init__(self) -> None:
        suite = load_suite(self.suite_file or self.suite)
        _among("arm", self.arms, list(ARMS))
        _among("truncation", (self.truncation,) if self.truncation else (), ["official"])
        _among(f"set of prompts of {self.suite}", (self.prompts,) if self.prompts else (), list(suite.prompts))
        shown = [shown_name(model) for model in self.models]
        if twice := next((name for name in shown if shown.count(name) > 1), ""):
            raise UsageError(f"two models would stand under the name {twice!r}")
        if self.tokenizer and not (self.max_input_tokens or self.context or self.models):
            raise UsageError(f"{NOTHING_COUNTED}: give both")
        if CLOSED_BOOK in self.arms and not any(task.asks for task in self.chosen_tasks()):
            names = ", ".join(task.name for task in suite.tasks.values() if task.asks)
            raise UsageError(f"only tasks with a question have a closed-book arm: {names}")
        _among("task", self.tasks, list(suite.tasks))
        if CLOSED_BOOK in self.arms and any(task.windows for task in self.chosen_tasks()):
            raise UsageError(f"--arm {CLOSED_BOOK}: windows of length 0 are the closed book of {self.suite}")
        splits = {split for task in self.chosen_tasks() for split in task.splits}
        for task in self.chosen_tasks():
            if not self.splits_of(task) or not splits.issuperset(self.chosen_splits()):
                _among(f"split of {task.name}", self.chosen_splits(), list(task.splits))
        for path in self.options or {}:
            task_name, _, option = path.partition(".")
            _among("task", (task_name,), list(suite.tasks))
            known = suite.tasks[task_name].options
            _among(f"option of {task_name}", (option,), list(known))
            if type((self.options or {})[path]) is not type(known[option]):
                raise UsageError(
                    f"{path} must be {KINDS[type(known[option])]} as {json.dumps(known[option])} is, not "
                    f"{json.dumps((self.options or {})[path])}"
                )
        if (
            min(self.limit, self.max_input_tokens, self.context, self.rpm, self.tpm, self.concurrency, self.batch_wait)
            < 0
        ):
            raise UsageError("limits must be positive")
        drawing = {"--runs": self.runs, "--shots": self.shots is not None, "--vary": self.vary, "--draws": self.draws}
        drawing["--instances"] = self.instances
        given = [name for name, value in drawing.items() if value]
        if given and not suite.runs:
            raise UsageError(f"{given[0]}: {self.suite} does not draw its prompts anew in runs")
        if self.runs < 0 or (self.shots or 0) < 0 or self.instances < -1:
            raise UsageError("--runs, --shots and --instances must be positive (--instances -1: all)")
        _among("draws", (self.draws,) if self.draws else (), ["official"])
        if self.draws and self.vary:
            raise UsageError("--vary holds other variables fixed, which one stream (--draws official) cannot")
        if self.vary:
            from scrollwork.preprocessing.runs.draws import GENERATION, VARIABLES  # loaded for suites that draw only

            _among("variable of --vary", self.vary, [*VARIABLES, GENERATION])
        observing = {"--strategy": self.strategy, "--units": self.units}
        given = [name for name, value in observing.items() if value]
        if given and not any(task.windows for task in suite.tasks.values()):
            raise UsageError(f"{given[0]}: {self.suite} does not observe windows of its contexts")
        if self.units:
            try:
                for task in self.chosen_tasks():
                    task.observed(self.units)
            except ValueError as error:
                raise UsageError(f"--units: {error}; name tasks that have it: --task T") from None
        if self.strategy:
            from scrollwork.preprocessing.windows.spans import strategy  # loaded for suites that observe only

            try:
                strategy(self.strategy)
            except ValueError as error:
                raise UsageError(f"--strategy: {error}") from None
        if self.batch_wait and not self.batch:
            raise UsageError("--batch-wait says how long --batch waits: give both")
        if self.budget and not re.fullmatch(r"[0-9]+(\.[0-9]+)?", self.budget):
            raise UsageError(f"--budget {self.budget!r}: write dollars, such as 12.50")

    @classmethod
    def of(cls, suite: str, *, home: str, raw: str = "", sample: bool = False, store: str = "", **rest: Any) -> Request:
        """A request with absolute locations. suite: a name, or the path of a file. raw "": what was fetched into the
        home; sample: the bundled input, of the tasks that it has where none is named."""
        place = Home.at(home, store)
        config = asked(place, suite)
        if raw and sample:
            raise UsageError("--raw and --sample exclude each other")
        if sample and not rest.get("tasks"):
            rest["tasks"] = config.in_sample
        if rest.get("tokenizer"):
            rest["tokenizer"] = adopt(rest["tokenizer"], place)
        judging = [name for name in ROLES if rest.get(name)]
        if any(name.startswith("transformers:") for name in (*rest.get("models", ()), *(rest[one] for one in judging))):
            from scrollwork.suites.checkpoints import adopt_name

            rest["models"] = tuple(adopt_name(model, place) for model in rest.get("models", ()))
            rest |= {name: adopt_name(rest[name], place) for name in judging}
        folder = SAMPLE if sample else Path(raw).expanduser().resolve() if raw else place.folder / "raw"
        if raw and not folder.is_dir():
            raise UsageError(f"--raw {raw}: there is no such folder")
        if not folder.is_dir():
            raise UsageError(f"{folder} has no raw files: try `scrollwork fetch`, --raw DIR or --sample")
        return cls(
            suite=config.name, suite_file=config.file, home=place.url, raw=str(folder), store=place.store, **rest
        )

    @cached_property
    def judges(self) -> Mapping[str, Mapping[str, Any]]:
        """The tables of the models that judge answers, by role; empty where none does. Raises UsageError."""
        if not (self.faithfulness or self.coverage):
            return {}
        return judges_of(self)

    @cached_property
    def config(self) -> Suite:
        """The suite; scored by the request's judges where it names some."""
        suite = load_suite(self.suite_file or self.suite)
        if not self.judges:
            return suite
        return judged_suite(suite, labels_of(self.judges))

    def chosen_tasks(self) -> list[TaskConfig]:
        """The tasks asked for, in official order."""
        return [task for name, task in self.config.tasks.items() if not self.tasks or name in self.tasks]

    def chosen_splits(self) -> tuple[str, ...]:
        """The splits asked for."""
        return self.splits or self.config.default_splits

    def splits_of(self, task: TaskConfig) -> tuple[str, ...]:
        """Those of the splits asked for that a task has: not every task of a suite has all."""
        return tuple(split for split in self.chosen_splits() if split in task.splits)

    @property
    def run_count(self) -> int:
        """How many runs a suite that draws its prompts has, 0 for others."""
        return (self.runs or self.config.runs["count"]) if self.config.runs else 0

    @property
    def most(self) -> int:
        """Instances of a run at most, 0 for all, of a suite that draws its prompts."""
        most = self.most_drawn
        return min(self.limit or most, most) if most else self.limit

    @property
    def most_drawn(self) -> int:
        """The same before --limit takes of them."""
        return max(0, self.instances or self.config.runs["instances"])

    def chosen_arms(self) -> tuple[str, ...]:
        """The arms asked for."""
        return self.arms or (FULL,)

    def options_of(self, task: TaskConfig) -> dict[str, Any]:
        """The task's options with the user's values."""
        own = {
            path.partition(".")[2]: value
            for path, value in (self.options or {}).items()
            if path.startswith(f"{task.name}.")
        }
        return {**task.options, **own}

    @property
    def given(self) -> dict[str, Any]:
        """What the command line says of hosted models, over their tables."""
        names = ("context", "rpm", "tpm", "concurrency")
        tokenizer = {"tokenizer": self.tokenizer} if self.tokenizer else {}
        return {**{name: getattr(self, name) for name in names if getattr(self, name)}, **tokenizer}

    def to_json(self) -> dict[str, Any]:
        """As plain JSON, for a flow's parameters and the row of a run."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return plain


def _among(what: str, chosen: tuple[str, ...], known: list[str]) -> None:
    for name in chosen:
        if name not in known:
            raise UsageError(f"there is no {what} {name!r}; there are: {', '.join(known) or 'none'}")
