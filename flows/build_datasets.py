"""Flow build-datasets: raw upstream files -> curated examples -> benchmark samples."""

from __future__ import annotations

from functools import partial
from typing import Any

from prefect import flow

import scrollwork.pipeline.loaded_code  # noqa: F401  before what it watches
from scrollwork.flows.alive import giving_signs
from scrollwork.flows.chains import Chain
from scrollwork.flows.execute import build
from scrollwork.flows.parameters import OF_BUILD, finish, naming_extras, request_of, with_options
from scrollwork.pipeline.engines.prefect import run_prefect, side_by_side
from scrollwork.pipeline.engines.workers import workers_of
from scrollwork.readings.run_outcome import Outcome


@flow(name="build-datasets", flow_run_name="build {suite}", task_runner=side_by_side())
@with_options(OF_BUILD, sample=True)
@giving_signs
def build_datasets(**parameters: Any) -> Outcome:
    """Build a suite's data sets. By default: the bundled sample."""
    chain = Chain(request_of(parameters))
    with naming_extras(), workers_of(chain.request.workers, chain.request.dask) as processes:
        return finish(build(chain, partial(run_prefect, processes=processes)))
