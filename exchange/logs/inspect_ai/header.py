"""The header of an inspect_ai log: task, model, settings, the official cluster field, and how the run ended."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrollwork.analysis.logs.log import log_error
from scrollwork.exchange.logs.settings import as_object, settings_of

VERSION = 2
ARGUMENTS = "task arguments"  # a setting
GENERATION = (  # settings of generation that change answers; connections, retries and timeouts do not
    "temperature", "top_p", "top_k", "seed", "max_tokens", "system_message", "stop_seqs", "frequency_penalty",
    "presence_penalty", "num_choices", "best_of", "reasoning_effort", "reasoning_tokens", "reasoning_history",
)  # fmt: skip


@dataclass(frozen=True)
class Header:
    """What the header says. Texts are "" and numbers 0 where it does not.

    cluster_field: the field of a sample's metadata that the first clustered standard error of a scorer names.
    sample_ids: ids of the samples that the run was to take; None where the log has none. sliced: whether the run took
    only samples from one place of the data set to another.
    """

    task: str
    model: str
    status: str
    invalidated: bool
    epochs: int
    dataset_size: int
    sample_ids: tuple[Any, ...] | None
    sliced: bool
    cluster_field: str
    cluster_fields: tuple[str, ...]
    settings: Mapping[str, str]

    @property
    def task_in_full(self) -> str:
        """Return the task's name with the arguments of the run, "" if it was given none."""
        arguments = self.settings.get(ARGUMENTS)
        return f"{self.task} {arguments}" if arguments else ""


def header_of(held: Any, path: Path) -> Header:
    """Read the header of a log. held: header.json, _journal/start.json, or a .json log's keys but its samples.

    path: for errors. Raises LogError for another version of the format, and for a header without task or model.
    """
    version = held.get("version") if isinstance(held, dict) else None
    if version != VERSION or isinstance(version, bool):
        raise log_error(
            path,
            'field "version"',
            f"is {str(version)[:40]}; only version {VERSION} of inspect's log format (inspect_ai 0.3) can be read."
            " If the log is newer, update scrollwork",
        )
    spec = as_object(held.get("eval"))
    task, model = spec.get("task"), spec.get("model")
    if not isinstance(task, str) or not isinstance(model, str):
        raise log_error(path, 'field "eval"', "has no task or no model: this is no whole log of inspect")
    config, dataset = as_object(spec.get("config")), as_object(spec.get("dataset"))
    ids, epochs, size = dataset.get("sample_ids"), config.get("epochs"), dataset.get("samples")
    fields = tuple(dict.fromkeys(_cluster_fields(spec)))
    return Header(
        task=task,
        model=model,
        status=str(held.get("status") or "started"),
        invalidated=held.get("invalidated") is True,
        epochs=epochs if isinstance(epochs, int) else 0,
        dataset_size=size if isinstance(size, int) else 0,
        sample_ids=tuple(ids) if isinstance(ids, list) else None,
        sliced=isinstance(config.get("limit"), list),
        cluster_field=fields[0] if fields else "",
        cluster_fields=fields,
        settings=_settings(held, spec, config, dataset),
    )


def _settings(
    held: Mapping[str, Any], spec: Mapping[str, Any], config: Mapping[str, Any], dataset: Mapping[str, Any]
) -> dict[str, str]:
    plan = as_object(held.get("plan"))
    generation = {**as_object(plan.get("config")), **as_object(spec.get("model_generate_config"))}
    steps = plan.get("steps")
    solvers = [_solver(step) for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    said: dict[str, Any] = {name: generation.get(name) for name in GENERATION}
    said |= {
        "task version": spec.get("task_version"),
        ARGUMENTS: spec.get("task_args"),
        "dataset": dataset.get("name"),
        "dataset samples": dataset.get("samples"),
        "limit": config.get("limit"),
        "epochs": config.get("epochs"),
        "epochs reducer": config.get("epochs_reducer"),
        "token limit": config.get("token_limit"),
        "message limit": config.get("message_limit"),
        "solver": solvers,
        "model roles": [f"{role}: {_model_of(held)}" for role, held in as_object(spec.get("model_roles")).items()],
        "commit": as_object(spec.get("revision")).get("commit"),
        "inspect_ai": as_object(spec.get("packages")).get("inspect_ai"),
    }
    return settings_of(said)


def _solver(step: Mapping[str, Any]) -> str:
    """Return a solver's name with the arguments it was given: a system message is one, and part of each prompt."""
    given = step.get("params_passed", step.get("params"))  # old logs have the second alone
    return str(step.get("solver")) + (f" {json.dumps(given, sort_keys=True)}" if given else "")


def _model_of(role: Any) -> str:
    """Return the models of a role (a judge's, say): an object with a model, or a list of them."""
    listed = role if isinstance(role, list) else [role]
    return " and ".join(str(as_object(one).get("model")) for one in listed)


def _cluster_fields(spec: Mapping[str, Any]) -> Iterator[str]:
    """Yield the metadata fields by which metrics cluster: `options.cluster` of the metrics of scorers and of the task.

    Metrics are a list, or an object of lists by key of the score, also within a list.
    """
    scorers = spec.get("scorers")
    waiting = [as_object(one).get("metrics") for one in scorers] if isinstance(scorers, list) else []
    waiting.append(spec.get("metrics"))
    for metrics in waiting:
        for one in _metrics(metrics):
            field = as_object(one.get("options")).get("cluster")
            if isinstance(field, str) and field:
                yield field


def _metrics(held: Any) -> Iterator[Mapping[str, Any]]:
    for one in held if isinstance(held, list) else [held]:
        if not isinstance(one, dict):
            continue
        if isinstance(one.get("name"), str):
            yield one
        else:
            for inner in one.values():
                yield from (metric for metric in inner if isinstance(metric, dict)) if isinstance(inner, list) else ()
