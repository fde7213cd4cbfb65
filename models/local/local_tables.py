"""The tables of local checkpoints: every key known by name and type, so that a slip is told before hours are spent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrollwork.models.hosted.tables import CHOICE, NUMBER, POSITIVE, PROMPT, BadTable, among, of_types

# What decides an answer, beside the prompt and the checkpoint's own files.
DECIDES = {
    "dtype": str,
    "load_in_4bit": bool,
    "max_new_tokens": int,
    "chat": bool,
    "template": dict,
    "generation": dict,
    "entailment": dict,
}
# Where and how fast: rounding may differ between devices and batches, but none of it is asked of the model.
RUNS = {
    "id": str,
    "place": str,
    "download": bool,
    "device": str,
    "device_map": (str, dict),
    "batch_size": int,
    "batch_tokens": int,
    "threads": int,
    "price": dict,
    "source": str,
    "retired": str,
}
KEYS: Mapping[str, Any] = {**DECIDES, **RUNS, **PROMPT, **CHOICE}
GENERATION = {
    "num_beams": int,
    "do_sample": bool,
    "temperature": NUMBER,
    "top_p": NUMBER,
    "top_k": int,
    "repetition_penalty": NUMBER,
    "length_penalty": NUMBER,
    "no_repeat_ngram_size": int,
}
# How a checkpoint is asked that judges pairs of texts (models/local/entailment.py); all but `first_only` are needed.
ENTAILMENT = {"template": str, "label": str, "window": int, "first_only": bool}
PLACES = ("{premise}", "{hypothesis}")
DTYPES = ("auto", "float32", "float16", "bfloat16")
SAMPLING = ("temperature", "top_p", "top_k")
NO_COST = {"input": 0.0, "output": 0.0, "source": "own machine"}  # so that a budget and `status` know what it costs


def checked(name: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """The table of a local checkpoint. Raises BadTable naming model and key."""
    of_types(name, table, KEYS, "")
    of_types(name, table.get("generation", {}), GENERATION, "generation.")
    judging(name, table)
    for key in (*POSITIVE, "batch_size", "batch_tokens", "threads", "max_new_tokens"):
        if table.get(key, 1) <= 0:
            raise BadTable(f"model {name!r}: {key} must be positive")
    if not table.get("id"):
        raise BadTable(f"model {name!r}: id is missing: the folder of a checkpoint, or OWNER/NAME@REVISION")
    among(name, "dtype", table.get("dtype", "auto"), DTYPES)
    among(name, "variant", table.get("variant", "plain"), ("plain", "chat"))
    generation = table.get("generation", {})
    if not generation.get("do_sample") and (wrong := [key for key in SAMPLING if key in generation]):
        raise BadTable(f"model {name!r}: generation.{wrong[0]} does nothing without generation.do_sample = true")
    if "device" in table and "device_map" in table:
        raise BadTable(f"model {name!r}: device and device_map exclude each other")
    return {"price": NO_COST, **table}


def judging(name: str, table: Mapping[str, Any]) -> None:
    """Check the table `entailment`, where there is one. Raises BadTable."""
    own = table.get("entailment")
    if own is None:
        return
    of_types(name, own, ENTAILMENT, "entailment.")
    if lost := [key for key in ("template", "label", "window") if not own.get(key)]:
        raise BadTable(f"model {name!r}: entailment.{lost[0]} is missing")
    if own["window"] <= 0:
        raise BadTable(f"model {name!r}: entailment.window must be positive")
    for place in PLACES:
        if own["template"].count(place) != 1:
            raise BadTable(f"model {name!r}: entailment.template must hold {place} once")


def what_answers(table: Mapping[str, Any]) -> dict[str, Any]:
    """The table without what neither the prompt nor the answer depends on: where it lies and what it runs on."""
    return {key: value for key, value in table.items() if key not in RUNS}


def temperature(table: Mapping[str, Any]) -> float:
    """The temperature of sampling, 0 for greedy decoding."""
    generation = table.get("generation", {})
    return float(generation.get("temperature", 1.0)) if generation.get("do_sample") else 0.0
