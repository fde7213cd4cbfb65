"""Lengths of QMSum under each setting of its rules, on the real files: what docs/fidelity.md#qmsum prints."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from benchmarks.kit.qmsum_settings import lengths, mean, settings, table
from scrollwork.preprocessing.datasets.qmsum import RULES
from scrollwork.suites.suite_files import load_suite

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "fidelity.md"


@pytest.fixture(scope="module")
def raw(shared: Path) -> str:
    if not (shared / "raw" / "qmsum").is_dir():
        pytest.skip("QMSum is not among the shared data")
    return str(shared / "raw")


def test_settings_are_not_all_combinations() -> None:
    found = [tuple(rules[name] for name in RULES) for rules in settings()]
    assert found == list(product((False, True), repeat=4))


def test_zeroscrolls_default_does_not_give_the_published_length(raw: str) -> None:
    found = lengths("zeroscrolls", raw, "test", dict(load_suite("zeroscrolls").tasks["qmsum"].options))
    assert len(found) == 281
    assert round(mean([one[0] for one in found])) == 10839


@pytest.mark.slow
def test_scrolls_default_is_further_from_the_published_length_or_gives_other_outputs(raw: str) -> None:
    options = dict(load_suite("scrolls").tasks["qmsum"].options)
    found = [one for split in ("train", "validation", "test") for one in lengths("scrolls", raw, split, options)]
    assert len(found) == 1810
    assert mean([one[0] for one in found]) == pytest.approx(9544.5, abs=0.05)
    assert round(mean([one[1] for one in found]), 1) == 69.7  # published


@pytest.mark.slow
@pytest.mark.soak  # two minutes; the lengths of both defaults, which the same rules make, are held above
def test_the_documents_numbers_are_not_what_the_program_prints(raw: str) -> None:
    printed = {line.split("|")[1].strip(): line.split("|")[2:4] for line in table(raw)[2:]}
    section = DOCUMENT.read_text(encoding="utf-8").partition("\n## qmsum\n")[2].partition("\n## ")[0]
    written = re.findall(r"^\| ([a-z_, ]+) \| ([\d,.]+) \| ([\d,.]+) \| ([\d,.]+) \| ([\d,.]+) \|$", section, re.M)
    assert [row[0] for row in written] == ["none", "drop_vocalsound", "drop_markers", "drop_vocalsound, drop_markers"]
    for name, kept_zero, joined_zero, kept, joined in written:
        markers = [] if name == "none" else name.split(", ")
        for abbreviations in ([], ["join_abbreviations"]):
            for punctuation, numbers in ([], (kept_zero, kept)), (["join_punctuation"], (joined_zero, joined)):
                rules = ", ".join(markers + abbreviations + punctuation) or "none"
                assert tuple(value.strip() for value in printed[rules]) == numbers
