"""What each setting of QMSum's four cleaning rules gives: mean words, on the real files (docs/fidelity.md#qmsum).

    python -m benchmarks.kit.qmsum_settings DIR

DIR is a raw folder, as --raw takes it, with all three splits of QMSum. ZeroSCROLLS counts the whole prompt of the test
split, SCROLLS input and output of all 1,810 examples.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from typing import Any

from scrollwork.pipeline.raw_files import find
from scrollwork.preprocessing.curation import curate
from scrollwork.preprocessing.datasets.qmsum import RULES
from scrollwork.preprocessing.prompts.template import Template, assemble
from scrollwork.records.document import Document
from scrollwork.records.example import Example
from scrollwork.records.prompt import render
from scrollwork.storage.digest import FileDigests
from scrollwork.suites.suite_files import load_suite

TASK = "qmsum"


def lengths(suite: str, raw: str, split: str, options: dict[str, Any]) -> list[tuple[int, int]]:
    """(words of the input, words of the reference) of every example of a split."""
    task = load_suite(suite).tasks[TASK]
    template = Template(**task.template)
    found = find(task.dataset, task.raw, {"split": task.splits[split], split: "", **options}, raw, FileDigests(None))
    texts: dict[str, str] = {}
    counted = []
    for row in curate(task.dataset, found.opened(raw), TASK, split, options):
        if isinstance(row, Document):
            texts[row.document_id] = row.text
        elif isinstance(row, Example):
            text = render(assemble(row, template, lambda name: len(texts[name])), texts.__getitem__)
            counted += [(len(text.split()), len(reference.split())) for reference in row.references]
    return counted


def settings() -> list[dict[str, bool]]:
    """All combinations of the rules, none first."""
    return [dict(zip(RULES, chosen, strict=True)) for chosen in product((False, True), repeat=len(RULES))]


def mean(values: list[int]) -> float:
    """The plain mean."""
    return sum(values) / len(values)


def table(raw: str) -> list[str]:
    """Lines of a Markdown table; rows in which a stronger rule leaves another nothing to do are equal."""
    lines = [
        "| rules that are on | ZeroSCROLLS, words in | SCROLLS, words in | SCROLLS, words out |",
        "| --- | ---: | ---: | ---: |",
    ]
    for rules in settings():
        zero = lengths("zeroscrolls", raw, "test", rules)
        whole = [one for split in ("train", "validation", "test") for one in lengths("scrolls", raw, split, rules)]
        name = ", ".join(rule for rule, on in rules.items() if on) or "none"
        means = (mean([one[0] for one in zero]), mean([one[0] for one in whole]), mean([one[1] for one in whole]))
        lines.append(f"| {name} | {means[0]:,.1f} | {means[1]:,.1f} | {means[2]:,.1f} |")
    return lines


if __name__ == "__main__":
    for line in table(str(Path(sys.argv[1]).resolve())):
        print(line)
