"""Read scored results from artifacts, for exports to other tools: systems, their tasks, and single inputs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from scrollwork.analysis.statistics.intervals import LEVEL, RESAMPLES
from scrollwork.models.hosted.tables import temperature
from scrollwork.models.local import local_tables
from scrollwork.models.registry import CALLED, HOSTED, LOCAL
from scrollwork.models.registry import is_outside as is_module
from scrollwork.pipeline.errors import StageFailed, UsageError
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.readings.results import Results
from scrollwork.records.example import Example
from scrollwork.records.prompt import Prompt, render
from scrollwork.records.response import Failure, Response
from scrollwork.records.run_score import RunScore
from scrollwork.records.score import Aggregate, Score
from scrollwork.reporting.exchange.system import BASELINES, ELSEWHERE, Item, System, Trial, identity
from scrollwork.scoring.answers import in_tag
from scrollwork.scoring.registry import metric
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.home import Home
from scrollwork.suites.outside_systems import PROVIDER, is_outside, shown_name, table_of
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import load_models

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain

OWN_MACHINE = re.compile(r"https?://(localhost|127\.|\[::1\]|10\.|192\.168\.)")
# Keys of a model's table that are exported: what answers depend on, but no address, secret or path.
TOLD = (
    *("endpoint", "variant", "temperature", "max_new_tokens", "reasoning_tokens", "stop", "parameters", "extra"),
    *("dtype", "load_in_4bit", "chat", "generation", "digest"),
)


@dataclass(frozen=True)
class Scored:
    """A task on which a model (or each seed of a family) was scored, with the artifacts behind the score."""

    node: Node
    table: Mapping[str, Any]
    request: Request
    inputs: InputArtifacts
    aggregate: Artifact

    @cached_property
    def rows(self) -> dict[str, Aggregate]:
        """The aggregate of each member, by name: a seed of a family, or the model itself."""
        listed = list(self.aggregate.rows("aggregates", Aggregate))
        if len(listed) > 1:
            return {row.model: row for row in listed[:-1]}
        (member,) = {name for shard in self.inputs.each("answers") for name in shard.facts["members"]}
        return {member: listed[0]}

    @cached_property
    def runs(self) -> dict[str, list[RunScore]]:
        """The runs of each member, by name; empty if the suite has no runs."""
        found: dict[str, list[RunScore]] = {}
        for row in self.aggregate.rows("runs", RunScore):
            found.setdefault(row.model, []).append(row)
        return {member: found[row.model] for member, row in self.rows.items() if row.model in found}

    def each_run(self, member: str) -> Sequence[RunScore | None]:
        """The runs of a member, or [None] if it has no runs."""
        return self.runs.get(member) or [None]

    @cached_property
    def tag(self) -> str:
        """The tag in which the prompt asks for answers, "" for none."""
        score = self.node.each("scores")[0]
        return str(score.params.get("tag", ""))

    @cached_property
    def order(self) -> dict[tuple[str, int], int]:
        """The place of each input (id, draw) in the samples, run by run, from 0."""
        columns = ["example_id", "draw"]
        rows = (row for sample in self.inputs.each("sample") for row in sample.columns("examples", columns))
        return {(row["example_id"], row["draw"]): number for number, row in enumerate(rows)}

    def ids(self, run: RunScore | None = None) -> list[str]:
        """Ids of the inputs in order; of one run if it is given."""
        return [name for name, draw in self.order if run is None or draw == run.run]

    def trial(self, member: str, run: RunScore | None = None) -> Trial:
        """The exported result of a member on this task, or on one run of it."""
        request, label = self.request, self.node.label
        own, task = metric(label("metric")), request.config.tasks[label("task")]
        return Trial(
            suite=request.suite,
            title=request.config.title,
            task=label("task"),
            split=label("split"),
            arm=label("arm"),
            system=system_of(member, self.table),
            metric=own.NAME,
            metric_version=own.VERSION,
            profile=str(self.node.params["profile"]),
            max_new_tokens=request.config.new_tokens(task, request.prompts),
            temperature=asked_temperature(self.table),
            aggregate=self.rows[member],
            made=self.made,
            ended=float(self.aggregate.run().get("written", 0.0)),
            version=version("scrollwork"),
            resamples=RESAMPLES,
            level=LEVEL,
            run=run,
            runs=len(self.runs.get(member, ())),
            proxy=task.proxy if task.metric == own.NAME else "",
        )

    @cached_property
    def made(self) -> dict[str, Any]:
        """Content keys by stage; a list if the stage has several shards."""
        found: dict[str, Any] = {}
        for name in ("sample", "prompts", "answers", "scores"):
            contents = [shard.content for shard in self.inputs.each(name)]
            found[name] = contents[0] if len(contents) == 1 else contents
        return {**found, "aggregate": self.aggregate.content}

    def items(self, member: str, run: RunScore | None = None) -> Iterator[Item]:
        """Yield every input with the member's answer, in order of the prompts; of one run if it is given. In memory are
        the answers of one shard and the text of one prompt."""
        samples = self.inputs.each("sample")
        rows = (
            row for one in (samples if run is None else [samples[run.run]]) for row in one.rows("examples", Example)
        )
        examples = {(example.example_id, example.draw): example for example in rows}
        text_of = self.inputs["curated"].texts()
        for number, prompts in enumerate(self.inputs.each("prompts")):
            if run is not None and number != run.run:
                continue
            answers, scores = (self.inputs.each(name)[number] for name in ("answers", "scores"))
            made = {"prompts": prompts.content, "answers": answers.content, "scores": scores.content}
            came = {(r.example_id, r.draw): r for r in answers.rows("responses", Response) if r.model == member}
            failed = {(r.example_id, r.draw): r for r in answers.rows("failures", Failure) if r.model == member}
            scored = {(r.example_id, r.draw): r for r in scores.rows("scores", Score) if r.model == member}
            for prompt in prompts.rows("prompts", Prompt):
                name = prompt.example_id, prompt.draw
                response = came.get(name)
                yield Item(
                    number=self.order[name],
                    example=examples[name],
                    prompt=prompt,
                    text=render(prompt.parts, text_of),
                    response=response,
                    failure=failed.get(name),
                    score=scored.get(name),
                    answer=self.read(response) if response is not None else "",
                    made=made,
                )

    def answers(self, member: str) -> Iterator[Response]:
        """The member's responses, without prompts."""
        for answers in self.inputs.each("answers"):
            yield from (row for row in answers.rows("responses", Response) if row.model == member)

    def read(self, response: Response) -> str:
        """The part of a response that the metric reads."""
        return in_tag(response.within, self.tag) if self.tag else response.within


