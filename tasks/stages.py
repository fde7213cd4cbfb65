"""The stages of a request as nodes: what each runs, on what, with which parameters. Declarations only.

    curate -> sample -> prompt -> generate -> score -> aggregate -> report
    curate (another split) -> fit -> generate, for models with fitted rules

prompt, generate and score of a big task are split into shards by document (`shards` in the suite file).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from models.registry import module_of, settings
from preprocessing.prompts import Profile
from scoring.registry import module_of as metric_module
from tasks.errors import UsageError
from tasks.graph import Node, RawQuery
from tasks.request import Request
from tasks.suites import Suite, TaskConfig, load_models, load_published

PLAIN = Profile()
ARM = "full"
FIT_SPLIT = "train"  # what a model with fitted rules learns from, where its table does not say


@dataclass(frozen=True)
class Part:
    """What one node is of: a task and split of a request, and further a profile, a shard, a model."""

    request: Request
    task: TaskConfig
    split: str
    profile: Profile = PLAIN
    shard: int = 0
    model: str = ""
    table: Mapping[str, Any] | None = None

    @property
    def base(self) -> tuple[tuple[str, str], ...]:
        """Labels of a stage of a task."""
        return (("suite", self.request.suite), ("task", self.task.name), ("split", self.split))

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """Labels of a stage of a model (or of prompts for any), without shard."""
        named = [("model", self.model)] if self.model else []
        return (*self.base, *named, ("profile", self.profile.name), ("arm", ARM))

    @property
    def sharded(self) -> tuple[tuple[str, str], ...]:
        """Labels with the shard, where there are several."""
        many = self.task.shards > 1
        return (*self.labels, *([("shard", f"{self.shard + 1}-of-{self.task.shards}")] if many else []))

    def each_shard(self, node: Callable[[Part], Node]) -> list[Node]:
        """One node a shard."""
        return [node(replace(self, shard=shard)) for shard in range(self.task.shards)]


def parts(request: Request) -> list[Part]:
    """Every task and split of a request."""
    return [Part(request, task, split) for task in request.chosen_tasks() for split in request.chosen_splits()]


def build_nodes(request: Request) -> list[Node]:
    """The last stages of `build` for every task and split: plain prompts, from which lengths are counted."""
    return [node for part in parts(request) for node in part.each_shard(prompt_node)]


def run_nodes(request: Request) -> list[Node]:
    """The last stage before the report for every model, task and split."""
    tables = load_models(request.models_file)
    nodes = []
    for model in request.models:
        table = settings(model, tables, request.suite)
        suites, tasks = table.pop("suites", [request.suite]), table.pop("tasks", None)
        if request.suite not in suites:
            raise UsageError(f"model {model!r} is defined for {', '.join(suites)} only, not for {request.suite}")
        asked = [part for part in parts(request) if tasks is None or part.task.name in tasks]
        if not asked:
            raise UsageError(f"model {model!r} is defined for the tasks {', '.join(tasks)} only")
        nodes += [
            aggregate_node(replace(part, profile=profile_of(request), model=model, table=table)) for part in asked
        ]
    return nodes


def profile_of(request: Request) -> Profile:
    """How prompts are made for the models of this request (baselines: plain, cut only where the user says so)."""
    if not request.max_input_tokens:
        return PLAIN
    return Profile("plain", request.config.truncation, "words", request.max_input_tokens)


def seed_of(request: Request) -> int:
    """The seed of this request, or the suite's."""
    return request.config.seed if request.seed is None else request.seed


def curate_node(part: Part) -> Node:
    """Raw files to documents, examples and drops."""
    task, request = part.task, part.request
    options = {**request.options_of(task), **({"seed": seed_of(request)} if task.seeded else {})}
    return Node(
        "curate",
        part.base,
        {"dataset": task.dataset, "task": task.name, "split": part.split, "options": options},
        ("preprocessing.curation", f"preprocessing.{task.dataset}", "records.raw_file"),
        raw=RawQuery(task.dataset, task.raw, {"split": task.splits[part.split], **only(part.split), **options}),
    )


def only(split: str) -> dict[str, str]:
    """Lets patterns be for one split only: {test} is empty there and unknown elsewhere."""
    return {split: ""}


def sample_node(part: Part) -> Node:
    """Curated examples to the benchmark's."""
    request = part.request
    policy = {"suite": request.suite, "seed": seed_of(request), **sampling(part.task, part.split, request)}
    return Node("sample", part.base, policy, ("preprocessing.sampling",), (("curated", curate_node(part)),))


def sampling(task: TaskConfig, split: str, request: Request) -> dict[str, Any]:
    """The task's sampling policy for a split. Where both splits are cut from the same raw files, validation takes what
    comes after the test inputs."""
    policy = dict(task.sample)
    if split == "validation" and request.config.validation_size:
        size = request.config.validation_size
        skip = {"skip": policy["size"]} if task.one_source else {}
        strata = {"strata": scaled(policy["strata"], size)} if "strata" in policy else {}
        policy = {**policy, "size": size, **strata, **skip}
    if request.limit:
        policy["size"] = min(request.limit, policy.get("size") or request.limit)
        if "strata" in policy:
            policy["strata"] = scaled(policy["strata"], policy["size"])
    return policy


def scaled(strata: Mapping[str, int], size: int) -> dict[str, int]:
    """The same shares of a smaller whole."""
    whole = sum(strata.values())
    return {name: round(count * size / whole) for name, count in strata.items()}


