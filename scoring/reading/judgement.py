"""What an answer looks like, apart from its score: whether it has the form asked for, whether it is a refusal.

ZeroSCROLLS section 4 checked 200 answers by hand: whether they have the requested format, and whether they refuse for
lack of (trimmed) context. Here rules check all answers. They are rules of thumb, and none of them changes a score. Each
of their examples is a test (tests/scoring/test_judgement.py).

Forms are checked on the whole answer, in time linear in its length; refusals on its first words (HEAD_WORDS).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.records.words import words_in
from scrollwork.scoring.reading.answer_objects import answer_object
from scrollwork.scoring.reading.cluster_lists import is_list_of_lists

HEAD_CHARACTERS, HEAD_WORDS = 1_000, 40


@dataclass(frozen=True)
class Form:
    """The form that a metric's tasks ask for. good, bad: examples."""

    name: str
    holds: Callable[[str, Sequence[str]], bool]  # arguments: an answer without space around it, and the input's options
    good: tuple[str, ...]
    bad: tuple[str, ...]
    options: tuple[str, ...] = ()  # of the examples


@dataclass(frozen=True)
class Refusal:
    """A kind of answer that gives none. patterns: searched in lower case, with single spaces and straight quotes.

    said, not_said: examples.
    """

    name: str
    patterns: tuple[str, ...]
    said: tuple[str, ...]
    not_said: tuple[str, ...] = ()


# --- forms ------------------------------------------------------------------------------------------------------------

