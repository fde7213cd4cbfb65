"""The whole chain of a request on an engine: plan, build, publish the report, keep a row of the run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scrollwork.flows.twins import fitted_nodes, without_failed_twins
from scrollwork.pipeline.build import mending
from scrollwork.pipeline.calling import begin, new_run
from scrollwork.pipeline.engines.inline import Engine, Finished, run_inline, run_strictly
from scrollwork.pipeline.plan import Node, topological
from scrollwork.pipeline.planner import Planner, Status
from scrollwork.pipeline.raw_files import standing
from scrollwork.pipeline.session import Locations, Workshop
from scrollwork.readings.run_outcome import Chain
from scrollwork.storage.digest import sha256_of
from scrollwork.suites.model_tables import locations_of
from scrollwork.suites.outside_systems import is_outside, shown_name
from scrollwork.suites.request import Request
from scrollwork.tasks.aggregate.run import STAGE as AGGREGATE
from scrollwork.tasks.complexity.run import STAGE as COMPLEXITY
from scrollwork.tasks.judge.run import STAGE as JUDGE
from scrollwork.tasks.report.published import keep
from scrollwork.tasks.report.published import publish as publish_page
from scrollwork.tasks.stages import (
    build_nodes,
    compare_node,
    failure,
    judge_node,
    overview_node,
    rank_node,
    report_node,
    run_nodes,
)
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


def plan(request: Request) -> Planned:
    """The state of every stage of a request; the report's too, once everything before it stands or cannot be built."""
    standing.cache_clear()
    planner = Planner(Workshop(locations_of(request)))
    nodes = topological(run_targets(request) if request.models else build_nodes(request))
    statuses = [(node, planner.status(node)) for node in nodes]
    for last in planned_report(request, statuses) if request.models else [planned_overview(request, statuses)]:
        statuses.append((last, planner.status(last)))
    return Planned(tuple(statuses))


def run_targets(request: Request) -> list[Node]:
    """What `run` builds before models are compared: all scores, and what is judged of them."""
    scored = run_nodes(request)
    return [*scored, *map(judge_node, scored), *fitted_nodes(request, scored, locations_of(request))]


def planned_report(request: Request, statuses: Sequence[tuple[Node, Status]]) -> list[Node]:
    """The comparison and the report over the aggregates that can be had."""
    aggregates = [(node, status) for node, status in statuses if node.stage == AGGREGATE]
    failures = [failure(node, str(status.problem)) for node, status in aggregates if status.problem is not None]
    scored = [node for node, status in aggregates if status.problem is None]
    judged = [node for node, status in statuses if node.stage == JUDGE and status.problem is None]
    fitted = [node for node, status in statuses if node.stage == COMPLEXITY and status.problem is None]
    said = over_all(request, judged, scored, failures)
    return [*said, report_node(request, scored, failures, [*judged, *fitted, *said])]


def over_all(
    request: Request, judged: Sequence[Node], scored: Sequence[Node], failures: Sequence[Mapping[str, str]]
) -> list[Node]:
    """What is said of all models together: compared on the same inputs, and ranked where the suite has runs."""
    compared = [compare_node(request, judged, scored)] if judged else []
    return [*compared, *([rank_node(request, scored, failures)] if request.run_count and scored else [])]


def planned_overview(request: Request, statuses: Sequence[tuple[Node, Status]]) -> Node:
    """The overview of the statistics that can be had."""
    statistics = [node for node, status in statuses if node.stage == STATISTICS and status.problem is None]
    return overview_node(request, statistics)


def build(request: Request, engine: Engine = run_inline) -> Chain:
    """Raw files to samples and their statistics. What failed is missing from the page."""
    sweep(request)
    locations = locations_of(request)
    finished = ran(request, engine, build_nodes(request))
    if request.strict and any(one.error for one in finished):
        chain = Chain(request, tuple(finished))
        note(chain)
        return chain
    statistics = [one.node for one in finished if one.node.stage == STATISTICS and not one.error]
    overview = overview_node(request, statistics)
    last, page = mending(Workshop(locations), lambda: overviewed(request, overview, engine))
    chain = Chain(request, (*finished, last), page)
    note(chain)
    return chain


def overviewed(request: Request, overview: Node, engine: Engine) -> tuple[Finished, Path | None]:
    """The overview, built, its page and pictures published. Raises DamagedArtifact."""
    (last,) = engine([overview], locations_of(request))
    if last.error:
        return last, None
    shop = Workshop(locations_of(request))
    artifact = Planner(shop).status(overview).artifact
    assert artifact is not None
    artifact.check(rehash=True)
    for name in artifact.facts["pictures"]:
        keep(shop.home.reports / f"{request.suite}-{name}", artifact.bytes_of(name))
    page = keep(shop.home.reports / f"{request.suite}-statistics.html", artifact.bytes_of("statistics.html"))
    return last, page


