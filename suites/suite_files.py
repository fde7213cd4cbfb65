"""Suite files: what differs between benchmarks and their tasks, as data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from scrollwork.models.table_keys import BadValue, Place, unknown_key
from scrollwork.pipeline.entry_points import DATASETS, METRICS
from scrollwork.pipeline.errors import UsageError
from scrollwork.scoring.names import JUDGED, MODULES
from scrollwork.suites.plugins import (
    absolute_suite,
    extend_suite,
    installed_path,
    is_path,
    parse_suite,
    read_suite_file,
    refuse_bad_names,
    resolve_name,
)
from scrollwork.suites.suite_keys import DOCUMENTS, EXTENDING, EXTENDS, SUITE, TEMPLATE

CONFIG = Path(__file__).resolve().parents[1] / "config"
SAMPLE = Path(__file__).resolve().parents[1] / "sample" / "raw"


@cache
def data_sets() -> list[str]:
    """The names of our data sets: modules of preprocessing/datasets that have `curate`."""
    files = (CONFIG.parent / "preprocessing" / "datasets").glob("*.py")
    return sorted(file.stem for file in files if "\ndef curate(" in file.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class TaskConfig:
    """One [task.NAME] table; its fields are explained at the head of the suite file. judges: by role, the checkpoints
    that score it in a request (suites/judging_models.py). windows: of a suite that observes its problems through them
    (dolce.toml)."""

    name: str
    dataset: str
    short: str
    kind: str
    metric: str
    max_new_tokens: int
    template: Mapping[str, Any]
    splits: Mapping[str, str]
    raw: Mapping[str, tuple[str, ...]]
    options: Mapping[str, Any]
    sample: Mapping[str, Any]
    paper: Mapping[str, Any]
    seeded: bool
    one_source: bool
    shards: int
    query_ends: str
    mention_ids: tuple[int, int] = (0, 0)
    proxy: str = ""
    empty_answer: str = ""
    judged: Mapping[str, str] = field(default_factory=dict)
    judges: Mapping[str, str] = field(default_factory=dict)
    windows: Mapping[str, Any] = field(default_factory=dict)
    subset: str = ""

    @property
    def asks(self) -> bool:
        """Whether the task asks something that could be answered without its document: it has a closed-book arm."""
        return self.template["kind"] in ("qa", "nli")

    @property
    def granularities(self) -> list[Mapping[str, Any]]:
        """The ways in which contexts are split into units, the task's own first; none where it does not observe
        windows."""
        return [self.windows, *self.windows.get("other", ())] if self.windows else []

    def observed(self, units: str = "") -> Mapping[str, Any]:
        """How contexts are observed: {units, lengths, full, more} of a granularity, "" for the task's own. Raises
        ValueError for one that it does not have."""
        for one in self.granularities:
            if units in ("", one["units"]):
                return {name: one[name] for name in ("units", "lengths", "full", "more") if name in one}
        known = ", ".join(one["units"] for one in self.granularities)
        raise ValueError(f"{self.name} has no units {units!r}; it has: {known or 'none'}")


@dataclass(frozen=True)
class Suite:
    """A benchmark: its tasks in official order. design: its experiment, a module of designs/. runs: of a suite that
    draws its prompts anew in each run, how many there are (count), demonstrations (shots) and instances of a run; else
    empty. in_sample: the tasks that the bundled sample has, where these are not all. extends: the suite to whose tasks
    it adds others, "" for none. text: of the suite file, of one that is not ours; file: its path, where that was named.
    """

    name: str
    title: str
    default_splits: tuple[str, ...]
    seed: int
    chat_sentence: str
    truncation: str
    validation_size: int
    temperature: float
    citation: str
    release: tuple[str, ...]
    tasks: Mapping[str, TaskConfig]
    prompts: Mapping[str, Mapping[str, Any]]
    submission: str
    submission_order: tuple[str, ...]
    design: str = "fixed"
    runs: Mapping[str, int] = field(default_factory=dict)
    in_sample: tuple[str, ...] = ()
    extends: str = ""
    text: str = ""
    file: str = ""

    @property
    def ours(self) -> bool:
        """Whether it is bundled with scrollwork."""
        return not self.text

    @property
    def published(self) -> str:
        """The suite whose paper's numbers are shown for its tasks."""
        return self.extends or self.name

    @property
    def official(self) -> tuple[str, ...]:
        """The tasks that its average is taken over: all except those that it adds to another suite's."""
        return self.submission_order if self.extends else tuple(self.tasks)

    def truncation_of(self, prompts: str | None = None) -> str:
        """How prompts of a set are cut where the model's table does not say."""
        return str(self.prompts[prompts].get("truncation", self.truncation)) if prompts else self.truncation

    def template(self, task: TaskConfig, prompts: str | None = None) -> dict[str, Any]:
        """The strings of a task's prompts: the suite's own, or those of a set of `prompts` over them."""
        if not prompts:
            return dict(task.template)
        chosen = self.prompts[prompts]
        layout = {"layout": chosen["layout"]} if "layout" in chosen else {}
        return {**task.template, **layout, **chosen.get("task", {}).get(task.name, {})}

    def new_tokens(self, task: TaskConfig, prompts: str | None = None) -> int:
        """How long an answer may be: as the task has it, or a set of `prompts` for it."""
        longer = self.prompts[prompts].get("max_new_tokens", {}) if prompts else {}
        return int(longer.get(task.name, task.max_new_tokens))


