"""Raw files of Dolce's 44 tasks, in the layouts of L-Eval, BAMBOO and LongBench, with evidence planted in their
contexts.

Each context has UNITS units of its task's kind, and one problem. The evidence of a problem about NAME is `lam` units in
a row, `copies` times, which say "The ledger of NAME says 2 of 5: WORD!"; the answer is what the last of them says. So a
prompt holds all that is needed to tell whether a complete copy is shown, and a model can be made that answers exactly
then. For tasks of partial points the same units stand alone ("notes" in place of "says"), each `copies` times, and the
answer is all their words.

No part of sample/raw: `dolce(OUT)` writes the files, and tells what was planted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sample._kit import Voice, write_lines

UNITS = 24
# lam and copies of problems, one a category: I (the question tells), II, III, IV, V; 24 units have thresholds 2 and 10
PLANTED = ((0, 0), (1, 10), (1, 1), (5, 2), (20, 1))
PARTIAL = ((0, 0), (2, 5), (2, 1), (5, 2), (20, 1))
WORDS = (
    *("amber", "basalt", "cedar", "dune", "ember", "fjord", "garnet", "heron", "indigo", "juniper", "kelp", "larch"),
    *("marble", "nettle", "ochre", "pumice", "quartz", "reed", "slate", "tundra", "umber", "vetch", "willow", "zinc"),
)
LETTERS = "ABCD"


@dataclass(frozen=True)
class Made:
    """A task's file. form: what its units look like, a letter of its spec. answer: kind of answers. partial: PIG."""

    task: str
    file: str
    form: str
    answer: str = "word"
    partial: bool = False


@dataclass(frozen=True)
class Planted:
    """What a problem has: lam units in a row, from each of `starts` on; for partial points single units, by aspect."""

    task: str
    problem: str
    lam: int
    copies: int
    starts: tuple[int, ...]
    partial: bool


