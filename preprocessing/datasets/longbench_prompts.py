"""How prompts of LongBench's English tasks are rendered, so that they can be split into context and question.

As in the prompts in circulation (OpenCompass), whose wording differs a little from the paper's appendix.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

ONLY = "Only give me the answer and do not output any other words."
PASSAGES = f"Answer the question based on the given passages. {ONLY}"
STORY = "as concisely as you can, using a single phrase if possible. Do not provide any explanation."
MEETING = "in one or more sentences."
FILE = re.compile(r"^[\w.][\w ./+-]*\.(?:py|java)$", re.MULTILINE)  # the path above each piece of RepoBench-P's context
IMPORTS = re.compile(r"^(?:import[ \t]|from[ \t]+\S+[ \t]+import\b|package[ \t])", re.MULTILINE)  # the file to complete


@dataclass(frozen=True)
class Form:
    """How a task's prompt is built. before, between, after: the text around context and question.

    between is "" if nothing is asked. opens: how the question begins, directly after `between`. cues: ends of a
    question that are not part of it. joined: nothing separates context and question, which is a file of code and begins
    with its imports.
    """

    before: str
    between: str
    after: str
    opens: str = ""
    cues: tuple[str, ...] = ()
    joined: bool = False


def take_apart(prompt: str, form: Form) -> tuple[str, str]:
    """Return context and question of a prompt, split at the last place that fits: a context may have such words too.

    Raises ValueError saying which piece is missing.
    """
    if not prompt.startswith(form.before):
        raise ValueError(f"it begins with {prompt[:40]!r}, not with {form.before[:40]!r}")
    if not prompt.endswith(form.after):
        raise ValueError(f"it ends with {prompt[-40:]!r}, not with {form.after[-40:]!r}")
    if len(form.before) + len(form.after) > len(prompt):
        raise ValueError("it is shorter than its instruction")
    inner = prompt[len(form.before) : len(prompt) - len(form.after)]
    if form.joined:
        edge = own_file(inner)
        return inner[:edge], inner[edge:]
    if not form.between:
        return inner, ""
    at = inner.rfind(form.between + form.opens)
    if at < 0:
        raise ValueError(f"{(form.between + form.opens)[:40]!r} is not in it")
    return inner[:at], inner[at + len(form.between) :]


def own_file(text: str) -> int:
    """Return where the file to be completed begins, after pieces of other files, each below its path.

    It is the first import, as a piece is one class, function or constant. Raises ValueError if another import or path
    leaves that open.
    """
    if not FILE.match(text):
        raise ValueError(f"its code begins with {text[:40]!r}, not with the path of a file")
    first = IMPORTS.search(text)
    if first is None:
        raise ValueError("it has no line that begins with an import: the release is needed")
    if piece := FILE.search(text, first.start()):
        raise ValueError(f"an import stands before the piece of {piece[0][:60]!r}: the release is needed")
    return first.start()


def passages() -> Form:
    """Return the form of question answering over passages."""
    return Form(f"{PASSAGES}\n\nThe following are given passages.\n", f"\n\n{PASSAGES}\n\nQuestion: ", "\nAnswer:")


FORMS: Mapping[str, Form] = {
    "narrativeqa": Form(
        "You are given a story, which can be either a novel or a movie script, and a question. Answer the question "
        f"{STORY}\n\nStory: ",
        f"\n\nNow, answer the question based on the story {STORY}\n\nQuestion: ",
        "\n\nAnswer:",
    ),
    "qasper": passages(),
    "multifieldqa_en": Form(
        "Read the following text and answer briefly.\n\n",
        "\n\nNow, answer the following question based on the above text, only give me the answer and do not output any "
        "other words.\n\nQuestion: ",
        "\nAnswer:",
    ),
    "hotpotqa": passages(),
    "2wikimqa": passages(),
    "musique": passages(),
    "gov_report": Form(
        "You are given a report by a government agency. Write a one-page summary of the report.\n\nReport:\n",
        "",
        "\n\nNow, write a one-page summary of the report.\n\nSummary:",
    ),
    "qmsum": Form(
        "You are given a meeting transcript and a query containing a question or instruction. Answer the query "
        f"{MEETING}\n\nTranscript:\n",
        f"\n\nNow, answer the query based on the above meeting transcript {MEETING}\n\nQuery: ",
        "\nAnswer:",
    ),
    "multi_news": Form(
        "You are given several news passages. Write a one-page summary of all news. \n\nNews:\n",
        "",
        "\n\nNow, write a one-page summary of all the news.\n\nSummary:\n",
    ),
    "trec": Form(
        "Please determine the type of the question below. Here are some examples of questions.\n\n",
        "\n",
        "",
        "Question: ",
        ("Type:",),
    ),
    "triviaqa": Form(
        f"Answer the question based on the given passage. {ONLY} The following are some examples.\n\n", "\n\n", "",
        "Passage:\n", ("Answer:",),
    ),
    "samsum": Form(
        "Summarize the dialogue into a few short sentences. The following are some examples.\n\n", "\n\n", "",
        "Dialogue: ", ("Summary:",),
    ),
    "passage_count": Form(
        "There are some paragraphs below sourced from Wikipedia. Some of them may be duplicates. Please carefully read "
        "these paragraphs and determine how many unique paragraphs there are after removing duplicates. In other "
        "words, how many non-repeating paragraphs are there in total?\n\n",
        "",
        "\n\nPlease enter the final count of unique paragraphs after removing duplicates. The output format should "
        "only contain the number, such as 1, 2, 3, and so on.\n\nThe final answer is: ",
    ),
    "passage_retrieval_en": Form(
        "Here are 30 paragraphs from Wikipedia, along with an abstract. Please determine which paragraph the abstract "
        "is from.\n\n",
        "\n\nThe following is an abstract.\n\n",
        "\n\nPlease enter the number of the paragraph that the abstract is from. The answer format must be like "
        '"Paragraph 1", "Paragraph 2", etc.\n\nThe answer is: ',
    ),
    "lcc": Form("Please complete the code given below. \n", "", "Next line of code:\n"),
    "repobench-p": Form("Please complete the code given below. \n", "", "Next line of code:\n", joined=True),
}  # fmt: skip
