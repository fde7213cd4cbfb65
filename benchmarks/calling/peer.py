"""The same evaluation in inspect_ai, under a Python that has it (`pip install inspect_ai openai`).

The same prompts, server and calls in flight, a scorer that only looks whether there is an answer, its log on disk.
"""

from __future__ import annotations

import importlib
import os

from inspect_ai import Task, eval, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState, generate

from benchmarks.calling.load import KEY, MODEL, MOST_OUTPUT, Told, Wanted, text_of, wanted


def run(want: Wanted) -> Told:
    """One eval."""
    os.environ["OPENAI_API_KEY"] = KEY

    @scorer(metrics=[mean()])
    def some() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            told.ended()
            return Score(value=1 if state.output.completion else 0)

        return score

    @task
    def evaluation() -> Task:
        samples = [Sample(input=text_of(number), id=number, target="word") for number in range(want.count)]
        return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=some())

    importlib.import_module("openai")  # late in inspect_ai, and no work
    told = Told()
    logs = eval(
        evaluation(),
        model=f"openai/{MODEL}",
        model_base_url=want.base_url,
        model_args={"responses_api": False},
        log_dir=want.place,
        display="none",
        max_connections=want.concurrency,
        max_samples=want.concurrency,
        max_retries=0,
        **GenerateConfig(max_tokens=MOST_OUTPUT, temperature=0.0).model_dump(exclude_none=True),
    )
    assert logs[0].status == "success", logs[0].error
    assert logs[0].results is not None
    assert logs[0].results.completed_samples == want.count
    return told


if __name__ == "__main__":
    run(wanted()).tell()
