"""The rows of `export hf` where prompts are drawn anew in runs (SEAM): one row for each prompt of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrollwork.designs.runs import count_of
from scrollwork.exchange import hf_rows
from scrollwork.exchange.hf_rows import Source
from scrollwork.exchange.prompted import Prompted, prompts_of_chain
from scrollwork.pipeline.errors import StageFailed

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain
    from scrollwork.suites.request import Request

FIELDS = dict.fromkeys(("id", "pid", "input", "output"), "string") | {"run": "int32", "sha256": "string"}
COLUMNS = {
    **hf_rows.COLUMNS,
    "id": "one an instance, which may stand in several runs",
    "pid": "one a row: the instance and its run",
    "input": "the whole prompt of the run, demonstrations included, untruncated",
    "run": "which run drew the prompt, from 0: paraphrase, demonstrations, orders, instances, ids of mentions",
    "sha256": "of `input` in UTF-8, as the run's manifest has it (`export prompts`)",
}
WITHHELD = ""


def sources(chain: Chain) -> list[Source]:
    """The splits of a suite; missing prompts are built. Raises StageFailed."""
    request = chain.request
    made, failed = prompts_of_chain(chain.other(replace(request, arms=())))
    if failed:
        raise StageFailed("; ".join(failed))
    found = []
    for task in request.chosen_tasks():
        for split in request.splits_of(task):
            wanted = {"task": task.name, "split": split}
            own = [one for one in made if wanted.items() <= dict(one.node.labels).items()]
            samples = [one.sample for one in own]
            found.append(Source(task, split, own[0].curated, samples, FIELDS, records(own)))
    return found


def row_sentence(request: Request) -> str:
    """The card's sentence about what a row is."""
    return f"A row is an instance in one of {count_of(request)} runs."


def scoring_lines(request: Request, tasks: Sequence[str]) -> list[str]:
    """The card's lines about scoring, which is run by run."""
    metrics = ", ".join(f"{name} {request.config.tasks[name].metric}" for name in tasks)
    return [
        "",
        "References of coreference are clusters of mentions by their ids in the same row's `input`.",
        "A score is of one run, of {id, prediction, references: [output]} of its rows; the benchmark's is the",
        f"mean over runs: `scrollwork score --metric NAME --pairs FILE`, metrics {metrics}.",
    ]


def records(runs: Iterable[Prompted]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a task, run by run."""
    for one in runs:
        for prompt, text, example in one.rows():
            yield {
                "id": example.example_id,
                "pid": f"{example.example_id}_{one.run}",
                "input": text,
                "output": example.references[0] if example.references else None,
                "run": one.run,
                "sha256": prompt.prompt_sha256,
            }