def run(request: Request, engine: Engine = run_inline) -> Chain:
    """Raw files to a report. What failed is missing from it and named in it."""
    request = replace(request, run=request.run or new_run())
    begin(request.run)
    sweep(request)
    finished = ran(request, engine, run_targets(request))
    if request.strict and any(one.error and one.node.strict for one in finished):
        chain = Chain(request, tuple(finished))
        note(chain)
        return chain
    finished = without_failed_twins(request, finished, engine, locations_of(request))
    aggregates = [one for one in finished if one.node.stage == AGGREGATE]
    failures = [failure(one.node, one.error) for one in aggregates if one.error]
    scored = [one.node for one in aggregates if not one.error]
    judged = [one.node for one in finished if one.node.stage == JUDGE and not one.error]
    fitted = [one.node for one in finished if one.node.stage == COMPLEXITY and not one.error]
    together = over_all(request, judged, scored, failures)
    compared = engine(together, locations_of(request)) if together else []
    beside = [*judged, *fitted, *(one.node for one in compared if not one.error)]
    report = report_node(request, scored, failures, beside)
    last, page = mending(Workshop(locations_of(request)), lambda: reported(request, report, engine))
    chain = Chain(request, (*finished, *compared, last), page)
    note(chain)
    return chain


def ran(request: Request, engine: Engine, targets: list[Node]) -> list[Finished]:
    """How every node that the targets need ended. Batches are asked between prompts and answers."""
    nodes, locations = topological(targets), locations_of(request)
    first: dict[str, Finished] = {}
    if locations.calling is not None and locations.calling.tables:
        first = before_batches(request, engine, nodes, locations)
    rest = [node for node in nodes if node.name not in first]
    finished = {**first, **{one.node.name: one for one in through(request, engine, rest, locations)}}
    return [finished[node.name] for node in nodes]


def through(request: Request, engine: Engine, nodes: list[Node], locations: Locations) -> list[Finished]:
    """How nodes ended, inputs first."""
    return run_strictly(engine, nodes, locations) if request.strict else engine(nodes, locations)


def before_batches(request: Request, engine: Engine, nodes: list[Node], locations: Locations) -> dict[str, Finished]:
    """How the nodes before hosted models' answers ended, of those that did not fail; batches taken in, and with --batch
    submitted and waited for."""
    from scrollwork.tasks.generate.batches import settle, unanswered  # loads the engine of calls

    assert locations.calling is not None
    finished: list[Finished] = []
    asked = unanswered(nodes, locations, ())
    if asked and locations.calling.batch:
        finished = through(request, engine, topological([needed for node in asked for needed in node.needs]), locations)
        asked = unanswered(asked, locations, [one.node.name for one in finished if one.error])
    if not (request.strict and any(one.error for one in finished)):
        settle(asked, locations)
    return {one.node.name: one for one in finished if not one.error}


def reported(request: Request, report: Node, engine: Engine) -> tuple[Finished, Path | None]:
    """The report, built and published. Raises DamagedArtifact."""
    (last,) = engine([report], locations_of(request))
    return last, None if last.error else publish(request, report)


def sweep(request: Request) -> None:
    """Clean up after killed runs; look for raw files anew, which a person may have put there since."""
    standing.cache_clear()
    Workshop(locations_of(request)).artifacts.sweep()


def publish(request: Request, report: Node) -> Path:
    """Put the page where people find it; the path. Raises DamagedArtifact, also for the rows that people are shown."""
    shop = Workshop(locations_of(request))
    artifact = Planner(shop).status(report).artifact
    assert artifact is not None
    artifact.check(rehash=True)
    return publish_page(artifact, shop.home.reports / page_name(request))


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


def note(chain: Chain) -> None:
    """Keep a row of the run where the home can be written: request, how stages ended, keys of the last artifacts."""
    shop = Workshop(locations_of(chain.request))
    if not shop.home.writable:
        return
    planner = Planner(shop)
    roots = {one.node.name: planner.status(one.node).key for one in chain.finished if not one.error}
    shop.home.note_run(
        {
            "request": {**chain.request.to_json(), "store": without_password(chain.request.store)},
            "stages": {one.node.name: one.how for one in chain.finished},
            "errors": {one.node.name: one.error for one in chain.failed},
            "keys": roots,
            "report": str(chain.report) if chain.report else None,
        }
    )
