"""The answer in a reply, by the extractors that Dolce names, and whether a reply leaves the problem unanswered.

The paper names extractors without defining them; dolce.md 8 defines them. Every function accepts any text, in time
linear in its length.
"""

from __future__ import annotations

import re
import string
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

from scrollwork.scoring.parts.normalize import scrolls

UNANSWERABLE, CHOICE_OF_NONE = "unanswerable", "E"

MARKS = string.punctuation + "“”‘’…–—"
LETTER = re.compile(r"\b[A-E]\b")
LETTERS = re.compile(r"\b[A-E]{1,5}\b")
# The article, as in "A careful reading shows": a lower-case word follows that is no verb or function word, unlike those
# after the letter ("A is", "A because", "A fits"). Words in -s count as verbs, except those in -ss, -us, -is and -os.
ARTICLE = re.compile(
    r"A[ \t]+(?!(?:is|was|has|as|and|or|nor|but|because|since|for|so|with|without|from|in|on|at|by|to|of|the|not|only|"
    r"would|could|should|may|might|must|can|cannot|will|did|are|were|be|seemed|appeared|also|then|if|when|where|which|"
    r"that|than|here|rather|instead|over|based|due|given|through|per|above|below|alone|too|correctly|best|better|most)\b)"
    r"(?![a-z]*[^suio]s\b)[a-z]"
)
# Also before an ordinal ("A 19th century reader"), and in a title after a preposition ("In A Tale of Two Cities").
ORDINAL = re.compile(r"A[ \t]+[0-9]+(?:st|nd|rd|th)\b")
TITLE = re.compile(r"A[ \t]+[A-Z][a-z]")
BEFORE_TITLE = re.compile(
    r"\b(?:in|of|from|by|with|on|at|to|for|as|about|reading|novel|story|book)[ \t]+[\"'“‘*_]?\Z", re.IGNORECASE
)
LONGEST_BEFORE = 12  # characters before a title in which these words are looked for
JOINS = re.compile(r"[\s,;&/().]*(?:(?:and|or)\b[\s(]*)?", re.IGNORECASE)
LONGEST_JOIN = 16  # characters between two letters of one answer, at most
NUMBER = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|(?<![0-9])\.[0-9]+")
MINUS = re.compile(r"(?:^|[^\w)\]])[-−][$€£¥]?\Z")
ANSWER = re.compile(r"\banswer(?: is\b|:)", re.IGNORECASE)
CODE_ANSWER = re.compile(r"\boutput is\b|\banswer\b(?: is\b)?", re.IGNORECASE)
FENCE = re.compile(r"`{3,}[\w+-]*")
NOT = r"(?:cannot|can not|can['’]t|could not|couldn['’]t|unable to|not able to)"
REFUSAL = re.compile(
    r"\b(?:cannot|can not|can['’]t|could not|couldn['’]t) be answered\b"
    rf"|\b{NOT} answer (?:the |this |that |your )?question\b|\bI(?: am|['’]m)? {NOT} answer\b"
    r"|\b(?:impossible|not possible) to answer\b|\bnot answerable\b"
    r"|^\W{0,8}(?:E\W{1,4})?(?:(?:the|this|that|my|final) ){0,2}(?:question|answer)(?: is|:)\W{0,8}unanswerable\b",
    re.IGNORECASE | re.MULTILINE,
)
WORD, BY_LETTER = "word", "letter"  # how a task lets a reply leave its problem unanswered

Extractor = Callable[[str, Sequence[str]], str]


def extract(name: str, reply: str, options: Sequence[str] = ()) -> str:
    """Return the answer in a reply, "" if there is none. Raises ValueError for an unknown extractor.

    options: the classes, if the task has some.
    """
    if name not in EXTRACTORS:
        raise ValueError(f"there is no extractor {name!r}; there are: {', '.join(EXTRACTORS)}")
    return EXTRACTORS[name](reply, options)


def left_open(reply: str, answer: str, by: str = WORD) -> bool:
    """Return whether a reply leaves its problem unanswered.

    It does if it or the extracted answer begins with "unanswerable", if it says anywhere that the question cannot be
    answered, or if the answer is E and the task offers that letter for it.

    by: how the task offers it, WORD or BY_LETTER; "" if it does not, and then no reply does.
    """
    if not by:
        return False
    if by == BY_LETTER and answer.strip().strip(MARKS + " ") == CHOICE_OF_NONE:
        return True
    begins = (scrolls(text.lstrip()[: 10 * len(UNANSWERABLE)]).startswith(UNANSWERABLE) for text in (answer, reply))
    return any(begins) or REFUSAL.search(reply) is not None


def whole_reply(reply: str, options: Sequence[str] = ()) -> str:
    """Return the whole reply, stripped (the paper's "None")."""
    return reply.strip()


def first_line(reply: str, options: Sequence[str] = ()) -> str:
    """Return the first line that is not empty ("Take first line")."""
    return next(nonempty_lines(reply), "")