LETTER = re.compile(r"\(?[A-D]\)?[.:]?")
PERCENTAGE = re.compile(r"[0-9]+(?:\.[0-9]+)?%\.?")
IDS = re.compile(r"\[?[0-9]+(?:\s*,\s*[0-9]+)*\]?\.?")
SENTENCE_END = re.compile(r"(?P<word>[^\s.!?]{0,12})[.!?][\"')\]]*\s+(?=[\"'(\[]?[A-Z])")
NO_END = frozenset(("mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "vs", "etc", "al", "fig", "inc", "ltd", "co"))
# markup and lists, or a line that introduces the answer instead of giving it
NOT_PROSE = re.compile(r"[ \t]{0,12}(?:#{1,6}[ \t]|[-*•+][ \t]|[0-9]{1,3}[.)][ \t]|\||```)")
LEAD_IN = re.compile(
    r"(?:sure|certainly|of course|okay|ok)\b[^.]{0,3}[,!.:]|"
    r"(?:here is|here's|here are|below is|the following is) [^.\n]{0,120}:|"
    r"\**(?:summary|answer)\**:",
    re.IGNORECASE,
)


def is_letter(answer: str, options: Sequence[str]) -> bool:
    """Return whether an answer is only A, B, C or D."""
    return LETTER.fullmatch(answer) is not None


def is_percentage(answer: str, options: Sequence[str]) -> bool:
    """Return whether an answer is only a percentage."""
    return PERCENTAGE.fullmatch(answer) is not None


def is_ids(answer: str, options: Sequence[str]) -> bool:
    """Return whether an answer is only numbers with commas between them."""
    return IDS.fullmatch(answer) is not None


def is_one_sentence(answer: str, options: Sequence[str]) -> bool:
    """Return whether an answer is one line, and one phrase or sentence."""
    return bool(answer) and len(answer.splitlines()) == 1 and not any(map(ends_sentence, SENTENCE_END.finditer(answer)))


def ends_sentence(found: re.Match[str]) -> bool:
    """Return whether a full stop ends a sentence, unlike that of an abbreviation or an initial."""
    word = found["word"].lower().lstrip("\"'([")
    return not (len(word) == 1 and word.isalpha()) and word not in NO_END


def is_option(answer: str, options: Sequence[str]) -> bool:
    """Return whether an answer is one of the options, ignoring case and a final full stop."""
    return answer.removesuffix(".").casefold() in {option.strip().removesuffix(".").casefold() for option in options}


def is_prose(answer: str, options: Sequence[str]) -> bool:
    """Return whether an answer is text without headings, lists, tables, code or a line that introduces it."""
    return bool(answer) and not LEAD_IN.match(answer) and not any(map(NOT_PROSE.match, answer.splitlines()))


def is_object(answer: str, options: Sequence[str]) -> bool:
    """Return whether an answer is only an object that says whether it is answerable, in JSON or Python."""
    read = answer_object(answer)
    return answer.startswith("{") and answer.endswith("}") and read.json_ok and read.answerable is not None


def is_clusters(answer: str, options: Sequence[str]) -> bool:
    """Return whether an answer is only a list of lists of whole numbers."""
    return is_list_of_lists(answer)


ONE_SENTENCE = Form(
    "one sentence",
    is_one_sentence,
    good=(
        "Paris",
        "the U.S. Senate",
        "It is in Paris, France.",
        "Mr. Darcy",
        "Dr. J. R. Smith et al. Press",
        "Unanswerable",
    ),
    bad=("", "Paris. It lies on the Seine.", "Paris\nThe text says so.", "Yes! He does so twice."),
)
FORMS: Mapping[str, Form] = {
    "accuracy": Form(
        "letter",
        is_letter,
        good=("B", "(B)", "B.", "(D):", "A)"),
        bad=("", "b", "AB", "The answer is B.", "B) because", "**B**", "E", "B\nC"),
    ),
    "es": Form(
        "percentage",
        is_percentage,
        good=("60%", "66.67%", "0%.", "100%"),
        bad=("", "60", "60 %", "about 60%", "60% positive", "sixty percent", "60%\n40%", "６０%"),
    ),
    "concordance": Form(
        "ids",
        is_ids,
        good=("5, 1, 3, 4, 2", "1,2,3", "[2, 1]", "3, 1, 2."),
        bad=("", "Summary 1, Summary 2", "1 2 3", "1. 2\n2. 1", "Order: 1, 2", "1, 2,", "1 > 2"),
    ),
    "musique_output": Form(
        "object",
        is_object,
        good=(
            "{'is_answerable': True, 'answer_content': 'Rap-A-Lot'}",
            '{"is_answerable": false, "answer_content": ""}',
        ),
        bad=("", "Rap-A-Lot", "The answer is {'is_answerable': True, 'answer_content': 'x'}.", "{}", "[1]"),
    ),
    "conll": Form(
        "clusters",
        is_clusters,
        good=("[[1, 2], [3]]",),
        bad=("", "[]", "Clusters: [1, 2] and [3, 4]", "[1, 2]", "[[1, 2], [3", '[["1", "2"]]'),
    ),
    "f1": ONE_SENTENCE,
    "f1_scrolls": ONE_SENTENCE,
    "em": Form(
        "option",
        is_option,
        good=("Entailment", "not mentioned", "Contradiction."),
        bad=("", "Entailment because of clause 3", "A", "Yes"),
        options=("Entailment", "Contradiction", "Not mentioned"),
    ),
    "rouge_geo": Form(
        "prose",
        is_prose,
        good=(
            "The ship sinks.",
            "First paragraph.\n\nSecond one.",
            "1984 is a year - and a book.",
            "Sure-footed, he climbs.",
        ),
        bad=(
            "",
            "# Summary\nThe ship sinks.",
            "- The ship sinks\n- All drown",
            "Here is a summary of the report: the ship sinks.",
            "Sure! The ship sinks.",
            "Events:\n  1. The ship sinks",
            "| who | what |",
            "**Summary:** The ship sinks.",
        ),
    ),
}

# --- refusals ---------------------------------------------------------------------------------------------------------

TEXT = (
    r"(?:text|story|article|passage|document|transcript|meeting|context|report|script|episode|excerpt|paragraph"
    r"|information|review|summary|summarie|content|contract|agreement|conversation|discussion|novel|book)s?"
)
REFUSALS: tuple[Refusal, ...] = (  # the first that matches counts
    Refusal(
        "unanswerable",
        (r"\b(?:unanswerable|not answerable|can(?:not|'t| not) be answered)\b",),
        said=(
            "unanswerable",
            "Unanswerable.",
            "The question is UNANSWERABLE",
            "This cannot be answered from the article.",
        ),
        not_said=("The answer is able", "answerable"),
    ),
    Refusal(
        "context",
        (
            rf"\b{TEXT}(?: \w+)? (?:do(?:es)? not|don't|doesn't|did not|didn't) (?:\w+ )?(?:contain|mention|provide"
            r"|specify|state|include|give|say|indicate|reveal|explain|discuss|describe|address|disclose)\b",
            r"\b(?:not|isn't|wasn't|aren't|never) (?:explicitly |specifically |directly |clearly )?(?:mentioned|stated"
            r"|specified|provided|given|described|discussed|included|available) (?:in|by|within) (?:the|this) "
            rf"(?:\w+ )?{TEXT}",
            r"\b(?:is|was|are|were) not (?:explicitly |specifically |directly |clearly )?(?:mentioned|stated|specified)"
            r"(?:[.,;]| whether\b|$)",
            r"\b(?:do(?:es)?|did) not (?:\w+ )?(?:mention|discuss|specify|say)\b.{0,80}?"
            rf"\bin the (?:given|provided) {TEXT}\b",
            r"\bthere (?:is|are) no specific (?:clause|provision|requirement|section|part|mention)s?\b",
            r"\bthere (?:is|was|are|isn't|wasn't|'s) (?:no|not enough|not any|insufficient) (?:\w+ )?"
            r"(?:information|context|mention|details?|evidence)\b",
            r"\b(?:not enough|insufficient) (?:information|context)(?: \w+)? (?:in|to|from|for)\b",
            r"\b(?:cannot|can't|can not|could not|couldn't|impossible to|not possible to|unable to) (?:be )?"
            r"(?:determined?|answer|inferr?(?:ed)?|tell|identif(?:y|ied)|conclude)\b.{0,80}?"
            rf"\b(?:from|based on|without|with|given|as) (?:\w+ ){{0,3}}{TEXT}\b",
            rf"\bbased (?:only |solely )?on (?:the|this) (?:\w+ )?{TEXT},? (?:it is|it's) (?:not possible|impossible"
            r"|unclear|not clear|unknown)\b",
            r"\bwithout (?:more|further|additional|the (?:full|rest|complete|remaining|actual|entire)) "
            rf"(?:of (?:the )?)?(?:\w+ )?{TEXT}\b",
            rf"\b{TEXT} (?:\w+ ){{0,3}}(?:is|was|are|were|seems to be|appears to be) (?:omitted|cut off|truncated"
            r"|incomplete|not provided|missing)\b",
        ),
        said=(
            "The story does not mention who wrote the letter.",
            "The text provided doesn't explicitly state his age.",
            "His age is not specified in the given passage.",
            "There is not enough information to answer the question.",
            "I cannot determine this from the given context.",
            "Based on the transcript, it is unclear what she decided.",
            "Without the rest of the story I would have to guess.",
            "The rest of the story is omitted, so the ending is unknown.",
            "The name of the ship is not specified.",
            "It is not explicitly stated whether they married.",
            "Anna did not mention the budget in the given transcript.",
            "There are no specific provisions on insurance.",
            "It\u2019s impossible to tell from the excerpt.",
        ),
        not_said=(
            "He does not mention her name to the police.",
            "Not mentioned",
            "not specified in advance",
            "The agency could not determine the cost of the programme.",
            "The meeting was about the remote control.",
            "She cannot answer him.",
        ),
    ),
    Refusal(
        "declined",
        (
            r"^(?:(?:i'm|i am) (?:sorry|afraid)\b|sorry,? (?:but )?i\b)",
            r"\b(?:i|we) (?:cannot|can't|can not|could not|couldn't|am unable to|am not able to|won't|will not) "
            r"(?:\w+ ){0,2}(?:answer|provide|determine|find|summari[sz]e|help|assist|give|complete|identify|write"
            r"|generate|comply|fulfil|fulfill|tell|offer|access|see)\b",
            r"\bi'm (?:unable|not able) to\b",
            r"\bas an? (?:ai|artificial intelligence|large language model|language model)\b",
        ),
        said=(
            "I'm sorry, but I can't help with that.",
            "I am unable to provide a summary.",
            "Sorry, but I cannot do that.",
            "I cannot answer this question.",
            "As an AI language model, I do not have opinions.",
            "I\u2019m not able to read the file.",
        ),
        not_said=(
            "He is sorry.",
            "Sorry that he left",
            "I cannot stay, she says, and leaves.",
            "We could not have known.",
        ),
    ),
)
_REFUSALS = tuple((one.name, re.compile("|".join(one.patterns))) for one in REFUSALS)
_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")


def in_form(metric: str, answer: str, options: Sequence[str] = ()) -> bool | None:
    """Return whether an answer has the form that its metric's tasks ask for; None if the metric has no rule."""
    form = FORMS.get(metric)
    return None if form is None else form.holds(answer.strip(), options)


def refusal(answer: str) -> str | None:
    """Return the kind of refusal (a name of REFUSALS) in an answer's first words, or None."""
    head = " ".join(answer.lstrip()[:HEAD_CHARACTERS].translate(_STRAIGHT).casefold().split()[:HEAD_WORDS])
    return next((name for name, pattern in _REFUSALS if pattern.search(head)), None)


def answerable(references: Sequence[str]) -> bool:
    """Return whether every reference is an answer, and none says that there is none."""
    if any(reference.startswith('{"') and '"is_answerable":false' in reference for reference in references):
        return False
    return not any(refusal(reference) == "unanswerable" for reference in references)


def words(text: str) -> int:
    """Return the number of white-space words."""
    return words_in(text.encode("utf-8"))


def judge_answer(metric: str, answer: str, whole: str, options: Sequence[str]) -> dict[str, Any]:
    """Return the fields words, in_format and refusal of a Judgement (scrollwork.records.judgement).

    answer: the part that the metric scores. whole: all that the model wrote.
    """
    return {"words": words(answer), "in_format": in_form(metric, answer, options), "refusal": refusal(whole)}
