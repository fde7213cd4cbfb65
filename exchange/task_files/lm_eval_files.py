"""Tasks of lm-evaluation-harness: a YAML file a task, one for the suite, and the Python module that they name.

lm_eval 0.4.13: `!function MODULE.NAME` is of a module beside the YAML file. Texts of prompts and references are in no
YAML file and pass no template.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scrollwork.exchange.task_files.built_tasks import BuiltTask
from scrollwork.exchange.task_files.data_files import TaskData
from scrollwork.records.prompt import FULL
from scrollwork.scoring.task_scorer import SCORE
from scrollwork.suites.request import Request

MODULE = "scrollwork_scores"
NEEDED = """\
try:
    from scrollwork.scoring.task_scorer import TaskScorer
except ImportError as error:
    raise ImportError(
        f"these tasks are scored by scrollwork, which cannot be imported here ({error}): README.md beside this file "
        "says how to install it"
    ) from error
"""
HEAD = f'''\
"""Data and scores of the tasks beside this file, by scrollwork. Written by `scrollwork export lm-eval-task`."""

from pathlib import Path

{NEEDED}
FOLDER = Path(__file__).resolve().parent


def load(split, data, **_):
    """Return {{split: rows}}. data: path of a Parquet file in this folder. Others: `metadata`, which lm_eval adds."""
    from datasets import Dataset

    return {{split: Dataset.from_parquet(str(FOLDER / data))}}


def prompt(doc):
    """Return the prompt as it is, through no template."""
    return doc["prompt"]


def target(doc):
    """Return the first reference, for logs: answers are scored by all of them."""
    return doc["references"][0]


def results(scorer, doc, replies):
    """Return the values of one answer by name; `score` has all that the task's value is made from."""
    item = scorer.item(doc, replies[0])
    return {{"{SCORE}": item, **{{name: item[name] for name in scorer.components}}}}
'''


class Function(str):
    """A name behind the tag `!function` of lm_eval's YAML."""


def write_tasks(request: Request, filled: Sequence[TaskData], folder: Path) -> None:
    """Write NAME.yaml for each task and group, and the module that they name."""
    tasks = [one.task for one in filled]
    (folder / f"{MODULE}.py").write_text(module_text(tasks), encoding="utf-8", newline="\n")
    for one in filled:
        write_yaml(folder / f"{one.task.name}.yaml", task_settings(one))
    for name in dict.fromkeys(task.group for task in tasks):
        some = [task for task in tasks if task.group == name]
        write_yaml(folder / f"{name}.yaml", group_settings(request, name, some))


def module_text(tasks: Sequence[BuiltTask]) -> str:
    """Return the Python module: what all tasks share, then a scorer and two functions for each task."""
    return "\n".join([HEAD, *("\n".join(["", *task_lines(task), ""]) for task in tasks)])


def task_lines(task: BuiltTask) -> Iterator[str]:
    """Yield the lines of a task. Texts of the suite file stand in them as Python literals."""
    name = task.name
    yield f"{name} = {task.scorer!r}"
    yield ""
    yield ""
    yield f"def {name}_results(doc, replies):"
    yield f"    return results({name}, doc, replies)"
    yield ""
    yield ""
    yield f"def {name}_{SCORE}(items):"
    yield f"    return {name}.headline(items)"


def task_settings(data: TaskData) -> dict[str, Any]:
    """Return the settings of a task."""
    task = data.task
    sampled = task.temperature > 0
    means = [{"metric": name, "aggregation": "mean", "higher_is_better": True} for name in task.scorer.components]
    headline = {"metric": SCORE, "aggregation": function(f"{task.name}_{SCORE}"), "higher_is_better": True}
    return {
        "task": task.name,
        "custom_dataset": function("load"),
        "dataset_kwargs": {"split": task.split, "data": task.data},
        "test_split": task.split,
        "output_type": "generate_until",
        "doc_to_text": function("prompt"),
        "doc_to_target": function("target"),
        "process_results": function(f"{task.name}_results"),
        "num_fewshot": 0,
        "target_delimiter": "",
        "fewshot_delimiter": "",
        # without `until` an answer is cut at its first empty line
        "generation_kwargs": {
            "until": [],
            "do_sample": sampled,
            "temperature": task.temperature,
            "max_gen_toks": task.max_new_tokens,
        },
        "metric_list": [headline, *means],
        "metadata": {"version": float(task.scorer.version), "metric": task.scorer.metric, "prompts": task.profile},
    }


def group_settings(request: Request, name: str, tasks: Sequence[BuiltTask]) -> dict[str, Any]:
    """Return the settings of a group; with the suite's average where it has one and all of its tasks are here."""
    names = [task.name for task in tasks]
    settings: dict[str, Any] = {"group": name, "task": names, "metadata": {"version": 1.0}}
    if has_average(request, tasks):
        settings["aggregate_metric_list"] = [{"metric": SCORE, "aggregation": "mean", "weight_by_size": False}]
    return settings


def has_average(request: Request, tasks: Sequence[BuiltTask]) -> bool:
    """Whether these tasks of one split and arm are all that the suite's average is over; models are not ranked then."""
    here = {task.config.name for task in tasks if task.arm == FULL}
    return not request.design.ranked and here == set(request.config.official)


def function(name: str) -> Function:
    """Return the name of a function of the exported module, as YAML has it."""
    return Function(f"{MODULE}.{name}")


def write_yaml(path: Path, settings: dict[str, Any]) -> None:
    """Write settings as YAML, in their order."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """A dumper that knows functions."""

    Dumper.add_representer(Function, lambda dumper, name: dumper.represent_scalar("!function", str(name)))
    Dumper.ignore_aliases = lambda *_: True  # type: ignore[method-assign]
    text = yaml.dump(settings, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=120)
    path.write_text(text, encoding="utf-8", newline="\n")
