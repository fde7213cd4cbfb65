"""Run folders of HELM: `per_instance_stats.json` has the scores, `scenario_state.json` the inputs and requests.

The files may be packed with gzip, as in public downloads; there `instances.json` stands in for the inputs if the state
is not there. A perturbation of the inputs (typos, ...) makes a log of its own, never a row beside the originals; so do
the instances of a split where a run has several, as HELM has no means over splits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from scrollwork.analysis.logs.log import Log, ReadOptions, log_error
from scrollwork.exchange.logs.columns import (
    ScoreRows,
    all_or_none,
    any_or_none,
    as_list,
    as_object,
    label_of,
    note_missing_ids,
    require_field,
    settings_text,
)
from scrollwork.exchange.logs.gather import read_each
from scrollwork.exchange.logs.helm_instances import SEEDS, Instances, Key, instances_of, perturbation_label
from scrollwork.exchange.logs.json_rows import files_below, head_of, list_items, members

TOOL = "helm"
STATS, STATE, SPEC = "per_instance_stats.json", "scenario_state.json", "run_spec.json"
# What HELM counts for every run besides the scores that it was asked for: metrics, but never the first ones
BOOKKEEPING = (
    "num_", "training_", "inference_", "batch_size", "finish_reason_", "prompt_truncated", "max_prob", "logprob",
    "runtime_", "train_",
)  # fmt: skip
LOWER = frozenset(("perplexity", "bits_per_byte", "inference_runtime", "toxic_frac", "expected_max_toxicity"))
ADAPTER = (
    "method", "instructions", "max_train_instances", "num_train_trials", "num_outputs", "temperature", "max_tokens",
    "stop_sequences", "random",
)  # fmt: skip
NOT_OF_THE_TASK = ("model=", "model_deployment=")
MAIN_SPLIT = "test"  # where a run has instances of several


@dataclass
class Part:
    """The rows of a run on the original inputs of a split, or on those of one perturbation."""

    keys: list[Key] = field(default_factory=list)
    scores: ScoreRows = field(default_factory=ScoreRows)
    repeats: list[str] = field(default_factory=list)
    truncated: list[bool] = field(default_factory=list)


def recognizes(path: Path) -> bool:
    """Return whether a folder is of a run of HELM or holds one, or a file is its per-instance statistics."""
    return any(b'"instance_id"' in head_of(file) for file in stats_files(path))


def stats_files(path: Path) -> Iterator[Path]:
    """Yield the files of scores: the one named, or those below a folder, one a run."""
    folders = set()
    for file in files_below(path):
        if file.name in (STATS, f"{STATS}.gz") and file.parent not in folders:
            folders.add(file.parent)
            yield file


def read(path: Path, options: ReadOptions) -> list[Log]:
    """Return a log for each run, and for each perturbation in it. Raises LogError.

    A task is named as its scenario, in full with the arguments of the run ("mmlu:subject=anatomy").
    """
    return read_each(stats_files(path), lambda file: logs_of(file, options))


def beside(file: Path, name: str) -> Path | None:
    """Return another file of the same run, packed or not; None if it is not there."""
    return next((one for one in (file.with_name(name), file.with_name(f"{name}.gz")) if one.is_file()), None)


def logs_of(file: Path, options: ReadOptions) -> list[Log]:
    """Return the logs of one run."""
    spec = spec_of(file)
    asked = [name for metric in as_list(spec.get("metric_specs")) for name in names_in(metric)]
    instances = instances_of(beside(file, STATE), beside(file, "instances.json"), options)
    parts: dict[tuple[str, str], Part] = {}
    trials: set[str] = set()
    for number, record in list_items(file):
        row = as_object(record)
        if not isinstance(row.get("instance_id"), str) or not isinstance(row.get("stats"), list):
            raise log_error(file, f"item {number}", 'has no "instance_id" and "stats": is it of HELM?')
        perturbation = as_object(row.get("perturbation"))
        trial = label_of(row.get("train_trial_index", 0))
        key = (row["instance_id"], perturbation_label(perturbation), label_of(perturbation.get(SEEDS)), trial)
        part = parts.setdefault((split_of(row["stats"]), key[1]), Part(scores=ScoreRows(asked)))
        values = values_of(row["stats"], perturbation)
        trials.add(trial)
        part.keys.append(key)
        part.repeats.append("/".join(text for text in (trial, key[2]) if text))
        part.truncated.append(key in instances.truncated or values.get("prompt_truncated") == 1)
        part.scores.add(
            ordered(values, asked), instances.errors.get(key, ""), quiet=set(filter(is_bookkeeping, values))
        )
    if not parts:
        raise log_error(file, "", "has no instances")
    splits = dict.fromkeys(split for split, _ in parts)
    main = MAIN_SPLIT if MAIN_SPLIT in splits else next(iter(splits))
    return [
        log_of(
            file,
            ", ".join(filter(None, (f"split {split or 'unknown'}" if split != main else "", perturbed))),
            part,
            spec,
            instances,
            options,
        )
        for (split, perturbed), part in parts.items()
    ]


def split_of(stats: list[Any]) -> str:
    """Return the split ("test", "valid") that a row's statistics say its instance is of, "" if none does."""
    return next(filter(None, (label_of(as_object(as_object(stat).get("name")).get("split")) for stat in stats)), "")


