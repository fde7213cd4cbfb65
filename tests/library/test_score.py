"""`sw.score` gives what a run gives, item by item, and names the item that it cannot score."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import scrollwork as sw
from scrollwork.pipeline.errors import UsageError
from scrollwork.scoring.aggregate import combine
from scrollwork.scoring.registry import metric


@pytest.mark.parametrize("name", ["qmsum", "space_digest"])
def test_a_score_is_another_than_that_of_a_run(whole: Path, name: str) -> None:
    home = sw.open(whole)
    on = ["suite", "task", "split", "example_id", "draw"]
    run = home.scores("zeroscrolls", tasks=name).collect()
    rows = run.join(home.answers().select(*sw.KEY, "text").collect(), on=sw.KEY).join(
        home.examples().select(*on, "references").collect(), on=on
    )
    own = sw.score(rows["metric"][0], rows["text"].to_list(), rows["references"].to_list())
    shared = [column for column in own.columns if column in rows.columns]
    assert {"value", "parsed", "rouge1" if name == "qmsum" else "es"} <= set(shared)
    assert own.select(shared).equals(rows.select(shared))


def test_columns_are_not_those_of_the_metric() -> None:
    found = sw.score("musique_output", ["no", "yes"], ['{"is_answerable": true, "answer_content": "no"}'] * 2)
    assert found.schema == {
        "item": pl.Int64,
        "value": pl.Float64,
        "f1_output": pl.Float64,
        "f1_answer": pl.Float64,
        "answerability_accuracy": pl.Float64,
        "sum_answerable": pl.Float64,
        "sum_f1_answerable": pl.Float64,
        "format_ok": pl.Boolean,
        "json_ok": pl.Boolean,
        "parsed": pl.String,
    }
    assert found["item"].to_list() == [0, 1]


def test_an_option_or_the_best_reference_is_ignored() -> None:
    predictions, references = ["the cats sat", "a dog"], [["a cat sits", "the cats sat"], "the dogs"]
    own = metric("rouge_geo", stem=True)
    wanted = [own.score(predictions[0], references[0]), own.score(predictions[1], [references[1]])]
    found = sw.score("rouge_geo", predictions, references, stem=True)
    assert found["value"].to_list() == [one.value for one in wanted]
    assert found["rouge1"].to_list() == [one.components["rouge1"] for one in wanted]
    assert found["rouge1"].mean() == combine(own, wanted).components["rouge1"]
    assert found["rouge1"][1] > sw.score("rouge_geo", predictions, references)["rouge1"][1]


def test_columns_of_frames_or_other_lists_are_refused() -> None:
    predictions, references = ["the cats sat", "a dog"], [["a cat sits", "the cats sat"], ["the dogs"]]
    wanted = sw.score("f1", predictions, references)
    frame = pl.DataFrame({"text": predictions, "gold": references})
    pandas = frame.to_pandas()
    assert sw.score("f1", frame["text"], frame["gold"]).equals(wanted)
    assert sw.score("f1", pandas["text"], pandas["gold"]).equals(wanted)
    assert sw.score("f1", iter(predictions), map(tuple, references)).equals(wanted)


def test_nothing_to_score_is_an_error() -> None:
    found = sw.score("f1", [], [])
    assert found.is_empty()
    assert found.schema == sw.score("f1", ["a"], ["a"]).schema


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("f1", ["a", "b"], ["a"]), "2 predictions and 1 references: an item needs one of each"),
        (("f1", "ab", ["a", "b"]), "predictions must be a list with an entry for each item, not one text"),
        (("f1", ["a"], "a"), "references must be a list with an entry for each item, not one text"),
        (("f1", ["a", None], ["a", "b"]), "item 1: the prediction must be text, not NoneType"),
        (("es", ["3%", "4%"], ["3%", "four"]), "item 1: "),
        (("f1", ["a"], [[]]), "item 0: references must hold at least one text: the list is empty"),
        (("f1", ["a"], [[3]]), "item 0: reference 1 must be text, not int"),
        (("f1", ["a"], [3]), "item 0: references must be a text or a list of texts, not int"),
        (("f1", ["a"], [{"a": 1}]), "item 0: references must be a text or a list of texts, not dict"),
        (("f1", ["a"], [None]), "item 0: references must be a text or a list of texts, not NoneType"),
        (("f2", ["a"], ["a"]), "score: metric 'f2' is none of "),
        (("fic", ["a"], ["a"]), "metric 'fic' needs judging models: `scrollwork score --metric fic --pairs FILE`"),
    ],
)
def test_what_cannot_be_scored_is_not_named(call: tuple[str, list[str], list[str]], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        sw.score(*call)


def test_an_unknown_option_is_passed_over() -> None:
    with pytest.raises(UsageError, match='metric "f1" has no option "stem"; it has: none'):
        sw.score("f1", ["a"], ["a"], stem=True)
