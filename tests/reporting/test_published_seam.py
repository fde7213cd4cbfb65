"""SEAM's table 3 as printed: AR, ARSD and ranks come out as the fact sheet recomputed them (section 9.4)."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from boards import CONFIG

from scrollwork.analysis.runs.ranking import dataset_arsd, standings
from scrollwork.analysis.runs.scores import NA, RunScores, ScoreTable
from scrollwork.reporting.boards.published import published_of

DATA = tomllib.loads((CONFIG / "published" / "seam.toml").read_text(encoding="utf-8"))
PUBLISHED = published_of(DATA)
assert PUBLISHED is not None
ROWS = {row.label: row for row in PUBLISHED.table("3")}
TASKS = ("multi_news", "open_asp", "fuse_reviews", "musique", "sci_co", "ecb_plus")
TABLE = ScoreTable(
    TASKS,
    tuple(ROWS),
    {
        (label, task): RunScores(given=(row.scores[task], row.stds[task])) if task in row.scores else NA
        for label, row in ROWS.items()
        for task in TASKS
    },
)
# ranks, AR, relative deviations, ARSD in percent
EXPECTED: dict[str, tuple[list[int], float, list[float], float]] = {
    "Llama 3-70B": ([2, 4, 2, 1, 2, 1], 2.0000, [0.0239, 0.2222, 0.0208, 0.0227, 0.0700, 0.1525], 8.5349),
    "Mistral-7B": ([4, 1, 1, 5, 1, 3], 2.5000, [0.0299, 0.0508, 0.0219, 0.4174, 0.0418, 0.0448], 10.1100),
    "Llama 3-8B": ([5, 5, 3, 2, 3, 2], 3.3333, [0.0462, 0.0893, 0.0171, 0.0385, 0.0332, 0.0868], 5.1830),
    "Mixtral-8x7B": ([1, 2, 4, 6, 5, 4], 3.6667, [0.0327, 0.0435, 0.0837, 0.2143, 0.1910, 0.2695], 13.9117),
    "Mixtral-8x22B*": ([3, 3, 5, 3, 4, 5], 3.8333, [0.0197, 0.0270, 0.0369, 0.0830, 0.1256, 0.2033], 8.2576),
    "Gemma-2B": ([6, 6, 6, 4, 6, 6], 5.6667, [0.1149, 0.1379, 0.0772, 0.1628, 0.2353, 0.4186], 19.1124),
    "Gemma-7B": ([7] * 6, 7.0000, [0.0833, 0.1200, 0.0779, 0.5000, 0.2424], 20.4736),
}


def test_table_3_is_whole() -> None:
    assert set(ROWS) == set(EXPECTED)
    for row in ROWS.values():
        assert {*row.scores, *row.na} == set(TASKS)
    assert {label: row.na for label, row in ROWS.items() if row.na} == {"Gemma-7B": ("ecb_plus",)}


def test_models_stand_in_another_order() -> None:
    assert [row.model for row in standings(TABLE)] == list(EXPECTED)


@pytest.mark.parametrize("model", EXPECTED)
def test_ar_and_arsd_differ_from_the_fact_sheet(model: str) -> None:
    found = next(row for row in standings(TABLE) if row.model == model)
    ranks, ar, relative, arsd = EXPECTED[model]
    assert [found.ranks[task] for task in TASKS] == ranks
    assert found.ar == pytest.approx(ar, abs=5e-5)
    assert list(found.relative_stds.values()) == pytest.approx(relative, abs=5.1e-5)
    assert list(found.relative_stds) == list(TASKS[: len(relative)]), "NA counts in AR only"
    assert found.arsd is not None
    assert 100 * found.arsd == pytest.approx(arsd, abs=5e-5)


def test_arsd_of_data_sets_differs_from_the_fact_sheet() -> None:
    found = [value or 0 for value in dataset_arsd(TABLE).values()]
    assert found == pytest.approx([0.0501, 0.0987, 0.0479, 0.2055, 0.1342, 0.1959], abs=5.1e-5)


def test_printed_ranks_or_arrows_are_not_those_of_the_means() -> None:
    """An arrow stands at every rank but the first, and not at NA."""
    for task in TASKS:
        best = next(row.model for row in standings(TABLE) if row.ranks[task] == 1)
        assert {label for label, row in ROWS.items() if task not in row.arrows} == {
            best,
            *(label for label, row in ROWS.items() if task in row.na),
        }
    assert ROWS["Mixtral-8x22B*"].arrows["fuse_reviews"] == 0.66
    assert sorted(value for row in ROWS.values() for value in row.arrows.values())[:3] == [0.66, 0.67, 0.72]


def test_other_figures_of_the_paper_are_lost() -> None:
    assert DATA["format"] == {"musique": 0.99, "ecb_plus": 0.86, "sci_co": 0.93}
    assert set(DATA["data"]) == set(TASKS)
    assert sum(one["samples"] for one in DATA["data"].values()) == 103_299
    assert set(DATA["model"]) == set(ROWS)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"stds": {"musique": 1.0}}, "scores and stds are of different tasks"),
        ({"na": ["musique"]}, "musique: a score, and NA"),
    ],
)
def test_rows_that_contradict_themselves_are_shown(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        published_of({**DATA, "row": [{**DATA["row"][0], **change}]})


def test_every_row_is_called_few_shot() -> None:
    assert {row.kind for row in ROWS.values()} == {"few-shot"}
    assert {row.about for row in ROWS.values()} == {""}, "that is how SEAM asks every model"
