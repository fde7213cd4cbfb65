"""Notes of a comparison for people: equal ones once, models told apart; in the JSON each with its pair."""

from __future__ import annotations

import numpy as np

from scrollwork.analysis.logs.compare import Compared, compare_systems
from scrollwork.analysis.logs.log import Log
from scrollwork.analysis.logs.note import Note
from scrollwork.analysis.logs.systems import CompareOptions, systems_of
from scrollwork.exchange.compared.as_json import compared_json
from scrollwork.exchange.compared.markdown import markdown
from scrollwork.exchange.compared.notes import folded, note_lines
from scrollwork.exchange.compared.page import compare_page
from tests.analysis.logs.logs_kit import a_log, texts

SCORES = [1.0, 0.0, 1.0, 1.0]


def compared(sources: dict[str, list[Log]]) -> Compared:
    systems, remarks = systems_of(sources)
    found = compare_systems(systems, CompareOptions())
    return Compared(found.pairs, [*remarks, *found.notes])


def seeds(count: int, **columns: object) -> dict[str, list[Log]]:
    """A baseline's seeds and another model, each with a task of its own and one note on its file."""
    names = [*(f"naive:seed={seed}" for seed in range(count)), "bm25"]
    return {
        f"logs/deep/{name}.jsonl": [
            a_log(SCORES, model=name, ids=texts(4), source=f"logs/deep/{name}.jsonl", notes=["2 lines cut"], **columns)
        ]
        for name in names
    }


def test_four_seeds_of_a_baseline_say_the_same_four_times() -> None:
    found = compared(seeds(4, truncated=np.array([True, False, False, False])))
    lines = note_lines(found)
    assert "naive:seed=0.jsonl, naive:seed=1.jsonl, naive:seed=2.jsonl and 2 more: 2 lines cut" in lines
    said = "facts: 1 item of naive:seed=0, naive:seed=1, naive:seed=2 and 2 more had their prompt or answer cut"
    assert said in lines
    assert sum("no log says" in line for line in lines) == 1
    assert len(lines) == len(set(lines)) == 6  # and: few items, no prompts in any, p is not corrected over pairs
    for text in (markdown(found), compare_page(found)):
        assert text.count("2 lines cut") == text.count("prompt or answer cut") == 1
    told = compared_json(found)
    cut = [note for note in told["notes"] if "answer cut" in note["note"]]
    assert {(note["a"], note["b"]) for note in cut} == {(pair["a"], pair["b"]) for pair in told["pairs"]}
    assert len(cut) == 2 * len(told["pairs"]) == 20
    assert sum("2 lines cut" in warning for warning in told["warnings"]) == 5


def test_a_note_on_one_pair_is_said_of_every_pair_or_of_none() -> None:
    """alpha has an item that beta lacks, and gamma has it."""
    logs = [
        a_log(SCORES[:count], model=name, ids=texts(count)) for name, count in (("alpha", 4), ("beta", 3), ("gamma", 4))
    ]
    lines = note_lines(compared({"runs": logs}))
    assert "alpha and beta: facts: 1 item only in alpha: q3" in lines
    assert "beta and gamma: facts: 1 item only in gamma: q3" in lines
    assert not any(line.startswith("alpha and gamma") and "only in" in line for line in lines)


def test_notes_of_other_tasks_or_metrics_are_mixed() -> None:
    """Tasks x and y lack one item, z lacks none: x and y are told together, and z is not named."""
    logs = []
    for task in "xyz":
        logs.append(a_log(SCORES, task=task, ids=texts(4), more={"f1": SCORES}))
        cut = 4 if task == "z" else 3
        logs.append(a_log(SCORES[:cut], model="beta", task=task, ids=texts(cut), more={"f1": SCORES[:cut]}))
    lines = note_lines(compared({"runs": logs}))
    assert "x, y: 1 item only in A: q3" in lines
    assert any(line.startswith("x, y: exact, f1: only 3 independent items: ") for line in lines)
    assert any(line.startswith("z: exact, f1: only 4 independent items: ") for line in lines)
    assert any(line.startswith("x, y, z: no log says") for line in lines)


def test_two_files_of_one_model_cannot_be_told_apart() -> None:
    """Both models are called gpt-4o: only their files tell which has the item, in every output."""
    one = a_log(SCORES, model="gpt-4o", ids=texts(4), source="runs/monday/log.csv", notes=["a row is cut"])
    other = a_log(SCORES[:3], model="gpt-4o", ids=texts(3), source="runs/friday/log.csv")
    found = compared({"runs/monday/log.csv": [one], "runs/friday/log.csv": [other]})
    (pair,) = found.pairs
    assert (pair.a, pair.b) == ("gpt-4o (monday/log.csv)", "gpt-4o (friday/log.csv)")
    assert any("1 item only in gpt-4o (monday/log.csv): q3" in warning for warning in found.warnings)
    lines = note_lines(found)
    assert "facts: 1 item only in A: q3" in lines
    assert "log.csv (A): a row is cut" in lines
    third = compared(
        {f"runs/{day}/log.csv": [log] for day, log in (("monday", one), ("friday", other), ("sunday", one))}
    )
    said = [line for line in note_lines(third) if "1 item only in" in line]
    assert said == [
        "gpt-4o (monday/log.csv) and gpt-4o (friday/log.csv): facts: 1 item only in gpt-4o (monday/log.csv): q3",
        "gpt-4o (friday/log.csv) and gpt-4o (sunday/log.csv): facts: 1 item only in gpt-4o (sunday/log.csv): q3",
    ]


def test_a_model_called_like_a_file_hides_the_other() -> None:
    logs = {"a.csv": [a_log(SCORES, model="", ids=texts(4))], "b.csv": [a_log(SCORES, model="a.csv", ids=texts(4))]}
    names = [system.name for system in systems_of(logs)[0]]
    assert len(set(names)) == 2, names


def test_long_names_of_models_are_whole_or_alike_in_notes() -> None:
    logs = [
        a_log(SCORES[: 4 - number], model=f"hf, pretrained=lab/{name},dtype=bfloat16", ids=texts(4 - number))
        for number, name in enumerate(("one", "two", "three"))
    ]
    lines = note_lines(compared({"runs": logs}))
    assert "…one,dtype=bfloat16 and …two,dtype=bfloat16: facts: 1 item only in …one,dtype=bfloat16: q3" in lines
    file = f"runs/{'x' * 90}-alpha.jsonl"
    noted = a_log(SCORES, ids=texts(4), source=file, notes=["is cut"])
    (line,) = [
        one for one in note_lines(compared({"r": [noted, a_log(SCORES, model="b", ids=texts(4))]})) if "is cut" in one
    ]
    assert line.startswith("xxx")
    assert "-alpha.jsonl (A): is cut" in line
    assert len(line) < 80


def test_a_note_for_all_tasks_becomes_one_of_a_task() -> None:
    assert len(folded([Note("prompts differ"), Note("prompts differ", task="x")])) == 2
