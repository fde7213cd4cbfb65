"""What HELM's `scenario_state.json` (or `instances.json`) says of the items of a run: inputs, ids, errors, cuts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scrollwork.analysis.logs.log import ReadOptions, digest_of
from scrollwork.exchange.logs.columns import (
    CLUSTER_FIELDS,
    ID_FIELDS,
    as_object,
    at_path,
    first_label,
    label_of,
)
from scrollwork.exchange.logs.json_rows import list_items, members

SEEDS = "seed"  # of a perturbation: the same one drawn again
POSITION = re.compile(r"id\d+")  # HELM's own numbering
Key = tuple[str, str, str, str]  # instance, perturbation, its seed, trial


@dataclass(frozen=True)
class Instance:
    """An item. id: "" if it has none but HELM's number. prompt, content: digests of its input, and with references."""

    id: str
    cluster: str
    prompt: str
    content: str


@dataclass
class Instances:
    """The items of a run by (instance, perturbation, seed); errors and cut prompts by trial too.

    more_than_input: whether prompts held more than an item's input (instructions, few-shot examples).
    """

    known: dict[tuple[str, str, str], Instance] = field(default_factory=dict)
    errors: dict[Key, str] = field(default_factory=dict)
    truncated: set[Key] = field(default_factory=set)
    more_than_input: bool = False

    def of(self, key: Key) -> Instance | None:
        """Return an item; of a perturbed one that is not described, what its original says but the input."""
        if found := self.known.get(key[:3]):
            return found
        original = self.known.get((key[0], "", ""))
        return replace(original, prompt="", content="") if original else None


def instances_of(state: Path | None, listed: Path | None, options: ReadOptions) -> Instances:
    """Return the items of a run. state, listed: its files, as far as they are there. Raises LogError."""
    found = Instances()
    for request in requests_in(state, listed):
        instance = as_object(request.get("instance"))
        name = label_of(instance.get("id"))
        perturbation = as_object(instance.get("perturbation"))
        label, seed = perturbation_label(perturbation), label_of(perturbation.get(SEEDS))
        key = (name, label, seed, label_of(request.get("train_trial_index", 0)))
        if (name, label, seed) not in found.known:
            found.known[name, label, seed] = described(instance, name, options)
        if request.get("prompt_truncated") is True:
            found.truncated.add(key)
        result = as_object(request.get("result"))
        if result.get("success") is False:
            found.errors[key] = f"the model failed: {label_of(result.get('error')) or 'no reason is given'}"
        prompt = as_object(request.get("request")).get("prompt")
        if not found.more_than_input and "request" in request:
            found.more_than_input = prompt != as_object(instance.get("input")).get("text")
    return found


def requests_in(state: Path | None, listed: Path | None) -> Iterator[Mapping[str, Any]]:
    """Yield the requests of a run; from a mere list of instances one each."""
    if state:
        yield from (as_object(value) for _, value in members(state, (), [("request_states",)]))
    elif listed:
        yield from ({"instance": value} for _, value in list_items(listed))


def described(instance: Mapping[str, Any], name: str, options: ReadOptions) -> Instance:
    """Return what is known of an instance."""
    extra = as_object(instance.get("extra_data"))
    text = as_object(instance.get("input")).get("text")
    own = (
        label_of(at_path(instance, options.id_field))
        if options.id_field
        else first_label(extra, ID_FIELDS) or ("" if POSITION.fullmatch(name) else name)
    )
    cluster = (
        label_of(at_path(instance, options.cluster_field))
        if options.cluster_field
        else first_label(extra, CLUSTER_FIELDS)
    )
    prompt = digest_of(text) if isinstance(text, str) and text else ""
    references = json.dumps(instance.get("references"), sort_keys=True)
    return Instance(own, cluster, prompt, digest_of([prompt, references]))


def perturbation_label(perturbation: Mapping[str, Any]) -> str:
    """Return the name of a perturbation with its parameters, "" for none."""
    if not perturbation:
        return ""
    own = {
        name: value
        for name, value in perturbation.items()
        if name not in ("name", "robustness", "fairness", "computed_on", SEEDS)
    }
    return str(perturbation.get("name")) + (f" {json.dumps(own, sort_keys=True)}" if own else "")
