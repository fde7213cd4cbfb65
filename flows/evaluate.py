"""Flow evaluate: the whole chain, from raw upstream files to scores, leaderboard and report."""

from __future__ import annotations

from typing import Any

from prefect import flow
from prefect.runtime import flow_run

import scrollwork.pipeline.loaded_code  # noqa: F401  before what it watches
from scrollwork.flows.chains import Chain
from scrollwork.flows.execute import run
from scrollwork.flows.parameters import finish, request_of
from scrollwork.pipeline.engines.prefect import provide_secrets, run_prefect, show_leaderboard, side_by_side
from scrollwork.readings.results import Results, report_of
from scrollwork.readings.run_outcome import Outcome
from scrollwork.reporting.boards.leaderboard import markdown


@flow(name="evaluate", flow_run_name="evaluate {suite}", task_runner=side_by_side())
def evaluate(
    suite: str = "zeroscrolls",
    models: list[str] | None = None,
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
    faithfulness: str = "",
    coverage: str = "",
    options: dict[str, Any] | None = None,
    models_file: str = "",
    arms: list[str] | None = None,
    tokenizer: str = "",
    truncation: str = "",
    prompts: str = "",
    home: str | None = None,
    store: str = "",
    strict: bool = False,
    base_url: str = "",
    context: int = 0,
    budget: str = "",
    rpm: int = 0,
    tpm: int = 0,
    concurrency: int = 0,
    batch: bool = False,
    batch_wait: int = 0,
    retry_failed: bool = False,
) -> Outcome:
    """Evaluate models on a suite. By default: the naive baselines on the bundled sample.

    Args:
        suite: Which benchmark: its name, or the whole path of a suite file.
        models: Names of models; ["naive"] by default.
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
        faithfulness: Model that judges whether an answer follows from what it was given, with coverage.
        coverage: Model that judges whether an answer covers what it was given.
        options: Values by "task.option".
        models_file: The user's own file of models.
        arms: "full", "closed-book" (the prompt without its document) or both; the full one by default.
        tokenizer: What max_input_tokens counts: words, estimate, tiktoken:ENCODING, hf:FOLDER or hf:OWNER/NAME.
        truncation: "official" to cut prompts with the quirks of the official code.
        prompts: A set of instructions of the suite instead of its own.
        base_url: Address up to /v1 of the server for compatible models whose tables have none.
        home: Home folder, by its whole path; SCROLLWORK_HOME, else that of `scrollwork up`, by default.
        store: Response store URL; in the home by default.
        strict: End at the first malformed record instead of dropping it.
        context: Its limit in tokens.
        budget: Dollars that hosted models may cost in this flow run, its retries included; "" for no bound.
        rpm: Requests a minute of a hosted model; 0 for what its table says.
        tpm: Tokens a minute; 0 for what its table says.
        concurrency: Requests in flight at most; 0 for what its table says.
        batch: Ask hosted models in batches (openai, anthropic): cheaper, within a day.
        batch_wait: Seconds to wait for batches; 0 for as long as they take. A later run takes in what waits.
        retry_failed: Ask again what failed for good.
    """
    parameters = {**locals(), "run": str(flow_run.id or "")}
    chain = Chain(request_of({**parameters, "models": models or ["naive"]}))
    if batch:  # they are asked here, between the stages
        provide_secrets(chain.resolved.calling.tables)
    outcome = run(chain, run_prefect)
    report, results = report_of(outcome), Results(chain)
    board = results.board(report) if report is not None else None
    if board is not None:
        show_leaderboard(chain.request.suite, markdown(board))
    return finish(outcome, results.unanswered(report) if report is not None else [])