CLOSED, OPEN = "leval/LEval-data/Closed-ended-tasks", "leval/LEval-data/Open-ended-tasks"
BAMBOO, LONG = "bamboo/datasets", "longbench/data"
TASKS = (
    Made("leval_toefl", f"{CLOSED}/tpo.jsonl", "l", "letter"),
    Made("leval_gsm", f"{CLOSED}/gsm100.jsonl", "b", "number"),
    Made("leval_quality", f"{CLOSED}/quality.jsonl", "s", "option"),
    Made("leval_coursera", f"{CLOSED}/coursera.jsonl", "l", "letter"),
    Made("leval_topicret", f"{CLOSED}/topic_retrieval_longchat.jsonl", "l"),
    Made("leval_sfcition", f"{CLOSED}/sci_fi.jsonl", "s", "claim"),
    Made("leval_codeu", f"{CLOSED}/codeU.jsonl", "l"),
    Made("leval_multidoc2dial", f"{OPEN}/multidoc_qa.jsonl", "b"),
    Made("leval_qasper", f"{OPEN}/scientific_qa.jsonl", "l"),
    Made("leval_longfqa", f"{OPEN}/financial_qa.jsonl", "l"),
    Made("leval_nq", f"{OPEN}/natural_question.jsonl", "s"),
    Made("leval_cuad", f"{OPEN}/legal_contract_qa.jsonl", "b"),
    Made("leval_narrativeqa", f"{OPEN}/narrative_qa.jsonl", "s"),
    Made("leval_multinews", f"{OPEN}/news_summ.jsonl", "s", partial=True),
    Made("leval_govreport", f"{OPEN}/gov_report_summ.jsonl", "l", partial=True),
    Made("leval_bigpatent", f"{OPEN}/patent_summ.jsonl", "l", partial=True),
    Made("leval_summscreen", f"{OPEN}/tv_show_summ.jsonl", "l", partial=True),
    Made("leval_openreview", f"{OPEN}/paper_assistant.jsonl", "l", partial=True),
    Made("leval_qmsum", f"{OPEN}/meeting_summ.jsonl", "l", partial=True),
    Made("leval_space", f"{OPEN}/review_summ.jsonl", "n", partial=True),
    Made("bamboo_altqa", f"{BAMBOO}/altqa_4k.jsonl", "l", "number"),
    Made("bamboo_paperqa", f"{BAMBOO}/paperqa_4k.jsonl", "l", "letter"),
    Made("bamboo_meetingqa", f"{BAMBOO}/meetingqa_4k.jsonl", "b", "letter"),
    Made("bamboo_senhallu", f"{BAMBOO}/senhallu_4k.jsonl", "l", "truth"),
    Made("bamboo_abshallu", f"{BAMBOO}/abshallu_4k.jsonl", "l", "truth"),
    Made("bamboo_showspred", f"{BAMBOO}/showspred_4k.jsonl", "l"),
    Made("bamboo_meetingpred", f"{BAMBOO}/meetingpred_4k.jsonl", "l"),
    Made("bamboo_privateeval", f"{BAMBOO}/private_eval_4k.jsonl", "l"),
    Made("longbench_narrativeqa", f"{LONG}/narrativeqa.jsonl", "b"),
    Made("longbench_qasper", f"{LONG}/qasper.jsonl", "l"),
    Made("longbench_multifieldqa", f"{LONG}/multifieldqa_en.jsonl", "l"),
    Made("longbench_hotpotqa", f"{LONG}/hotpotqa.jsonl", "b"),
    Made("longbench_2wikimultihopqa", f"{LONG}/2wikimqa.jsonl", "b"),
    Made("longbench_musique", f"{LONG}/musique.jsonl", "b"),
    Made("longbench_govreport", f"{LONG}/gov_report.jsonl", "s", partial=True),
    Made("longbench_qmsum", f"{LONG}/qmsum.jsonl", "l", partial=True),
    Made("longbench_multinews", f"{LONG}/multi_news.jsonl", "l", partial=True),
    Made("longbench_trec", f"{LONG}/trec.jsonl", "c"),
    Made("longbench_triviaqa", f"{LONG}/triviaqa.jsonl", "q"),
    Made("longbench_samsum", f"{LONG}/samsum.jsonl", "u"),
    Made("longbench_passagecount", f"{LONG}/passage_count.jsonl", "b", "number"),
    Made("longbench_passageretrieval", f"{LONG}/passage_retrieval_en.jsonl", "b", "paragraph"),
    Made("longbench_lcc", f"{LONG}/lcc.jsonl", "l"),
    Made("longbench_repobench_p", f"{LONG}/repobench-p.jsonl", "b"),
)


def dolce(out: Path, tasks: Sequence[Made] = TASKS) -> list[Planted]:
    """Write the files of the tasks below out; what is planted in each problem, in their order."""
    told = []
    for made in tasks:
        records = []
        for number, (lam, copies) in enumerate(PARTIAL if made.partial else PLANTED):
            voice = Voice(f"{made.task}/{number}")
            starts = placed(voice, lam, copies, made.partial)
            record, name = problem(made, voice, number, lam, starts)
            records.append(record)
            told.append(Planted(made.task, name, lam, copies, tuple(starts), made.partial))
        write_lines(out / made.file, records)
    return told


def placed(voice: Voice, lam: int, copies: int, partial: bool) -> list[int]:
    """Where copies begin: spans of lam units that do not overlap, all placements equally likely; single units of aspect
    after aspect, copy after copy, for partial points."""
    if partial:
        return voice.pick(range(UNITS), lam * copies)
    chosen = sorted(voice.pick(range(UNITS - copies * lam + copies), copies))  # spans as single items among the rest
    return [item + number * (lam - 1) for number, item in enumerate(chosen)]


