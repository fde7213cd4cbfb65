"""What is read in replies of SEAM, row by row of the tables of seam.md 5 and 8.1, 8.2, 8.4."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from scrollwork.scoring.aggregate import combine
from scrollwork.scoring.metrics import fic_proxy, musique_output, rouge_gm
from scrollwork.scoring.outcome import GoldError
from scrollwork.scoring.parts.fusion import fusion_in, harmonic, sentences
from scrollwork.scoring.reading.answer_objects import answer_object, lenient_object, official_object
from scrollwork.scoring.reading.extraction import (
    ANSWER_CUE,
    ASPECT_CUE,
    FUSION_CUE,
    NO_ANSWER,
    answer_in,
    official_answer,
)
from scrollwork.scoring.registry import metric
from tests.cpu_clock import cpu_seconds
from tests.some_slow import one_in

# --- MuSiQue: seam.md 5 -----------------------------------------------------------------------------------------------

TRUE = "{'is_answerable': True, 'answer_content': '%s'}"
# gold answer, reply, format_ok, F1; json_ok
REPLIES = [
    ("Rap-A-Lot", TRUE % "Rap-A-Lot", 1, 1.0000, 1),
    ("Rap-A-Lot", f"Sure: {TRUE % 'Rap-A-Lot'}", 1, 1.0000, 1),
    ("the Beatles", TRUE % "the Beatles", 0, 1.0000, 1),
    ("superman", TRUE % "superman", 0, 1.0000, 1),
    ("the Beatles", TRUE % "The Beatles", 1, 1.0000, 1),
    ("Rap-A-Lot", '{"is_answerable": true, "answer_content": "Rap-A-Lot"}', 0, 1.0000, 1),
    ("Rap-A-Lot", "{'is_answerable': True,\n'answer_content': 'Rap-A-Lot'}", 0, 1.0000, 1),
    ("Rap-A-Lot", "{'is_answerable': True, 'answer_content': 'Rap-A-Lot}", 1, 1.0000, 1),
    ("Rap-A-Lot", r"{'is\_answerable': True, 'answer\_content': 'Rap-A-Lot'}", 1, 1.0000, 1),
    ("Rap-A-Lot", TRUE % "Def Jam", 1, 0.6667, 1),
    ("Rap-A-Lot", TRUE % "America's", 1, 0.7500, 1),
    ("Rap-A-Lot", "{'is_answerable': False, 'answer_content': ''}", 1, 0.5714, 1),
    ("Rap-A-Lot", "{'is_answerable': False}", 1, 0.3333, 1),
    ("Rap-A-Lot", "{'is_answerable': False, 'answer_content': 'Huambo Province'}", 1, 0.4444, 1),
    ("Rap-A-Lot", "Rap-A-Lot", 0, 0.4000, 0),
    ("Rap-A-Lot", "The answer is Rap-A-Lot.", 0, 0.2857, 0),
    ("Rap-A-Lot", "", 0, 0.0000, 0),
]
UNANSWERABLE = [
    ("{'is_answerable': False, 'answer_content': ''}", 0.7500),
    ("{'is_answerable': False}", 0.5714),
    (TRUE % "Rap-A-Lot", 0.4444),
    ("Rap-A-Lot", 0.0),
]


def gold(answer, answerable=True, **more):
    return [json.dumps({"answer_content": answer, "is_answerable": answerable, **more})]


@pytest.mark.parametrize(("answer", "reply", "format_ok", "value", "json_ok"), REPLIES)
def test_output_is_read_otherwise_than_by_the_official_code(answer, reply, format_ok, value, json_ok):
    found = musique_output.score(reply, gold(answer))
    assert found.flags == {"format_ok": bool(format_ok), "json_ok": bool(json_ok)}
    assert found.value / 100 == pytest.approx(value, abs=5e-5)
    assert found.components["f1_output"] == found.value


@pytest.mark.parametrize(("reply", "value"), UNANSWERABLE)
def test_unanswerable_twin_is_scored_without_its_answer(reply, value):
    found = musique_output.score(reply, gold("Huambo Province", answerable=False))
    assert found.value / 100 == pytest.approx(value, abs=5e-5)


@pytest.mark.parametrize(
    ("gold_answer", "predicted", "value"),
    [
        ("Rap-A-Lot", "Rap A Lot", 0),
        ("the United States of America", "United States", 0.6667),
        ("False", "False", 1),
        ("False", "Paris", 0),
        ("Huambo Province", "Huambo", 0.6667),
        ("1971", "in 1971", 0.6667),
        ("the", "a", 1),
    ],
)
def test_answer_level_f1_departs_from_the_fact_sheet(gold_answer, predicted, value):
    assert musique_output.f1(predicted, gold_answer) / 100 == pytest.approx(value, abs=5e-5)


@pytest.mark.parametrize(
    ("reply", "answerable", "f1_answer", "accuracy"),
    [
        (TRUE % "Rap-A-Lot", True, 100, 100),
        (TRUE % "Def Jam", True, 0, 100),
        ('{"is_answerable": true, "answer_content": "Rap-A-Lot"}', True, 100, 100),
        ("{'is_answerable': False, 'answer_content': 'Rap-A-Lot'}", True, 0, 0),
        ("{'is_answerable': False, 'answer_content': 'anything'}", False, 100, 100),
        (TRUE % "False", False, 100, 0),
        ("{'answer_content': 'Rap-A-Lot'}", True, 100, 0),
        ("{'is_answerable': 'yes', 'answer_content': ['Rap-A-Lot']}", True, 100, 0),
        ("{'is_answerable': 'TRUE', 'answer_content': None}", True, 0, 100),
        ("Rap-A-Lot", True, 100, 0),
        ("", True, 0, 0),
        ("", False, 0, 0),
    ],
)
def test_answer_and_answerability_are_not_told_apart(reply, answerable, f1_answer, accuracy):
    found = musique_output.score(reply, gold("Rap-A-Lot", answerable)).components
    assert (found["f1_answer"], found["answerability_accuracy"]) == (f1_answer, accuracy)


def test_unanswerable_items_or_the_first_alias_alone_enter_the_answer_f1():
    aliased = gold("New York City", aliases=["NYC", "New York"])
    found = [
        musique_output.score(TRUE % "New York", aliased),
        musique_output.score("{'is_answerable': False, 'answer_content': 'Def Jam'}", gold("Def Jam")),
        musique_output.score(TRUE % "Paris", gold("Lyon")),
        musique_output.score("{'is_answerable': False, 'answer_content': 'x'}", gold("x", answerable=False)),
    ]
    summary = combine(musique_output, found)
    assert summary.components["f1_answerable"] == pytest.approx(100 * (1 + 1 + 0) / 3)
    assert summary.value == summary.components["f1_output"]


def test_run_without_answerable_items_divides_by_zero():
    summary = combine(musique_output, [musique_output.score("x", gold("x", answerable=False))])
    assert "f1_answerable" not in summary.components


@pytest.mark.parametrize(
    ("reply", "format_ok"),
    [
        ('```json\n{\n  "is_answerable": true,\n  "answer_content": "Rap-A-Lot"\n}\n```', False),
        ("{'is_answerable': true, 'answer_content': 'Rap-A-Lot'}", False),
        ('{"answer_content": "Rap-A-Lot", "is_answerable": True}', True),
        ("Here it is:\n{'is_answerable': True,\n 'answer_content': 'Rap-A-Lot',}\nThat is all.", False),
    ],
)
def test_object_of_another_dialect_says_nothing(reply, format_ok):
    found = answer_object(reply)
    assert (found.answerable, found.answer, found.json_ok, found.format_ok) == (True, "Rap-A-Lot", True, format_ok)


@pytest.mark.parametrize(
    "reply",
    [
        "{'is_answerable': __import__('os').system('false'), 'answer_content': 'x'}",
        "{__import__('os'): 1}",
        "{'a', 'b'}",
        "}{",
        "{" * 5000 + "}" * 5000,
        '{"a":' * 5000 + "1" + "}" * 5000,
        "{'answer_content': " + "9" * 5000 + "}",
        '{"answer_content": ' + "[" * 200 + "]" * 200 + "}",
    ],
    ids=lambda reply: reply[:20],
)
def test_hostile_object_is_evaluated_or_read(reply):
    found = answer_object(reply)
    assert (found.format_ok, found.json_ok, found.official, found.answer) == (False, False, reply, reply)


def test_lone_surrogate_of_an_escape_reaches_the_row():
    for reply in ('{"answer_content": "\\ud800"}', r"{'answer_content': '\ud800'}"):
        assert musique_output.score(reply, gold("x")).parsed.encode() == b"?"


@given(st.text(alphabet="{}'\"\\_ st:,\nTrue1", max_size=40))
def test_any_reply_has_a_reading(reply):
    found = answer_object(reply)
    assert found.format_ok == (official_object(reply) is not None)
    assert found.json_ok == (lenient_object(reply) is not None)


@pytest.mark.parametrize(
    ("reference", "problem"),
    [
        ("", "is no JSON:"),
        ("[]", "is no JSON object"),
        ("{}", '"answer_content" must be a text'),
        ('{"answer_content": "x"}', '"is_answerable" must be true or false'),
        ('{"answer_content": "x", "is_answerable": 1}', '"is_answerable" must be true or false'),
        ('{"answer_content": "x", "is_answerable": true, "aliases": "y"}', '"aliases" must be a list'),
    ],
)
def test_gold_that_is_no_output_scores(reference, problem):
    with pytest.raises(GoldError, match=problem):
        musique_output.score("x", [reference])


# --- extraction: seam.md 5 --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("[INST] prompt [/INST] the answer [/INST] more", "the answer [/INST] more"),
        (f"reviews {FUSION_CUE} one {FUSION_CUE} two ", "two"),
        (f"reviews {FUSION_CUE}  ", NO_ANSWER),
        (f"x {FUSION_CUE} fused {ASPECT_CUE} y", f"fused {ASPECT_CUE} y"),
        (f"demo {ASPECT_CUE} a\n\n{ASPECT_CUE} b", "b"),
        (f"demo {ANSWER_CUE} a\n\n{ANSWER_CUE} b\n", "b"),
        (f"{ANSWER_CUE}", ""),
        ("12345678 without any cue", "without any cue"),
        ("short", ""),
    ],
)
def test_official_extraction_is_another(text, answer):
    assert official_answer(text) == answer


@pytest.mark.parametrize(
    ("reply", "cue", "empty", "answer"),
    [
        (" plain reply\n", ANSWER_CUE, "", "plain reply"),
        ("echo *Answer*: a *Answer*: b", ANSWER_CUE, "", "b"),
        ("echo *Answer*: a", ASPECT_CUE, "", "echo *Answer*: a"),
        ("[/INST] stays", ANSWER_CUE, "", "[/INST] stays"),
        ("  ", FUSION_CUE, NO_ANSWER, "No answer"),
        (f"x {FUSION_CUE}\n", FUSION_CUE, NO_ANSWER, "No answer"),
        ("  ", ANSWER_CUE, "", ""),
    ],
)
def test_reply_without_echo_loses_text(reply, cue, empty, answer):
    assert answer_in(reply, cue, empty) == answer


# --- ROUGE: seam.md 8.1 -----------------------------------------------------------------------------------------------

ROUGE = [
    ("The cat sat on the mat.", "The cat was sitting on the mat.", 0.769231, 0.545455, 0.769231, 68.5947),
    ("Police killed the gunman", "police kill the gunman", 1, 1, 1, 100.0),
    (
        "Runners are running quickly through the old town",
        "The runner ran quick through town",
        0.571429,
        0,
        0.428571,
        0.0,
    ),
    ("completely different words here", "nothing shared at all", 0, 0, 0, 0.0),
    ("", "some reference text", 0, 0, 0, 0.0),
]


@pytest.mark.parametrize(("prediction", "reference", "r1", "r2", "rl", "mean"), ROUGE)
def test_rouge_of_one_answer_departs_from_the_fact_sheet(prediction, reference, r1, r2, rl, mean):
    found = rouge_gm.score(prediction, [reference])
    assert [found.components[kind] / 100 for kind in rouge_gm.ROUGE] == pytest.approx([r1, r2, rl], abs=1e-6)
    assert found.value == found.components["rouge_gm"] == pytest.approx(mean, abs=5e-5)


@pytest.mark.parametrize(("count", "per_instance", "of_means"), [(3, 56.1982, 66.5283), (4, 42.1487, 49.8962)])
def test_rouge_is_averaged_before_the_geometric_mean(count, per_instance, of_means):
    summary = combine(rouge_gm, [rouge_gm.score(row[0], [row[1]]) for row in ROUGE[:count]])
    assert summary.value == summary.components["rouge_gm"] == pytest.approx(per_instance, abs=5e-5)
    assert summary.components["rouge_gm_of_means"] == pytest.approx(of_means, abs=5e-5)


def test_rouge_is_taken_without_the_stemmer():
    plain = combine(metric("rouge_geo"), [metric("rouge_geo").score(row[0], [row[1]]) for row in ROUGE[:3]])
    assert plain.components["per_instance_mean"] == pytest.approx(41.9435, abs=5e-5)
    assert plain.value == pytest.approx(48.5486, abs=5e-5)


# --- FuseReviews: seam.md 8.2 -----------------------------------------------------------------------------------------

WORDS = ["staff", "great", "greatly", "location", "locations", "is", "noisy", "room", "ROOMS", "x.", "y!", "?", "\n"]


def fusion(highlights, alignments):
    return [json.dumps({"highlights": highlights, "alignments": alignments})]


def test_proxy_departs_from_the_fact_sheet():
    spans = ["staff is great", "great location"]
    found = fic_proxy.score("The staff is great. Location was noisy.", fusion([[one] for one in spans], spans))
    values = [found.components[name] / 100 for name in ("faith_proxy", "cover_proxy", "f1_proxy")]
    assert values == pytest.approx([0.5417, 1.0, 0.7027], abs=5e-5)
    assert found.value == found.components["f1_proxy"]


def test_harmonic_mean_is_taken_of_the_means():
    each = [harmonic(*pair) for pair in ((0.9, 0.6), (0.0, 0.7), (0.5, 0.5))]
    assert each == pytest.approx([0.72, 0.0, 0.5])
    assert sum(each) / 3 == pytest.approx(0.4067, abs=5e-5)
    assert harmonic(1.4 / 3, 1.8 / 3) == pytest.approx(0.5250, abs=5e-5)


@given(
    st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join),
    st.lists(st.lists(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), max_size=3), min_size=1, max_size=4),
    st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), min_size=1, max_size=4),
)
def test_proxy_departs_from_rouge_score(prediction, highlights, alignments):
    highlights[0].append("great")
    scorer = RougeScorer(["rouge1"], use_stemmer=True)
    everything = " ".join(span for review in highlights for span in review)
    faith = [scorer.score(everything, one)["rouge1"].precision for one in sentences(prediction)]
    cover = [scorer.score(one, prediction)["rouge1"].recall for one in alignments]
    found = fic_proxy.score(prediction, fusion(highlights, alignments)).components
    assert found["faith_proxy"] / 100 == pytest.approx(sum(faith) / len(faith) if faith else 0.0)
    assert found["cover_proxy"] / 100 == pytest.approx(sum(cover) / len(cover))


def test_proxy_depends_on_what_stands_beside_it():
    rng = random.Random(2)
    texts = [" ".join(rng.choices(WORDS, k=20)) for _ in range(50)]
    references = [fusion([rng.sample(WORDS, 3)], rng.sample(WORDS, 2)) for _ in texts]
    alone = [fic_proxy.score(*pair) for pair in zip(texts, references, strict=True)]
    assert fic_proxy.batch(texts, references) == alone


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("3.5 stars.No space", ["3.5 stars.No space"]),
        ("  \n ", []),
        ("What?!  Yes.\nNo.", ["What?!", "Yes.", "No."]),
    ],
)
def test_sentences_are_cut_elsewhere(text, parts):
    assert sentences(text) == parts


def test_highlights_are_listed_otherwise_than_in_the_prompt():
    found = fusion_in(fusion([["a b", "c"], [], ["d"]], ["a"]))
    assert found.listed == "review_0:\n 1. a b 2. c\nreview_1:\n\nreview_2:\n 1. d"
    assert found.joined == "a b c d"


@pytest.mark.parametrize(
    ("reference", "problem"),
    [
        ("", "is no JSON:"),
        ("[]", "is no JSON object"),
        ('{"highlights": [["a"]]}', '"alignments" must be'),
        ('{"highlights": [["a"]], "alignments": []}', '"alignments" must be'),
        ('{"highlights": ["a"], "alignments": ["a"]}', '"highlights" must be'),
        ('{"highlights": [[], []], "alignments": ["a"]}', '"highlights" must be'),
    ],
)
def test_gold_that_is_no_fusion_scores(reference, problem):
    with pytest.raises(GoldError, match=problem):
        fic_proxy.score("x", [reference])


# --- hostile replies --------------------------------------------------------------------------------------------------

UNITS = [
    "[",
    "{",
    "}",
    "{}",
    "{'a':",
    "{'answer_content': '",
    "'s",
    "s' ",
    "\\_",
    "9",
    "-1, ",
    "}\n{",
    "'}",
    '"',
    "a. ",
    "!",
]


@pytest.mark.parametrize("unit", one_in(4, UNITS))
def test_megabyte_of_one_thing_costs_more_than_its_length(unit):
    def spent(size):
        text = "{" + unit * (size // len(unit)) + "}"
        gold = fusion([["a b"]], ["a"])
        return cpu_seconds(lambda: (answer_object(text), official_answer(text), fic_proxy.score(text, gold)))[0]

    small, large = spent(62_500), spent(1_000_000)
    assert large < 100 * max(small, 0.02)