@dataclass(frozen=True)
class ScoredResults:
    """Scored results of a request. request: with the models' full names. lacking: what is not scored, in words. notes:
    inputs without a score, in words."""

    request: Request
    scored: tuple[Scored, ...]
    lacking: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def members(self) -> dict[str, list[Scored]]:
        """The scored tasks of each member, by name, in the order of the models and tasks."""
        found: dict[str, list[Scored]] = {}
        for one in self.scored:
            for member in one.rows:
                found.setdefault(member, []).append(one)
        return found


def scored_answers(chain: Chain) -> ScoredResults:
    """Collect the scored results of a request. Raises UsageError without a model, StageFailed if nothing is scored."""
    request = chain.request
    chosen = [one for name in request.models for one in resolved_model(request, name)]
    elsewhere = dict.fromkeys((name, tasks) for name, tasks in chosen if tasks)
    request = replace(request, models=tuple(dict.fromkeys(name for name, tasks in chosen if not tasks)))
    if not chosen:
        known = ", ".join(models_ran(request)) or "none yet"
        raise UsageError(f"this export needs --model M; models that ran on {request.suite} in this home: {known}")
    requests = [request] if request.models else []
    requests += [replace(request, models=(name,), tasks=tasks, base_url=None) for name, tasks in elsewhere]
    chains = [chain.other(one) for one in requests]
    results = Results(chains[0])
    tables = [pair for one in chains for pair in one.resolved.tables.items()]
    by_name = {table.get("shown", model): table for model, table in tables}
    found, lacking, notes = [], [], []
    for node in (node for one in chains for node in one.scored):
        aggregate = results.artifact(node)
        what = ", ".join([node.label(name) for name in ("task", "split", "model")])
        if aggregate is None:
            lacking.append(f"{what}: not scored")
            continue
        reads = dict([*node.inputs, ("curated", (node.each("prompts")[0].input("curated"),))])
        inputs = {name: [results.artifact(one) for one in needed] for name, needed in reads.items()}
        if gone := sorted(name for name, artifacts in inputs.items() if None in artifacts):
            lacking.append(f"{what}: {', '.join(gone)} not here any more; run it again")
            continue
        whole = InputArtifacts({name: [one for one in some if one is not None] for name, some in inputs.items()})
        for why, count in aggregate.facts["without_gold"].items():
            notes.append(f"{what}: {count:,} inputs have no score: {why}")
        found.append(Scored(node, by_name[node.label("model")], request, whole, aggregate))
    if not found:
        options = " and the options that it ran with"
        raise StageFailed(f"nothing of it is scored: run `scrollwork run {request.suite}` with these models{options}")
    refuse_twins(found)
    return ScoredResults(replace(requests[0], tasks=request.tasks), tuple(found), tuple(lacking), tuple(notes))


