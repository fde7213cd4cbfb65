"""Which scores of a home stand on the same inputs, so that they may be shown in one section."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrollwork.records.score import Aggregate
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.home import Home
from scrollwork.tasks.sample.run import STAGE as SAMPLE

IN_NAME = ("max_input_tokens", "tokenizer", "truncation", "prompts")  # said by the profile in a row's name

Place = tuple[str, int]  # slot of an aggregate; which of the settings that were seen, the newest first


@dataclass
class Section:
    """What was asked the same. asked: the settings of its first row; inputs: by task; rows: who is there by task."""

    name: str
    asked: Mapping[str, Any]
    inputs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rows: dict[tuple[str, str], dict[str, Place]] = field(default_factory=dict)  # by model and arm

    def takes(self, who: tuple[str, str], tasks: Mapping[str, tuple[str, ...]]) -> bool:
        """Whether these inputs are those of the section; for a second row of a model, without adding a task to it."""
        there = who in self.rows
        return all(self.inputs.get(task, () if there else own) == own for task, own in tasks.items())


def by_inputs(
    shown: Mapping[Place, tuple[Aggregate, tuple[str, ...]]], settings: Sequence[Mapping[str, Any]]
) -> dict[Place, str]:
    """Find the section of each place (its row, and what its inputs are known by): its split, where all models of the
    split were asked the same inputs of each task that they share. Else those with the most inputs keep the split's
    name, and the others' says what was asked otherwise: "test, limit 12". Of two scores of a model on the same inputs
    of a task the older one has no section."""
    splits: dict[str, dict[tuple[str, str, int], dict[str, Place]]] = {}
    for place, (row, _) in shown.items():
        splits.setdefault(row.split, {}).setdefault((row.model, row.arm, place[1]), {})[row.task] = place
    found: dict[Place, str] = {}
    for split, asked in splits.items():
        sections: list[Section] = []
        many = {one: sum(shown[place][0].coverage.expected for place in own.values()) for one, own in asked.items()}
        for one in sorted(asked, key=lambda one: (-many[one], one[2], one)):
            own, who, inputs = asked[one], one[:2], {task: shown[place][1] for task, place in asked[one].items()}
            section = next((other for other in sections if other.takes(who, inputs)), None)
            if section is None:
                section = Section(section_name(split, settings[one[2]], sections), settings[one[2]])
                sections.append(section)
            section.inputs.update(inputs)
            there = section.rows.setdefault(who, {})
            for task, place in own.items():
                there[task] = min(there.get(task, place), place, key=lambda at: at[1])
        for section in sections:
            found.update({place: section.name for row in section.rows.values() for place in row.values()})
    return found


def inputs_of(home: Home, aggregates: Mapping[Place, Artifact]) -> dict[Place, tuple[str, ...]]:
    """What the inputs of aggregates are known by: the digests of their samples, so that a limit that leaves nothing
    out, or another folder with the same files, makes no other inputs of them."""
    digests = {
        one.content: one.exact for one in home.artifacts.everything() if one.manifest.ingredients.stage == SAMPLE
    }
    found = {}
    for place, aggregate in aggregates.items():
        samples = aggregate.manifest.ingredients.each("sample")
        found[place] = tuple(sorted(digests.get(content, content) for content in samples))
    return found


def section_name(split: str, own: Mapping[str, Any], before: Sequence[Section]) -> str:
    """Name a section so that it differs from those before it: what was asked otherwise than in the first; if that is
    another's name, also what was asked otherwise than there."""
    if not before:
        return split
    differing = differences(own, before[0].asked)
    taken = {one.name: one.asked for one in before}
    name = ", ".join([split, *(differing or ["other inputs"])])
    while name in taken and (more := [one for one in differences(own, taken[name]) if one not in differing]):
        differing += more
        name = ", ".join([split, *differing])
    numbered, number = name, 1
    while numbered in taken:
        number += 1
        numbered = f"{name} ({number})"
    return numbered


def differences(own: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """List the settings that differ, with their values in the first."""
    return [
        f"{name} {setting_text(own[name])}" if name in own else f"{name} not set"
        for name in sorted({*own, *other})
        if name not in IN_NAME and own.get(name) != other.get(name)
    ]


def setting_text(value: Any) -> str:
    """Write a setting as a name can have it: a folder by its last two names."""
    return "/".join(Path(value).parts[-2:]) if isinstance(value, str) else json.dumps(value)
