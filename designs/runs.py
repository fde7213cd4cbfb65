"""Prompts are drawn anew in each of several runs, and models are ranked by the runs' scores: SEAM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from scrollwork.designs.fixed import Fixed
from scrollwork.pipeline.errors import UsageError
from scrollwork.suites.options import check_choice, option, options_of, words

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain
    from scrollwork.pipeline.design import Design
    from scrollwork.pipeline.plan import Labels, Node
    from scrollwork.suites.parts import Part
    from scrollwork.suites.request import Request
    from scrollwork.suites.suite_files import Suite, TaskConfig
    from scrollwork.tasks.sample.runs import Drawing

GROUP = "prompts drawn anew in runs (seam)"


@dataclass(frozen=True)
class Options:
    """The number of runs, and what each run draws."""

    runs: int | None = option(None, "runs (default: the suite's, 10)", group=GROUP, metavar="N", least=1)
    instances: int | None = option(
        None, "instances of a run at most (default: the suite's, 100; -1: all)", group=GROUP, metavar="N", least=-1
    )
    shots: int | None = option(
        None, "demonstrations in a prompt (default: the suite's, 3)", group=GROUP, metavar="K", least=0
    )
    draws: str | None = option(
        None,
        "official draws all in one stream, as the official code does",
        group=GROUP,
        choices=("official",),
    )
    vary: tuple[str, ...] = option(
        (),
        "only this differs between runs: instruction, document-order, shots, shot-order, instances, mention-ids, or "
        "generation, nothing but the model's own draws (default: all)",
        group=GROUP,
        metavar="VARIABLE",
    )
    config: str | None = option(
        None, "the official code's configuration (JSON) in place of these", group=GROUP, metavar="FILE"
    )


class Runs(Fixed):
    """A run is a shard with a sample of its own."""

    options = Options
    group = GROUP
    does = "draw its prompts anew in runs"
    modules = {  # noqa: RUF012
        "export hf": "scrollwork.exchange.runs.hf_rows",
        "export prompts": "scrollwork.exchange.runs.manifest_files",
        "report: ranking": "scrollwork.readings.runs.home_ranking",
        "run --json": "scrollwork.readings.runs.ranking_json",
    }
    ranked = True
    prompt = "scrollwork.tasks.prompt.runs"
    aggregate = "scrollwork.tasks.aggregate.runs"
    sections = (*Fixed.sections, "scrollwork.tasks.report.runs")

    def complete_options(
        self, common: Mapping[str, Any], own: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Fill in what --config states and nothing else sets. Raises UsageError."""
        common, own = dict(common), dict(own)
        file = options_of(Options)["config"].checked(own.pop("config", None))
        if file is not None:
            from scrollwork.preprocessing.runs.official_config import read_config

            try:
                found = read_config(file)
            except (OSError, ValueError) as error:
                raise UsageError(f"--config {file}: {error}") from error
            for name, value in found.items():
                place = common if name in ("seed", "tasks") else own
                if place.get(name) in (None, (), []):
                    place[name] = value
        return common, own

    def check(self, request: Request) -> None:
        """Raise UsageError for options that do not fit together."""
        own: Options = request.of_design
        if lacking := [name for name in ("count", "shots", "instances") if name not in request.config.runs]:
            raise UsageError(f'suite {request.suite}: [runs] lacks {", ".join(lacking)}, which design = "runs" needs')
        for task in request.chosen_tasks():
            if "block" not in request.config.template(task, request.prompts):
                raise UsageError(
                    f"suite {request.suite}: [task.{task.name}] lacks block, how a prompt shows an example, which "
                    'design = "runs" needs (config/suites/seam.toml)'
                )
        if own.instances == 0:
            raise UsageError("--instances must be 1 or more, or -1 for all, not 0")
        if own.vary:
            from scrollwork.preprocessing.runs.draws import GENERATION, VARIABLES

            for variable in own.vary:
                check_choice("variable of --vary", variable, (*VARIABLES, GENERATION))
        if own.draws and own.vary:
            raise UsageError("--vary holds other variables fixed, which one stream (--draws official) cannot")

    def command_words(self, request: Request) -> list[str]:
        """Return the number of runs, also where it is the suite's own."""
        own = replace(request.of_design, runs=count_of(request))
        return [*words(own), *(["--prompts", request.prompts] if request.prompts else [])]

    def shards(self, request: Request, task: TaskConfig) -> int:
        """Return the number of runs."""
        return count_of(request)

    def shard_labels(self, request: Request, task: TaskConfig, shard: int) -> Labels:
        """Return the label of the run, counted from 0."""
        return (("run", str(shard)),)

    def sample_labels(self, request: Request, shard: int) -> Labels:
        """Return the label of the run, which has a sample of its own."""
        return (("run", str(shard)),)

    def sample(self, chain: Chain, part: Part) -> Node:
        """Return the node that draws for one run; under --draws official, after all that the official random stream
        draws before it."""
        from scrollwork.tasks.sample import runs

        drawing = drawing_of(part.request)
        before = [
            (task, [chain.curate(replace(part, task=task, split=split)) for split in task.splits])
            for task in (runs.official_order(part) if drawing.official else ())
        ]
        return runs.declare(part, chain.curate(part), drawing, before)

    def samples(self, chain: Chain, part: Part) -> list[Node]:
        """Return the samples, one for each run."""
        return part.each_shard(chain.sample)

    def sizes(self, chain: Chain, part: Part) -> Node | None:
        """Return the node that measures the whole data set, as table 1 of the paper does."""
        from scrollwork.suites.tokenizers import length_tokenizer
        from scrollwork.tasks import sizes

        return sizes.declare(part, chain.curate(part), length_tokenizer(part.request.tokenizer))

    def prompts(self, part: Part) -> Sequence[int] | None:
        """Return None: a shard has the prompts of its run's whole sample."""
        return None

    def reply_parameters(self, task: TaskConfig, texts: Mapping[str, Any]) -> Mapping[str, Any]:
        """cue: a prompt's last words, which a reply may repeat."""
        from scrollwork.preprocessing.runs.blocks import cue_of

        return {"cue": cue_of(texts["block"]["text"])} if "block" in texts else {}

    def after_all_scores(
        self, chain: Chain, scored: Sequence[Node], failures: Sequence[Mapping[str, str]]
    ) -> list[Node]:
        """Return the ranking of models by the scores of their runs."""
        from scrollwork.suites.outside_systems import shown_name
        from scrollwork.suites.parts import engine_of
        from scrollwork.suites.tokenizers import length_tokenizer
        from scrollwork.tasks.rank import run as rank
        from scrollwork.tasks.rank.parameters import rank_parameters
        from scrollwork.tasks.report.parameters import upper_bounds

        request = chain.request
        if not scored:
            return []
        lengths = length_tokenizer(request.tokenizer)
        parameters = rank_parameters(request.config, failures, upper_bounds(scored), lengths)
        return [rank.declare(parameters, [shown_name(model) for model in request.models], scored, engine_of(lengths))]

    def page(self, suite: Suite) -> Mapping[str, Any]:
        """Say that models are ranked, and what upstream calls the test split of a task where it is another."""
        splits = {name: task.splits.get("test", "test") for name, task in suite.tasks.items()}
        return {"ranked": True, "upstream": {name: split for name, split in splits.items() if split != "test"}}

    def refuse_ids(self, suite: Suite, what: str, runs: bool = False) -> None:
        """Raise UsageError: an example id does not say which run an answer belongs to."""
        if not runs:
            raise UsageError(
                f"{what}: inputs of {suite.name} are asked anew in each run, and the format names an input by its id "
                f"alone; mean and spread over all runs are in the report"
            )

    def overview(self, suite: str, task: str) -> Mapping[str, Any]:
        """Return what the paper counts of the data set that runs draw from."""
        from scrollwork.suites.suite_files import data_set_sizes

        return {"data_set": data_set_sizes(suite, task)}


def count_of(request: Request) -> int:
    """Return the number of runs of a request."""
    own: Options = request.of_design
    return own.runs or request.config.runs["count"]


def drawing_of(request: Request) -> Drawing:
    """Return what the runs of a request draw."""
    from scrollwork.tasks.sample.runs import Drawing

    own: Options = request.of_design
    sizes = request.config.runs
    drawn = max(0, own.instances or sizes["instances"])
    limit = request.limit
    return Drawing(
        runs=count_of(request),
        shots=sizes["shots"] if own.shots is None else own.shots,
        most=(min(limit or drawn, drawn) if drawn else limit) or 0,
        drawn=drawn,
        vary=own.vary,
        official=own.draws == "official",
    )


DESIGN: Design = Runs()
