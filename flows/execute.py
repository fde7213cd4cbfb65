"""A chain on an engine: its states, building, publishing the report, a row of the run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scrollwork.flows.chains import Chain, failure
from scrollwork.pipeline import plan_files
from scrollwork.pipeline.build import mending
from scrollwork.pipeline.calling import begin
from scrollwork.pipeline.engines.inline import Engine, Finished, run_inline, run_strictly
from scrollwork.pipeline.plan import Node, Plan, topological
from scrollwork.pipeline.planner import Planner, Status
from scrollwork.pipeline.raw_files import all_matches
from scrollwork.readings.run_outcome import Outcome
from scrollwork.storage.digest import sha256_of
from scrollwork.suites.home_suites import keep_copy
from scrollwork.suites.outside_systems import is_outside, shown_name
from scrollwork.suites.request import Request
from scrollwork.tasks.aggregate.run import STAGE as AGGREGATE
from scrollwork.tasks.judge.run import STAGE as JUDGE
from scrollwork.tasks.report.published import keep
from scrollwork.tasks.report.published import publish as publish_page
from scrollwork.tasks.statistics import STAGE as STATISTICS

NAME_CHARS = 40  # of a system in a page's name


@dataclass(frozen=True)
class Planned:
    """Every stage with its state; work: whether something can and must be done."""

    statuses: tuple[tuple[Node, Status], ...]

    @property
    def work(self) -> bool:
        """Something is not there and could be built."""
        return any(status.state != "reused" and status.problem is None for _, status in self.statuses)


def plan(chain: Chain) -> Planned:
    """The state of every stage of a chain; the report's too, once everything before it stands or cannot be built."""
    all_matches.cache_clear()
    planner, models = Planner(chain.session), chain.request.models
    nodes = topological(chain.evaluated if models else chain.built)
    statuses = [(node, planner.status(node)) for node in nodes]
    for last in planned_report(chain, statuses) if models else [planned_overview(chain, statuses)]:
        statuses.append((last, planner.status(last)))
    return Planned(tuple(statuses))


def planned_report(chain: Chain, statuses: Sequence[tuple[Node, Status]]) -> list[Node]:
    """The comparison and the report over the aggregates that can be had."""
    aggregates = [(node, status) for node, status in statuses if node.stage == AGGREGATE]
    failures = [failure(node, str(status.problem)) for node, status in aggregates if status.problem is not None]
    scored = [node for node, status in aggregates if status.problem is None]
    judged = [node for node, status in statuses if node.stage == JUDGE and status.problem is None]
    further = {node.name for node in chain.further}
    fitted = [node for node, status in statuses if node.name in further and status.problem is None]
    together = chain.together(judged, scored, failures)
    return [*together, chain.report(scored, failures, [*judged, *fitted, *together])]


def planned_overview(chain: Chain, statuses: Sequence[tuple[Node, Status]]) -> Node:
    """The overview of the statistics that can be had."""
    return chain.overview([node for node, one in statuses if node.stage == STATISTICS and one.problem is None])


def build(chain: Chain, engine: Engine = run_inline) -> Outcome:
    """Raw files to samples and their statistics. What failed is missing from the page."""
    sweep(chain)
    finished = ran(chain, engine, chain.built)
    if chain.request.strict and any(one.error for one in finished):
        return noted(chain, Outcome(chain.request, tuple(finished)))
    overview = chain.overview([one.node for one in finished if one.node.stage == STATISTICS and not one.error])
    last, page = mending(chain.session, lambda: overviewed(chain, overview, engine))
    return noted(chain, Outcome(chain.request, (*finished, last), page))


def overviewed(chain: Chain, overview: Node, engine: Engine) -> tuple[Finished, Path | None]:
    """The overview, built, its page and pictures published. Raises DamagedArtifact."""
    (last,) = engine(chain.only([overview]))
    if last.error:
        return last, None
    artifact = Planner(chain.session).status(overview).artifact
    assert artifact is not None
    artifact.check(rehash=True)
    suite, reports = chain.request.suite, chain.session.home.reports
    for name in artifact.facts["pictures"]:
        keep(reports / f"{suite}-{name}", artifact.bytes_of(name))
    return last, keep(reports / f"{suite}-statistics.html", artifact.bytes_of("statistics.html"))


