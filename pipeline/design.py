"""The contract of a design: what in the pipeline depends on the kind of experiment that a suite is.

A design is an object with the attributes and methods of `Design`. It is the constant DESIGN of a module of designs/ or
of an installed package.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, cast, get_type_hints

from scrollwork.pipeline.entry_points import (
    DESIGNS,
    checked_module,
    entry,
    installed_entry_points,
    package_of,
    refuse_old_names,
)
from scrollwork.pipeline.errors import UsageError

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain
    from scrollwork.pipeline.engines.inline import Finished
    from scrollwork.pipeline.plan import Labels, Node, Plan
    from scrollwork.suites.parts import Part
    from scrollwork.suites.request import Request
    from scrollwork.suites.suite_files import Suite, TaskConfig

RENAMED = {"further": "after_each_score", "together": "after_all_scores"}  # as of entry_points.py
Engine = Callable[["Plan"], "list[Finished]"]


class Design(Protocol):
    """How a suite's inputs become prompts, and what is computed from their scores.

    designs/fixed.py is the usual design; the others are subclasses of it. Stages do not know the design. It only
    chooses their parameters, modules and inputs.
    """

    @property
    def options(self) -> type:
        """The dataclass that declares the options of this design alone (suites/options.py)."""

    @property
    def group(self) -> str:
        """The heading over these options in `--help`."""

    @property
    def does(self) -> str:
        """What only its suites do: the end of the message "SUITE does not ..." about other suites."""

    def complete_options(
        self, common: Mapping[str, Any], own: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Fill in options that other options imply.

        common, own: the options given, by name: those that all designs have, and those of this design. Returns both in
        this order. Raises UsageError if an option is wrong.
        """

    def check(self, request: Request) -> None:
        """Raise UsageError for options of a request that contradict each other."""

    def command_words(self, request: Request) -> list[str]:
        """Return the command-line arguments that repeat the options of this design on which a built suite depends."""

    @property
    def modules(self) -> Mapping[str, str]:
        """Names of modules that read results of this design, by the command or page that needs them.

        Keys are such as "export hf", "estimate --strategies", "run --json" and "report: ranking".
        """

    @property
    def ranked(self) -> bool:
        """True if models are ranked. Then the stage `compare` computes no averages over the suite's tasks."""

    def shards(self, request: Request, task: TaskConfig) -> int:
        """Return into how many shards the prompts, answers and scores of a task are divided."""

    def shard_labels(self, request: Request, task: TaskConfig, shard: int) -> Labels:
        """Return labels that tell the nodes of one shard from those of others; () if none are needed.

        shard: its number, counted from 0.
        """

    def sample_labels(self, request: Request, shard: int) -> Labels:
        """Return labels that tell the sample of one shard from those of others; () if all shards share one sample."""

    def sample(self, chain: Chain, part: Part) -> Node:
        """Return the node that selects the benchmark's examples from the curated ones."""

    def samples(self, chain: Chain, part: Part) -> list[Node]:
        """Return the sample nodes of a task and split: one for all shards, or one for each shard."""

    def sizes(self, chain: Chain, part: Part) -> Node | None:
        """Return the node that measures the lengths of a whole data set, not of a sample; None if it is not needed."""

    def prompts(self, part: Part) -> Sequence[int] | None:
        """Return [shard, number of shards] if a shard's prompts are of a part of its sample; None if of all of it."""

    @property
    def curate(self) -> str:
        """Name of the module that turns raw files into rows."""

    @property
    def prompt(self) -> str:
        """Name of the module that makes prompts from examples."""

    @property
    def score(self) -> str:
        """Name of the module that scores answers, unless a model judges them."""

    @property
    def aggregate(self) -> str:
        """Name of the module that aggregates scores."""

    def after_each_score(self, chain: Chain, aggregated: Node) -> list[Node]:
        """Return the nodes that follow an aggregate (the score of a task and model), besides its judge node."""

    def after_all_scores(
        self, chain: Chain, scored: Sequence[Node], failures: Sequence[Mapping[str, str]]
    ) -> list[Node]:
        """Return the nodes that follow all aggregates, in addition to the node `compare`.

        scored: the aggregates that exist. failures: one entry for each aggregate that could not be built.
        """

    def finish_partial(self, chain: Chain, finished: Sequence[Finished], engine: Engine) -> list[Finished]:
        """Build nodes that were skipped but can do without their failed inputs. Return how all nodes ended then.

        finished: how the nodes ended before. engine: builds the nodes of a plan.
        """

    def units(self, task: TaskConfig) -> Any:
        """Return the units into which a task's contexts are divided for windows; None if contexts are shown whole."""

    def reply_parameters(self, task: TaskConfig, texts: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return parameters of the stage that reads answers out of replies. texts: the task's prompt texts, by name."""

    def column(self, task: TaskConfig, asked: bool) -> Mapping[str, Any] | None:
        """Return what this design adds to a task's column in a report; None if the task has no column.

        asked: True if the task was requested.
        """

    @property
    def sections(self) -> Sequence[str]:
        """Names of the modules of further sections, in the order of the page (reporting/page/sections.py)."""

    def page(self, suite: Suite) -> Mapping[str, Any]:
        """Return what this design adds to the suite's description in a report."""

    def refuse_ids(self, suite: Suite, what: str, runs: bool = False) -> None:
        """Raise UsageError if an example id alone does not identify an input of the suite.

        what: what has only ids, for the message: a command that writes such a file, or the file. runs: True if the
        format also has a field for the run.
        """

    def caution(self, request: Request) -> str:
        """Return the warning to print before hosted models are asked without a budget; "" for none."""

    def remarks(self, request: Request, tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
        """Return lines to print after the leaderboard of a run. tables: rows as mappings, by the name of the table."""

    def overview(self, suite: str, task: str) -> Mapping[str, Any]:
        """Return what this design adds to a task on the page of `build`."""


def reader_of(suite: Suite, what: str) -> Any:
    """Import and return the module of the suite's design for `what`, a key that some design has in `Design.modules`.

    Raises UsageError if the suite's own design does not have it.
    """
    found = design_of(suite).modules.get(what)
    if found is None:
        does = next(design.does for design in designs().values() if what in design.modules)
        raise UsageError(f"{what.partition('estimate ')[2] or what}: {suite.name} does not {does}")
    return importlib.import_module(found)


@cache
def designs() -> Mapping[str, Design]:
    """Return all designs by name: ours, then those of installed packages.

    A package's design is left out if it has the name of one of ours. It is also left out if it cannot be used, so that
    it breaks no command that does not name it; `packaged_design` raises the error.
    """
    found = dict(own_designs())
    for name in installed_entry_points(DESIGNS):
        if name not in found:
            with suppress(UsageError):
                found[name] = packaged_design(name)
    return found


@cache
def own_designs() -> Mapping[str, Design]:
    """Return the designs of the folder designs/, by name."""
    package = importlib.import_module("scrollwork.designs")
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    return {name: cast("Design", importlib.import_module(f"scrollwork.designs.{name}").DESIGN) for name in names}


@cache
def packaged_design(name: str) -> Design:
    """Return the design of that name that an installed package brings.

    Names of its options must begin with its own name, so that they cannot be those of another design. Raises UsageError
    if there is no such design, if several packages bring one, or if it cannot be used.
    """
    found = entry(DESIGNS, name)
    if found is None:
        there = ", ".join({**own_designs(), **installed_entry_points(DESIGNS)})
        raise UsageError(f"there is no design {name!r}; there are: {there}")
    said = f"design {name!r}"
    module = importlib.import_module(checked_module(DESIGNS, found, said))
    design, said = module.DESIGN, f"{said} (entry point of {package_of(found)}): DESIGN of {module.__file__}"
    if lacks := [one for one in vars(Design) if not one.startswith("_") and not hasattr(design, one)]:
        raise UsageError(f"{said} lacks {', '.join(lacks)}: build on scrollwork.designs.fixed.Fixed")
    refuse_old_names(RENAMED, design, said)
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
    """Return the design that a suite file names.

    Raises UsageError if there is none of that name, or if it cannot be used.
    """
    own = own_designs().get(suite.design)
    if own is not None:
        return own
    try:
        return packaged_design(suite.design)
    except UsageError as error:
        raise UsageError(f"suite {suite.name}: {error}") from error
