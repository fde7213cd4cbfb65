"""Raw files of Dolce's 44 tasks, in the layouts of L-Eval, BAMBOO and LongBench, with evidence planted in contexts
(sample/planting.py), which are generated here or taken from real files.

A generated context has UNITS units of its task's kind, and one problem; a model that answers exactly where a prompt
shows the evidence is models/baselines/planted.py. No part of sample/raw: `dolce(OUT)` writes the files, and tells what
was planted; `real(RAW, OUT, ...)` does so with the contexts of raw files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrollwork.models.baselines.planted import LETTERS, WORDS
from scrollwork.preprocessing.curation import curate
from scrollwork.preprocessing.raw.files import RawFiles
from scrollwork.preprocessing.windows.spans import strategy
from scrollwork.preprocessing.windows.units import units
from scrollwork.readings.windows.units import units_of
from scrollwork.records.document import Document
from scrollwork.sample._kit import Voice, write_lines
from scrollwork.sample.planting import NAMES, Ledger, dressed, placed, replanted
from scrollwork.suites.suite_files import load_suite

UNITS = 24
# lam and copies of problems, one a category: I (the question tells), II, III, IV, V; 24 units have thresholds 2 and 10
PLANTED = ((0, 0), (1, 10), (1, 1), (5, 2), (20, 1))
PARTIAL = ((0, 0), (2, 5), (2, 1), (5, 2), (20, 1))
KIND = {
    "letter": "letter",
    "option": "letter",
    "claim": "of True and False",
    "truth": "of Yes and No",
}  # of evidence, by kind of answer; else that is its name


@dataclass(frozen=True)
class Made:
    """A task's file. form: what its units look like, a letter of its spec. answer: kind of answers. partial: PIG."""

    task: str
    file: str
    form: str
    answer: str = "word"
    partial: bool = False

    def ledger(self, name: str, lam: int, copies: int) -> Ledger:
        """A problem of this task."""
        return Ledger(name, lam, copies, KIND.get(self.answer, self.answer), self.partial)


@dataclass(frozen=True)
class Planted:
    """What a problem has: lam and copies of its evidence in so many units, and where it begins (planting.Placed).
    awkward: units of a real context that would not take a piece of it."""

    task: str
    problem: str
    lam: int
    copies: int
    units: int
    starts: tuple[int, ...]
    partial: bool
    awkward: int = 0


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
    Made("longbench_trec", f"{LONG}/trec.jsonl", "c", "class"),
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
            one = made.ledger(f"{NAMES[voice.below(len(NAMES))]}{number}", lam, copies)
            put = placed(voice, UNITS, [one])
            texts = [
                put.lines.get(place) or f"Nothing is told of the {voice.pick(WORDS, 1)[0]} on day {place + 1}."
                for place in range(UNITS)
            ]
            record, name = recorded(made, joined(made.form, texts), number, one)
            records.append(record)
            told.append(Planted(made.task, name, lam, copies, UNITS, put.starts[0], made.partial))
        write_lines(out / made.file, records)
    return told


def real(raw: Path, out: Path, task: str, pairs: Sequence[Sequence[tuple[int, int]]], least: int = 0) -> list[Planted]:
    """Write a task's file below out with the contexts of its raw files, evidence in place of some of their units; what
    is planted in each problem.

    pairs: (lambda, k) of the problems of each context, from the first context of at least `least` units on; (C, 1) is
    written (-1, 1). Every problem has a copy of the context for itself. Raises ValueError where a context has no room,
    and for fewer contexts than pairs.
    """
    made = next(one for one in TASKS if one.task == task)
    spec = load_suite("dolce").tasks[task].windows["units"]
    contexts = (text for text in contexts_of(raw, task) if len(units(text, spec)) >= least)
    records: list[dict[str, Any]] = []
    told = []
    for own, text in zip(pairs, contexts, strict=False):
        size = len(units(text, spec))
        for lam, copies in own:
            number = len(records)
            voice = Voice(f"real/{task}/{number}")
            one = made.ledger(f"{NAMES[voice.below(len(NAMES))]}{number}", size if lam < 0 else lam, copies)
            put = replanted(voice, text, [one], spec, lambda changed: units(changed, spec))
            record, name = recorded(made, put.text, number, one)
            records.append(record)
            told.append(Planted(task, name, one.lam, copies, put.units, put.starts[0], made.partial, len(put.awkward)))
    if len(told) < sum(map(len, pairs)):
        raise ValueError(f"{task}: {raw} has fewer than {len(pairs)} contexts of {least} units")
    write_lines(out / made.file, records)
    return told