def run(chain: Chain, engine: Engine = run_inline) -> Outcome:
    """Raw files to a report. What failed is missing from it and named in it."""
    begin(chain.request.run)
    sweep(chain)
    finished = ran(chain, engine, chain.evaluated)
    if chain.request.strict and any(one.error and one.node.strict for one in finished):
        return noted(chain, Outcome(chain.request, tuple(finished)))
    finished = chain.design.ended(chain, finished, engine)
    aggregates = [one for one in finished if one.node.stage == AGGREGATE]
    failures = [failure(one.node, one.error) for one in aggregates if one.error]
    scored = [one.node for one in aggregates if not one.error]
    judged = [one.node for one in finished if one.node.stage == JUDGE and not one.error]
    further = {node.name for node in chain.further}
    fitted = [one.node for one in finished if one.node.name in further and not one.error]
    together = chain.together(judged, scored, failures)
    compared = engine(chain.only(together)) if together else []
    beside = [*judged, *fitted, *(one.node for one in compared if not one.error)]
    report = chain.report(scored, failures, beside)
    last, page = mending(chain.session, lambda: reported(chain, report, engine))
    return noted(chain, Outcome(chain.request, (*finished, *compared, last), page))


def ran(chain: Chain, engine: Engine, targets: Sequence[Node]) -> list[Finished]:
    """How every node that the targets need ended. Batches are asked between prompts and answers."""
    plan = chain.plan(targets)
    first: dict[str, Finished] = {}
    if chain.resolved.calling.tables:
        first = before_batches(chain.request, engine, plan)
    rest = plan.only(node for node in plan.nodes if node.name not in first)
    finished = {**first, **{one.node.name: one for one in through(chain.request, engine, rest)}}
    return [finished[node.name] for node in plan.nodes]


def with_way(chain: Chain) -> Chain:
    """The chain, with the cheapest way of asking chosen where its request wants that; prompts are built for it."""
    if chain.request.way != "cheapest":
        return chain
    from scrollwork.readings.ways import settled  # loads what estimates need

    return settled(chain)


def through(request: Request, engine: Engine, plan: Plan) -> list[Finished]:
    """How the nodes of a plan ended."""
    return run_strictly(engine, plan) if request.strict else engine(plan)


def before_batches(request: Request, engine: Engine, plan: Plan) -> dict[str, Finished]:
    """How the nodes before hosted models' answers ended, of those that did not fail; batches taken in, and with --batch
    submitted and waited for."""
    from scrollwork.tasks.generate.batches import collect_batches, unanswered  # loads the engine of calls

    calling = plan.locations.calling
    assert calling is not None
    finished: list[Finished] = []
    asked = unanswered(plan.nodes, plan.locations, ())
    if asked and calling.batch:
        finished = through(request, engine, Plan.of([one for node in asked for one in node.needs], plan.locations))
        asked = unanswered(asked, plan.locations, [one.node.name for one in finished if one.error])
    if not (request.strict and any(one.error for one in finished)):
        collect_batches(asked, plan.locations)
    return {one.node.name: one for one in finished if not one.error}


def reported(chain: Chain, report: Node, engine: Engine) -> tuple[Finished, Path | None]:
    """The report, built and published. Raises DamagedArtifact."""
    (last,) = engine(chain.only([report]))
    return last, None if last.error else publish(chain, report)


def sweep(chain: Chain) -> None:
    """Clean up after killed runs; look for raw files anew, which a person may have put there since."""
    all_matches.cache_clear()
    chain.session.artifacts.sweep()
    if chain.session.home.writable:
        plan_files.sweep(chain.request.home)


def publish(chain: Chain, report: Node) -> Path:
    """Put the page where people find it; the path. Raises DamagedArtifact, also for the rows that people are shown."""
    artifact = Planner(chain.session).status(report).artifact
    assert artifact is not None
    artifact.check(rehash=True)
    return publish_page(artifact, chain.session.home.reports / page_name(chain.request))


def page_name(request: Request) -> str:
    """SUITE.html, and of systems that ran elsewhere alone SUITE-predictions-NAME.html: their scores take no page of
    models away."""
    if not all(map(is_outside, request.models)):
        return f"{request.suite}.html"
    name = "+".join(map(shown_name, request.models))
    plain = re.sub(r"[^A-Za-z0-9.]+", "-", name)[:NAME_CHARS]
    return f"{request.suite}-predictions-{plain if plain == name else f'{plain}-{sha256_of(name)[:8]}'}.html"


def without_password(url: str) -> str:
    """A store's URL as it may be written down."""
    return re.sub(r"(?<=://)([^/@:]*):[^/@]*@", r"\1:***@", url)


def noted(chain: Chain, outcome: Outcome) -> Outcome:
    """Keep a row of the run where the home can be written: request, how stages ended, keys of the last artifacts."""
    session, request = chain.session, outcome.request
    if not session.home.writable:
        return outcome
    planner = Planner(session)
    session.home.note_run(
        {
            **keep_copy(session.home, request.config),
            "request": {**request.to_json(), "store": without_password(request.store)},
            "stages": {one.node.name: one.how for one in outcome.finished},
            "errors": {one.node.name: one.error for one in outcome.failed},
            "keys": {one.node.name: planner.status(one.node).key for one in outcome.finished if not one.error},
            "report": str(outcome.report) if outcome.report else None,
        }
    )
    return outcome
