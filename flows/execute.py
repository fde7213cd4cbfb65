"""Run a chain on an engine: states of its stages, building, publishing the report, and noting the run."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from scrollwork.flows.chains import Chain, failure
from scrollwork.flows.epochs import close_epochs, told_of, with_epochs
from scrollwork.models.registry import HOSTED, client_module
from scrollwork.pipeline import plan_files
from scrollwork.pipeline.build import with_mending
from scrollwork.pipeline.calling import begin_run, within_time
from scrollwork.pipeline.engines.inline import Engine, Finished, run_inline, run_strictly
from scrollwork.pipeline.extras import refuse_absent
from scrollwork.pipeline.plan import Node, Plan, topological
from scrollwork.pipeline.planner import Planner, Status
from scrollwork.pipeline.raw_files import forget_matches
from scrollwork.readings.room import WROTE
from scrollwork.readings.run_outcome import Outcome
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.digest import sha256_of
from scrollwork.storage.errors import AccessDenied, StorageError
from scrollwork.storage.in_use import at_work
from scrollwork.suites.home_suites import COPY, keep_copy, newest_copy
from scrollwork.suites.outside_systems import is_outside, shown_name
from scrollwork.suites.request import Request
from scrollwork.suites.served_contexts import note_contexts
from scrollwork.tasks.aggregate.run import STAGE as AGGREGATE
from scrollwork.tasks.judge.run import STAGE as JUDGE
from scrollwork.tasks.report.published import publish as publish_page
from scrollwork.tasks.report.published import write_home_file
from scrollwork.tasks.statistics import STAGE as STATISTICS

log = logging.getLogger("scrollwork")
NAME_CHARS = 40  # of a system's name in a page's file name


@dataclass(frozen=True)
class Planned:
    """Every node with its state."""

    statuses: tuple[tuple[Node, Status], ...]

    @property
    def work(self) -> bool:
        """Whether some node is not built and can be."""
        return any(status.state != "reused" and status.problem is None for _, status in self.statuses)


def plan(chain: Chain) -> Planned:
    """The state of every node of a chain, with the report (or overview) over the tasks that can be built."""
    forget_matches(chain.request.raw)
    planner, models = Planner(chain.session), chain.request.models
    nodes = topological(chain.evaluated if models else chain.built)
    planner.look_at(nodes)
    statuses = [(node, planner.status(node)) for node in nodes]
    for last in planned_report(chain, statuses) if models else [planned_overview(chain, statuses)]:
        statuses.append((last, planner.status(last)))
    return Planned(tuple((node, asked_anew(chain, node, status)) for node, status in statuses))


def asked_anew(chain: Chain, node: Node, status: Status) -> Status:
    """The state of a node; of one whose model is asked anew, and was not yet, with that as the reason."""
    epochs, model = chain.epochs, node.label("model")
    if not node.asks or model not in epochs.anew or status.artifact is not None or status.problem is not None:
        return status
    return replace(status, state="missing", why=told_of(epochs.by_model[model]))


def planned_report(chain: Chain, statuses: Sequence[tuple[Node, Status]]) -> list[Node]:
    """The nodes over all models and the report, over the aggregates that can be built."""
    aggregates = [(node, status) for node, status in statuses if node.stage == AGGREGATE]
    failures = [failure(node, str(status.problem)) for node, status in aggregates if status.problem is not None]
    scored = [node for node, status in aggregates if status.problem is None]
    judged = [node for node, status in statuses if node.stage == JUDGE and status.problem is None]
    each = {node.name for node in chain.after_each_score}
    fitted = [node for node, status in statuses if node.name in each and status.problem is None]
    over_all = chain.after_all_scores(judged, scored, failures)
    return [*over_all, chain.report(scored, failures, [*judged, *fitted, *over_all])]


def planned_overview(chain: Chain, statuses: Sequence[tuple[Node, Status]]) -> Node:
    """The overview node over the statistics that can be built."""
    return chain.overview([node for node, one in statuses if node.stage == STATISTICS and one.problem is None])


def build(chain: Chain, engine: Engine = run_inline) -> Outcome:
    """Run `build`: raw files to samples and their statistics. Failed tasks are missing from the page."""
    with kept_from_gc(chain):
        return built_and_shown(chain, engine)


def built_and_shown(chain: Chain, engine: Engine) -> Outcome:
    """Build everything that `build` builds, and publish the page."""
    sweep(chain)
    finished = run_nodes(chain, engine, chain.built)
    if chain.request.strict and any(one.error for one in finished):
        return note_run(chain, Outcome(chain.request, tuple(finished)))
    overview = chain.overview([one.node for one in finished if one.node.stage == STATISTICS and not one.error])
    last, page = with_mending(chain.session, lambda: build_overview(chain, overview, engine))
    return note_run(chain, Outcome(chain.request, (*finished, last), page))


def build_overview(chain: Chain, overview: Node, engine: Engine) -> tuple[Finished, Path | None]:
    """Build the overview, and publish its page and pictures. Raises DamagedArtifact."""
    (last,) = engine(chain.only([overview]))
    if last.error:
        return last, None
    artifact = just_built(chain, overview)
    suite, reports = chain.request.suite, chain.session.home.reports
    for name in artifact.facts["pictures"]:
        write_home_file(reports / f"{suite}-{name}", artifact.bytes_of(name))
    return last, write_home_file(reports / f"{suite}-statistics.html", artifact.bytes_of("statistics.html"))


def run(chain: Chain, engine: Engine = run_inline) -> Outcome:
    """Run `run`: raw files to a report. Failed tasks are named in it."""
    begin_run(chain.request.run)
    with kept_from_gc(chain), within_time(chain.resolved.calling):
        sweep(chain)
        outcome = note_run(chain, scored_and_reported(chain, engine))
        close_epochs(chain)  # last: where a run is killed before its page and row stand, the same pays nothing anew
        return outcome


def kept_from_gc(chain: Chain) -> AbstractContextManager[None]:
    """Keep `gc` out of the home while a run is at work; of a remote home only if there is something to be built."""
    url = chain.session.home.url
    return at_work(url, busy="://" not in url or plan(chain).work)


def scored_and_reported(chain: Chain, engine: Engine) -> Outcome:
    """Build everything that `run` builds, and publish the report."""
    finished = run_nodes(chain, engine, chain.evaluated)
    if chain.request.strict and any(one.error and one.node.strict for one in finished):
        return Outcome(chain.request, tuple(finished))
    finished = chain.design.finish_partial(chain, finished, engine)
    aggregates = [one for one in finished if one.node.stage == AGGREGATE]
    failures = [failure(one.node, one.error) for one in aggregates if one.error]
    scored = [one.node for one in aggregates if not one.error]
    judged = [one.node for one in finished if one.node.stage == JUDGE and not one.error]
    each = {node.name for node in chain.after_each_score}
    fitted = [one.node for one in finished if one.node.name in each and not one.error]
    over_all = chain.after_all_scores(judged, scored, failures)
    compared = engine(chain.only(over_all)) if over_all else []
    beside = [*judged, *fitted, *(one.node for one in compared if not one.error)]
    report = chain.report(scored, failures, beside)
    last, page = with_mending(chain.session, lambda: build_report(chain, report, engine))
    return Outcome(chain.request, (*finished, *compared, last), page)


def run_nodes(chain: Chain, engine: Engine, targets: Sequence[Node]) -> list[Finished]:
    """Build everything that the targets need; returns how each node ended. Batches are submitted and collected between
    prompts and answers."""
    plan = chain.plan(targets)
    refuse_absent(plan.nodes)
    first: dict[str, Finished] = {}
    for provider in sorted({table["provider"] for table in chain.resolved.calling.tables.values()} & set(HOSTED)):
        client_module(provider, HOSTED)  # names the provider's extra, where the batches would name any
    if chain.resolved.calling.tables:
        first = before_batches(chain.request, engine, plan)
    rest = plan.only(node for node in plan.nodes if node.name not in first)
    finished = {**first, **{one.node.name: one for one in run_plan(chain.request, engine, rest)}}
    return [finished[node.name] for node in plan.nodes]


def with_contexts(chain: Chain) -> Chain:
    """The chain, with the contexts that servers of the user's own list, where nobody else says them: prompts are cut by
    them. A server is asked before the first run alone."""
    return chain.other(chain.request) if note_contexts(chain.resolved.calling.tables, chain.session.home) else chain


def with_way(chain: Chain) -> Chain:
    """The chain; for `--way cheapest`, with the cheapest way of calling chosen, which needs prompts to be built."""
    if chain.request.way != "cheapest":
        return chain
    from scrollwork.readings.ways import with_cheapest_way  # loads what estimates need

    return with_cheapest_way(with_epochs(chain, opening=False))


def run_plan(request: Request, engine: Engine, plan: Plan) -> list[Finished]:
    """Build the nodes of a plan; returns how they ended. With --strict, see `run_strictly`."""
    return run_strictly(engine, plan) if request.strict else engine(plan)


def before_batches(request: Request, engine: Engine, plan: Plan) -> dict[str, Finished]:
    """Collect finished batches; with --batch, first build the prompts, then submit batches and wait for them.

    Returns how these nodes ended, without those that failed (they are tried again with the rest)."""
    from scrollwork.tasks.generate.batches import collect_batches, unanswered_nodes  # loads the engine of calls

    calling = plan.locations.calling
    assert calling is not None
    finished: list[Finished] = []
    asked = unanswered_nodes(plan.nodes, plan.locations, ())
    if asked and calling.batch:
        finished = run_plan(request, engine, Plan.of([one for node in asked for one in node.needs], plan.locations))
        asked = unanswered_nodes(asked, plan.locations, [one.node.name for one in finished if one.error])
    if not (request.strict and any(one.error for one in finished)):
        collect_batches(asked, plan.locations)
    return {one.node.name: one for one in finished if not one.error}


def build_report(chain: Chain, report: Node, engine: Engine) -> tuple[Finished, Path | None]:
    """Build and publish the report. Raises DamagedArtifact."""
    (last,) = engine(chain.only([report]))
    return last, None if last.error else publish(chain, report)


def sweep(chain: Chain) -> None:
    """Remove what killed runs left, and forget which raw files were found: there may be new ones."""
    forget_matches(chain.request.raw)
    chain.session.artifacts.sweep()
    if chain.session.home.writable:
        plan_files.sweep(chain.request.home)


def just_built(chain: Chain, node: Node) -> Artifact:
    """Return the artifact of a node that was built, after all of its parts were hashed.

    Raises DamagedArtifact, StorageError if raw files changed meanwhile, so that it was built from others.
    """
    artifact = Planner(chain.session).status(node).artifact
    if artifact is None:
        raise StorageError("raw files changed while this ran: run the same command again; what was built stands")
    artifact.check(rehash=True)
    return artifact


def publish(chain: Chain, report: Node) -> Path:
    """Copy the page to the reports folder; returns its path. Raises DamagedArtifact for any part of the report."""
    artifact = just_built(chain, report)
    return publish_page(artifact, chain.session.home.reports / page_name(chain.request))


def page_name(request: Request) -> str:
    """SUITE.html, or SUITE-predictions-NAME.html for systems that ran elsewhere, so that their page does not replace
    that of models."""
    if not all(map(is_outside, request.models)):
        return f"{request.suite}.html"
    name = "+".join(map(shown_name, request.models))
    plain = re.sub(r"[^A-Za-z0-9.]+", "-", name)[:NAME_CHARS]
    return f"{request.suite}-predictions-{plain if plain == name else f'{plain}-{sha256_of(name)[:8]}'}.html"


def without_password(url: str) -> str:
    """A store's URL with its password hidden, to be stored."""
    return re.sub(r"(?<=://)([^/@:]*):[^/@]*@", r"\1:***@", url)


