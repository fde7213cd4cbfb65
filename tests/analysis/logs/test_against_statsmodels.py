"""1,000 random pairs against statsmodels and scipy: clustered errors, equivalence, McNemar, Holm, power."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scrollwork.analysis.logs.difference import FEW_DIFFER, PairedScores, permutation_test, sign_test
from scrollwork.analysis.logs.power import power_of
from scrollwork.analysis.statistics.paired import holm
from tests.exchange.test_export_validators import by, python_with

pytestmark = pytest.mark.slow
CASES = 1000
PEER = """
import gc, json, sys
import numpy as np
import scipy.stats
import statsmodels.api as sm
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import ttost_paired

gc.freeze()  # multipletests collects at each call
found = []
for case in json.load(open(sys.argv[1])):
    a, b, cluster = (np.array(case[name]) for name in ("a", "b", "cluster"))
    d = a - b
    fit = sm.OLS(d, np.ones(len(d))).fit(cov_type="cluster", cov_kwds={"groups": cluster}, use_t=True)
    plain = scipy.stats.ttest_rel(a, b)
    won, lost = int((d > 0).sum()), int((d < 0).sum())
    random = scipy.stats.permutation_test(
        (np.bincount(cluster, weights=d),), np.sum, permutation_type="samples", n_resamples=9999, vectorized=True,
        rng=np.random.default_rng(1),
    ) if case["permuted"] else None
    found.append({
        "error": float(fit.bse[0]), "interval": fit.conf_int()[0].tolist(),
        "plain_interval": [float(end) for end in plain.confidence_interval(0.95)],
        "equivalence": float(ttost_paired(a, b, -case["margin"], case["margin"])[0]),
        "mcnemar": float(mcnemar([[0, won], [lost, 0]], exact=True).pvalue) if won + lost else 1.0,
        "holm": multipletests(case["ps"], method="holm")[1].tolist(),
        "power": float(TTestPower().power(case["margin"] / d.std(ddof=1), len(d), 0.05)) if d.std() > 0 else None,
        "p": None if random is None else float(random.pvalue),
    })
json.dump(found, open(sys.argv[2], "w"))
"""


def a_case(number: int) -> dict[str, Any]:
    """Scores of 12 to 150 items in clusters of unequal sizes; every second case is right or wrong only."""
    random = np.random.default_rng(number)
    count = int(random.integers(12, 150))
    _, cluster = np.unique(random.integers(0, random.integers(7, 40), count), return_inverse=True)
    shared = random.normal(size=(2, count))[:, cluster] * random.uniform(0, 1)
    a, b = shared + random.normal(size=(2, count))
    b = b + random.choice([0.0, 0.2, 0.6])
    if number % 2:
        a, b = (a > 0).astype(float), (b > 0).astype(float)
    ps = random.uniform(0, 0.2, random.integers(1, 9)).tolist()
    return {
        "a": a.tolist(), "b": b.tolist(), "cluster": cluster.tolist(), "margin": float(random.uniform(0.05, 0.5)),
        "ps": ps, "permuted": number % 10 < 2,
    }  # fmt: skip


def test_a_thousand_comparisons_differ_from_statsmodels(tmp_path: Path) -> None:
    python = python_with("statsmodels")
    cases = [a_case(number) for number in range(CASES)]
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    by(python, PEER, tmp_path / "cases.json", tmp_path / "found.json")
    for case, peer in zip(cases, json.loads((tmp_path / "found.json").read_text()), strict=True):
        a, b = np.array(case["a"]), np.array(case["b"])
        clustered = PairedScores(a, b, np.array(case["cluster"]))
        plain = PairedScores.of(a, b, None)
        assert clustered.standard_error == pytest.approx(peer["error"], rel=1e-9)
        assert clustered.interval() == pytest.approx(tuple(peer["interval"]), rel=1e-7, abs=1e-12)
        assert plain.interval() == pytest.approx(tuple(peer["plain_interval"]), rel=1e-7, abs=1e-12)
        if plain.right is None or np.count_nonzero(a != b) >= FEW_DIFFER:
            assert plain.equivalence(case["margin"]) == pytest.approx(peer["equivalence"], abs=1e-9)
        won, lost = int((a > b).sum()), int((a < b).sum())
        assert sign_test(won, lost) == pytest.approx(peer["mcnemar"], rel=1e-9)
        names = {str(place): p for place, p in enumerate(case["ps"])}
        adjusted = holm(names)
        assert [adjusted[name] for name in names] == pytest.approx(peer["holm"], rel=1e-12)
        power = power_of(case["margin"], plain.standard_error or 0.0, len(a))
        if peer["power"] is not None and np.isnan(peer["power"]):  # its noncentral t gives up far out
            assert power is not None
            assert power > 0.999
        else:
            assert power == pytest.approx(peer["power"], abs=1e-5)
        if peer["p"] is not None:
            assert permutation_test(clustered.sums, "peer").p == pytest.approx(peer["p"], abs=0.036)
