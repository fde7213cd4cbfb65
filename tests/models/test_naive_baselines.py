"""The naive baselines of ZeroSCROLLS (section 3.3, fact sheet 9.1), by the rules of config/models.toml."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from scrollwork.models.base import Ask, Call, Segment
from scrollwork.models.registry import UnknownModel, make, settings
from scrollwork.suites.suite_files import load_models, load_suite

TABLES = load_models()
STORY = " ".join(f"w{number}" for number in range(2000))


def asked(task: str, example: str = "e1", text: str = STORY, documents: int = 1) -> Ask:
    segments = (Segment("instruction", "Do it."), Segment("document", text), Segment("query", "What?"))
    return Ask(task, example, segments, "0" * 64, documents, 100)


def model(spec: str = "naive") -> Any:
    return make(spec, settings(spec, TABLES), "r1")


def answer(task: str, example: str = "e1", text: str = STORY, documents: int = 1, seed: int = 0) -> str:
    baseline = model()
    member = baseline.members[seed]
    ask = asked(task, example, text, documents)
    (found,) = baseline.answer([Call("k", member, baseline.payload(ask, member), ask)])
    return str(found.text)


@pytest.mark.parametrize(
    ("task", "words"),
    [("gov_report", 500), ("summ_screen_fd", 200), ("qmsum", 50), ("squality", 120), ("narrative_qa", 4)],
)
def test_span_has_other_length_or_is_not_contiguous(task: str, words: int) -> None:
    found = answer(task).split()
    assert len(found) == words
    start = int(found[0][1:])
    assert found == [f"w{number}" for number in range(start, start + words)]


def test_short_document_is_not_taken_whole() -> None:
    assert answer("gov_report", text="only  four\nwords here") == "only four words here"


def test_span_never_starts_at_the_end_or_the_beginning() -> None:
    starts = {answer("narrative_qa", f"e{number}", "a b c d e f").split()[0] for number in range(200)}
    assert starts == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("task", "documents", "text"),
    [("musique", 20, "Unanswerable"), ("space_digest", 50, "50%"), ("book_sum_sort", 4, "1, 2, 3, 4")],
)
def test_fixed_answer_is_another(task: str, documents: int, text: str) -> None:
    assert {answer(task, documents=documents, seed=seed) for seed in range(20)} == {text}


def test_qasper_outcomes_are_not_uniform() -> None:
    kinds = Counter(
        answer("qasper", f"e{n}") if len(answer("qasper", f"e{n}").split()) == 1 else "span" for n in range(800)
    )
    assert set(kinds) == {"Yes", "No", "Unanswerable", "span"}
    assert all(150 < count < 250 for count in kinds.values())  # 200 expected, standard deviation 12
    span = next(a for n in range(50) if len((a := answer("qasper", f"e{n}")).split()) > 1)
    assert len(span.split()) == 15


def test_quality_letters_are_not_uniform() -> None:
    letters = Counter(answer("quality", f"e{number}") for number in range(800))
    assert set(letters) == set("ABCD")
    assert all(150 < count < 250 for count in letters.values())


def test_choice_depends_on_which_other_examples_are_asked() -> None:
    baseline = model()
    calls = [Call(f"k{n}", "naive:seed=3", {}, asked("qmsum", f"e{n}")) for n in range(5)]
    together = {found.key: found.text for found in baseline.answer(calls)}
    backwards = {found.key: found.text for found in baseline.answer(calls[::-2])}
    assert backwards == {key: together[key] for key in backwards}
    assert len(set(together.values())) == 5


def test_seeds_give_one_answer() -> None:
    assert len({answer("qmsum", seed=seed) for seed in range(20)}) == 20


def test_naive_does_not_run_seeds_0_to_19() -> None:
    assert model().members == tuple(f"naive:seed={seed}" for seed in range(20))
    assert model("naive:seed=7").members == ("naive:seed=7",)


def test_one_seed_alone_answers_otherwise_than_in_the_family() -> None:
    alone, family = model("naive:seed=7"), model()
    ask = asked("squality")
    assert alone.payload(ask, "naive:seed=7") == family.payload(ask, "naive:seed=7")


def test_changed_code_is_not_asked_again() -> None:
    ask = asked("squality")
    old, new = (make("naive", settings("naive", TABLES), revision) for revision in ("r1", "r2"))
    assert old.payload(ask, "naive:seed=0") != new.payload(ask, "naive:seed=0")


def test_task_of_the_suite_has_no_rule() -> None:
    assert set(load_suite("zeroscrolls").tasks) <= set(TABLES["naive"]["rules"])


@pytest.mark.parametrize("spec", ["gpt-9", "naive:heat=3", "naive:seed=x", "naive:7"])
def test_wrong_model_is_not_named(spec: str) -> None:
    with pytest.raises(UnknownModel, match="naive"):
        settings(spec, TABLES)