def names_in(metric: object) -> list[str]:
    """Return the names that a metric's specification asks for."""
    names = as_object(as_object(metric).get("args")).get("names")
    return [name for name in as_list(names) if isinstance(name, str)]


def values_of(stats: list[Any], perturbation: Mapping[str, Any]) -> dict[str, object]:
    """Return a row's statistics by name: the mean, None where nothing was counted.

    Of those with one name those of the row's own perturbation are taken; those of a part of the split get its name.
    """
    found: dict[str, object] = {}
    for stat in map(as_object, stats):
        name = as_object(stat.get("name"))
        own = as_object(name.get("perturbation"))
        if own and perturbation_label(own) != perturbation_label(perturbation):
            continue
        label = label_of(name.get("name")) + (f" ({name['sub_split']})" if name.get("sub_split") else "")
        if label and found.get(label) is None:
            found[label] = stat.get("mean")
    return found


def is_bookkeeping(name: str) -> bool:
    """Return whether a statistic is one that HELM counts for every run."""
    return name.startswith(BOOKKEEPING)


def ordered(values: Mapping[str, object], asked: list[str]) -> dict[str, object]:
    """Return the values with those first that the run asked for, and bookkeeping last."""
    return dict(sorted(values.items(), key=lambda item: (item[0] not in asked, is_bookkeeping(item[0]))))


def spec_of(file: Path) -> Mapping[str, Any]:
    """Return the specification of a run, {} if its file is not there."""
    place = beside(file, SPEC)
    wanted = [("name",), ("scenario_spec",), ("adapter_spec",), ("metric_specs",)]
    return {keys[0]: value for keys, value in members(place, wanted)} if place else {}


def log_of(
    file: Path, label: str, part: Part, spec: Mapping[str, Any], instances: Instances, options: ReadOptions
) -> Log:
    """Return the log of a part of a run. label: the split and the perturbation it is of, "" for the originals."""
    name = label_of(spec.get("name")) or file.parent.name
    scenario, _, arguments = name.partition(":")
    adapter, scenario_spec = as_object(spec.get("adapter_spec")), as_object(spec.get("scenario_spec"))
    kept = [one for one in arguments.split(",") if one and not one.startswith(NOT_OF_THE_TASK)]
    known = [instances.of(key) for key in part.keys]
    names = [one.id if one else "" for one in known]
    clusters = [one.cluster if one else "" for one in known]
    require_field(options.id_field, names, file)
    require_field(options.cluster_field, clusters, file)
    notes = [*note_missing_ids(names), *part.scores.notes()]
    if lacking := sum(one is None for one in known):
        notes.append(f"{lacking} of {len(known)} instances are not described in {STATE}: no ids, no prompts for them")
    scores = part.scores.scores()
    suffix = f", {label}" if label else ""
    settings = {f"adapter {field}": adapter.get(field) for field in ADAPTER}
    settings |= {"scenario": scenario_spec.get("class_name"), "scenario arguments": scenario_spec.get("args")}
    return Log(
        source=str(file.parent),
        tool=TOOL,
        task=scenario + suffix,
        task_in_full=f"{scenario}:{','.join(kept)}{suffix}" if kept else "",
        model=label_of(adapter.get("model")) or label_of(adapter.get("model_deployment")) or name,
        scores=scores,
        ids=all_or_none(names),
        positions=[key[0] for key in part.keys],
        contents=all_or_none([one.content if one else "" for one in known]),
        prompts=any_or_none([one.prompt if one else "" for one in known]),
        prompt_part="instance's input" if instances.more_than_input else "",
        clusters=any_or_none(clusters),
        repeats=part.repeats if len(set(part.repeats)) > 1 else None,
        failures=part.scores.failures(),
        lower_is_better=frozenset(LOWER & scores.keys()),
        auxiliary=frozenset(filter(is_bookkeeping, scores)),
        truncated=np.array(part.truncated, dtype=bool),
        settings=settings_text(settings | {"run": ",".join(kept)}),
        notes=notes,
    )
