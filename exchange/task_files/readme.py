"""README.md of exported tasks: how to run them, what they hold, how they were built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import chain

from scrollwork.exchange.hf import licences
from scrollwork.exchange.hf_card import command, table
from scrollwork.exchange.task_files.data_files import COLUMNS, TaskData
from scrollwork.exchange.task_files.lm_eval_files import has_average
from scrollwork.fetching.sources import load_catalogue
from scrollwork.records.raw_file import RawFile
from scrollwork.scoring.task_scorer import SCORE
from scrollwork.suites.request import Request

KEY = 20  # characters of a content key
NEEDS = """\
scrollwork scores the answers, with the code that scores its own runs. In the environment of the tool:

    pip install --no-deps ./scrollwork-{version}-py3-none-any.whl    # or a checkout on PYTHONPATH
    pip install numpy rapidfuzz unidecode

(all of scrollwork's dependencies are not needed for that). Files may be moved together: data are found beside the
Python module, from whatever folder the tool is started.
"""
LM_EVAL = """\
    lm_eval run --model hf --model_args pretrained=MODEL --include_path FOLDER --tasks {first}
    lm_eval run ... --include_path FOLDER --tasks {group} --log_samples --output_path OUT

Run **without** `--apply_chat_template`, `--system_instruction`, `--num_fewshot` and `--fewshot_as_multiturn`: each of
them changes the prompts, which are then no longer those of the benchmark. (Chat endpoints need `--apply_chat_template`:
there the prompt is the one message of the user, unchanged.) lm_eval cuts prompts that are too long for a model from
their beginning; `scrollwork export lm-eval-task ... --model M` cuts them for M as the benchmark does.

`{score}` is a task's value, 0 to 100, by the metric in the table below; what it is made from is a dictionary in the
samples. The other values are means of its components. Their `Stderr` is lm_eval's own, which takes questions on one
document for independent; `{score}` has none. Tried with lm_eval 0.4.13.

{average}
"""
INSPECT = """\
    cd FOLDER
    inspect eval scrollwork_tasks.py@{first} --model PROVIDER/MODEL
    inspect eval scrollwork_tasks.py --model PROVIDER/MODEL    # all tasks; an absolute path takes @TASK alone

Run **without** `--system-message` and without another `--solver`: both change the prompts, which are then no longer
those of the benchmark. `task_values` of a log has the task's value, `{score}`, 0 to 100, by the metric in the table
below, and the means of its components; `stderr` of a component is clustered by document. inspect has no average over
tasks. Tried with inspect_ai 0.3.285.
"""
RUNS = """\
Each input is asked in each of several runs, with another prompt; a row is one of them. The task's value is the mean
over runs of the run's value. Ask all rows: with a limit some runs have fewer inputs than others, or none."""
TOOLS = {"lm-eval-task": "lm-evaluation-harness", "inspect-task": "inspect_ai"}


def readme(kind: str, request: Request, filled: Sequence[TaskData]) -> str:
    """Return the text of README.md. Equal prompts give equal text: it has no date and no path of this machine."""
    return "\n".join([*lines(kind, request, filled), ""])


def lines(kind: str, request: Request, filled: Sequence[TaskData]) -> Iterator[str]:
    """Yield the lines of README.md."""
    yield f"# {request.config.title} as tasks of {TOOLS[kind]}, built by scrollwork"
    yield from ("", "## Run", "", *run_lines(kind, request, filled))
    yield from ("", "## Tasks", "", *task_table(filled), "", *notes(filled))
    yield from ("", "## Columns of the data", "")
    yield from table(("column", "type", "what it holds"), ((f"`{name}`", *told) for name, told in COLUMNS.items()))
    yield from ("", "## Licences", "", "The texts keep the licences of their publishers.", "")
    yield from licence_table(request, filled)
    yield from ("", "## How it was built", "")
    yield f"scrollwork {version('scrollwork')}, `{command(request, kind, further_options(request))}`"
    yield from ("", f"Paper: {request.config.citation}")


def run_lines(kind: str, request: Request, filled: Sequence[TaskData]) -> Iterator[str]:
    """Yield the lines that say how to run the tasks."""
    first = filled[0].task
    told = {
        "first": first.name,
        "group": first.group,
        "score": SCORE,
        "average": average_sentence(request, filled),
        "version": version("scrollwork"),
    }
    for text in (NEEDS, LM_EVAL if kind == "lm-eval-task" else INSPECT):
        yield from (*text.format(**told).splitlines(), "")
    if request.design.ranked:
        yield RUNS
    else:
        yield f"`scrollwork import {request.suite} LOG --name NAME` takes in a log of these tasks."


def average_sentence(request: Request, filled: Sequence[TaskData]) -> str:
    """Say whether the group of the first task has the suite's average, and why not."""
    tasks = [one.task for one in filled if one.task.group == filled[0].task.group]
    if has_average(request, tasks):
        return f"The group's `{SCORE}` is the suite's average, in which each task has the same weight."
    if request.design.ranked:
        return "The group has no average: the suite ranks models instead."
    official = ", ".join(request.config.official)
    return f"The group has no average, which is over exactly these tasks: {official}."


def task_table(filled: Sequence[TaskData]) -> Iterator[str]:
    """Yield the table of tasks."""
    return table(
        ("task", "rows", "metric", "answer, tokens at most", "prompts", "of artifacts"),
        (
            (
                one.task.name,
                one.rows,
                f"{one.task.scorer.metric}, version {one.task.scorer.version}",
                one.task.max_new_tokens,
                one.task.profile,
                " ".join(part.prompts.content[:KEY] for part in one.task.prompted),
            )
            for one in filled
        ),
    )


def notes(filled: Sequence[TaskData]) -> Iterator[str]:
    """Yield what a reader of scores has to know of single tasks."""
    for one in filled:
        for why, count in one.left_out.items():
            yield f"- {one.task.name}: {count:,} inputs have no row, as no answer to them can be scored: {why}"
        if "." in one.task.scorer.metric:
            yield f"- {one.task.name}: its metric is {one.task.scorer.metric}, whose package has to be installed too"
        if one.task.config.proxy:
            yield f"- {one.task.name}: {one.task.config.proxy}"


def licence_table(request: Request, filled: Sequence[TaskData]) -> Iterator[str]:
    """Yield the table of the data sets behind the tasks."""
    catalogue = load_catalogue()
    found: Mapping[str, set[tuple[str, str]]] = {one.task.config.name: set() for one in filled}
    for one in filled:
        raw = list(chain.from_iterable(part.curated.rows("raw_files", RawFile) for part in one.task.prompted[:1]))
        found[one.task.config.name].update((each.title, each.licence) for each in licences(request, catalogue, raw))
    rows = ((name, *pair) for name, pairs in found.items() for pair in sorted(pairs))
    return table(("task", "data set", "licence as its publisher states it"), rows)


def further_options(request: Request) -> list[str]:
    """Return the options that change prompts beyond those of a build, without paths of this machine."""
    words = [word for model in request.models for word in ("--model", model)]
    words += [word for arm in request.arms for word in ("--arm", arm)]
    given = {
        "--max-input-tokens": request.max_input_tokens,
        "--context": request.context,
        "--truncation": request.truncation,
        "--prompts": None if request.design.ranked else request.prompts,  # runs have it among their own words
    }
    return words + [word for flag, value in given.items() if value for word in (flag, str(value))]
