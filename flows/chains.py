"""The chain: all stages of a request. Each stage is a method that declares a node with its input nodes.

    curate -> sample -> prompt -> generate -> score -> aggregate -> report
                                                    -> judge -> compare -> report
                               -> statistics -> overview (of `build`)
    curate (another split) -> fit -> generate, for models with fitted rules
    prompt -> predictions -> score, for systems that ran elsewhere

The suite's design (designs/) decides how a sample becomes prompts, and adds stages:

    aggregate -> rank -> report, where prompts are drawn anew in each run
    score -> complexity -> report, where windows of contexts are observed

prompt, generate and score of a big task are split into shards by document (`shards` in the suite file). A stage's own
module shows its parameters and its tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, wraps

from scrollwork.flows.epochs import Epochs, read_epochs
from scrollwork.models.registry import CALLED, FUNCTIONS
from scrollwork.models.registry import is_outside as of_another_package
from scrollwork.pipeline.calling import new_run
from scrollwork.pipeline.design import design_of
from scrollwork.pipeline.plan import Node, Plan
from scrollwork.pipeline.planner import Planner
from scrollwork.pipeline.session import Session
from scrollwork.records.prompt import CLOSED_BOOK, FULL
from scrollwork.reporting.page.files import report_digest
from scrollwork.scoring.registry import module_of as metric_module
from scrollwork.suites.model_tables import answer_relevant, decoded_otherwise
from scrollwork.suites.outside_systems import PROVIDER, shown_name
from scrollwork.suites.parts import Part, engine_of, parts
from scrollwork.suites.raw_queries import curation_of
from scrollwork.suites.replies import reply_parameters
from scrollwork.suites.request import Request
from scrollwork.suites.resolved import Resolved, resolve
from scrollwork.suites.tokenizers import WORDS
from scrollwork.tasks import compare, fit, predictions, statistics, tokens
from scrollwork.tasks.aggregate import run as aggregate
from scrollwork.tasks.curate import run as curate
from scrollwork.tasks.generate import run as generate
from scrollwork.tasks.judge import run as judge
from scrollwork.tasks.overview import run as overview
from scrollwork.tasks.overview.parameters import overview_parameters
from scrollwork.tasks.prompt import run as prompt
from scrollwork.tasks.report import run as report
from scrollwork.tasks.report.parameters import compare_parameters, differing_settings, report_params, upper_bounds
from scrollwork.tasks.score import run as score

FIT_SPLIT = "train"  # the split that a model with fitted rules learns from by default


def declared_once(
    labels: Callable[[Part], object],
) -> Callable[[Callable[[Chain, Part], Node]], Callable[[Chain, Part], Node]]:
    """Decorator for a method of Chain: declare one node for each value of `labels(part)`, and reuse it afterwards."""

    def of(declare: Callable[[Chain, Part], Node]) -> Callable[[Chain, Part], Node]:
        @wraps(declare)
        def made(chain: Chain, part: Part) -> Node:
            name = declare.__name__, labels(part)
            if name not in chain.made:
                chain.made[name] = declare(chain, part)
            return chain.made[name]

        return made

    return of


class Chain:
    """All stages of a request. One is made for each command; code that reads results (readings/) asks it for nodes.

    request: the given one; if it names models, also with the name of the run, under which costs are stored.
    """

    def __init__(self, request: Request) -> None:
        self.request = replace(request, run=request.run or new_run()) if request.models else request
        self.design = design_of(request.config)
        self.made: dict[tuple[str, object], Node] = {}

    def other(self, request: Request) -> Chain:
        """The chain of another request, for code that must not import this module."""
        return Chain(request)

    @cached_property
    def resolved(self) -> Resolved:
        """The models, tokenizers and locations that the request names. Raises UnknownModel, UsageError."""
        return resolve(self.request)

    @cached_property
    def session(self) -> Session:
        """The opened home of the request. Raises StorageError if none can be where it was named."""
        session = Session(self.resolved.locations)
        session.home.check_place()
        return session

    def plan(self, targets: Sequence[Node]) -> Plan:
        """The plan of these targets and of all nodes that they need."""
        return Plan.of(targets, self.resolved.locations)

    def only(self, nodes: Sequence[Node]) -> Plan:
        """The plan of these nodes only, whose inputs exist or have failed."""
        return Plan(tuple(nodes), self.resolved.locations)

    @cached_property
    def epochs(self) -> Epochs:
        """The epochs whose answers are read; `with_epochs` (flows/epochs.py) sets them where models are asked anew."""
        return read_epochs(self)

    @cached_property
    def at_first(self) -> Planner:
        """States of nodes as they were when they were first looked up."""
        return Planner(self.session)

    @cached_property
    def built(self) -> list[Node]:
        """The last nodes of `build`: statistics of every task and split (over plain prompts)."""
        return [self.statistics(part) for part in parts(self.request)]

    @cached_property
    def scored(self) -> list[Node]:
        """The aggregate nodes of every model, arm, task and split. Raises UsageError."""
        return [self.aggregate(part) for model in self.resolved.tables for part in self.asked(model)]

    def asked(self, model: str) -> list[Part]:
        """What a model is asked: each arm, task and split. Raises UsageError."""
        asked = self.resolved.asked(model)
        return [
            replace(part, arm=arm)
            for arm in self.request.chosen_arms()
            for part in asked
            if arm != CLOSED_BOOK or part.task.asks
        ]

    @cached_property
    def evaluated(self) -> list[Node]:
        """What `run` builds before models are compared: aggregates, and what follows each of them."""
        return [*self.scored, *map(self.judge, self.scored), *self.after_each_score]

    @cached_property
    def after_each_score(self) -> list[Node]:
        """The nodes that the design adds after the score of each task and model."""
        return [node for aggregated in self.scored for node in self.design.after_each_score(self, aggregated)]

    @declared_once(lambda part: part.base)
    def curate(self, part: Part) -> Node:
        """Raw files -> documents, examples, drops."""
        told = curation_of(part)
        return curate.declare(part, told.raw, told.options, told.modules)

    @declared_once(lambda part: part.sampled)
    def sample(self, part: Part) -> Node:
        """Curated examples -> the benchmark's examples, as the design selects them."""
        return self.design.sample(self, part)

    @declared_once(lambda part: (part.sampled, part.profile.tokenizer))
    def tokens(self, part: Part) -> Node:
        """Sample -> token counts of its documents by the profile's tokenizer."""
        tokenizer = part.profile.tokenizer
        return tokens.declare(self.sample(part), tokenizer, engine_of(tokenizer))

    @declared_once(lambda part: (part.base, part.profile, part.arm, part.shard))
    def prompt(self, part: Part) -> Node:
        """Examples -> prompts of one profile."""
        counted = self.tokens(part) if part.profile.tokenizer and part.arm == FULL else None
        return prompt.declare(part, self.curate(part), self.sample(part), counted, self.design.prompt)

    @declared_once(lambda part: part.sharded)
    def answers(self, part: Part) -> Node:
        """Prompts -> answers, of a model, or from files of a system that ran elsewhere."""
        if (part.table or {}).get("provider") == PROVIDER:
            return predictions.declare(part, self.curate(part), self.prompt(part), self.sample(part))
        return self.generate(part)

    def generate(self, part: Part) -> Node:
        """Prompts -> a snapshot of a model's answers in the store."""
        settings = answer_relevant(part)
        kind = settings.get("rules", {}).get(part.task.name, {}).get("fit")
        fitted = self.fit(part, kind, str(settings.get("fit_split", FIT_SPLIT))) if kind else None
        provider = settings["provider"]
        plugged = "functions" if provider == FUNCTIONS else "plugin"
        way = "hosted" if provider in CALLED else plugged if of_another_package(provider) else "run"
        body = f"scrollwork.tasks.generate.{way}"
        before = self.curate(part), self.prompt(part), self.sample(part)
        epoch = self.epochs.parameters(part.model) if way in ("hosted", "plugin") else {}
        return generate.declare(part, *before, settings, fitted=fitted, body=body, **epoch)

    def fit(self, part: Part, kind: str, split: str) -> Node:
        """Examples of another split, with references -> what a heuristic learns from them. Raises UsageError."""
        fit.check(part, split)
        return fit.declare(part, self.curate(replace(part, split=split, model="")), kind, split)

    def score(self, part: Part) -> Node:
        """Answers -> scores by the task's metric."""
        reading = reply_parameters(part)
        body = "scrollwork.tasks.score.judged" if "judges" in reading else self.design.score
        modules = [metric_module(part.task.metric)]
        return score.declare(part, self.sample(part), self.answers(part), reading, modules, body)

    @declared_once(lambda part: part.labels)
    def aggregate(self, part: Part) -> Node:
        """Scores of all shards -> the task's value, interval, spread and coverage."""
        table = part.table or {}
        return aggregate.declare(
            part,
            {
                "sample": self.design.samples(self, part),
                "answers": part.each_shard(self.answers),
                "prompts": part.each_shard(self.prompt),
                "scores": part.each_shard(self.score),
            },
            [metric_module(part.task.metric)],
            decoding=decoded_otherwise(table, part.request.config),
            reads_references=bool(table.get("reads_references")),
            body=self.design.aggregate,
        )

    def judge(self, aggregated: Node) -> Node:
        """Aggregate and its inputs -> measures of its answers, and scores on parts of its inputs."""
        return judge.declare(aggregated, [tokens.declare(one, WORDS) for one in aggregated.each("sample")])

    def compare(self, judged: Sequence[Node], scored: Sequence[Node]) -> Node:
        """Judge nodes -> averages, and comparisons of models. scored: the aggregates of these judge nodes."""
        request = self.request
        models = [shown_name(model) for model in request.models]  # as rows name them
        parameters = compare_parameters(request.config, models, upper_bounds(scored))
        modules = sorted({metric_module(one) for one in parameters.tasks.values()})
        return compare.declare(request.suite, parameters, judged, modules)

    def after_all_scores(
        self, judged: Sequence[Node], scored: Sequence[Node], failures: Sequence[Mapping[str, str]]
    ) -> list[Node]:
        """Nodes over all models: compare, and those that the design adds. failures: of tasks without a score."""
        compared = [self.compare(judged, scored)] if judged else []
        return [*compared, *self.design.after_all_scores(self, scored, failures)]

    @declared_once(lambda part: part.base)
    def statistics(self, part: Part) -> Node:
        """All built artifacts of a task and split -> lengths, histograms, spread."""
        samples, whole = self.design.samples(self, part), self.design.sizes(self, part)
        return statistics.declare(part, self.curate(part), samples, part.each_shard(self.prompt), whole)

    def overview(self, counted: Sequence[Node]) -> Node:
        """Statistics of all built tasks -> the page of `build` and its pictures."""
        return overview.declare(self.request.suite, overview_parameters(self.request, counted), counted)

    def report(
        self, aggregates: Sequence[Node], failures: Sequence[Mapping[str, str]], beside: Sequence[Node] = ()
    ) -> Node:
        """All aggregates -> the page of `run`. failures: why a task of a model has no aggregate; see `failure`. beside:
        judge, compare and the design's nodes."""
        from scrollwork.reporting.page.sections import sections_of  # loads drawing code, which a build does not need

        request, bounds = self.request, upper_bounds(aggregates)
        decoding = {node.label("model"): node.params["decoding"] for node in aggregates if "decoding" in node.params}
        models = [shown_name(model) for model in request.models]
        asked = [task.name for task in request.chosen_tasks()]
        params = report_params(request.config, models, failures, bounds, decoding, asked)
        modules = sorted({metric_module(node.label("metric")) for node in aggregates})
        assets = report_digest(*(name for one in sections_of(self.design.sections) for name in one.files))
        differing = {**differing_settings(request), **self.epochs.told}
        parameters = report.Parameters(**params, run=differing, assets=assets)
        each = {node.name for node in self.after_each_score}
        others: dict[str, list[Node]] = {}
        for node in beside:
            of_design = "after_each_score" if node.name in each else "after_all_scores"
            name = {judge.STAGE: "judged", compare.STAGE: "compared"}.get(node.stage, of_design)
            others.setdefault(name, []).append(node)
        return report.declare(parameters, aggregates, others, modules)


def failure(node: Node, message: str) -> dict[str, str]:
    """{task, split, model, message}: a task of a model that has no score, and why."""
    return {**{name: node.label(name) for name in ("task", "split", "model")}, "message": message}