def bytes_of(status: Status) -> int:
    """The bytes of a node's artifact; 0 without one."""
    return sum(part.bytes for part in status.artifact.manifest.files) if status.artifact is not None else 0


def note_run(chain: Chain, outcome: Outcome) -> Outcome:
    """Store a row of the run (request, how nodes ended, keys) if the home can be written; returns the outcome with
    the row."""
    session, request = chain.session, outcome.request
    writable = session.home.writable
    planner = Planner(session)
    row = {
        **(keep_copy(session.home, request.config) if writable else {COPY: newest_copy(session.home, request.suite)}),
        "request": {**request.to_json(), "store": without_password(request.store)},
        "stages": {one.node.name: one.how for one in outcome.finished},
        "errors": {one.node.name: one.error for one in outcome.failed},
        "keys": {one.node.name: planner.status(one.node).key for one in outcome.finished if not one.error},
        "report": str(outcome.report) if outcome.report else None,
        WROTE: sum(bytes_of(planner.status(one.node)) for one in outcome.finished if one.how == "built"),
        **({"epochs": epochs} if (epochs := chain.epochs.noted) else {}),
    }
    if not writable:
        return replace(outcome, row=row)
    try:
        session.home.note_run(row)
    except AccessDenied as error:
        if any(one.how == "built" for one in outcome.finished):
            raise
        log.warning("%s; nothing was to be done, and no row of this run is kept", error)
    return replace(outcome, row=row)