def refuse_twins(found: Sequence[Scored]) -> None:
    """Raise UsageError if two systems would get the same id in the files, or if a seed is there twice."""
    by_id: dict[str, str] = {}
    seen: set[tuple[str, ...]] = set()
    for one in found:
        for member in one.rows:
            system = system_of(member, one.table)
            if by_id.setdefault(system.id, system.name) != system.name:
                names = f"{by_id[system.id]!r} and {system.name!r}"
                raise UsageError(f"models {names} would both be {system.id} in the files; export them one by one")
            place = (member, *(one.node.label(name) for name in ("task", "split", "arm")))
            if place in seen:
                raise UsageError(f"{member} stands in two of the models; leave one out")
            seen.add(place)


def resolved_model(request: Request, name: str) -> list[tuple[str, tuple[str, ...]]]:
    """(full name of a model, its tasks; () for those of the request) for a name that a user gave.

    A system that ran elsewhere can be named as tables show it. If its files were scored one by one, it is several
    models; for each task, the newest is used."""
    if is_outside(name) or name.partition(":")[0] in load_models(request.models_file):
        return [(name, ())]
    outside = [model for model in reversed(models_ran(request)) if is_outside(model) and shown_name(model) == name]
    taken: set[str] = set()
    found = []
    for model in outside:
        held = table_of(model, Home(request.home, request.store), request.config.tasks)["tasks"]
        tasks = tuple(task for task in held if task not in taken and (not request.tasks or task in request.tasks))
        taken |= {*tasks}
        found += [(model, tasks)] if tasks else []
    return found or [(outside[0] if outside else name, ())]


def models_ran(request: Request) -> list[str]:
    """The models of all runs of this suite in this home, the latest last."""
    runs = Home(request.home, request.store).runs()
    models = [model for run in runs if run["request"]["suite"] == request.suite for model in run["request"]["models"]]
    return list(dict.fromkeys(reversed(models)))[::-1]


def system_of(member: str, table: Mapping[str, Any]) -> System:
    """The exported identity of a member. Baselines are ours; of a system that ran elsewhere only the name is known."""
    provider = str(table["provider"])
    name = shown_name(member) if is_outside(member) else member
    owner, known, deployment = BASELINES, "", "self_deployed"
    if provider in HOSTED:
        owner, known = provider, str(table["id"])
        own = OWN_MACHINE.match(str(table.get("base_url", "")))
        deployment = "self_deployed" if own else "unknown" if provider == "compatible" else "externally_managed"
    elif provider in LOCAL:
        owner, known = provider, str(table["checkpoint"])
    elif provider == PROVIDER or is_module(provider):
        owner, deployment = ELSEWHERE, "unknown"
    told = {key: table[key] for key in TOLD if key in table} if provider in CALLED else {}
    return System(name, *identity(name, owner, known), deployment, provider, told)


def asked_temperature(table: Mapping[str, Any]) -> float | None:
    """The temperature that a model was asked with; None if none was sent or it is unknown."""
    provider = str(table["provider"])
    if provider in HOSTED:
        return temperature(table)
    return local_tables.temperature(table) if provider in LOCAL else None
