"""What a person or a schedule asks for, checked, with absolute locations: a worker elsewhere can act on it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scrollwork.models.table_keys import FRESHNESS, nearest_known
from scrollwork.pipeline.design import Design, design_of, designs
from scrollwork.pipeline.errors import UsageError
from scrollwork.records.prompt import CLOSED_BOOK, FULL
from scrollwork.storage.home import Home, is_remote
from scrollwork.suites.home_suites import suite_of_request
from scrollwork.suites.judging_models import ROLES, judged_suite, judges_of, labels_of
from scrollwork.suites.options import Inputs, Options, as_mapping, options_of
from scrollwork.suites.outside_systems import shown_name
from scrollwork.suites.suite_files import SAMPLE, Suite, TaskConfig, load_suite
from scrollwork.suites.tokenizers import adopt_tokenizer

NOTHING_COUNTED = "--tokenizer says how --max-input-tokens or --context counts"
KINDS = {bool: "true or false", int: "a whole number", str: "text", list: "a list"}


@dataclass(frozen=True)
class Request(Options):
    """A suite, absolute places, and the options (suites/options.py). suite: its name. suite_file: where it lies, of one
    that a person named by its file. store: "" for the home's own. run: a name under
    which is written down what is spent. of_design: the options of the suite's design, its `Options`. canary: only the
    few inputs that a night begins with are asked (flows/canary.py)."""

    suite: str
    home: str
    raw: str
    store: str = ""
    run: str = ""
    of_design: Any = None
    suite_file: str = ""
    canary: bool = False

    def __post_init__(self) -> None:
        for place in ("home", "raw"):
            if not getattr(self, place):
                raise UsageError(f"a request of {self.suite} has an empty {place}: name its folder")
        for name, one in options_of(Options).items():
            object.__setattr__(self, name, one.checked(getattr(self, name)))
        if self.of_design is None:
            object.__setattr__(self, "of_design", self.design.options())
        self._refuse_names()
        self._refuse_options()
        self._refuse_calls()
        self.design.check(self)

    def _refuse_names(self) -> None:
        """Raise UsageError for a task, split, model or set of prompts that the suite does not have."""
        suite = load_suite(self.suite_file or self.suite)
        if self.prompts:
            _among(f"set of prompts of {self.suite}", self.prompts, list(suite.prompts))
        shown = [shown_name(model) for model in self.models]
        if twice := next((name for name in shown if shown.count(name) > 1), ""):
            raise UsageError(f"two models would stand under the name {twice!r}")
        for name in self.tasks:
            _among("task", name, list(suite.tasks))
        if CLOSED_BOOK in self.arms and not any(task.asks for task in self.chosen_tasks()):
            names = ", ".join(task.name for task in suite.tasks.values() if task.asks)
            raise UsageError(f"only tasks with a question have a closed-book arm: {names}")
        splits = {split for task in self.chosen_tasks() for split in task.splits}
        for task in self.chosen_tasks():
            if not self.splits_of(task) or not splits.issuperset(self.chosen_splits()):
                for split in self.chosen_splits():
                    _among(f"split of {task.name}", split, list(task.splits))

    def _refuse_options(self) -> None:
        """Raise UsageError for an option that a task does not have, or a value of another type."""
        suite = load_suite(self.suite_file or self.suite)
        for path, value in (self.options or {}).items():
            task_name, _, option = path.partition(".")
            _among("task", task_name, list(suite.tasks))
            known = suite.tasks[task_name].options
            _among(f"option of {task_name}", option, list(known))
            if type(value) is not type(known[option]):
                kind, given = json.dumps(known[option]), json.dumps(value)
                raise UsageError(f"{path} must be {KINDS[type(known[option])]} as {kind} is, not {given}")

    def _refuse_calls(self) -> None:
        """Raise UsageError for options of models and calls that do not fit together."""
        if self.tokenizer and not (self.max_input_tokens or self.context or self.models):
            raise UsageError(f"{NOTHING_COUNTED}: give both")
        if self.batch and self.way not in (None, "batch"):
            raise UsageError(f"--batch and --way {self.way}: give one")
        if self.batch_wait is not None and not self.in_batches:
            raise UsageError("--batch-wait says how long --batch waits: give both")
        if self.fresh and not re.fullmatch(r"never|run|[1-9][0-9]{0,4}", self.fresh):
            raise UsageError(f"--fresh {self.fresh!r}: write {FRESHNESS}")
        if self.budget and not re.fullmatch(r"[0-9]+(\.[0-9]+)?", self.budget):
            raise UsageError(f"--budget {self.budget!r}: write dollars, such as 12.50")

    @classmethod
    def of(
        cls,
        suite: str,
        *,
        home: str,
        raw: str | None = None,
        sample: bool = False,
        store: str = "",
        run: str = "",
        **given: Any,
    ) -> Request:
        """A request with absolute locations. suite: a name, or the path of a file. raw: None for what was fetched into
        the home; sample: the bundled input, of the tasks that it has where none is named. given: options by name, those
        of the suite's design too."""
        place = Home.at(home, store)
        config = suite_of_request(place, suite)
        raw = options_of(Inputs)["raw"].checked(raw)
        if raw and sample:
            raise UsageError("--raw and --sample exclude each other")
        common, own = of_designs(config, given)
        if sample and not common.get("tasks"):
            common["tasks"] = config.in_sample
        adopt_names(common, place)
        folder = str(SAMPLE) if sample else whole_raw(raw) if raw else str(place.folder / "raw")
        if not is_remote(folder) and not Path(folder).is_dir():
            raise UsageError(f"{folder} has no raw files: try `scrollwork fetch`, --raw DIR or --sample")
        return cls(
            suite=config.name,
            suite_file=config.file,
            home=place.url,
            raw=folder,
            store=place.store,
            run=run,
            of_design=own,
            **common,
        )

    @property
    def design(self) -> Design:
        """The suite's."""
        return design_of(load_suite(self.suite_file or self.suite))

    @cached_property
    def judges(self) -> Mapping[str, Mapping[str, Any]]:
        """The tables of the models that judge answers, by role; empty where none does. Raises UsageError."""
        if not (self.faithfulness or self.coverage):
            return {}
        return judges_of(self)

    @cached_property
    def config(self) -> Suite:
        """The suite; where the request names judges, scored by them."""
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
    def in_batches(self) -> bool:
        """Whether hosted models are asked in batches."""
        return self.batch or self.way == "batch"

    @property
    def given(self) -> dict[str, Any]:
        """The command line's values for hosted models, which go over their tables."""
        names = ("context", "rpm", "tpm", "concurrency")
        tokenizer = {"tokenizer": self.tokenizer} if self.tokenizer else {}
        return {**{name: getattr(self, name) for name in names if getattr(self, name)}, **tokenizer}

    def to_json(self) -> dict[str, Any]:
        """As plain JSON, for a flow's parameters and the row of a run: places, and each option by its name."""
        places = {name: getattr(self, name) for name in ("suite", "suite_file", "home", "raw", "store", "run")}
        found: dict[str, Any] = json.loads(json.dumps({**places, **as_mapping(self), **as_mapping(self.of_design)}))
        return found


