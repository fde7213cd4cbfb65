"""The answer in what came back from a model: prompt cues, echoes. SEAM (seam.md 5)."""

from __future__ import annotations

NO_ANSWER = "No answer"  # what the official code scores for an empty answer of FuseReviews
INSTRUCTION_ENDS = "[/INST]"
FUSION_CUE, ASPECT_CUE, ANSWER_CUE = "So, the answer is:", "Aspect-based summary:", "*Answer*:"


def answer_in(reply: str, cue: str = "", empty: str = "") -> str:
    """The answer in a reply that does not begin with its prompt: what follows the last `cue` of its task, else all.

    White space around it is dropped. empty: stands for an answer that is empty (FuseReviews: NO_ANSWER).
    """
    return (reply.rpartition(cue)[2] if cue else reply).strip() or empty


def official_answer(text: str) -> str:
    """The answer in prompt and continuation, as the official code finds it.

    Its mistake is kept: where no cue stands the first eight characters are dropped.
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
