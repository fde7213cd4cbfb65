"""Files of lm-evaluation-harness: `results_WHEN.json` of a system and `samples_TASK_WHEN.jsonl` of each task, in its
format (lm_eval/result_schema.py, loggers/evaluation_tracker.py of 0.4.13).

Scores are 0 to 100; the task's config says so. An input without an answer is not a sample; n-samples has both numbers.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from scrollwork.reporting.exchange.system import Item, System, Trial

FILTER = "none"


def folder_name(system: System) -> str:
    """The folder of a system, named as by lm_eval's sanitize_model_name."""
    return re.sub(r'["<>:/|\\?*\[\]]+', "__", system.id)


def task_name(trial: Trial) -> str:
    r"""The task's name with characters of \w only, as lm_eval requires."""
    return re.sub(r"\W", "_", trial.name)


def date_id(seconds: float) -> str:
    """A time (unix seconds) as in lm_eval's file names, which must have a fraction of a second."""
    return (
        datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat(timespec="microseconds").replace(":", "-")
    )


def sample(trial: Trial, item: Item) -> dict[str, Any] | None:
    """A line of the samples file; None for an input without a scored answer."""
    if item.response is None or item.score is None:
        return None
    example = item.example
    doc = {
        "id": example.example_id,
        "query": example.query,
        "options": list(example.options),
        "outputs": list(example.references),
        "metadata": example.facts,
        **item.trace,
    }
    target = example.references[0]
    how: dict[str, Any] = {"until": [], "max_gen_toks": trial.max_new_tokens}
    if trial.temperature is not None:
        how |= {"temperature": trial.temperature, "do_sample": trial.temperature > 0}
    return {
        "doc_id": item.number,
        "doc": doc,
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": item.text, "arg_1": how}},
        "resps": [[item.response.within]],
        "filtered_resps": [item.answer],
        "filter": FILTER,
        "metrics": list(values_of(trial, item)),
        "doc_hash": sha256(json.dumps(doc, indent=2, ensure_ascii=False)),
        "prompt_hash": sha256(item.text),
        "target_hash": sha256(target),
        **values_of(trial, item),
    }


def values_of(trial: Trial, item: Item) -> dict[str, float]:
    """The metric's value and its components, by name."""
    assert item.score is not None
    return {trial.metric: item.score.value, **item.score.components}


def results(
    system: System, trials: Sequence[Trial], task_hashes: Mapping[str, str], ended: float, seconds: float
) -> dict[str, Any]:
    """The results file of a system. Only tasks with an answer have a row. ended: unix seconds. seconds: duration."""
    scored = [trial for trial in trials if trial.aggregate.value is not None]
    rows: dict[str, Any] = {}
    for trial in scored:
        values = {**trial.aggregate.components, trial.metric: trial.aggregate.value}
        measured = {key: v for name, value in values.items() for key, v in keys_of(name, value)}
        name = task_name(trial)
        rows[name] = {"name": name, "alias": name, "sample_len": trial.aggregate.coverage.answered, **measured}
    named = {task_name(trial): trial for trial in scored}
    covered = {name: trial.aggregate.coverage for name, trial in named.items()}
    return {
        "results": rows,
        "group_subtasks": {name: [] for name in named},
        "configs": {name: config(trial) for name, trial in named.items()},
        "versions": {name: trial.metric_version for name, trial in named.items()},
        "n-shot": dict.fromkeys(named, 0),
        "higher_is_better": {
            name: dict.fromkeys((trial.metric, *trial.aggregate.components), True) for name, trial in named.items()
        },
        "n-samples": {name: {"original": c.expected, "effective": c.answered} for name, c in covered.items()},
        "config": {
            "model": system.provider,
            "model_args": {"model": system.id, **system.settings},
            "batch_size": None,
            "batch_sizes": [],
            "device": None,
            "use_cache": None,
            "limit": None,
            "bootstrap_iters": scored[0].resamples if scored else 0,
            "gen_kwargs": {},
        },
        "date": ended,
        "model_source": system.provider,
        "model_name": system.id,
        "model_name_sanitized": folder_name(system),
        "system_instruction": None,
        "system_instruction_sha": None,
        "fewshot_as_multiturn": False,
        "chat_template": None,
        "chat_template_sha": None,
        "task_hashes": dict(task_hashes),
        "total_evaluation_time_seconds": str(seconds),
        "scrollwork_version": trials[0].version,
    }


def keys_of(metric: str, value: float | None) -> list[tuple[str, float | str | None]]:
    """The two keys of a metric. Our interval is not a standard error, so it is in the task's config instead."""
    return [(f"{metric},{FILTER}", value), (f"{metric}_stderr,{FILTER}", "N/A")]


def config(trial: Trial) -> dict[str, Any]:
    """A task's config as lm_eval would have it from its YAML; `metadata` has what a reader should know."""
    return {
        "task": task_name(trial),
        "dataset_path": trial.suite,
        "dataset_name": trial.task,
        "test_split": trial.split,
        "output_type": "generate_until",
        "num_fewshot": 0,
        "repeats": 1,
        "generation_kwargs": {"max_gen_toks": trial.max_new_tokens},
        "metric_list": [{"metric": trial.metric, "higher_is_better": True}],
        "metadata": trial.facts,
    }


def sha256(text: str) -> str:
    """sha256 in hex, as lm_eval's hash_string."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
