"""Answers of real systems against real references: every measure equal to rouge-score's."""

import json
import os
from ast import literal_eval
from pathlib import Path

import numpy as np
import pytest
from rouge_score.rouge_scorer import RougeScorer

from scrollwork.scoring.rouge.engine import MEASURES, TYPES, Engine
from tests.some_slow import one_in

SHARED = Path(os.environ.get("SCROLLWORK_SHARED") or Path(__file__).resolve().parents[3] / "shared") / "data"
LEVAL = SHARED / "predictions" / "leval" / "Predictions" / "ngram_eval"
SQUALITY = SHARED / "predictions" / "squality_human_eval" / "all-responses.jsonl"
SOURCES = ("leval", "longbench", "squality", "qmsum")


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def leval():
    for path in sorted(LEVAL.glob("*/*.jsonl")):
        for row in rows(path):
            prediction = next((value for name, value in row.items() if name.endswith("_pred")), None)
            if isinstance(prediction, str) and isinstance(row.get("gt"), str):
                yield prediction, [row["gt"]]


def longbench():
    for path in sorted((SHARED / "raw" / "longbench_mini").glob("*.json")):
        for row in json.loads(path.read_text(encoding="utf-8")).values():
            gold = row["gold"]
            gold = literal_eval(gold) if isinstance(gold, str) and gold.startswith("[") else gold
            yield row["prediction"], gold if isinstance(gold, list) else [str(gold)]


def squality():
    for row in rows(SQUALITY) if SQUALITY.is_file() else []:
        for question in row["questions"].values():
            texts = [answer["response"] for answer in question.values() if isinstance(answer, dict)]
            yield from ((texts[k], texts[:k] + texts[k + 1 :]) for k in range(len(texts)) if len(texts) > 1)


def qmsum():
    for path in sorted((SHARED / "raw" / "qmsum").glob("**/test.jsonl")):
        for meeting in rows(path):
            turns = "\n".join(turn["content"] for turn in meeting["meeting_transcripts"][:30])
            queries = [*meeting["general_query_list"], *meeting["specific_query_list"]]
            yield from ((turns, [query["answer"]]) for query in queries)


def departures(source, stem, every):
    """(pairs compared, places of those that differ)."""
    pairs = list(globals()[source]())
    if not pairs:
        pytest.skip(f"no pairs of {source} below {SHARED}; set SCROLLWORK_SHARED to the folder above data/")
    found = Engine(stem).score([prediction for prediction, _ in pairs], [references for _, references in pairs])
    oracle = RougeScorer(list(TYPES), use_stemmer=stem)
    wrong = []
    for place in range(0, len(pairs), every):
        prediction, references = pairs[place]
        expected = oracle.score_multi(references, prediction)
        listed = [[getattr(expected[kind], measure) for measure in MEASURES] for kind in TYPES]
        if not (found[place] == np.array(listed, dtype=float)).all():
            wrong.append(place)
    return len(range(0, len(pairs), every)), wrong


@pytest.mark.parametrize(("source", "every"), [("leval", 60), ("longbench", 10), ("squality", 20), ("qmsum", 40)])
@pytest.mark.parametrize("stem", one_in(2, [True, False]))
def test_real_pair_departs_from_rouge_score(source, every, stem):
    compared, wrong = departures(source, stem, every)
    assert compared > 5
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("stem", [False, True])
def test_any_real_pair_departs_from_rouge_score(source, stem):
    """Every tenth; all of them in `make soak`: rouge-score takes minutes for them."""
    every = int(os.environ.get("SCROLLWORK_EVERY_PAIR", "10"))
    compared, wrong = departures(source, stem, every)
    assert compared * every > 100
    assert wrong == []
