"""The answer in a model's reply, apart from prompt cues and echoes. SEAM (seam.md 5)."""

from __future__ import annotations

NO_ANSWER = "No answer"  # what the official code scores in place of an empty answer of FuseReviews
INSTRUCTION_ENDS = "[/INST]"
FUSION_CUE, ASPECT_CUE, ANSWER_CUE = "So, the answer is:", "Aspect-based summary:", "*Answer*:"


def answer_in(reply: str, cue: str = "", empty: str = "") -> str:
    """Return the answer in a reply that does not repeat its prompt: what follows the last `cue`, or all without one.

    White space around it is removed. empty: returned for an empty answer (FuseReviews: NO_ANSWER).
    """
    return (reply.rpartition(cue)[2] if cue else reply).strip() or empty


def official_answer(text: str) -> str:
    """Return the answer in a prompt with its continuation, as the official code finds it.

    Its bug is kept: if there is no cue, the first eight characters are dropped.
    """
    _, ends, answer = text.partition(INSTRUCTION_ENDS)
    if ends:
        return answer.strip()
    if FUSION_CUE in text:
        return answer_in(text, FUSION_CUE, NO_ANSWER)
    for cue in (ASPECT_CUE, ANSWER_CUE):
        if cue in text:
            return answer_in(text, cue)
    return text[8:].strip()
