"""The pipeline: the stages of a request, each a call that adds a node to those before it.

    curate -> sample -> prompt -> generate -> score -> aggregate -> report
                                                    -> judge -> compare -> report
                               -> statistics -> overview (of `build`)
    curate (another split) -> fit -> generate, for models with fitted rules
    prompt -> predictions -> score, for systems that ran elsewhere
    aggregate -> rank -> report, of a suite that draws its prompts anew in each run
    score -> complexity -> report, of a suite that observes windows of contexts

prompt, generate and score of a big task are split into shards by document (`shards` in the suite file). What a stage is
told and leaves stands in its own module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scrollwork.models.registry import CALLED
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.plan import Node
from scrollwork.records.prompt import CLOSED_BOOK, FULL
from scrollwork.reporting.page.files import report_digest
from scrollwork.scoring.registry import module_of as metric_module
from scrollwork.suites.model_tables import decoded_otherwise, tables_of, what_answers
from scrollwork.suites.outside_systems import PROVIDER, shown_name
from scrollwork.suites.parts import Part, engine_of, parts, profile_of
from scrollwork.suites.raw_queries import curation_of
from scrollwork.suites.replies import reply_parameters
from scrollwork.suites.request import Request
from scrollwork.suites.tokenizers import WORDS, length_tokenizer
from scrollwork.tasks import compare, curate, fit, predictions, prompt, sizes, statistics, tokens
from scrollwork.tasks.aggregate import run as aggregate
from scrollwork.tasks.complexity import run as complexity
from scrollwork.tasks.generate import run as generate
from scrollwork.tasks.judge import run as judge
from scrollwork.tasks.overview import run as overview
from scrollwork.tasks.overview.parameters import overview_parameters
from scrollwork.tasks.rank import run as rank
from scrollwork.tasks.rank.parameters import rank_parameters
from scrollwork.tasks.report import run as report
from scrollwork.tasks.report.parameters import report_params, shown
from scrollwork.tasks.sample import run as sample
from scrollwork.tasks.score import run as score

FIT_SPLIT = "train"  # what a model with fitted rules learns from, where its table does not say


def build_nodes(request: Request) -> list[Node]:
    """The last stages of `build` for every task and split: plain prompts, and what is counted of them."""
    return [statistics_node(part) for part in parts(request)]


def run_nodes(request: Request) -> list[Node]:
    """The last stage before the report for every model, task and split."""
    nodes = []
    for model, table in tables_of(request).items():
        suites, tasks = table.pop("suites", [request.suite]), table.pop("tasks", None)
        if request.suite not in suites:
            raise UsageError(f"model {model!r} is defined for {', '.join(suites)} only, not for {request.suite}")
        asked = [part for part in parts(request) if tasks is None or part.task.name in tasks]
        if not asked:
            raise UsageError(f"model {model!r} is defined for the tasks {', '.join(tasks)} only")
        profile = profile_of(request, table)
        nodes += [
            aggregate_node(replace(part, profile=profile, arm=arm, model=table.get("shown", model), table=table))
            for arm in request.chosen_arms()
            for part in asked
            if arm != CLOSED_BOOK or part.task.asks
        ]
    return nodes


def curate_node(part: Part) -> Node:
    """Raw files to documents, examples and drops."""
    told = curation_of(part)
    return curate.declare(part, told.raw, told.options, told.modules)


def sample_node(part: Part) -> Node:
    """Curated examples to the benchmark's; where the suite draws, to those of a run."""
    curated = curate_node(part)
    if part.run:
        from scrollwork.tasks.sample import runs  # loaded for suites that draw only

        return runs.declare(
            part,
            curated,
            [
                (other, [curate_node(replace(part, task=other, split=split)) for split in other.splits])
                for other in runs.official_order(part)
            ],
        )
    if part.task.windows:
        from scrollwork.tasks.sample import windows

        return windows.declare(part, curated)
    return sample.declare(part, curated)


def samples(part: Part) -> list[Node]:
    """The benchmark's examples: of every run where the suite draws."""
    return part.each_shard(sample_node) if part.run else [sample_node(part)]


def tokens_node(part: Part) -> Node:
    """The sample's documents counted by the profile's tokenizer."""
    tokenizer = part.profile.tokenizer
    return tokens.declare(sample_node(part), tokenizer, engine_of(tokenizer))


def prompt_node(part: Part) -> Node:
    """Examples to prompts of one profile."""
    counted = tokens_node(part) if part.profile.tokenizer and part.arm == FULL else None
    return prompt.declare(part, curate_node(part), sample_node(part), counted)


def answers_node(part: Part) -> Node:
    """Prompts to answers: of a model that is asked, or out of files of a system that ran elsewhere."""
    if (part.table or {}).get("provider") == PROVIDER:
        return predictions.declare(part, curate_node(part), prompt_node(part), sample_node(part))
    return generate_node(part)


