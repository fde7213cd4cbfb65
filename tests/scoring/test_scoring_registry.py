"""The metric registry."""

import pickle
import subprocess
import sys

import pytest

from scrollwork.scoring.registry import known_metrics, metric, module_of, stored_names

PLAIN = [name for name in known_metrics() if (name,) == metric(name).COMPONENTS]
GOLD = {
    "concordance": "1, 2",
    "longbench_count": "5",
    "longbench_retrieval": "Paragraph 5",
    "musique_output": '{"answer_content": "A", "is_answerable": true}',
    "conll": "[[1, 2]]",
    "fic_proxy": '{"highlights": [["A"]], "alignments": ["A"]}',
}


def test_unknown_metric_is_not_answered_with_the_known_ones():
    with pytest.raises(ValueError, match='unknown metric "rouge"; known: rouge_geo, f1, f1_scrolls, em, accuracy'):
        metric("rouge")
    with pytest.raises(ValueError, match="unknown metric"):
        module_of("os")


@pytest.mark.parametrize("name", known_metrics())
def test_module_breaks_the_contract(name):
    module = metric(name)
    assert name == module.NAME
    assert module.RANGE == (0.0, 100.0)
    assert ("references", *(["options"] if name == "longbench_classification" else [])) == module.NEEDS
    assert isinstance(module.VERSION, int)
    needed = {"references": [GOLD.get(name, "A 5%")], "options": ["A 5%", "B"]}
    outcome = module.score("1, 2 A 5%", **{field: needed[field] for field in module.NEEDS})
    assert tuple(outcome.components) == tuple(module.COMPONENTS)
    assert tuple(outcome.stored) == stored_names(module)
    assert module_of(name) == f"scrollwork.scoring.metrics.{name.replace('longbench_', 'longbench.')}"


def test_most_metrics_are_plain():
    assert len(PLAIN) > 10


@pytest.mark.parametrize("name", PLAIN)
def test_plain_metric_has_a_headline_of_its_own(name):
    assert (name,) == metric(name).COMPONENTS
    assert metric(name).headline({name: 12.5}) == 12.5


@pytest.mark.parametrize("name", [name for name in known_metrics() if name != "rouge_geo"])
def test_option_of_another_metric_is_swallowed(name):
    with pytest.raises(ValueError, match=f'"{name}" has no option "stem"; it has: none'):
        metric(name, stem=True)


def test_option_of_the_wrong_kind_is_swallowed():
    with pytest.raises(ValueError, match="must be true or false, not 'no'"):
        metric("rouge_geo", stem="no")
    with pytest.raises(ValueError, match='no option "lemma"; it has: stem'):
        metric("rouge_geo", lemma=True)


def test_configured_metric_is_less_than_a_metric():
    stemmed = pickle.loads(pickle.dumps(metric("rouge_geo", stem=True)))
    plain = metric("rouge_geo")
    for name in ("NAME", "VERSION", "RANGE", "NEEDS", "COMPONENTS"):
        assert getattr(stemmed, name) == getattr(plain, name)
    assert stemmed.score("cats", ["cat"]).components["rouge1"] == 100.0
    assert plain.score("cats", ["cat"]).components["rouge1"] == 0.0
    assert stemmed.headline(dict.fromkeys(plain.COMPONENTS, 8.0)) == pytest.approx(8.0)


def test_registry_imports_metrics_that_nobody_asked_for():
    code = "import sys, scrollwork.scoring.registry as r; r.metric('em'); print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "scrollwork.scoring.metrics.em" in loaded
    assert not {
        "rouge_score",
        "nltk",
        "rapidfuzz",
        "unidecode",
        "scrollwork.scoring.metrics.rouge_geo",
        "scrollwork.scoring.metrics.f1",
    } & set(loaded)
