"""Every prompt of both suites, letter by letter: a changed blank line is a changed benchmark.

golden/SUITE.TASK.VARIANT.txt were read by eye against sections 3.2 to 3.5 of ZeroSCROLLS' and 3 of SCROLLS' fact sheet.
To renew them after a wanted change: SCROLLWORK_GOLDEN=write pytest tests/preprocessing/test_golden_prompts.py
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scrollwork.preprocessing.prompts.chat import VARIANTS
from scrollwork.preprocessing.prompts.from_examples import Profile, prompts
from scrollwork.preprocessing.prompts.template import Template
from scrollwork.preprocessing.tokens.tokenizer import make
from scrollwork.records.example import Example
from scrollwork.records.prompt import CLOSED_BOOK, FULL, render
from scrollwork.suites.suite_files import Suite, load_suite

GOLDEN = Path(__file__).parent / "golden"
SUITES = {name: load_suite(name) for name in ("zeroscrolls", "scrolls")}
TEXT = {
    "d1": "The ferry left at noon.\nNobody waved.\n\nBy dusk it was a light on the water.",
    "d2": "The harbour was quiet.",
}
QUERY = {
    "quality": "Who waved?\n\n (A) The captain\n (B) Nobody\n (C) A child\n (D) Everyone",
    "contract_nli": "The ferry shall leave at noon.",
}
ASKING = ("qmsum", "squality", "qasper", "narrative_qa", "musique")

CASES = [
    *(("zeroscrolls", task, variant) for task in SUITES["zeroscrolls"].tasks for variant in (*VARIANTS, "cut")),
    *(("zeroscrolls", task.name, "closed-book") for task in SUITES["zeroscrolls"].tasks.values() if task.asks),
    *(("scrolls", task, variant) for task in SUITES["scrolls"].tasks for variant in ("plain", "instructed", "cut")),
]


def made(suite: Suite, task: str, variant: str) -> str:
    own = suite.tasks[task]
    several = bool(own.template.get("inner_header"))
    example = Example(
        task,
        "test",
        "e1",
        ("d1", "d2") if several else ("d1",),
        ("Nobody",),
        query=QUERY.get(task, "Who waved?" if task in ASKING else None),
        titles=("The Ferry", "The Harbour") if task == "musique" else (),
    )
    chosen = "instructed" if variant == "instructed" else ""
    profile = Profile(variant if variant in VARIANTS else "plain", prompts=chosen)
    template = Template(**suite.template(own, chosen))
    how = {"max_new_tokens": own.max_new_tokens, "chat_sentence": suite.chat_sentence}
    arm = CLOSED_BOOK if variant == "closed-book" else FULL
    if variant == "cut":  # seven words fewer than the whole
        words = make("words")
        (whole,) = prompts([example], template, profile, TEXT.__getitem__, arm=arm, **how)  # type: ignore[arg-type]
        profile = Profile("plain", suite.truncation, "words", whole.words - 7)
        (prompt,) = prompts([example], template, profile, TEXT.__getitem__, arm=arm, tokenizer=words, **how)  # type: ignore[arg-type]
    else:
        (prompt,) = prompts([example], template, profile, TEXT.__getitem__, arm=arm, **how)  # type: ignore[arg-type]
    return render(prompt.parts, TEXT.__getitem__)


@pytest.mark.parametrize(("suite", "task", "variant"), CASES)
def test_prompt_differs_from_the_golden_one(suite: str, task: str, variant: str) -> None:
    text = made(SUITES[suite], task, variant)
    file = GOLDEN / f"{suite}.{task}.{variant}.txt"
    if os.environ.get("SCROLLWORK_GOLDEN") == "write":
        file.write_text(text, encoding="utf-8", newline="")
    assert text == file.read_bytes().decode("utf-8")


def test_golden_file_of_no_prompt_is_left() -> None:
    assert {file.name for file in GOLDEN.iterdir()} == {f"{s}.{t}.{v}.txt" for s, t, v in CASES}
