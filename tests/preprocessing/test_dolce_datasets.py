"""L-Eval, BAMBOO and LongBench as Dolce reads them: rows of hand-written records, and of the real files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from scrollwork.preprocessing.curation import curate
from scrollwork.preprocessing.datasets.longbench_prompts import FORMS, Form, take_apart
from scrollwork.preprocessing.raw.files import RawFiles
from scrollwork.preprocessing.windows.observable import observable_rows
from scrollwork.preprocessing.windows.spans import strategy
from scrollwork.preprocessing.windows.units import tokenizer
from scrollwork.readings.windows.units import TaskUnits, granularities, observed_of, units_of
from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example
from scrollwork.sample.planting import dressed
from scrollwork.sample.windows import TASKS
from scrollwork.suites.suite_files import TaskConfig, load_suite
from tests.preprocessing.raw_kit import Kit
from tests.some_slow import one_in

SUITE = load_suite("dolce")


def rows(
    tmp_path: Path, dataset: str, file: str, records: list[Any], **options: Any
) -> tuple[list[Document], list[Example], list[Drop]]:
    return Kit(tmp_path, dataset).lines(file, records).sorted(**options)


def l_eval(tmp_path: Path, outputs: list[str], **options: Any) -> list[Example]:
    record = {"input": "Text.", "instructions": [f" Ask {n}? " for n in range(len(outputs))], "outputs": outputs}
    return rows(tmp_path, "l_eval", "leval/tpo.jsonl", [record], **{"gold": "text", "choice": "", **options})[1]


def test_instructions_of_l_eval_are_not_problems_of_their_own(tmp_path: Path) -> None:
    records = [
        {"input": f" Context {n}.\n", "instructions": ["Who?", "What?"], "outputs": [" A man ", "7"]} for n in range(2)
    ]
    documents, examples, drops = rows(tmp_path, "l_eval", "leval/tpo.jsonl", records, gold="text", choice="")
    assert drops == []
    assert [document.text for document in documents] == [" Context 0.\n", " Context 1.\n"]
    assert [(one.example_id, one.query, one.references) for one in examples] == [
        ("0-0", "Who?", ("A man",)), ("0-1", "What?", ("7",)), ("1-0", "Who?", ("A man",)), ("1-1", "What?", ("7",))
    ]  # fmt: skip
    assert [one.document_ids for one in examples] == [(document.document_id,) for document in documents for _ in (0, 1)]


def test_number_of_a_problem_moves_where_a_record_before_it_is_broken(tmp_path: Path) -> None:
    good = {"input": "Text.", "instructions": ["Who?"], "outputs": ["A man"]}
    _, examples, drops = rows(tmp_path, "l_eval", "leval/tpo.jsonl", ["{", good], gold="text", choice="")
    assert [one.example_id for one in examples] == ["1-0"]
    assert [drop.reason for drop in drops] == ["broken JSON"]


def test_letters_of_an_output_are_not_found(tmp_path: Path) -> None:
    outputs = ["(B) Their minds", "ACD", "A. one", "D", " (C)"]
    assert [one.references for one in l_eval(tmp_path, outputs, gold="letters")] == [
        ("B",), ("ACD",), ("A",), ("D",), ("C",)
    ]  # fmt: skip


def test_article_is_taken_for_more_than_a_letter(tmp_path: Path) -> None:
    _, _, drops = rows(
        tmp_path, "l_eval", "leval/tpo.jsonl",
        [{"input": "x", "instructions": ["q", "r"], "outputs": ["B", "Before noon"]}], gold="letters", choice="",
    )  # fmt: skip
    assert [drop.reason for drop in drops] == ["answer is no option"]


def test_options_of_a_question_are_not_known(tmp_path: Path) -> None:
    asked = [
        "Which?\nA. one\nB. two. C. three\nC. four",
        "Which?\n\n (A) one \n (B) two ",
        "Which?\nA. one\nC. two",
        "Say.",
    ]
    record = {"input": "Text.", "instructions": asked, "outputs": ["A"] * 4}
    _, examples, _ = rows(tmp_path, "l_eval", "leval/tpo.jsonl", [record], gold="letters", choice="E. None.")
    assert [one.options for one in examples] == [("one", "two. C. three", "four"), ("one", "two"), (), ()]


def test_claim_keeps_what_is_said_of_the_fact(tmp_path: Path) -> None:
    found = l_eval(tmp_path, ["True [fact: False]", "False"], gold="claim")
    assert [one.references for one in found] == [("True",), ("False",)]


def test_choice_of_not_answering_is_not_offered(tmp_path: Path) -> None:
    (one,) = l_eval(tmp_path, ["B"], gold="letters", choice=" (E) The question is unanswerable.")
    assert one.query == "Ask 0?\n (E) The question is unanswerable."


@pytest.mark.parametrize(
    ("dataset", "options"),
    [("l_eval", {"gold": "number", "choice": ""}), ("bamboo", {"form": "sorting", "choice": ""}), ("longbench", {"form": "lsht"})],
)  # fmt: skip
def test_unknown_option_is_taken(tmp_path: Path, dataset: str, options: Mapping[str, str]) -> None:
    with pytest.raises(ValueError, match=f"{dataset}.(gold|form) must be one of"):
        rows(tmp_path, dataset, "x.jsonl", [{}], **options)


BAMBOO = [
    ("sections", "altqa", {"content": "Answer.\n\nDocument:\nIn 1900 .\nMore .\n\nQuestion:\nwhen\n"}, "In 1900 .\nMore .", "when"),
    ("sections", "altqa", {"content": "Answer.\n\nQuestion:\nwhen\n\nDocument:\nIn 1900 .\n"}, "In 1900 .", "when"),
    ("sections", "altqa", {"content": "Document:\nIt asks\nQuestion:\nhow\n\nQuestion:\nwhen\n"}, "It asks\nQuestion:\nhow", "when"),
    ("choices", "paperqa", {"content": "A\nb", "question": " Which? ", "options": ["A. x", " B. y"]}, "A\nb", "Which?\nA. x\nB. y"),
    ("dialogue", "showspred", {"content": '"Hi." said by A\n"Ho." said by B\n"So?" said by '}, '"Hi." said by A\n"Ho." said by B', '"So?" said by'),
    ("dialogue", "showspred", {"content": ["A: Hi.", "B: Ho.", "said by "]}, "A: Hi.\nB: Ho.", "said by"),
    ("code", "private_eval", {"prompt": "# [start]\n# api\n\n# [end]\nx = ", "canonical_solution": [" 1900"]}, "# api", "x = "),
    ("code", "private_eval", {"prompt": "# [begin]\n# api\n# [end]\n# [end]\nx", "canonical_solution": ["1900", " ", "1900 "]}, "# api", "# [end]\nx"),
    ("hypothesis", "senhallu", {"content": "Paper.", "hypothesis": "So.", "answer": True}, "Paper.", "So."),
]  # fmt: skip


@pytest.mark.parametrize(("form", "name", "fields", "context", "query"), BAMBOO)
def test_bamboo_takes_another_context_or_question(
    tmp_path: Path, form: str, name: str, fields: Mapping[str, Any], context: str, query: str
) -> None:
    record = fields if form == "code" else {"answer": " 1900 ", **fields}
    gold = "Yes" if form == "hypothesis" else "1900"
    documents, (one,), drops = rows(tmp_path, "bamboo", f"bamboo/{name}_16k.jsonl", [record], form=form, choice="")
    assert (drops, documents[0].text, one.query, one.references) == ([], context, query, (gold,))
    assert (one.example_id, one.facts["size"]) == ("16k-0", "16K")


def test_only_one_of_several_solutions_is_right(tmp_path: Path) -> None:
    said = ["    return total(x)\n", " x.total()", "x.total()"]
    record = {"prompt": "# [start]\n# api\n# [end]\ndef f(x):\n", "canonical_solution": said}
    _, (one,), _ = rows(tmp_path, "bamboo", "bamboo/private_eval_4k.jsonl", [record], form="code", choice="")
    assert one.references == ("return total(x)", "x.total()")


def test_sizes_of_bamboo_share_names(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "bamboo")
    for size in ("4k", "16k"):
        kit.lines(
            f"bamboo/senhallu_{size}.jsonl", [{"content": size, "hypothesis": f"h{n}", "answer": n > 0} for n in (0, 1)]
        )
    _, examples, drops = kit.sorted(form="hypothesis", choice="")
    assert drops == []
    assert [(one.example_id, one.facts["size"], one.references) for one in examples] == [
        ("4k-0", "4K", ("No",)), ("4k-1", "4K", ("Yes",)), ("16k-0", "16K", ("No",)), ("16k-1", "16K", ("Yes",))
    ]  # fmt: skip


def test_release_of_longbench_keeps_cues_or_loses_classes(tmp_path: Path) -> None:
    record = {
        "_id": "x",
        "context": "C",
        "input": "Question: Who?\nType:",
        "answers": ["Animal", "Animal"],
        "all_classes": ["Animal", "Plant"],
    }
    _, (one,), _ = rows(tmp_path, "longbench", "longbench/trec.jsonl", [record], form="trec")
    assert (one.query, one.references, one.options) == ("Question: Who?", ("Animal",), ("Animal", "Plant"))
    summed = {"_id": "y", "context": "C", "input": "", "answers": ["So."], "all_classes": None}
    _, (two,), _ = rows(tmp_path, "longbench", "longbench/gov_report.jsonl", [summed], form="gov_report")
    assert (two.query, two.options) == (None, ())


def test_classes_of_a_rendered_prompt_are_lost(tmp_path: Path) -> None:
    form = FORMS["trec"]
    prompt = f"{form.before}Question: Where ?\nType: Place{form.between}Question: Who ?\nType:{form.after}"
    golds = [{"all_classes": ["Place", "Animal"], "answers": ["Animal "]}, ["Animal"], {"answers": ["Animal"]}]
    records = {str(number): {"origin_prompt": prompt, "gold": gold} for number, gold in enumerate(golds)}
    kit = Kit(tmp_path, "longbench").file("longbench_mini/MiniLongBench_trec.json", json.dumps(records))
    documents, examples, drops = kit.sorted(form="trec")
    assert (drops, {one.text for one in documents}) == ([], {"Question: Where ?\nType: Place"})
    assert {(one.query, one.references) for one in examples} == {("Question: Who ?", ("Animal",))}
    assert [one.options for one in examples] == [("Place", "Animal"), (), ()]


@pytest.mark.parametrize("form", [name for name, form in FORMS.items() if not form.joined])
def test_prompt_taken_apart_does_not_give_the_prompt_back(form: str) -> None:
    one = FORMS[form]
    context, question = f"One {one.between}{one.opens} two", f"{one.opens}Who?\n" if one.between else ""
    prompt = f"{one.before}{context}{one.between}{question}{one.after}"
    assert take_apart(prompt, one) == (context, question)


PIECES = "app/one thing.py\ndef one():\n    import two\n    return two\napp/Two.java\npublic class Two {\n\n}\n"


@pytest.mark.parametrize(
    "own", ["import os\n\ndef main():\n    ", "from . import one\n", "package app;\nimport app.Two;\n", "from a  import(b)\nx = "]
)  # fmt: skip
def test_code_of_a_rendered_prompt_is_parted_elsewhere_than_in_the_release(tmp_path: Path, own: str) -> None:
    form = FORMS["repobench-p"]
    prompts = {"0": {"origin_prompt": f"{form.before}{PIECES}{own}{form.after}", "gold": ["    x = 1"]}}
    release = {"_id": "0", "context": PIECES, "input": own, "answers": ["    x = 1"], "all_classes": None, "length": 9}
    kit = Kit(tmp_path, "longbench").file("longbench_mini/x_repobench-p.json", json.dumps(prompts))
    rendered = kit.sorted(form="repobench-p")
    released = rows(tmp_path / "release", "longbench", "longbench/repobench-p.jsonl", [release], form="repobench-p")
    assert rendered[2] == released[2] == []
    assert [one.text for one in rendered[0]] == [one.text for one in released[0]] == [PIECES]
    assert [one.query for one in rendered[1]] == [one.query for one in released[1]] == [own.strip()]


@pytest.mark.parametrize(
    ("inner", "problem"),
    [
        (PIECES, "no line that begins with an import"),
        (f"{PIECES}x = 1\nimporting = 2\npackaged(3)\n", "no line that begins with an import"),
        (f"{PIECES}import os\n{PIECES}import re\n", "an import stands before the piece of 'app/one thing.py'"),
        (f'{PIECES}import os\n"""\nsetup.py\n"""\nimport re\n', "an import stands before the piece of 'setup.py'"),
    ],
)
def test_code_that_may_be_parted_in_two_places_is_guessed_at(inner: str, problem: str) -> None:
    form = FORMS["repobench-p"]
    with pytest.raises(ValueError, match=f"{problem}.*the release is needed"):
        take_apart(f"{form.before}{inner}{form.after}", form)


def test_other_code_is_taken_for_pieces_of_files() -> None:
    form = FORMS["repobench-p"]
    with pytest.raises(ValueError, match=r"its code begins with '# GPL.*', not with the path of a file"):
        take_apart(f"{form.before}# GPL\nimport os\nimport re\n{form.after}", form)


def test_instruction_alone_is_taken_for_a_prompt() -> None:
    with pytest.raises(ValueError, match="shorter than its instruction"):
        take_apart("Please complete the code.", Form("Please complete", "", "complete the code."))


# ---- the suite


def test_suite_lacks_a_task_or_its_windows() -> None:
    assert [
        sum(name.startswith(f"{suite}_") for name in SUITE.tasks) for suite in ("leval", "bamboo", "longbench")
    ] == [20, 8, 16]
    for task in SUITE.tasks.values():
        for spec in granularities(task):
            how = observed_of(task, spec)
            assert how.lengths
            assert list(how.lengths) == sorted(set(how.lengths)), task.name
        assert task.windows["extractor"]
        assert task.windows["scenario"] in ("cow", "pig", "mixed")
        assert bool(task.windows["unknown"]) == (task.kind != "summarization")
        offered = {"word": '"Unanswerable"', "letter": '"E"'}.get(task.windows["unknown"], "")
        assert offered in str(task.template["instruction"])
        assert bool(task.options.get("choice")) == (task.windows["unknown"] == "letter")


def test_metric_or_extractor_of_the_suite_is_none() -> None:
    from scrollwork.scoring.reading.dolce_answers import EXTRACTORS
    from scrollwork.scoring.registry import known_metrics

    assert {task.metric for task in SUITE.tasks.values()} <= set(known_metrics())
    assert {task.windows["extractor"] for task in SUITE.tasks.values()} == set(EXTRACTORS)


def test_granularity_that_a_task_has_not_is_taken() -> None:
    with pytest.raises(ValueError, match="leval_codeu has no units 's'; it has: l, b"):
        observed_of(SUITE.tasks["leval_codeu"], "s")


def test_context_without_a_unit_stops_its_task_or_is_lost(tmp_path: Path) -> None:
    good = "Passage:\nA mill.\nQuestion:\nWhat?\nAnswer:\nA mill.\n"
    records = [
        {"_id": f"p{n}", "context": text, "input": "Passage:\nX\nQuestion:\nWhat?\nAnswer:", "answers": ["x"]}
        for n, text in enumerate([good, "No such mark.", good + good])
    ]
    kit = Kit(tmp_path, "longbench").lines("longbench/triviaqa.jsonl", records)
    found = list(
        curate(
            "longbench", kit.raw(), "t", "test", {"form": "triviaqa"}, through=lambda rows: observable_rows(rows, "q")
        )
    )
    assert [row.example_id for row in found if isinstance(row, Example)] == ["p0", "p2"]
    (drop,) = (row for row in found if isinstance(row, Drop))
    assert (drop.reason, drop.error) == ("no unit", True)
    for named in ("triviaqa.jsonl", "p1", "'q'"):
        assert named in drop.detail


NOT_IN_E = {"narrativeqa", "musique", "qmsum"}  # the other tasks are in LongBench-E too


@pytest.mark.parametrize("name", [name for name, task in SUITE.tasks.items() if task.dataset == "longbench"])
def test_files_of_longbench_e_are_not_found_or_taken_before_the_release(tmp_path: Path, name: str) -> None:
    task, form = SUITE.tasks[name], str(SUITE.tasks[name].options["form"])
    context = dressed(next(one.form for one in TASKS if one.task == name), "A mill.", 0)
    record = {"_id": "x", "context": context, "input": "Who?", "answers": ["y"], "all_classes": None}

    def found(*endings: str) -> tuple[str, ...]:
        folder = tmp_path / "and".join(endings)
        for end in endings:
            Kit(folder, "longbench").lines(f"longbench/data/{form}{end}.jsonl", [record])
        return units_of(SUITE, task, folder, strategy("all")).files

    assert found("_e") == (() if form in NOT_IN_E else (f"longbench/data/{form}_e.jsonl",))
    assert found("_e", "") == (f"longbench/data/{form}.jsonl",)


def test_units_command_counts_problems_that_are_not_observed(tmp_path: Path) -> None:
    good = "Passage:\nA mill.\nQuestion:\nWhat?\nAnswer:\nA mill.\n"
    records = [
        {"_id": f"p{n}", "context": text, "input": "x", "answers": ["x"]} for n, text in enumerate([good, "Nothing."])
    ]
    Kit(tmp_path, "longbench").lines("longbench/data/triviaqa.jsonl", records)
    found = units_of(SUITE, SUITE.tasks["longbench_triviaqa"], tmp_path, strategy("all"))
    assert (found.problem, found.counts, found.dropped) == ("", (1,), (("no unit", 1),))


# ---- the real files


def real(shared: Path, task: str, spec: str = "") -> TaskUnits:
    found = units_of(SUITE, SUITE.tasks[task], shared / "raw", strategy("all"), spec)
    if found.problem.startswith("no raw file"):
        pytest.skip(f"{task}: {found.problem}")
    return found


def filled(text: str) -> list[str]:
    """The lines with a word."""
    return [line for line in text.split("\n") if line.strip()]


def plain(text: str, spec: str) -> list[str]:
    """The units of a text as the published list of specs says it, pieces copied."""
    letter, rest = spec[0], spec[1:]
    if letter == "r":
        return plain(text.replace(",", "."), rest)
    made = {
        "b": lambda: re.split(r"(?:\n *){2,}", text),
        "l": lambda: text.split("\n"),
        "c": lambda: ["\n".join(pair) for pair in zip_longest(*[iter(filled(text))] * 2, fillvalue="")],
        "n": lambda: re.split(r"Review #\d+", text),
        "o": lambda: re.split(r"Passage \d+:", text),
        "q": lambda: re.findall(r"Passage:.*?Question:.*?Answer:\n.*?\n", text, re.DOTALL),
        "u": lambda: re.findall(r"Dialogue:.*?Summary:.*?\n", text, re.DOTALL),
        "s": lambda: tokenizer().tokenize(text),
        "t": lambda: tokenizer().tokenize(text),
    }
    pieces = [piece for piece in made[letter]() if piece.strip()]
    return [unit for piece in pieces for unit in plain(piece, rest)] if rest else pieces


def raw_problems(path: Path) -> int:
    """How many problems a file has, counted without any of our readers."""
    if path.suffix == ".json":
        return len(json.loads(path.read_text(encoding="utf-8")))
    lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    return sum(len(json.loads(line, strict=False).get("instructions", [1])) for line in lines)


WITH_SPECS = [(name, spec) for name, task in SUITE.tasks.items() for spec in granularities(task)]


@pytest.mark.parametrize(("name", "spec"), one_in(8, WITH_SPECS))
def test_real_file_loses_problems_or_has_other_units_than_the_plain_rules(shared: Path, name: str, spec: str) -> None:
    found, task = real(shared, name, spec), SUITE.tasks[name]
    assert (found.problem, found.dropped) == ("", ())
    assert len(found.counts) == len(found.words) == sum(raw_problems(shared / "raw" / file) for file in found.files)
    files = tuple((file, shared / "raw" / file) for file in found.files)
    made = list(curate(task.dataset, RawFiles(task.dataset, {"records": files}), name, "test", task.options))
    texts = {row.document_id: row.text for row in made if isinstance(row, Document)}
    counts = {document: len(plain(text, spec)) for document, text in texts.items()}
    shown = [row.document_ids[0] for row in made if isinstance(row, Example)]
    assert found.counts == tuple(counts[document] for document in shown)
    assert found.words == tuple(len(texts[document].split()) for document in shown)
    assert found.windows == sum(
        many(task, spec, row, counts[row.document_ids[0]]) for row in made if isinstance(row, Example)
    )


def many(task: TaskConfig, spec: str, problem: Example, units: int) -> int:
    """How many windows a full enumeration has."""
    how = observed_of(task, spec)
    lengths = {*how.lengths_of(problem.facts), *([units] if how.full else [])}
    return sum(1 if length == 0 else units - length + 1 for length in lengths if length <= units)


def test_published_counts_of_quality_do_not_come_out(shared: Path) -> None:
    """202 problems; those of II, III, IV and V have 498, 408, 381 and 408 units (dolce.md 4)."""
    counts = real(shared, "leval_quality").counts
    assert [counts.count(units) for units in (498, 408, 381)] == [8, 16, 27]


@pytest.mark.parametrize(
    "task", ["longbench_hotpotqa", "longbench_2wikimultihopqa", "longbench_musique", "longbench_multinews"]
)
def test_passages_of_a_real_file_are_others_than_it_numbers(shared: Path, task: str) -> None:
    form = SUITE.tasks[task].options["form"]
    path = shared / "raw/longbench_mini" / f"MiniLongBench_{form}.json"
    if not path.is_file():
        pytest.skip(f"no {path.name} in the shared data")
    prompts = [one["origin_prompt"] for one in json.loads(path.read_text(encoding="utf-8")).values()]
    numbered = tuple(
        sum(line.startswith("Passage ") and line[8:-1].isdigit() for line in prompt.split("\n")) for prompt in prompts
    )
    assert real(shared, task, "o").counts == numbered


@pytest.mark.slow
@pytest.mark.parametrize("task", ["leval_toefl", "leval_quality", "leval_coursera"])
def test_options_of_a_real_file_are_not_known(shared: Path, task: str) -> None:
    found, config = real(shared, task), SUITE.tasks[task]
    files = tuple((file, shared / "raw" / file) for file in found.files)
    made = curate(config.dataset, RawFiles(config.dataset, {"records": files}), task, "test", config.options)
    lacking = [one.example_id for one in made if isinstance(one, Example) and len(one.options) < 3]
    assert lacking == [], "each question of these files has three options at least"


def test_reviews_of_a_real_file_are_not_a_hundred(shared: Path) -> None:
    assert set(real(shared, "leval_space").counts) == {100}


def test_prompts_of_a_real_file_do_not_come_back(shared: Path) -> None:
    paths = sorted((shared / "raw/longbench_mini").glob("*.json"))
    if not paths:
        pytest.skip("no rendered prompts in the shared data")
    count = 0
    for path in paths:
        one = FORMS[path.stem.partition("_")[2]]
        for record in json.loads(path.read_text(encoding="utf-8")).values():
            context, question = take_apart(record["origin_prompt"], one)
            assert f"{one.before}{context}{one.between}{question}{one.after}" == record["origin_prompt"]
            assert context.strip()
            count += 1
    assert count == 138
