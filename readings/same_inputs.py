"""Find the scores of a home that were computed on the same inputs: only these are shown in one section of a board."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrollwork.records.score import Aggregate
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.tasks.sample.run import STAGE as SAMPLE

IN_NAME = ("max_input_tokens", "tokenizer", "truncation", "prompts")  # already part of a row's name

Place = tuple[str, int]  # (slot of an aggregate, number of its settings: 0 for the newest that were used)


@dataclass
class SameInputs:
    """A section of rows on the same inputs. asked: settings of its first row. inputs: digests of samples, by task.
    rows: the place of each task."""

    name: str
    asked: Mapping[str, Any]
    inputs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rows: dict[tuple[str, str], dict[str, Place]] = field(default_factory=dict)  # by model and arm

    def takes(self, who: tuple[str, str], tasks: Mapping[str, tuple[str, ...]]) -> bool:
        """Return whether a row with these inputs belongs here. A model that already has a row must not gain a task."""
        there = who in self.rows
        return all(self.inputs.get(task, () if there else own) == own for task, own in tasks.items())


def by_inputs(
    shown: Mapping[Place, tuple[Aggregate, tuple[str, ...]]], settings: Sequence[Mapping[str, Any]]
) -> dict[Place, str]:
    """Return the section of each place. shown: the row of a place, and the digests of its inputs.

    If all models of a split were asked the same inputs in every task that they share, the section is named like the
    split. Otherwise the rows with the most inputs keep that name, and the name of the others tells the difference:
    "test, limit 12". If a model has two scores on the same inputs of a task, the older one gets no section.
    """
    splits: dict[str, dict[tuple[str, str, int], dict[str, Place]]] = {}
    for place, (row, _) in shown.items():
        splits.setdefault(row.split, {}).setdefault((row.model, row.arm, place[1]), {})[row.task] = place
    found: dict[Place, str] = {}
    for split, asked in splits.items():
        sections: list[SameInputs] = []
        many = {one: sum(shown[place][0].coverage.expected for place in own.values()) for one, own in asked.items()}
        for one in sorted(asked, key=lambda one: (-many[one], one[2], one)):
            own, who, inputs = asked[one], one[:2], {task: shown[place][1] for task, place in asked[one].items()}
            section = next((other for other in sections if other.takes(who, inputs)), None)
            if section is None:
                section = SameInputs(section_name(split, settings[one[2]], sections), settings[one[2]])
                sections.append(section)
            section.inputs.update(inputs)
            there = section.rows.setdefault(who, {})
            for task, place in own.items():
                there[task] = min(there.get(task, place), place, key=lambda at: at[1])
        for section in sections:
            found.update({place: section.name for row in section.rows.values() for place in row.values()})
    return found


def inputs_of(everything: Iterable[Artifact], aggregates: Mapping[Place, Artifact]) -> dict[Place, tuple[str, ...]]:
    """Return the digests of the samples behind each aggregate. Equal files in another folder, or a limit that leaves
    nothing out, give the same digests. everything: all artifacts of the home."""
    digests = {one.content: one.exact for one in everything if one.manifest.ingredients.stage == SAMPLE}
    found = {}
    for place, aggregate in aggregates.items():
        samples = aggregate.manifest.ingredients.each("sample")
        found[place] = tuple(sorted(digests.get(content, content) for content in samples))
    return found


def section_name(split: str, own: Mapping[str, Any], before: Sequence[SameInputs]) -> str:
    """Return a name for a section that none before it has: how its settings differ from the first section's. If that
    name is taken, the differences from the section that has it are added, and then a number."""
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
    """List the settings that differ, with the values of `own`."""
    return [
        f"{name} {setting_text(own[name])}" if name in own else f"{name} not set"
        for name in sorted({*own, *other})
        if name not in IN_NAME and own.get(name) != other.get(name)
    ]


def setting_text(value: Any) -> str:
    """Return a setting as text for a name; of a path, the last two parts."""
    return "/".join(Path(value).parts[-2:]) if isinstance(value, str) else json.dumps(value)
