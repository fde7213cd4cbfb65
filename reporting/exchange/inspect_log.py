"""Logs of inspect_ai, format version 2: the content of each file of an `.eval` archive, as plain JSON values.

One log is one `Trial` (in SEAM, one run of it). An input that was answered, or whose call failed, is a sample; other
inputs are missing, and the log's status says so. The prompt is written once: messages refer to it as an attachment, as
in inspect's own logs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from scrollwork.records.response import Response
from scrollwork.reporting.exchange.system import Item, Trial, moment

VERSION = 2
STOPS = {
    "complete": "stop",
    "length": "max_tokens",
    "refused": "content_filter",
    "filtered": "content_filter",
    "context": "model_length",
}
SHORT = 1000  # characters of texts in a summary


def file_name(trial: Trial) -> str:
    """The log's file name in inspect's form: TIME_TASK_ID.eval."""
    run = "" if trial.run is None else f"-run-{trial.run.run}"
    task = trial.name.replace("/", "-").replace("_", "-") + run
    return f"{moment(trial.ended).replace(':', '-')}_{task}_{trial.digest[:22]}.eval"


def start(trial: Trial, ids: Iterable[str]) -> dict[str, Any]:
    """`_journal/start.json`: what is evaluated. ids: of the inputs, in order."""
    listed = list(ids)
    decoding = {"temperature": trial.temperature, "max_tokens": trial.max_new_tokens}
    metrics = [{"name": name} for name in ("value", *(trial.run or trial.aggregate).components)]
    spec = {
        "eval_id": trial.digest[:22],
        "run_id": trial.digest[22:44],
        "task_id": trial.digest[:22],
        "created": moment(trial.ended),
        "task": trial.name,
        "task_version": trial.metric_version,
        "task_args": {
            "split": trial.split,
            "arm": trial.arm,
            "profile": trial.profile,
            **({} if trial.run is None else {"run": trial.run.run}),
        },
        "dataset": {"name": trial.name, "samples": len(listed), "sample_ids": listed, "shuffled": False},
        "model": trial.system.id,
        "model_generate_config": {name: value for name, value in decoding.items() if value is not None},
        "model_args": dict(trial.system.settings),
        "config": {"epochs": 1},
        "packages": {"scrollwork": trial.version},
        "metadata": trial.facts,
        "scorers": [{"name": trial.metric, "metrics": metrics}],
    }
    plan = {"name": "plan", "steps": [{"solver": "generate", "params": {}}], "config": {}}
    return {"version": VERSION, "eval": spec, "plan": plan}


def header(trial: Trial, begun: Mapping[str, Any], usage: Mapping[str, int]) -> dict[str, Any]:
    """`header.json`, written last: results and status. begun: result of `start`. usage: tokens of the whole log."""
    covered = trial.coverage
    metrics = {name: {"name": name, "value": value, "params": {}} for name, value in trial.values.items()}
    scores = {
        "name": trial.metric,
        "scorer": trial.metric,
        "scored_samples": covered.answered,
        "unscored_samples": covered.expected - covered.answered,
        "params": {},
        "metrics": metrics,
    }
    lacking = covered.expected - covered.answered
    when = moment(trial.ended)
    problem = f"{lacking} of {covered.expected} inputs are not answered; the scores are of the others"
    return {
        **begun,
        "status": "error" if lacking else "success",
        "results": {"total_samples": covered.expected, "completed_samples": covered.answered, "scores": [scores]},
        "stats": {"started_at": when, "completed_at": when, "model_usage": {trial.system.id: dict(usage)}},
        **({"error": error(problem)} if lacking else {}),
    }


def sample(trial: Trial, item: Item) -> dict[str, Any]:
    """`samples/ID_epoch_N.json`. A draw is an epoch; a run (SEAM) has its own log."""
    prompt = f"attachment://{item.prompt.prompt_sha256}"
    came = item.response
    messages: list[dict[str, Any]] = [{"role": "user", "content": prompt, "source": "input"}]
    output: dict[str, Any] = {"model": trial.system.id, "choices": []}
    used: dict[str, Any] = {}
    if came is not None:
        said = {"role": "assistant", "content": came.within, "source": "generate", "model": trial.system.id}
        output |= {
            "choices": [{"message": said, "stop_reason": STOPS[came.ended]}],
            "completion": came.within,
            "metadata": {"finish_reason": came.ended, "reported_model": came.reported_model},
        }
        messages.append(said)
        if tokens := usage_of(came):
            output["usage"] = tokens
            used = {trial.system.id: tokens}
    return {
        **sample_head(trial, item),
        "input": item.text,
        "messages": messages,
        "output": output,
        "metadata": {**item.example.facts, **item.trace},
        "model_usage": used,
        "attachments": {item.prompt.prompt_sha256: item.text},
        **({"error": error(item.failure.message)} if item.failure is not None else {}),
    }


def summary(trial: Trial, item: Item) -> dict[str, Any]:
    """The sample in `summaries.json`, from which inspect makes tables of samples."""
    short = {
        name: value[:SHORT] if isinstance(value, str) else value for name, value in sample_head(trial, item).items()
    }
    return {
        **short,
        "input": item.text[:SHORT],
        "metadata": {"request_key": item.trace["request_key"]},
        "completed": True,
        "message_count": 1 + (item.response is not None),
        **({"error": item.failure.message} if item.failure is not None else {}),
    }


def sample_head(trial: Trial, item: Item) -> dict[str, Any]:
    """The fields that a sample and its summary share: id, epoch, references, scores."""
    scored: dict[str, Any] = {}
    if item.score is not None:
        detail = {"components": dict(item.score.components), "flags": dict(item.score.flags)}
        scored = {trial.metric: {"value": item.score.value, "answer": item.score.parsed, "metadata": detail}}
    return {
        "id": item.example.example_id,
        "epoch": item.prompt.draw + 1 if trial.run is None else 1,
        "target": list(item.example.references),
        **({"choices": list(item.example.options)} if item.example.options else {}),
        "scores": scored,
    }


def usage_of(response: Response) -> dict[str, int]:
    """Tokens as inspect counts them: input excludes cached tokens. {} if the provider reports none."""
    if response.input_tokens is None or response.output_tokens is None:
        return {}
    cached = min(response.cached_tokens or 0, response.input_tokens)
    read = {} if response.cached_tokens is None else {"input_tokens_cache_read": cached}
    total = response.input_tokens + response.output_tokens
    return {
        "input_tokens": response.input_tokens - cached,
        "output_tokens": response.output_tokens,
        "total_tokens": total,
        **read,
    }


def error(message: str) -> dict[str, str]:
    """An error in inspect's form."""
    return {"message": message, "traceback": "", "traceback_ansi": ""}
