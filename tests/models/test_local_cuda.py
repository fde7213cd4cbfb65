"""Checkpoints on a CUDA device; skipped where there is none. Last run by hand on one H200 (docs/calls.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scrollwork.models.local.model import TURNS
from tests.models.local_kit import ask, asks, model, results, tokenizer

pytestmark = pytest.mark.slow
KINDS = ("t5", "llama")
LIMIT_BYTES = 8 * 2**30


@pytest.fixture(autouse=True)
def cuda() -> Any:
    """torch, where it finds a CUDA device; nothing stays on it after a test."""
    torch = pytest.importorskip("torch", reason="local models need the extra `local`")
    if not torch.cuda.is_available():
        pytest.skip("there is no CUDA device here")
    yield torch
    TURNS.keep("", None)
    torch.cuda.set_per_process_memory_fraction(1.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("more", [{}, {"batch_size": 1}, {"dtype": "bfloat16"}, {"dtype": "float16"}], ids=str)
def test_answers_differ_from_those_of_the_processor(
    kind: str, more: dict[str, Any], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Of a trained checkpoint: rounding decides nothing where an answer is sure."""
    folder: Path = request.getfixturevalue(f"tiny_{kind}")
    some = asks(40, longest=60, chat=kind == "llama")
    expected = [one.text for one in results(model(folder, tmp_path, device="cpu", batch_size=1), some)]
    found = [one.text for one in results(model(folder, tmp_path, device="cuda:0", **more), some)]
    again = [one.text for one in results(model(folder, tmp_path, device="cuda:0", **more), some[::-1])][::-1]
    assert (found, again) == (expected, expected)


def test_full_device_loses_an_answer_or_what_comes_after_it(
    cuda: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Eight prompts of 3,000 words and one of 20,000, in at most 8 GiB: batches are halved until they fit."""
    from transformers import LlamaConfig, LlamaForCausalLM

    cuda.manual_seed(0)
    coder = tokenizer(end=False)
    sizes = {"hidden_size": 2048, "intermediate_size": 5632, "num_hidden_layers": 24, "num_attention_heads": 16}
    marks = {"bos_token_id": 2, "eos_token_id": 1, "pad_token_id": 0}
    config = LlamaConfig(vocab_size=32_000, num_key_value_heads=8, max_position_embeddings=131_072, **sizes, **marks)
    made = LlamaForCausalLM(config).to(cuda.bfloat16)
    made.generation_config.max_length = None
    folder = tmp_path / "large"
    made.save_pretrained(folder)
    coder.save_pretrained(folder)
    total = cuda.cuda.get_device_properties(0).total_memory
    cuda.cuda.set_per_process_memory_fraction(min(1.0, LIMIT_BYTES / total))
    lengths = [3000] * 8 + [20_000] + [1000] * 2
    some = [ask("A", words, number, chat=True, max_new_tokens=16) for number, words in enumerate(lengths)]
    found = results(model(folder, tmp_path, device="cuda:0", batch_tokens=10**6), some)
    assert [type(one).__name__ for one in found] == ["Answer"] * len(some)
    assert "out of memory, going on in batches of" in caplog.text
