"""The contract of a design: what of the pipeline differs with a suite's experiment. Each is a module of designs/,
or of an installed package."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, cast, get_type_hints

from scrollwork.pipeline.entry_points import DESIGNS, checked_module, entry, installed, package_of
from scrollwork.pipeline.errors import UsageError

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain
    from scrollwork.pipeline.engines.inline import Finished
    from scrollwork.pipeline.plan import Labels, Node, Plan
    from scrollwork.suites.parts import Part
    from scrollwork.suites.request import Request
    from scrollwork.suites.suite_files import Suite, TaskConfig

Engine = Callable[["Plan"], "list[Finished]"]


class Design(Protocol):
    """How a suite's inputs become prompts, and what is made of their scores. `designs/fixed.py` is the usual one, on
    which the others build. Stages know none: what a design chooses for them are parameters, bodies and inputs."""

    @property
    def options(self) -> type:
        """The options of this design alone: a dataclass of declarations (suites/options.py)."""

    @property
    def group(self) -> str:
        """The heading over these options in `--help`."""

    @property
    def does(self) -> str:
        """What its suites do and others do not, as the end of "SUITE does not ..."."""

    def completed(self, common: Mapping[str, Any], own: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Options of all designs and its own, by name, with what one of them says of others filled in. Raises
        UsageError."""

    def check(self, request: Request) -> None:
        """Raise UsageError for options of a request that do not fit together."""

    def words(self, request: Request) -> list[str]:
        """The words of a command that set what a built suite depends on of its own options again."""

    @property
    def modules(self) -> Mapping[str, str]:
        """Modules that read results, by what they read, where the design has them: "export hf", "estimate
        --strategies", ..."""

    @property
    def ranked(self) -> bool:
        """Whether models are ranked; else each has an average over the suite's tasks."""

    def shards(self, request: Request, task: TaskConfig) -> int:
        """In how many shards prompts come, and what follows from them."""

    def shard_labels(self, request: Request, task: TaskConfig, shard: int) -> Labels:
        """What tells a shard's nodes from those of the others; nothing where there is one."""

    def sample_labels(self, request: Request, shard: int) -> Labels:
        """What tells a shard's sample from those of the others; nothing where all shards have one."""

    def sample(self, chain: Chain, part: Part) -> Node:
        """The stage that makes the benchmark's examples of curated ones."""

    def samples(self, chain: Chain, part: Part) -> list[Node]:
        """All samples of a task and split."""

    def sizes(self, chain: Chain, part: Part) -> Node | None:
        """What is counted of a data set before the benchmark's examples are taken of it; None for nothing."""

    def prompts(self, part: Part) -> Sequence[int] | None:
        """[shard, of how many] where a shard's prompts are a part of the sample's; None where they are all of it."""

    @property
    def curate(self) -> str:
        """The module that turns raw files into rows."""

    @property
    def prompt(self) -> str:
        """The module that makes prompts of examples."""

    @property
    def score(self) -> str:
        """The module that scores answers, where no models judge them."""

    @property
    def aggregate(self) -> str:
        """The module that aggregates."""

    def further(self, chain: Chain, aggregated: Node) -> list[Node]:
        """Stages behind each aggregate, beside what is judged of it."""

    def together(self, chain: Chain, scored: Sequence[Node], failures: Sequence[Mapping[str, str]]) -> list[Node]:
        """Stages behind all aggregates, beside their comparison. failures: of tasks that have none."""

    def ended(self, chain: Chain, finished: Sequence[Finished], engine: Engine) -> list[Finished]:
        """How stages ended, once those are made that can do without inputs that failed."""

    def units(self, task: TaskConfig) -> Any:
        """What contexts of the task's examples are made of, where they are shown in parts; None where they are not."""

    def reading(self, task: TaskConfig, texts: Mapping[str, Any]) -> Mapping[str, Any]:
        """Parameters of the stage that reads answers out of replies. texts: of the task's prompts."""

    def column(self, task: TaskConfig, asked: bool) -> Mapping[str, Any] | None:
        """What a report is told of a task beside what all designs tell; None for one that gets no column."""

    @property
    def sections(self) -> Sequence[str]:
        """Modules of what a page shows beside the scores, as they stand in it (reporting/page/sections.py)."""

    def page(self, suite: Suite) -> Mapping[str, Any]:
        """What a report is told of the suite beside what all designs tell."""

    def refuse_ids(self, suite: Suite, what: str, runs: bool = False) -> None:
        """Raise UsageError where an id alone does not say which input is meant. what: a format that names inputs so.
        runs: one that has a place for a run."""

    def caution(self, request: Request) -> str:
        """What a person is told before hosted models are asked without a budget; "" for nothing."""

    def remarks(self, request: Request, tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
        """What a person is told beside the leaderboard of a run. tables: rows of the design's further stages."""

    def overview(self, suite: str, task: str) -> Mapping[str, Any]:
        """What the page of a build is told of a task beside what all designs tell."""


def reader_of(suite: Suite, what: str) -> Any:
    """The module of the suite's design that reads results for `what`, a key of its `modules`. Raises UsageError."""
    found = design_of(suite).modules.get(what)
    if found is None:
        does = next(design.does for design in designs().values() if what in design.modules)
        raise UsageError(f"{what.partition('estimate ')[2] or what}: {suite.name} does not {does}")
    return importlib.import_module(found)


@cache
def designs() -> Mapping[str, Design]:
    """All designs by name: ours first, then those of installed packages, but for what is no design (`packaged_design`
    says why): a package that nobody asks for ends no command."""
    found = dict(own_designs())
    for name in installed(DESIGNS):
        if name not in found:
            with suppress(UsageError):
                found[name] = packaged_design(name)
    return found


@cache
def own_designs() -> Mapping[str, Design]:
    """Ours: the modules of designs/."""
    package = importlib.import_module("scrollwork.designs")
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    return {name: cast("Design", importlib.import_module(f"scrollwork.designs.{name}").DESIGN) for name in names}


@cache
def packaged_design(name: str) -> Design:
    """The design of that name that an installed package brings. Raises UsageError where there is none, or it cannot be
    used. Its options begin with its name, so that no other design, and none to come, has an option of that name."""
    found = entry(DESIGNS, name)
    if found is None:
        there = ", ".join({**own_designs(), **installed(DESIGNS)})
        raise UsageError(f"there is no design {name!r}; there are: {there}")
    said = f"design {name!r}"
    module = importlib.import_module(checked_module(DESIGNS, found, said))
    design, said = module.DESIGN, f"{said} (entry point of {package_of(found)}): DESIGN of {module.__file__}"
    if lacks := [one for one in vars(Design) if not one.startswith("_") and not hasattr(design, one)]:
        raise UsageError(f"{said} lacks {', '.join(lacks)}: build on scrollwork.designs.fixed.Fixed")
    try:
        options = fields(design.options)
        get_type_hints(design.options)
    except (TypeError, NameError) as error:
        raise UsageError(f"{said}: options must be a dataclass ({error})") from error
    begins = name.replace("-", "_") + "_"
    for one in options:
        if not one.name.startswith(begins) or one.metadata.get("option", {}).get("flag"):
            flag = "--" + begins.replace("_", "-")
            raise UsageError(f"{said}: option {one.name!r} must be named {begins}..., and its flag {flag}... by itself")
    return cast("Design", design)


def design_of(suite: Suite) -> Design:
    """The design that a suite file names. Raises UsageError for one that there is not."""
    own = own_designs().get(suite.design)
    if own is not None:
        return own
    try:
        return packaged_design(suite.design)
    except UsageError as error:
        raise UsageError(f"suite {suite.name}: {error}") from error
