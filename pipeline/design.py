"""The contract of a design: which parts of the pipeline depend on the kind of experiment that a suite is. A design is a
module of designs/ or of an installed package."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, cast, get_type_hints

from scrollwork.pipeline.entry_points import DESIGNS, checked_module, entry, installed_entry_points, package_of
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
    """How a suite's inputs become prompts, and what is computed from their scores. `designs/fixed.py` is the usual one,
    on which the others build. Stages do not know the design: it only chooses their parameters, modules and inputs."""

    @property
    def options(self) -> type:
        """The options of this design alone: a dataclass of declarations (suites/options.py)."""

    @property
    def group(self) -> str:
        """The heading over these options in `--help`."""

    @property
    def does(self) -> str:
        """What only its suites do, to end the message "SUITE does not ..."."""

    def complete_options(
        self, common: Mapping[str, Any], own: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """(options of all designs, options of this design) by name, with options filled in that others imply. Raises
        UsageError."""

    def check(self, request: Request) -> None:
        """Raise UsageError for options of a request that contradict each other."""

    def command_words(self, request: Request) -> list[str]:
        """Command-line arguments that repeat the options of this design on which a built suite depends."""

    @property
    def modules(self) -> Mapping[str, str]:
        """Modules that read results of this design, by the command that needs them: "export hf", "estimate
        --strategies", ..."""

    @property
    def ranked(self) -> bool:
        """Whether the leaderboard ranks models; if not, it shows each model's average over the suite's tasks."""

    def shards(self, request: Request, task: TaskConfig) -> int:
        """The number of shards of a task's prompts, answers and scores."""

    def shard_labels(self, request: Request, task: TaskConfig, shard: int) -> Labels:
        """Labels that distinguish the nodes of one shard; none where there is a single shard."""

    def sample_labels(self, request: Request, shard: int) -> Labels:
        """Labels that distinguish the sample of one shard; none where all shards share one sample."""

    def sample(self, chain: Chain, part: Part) -> Node:
        """The node that selects the benchmark's examples from the curated ones."""

    def samples(self, chain: Chain, part: Part) -> list[Node]:
        """The sample nodes of a task and split, one or one a shard."""

    def sizes(self, chain: Chain, part: Part) -> Node | None:
        """The node that measures lengths of a whole data set before examples are sampled; None where none is needed."""

    def prompts(self, part: Part) -> Sequence[int] | None:
        """[shard, number of shards] where a shard has the prompts of a part of a sample; None for the whole sample."""

    @property
    def curate(self) -> str:
        """The module that turns raw files into rows."""

    @property
    def prompt(self) -> str:
        """The module that makes prompts from examples."""

    @property
    def score(self) -> str:
        """The module that scores answers where no model judges them."""

    @property
    def aggregate(self) -> str:
        """The module that aggregates scores."""

    def further(self, chain: Chain, aggregated: Node) -> list[Node]:
        """Further nodes after an aggregate, in addition to its judge node."""

    def together(self, chain: Chain, scored: Sequence[Node], failures: Sequence[Mapping[str, str]]) -> list[Node]:
        """Further nodes after all aggregates, in addition to compare. failures: of tasks without an aggregate."""

    def finish_partial(self, chain: Chain, finished: Sequence[Finished], engine: Engine) -> list[Finished]:
        """How nodes ended, after building those that can do without their failed inputs."""

    def units(self, task: TaskConfig) -> Any:
        """The units into which contexts of the task are divided for windows; None where contexts are shown whole."""

    def reply_parameters(self, task: TaskConfig, texts: Mapping[str, Any]) -> Mapping[str, Any]:
        """Parameters of the stage that parses answers out of replies. texts: the task's prompt texts."""

    def column(self, task: TaskConfig, asked: bool) -> Mapping[str, Any] | None:
        """What this design adds to a task's column in a report; None for a task without a column."""

    @property
    def sections(self) -> Sequence[str]:
        """Modules of the page's further sections, in page order (reporting/page/sections.py)."""

    def page(self, suite: Suite) -> Mapping[str, Any]:
        """What this design adds to the suite's description in a report."""

    def refuse_ids(self, suite: Suite, what: str, runs: bool = False) -> None:
        """Raise UsageError where an example id alone does not identify an input. what: the file format that has only
        ids. runs: whether that format also has a field for the run."""

    def caution(self, request: Request) -> str:
        """The warning to print before hosted models are asked without a budget; "" for none."""

    def remarks(self, request: Request, tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
        """Lines to print with the leaderboard of a run. tables: rows of the design's further stages, by stage."""

    def overview(self, suite: str, task: str) -> Mapping[str, Any]:
        """What this design adds to a task on the page of a build."""


def reader_of(suite: Suite, what: str) -> Any:
    """Import the module of the suite's design for `what`, a key of some design's `modules`. Raises UsageError if it is
    none of this design's."""
    found = design_of(suite).modules.get(what)
    if found is None:
        does = next(design.does for design in designs().values() if what in design.modules)
        raise UsageError(f"{what.partition('estimate ')[2] or what}: {suite.name} does not {does}")
    return importlib.import_module(found)


@cache
def designs() -> Mapping[str, Design]:
    """All designs by name: ours, then those of installed packages. A package whose design cannot be used is left out,
    so that it breaks no command that does not name it; `packaged_design` raises for it."""
    found = dict(own_designs())
    for name in installed_entry_points(DESIGNS):
        if name not in found:
            with suppress(UsageError):
                found[name] = packaged_design(name)
    return found


@cache
def own_designs() -> Mapping[str, Design]:
    """The designs of the folder designs/, by name."""
    package = importlib.import_module("scrollwork.designs")
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    return {name: cast("Design", importlib.import_module(f"scrollwork.designs.{name}").DESIGN) for name in names}


@cache
def packaged_design(name: str) -> Design:
    """The design of that name that an installed package brings. Raises UsageError where there is none, or it cannot be
    used. Its options must begin with its name, so that they cannot collide with those of another design."""
    found = entry(DESIGNS, name)
    if found is None:
        there = ", ".join({**own_designs(), **installed_entry_points(DESIGNS)})
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
    """The design that a suite file names. Raises UsageError where there is none of that name."""
    own = own_designs().get(suite.design)
    if own is not None:
        return own
    try:
        return packaged_design(suite.design)
    except UsageError as error:
        raise UsageError(f"suite {suite.name}: {error}") from error
