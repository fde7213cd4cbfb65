"""The stages of a request as nodes: what each runs, on what, with which parameters. Declarations only.

curate -> sample -> prompt -> generate -> score -> aggregate -> report
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from models.registry import module_of, settings
from preprocessing.prompts import Profile
from scoring.registry import module_of as metric_module
from tasks.graph import Node, RawQuery
from tasks.request import Request
from tasks.suites import Suite, TaskConfig, load_models, load_published

PLAIN = Profile()
ARM = "full"


def build_nodes(request: Request) -> list[Node]:
    """The last stage of `build` for every task and split: plain prompts, from which lengths are counted."""
    return [
        prompt_node(request, task, split, PLAIN) for task in request.chosen_tasks() for split in request.chosen_splits()
    ]


def run_nodes(request: Request) -> list[Node]:
    """The last stage before the report for every task, split and model."""
    tables = load_models(request.models_file)
    return [
        aggregate_node(request, task, split, model, tables)
        for model in request.models
        for task in request.chosen_tasks()
        for split in request.chosen_splits()
    ]


def curate_node(request: Request, task: TaskConfig, split: str) -> Node:
    """Raw files to documents, examples and drops."""
    seeded = task.dataset in SEEDED
    options = {**request.options_of(task), **({"seed": seed_of(request)} if seeded else {})}
    return Node(
        "curate",
        labels(request, task, split),
        {"dataset": task.dataset, "task": task.name, "split": split, "options": options},
        ("preprocessing.curation", f"preprocessing.{task.dataset}"),
        raw=RawQuery(task.dataset, task.raw, {"split": task.splits[split], **options}),
    )


SEEDED = ("space_digest", "book_sum_sort")  # data sets whose construction makes random choices


def sample_node(request: Request, task: TaskConfig, split: str) -> Node:
    """Curated examples to the benchmark's."""
    policy = dict(task.sample)
    if split == "validation":
        policy = {**policy, "size": request.config.validation_size}
        if strata := policy.get("strata"):
            policy["strata"] = scaled(strata, request.config.validation_size)
    if request.limit:
        policy["size"] = min(request.limit, policy["size"])
    return Node(
        "sample",
        labels(request, task, split),
        {"suite": request.suite, "seed": seed_of(request), **policy},
        ("preprocessing.sampling",),
        (("curated", curate_node(request, task, split)),),
    )


def scaled(strata: Mapping[str, int], size: int) -> dict[str, int]:
    """The same shares of a smaller whole."""
    whole = sum(strata.values())
    return {name: round(count * size / whole) for name, count in strata.items()}


def seed_of(request: Request) -> int:
    """The seed of this request, or the suite's."""
    return request.config.seed if request.seed is None else request.seed


def profile_of(request: Request) -> Profile:
    """How prompts are made for the models of this request (baselines: plain, cut only where the user says so)."""
    if not request.max_input_tokens:
        return PLAIN
    return Profile("plain", "input", "words", request.max_input_tokens)


def prompt_node(request: Request, task: TaskConfig, split: str, profile: Profile) -> Node:
    """Examples to prompts of one profile."""
    return Node(
        "prompt",
        (*labels(request, task, split), ("profile", profile.name), ("arm", ARM)),
        {
            "template": dict(task.template),
            "profile": asdict(profile),
            "arm": ARM,
            "max_new_tokens": task.max_new_tokens,
            "chat_sentence": request.config.chat_sentence,
        },
        ("preprocessing.prompts",),
        (("curated", curate_node(request, task, split)), ("sample", sample_node(request, task, split))),
    )


def generate_node(request: Request, task: TaskConfig, split: str, model: str, tables: Mapping[str, Any]) -> Node:
    """Prompts to a snapshot of the answers in the store."""
    table = settings(model, tables)
    if "rules" in table:  # only what concerns this task is part of its key
        table["rules"] = {name: rule for name, rule in table["rules"].items() if name == task.name}
    return Node(
        "generate",
        (*labels(request, task, split), ("model", model), ("profile", profile_of(request).name), ("arm", ARM)),
        {"model": model, "settings": table},
        (module_of(model, tables),),
        (
            ("curated", curate_node(request, task, split)),
            ("prompts", prompt_node(request, task, split, profile_of(request))),
            ("sample", sample_node(request, task, split)),
        ),
    )


def score_node(request: Request, task: TaskConfig, split: str, model: str, tables: Mapping[str, Any]) -> Node:
    """Answers to scores by the task's metric."""
    return Node(
        "score",
        (
            *labels(request, task, split),
            ("model", model),
            ("profile", profile_of(request).name),
            ("arm", ARM),
            ("metric", task.metric),
        ),
        {"metric": task.metric},
        ("scoring.answers", metric_module(task.metric)),
        (
            ("answers", generate_node(request, task, split, model, tables)),
            ("sample", sample_node(request, task, split)),
        ),
    )


def aggregate_node(request: Request, task: TaskConfig, split: str, model: str, tables: Mapping[str, Any]) -> Node:
    """Scores to the task's value, interval, spread and coverage."""
    return Node(
        "aggregate",
        (
            *labels(request, task, split),
            ("model", model),
            ("profile", profile_of(request).name),
            ("arm", ARM),
            ("metric", task.metric),
        ),
        {"metric": task.metric, "profile": profile_of(request).name},
        ("analysis.summary", metric_module(task.metric)),
        (
            ("answers", generate_node(request, task, split, model, tables)),
            ("prompts", prompt_node(request, task, split, profile_of(request))),
            ("sample", sample_node(request, task, split)),
            ("scores", score_node(request, task, split, model, tables)),
        ),
    )


def report_node(request: Request, aggregates: list[Node], failures: Mapping[str, str]) -> Node:
    """All aggregates to one page. failures: why a task of a model has none, by node name."""
    return Node(
        "report",
        (("suite", request.suite), ("models", "+".join(request.models))),
        report_params(request.config, request.models, failures),
        ("reporting.page", "reporting.leaderboard"),
        tuple((node.slot, node) for node in aggregates),
    )


def report_params(suite: Suite, models: Sequence[str], failures: Mapping[str, str]) -> dict[str, Any]:
    """What a report is told beside its rows."""
    return {
        "suite": suite.name,
        "title": suite.title,
        "tasks": [
            {"name": t.name, "short": t.short, "metric": t.metric, "paper": dict(t.paper)} for t in suite.tasks.values()
        ],
        "published": dict(load_published(suite.name)),
        "models": list(models),
        "failures": dict(sorted(failures.items())),
    }


def labels(request: Request, task: TaskConfig, split: str) -> tuple[tuple[str, str], ...]:
    """To what a stage of a task belongs."""
    return (("suite", request.suite), ("task", task.name), ("split", split))
