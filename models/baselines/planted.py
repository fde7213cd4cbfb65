"""The planted baseline (Dolce): it reads only the evidence that sample/planting.py puts into contexts.

It is right exactly if its prompt shows the evidence, so the results of a run can be checked against what was planted. A
share of its answers, or of the points of an answer, may be noise, as in the paper's mixture (sections 4, 5). Noise
depends on a digest of the prompt, so that the same prompt always has the same answer.

The wording is the same for all tasks. A unit of evidence is "The ledger of NAME says 2 of 5: WORD!". All parts of one
copy, in order, give the answer, which is the word of the last part. For partial points it is "The ledger of NAME notes
2 of 5: WORD WORD!", and each aspect counts by itself. What a ledger says follows from its name, so that noise can be
right without any evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

from scrollwork.models.base import Answer, Ask, Call
from scrollwork.records.stable_choice import stable_index, stable_int, stable_order

OPTIONS = ("noise", "right", "wrong")  # options after the model's name, each from 0 to 1
LINE = re.compile(r"\bThe ledger of (\w{1,40}) (says|notes) ([0-9]{1,4}) of ([0-9]{1,4}): ([A-Za-z0-9 ]{1,400})!")
ASKED = re.compile(r"\bWhich ([\w ]{1,40}) does the ledger of (\w{1,40}) (say|note)\?")
PARTS = re.compile(r"([0-9]{1,4}) times ([0-9]{1,4}) words")
LETTER_OF_NONE = re.compile(r"^ *\(?E[).] The question is unanswerable", re.MULTILINE)
WORD_OF_NONE = '"Unanswerable"'
WORDS = (
    *("amber", "basalt", "cedar", "dune", "ember", "fjord", "garnet", "heron", "indigo", "juniper", "kelp", "larch"),
    *("marble", "nettle", "ochre", "pumice", "quartz", "reed", "slate", "tundra", "umber", "vetch", "willow", "zinc"),
)
LETTERS = "ABCD"


def make(name: str, table: Mapping[str, Any], revision: str) -> Planted:
    """Make the model of a table of config/models.toml. revision: digest of its code.

    Raises ValueError if a share is no number.
    """
    return Planted(name, {option: float(table[option]) for option in OPTIONS}, revision)


class Planted:
    """A model with one member.

    shares: noise: of answers or points that are noise; right, wrong: of noisy answers that are right or wrong. The
    other noisy answers leave the problem open.
    """

    provider = "planted"

    def __init__(self, name: str, shares: Mapping[str, float], revision: str) -> None:
        self.name = name
        self.members = (name,)
        self._shares, self._revision = dict(shares), revision

    def payload(self, ask: Ask, member: str) -> Mapping[str, Any]:
        """Return what the answer depends on, including the digest of the code."""
        return {
            "provider": self.provider,
            "revision": self._revision,
            **self._shares,
            "task": ask.task,
            "example": ask.example_id,
            "prompt": ask.prompt_sha256,
        }

    def answer(self, calls: Iterable[Call]) -> Iterator[Answer]:
        """Yield the answer to each call, in order."""
        for call in calls:
            yield Answer(call.key, reply(call.ask, **self._shares), "complete", call.member)


def reply(ask: Ask, noise: float, right: float, wrong: float) -> str:
    """Return what the ledger that the question names says, as far as the prompt shows it.

    noise, right, wrong: the shares of `Planted`.
    """
    asked = ASKED.search(ask.query)
    if asked is None:
        return left_open(ask)
    texts = (ask.query, *ask.documents_shown)
    if asked[3] == "note":
        return points(ask, asked[1], asked[2], texts, noise)
    if prompt_chance(ask, "noise") < noise:
        said = prompt_chance(ask, "said")
        if said >= right + wrong:
            return left_open(ask)
        return true_answer(asked[2], asked[1]) if said < right else wrong_answer(true_answer(asked[2], asked[1]))
    return next(filter(None, (ledger_value(text, asked[2]) for text in texts)), "") or left_open(ask)


def ledger_value(text: str, name: str) -> str:
    """Return the word of the last part of the first complete copy of a ledger in a text, "" if there is none."""
    run = 0
    for other, verb, place, of, word in LINE.findall(text):
        if (other, verb) == (name, "says"):
            run = run + 1 if int(place) == run + 1 else int(place == "1")
            if run and run == int(of):
                return str(word)
    return ""


def points(ask: Ask, count: str, name: str, texts: Sequence[str], noise: float) -> str:
    """Return the words of all aspects that the texts show, and a word that says nothing in place of each other word.

    So the score is a share of the words. count: "ASPECTS times WORDS words", as the question says. noise: the share of
    words that do not depend on what is shown; of these a share is right that is drawn for the prompt, uniform from 0 to
    1. The problem is left open if no word is said, or if `count` has another form.
    """
    found = PARTS.fullmatch(count)
    if found is None:
        return left_open(ask)
    aspects, each = int(found[1]), int(found[2])
    shown = {
        int(place): words.split()
        for text in texts
        for other, verb, place, _, words in LINE.findall(text)
        if (other, verb) == (name, "notes")
    }
    said = [word for place in range(1, aspects + 1) for word in [*shown.get(place, ()), *[""] * each][:each]]
    noisy = prompt_order(ask, len(said))[: round(noise * len(said))]
    lucky = int(prompt_chance(ask, "luck") * (len(noisy) + 1))
    for number, at in enumerate(noisy):
        said[at] = aspect(name, at // each + 1, each)[at % each] if number < lucky else ""
    return " ".join(word or f"nothing{at}" for at, word in enumerate(said)) if any(said) else left_open(ask)


def prompt_order(ask: Ask, count: int) -> list[int]:
    """Return 0 .. count - 1 in a random order that depends on the prompt."""
    return stable_order(range(count), "planted", ask.task, ask.example_id, ask.prompt_sha256)


def left_open(ask: Ask) -> str:
    """Return the answer that leaves a problem open, in the way that the prompt offers.

    It is the letter E, "Unanswerable" or, if the prompt offers neither, "Nothing.".
    """
    if LETTER_OF_NONE.search(ask.query):
        return "E"
    offered = any(WORD_OF_NONE in segment.text for segment in ask.segments if segment.role != "document")
    return "Unanswerable" if offered else "Nothing."


def prompt_chance(ask: Ask, *names: object) -> float:
    """Return a number from 0 to below 1 that depends on the prompt and on `names`."""
    return stable_int("planted", ask.task, ask.example_id, ask.prompt_sha256, *names) / 2**128


def true_answer(name: str, kind: str) -> str:
    """Return what the ledger `name` says.

    kind: of answer, as the question words it; "" is returned for an unknown one.
    """
    one = stable_int("ledger", name)
    return {
        "word": WORDS[one % len(WORDS)],
        "class": WORDS[one % len(WORDS)].capitalize(),
        "letter": LETTERS[one % len(LETTERS)],
        "number": str(11 + one % 89),
        "paragraph": f"Paragraph {11 + one % 89}",
        "of True and False": ("True", "False")[one % 2],
        "of Yes and No": ("Yes", "No")[one % 2],
    }.get(kind, "")


def wrong_answer(answer: str) -> str:
    """Return an answer that differs from the right one."""
    return LETTERS[(LETTERS.index(answer) + 1) % len(LETTERS)] if answer and answer in LETTERS else "something else"


def part(name: str, place: int) -> str:
    """Return the word of a part that is not the last. place: counted from 1."""
    return WORDS[stable_index(len(WORDS), "part", name, place)]


@lru_cache(maxsize=256)
def vocabulary(name: str) -> tuple[str, ...]:
    """Return 576 different words, each made of two of WORDS, in a random order that depends on the name."""
    return tuple(stable_order(("".join(pair) for pair in product(WORDS, WORDS)), "aspects", name))


def aspect(name: str, place: int, words: int) -> list[str]:
    """Return the words of an aspect; no two aspects of a ledger have a word in common. place: counted from 1.

    Raises ValueError if the vocabulary has too few words.
    """
    found = vocabulary(name)[(place - 1) * words : place * words]
    if len(found) < words:
        raise ValueError(f"aspect {place} of {words} words: there are {len(WORDS) ** 2} words in all")
    return list(found)
