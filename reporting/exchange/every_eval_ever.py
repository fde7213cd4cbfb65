"""Every Eval Ever, schema 0.3.0: a record of a system's scores and its rows of single inputs, as plain JSON values.

They go to `data/SUITE/DEVELOPER/MODEL/UUID.json` and `UUID_samples.jsonl`. The UUID is computed from what was scored,
so that the same scores give the same record. A task without answers has no result; an input without an answer has no
row, because a row must have a score. Coverage has the numbers of these.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from scrollwork.reporting.exchange.system import UNIT, Item, System, Trial

SCHEMA = "0.3.0"
METHOD = "percentile bootstrap over inputs clustered by document, tails expanded (Hesterberg 2015)"
NOT_STATED = "not stated"
PERFECT = 100 - 1e-9  # the geometric mean of perfect values may be slightly below 100


def folder(system: System, suite: str) -> str:
    """The folder of a system's records in the datastore."""
    return f"data/{suite}/{system.developer}/{system.short}"


def record_id(trials: Sequence[Trial]) -> str:
    """A UUID in the form of version 4, computed from what was scored."""
    digest = sha256("".join(sorted(trial.digest for trial in trials)).encode("ascii")).digest()
    return str(uuid.UUID(bytes=digest[:16], version=4))


def evaluation_id(system: System, trials: Sequence[Trial]) -> str:
    """SUITE/MODEL/TIME."""
    return f"{trials[0].suite}/{system.id}/{last_written(trials)}"


def last_written(trials: Sequence[Trial]) -> int:
    """When the last of its scores was written, in seconds since 1970."""
    return int(max(trial.ended for trial in trials))


def result_id(trial: Trial) -> str:
    """The id of a result inside its record."""
    return f"{trial.name}#{trial.metric}"


def record(system: System, trials: Sequence[Trial], samples: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a system. samples: {file_path, checksum, total_rows} of the rows' file; {} if there is none."""
    when = str(last_written(trials))
    version = trials[0].version
    settings = {name: as_text(value) for name, value in system.settings.items()}
    return {
        "schema_version": SCHEMA,
        "evaluation_id": evaluation_id(system, trials),
        "evaluation_timestamp": when,
        "retrieved_timestamp": when,
        "source_metadata": {
            "source_name": "scrollwork",
            "source_type": "evaluation_run",
            "source_organization_name": NOT_STATED,
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "scrollwork", "version": version},
        "model_info": {
            "name": system.name,
            "id": system.id,
            "developer": system.developer,
            "inference_platform": system.provider,
            "additional_details": {
                **settings,
                "deployment_type": system.deployment,
                "model_availability": "unknown",
            },
        },
        "evaluation_results": [result(trial) for trial in trials if trial.aggregate.value is not None],
        **(
            {"detailed_evaluation_results": {"format": "jsonl", "hash_algorithm": "sha256", **samples}}
            if samples
            else {}
        ),
    }


def result(trial: Trial) -> dict[str, Any]:
    """The result of a task: score, interval, settings and coverage."""
    row, covered = trial.aggregate, trial.aggregate.coverage
    uncertainty: dict[str, Any] = {"num_samples": covered.answered}
    if row.low is not None and row.high is not None:
        interval = {"lower": row.low, "upper": row.high, "confidence_level": trial.level, "method": METHOD}
        uncertainty |= {"confidence_interval": interval, "num_bootstrap_samples": trial.resamples}
    decoding = {} if trial.temperature is None else {"temperature": trial.temperature}
    return {
        "evaluation_result_id": result_id(trial),
        "evaluation_name": trial.name,
        "evaluation_timestamp": str(int(trial.ended)),
        "source_data": {
            "dataset_name": trial.name,
            "source_type": "other",
            "additional_details": {"split": trial.split, "sample": str(trial.made.get("sample", ""))},
        },
        "metric_config": {
            "evaluation_description": f"{trial.title}, task {trial.task}, split {trial.split}, arm {trial.arm}",
            "metric_id": f"{trial.suite}.{trial.metric}",
            "metric_name": trial.metric,
            "metric_kind": trial.metric,
            "metric_unit": UNIT,
            "metric_parameters": {"version": trial.metric_version},
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 100.0,
        },
        "score_details": {
            "score": row.value,
            "details": {name: as_text(value) for name, value in trial.facts.items()},
            "uncertainty": uncertainty,
        },
        "generation_config": {
            "generation_args": {"max_tokens": trial.max_new_tokens, **decoding},
            "additional_details": {"profile": trial.profile},
        },
    }


def instance(trial: Trial, item: Item, evaluation: str) -> dict[str, Any] | None:
    """A row of the samples file; None for an input without a score. evaluation: the record's evaluation_id."""
    if item.response is None or item.score is None:
        return None
    references = list(item.example.references)
    came = item.response
    read = item.score.parsed if item.score.parsed is not None else item.answer
    tokens = None
    if came.input_tokens is not None and came.output_tokens is not None:
        tokens = {
            "input_tokens": came.input_tokens,
            "output_tokens": came.output_tokens,
            "total_tokens": came.input_tokens + came.output_tokens,
            "input_tokens_cache_read": came.cached_tokens,
        }
    return {
        "schema_version": SCHEMA,
        "evaluation_id": evaluation,
        "model_id": trial.system.id,
        "evaluation_name": trial.name,
        "evaluation_result_id": result_id(trial),
        "sample_id": item.example.example_id,
        "sample_hash": sha256(json.dumps([item.text, references]).encode("utf-8")).hexdigest(),
        "interaction_type": "single_turn",
        "input": {
            "raw": item.text,
            "reference": references,
            "choices": list(item.example.options) or None,
        },
        "output": {"raw": [came.within]},
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": read,
                "extraction_method": f"scrollwork {trial.metric}",
                "is_terminal": True,
            }
        ],
        "evaluation": {"score": item.score.value, "is_correct": item.score.value >= PERFECT},
        "token_usage": tokens,
        "metadata": {
            **{name: as_text(value) for name, value in item.trace.items()},
            "components": as_text(dict(item.score.components)),
            "finish_reason": came.ended,
            "reported_model": came.reported_model,
            "draw": str(item.prompt.draw),
        },
    }


def as_text(value: Any) -> str:
    """A value as text: the schema allows only text in details."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