def problem(made: Made, voice: Voice, number: int, lam: int, starts: Sequence[int]) -> tuple[dict[str, Any], str]:
    """A record with its context, question and answer, and the name that its problem gets."""
    name = voice.pick(("Ysold", "Corvin", "Maren", "Tobiah", "Quill", "Hesper"), 1)[0]
    words = voice.pick(WORDS, max(lam, 1))
    gold, tell = answer(made, voice, words)
    if not made.partial:
        words[-1] = tell
    texts = [f"Nothing is told of the {voice.pick(WORDS, 1)[0]} on day {day + 1}." for day in range(UNITS)]
    verb = "notes" if made.partial else "says"
    lines = [f"The ledger of {name} {verb} {place + 1} of {len(words)}: {word}!" for place, word in enumerate(words)]
    for number_, start in enumerate(starts):
        if made.partial:
            texts[start] = lines[number_ % lam]
        else:
            texts[start : start + lam] = lines
    question = f"What does the ledger of {name} say?"
    if not lam:
        question = f"{lines[0]} {question}"
    context = joined(made.form, texts)
    if made.file.startswith("leval"):
        return exam(made, context, question, gold), f"{number}-0"
    if made.file.startswith("bamboo"):
        return bamboo(made, context, question, gold), f"4k-{number}"
    classes = [capitalised(word) for word in WORDS] if made.task == "longbench_trec" else None
    record = {
        "input": question,
        "context": context,
        "answers": [gold],
        "length": len(context.split()),
        "dataset": made.task,
        "language": "en",
        "all_classes": classes,
        "_id": f"{made.task}-{number}",
    }
    return record, str(record["_id"])


def answer(made: Made, voice: Voice, words: Sequence[str]) -> tuple[str, str]:
    """The reference in the release's form, and what the ledger says in the end."""
    if made.partial:
        return " ".join(words), words[-1]
    if made.task == "longbench_trec":
        return capitalised(words[-1]), capitalised(words[-1])
    letter, figure = LETTERS[voice.below(4)], str(voice.between(11, 99))
    return {
        "word": (words[-1], words[-1]),
        "letter": (letter, letter),
        "option": (f"({letter}) word {letter}", letter),
        "number": (figure, figure),
        "claim": ("True [fact: False]", "True") if letter in "AB" else ("False [fact: True]", "False"),
        "truth": ("Yes.", "Yes") if letter in "AB" else ("No.", "No"),
        "paragraph": (f"Paragraph {figure}", f"Paragraph {figure}"),
    }[made.answer]


def joined(form: str, texts: Sequence[str]) -> str:
    """Units as a context has them."""
    shapes = {
        "s": " ".join(texts),
        "l": "\n".join(texts),
        "b": "\n\n".join(texts),
        "n": "\n".join(f"Review #{number}:{text}" for number, text in enumerate(texts)),
        "c": "\n".join(f"Question: {text}\nType: Amber" for text in texts),
        "q": "\n\n".join(f"Passage:\n{text}\nQuestion:\nWhat?\nAnswer:\namber\n" for text in texts),
        "u": "\n".join(f"Dialogue: {text}\r\nB: So.\nSummary: They talk." for text in texts) + "\n",
    }
    return shapes[form]


def exam(made: Made, context: str, question: str, gold: str) -> dict[str, Any]:
    """A record of L-Eval."""
    if made.answer == "letter":
        question += "".join(f"\n{letter}. word {letter}" for letter in LETTERS)
    if made.answer == "option":
        question += "\n" + "".join(f"\n ({letter}) word {letter} " for letter in LETTERS)
    kind = "rouge" if made.partial else "exam" if made.file.startswith(CLOSED) else "f1"
    return {"instructions": [question], "outputs": [gold], "input": context, "source": made.task, "evaluation": kind}


def bamboo(made: Made, context: str, question: str, gold: str) -> dict[str, Any]:
    """A record of BAMBOO."""
    if made.task == "bamboo_altqa":
        return {"content": f"Answer the question.\n\nDocument:\n{context}\n\nQuestion:\n{question}\n", "answer": gold}
    if made.answer == "letter":
        options = [f"{letter}. word {letter}" for letter in LETTERS]
        return {"question": question, "evidence": "", "options": options, "answer": gold, "content": context}
    if made.answer == "truth":
        return {"content": context, "hypothesis": question, "answer": gold}
    if made.task == "bamboo_privateeval":
        return {"content": f"# [start]\n{context}\n# [end]\n# {question}\n", "answer": gold}
    return {"content": f'{context}\n"{question}" said by ', "answer": gold}


def capitalised(word: str) -> str:
    """A word as a class is written."""
    return word[:1].upper() + word[1:]
