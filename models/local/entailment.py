"""Entailment by a sequence-to-sequence checkpoint: the probability that it answers a prompt with a given label.

It implements scrollwork.scoring.metrics.fic.Entailment, for SEAM's FuseReviews (seam.md 6.2): the PyPI package
`fic_evaluation` 0.1.0 (Apache-2.0) asks google/flan-t5-xxl for "Entailment", and
lovodkin93/multi-review-fic-coverage-evaluator for "yes". Here the decoder is given the label's tokens, and their
probabilities are multiplied. The package reads them while the model decodes greedily, which gives the same if the
decoded text begins with the label. As there, the input is cut at its end to the checkpoint's window.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.models.local.checkpoint import ENCODER_DECODER, CheckpointError, Vocabulary, load
from scrollwork.models.local.local_tables import PLACES

PREMISE, HYPOTHESIS = PLACES
BATCH = 8  # pairs
# the wording of the package, Apache-2.0
ENTAILS = (
    "### Instruction: Read the following and determine if the hypothesis can be inferred from the premise. \n"
    " Options: Entailment, Contradiction, or Neutral \n\n"
    f" ### Input: \n Premise: {PREMISE}\n Hypothesis: {HYPOTHESIS} \n\n"
    " ### Response (choose only one of the options from above):"
)
COVERS = f"{PREMISE} <extra_id_4> {HYPOTHESIS}"


@dataclass(frozen=True)
class Wording:
    """How a checkpoint is prompted. template: contains PREMISE and HYPOTHESIS once each. window: tokens of input.

    first_only: only the label's first token counts. Raises ValueError for a bad template or an empty label.
    """

    template: str
    label: str
    window: int
    first_only: bool = False

    def __post_init__(self) -> None:
        if not self.label or self.template.count(PREMISE) != 1 or self.template.count(HYPOTHESIS) != 1:
            raise ValueError(f"a wording has a label, and {PREMISE} and {HYPOTHESIS} once each")

    def prompt(self, premise: str, hypothesis: str) -> str:
        """Return the encoder's input. Braces within the two texts have no special meaning."""
        before, rest = self.template.split(PREMISE)
        if HYPOTHESIS in before:
            first, between = before.split(HYPOTHESIS)
            return f"{first}{hypothesis}{between}{premise}{rest}"
        between, behind = rest.split(HYPOTHESIS)
        return f"{before}{premise}{between}{hypothesis}{behind}"


FAITHFULNESS = Wording(ENTAILS, "Entailment", window=512)
COVERAGE = Wording(COVERS, "yes", window=800, first_only=True)


class SequenceToSequence:
    """A checkpoint that judges pairs of texts in batches."""

    def __init__(self, name: str, table: Mapping[str, Any], wording: Wording, batch_size: int = BATCH) -> None:
        """Load the checkpoint. table: checked (local_tables.py) and completed by suites/checkpoints.py.

        Raises CheckpointError.
        """
        if table["kind"] != ENCODER_DECODER:
            raise CheckpointError(f"model {name!r}: entailment needs an encoder-decoder, not a {table['kind']} model")
        vocabulary = Vocabulary(name, table["place"], table.get("template", {}))
        import torch

        self._torch, self._vocabulary, self._wording, self._batch_size = torch, vocabulary, wording, batch_size
        self._model = load(name, table)
        self._model.eval()
        self._label = vocabulary.ids(wording.label, special=False)[: 1 if wording.first_only else None]
        if not self._label:
            raise CheckpointError(f"model {name!r}: its tokenizer has no token for the label {wording.label!r}")
        padding = self._model.config.pad_token_id
        self._padding = padding if padding is not None else 0
        self._name = f"{name}@{table.get('digest', '')}" if table.get("digest") else name

    @property
    def name(self) -> str:
        """Return the model's name, with the digest of its files."""
        return self._name

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return the probability of the label for each pair (premise, hypothesis), in the given order.

        The longest pairs are computed first, and pairs of similar length together.
        """
        prompts = [self._encoded(*pair) for pair in pairs]
        order = sorted(range(len(prompts)), key=lambda place: len(prompts[place]), reverse=True)
        found = [0.0] * len(prompts)
        for begin in range(0, len(order), self._batch_size):
            places = order[begin : begin + self._batch_size]
            for place, probability in zip(places, self._judged([prompts[one] for one in places]), strict=True):
                found[place] = probability
        return found

    def _encoded(self, premise: str, hypothesis: str) -> list[int]:
        """Return token ids, cut to the window; end-of-sequence tokens that the tokenizer adds are kept."""
        text = self._wording.prompt(premise, hypothesis)
        ids, plain = self._vocabulary.ids(text, special=True), self._vocabulary.ids(text, special=False)
        ends = ids[len(plain) :] if ids[: len(plain)] == plain else []
        window = self._wording.window
        return ids if len(ids) <= window else [*ids[: window - len(ends)], *ends]

    def _judged(self, prompts: Sequence[Sequence[int]]) -> list[float]:
        torch = self._torch
        longest = max(map(len, prompts))
        rows = [[*ids, *[self._padding] * (longest - len(ids))] for ids in prompts]
        mask = [[1] * len(ids) + [0] * (longest - len(ids)) for ids in prompts]
        device = self._model.device
        start = self._model.config.decoder_start_token_id
        decoded = [[start if start is not None else self._padding, *self._label[:-1]]] * len(prompts)
        with torch.inference_mode():
            logits = self._model(
                input_ids=torch.tensor(rows, device=device),
                attention_mask=torch.tensor(mask, device=device),
                decoder_input_ids=torch.tensor(decoded, device=device),
            ).logits
            each = torch.log_softmax(logits.double(), dim=-1)
            label = torch.tensor(self._label, device=device)[None, :, None].expand(len(prompts), -1, 1)
            probabilities: list[float] = each.gather(2, label).sum(dim=(1, 2)).exp().clamp(0.0, 1.0).tolist()
        return probabilities