def contexts_of(raw: Path, task: str) -> Iterator[str]:
    """The different contexts of a task's raw files. Raises ValueError where there are none."""
    suite = load_suite("dolce")
    own = suite.tasks[task]
    found = units_of(suite, own, raw, strategy("all"))
    if found.problem:
        raise ValueError(found.problem)
    files = RawFiles(own.dataset, {"records": tuple((name, raw / name) for name in found.files)})
    rows = curate(own.dataset, files, task, suite.default_splits[0], own.options)
    yield from dict.fromkeys(row.text for row in rows if isinstance(row, Document))


def recorded(made: Made, context: str, number: int, one: Ledger) -> tuple[dict[str, Any], str]:
    """A record of upstream's layout, and the name that its problem gets."""
    gold = {
        "option": f"({one.answer}) word {one.answer}",
        "claim": f"{one.answer} [fact: {'False' if one.answer == 'True' else 'True'}]",
    }.get(made.answer, one.answer)
    if made.file.startswith("leval"):
        return exam(made, context, one.question, gold), f"{number}-0"
    if made.file.startswith("bamboo"):
        return bamboo(made, context, one.question, gold), f"4k-{number}"
    record = {
        "input": one.question,
        "context": context,
        "answers": [gold],
        "length": len(context.split()),
        "dataset": made.task,
        "language": "en",
        "all_classes": [word.capitalize() for word in WORDS] if made.answer == "class" else None,
        "_id": f"{made.task}-{number}",
    }
    return record, str(record["_id"])


def joined(form: str, texts: Sequence[str]) -> str:
    """Units as a context has them."""
    parts = {"s": " ", "b": "\n\n", "q": "\n\n", "u": ""}
    return parts.get(form, "\n").join(dressed(form, text, number) for number, text in enumerate(texts))


def exam(made: Made, context: str, question: str, gold: str) -> dict[str, Any]:
    """A record of L-Eval."""
    if made.answer == "letter":
        question += "".join(f"\n{letter}. word {letter}" for letter in LETTERS)
    if made.answer == "option":
        question += "\n" + "".join(f"\n ({letter}) word {letter} " for letter in LETTERS)
    kind = "rouge" if made.partial else "exam" if made.file.startswith(CLOSED) else "f1"
    record = {"instructions": [question], "outputs": [gold], "input": context, "evaluation": kind}
    return record if made.task == "leval_gsm" else {**record, "source": made.task}  # gsm100 names no source


def bamboo(made: Made, context: str, question: str, gold: str) -> dict[str, Any]:
    """A record of BAMBOO."""
    if made.task == "bamboo_altqa":
        return {"content": f"Answer the question.\n\nDocument:\n{context}\n\nQuestion:\n{question}\n", "answer": gold}
    if made.answer == "letter":
        options = [f"{letter}. word {letter}" for letter in LETTERS]
        return {"question": question, "evidence": "", "options": options, "answer": gold, "content": context}
    if made.answer == "truth":
        return {"title": made.task, "content": context, "hypothesis": question, "answer": gold == "Yes"}
    if made.task == "bamboo_privateeval":
        return {
            "task_id": made.task,
            "prompt": f"# [start]\n{context}\n\n# [end]\n# {question}\n",
            "entry_point": "none",
            "canonical_solution": [f" {gold}"],
            "test": "",
        }
    return {"content": f'{context}\n"{question}" said by ', "answer": gold}