def prompt_node(part: Part) -> Node:
    """Examples to prompts of one profile."""
    task = part.task
    params = {
        "template": dict(task.template),
        "profile": asdict(part.profile),
        "arm": ARM,
        "max_new_tokens": task.max_new_tokens,
        "chat_sentence": part.request.config.chat_sentence,
    }
    if task.shards > 1:
        params["shard"] = [part.shard, task.shards]
    own = replace(part, model="")
    inputs = (("curated", curate_node(part)), ("sample", sample_node(part)))
    return Node("prompt", own.sharded, params, ("preprocessing.prompts",), inputs)


def generate_node(part: Part) -> Node:
    """Prompts to a snapshot of the answers in the store."""
    table = dict(part.table or {})
    if "rules" in table:  # only what concerns this task is part of its key
        table["rules"] = {name: rule for name, rule in table["rules"].items() if name == part.task.name}
    inputs = [("curated", curate_node(part)), ("prompts", prompt_node(part)), ("sample", sample_node(part))]
    modules: tuple[str, ...] = ("records.response", module_of(str(table["provider"])))
    if kind := table.get("rules", {}).get(part.task.name, {}).get("fit"):
        inputs.append(("fitted", fit_node(part, kind, str(table.get("fit_split", FIT_SPLIT)))))
        modules += ("models.fitting",)
    params = {"model": part.model, "settings": table}
    return Node("generate", part.sharded, params, modules, tuple(inputs))


def fit_node(part: Part, kind: str, split: str) -> Node:
    """Examples of another split, whose outputs are known, to what a heuristic takes from them. Raises UsageError."""
    model, task = part.model.partition(":")[0], part.task
    other = f"{model}:fit_split=SPLIT takes another (there are: {', '.join(task.splits)})"
    if split not in task.splits:
        raise UsageError(f"model {part.model!r}, task {task.name}: there is no split {split!r} to learn from; {other}")
    if split == part.split:
        raise UsageError(f"model {part.model!r} would be fitted on split {split}, which it is to be scored on; {other}")
    learned = replace(part, split=split, model="")
    curated = curate_node(learned)
    assert curated.raw is not None
    hint = f"model {part.model!r} takes its rule for {task.name} from split {split}; {other}"
    return Node(
        "fit",
        (*learned.base, ("rule", kind)),
        {"kind": kind, "template": dict(task.template)},
        ("models.fitting", "preprocessing.prompting", "records.fitted"),
        (("curated", replace(curated, raw=replace(curated.raw, hint=hint))),),
    )


def score_node(part: Part) -> Node:
    """Answers to scores by the task's metric."""
    metric = part.task.metric
    inputs = (("answers", generate_node(part)), ("sample", sample_node(part)))
    modules = ("scoring.answers", metric_module(metric))
    return Node("score", (*part.sharded, ("metric", metric)), {"metric": metric}, modules, inputs)


def aggregate_node(part: Part) -> Node:
    """Scores of all shards to the task's value, interval, spread and coverage."""
    metric = part.task.metric
    bound = {"reads_references": True} if (part.table or {}).get("reads_references") else {}
    inputs = [("sample", sample_node(part))]
    for name, node in (("answers", generate_node), ("prompts", prompt_node), ("scores", score_node)):
        inputs += [(f"{name}-{number}", shard) for number, shard in enumerate(part.each_shard(node))]
    return Node(
        "aggregate",
        (*part.labels, ("metric", metric)),
        {"metric": metric, "profile": part.profile.name, **bound},
        ("analysis.summary", metric_module(metric)),
        tuple(inputs),
    )


def report_node(request: Request, aggregates: list[Node], failures: Sequence[Mapping[str, str]]) -> Node:
    """All aggregates to one page. failures: why a task of a model has none; see `failure`."""
    bounds = sorted({node.label("model") for node in aggregates if node.params.get("reads_references")})
    return Node(
        "report",
        (("suite", request.suite), ("models", "+".join(request.models))),
        {**report_params(request.config, request.models, failures, bounds), "run": shown(request)},
        ("reporting.page", "reporting.leaderboard"),
        tuple((node.slot, node) for node in aggregates),
    )


def shown(request: Request) -> dict[str, Any]:
    """What of a request differs from the suite's own way, for the head of the report."""
    asked = {"limit": request.limit, "seed": request.seed, "max input tokens": request.max_input_tokens}
    return {**{name: value for name, value in asked.items() if value}, **(request.options or {})}


def failure(node: Node, message: str) -> dict[str, str]:
    """A task of a model that has no score, and why."""
    return {**{name: node.label(name) for name in ("task", "split", "model")}, "message": message}


def report_params(
    suite: Suite, models: Sequence[str], failures: Sequence[Mapping[str, str]], upper_bounds: Sequence[str]
) -> dict[str, Any]:
    """What a report is told beside its rows. upper_bounds: those of the models that read the references."""
    return {
        "suite": suite.name,
        "title": suite.title,
        "tasks": [
            {"name": t.name, "short": t.short, "metric": t.metric, "paper": dict(t.paper)} for t in suite.tasks.values()
        ],
        "published": dict(load_published(suite.name)),
        "models": list(models),
        **({"upper_bounds": list(upper_bounds)} if upper_bounds else {}),
        "failures": [dict(one) for one in failures],
    }