def first_word(reply: str, options: Sequence[str] = ()) -> str:
    """Return the first word that is more than punctuation, without punctuation around it ("Extract first word")."""
    for match in re.finditer(r"\S+", reply):
        if word := match.group().strip(MARKS):
            return word
    return ""


def choice(reply: str, options: Sequence[str] = ()) -> str:
    """Return the first capital A to E that stands alone and is not an article ("Extract 4-choice answer")."""
    match = next(letter_places(LETTER, reply), None)
    return match.group() if match else ""


def letter_places(pattern: re.Pattern[str], reply: str) -> Iterator[re.Match[str]]:
    """Return the matches of letters that are not articles, or all matches if there are no others."""
    found = (match for match in pattern.finditer(reply) if not is_article(reply, match.start()))
    first = next(found, None)
    return pattern.finditer(reply) if first is None else chain([first], found)


def is_article(reply: str, place: int) -> bool:
    """Return whether the capital at `place` is the article A."""
    if ARTICLE.match(reply, place) or ORDINAL.match(reply, place):
        return True
    before = reply[max(0, place - LONGEST_BEFORE) : place]
    return TITLE.match(reply, place) is not None and BEFORE_TITLE.search(before) is not None


def choices(reply: str, options: Sequence[str] = ()) -> str:
    """Return the letters of the first group, such as "ACD" or "A, C and D": sorted, each once.

    For tasks with several right options; otherwise like `choice`.
    """
    found: set[str] = set()
    end = -1
    for match in letter_places(LETTERS, reply):
        if found and not are_joined(reply, end, match.start()):
            break
        if len(set(match.group())) == len(match.group()):  # not a word such as "ADD"
            found.update(match.group())
            end = match.end()
        elif found:
            break
    return "".join(sorted(found))


def are_joined(reply: str, end: int, start: int) -> bool:
    """Return whether the text between two letters joins them into one answer."""
    return start - end <= LONGEST_JOIN and JOINS.fullmatch(reply[end:start]) is not None


def number(reply: str, options: Sequence[str] = ()) -> str:
    """Return the last number, in plain digits: "$1,234.50" is 1234.5 ("Extract numeric answer")."""
    last = last_of(NUMBER, reply)
    if last is None:
        return ""
    negative = MINUS.search(reply[max(0, last.start() - 3) : last.start()]) is not None
    return canonical(("-" if negative else "") + last.group())


def canonical(text: str) -> str:
    """Return a number in plain digits without redundant zeros; being text, it is exact whatever its size."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    before, _, after = digits.replace(",", "").partition(".")
    before, after = before.lstrip("0") or "0", after.rstrip("0")
    value = f"{before}.{after}" if after else before
    return value if value == "0" else sign + value


def answer(reply: str, options: Sequence[str] = ()) -> str:
    """Return what follows the last "answer is" or "answer:" on its line, else the first line ("Extract answer").

    If nothing follows on that line, the next line with words is taken.
    """
    return text_behind_cue(reply, ANSWER) or first_line(reply)


def code_answer(reply: str, options: Sequence[str] = ()) -> str:
    """Return what follows the last "output is" or "answer", else the last non-empty line ("Extract coding answer").

    Quotes and code fences around it are removed.
    """
    lines = [bare_line(line) for line in nonempty_lines(reply)]
    return bare_line(text_behind_cue(reply, CODE_ANSWER)) or next((line for line in reversed(lines) if line), "")


def class_name(reply: str, options: Sequence[str] = ()) -> str:
    """Return the longest class contained in the first line, ignoring case, else that line ("Extract TREC answer")."""
    line = first_line(reply)
    small = line.casefold()
    return max((one for one in options if one and one.casefold() in small), key=len, default=line)


def text_behind_cue(reply: str, cue: re.Pattern[str]) -> str:
    """Return what follows the last cue on its line, else the next line with words; "" without a cue."""
    last = last_of(cue, reply)
    if last is None:
        return ""
    rest = reply[last.end() :]
    line, _, below = rest.partition("\n")
    below_first = (one for one in nonempty_lines(below) if bare_line(one))
    return line.strip().lstrip(":").strip() if line.strip(" \t\r:*`") else next(below_first, "")


def last_of(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the last match of a pattern, or None."""
    return next(iter(deque(pattern.finditer(text), maxlen=1)), None)


def bare_line(text: str) -> str:
    """Return a line without quotes and backticks around it, "" if it opens or closes a code fence."""
    text = text.strip()
    return "" if FENCE.fullmatch(text) else text.strip("`'\"“” \t\r")


def nonempty_lines(text: str) -> Iterator[str]:
    """Yield the lines that are not empty, stripped."""
    return (line.strip() for line in text.split("\n") if line.strip())


EXTRACTORS: Mapping[str, Extractor] = {
    "whole": whole_reply,
    "first_line": first_line,
    "first_word": first_word,
    "choice": choice,
    "choices": choices,
    "number": number,
    "answer": answer,
    "code_answer": code_answer,
    "class": class_name,
}
