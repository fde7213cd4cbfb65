"""Receipts of cuts: are the answer and the known evidence still in what the model sees?

A score on cut prompts means little without it: other tools cut silently, and the end of a text may have the answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable

from scrollwork.preprocessing.prompts.truncation import Cut, documents_of
from scrollwork.records.example import Example
from scrollwork.records.prompt import Part, part_text

FIXED = ("yes", "no", "unanswerable")  # "no" occurs in every text and is nowhere its answer


def answer_place(example: Example, cut: Cut, kind: str, text_of: Callable[[str], str]) -> str | None:
    """Return where a reference occurs verbatim, as whole words, ignoring case: kept, dropped, both, or absent.

    An answer that the cut goes through is dropped. None if nothing was cut, or if no place can be told: for summaries,
    and for answers that are not words of a document (FIXED). A letter stands for its option's text, an object (SEAM's
    MuSiQue) for the answer in it.
    """
    if not cut.dropped or kind != "qa":
        return None
    answers = [text for text in map(option_of(example), example.references) if text.strip().casefold() not in FIXED]
    if not answers:
        return None
    pattern = any_of(answers)
    if pattern is None:
        return "absent"
    # the end of the kept text counts as dropped too: an answer across the cut cannot be read
    longest = max(map(len, answers))
    kept = stands_in(pattern, documents_of(cut.parts), text_of)
    dropped = stands_in(pattern, cut.dropped, text_of, before=longest)
    if kept and dropped and not stands_in(pattern, cut.dropped, text_of):
        dropped = False  # found only because of those characters
    return {(True, True): "both", (True, False): "kept", (False, True): "dropped"}.get((kept, dropped), "absent")


def option_of(example: Example) -> Callable[[str], str]:
    """Return a function from a reference to its text: that of the option if it is a letter, else the answer in it."""
    options = dict(zip("ABCDEFGH", example.options, strict=False))
    return lambda reference: options.get(reference, answer_in_object(reference))


def answer_in_object(reference: str) -> str:
    """Return the answer in {"answer_content": ..., "is_answerable": ...}, or the text itself for anything else."""
    if not reference.startswith("{"):
        return reference
    try:
        said = json.loads(reference)
    except ValueError:
        return reference
    if not isinstance(said, dict) or not isinstance(said.get("answer_content"), str):
        return reference
    return str(said["answer_content"]) if said.get("is_answerable") else "unanswerable"


def any_of(references: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern that finds any of the references; None if none has a letter or digit."""
    texts = sorted({reference.strip() for reference in references if any(map(str.isalnum, reference))})
    if not texts:
        return None
    return re.compile(r"(?<!\w)(?:" + "|".join(re.escape(text) for text in texts) + r")(?!\w)", re.IGNORECASE)


def stands_in(pattern: re.Pattern[str], spans: Iterable[Part], text_of: Callable[[str], str], before: int = 0) -> bool:
    """Return whether the pattern occurs in one of the spans, each with `before` more characters in front."""
    for span in spans:
        start = max(0, (span.start or 0) - before) if before else span.start
        text = part_text(Part("document", None, span.document_id, start, span.end), text_of)
        if pattern.search(text):
            return True
    return False


def evidence_place(example: Example, cut: Cut) -> str | None:
    """Return where the evidence marked by upstream's annotators is: kept, dropped, or split.

    None if nothing was cut or no evidence is known. Evidence is metadata `evidence_spans`: [number of the document,
    start, end] in characters, from 0.
    """
    spans = example.facts.get("evidence_spans") if cut.dropped else None
    if not spans:
        return None
    lost = [(gone.document_id, gone.start or 0, gone.end or 0) for gone in cut.dropped]

    def missing(number: int, start: int, end: int) -> int:
        """Count the characters of the evidence that were dropped."""
        name = example.document_ids[number]
        return sum(max(0, min(end, to) - max(start, of)) for document, of, to in lost if document == name)

    whole = sum(end - start for _, start, end in spans)
    gone = sum(missing(*span) for span in spans)
    return "kept" if gone == 0 else "dropped" if gone >= whole else "split"
