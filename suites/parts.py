"""What the stages of a request are declared for: tasks, splits, prompt profiles, shards, models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scrollwork.models.local.checkpoint import CAUSAL
from scrollwork.models.registry import HOSTED
from scrollwork.pipeline.design import Design, design_of
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.plan import Labels, Node
from scrollwork.preprocessing.prompts.from_examples import Profile
from scrollwork.preprocessing.prompts.truncation import CHAT_OVERHEAD
from scrollwork.preprocessing.tokens.tokenizer import engine_module
from scrollwork.records.prompt import FULL
from scrollwork.suites.releases import is_imported
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import TaskConfig

PLAIN = Profile()


@dataclass(frozen=True)
class Part:
    """What one node is declared for: a task and split of a request, and further a profile, an arm, a shard, a model."""

    request: Request
    task: TaskConfig
    split: str
    profile: Profile = PLAIN
    arm: str = FULL
    shard: int = 0
    model: str = ""
    table: Mapping[str, Any] | None = None

    @property
    def base(self) -> Labels:
        """Labels of a stage of a task."""
        return (("suite", self.request.suite), ("task", self.task.name), ("split", self.split))

    @property
    def labels(self) -> Labels:
        """Labels of a stage of a model (or of prompts for any), without shard."""
        named = [("model", self.model)] if self.model else []
        return (*self.base, *named, ("profile", self.profile.name), ("arm", self.arm))

    @property
    def shards(self) -> int:
        """How many shards prompts and what follows come in."""
        return self.design.shards(self.request, self.task)

    @property
    def design(self) -> Design:
        """The suite's."""
        return design_of(self.request.config)

    @property
    def sampled(self) -> Labels:
        """Labels of the sample that a shard is of."""
        return (*self.base, *self.design.sample_labels(self.request, self.shard))

    @property
    def sharded(self) -> Labels:
        """Labels with the shard, where there are several."""
        return (*self.labels, *self.design.shard_labels(self.request, self.task, self.shard))

    @property
    def seed(self) -> int:
        """The seed of the request, or the suite's."""
        return seed_of(self.request)

    def engine(self, tokenizer: str) -> tuple[str, ...]:
        """The module that makes a tokenizer, as modules of a node; () for an estimate and where there is none."""
        return engine_of(tokenizer)

    @property
    def imported(self) -> bool:
        """Whether the task comes from its official release."""
        return is_imported(self.request, self.task, self.split)

    def each_shard(self, node: Callable[[Part], Node]) -> list[Node]:
        """One node a shard."""
        return [node(replace(self, shard=shard)) for shard in range(self.shards)]


def engine_of(tokenizer: str) -> tuple[str, ...]:
    """Return the module that makes a tokenizer, in a tuple; () for an estimate and for ""."""
    return tuple(filter(None, [engine_module(tokenizer)])) if tokenizer else ()


def parts(request: Request) -> list[Part]:
    """Every task and split of a request."""
    return [Part(request, task, split) for task in request.chosen_tasks() for split in request.splits_of(task)]


def profile_of(request: Request, table: Mapping[str, Any]) -> Profile:
    """Return how prompts are made for a model: by its table, under the user's limits where there are any. Baselines get
    plain prompts, uncut. Raises UsageError if a context holds no more than is kept free for the answer."""
    policy = request.config.truncation_of(request.prompts)
    kept_free = 0
    if table.get("provider") in HOSTED or table.get("kind") == CAUSAL:  # the answer lies in it (fact sheet 4.1, 4.2)
        kept_free = int(table.get("reasoning_tokens", 0))
        if policy == "input":
            policy = "claude" if table.get("variant") == "claude" else "openai"
        else:  # neither SCROLLS' prefix nor SEAM's policies keep room for the answer
            suite = request.config
            kept_free += max(suite.new_tokens(task, request.prompts) for task in suite.tasks.values())
    if policy == "documents" and request.truncation == "official":  # SEAM's code cuts the end
        policy = "prefix"
    policy = table.get("truncation", policy)
    around = int(table.get("around", 0))  # a local model's chat template; the policy of chat models knows of some
    kept_free += max(0, around - CHAT_OVERHEAD) if (policy, table.get("variant")) == ("openai", "chat") else around
    context = int(table.get("context", 0))
    if 0 < context <= kept_free and not request.max_input_tokens:
        raise UsageError(
            f"model {table.get('id', '')!r}: a context of {context:,} tokens leaves none for a prompt: {kept_free:,} "
            "are kept free for the answer and the thoughts before it (reasoning_tokens)"
        )
    limit = request.max_input_tokens or max(0, context - kept_free)
    if not limit:
        return Profile(table.get("variant", "plain"), prompts=request.prompts or "")
    return Profile(
        variant=table.get("variant", "plain"),
        policy=policy,
        tokenizer=request.tokenizer or table.get("tokenizer", "words"),
        limit_tokens=limit,
        official=request.truncation == "official",
        prompts=request.prompts or "",
    )


def seed_of(request: Request) -> int:
    """The seed of this request, or the suite's."""
    return request.config.seed if request.seed is None else request.seed
