"""Flow nightly: an evaluation that is compared with the accepted night, and fails where something dropped."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from prefect import flow
from prefect.artifacts import create_markdown_artifact
from prefect.runtime import flow_run
from prefect.states import Completed, Failed

import scrollwork.pipeline.loaded_code  # noqa: F401  before what it watches
from scrollwork.flows.alerts import tell_begun, tell_night
from scrollwork.flows.alive import giving_signs
from scrollwork.flows.artifacts import show_results
from scrollwork.flows.nights import NightTaken, night_of_run, take_night, with_night
from scrollwork.flows.parameters import OF_RUN, finish, naming_extras, request_of, with_options
from scrollwork.pipeline.engines.prefect import provide_secrets, run_prefect, side_by_side
from scrollwork.pipeline.engines.workers import workers_of
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.readings.nights.options import night_options
from scrollwork.readings.nights.page import markdown as night_markdown
from scrollwork.readings.nights.table import LONGEST
from scrollwork.readings.results import Results


@flow(name="nightly", flow_run_name="nightly {suite}", task_runner=side_by_side())
@with_options(OF_RUN, night_options(), sample=True, models=["naive"])
@giving_signs
def nightly(**parameters: Any) -> Any:
    """Evaluate models anew, compare them with the accepted night, store the night. It fails where a task dropped."""
    full_every = night_options()["full_every"].checked(parameters.pop("full_every", None))
    request = request_of({**parameters, "models": parameters.get("models") or ["naive"]})
    request = replace(request, run=str(flow_run.id or ""))
    if (before := night_of_run(request)) is not None:
        tell_night(before.chain, before)
        return ended(before)
    tell_begun(request.suite)
    with naming_extras():
        night = with_night(request, full_every)
    request = night.chain.request
    if request.in_batches:  # they are asked here, between the stages
        provide_secrets(night.chain.resolved.calling.tables)
    with naming_extras(), workers_of(request.workers, request.dask) as processes:
        taken = take_night(night, partial(run_prefect, processes=processes))
    tell_night(taken.chain, taken)
    show_results(taken.chain, taken.outcome, Results(taken.chain))
    return ended(taken)


def ended(taken: NightTaken) -> Any:
    """Return the state of the flow run, with the sentence of the night as its message.

    Raises StageFailed if the night is not whole, so that a retry goes on with it.
    """
    if taken.row is None:
        return finish(taken.outcome, taken.unfinished)
    row = taken.row
    create_markdown_artifact(night_markdown(row, taken.notes), key="night", description=f"night {row.name}")
    state = Failed if row.failed else Completed
    return state(message=printable(row.sentence, LONGEST), data=row.name)