def generate_node(part: Part) -> Node:
    """Prompts to a snapshot of the answers in the store."""
    settings = what_answers(part)
    kind = settings.get("rules", {}).get(part.task.name, {}).get("fit")
    fitted = fit_node(part, kind, str(settings.get("fit_split", FIT_SPLIT))) if kind else None
    body = f"scrollwork.tasks.generate.{'hosted' if settings['provider'] in CALLED else 'run'}"
    before = curate_node(part), prompt_node(part), sample_node(part)
    return generate.declare(part, *before, settings, fitted=fitted, body=body)


def fit_node(part: Part, kind: str, split: str) -> Node:
    """Examples of another split, whose outputs are known, to what a heuristic takes from them. Raises UsageError."""
    fit.check(part, split)
    return fit.declare(part, curate_node(replace(part, split=split, model="")), kind, split)


def score_node(part: Part) -> Node:
    """Answers to scores by the task's metric."""
    reading = reply_parameters(part)
    way = "judged" if "judges" in reading else "windows" if "extractor" in reading else "run"
    body, modules = f"scrollwork.tasks.score.{way}", [metric_module(part.task.metric)]
    return score.declare(part, sample_node(part), answers_node(part), reading, modules, body)


def aggregate_node(part: Part) -> Node:
    """Scores of all shards to the task's value, interval, spread and coverage."""
    table = part.table or {}
    return aggregate.declare(
        part,
        {
            "sample": samples(part),
            "answers": part.each_shard(answers_node),
            "prompts": part.each_shard(prompt_node),
            "scores": part.each_shard(score_node),
        },
        [metric_module(part.task.metric)],
        decoding=decoded_otherwise(table, part.request.config),
        reads_references=bool(table.get("reads_references")),
        body=f"scrollwork.tasks.aggregate.{'runs' if part.run else 'run'}",
    )


def judge_node(aggregated: Node) -> Node:
    """Judged answers, and measures and slices of them, of what an aggregate is of."""
    return judge.declare(aggregated, [tokens.declare(one, WORDS) for one in aggregated.each("sample")])


def complexity_node(aggregated: Node, twins: Sequence[Node] = ()) -> Node:
    """lambda, k and category of the problems of an aggregate whose contexts are observed through windows."""
    return complexity.declare(aggregated, twins)


def compare_node(request: Request, judged: Sequence[Node], scored: Sequence[Node]) -> Node:
    """Averages and comparisons of everything that was judged. scored: its aggregates."""
    metrics = {name: task.metric for name, task in request.config.tasks.items()}
    models = [shown_name(model) for model in request.models]  # as rows name them
    parameters = compare.Parameters(metrics, models, upper_bounds(scored), averaged=not request.run_count)
    return compare.declare(request.suite, parameters, judged, sorted({metric_module(one) for one in metrics.values()}))


def rank_node(request: Request, scored: Sequence[Node], failures: Sequence[Mapping[str, str]]) -> Node:
    """Models ranked by the scores of their runs. scored: aggregates of a suite that draws; failures: of tasks that have
    none."""
    lengths = length_tokenizer(request.tokenizer)
    parameters = rank_parameters(request.config, failures, upper_bounds(scored), lengths)
    return rank.declare(parameters, [shown_name(model) for model in request.models], scored, engine_of(lengths))


def statistics_node(part: Part) -> Node:
    """Everything that is built of a task and split to lengths, histograms and spread."""
    curated = curate_node(part)
    whole = sizes.declare(part, curated, length_tokenizer(part.request.tokenizer)) if part.run else None
    return statistics.declare(part, curated, samples(part), part.each_shard(prompt_node), whole)


def overview_node(request: Request, counted: Sequence[Node]) -> Node:
    """The statistics of all tasks that could be built to one page and its pictures."""
    return overview.declare(request.suite, overview_parameters(request, counted), counted)


def report_node(
    request: Request, aggregates: Sequence[Node], failures: Sequence[Mapping[str, str]], beside: Sequence[Node] = ()
) -> Node:
    """All aggregates to one page. failures: why a task of a model has none; see `failure`. beside: what was judged,
    compared, ranked and fitted of them."""
    bounds = upper_bounds(aggregates)
    decoding = {node.label("model"): node.params["decoding"] for node in aggregates if "decoding" in node.params}
    models = [shown_name(model) for model in request.models]
    asked = [task.name for task in request.chosen_tasks()]
    params = report_params(request.config, models, failures, bounds, decoding, asked)
    modules = sorted({metric_module(node.label("metric")) for node in aggregates})
    params |= {"run": shown(request), "assets": report_digest(params)}
    return report.declare(params, aggregates, beside, modules)


def upper_bounds(aggregates: Sequence[Node]) -> list[str]:
    """The models that read the references."""
    return sorted({node.label("model") for node in aggregates if node.params.get("reads_references")})


def failure(node: Node, message: str) -> dict[str, str]:
    """A task of a model that has no score, and why."""
    return {**{name: node.label(name) for name in ("task", "split", "model")}, "message": message}