def whole_raw(raw: str) -> str:
    """The raw folder as a whole path, or its URL. Raises UsageError if there is no such folder, or for a URL with a
    password, which would be stored with the run."""
    if is_remote(raw):
        if urlsplit(raw).password is not None:
            raise UsageError("--raw has a password in its URL, and runs are stored with it: give it by the environment")
        return raw.rstrip("/")
    folder = Path(raw.removeprefix("file://")).expanduser().resolve()
    if not folder.is_dir():
        raise UsageError(f"--raw {raw}: there is no such folder")
    return str(folder)


def of_designs(suite: Suite, given: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """Split options by name: (those of all designs, the `Options` of the suite's own). Raises UsageError for an option
    of another design, TypeError for an unknown one."""
    common = {name: value for name, value in given.items() if name in options_of(Options)}
    rest = {name: value for name, value in given.items() if name not in common}
    own = design_of(suite)
    known = options_of(own.options)
    for design in designs().values():
        for name, one in options_of(design.options).items():
            if name not in known and one.is_set(rest.pop(name, None)):
                raise UsageError(f"{one.flag}: {suite.name} does not {design.does}")
    common, rest = own.complete_options(common, rest)
    if unknown := sorted(set(rest).difference(known)):
        raise TypeError(f"there is no option {unknown[0]!r}")
    return common, own.options(**{name: known[name].checked(value) for name, value in rest.items()})


def adopt_names(given: dict[str, Any], place: Home) -> None:
    """Replace names that may change their meaning by lasting ones: tokenizers and local checkpoints as the home names
    them, files by their whole path. Raises UsageError."""
    if given.get("models_file"):
        given["models_file"] = str(Path(given["models_file"]).resolve())
    if given.get("tokenizer"):
        given["tokenizer"] = adopt_tokenizer(given["tokenizer"], place)
    judging = [name for name in ROLES if given.get(name)]
    models = tuple(given.get("models") or ())
    if any(name.startswith("transformers:") for name in (*models, *(given[one] for one in judging))):
        from scrollwork.suites.checkpoints import adopt_name

        given["models"] = tuple(adopt_name(model, place) for model in models)
        given |= {name: adopt_name(given[name], place) for name in judging}


def _among(what: str, value: str, known: list[str]) -> None:
    if value not in known:
        there = f"there are: {', '.join(known) or 'none'}{nearest_known(value, list(known))}"
        raise UsageError(f"there is no {what} {value!r}; {there}")
