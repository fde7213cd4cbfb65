"""The receipt of a cut: is the answer, is the evidence, in what the model sees?"""

from __future__ import annotations

import pytest

from scrollwork.preprocessing.prompts.from_examples import Profile, prompts
from scrollwork.preprocessing.prompts.template import Template
from scrollwork.preprocessing.tokens.tokenizer import make
from scrollwork.records.example import Example, metadata
from scrollwork.records.prompt import Prompt
from scrollwork.suites.suite_files import load_suite

SUITE = load_suite("zeroscrolls")


def asked(
    text: str,
    references: tuple[str, ...],
    limit: int,
    task: str = "qasper",
    options: tuple[str, ...] = (),
    **facts: object,
) -> Prompt:
    template = Template(**SUITE.tasks[task].template)
    example = Example(task, "test", "e", ("d",), references, query="What?", options=options, metadata=metadata(**facts))
    profile = Profile("plain", "input", "words", limit)
    (made,) = prompts(
        [example],
        template,
        profile,
        lambda _: text,
        arm="full",
        max_new_tokens=1,
        chat_sentence="",
        tokenizer=make("words"),
    )
    return made


FILL = " ".join(["word"] * 100)


@pytest.mark.parametrize(
    ("text", "answer", "place"),
    [
        (f"The Red Fox slept. {FILL} end", "red fox", "kept"),
        (f"{FILL} the red fox.", "Red Fox", "dropped"),
        (f"red fox {FILL} red fox", "red fox", "both"),
        (f"foxes {FILL} redfox", "fox", "absent"),
        (f"fox {FILL} e", "...", "absent"),
        (f"a (b+ {FILL} (c*", "(c*", "dropped"),
    ],
)
def test_answer_is_said_to_be_elsewhere(text: str, answer: str, place: str) -> None:
    made = asked(text, (answer,), 130)
    assert made.truncated
    assert made.answer_in == place


def test_answer_across_the_cut_counts_as_seen() -> None:
    text = " ".join(f"w{n}" for n in range(100))
    cut = asked(text, ("x",), 130)
    last = int(text[: cut.kept_chars].split()[-1][1:])
    assert asked(text, (f"w{last} w{last + 1}",), 130).answer_in == "dropped"
    assert asked(text, (f"w{last - 1} w{last}",), 130).answer_in == "kept"


def test_uncut_prompt_or_summary_claims_to_know() -> None:
    assert asked("red fox", ("red fox",), 1000).answer_in is None
    assert asked(f"red fox {FILL}", ("red fox",), 90, task="qmsum").answer_in is None


@pytest.mark.parametrize(("letter", "place"), [("A", "dropped"), ("B", "kept"), ("C", "absent")])
def test_letter_of_an_option_is_looked_for_as_a_word(letter: str, place: str) -> None:
    options = ("two hens", "a red fox", "nobody")
    made = asked(f"A red fox saw a hen. {FILL} two hens, a cow", (letter,), 130, task="quality", options=options)
    assert made.answer_in == place


@pytest.mark.parametrize("fixed", ["Yes", "No", "Unanswerable", "unanswerable"])
def test_fixed_answer_is_found_in_the_text(fixed: str) -> None:
    text = f"There is no fox, yes, unanswerable. {FILL} no yes unanswerable"
    assert asked(text, (fixed,), 130).answer_in is None
    assert asked(text, (fixed, "fox"), 130).answer_in == "kept"


def test_evidence_is_said_to_be_elsewhere() -> None:
    text = f"first {FILL} last words"
    whole = len(text)
    assert asked(text, ("r",), 130, evidence_spans=[[0, 0, 5]]).evidence_in == "kept"
    assert asked(text, ("r",), 130, evidence_spans=[[0, whole - 5, whole]]).evidence_in == "dropped"
    assert asked(text, ("r",), 130, evidence_spans=[[0, 0, 5], [0, whole - 5, whole]]).evidence_in == "split"
    assert asked(text, ("r",), 130).evidence_in is None
    assert asked(text, ("r",), 1000, evidence_spans=[[0, 0, 5]]).evidence_in is None
