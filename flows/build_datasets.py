"""Flow build-datasets: raw upstream files -> curated examples -> benchmark samples."""

from __future__ import annotations

from typing import Any

from prefect import flow

import scrollwork.pipeline.loaded_code  # noqa: F401  before what it watches
from scrollwork.flows.chains import Chain
from scrollwork.flows.execute import build
from scrollwork.flows.parameters import finish, request_of
from scrollwork.pipeline.engines.prefect import run_prefect, side_by_side
from scrollwork.readings.run_outcome import Outcome


@flow(name="build-datasets", flow_run_name="build {suite}", task_runner=side_by_side())
def build_datasets(
    suite: str = "zeroscrolls",
    tasks: list[str] | None = None,
    splits: list[str] | None = None,
    raw: str | None = None,
    sample: bool = True,
    limit: int = 0,
    seed: int | None = None,
    max_input_tokens: int = 0,
    runs: int = 0,
    shots: int | None = None,
    vary: list[str] | None = None,
    draws: str = "",
    instances: int = 0,
    strategy: str = "",
    units: str = "",
    options: dict[str, Any] | None = None,
    home: str | None = None,
    store: str = "",
    strict: bool = False,
) -> Outcome:
    """Build a suite's data sets. By default: the bundled sample.

    Args:
        suite: Which benchmark: its name, or the whole path of a suite file.
        tasks: Which of its tasks; all by default.
        splits: Which splits; the suite's default ones by default.
        raw: Folder of raw upstream files; takes the place of the sample.
        sample: Use the bundled sample where no raw folder is named; else what was fetched into the home.
        limit: At most so many inputs a task; 0 for the suite's own number.
        seed: Seed of random choices; the suite's by default.
        max_input_tokens: Cut prompts to so many tokens; 0 for none.
        runs: Of a suite that draws its prompts anew: how many runs; 0 for the suite's own number.
        shots: Demonstrations in its prompts; the suite's own number by default.
        vary: What differs between its runs, the rest held fixed; all by default.
        draws: "official" to draw as the official code does, in one stream.
        instances: Of a run at most; 0 for the suite's number, -1 for all.
        strategy: Which windows of contexts are observed; all by default.
        units: Another granularity of the tasks' contexts than their own.
        options: Values by "task.option".
        home: Home folder, by its whole path; SCROLLWORK_HOME, else that of `scrollwork up`, by default.
        store: Response store URL; in the home by default.
        strict: End at the first malformed record instead of dropping it.
    """
    return finish(build(Chain(request_of(dict(locals()))), run_prefect))
