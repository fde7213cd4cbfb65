"""ECB+ on its real files, from XML to CoNLL F1: three baselines and the gold itself, against closed forms of the gold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import Scrollwork
from tests.flows.seam_kit import Row, asking, examples, hosted, rendered, rows, run_scores, scripted, seam
from tests.flows.test_seam_replies import ideal, official

RUNS = 2
Gold = list[list[list[int]]]  # clusters of each topic


@dataclass(frozen=True)
class Ran:
    home: Path
    golds: list[Gold]  # of each run

    def runs(self, model: str) -> list[Row]:
        return run_scores(self.home, "ecb_plus", model)


@pytest.fixture(scope="module")
def ran(house: Path, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    raw = ("--raw", str(shared / "raw"))
    for needed in ("ecb_plus/ECB+_LREC2014", "seam/files/prompts/ECB.json"):
        if not (shared / "raw" / needed).exists():
            pytest.skip(f"{needed} is not among the shared data")
    with scripted() as vendor:
        work = hosted(Scrollwork(house, tmp_path_factory.mktemp("ecb") / "home"), vendor.url, "gold")
        build = ("--task", "ecb_plus", "--runs", str(RUNS), "--engine", "inline", "--quiet")
        work("build", "seam", *raw, *build)
        said: dict[str, str] = {}
        for run in range(RUNS):
            of = {row["example_id"]: row for row in examples(work.home, "ecb_plus", run)}
            said |= {text: ideal("ecb_plus", of[name]) for name, text in rendered(work.home, "ecb_plus", run).items()}
        vendor.reply = lambda model, prompt: said[prompt]
        models = ("--model", "naive", "--model", "one-cluster", "--model", "same-head")
        seam(work, *raw, *models, *asking(work, "gold"), tasks=("ecb_plus",), runs=RUNS)
        golds = [
            [json.loads(row["references"][0]) for row in examples(work.home, "ecb_plus", run)] for run in range(RUNS)
        ]
        yield Ran(work.home, golds)


pytestmark = pytest.mark.slow


def f1(precision: float, recall: float) -> float:
    return 200 * precision * recall / (precision + recall)


def sizes(gold: Gold) -> list[list[int]]:
    return [[len(one) for one in clusters] for clusters in gold]


def test_ecb_has_other_topics_or_documents(ran: Ran) -> None:
    for run in range(RUNS):
        found = examples(ran.home, "ecb_plus", run)
        assert [row["example_id"] for row in found] == [str(topic) for topic in range(36, 46)]
        assert sum(len(row["document_ids"]) for row in found) == 206
        flat = [size for clusters in sizes(ran.golds[run]) for size in clusters]
        assert (sum(flat), len(flat), flat.count(1)) == (1780, 805, 623)


def test_gold_is_not_perfect_where_singletons_are_kept(ran: Ran) -> None:
    for run in ran.runs("gold"):
        assert run["components"]["micro_conll_keep"] == pytest.approx(100.0)
        assert run["components"]["micro_conll_drop_both"] == pytest.approx(100.0)
        assert run["value"] == pytest.approx(official(ran.golds[run["run"]]))
        assert run["in_format"] == 100.0


def test_singletons_score_otherwise(ran: Ran) -> None:
    for run in ran.runs("naive"):
        flat = [size for clusters in sizes(ran.golds[run["run"]]) for size in clusters]
        mentions, clusters = sum(flat), len(flat)
        similar = sum(2 / (size + 1) for size in flat)
        expected = (0.0, f1(1.0, clusters / mentions), f1(similar / mentions, similar / clusters))
        found = tuple(run["components"][f"micro_{name}_keep"] for name in ("muc", "b_cubed", "ceaf_e"))
        assert found == pytest.approx(expected)
        assert run["value"] == run["components"]["micro_conll_drop_both"] == 0.0


def test_one_cluster_scores_otherwise(ran: Ran) -> None:
    for run in ran.runs("one-cluster"):
        by_topic = sizes(ran.golds[run["run"]])
        mentions = sum(map(sum, by_topic))
        clusters = sum(map(len, by_topic))
        muc = f1((mentions - clusters) / (mentions - len(by_topic)), 1.0)
        pure = sum(size**2 / sum(topic) for topic in by_topic for size in topic) / mentions
        similar = sum(2 * max(topic) / (max(topic) + sum(topic)) for topic in by_topic)
        expected = (muc, f1(pure, 1.0), f1(similar / len(by_topic), similar / clusters))
        for mode in ("official", "keep"):
            found = tuple(run["components"][f"micro_{name}_{mode}"] for name in ("muc", "b_cubed", "ceaf_e"))
            assert found == pytest.approx(expected)
        assert run["value"] == pytest.approx(sum(expected) / 3)


def test_runs_of_a_rule_that_no_draw_concerns_differ(ran: Ran) -> None:
    """Ids and orders are other ones in each run, clusters are not."""
    for model in ("naive", "one-cluster", "same-head"):
        first, second = (run["components"] for run in ran.runs(model))
        assert first == pytest.approx(second)
    assert rendered(ran.home, "ecb_plus", 0) != rendered(ran.home, "ecb_plus", 1)


def test_same_head_is_no_better_than_rules_that_read_nothing(ran: Ran) -> None:
    values = {model: ran.runs(model)[0]["value"] for model in ("naive", "one-cluster", "same-head", "gold")}
    assert values["naive"] < values["one-cluster"] < values["same-head"] < values["gold"]
    assert not any(row["error"] for row in rows(ran.home, "curate", "seam.ecb_plus.test", "drops"))