def load_suite(suite: str) -> Suite:
    """The suite of that name, of scrollwork or of an installed package, or in the file of that path; read once a
    process. Raises UsageError listing what there is."""
    return _load(absolute_suite(suite))


def fresh_suite(suite: str) -> Suite:
    """As `load_suite`, but a user's own file is read anew."""
    if is_path(suite):
        _load.cache_clear()
    return load_suite(suite)


def bundled_suites() -> list[str]:
    """The suites that scrollwork brings."""
    return sorted(file.stem for file in (CONFIG / "suites").glob("*.toml"))


@cache
def _load(suite: str) -> Suite:
    ours = bundled_suites()
    if suite in ours:
        path = CONFIG / "suites" / f"{suite}.toml"
        return _suite(path.name, parse_suite(path.name, path.read_text(encoding="utf-8")), "", "")
    if is_path(suite):
        text, data = read_suite_file(Path(suite))
        return suite_of(suite, text, data, suite)
    path = installed_path(suite, ours)
    text, data = read_suite_file(path)
    if data.get("name") != suite:
        raise UsageError(f"{path}: name must be that of its entry point, {suite!r}, not {data.get('name')!r}")
    return suite_of(str(path), text, data, "")


def suite_of(where: str, text: str, data: dict[str, Any], file: str) -> Suite:
    """The suite of a file's text that is not ours. where: for messages. Raises UsageError."""
    refuse_bad_tables(where, data)
    refuse_bad_names(where, data, bundled_suites())
    return _suite(where, data, text, file)


def _suite(where: str, data: dict[str, Any], text: str, file: str) -> Suite:
    """The suite of checked tables."""
    base = str(data.get(EXTENDS, ""))
    if base:
        data = extend_suite(where, data, _tables(base, where))
    else:
        refuse_bad_tables(where, data)
    return Suite(
        name=data["name"],
        title=data["title"],
        default_splits=tuple(data["default_splits"]),
        seed=data["seed"],
        chat_sentence=data.get("chat_sentence", ""),
        truncation=data["truncation"],
        validation_size=data.get("validation_size", 0),
        temperature=data["temperature"],
        prompts=data.get("prompts", {}),
        citation=data.get("citation", ""),
        release=tuple(data.get("release", ())),
        submission=data.get("submission", f"{data['name']}_predictions.csv"),
        submission_order=tuple(data.get("submission_order", data["task"])),
        design=data.get("design", "fixed"),
        runs=data.get("runs", {}),
        in_sample=tuple(data.get("in_sample", ())),
        tasks={task: _task(task, table, data.get("layout"), where) for task, table in data["task"].items()},
        extends=base,
        text=text,
        file=file,
    )


def _tables(name: str, where: str) -> dict[str, Any]:
    """The tables of a suite that another one extends, by its name. Raises UsageError."""
    if is_path(name):
        raise UsageError(
            f"{where}: extends names a suite, {', '.join(bundled_suites())} or one of an installed package"
        )
    ours = name in bundled_suites()
    path = CONFIG / "suites" / f"{name}.toml" if ours else installed_path(name, bundled_suites())
    data = read_suite_file(path)[1]
    refuse_bad_tables(str(path), data)
    if EXTENDS in data:
        raise UsageError(f"{where}: extends {name!r}, which extends {data[EXTENDS]!r} itself")
    return data


