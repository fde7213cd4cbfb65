"""Entailment by a checkpoint trained on the spot: it names the letter that a text names."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from scrollwork.models.local.checkpoint import CheckpointError
from scrollwork.models.local.entailment import COVERAGE, FAITHFULNESS, HYPOTHESIS, PREMISE, SequenceToSequence, Wording
from scrollwork.scoring.metrics.fic import Fic
from tests.models import local_kit
from tests.models.local_kit import LETTERS, ask, text

# what the tiny checkpoint was trained on, with the two texts in the place of its document
ASKED = f"read and answer .\n\n{PREMISE} {HYPOTHESIS}\n\nwhich letter ?\n\nanswer :"


def wording(label: str, **more: Any) -> Wording:
    return Wording(ASKED, label, **{"window": 512, **more})


def test_braces_in_a_text_are_taken_for_places() -> None:
    assert Wording(f"P {PREMISE} H {HYPOTHESIS}.", "x", 8).prompt("{hypothesis}", "{premise}") == (
        "P {hypothesis} H {premise}."
    )
    assert Wording(f"H {HYPOTHESIS} P {PREMISE}.", "x", 8).prompt("a {hypothesis}", "b {premise}") == (
        "H b {premise} P a {hypothesis}."
    )


@pytest.mark.parametrize("template", ["", PREMISE, f"{PREMISE} {PREMISE} {HYPOTHESIS}"])
def test_wording_without_places_is_asked(template: str) -> None:
    with pytest.raises(ValueError, match="once each"):
        Wording(template, "x", 8)


def test_official_wordings_lose_a_text() -> None:
    assert "Premise: one\n Hypothesis: two \n" in FAITHFULNESS.prompt("one", "two")
    assert COVERAGE.prompt("span", "output") == "span <extra_id_4> output"


@pytest.mark.slow
class TestCheckpoint:
    """A T5 with random weights would say the same of everything."""

    def model(self, folder: Path, home: Path, label: str, **more: Any) -> SequenceToSequence:
        table = local_kit.model(folder, home).table
        batch_size = more.pop("batch_size", 8)
        return SequenceToSequence("tiny", table, wording(label, **more), batch_size)

    def test_label_that_the_model_would_say_is_improbable(self, tiny_t5: Path, tmp_path: Path) -> None:
        rng = random.Random(4)
        pairs = [
            (text(LETTERS[number % 4], 6, rng), " ".join(rng.choices(local_kit.words(), k=5))) for number in range(12)
        ]
        found = {letter: self.model(tiny_t5, tmp_path, letter)(pairs) for letter in LETTERS}
        for number in range(12):
            assert found[LETTERS[number % 4]][number] > 0.9
            assert sum(found[letter][number] for letter in LETTERS) < 1 + 1e-6

    def test_probability_depends_on_the_batch_or_on_the_order(self, tiny_t5: Path, tmp_path: Path) -> None:
        rng = random.Random(5)
        pairs = [(text("B", rng.randint(1, 40), rng), "end") for _ in range(20)]
        alone = self.model(tiny_t5, tmp_path, "B", batch_size=1)(pairs)
        assert self.model(tiny_t5, tmp_path, "B")(pairs) == pytest.approx(alone, abs=1e-5)
        assert self.model(tiny_t5, tmp_path, "B")(pairs[::-1])[::-1] == pytest.approx(alone, abs=1e-5)

    def test_probability_is_another_than_along_the_decoding(self, tiny_t5: Path, tmp_path: Path) -> None:
        """The official way: a greedy decoding's scores at the label's tokens; "C" and the end are what it decodes."""
        import torch

        made = self.model(tiny_t5, tmp_path, "C")
        pair = (text("C", 8, random.Random(6)), "end")
        ids = torch.tensor([made._encoded(*pair)])
        out = made._model.generate(
            input_ids=ids, max_new_tokens=1, do_sample=False, output_scores=True, return_dict_in_generate=True
        )
        official = torch.softmax(out.scores[0].double(), dim=1)[0, made._label[0]].item()
        assert made([pair]) == pytest.approx([official], abs=1e-5)

    def test_label_of_several_tokens_counts_its_first_alone(self, tiny_t5: Path, tmp_path: Path) -> None:
        pair = [(text("A", 8, random.Random(7)), "end")]
        whole = self.model(tiny_t5, tmp_path, "A zzz qqq")(pair)[0]
        first = self.model(tiny_t5, tmp_path, "A zzz qqq", first_only=True)(pair)[0]
        assert first == pytest.approx(self.model(tiny_t5, tmp_path, "A")(pair)[0])
        assert whole < first

    def test_input_over_the_window_loses_its_end_of_sequence(self, tiny_t5: Path, tmp_path: Path) -> None:
        made = self.model(tiny_t5, tmp_path, "A", window=20)
        ids = made._encoded(text("A", 200, random.Random(8)), "end")
        assert (len(ids), ids[-1]) == (20, 1)

    def test_metric_with_a_checkpoint_knows_no_letter(self, tiny_t5: Path, tmp_path: Path) -> None:
        model = self.model(tiny_t5, tmp_path, "D")
        metric = Fic(model, model)
        gold = {"highlights": [[local_kit.words()[0]], []], "alignments": [text("D", 4, random.Random(9))]}
        found = metric.score(f"{text('D', 5, random.Random(1))} {text('A', 5, random.Random(2))}", [json.dumps(gold)])
        assert 0 < found.components["faithfulness"] < 100
        assert metric.score("", [json.dumps(gold)]).value == 0.0
        assert len(model.name.partition("@")[2]) > 8

    def test_command_scores_with_other_models_than_are_named(self, tiny_t5: Path, tmp_path: Path, call: Any) -> None:
        gold = {"highlights": [[local_kit.words()[0]]], "alignments": [text("D", 4, random.Random(9))]}
        said = [f"{text('D', 5, random.Random(1))}. {text('A', 5, random.Random(2))}.", ""]
        rows = [{"id": str(at), "prediction": one, "references": [json.dumps(gold)]} for at, one in enumerate(said)]
        pairs, own = tmp_path / "pairs.jsonl", tmp_path / "models.toml"
        pairs.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        own.write_text(f'[judge]\nprovider = "transformers"\nid = {json.dumps(str(tiny_t5))}\n', encoding="utf-8")
        judges = ("--faithfulness", "judge", "--coverage", f"transformers:{tiny_t5}", "--models", str(own))
        status, out, err = call("score", "--metric", "fic", *judges, "--pairs", str(pairs), "--json")
        assert status == 0, err
        found = json.loads(out)
        table = local_kit.model(tiny_t5, tmp_path).table
        metric = Fic(*(SequenceToSequence("judge", table, wording) for wording in (FAITHFULNESS, COVERAGE)))
        wanted = [metric.score(one, [json.dumps(gold)]) for one in said]
        assert [row["value"] for row in found["per_instance"]] == pytest.approx([one.value for one in wanted])
        assert found["components"]["coverage"] == pytest.approx(wanted[0].components["coverage"] / 2)
        assert found["judges"] == dict.fromkeys(("faithfulness", "coverage"), table["checkpoint"])

    def test_model_that_goes_on_with_a_text_is_taken(self, tiny_t5: Path, tmp_path: Path) -> None:
        table = {**local_kit.model(tiny_t5, tmp_path).table, "kind": "causal"}
        with pytest.raises(CheckpointError, match="needs an encoder-decoder"):
            SequenceToSequence("tiny", table, wording("A"))


def judged_by(name: str) -> tuple[str, ...]:
    return ("--faithfulness", name, "--coverage", name)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--metric", "fic"), "--faithfulness is missing"),
        (("--metric", "fic", "--coverage", "naive"), "--faithfulness is missing"),
        (("--metric", "fic", *judged_by("gpt-4o")), "--faithfulness gpt-4o: only checkpoints judge"),
        (("--metric", "fic", *judged_by("nobody")), "--faithfulness: no model is named 'nobody'"),
        (("--metric", "fic", *judged_by("transformers:/nowhere")), "--faithfulness: model 'transformers:/nowhere'"),
        (("--metric", "fic_proxy", "--coverage", "naive"), "are for --metric fic"),
    ],
)
def test_judge_that_cannot_judge_is_taken(call: Any, tmp_path: Path, given: tuple[str, ...], said: str) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"id": "0", "prediction": "x", "references": ["{}"]}\n', encoding="utf-8")
    status, _, err = call("score", *given, "--pairs", str(pairs))
    assert status == 2
    assert said in err


def test_kit_asks_otherwise_than_here() -> None:
    """Or the checkpoint is asked for something that it never saw."""
    document = text("C", 12, random.Random(0))
    assert ask("C").prompt == wording("C").prompt(*document.split(" ", 1))
