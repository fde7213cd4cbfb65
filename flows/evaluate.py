"""Flow evaluate: the whole chain, from raw upstream files to scores, leaderboard and report."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from prefect import flow
from prefect.runtime import flow_run

import scrollwork.pipeline.loaded_code  # noqa: F401  before what it watches
from scrollwork.flows.alive import giving_signs
from scrollwork.flows.artifacts import show_results
from scrollwork.flows.chains import Chain
from scrollwork.flows.epochs import LOG as EPOCHS_LOG
from scrollwork.flows.epochs import with_epochs
from scrollwork.flows.execute import run, with_contexts, with_way
from scrollwork.flows.parameters import OF_RUN, finish, naming_extras, request_of, with_options
from scrollwork.pipeline.engines.prefect import (
    forwarded,
    log_warnings,
    provide_secrets,
    run_prefect,
    side_by_side,
)
from scrollwork.pipeline.engines.workers import workers_of
from scrollwork.readings.results import Results, report_of
from scrollwork.readings.run_outcome import Outcome


@flow(name="evaluate", flow_run_name="evaluate {suite}", task_runner=side_by_side())
@with_options(OF_RUN, sample=True, models=["naive"])
@giving_signs
def evaluate(**parameters: Any) -> Outcome:
    """Evaluate models on a suite. By default: the naive baselines on the bundled sample."""
    request = request_of({**parameters, "models": parameters.get("models") or ["naive"]})
    with naming_extras():
        chain = with_way(with_contexts(Chain(replace(request, run=str(flow_run.id or "")))))
        chain = with_epochs(chain, opening=True)
    log_warnings(chain.epochs.notes)
    request = chain.request
    if request.in_batches:  # they are asked here, between the stages
        provide_secrets(chain.resolved.calling.tables)
    with naming_extras(), forwarded(EPOCHS_LOG), workers_of(request.workers, request.dask) as processes:
        outcome = run(chain, partial(run_prefect, processes=processes))
    report, results = report_of(outcome), Results(chain)
    show_results(chain, outcome, results)
    return finish(outcome, results.unanswered(report) if report is not None else [])