def refuse_bad_tables(file: str, data: Mapping[str, Any]) -> None:
    """Raise UsageError, naming file, table and key, for a key of a suite file that nothing reads, one that lacks, or a
    value that it cannot have."""
    try:
        (EXTENDING if EXTENDS in data else SUITE).check(Place(file), "", data)
    except BadValue as error:
        raise UsageError(str(error)) from None
    sets = data.get("prompts", {})
    layouts = {"layout": data.get("layout"), **{f"[prompts.{name}]: layout": sets[name].get("layout") for name in sets}}
    for where, layout in layouts.items():
        if layout is not None and DOCUMENTS not in [piece for group in layout for piece in group]:
            raise UsageError(
                f"{file}: {where} has no {DOCUMENTS!r}: prompts hold what is asked about (--arm closed-book leaves it "
                "out of those of questions)"
            )


def refuse_unknown_keys(where: str, table: Mapping[str, Any], known: frozenset[str]) -> None:
    """Raise UsageError for a key of a table of a configuration file that nothing reads."""
    for key in table:
        if key not in known:
            raise UsageError(f"{where}: {unknown_key(key, sorted(known))}")


def _task(name: str, table: Mapping[str, Any], layout: list[list[str]] | None, file: str) -> TaskConfig:
    where = f"{file}: [task.{name}]"
    return TaskConfig(
        name=name,
        dataset=resolve_name(DATASETS, table["dataset"], data_sets(), where),
        short=table["short"],
        kind=table["kind"],
        metric=resolve_name(METRICS, table["metric"], (*MODULES, *JUDGED), where),
        max_new_tokens=table["max_new_tokens"],
        template={
            **{field: table[field] for field in ("kind", *TEMPLATE) if field in table},
            **({"layout": layout} if layout else {}),
        },
        splits=table["splits"],
        raw={role: tuple(patterns) for role, patterns in table["raw"].items()},
        options=table.get("options", {}),
        sample=table.get("sample", {}),
        paper=table.get("paper", {}),
        seeded=table.get("seeded", False),
        one_source=table.get("one_source", False),
        shards=table.get("shards", 1),
        query_ends=table.get("query_ends", ""),
        mention_ids=tuple(table.get("mention_ids", (0, 0))),
        proxy=table.get("proxy", ""),
        empty_answer=table.get("empty_answer", ""),
        judged=table.get("judged", {}),
        windows=table.get("windows", {}),
        subset=table.get("subset", ""),
    )


@cache
def load_published(suite: str) -> Mapping[str, Any]:
    """config/published/SUITE.toml: tables of the paper, for reference rows; empty where there is none."""
    path = CONFIG / "published" / f"{suite}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def paper_sizes(suite: str, task: TaskConfig, split: str) -> dict[str, Any]:
    """What the paper's table of data sets prints for a split of a task: examples or rows (one a reference), words_in
    (their mean); what it does not print, or prints of all splits only (`paper_means`), is absent."""
    sizes = load_published(suite).get("corpus", {}).get(task.name)
    if sizes is None:
        names = {"examples": "examples", "mean_words": "words_in"}
        return {names[name]: value for name, value in task.paper.items() if name in names and split == "test"}
    return {name: sizes[name][split] for name in ("examples", "rows") if split in sizes.get(name, {})}


def paper_means(suite: str, task: str) -> dict[str, float]:
    """The means that the paper prints over all splits of a task: words_in, words_out (SCROLLS, table 1); empty where it
    prints none."""
    sizes = load_published(suite).get("corpus", {}).get(task, {})
    return {name: sizes[name] for name in ("words_in", "words_out") if name in sizes}


def data_set_sizes(suite: str, task: str) -> dict[str, Any]:
    """Return what the paper prints of a task's whole data set, over all splits: samples, and means of documents,
    tokens_in, tokens_out; empty where it has no such table."""
    sizes = load_published(suite).get("data", {}).get(task, {})
    return {name: sizes[name] for name in ("samples", "documents", "tokens_in", "tokens_out") if name in sizes}


def load_models(own_file: str | None = None) -> dict[str, dict[str, Any]]:
    """The tables of config/models.toml, with those of the user's own file in their place; one without a provider is put
    over ours of that name, key by key (a price). Raises UsageError."""
    tables: dict[str, dict[str, Any]] = tomllib.loads((CONFIG / "models.toml").read_text(encoding="utf-8"))
    for name, table in own_models(own_file).items():
        tables[name] = table if "provider" in table else {**tables.get(name, {}), **table}
    return tables


def own_models(own_file: str | None) -> dict[str, dict[str, Any]]:
    """The tables of the user's own file, none where there is no file. Raises UsageError."""
    if not own_file:
        return {}
    try:
        own = tomllib.loads(Path(own_file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"--models {own_file}: {error}") from error
    for name, table in own.items():
        if not isinstance(table, dict):
            raise UsageError(f"--models {own_file}: {name} must be a table, [{name}]")
    return own
