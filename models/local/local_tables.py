"""The keys of local checkpoints' tables, with their types, so that a mistake is reported before hours are spent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrollwork.models.hosted.tables import CHOICE, POSITIVE, PROMPT, BadTable, check_choice, check_keys
from scrollwork.models.table_keys import ANY_TABLE, FLAG, FRESH, NUMBER, TEXT, TEXT_OR_TABLE, WHOLE, Key, Table
from scrollwork.models.vendors.keys import DAY

GENERATION = Table(
    {
        "num_beams": Key(WHOLE, "Beams of beam search."),
        "do_sample": Key(FLAG, "Sampling instead of greedy decoding."),
        "temperature": Key(NUMBER, "Of sampling."),
        "top_p": Key(NUMBER, "Of sampling."),
        "top_k": Key(WHOLE, "Of sampling."),
        "repetition_penalty": Key(NUMBER, "As transformers has it."),
        "length_penalty": Key(NUMBER, "Of beam search."),
        "no_repeat_ngram_size": Key(WHOLE, "As transformers has it."),
    }
)
# How a checkpoint that judges pairs of texts is prompted (models/local/entailment.py); only `first_only` is optional.
ENTAILMENT = Table(
    {
        "template": Key(TEXT, "How a pair is shown, with {premise} and {hypothesis} once each."),
        "label": Key(TEXT, "The answer that says yes."),
        "window": Key(WHOLE, "Tokens of a premise that are shown at once."),
        "first_only": Key(FLAG, "Only the first token of the label counts."),
    }
)
# What decides an answer, in addition to the prompt and the checkpoint's own files.
DECIDES = {
    "dtype": Key(TEXT, "auto (default), float32, float16 or bfloat16."),
    "load_in_4bit": Key(FLAG, "Weights in 4 bits (bitsandbytes, a GPU)."),
    "max_new_tokens": Key(WHOLE, "The most new tokens, instead of the task's."),
    "chat": Key(FLAG, "Whether its chat template is used."),
    "template": Key(ANY_TABLE, "Strings of its prompts, instead of the suite's."),
    "generation": Key(GENERATION, "How it decodes."),
    "entailment": Key(ENTAILMENT, "Of a checkpoint that judges."),
}
# Where and how fast it runs: results may round differently between devices and batches, but no request contains these.
RUNS = {
    "id": Key(TEXT, "The folder of a checkpoint, or OWNER/NAME@REVISION."),
    "place": Key(TEXT, "Where its files lie."),
    "download": Key(FLAG, "Whether they may be downloaded."),
    "device": Key(TEXT, "cpu, cuda, ..."),
    "device_map": Key(TEXT_OR_TABLE, "As transformers has it."),
    "batch_size": Key(WHOLE, "Prompts at once at most."),
    "batch_tokens": Key(WHOLE, "Tokens of them at most."),
    "threads": Key(WHOLE, "Of the processor."),
    "price": Key(ANY_TABLE, "As of hosted models; nothing by default."),
    "source": Key(TEXT, "Where it is from."),
    "retired": Key(DAY, "As of hosted models."),
    "fresh": FRESH,
}
KEYS: Mapping[str, Key] = {**DECIDES, **RUNS, **PROMPT, **CHOICE}
PLACES = ("{premise}", "{hypothesis}")
DTYPES = ("auto", "float32", "float16", "bfloat16")
SAMPLING = ("temperature", "top_p", "top_k")
NO_COST = {"input": 0.0, "output": 0.0, "source": "own machine"}  # so that a budget and `status` know the cost


def checked_table(name: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """Check the table of a local checkpoint and return it, with no cost as its default price.

    Raises BadTable, which names model and key.
    """
    check_keys(name, table, KEYS)
    check_entailment(name, table)
    for key in (*POSITIVE, "batch_size", "batch_tokens", "threads", "max_new_tokens"):
        if table.get(key, 1) <= 0:
            raise BadTable(f"model {name!r}: {key} must be positive")
    if not table.get("id"):
        raise BadTable(f"model {name!r}: id is missing: the folder of a checkpoint, or OWNER/NAME@REVISION")
    check_choice(name, "dtype", table.get("dtype", "auto"), DTYPES)
    check_choice(name, "variant", table.get("variant", "plain"), ("plain", "chat"))
    generation = table.get("generation", {})
    if not generation.get("do_sample") and (wrong := [key for key in SAMPLING if key in generation]):
        raise BadTable(f"model {name!r}: generation.{wrong[0]} does nothing without generation.do_sample = true")
    if "device" in table and "device_map" in table:
        raise BadTable(f"model {name!r}: device and device_map exclude each other")
    return {"price": NO_COST, **table}


def check_entailment(name: str, table: Mapping[str, Any]) -> None:
    """Check the table `entailment`, if there is one. Raises BadTable."""
    own = table.get("entailment")
    if own is None:
        return
    if lost := [key for key in ("template", "label", "window") if not own.get(key)]:
        raise BadTable(f"model {name!r}: entailment.{lost[0]} is missing")
    if own["window"] <= 0:
        raise BadTable(f"model {name!r}: entailment.window must be positive")
    for place in PLACES:
        if own["template"].count(place) != 1:
            raise BadTable(f"model {name!r}: entailment.template must hold {place} once")


def answer_relevant(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table with only those keys on which the prompt or the answer depends.

    Left out are where the checkpoint is and on what it runs (RUNS).
    """
    return {key: value for key, value in table.items() if key not in RUNS}


def temperature(table: Mapping[str, Any]) -> float:
    """Return the temperature of sampling, 0 for greedy decoding."""
    generation = table.get("generation", {})
    return float(generation.get("temperature", 1.0)) if generation.get("do_sample") else 0.0
