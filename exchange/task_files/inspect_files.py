"""Tasks of inspect_ai: a Python module with a function a task (inspect_ai 0.3.285)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from scrollwork.exchange.task_files.data_files import TaskData
from scrollwork.exchange.task_files.lm_eval_files import NEEDED
from scrollwork.scoring.task_scorer import RUN, SCORE
from scrollwork.suites.request import Request

MODULE = "scrollwork_tasks"
HEAD = f'''\
"""Tasks of inspect_ai, scored by scrollwork. Written by `scrollwork export inspect-task`."""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import SampleScore, Score, metric, scorer, stderr
from inspect_ai.solver import generate

{NEEDED}
FOLDER = Path(__file__).resolve().parent


def dataset(data):
    """Return the rows of a Parquet file in this folder as samples."""
    import pyarrow.parquet as pq

    columns = ["id", "prompt", "references", "document", "{RUN}"]
    samples = [
        Sample(
            id=row["id"],
            input=row["prompt"],
            target=row["references"],
            metadata={{"document": row["document"], "{RUN}": row["{RUN}"]}},
        )
        for row in pq.read_table(FOLDER / data, columns=columns).to_pylist()
    ]
    return MemoryDataset(samples, name=Path(data).stem, location=data)


@metric
def task_values(metric, version, tag, cue, empty):
    """The task's value, `{SCORE}`, and the means of its components, 0 to 100."""
    own = TaskScorer(metric, version, tag, cue, empty)

    def values(scores: list[SampleScore]):  # by this type inspect knows what to give
        items = [{{**one.score.value, "{RUN}": one.sample_metadata["{RUN}"]}} for one in scores]
        return own.values(items)

    return values


@scorer(metrics=[])
def scrollwork_score(metric, version, tag, cue, empty):
    """The values of one answer: `{SCORE}`, components (0 to 100), and counts that the task's value is made from."""
    own = TaskScorer(metric, version, tag, cue, empty)

    async def score(state, target):
        reply = state.output.completion
        row = {{"id": state.sample_id, "references": list(target), "{RUN}": state.metadata["{RUN}"]}}
        item = own.item(row, reply)
        return Score(value={{name: value for name, value in item.items() if name != "{RUN}"}}, answer=reply)

    return score


def built_task(data, scoring, temperature, max_tokens):
    """Return a task: prompts as they are, answers by the model alone. data: path of a Parquet file in this folder."""
    means = {{name: [stderr(cluster="document")] for name in TaskScorer(**scoring).components}}
    return Task(
        dataset=dataset(data),
        solver=generate(),
        scorer=scrollwork_score(**scoring),
        metrics=[task_values(**scoring), means],
        config=GenerateConfig(temperature=temperature, max_tokens=max_tokens),
        version=scoring["version"],
    )
'''


def write_tasks(request: Request, filled: Sequence[TaskData], folder: Path) -> None:
    """Write the module."""
    text = "\n".join([HEAD, *("\n".join(["", *task_lines(one), ""]) for one in filled)])
    (folder / f"{MODULE}.py").write_text(text, encoding="utf-8", newline="\n")


def task_lines(data: TaskData) -> Iterator[str]:
    """Yield the lines of a task. Texts of the suite file stand in them as Python literals."""
    task = data.task
    yield "@task"
    yield f"def {task.name}():"
    yield f"    scoring = {asdict(task.scorer)!r}"
    sizes = f"temperature={task.temperature!r}, max_tokens={task.max_new_tokens}"
    yield f"    return built_task({task.data!r}, scoring, {sizes})"
