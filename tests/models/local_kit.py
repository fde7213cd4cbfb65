"""Tiny checkpoints trained on the spot: they read the letter that a text names and answer it. About ten seconds."""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from scrollwork.models.base import Ask, Call, Segment
from scrollwork.models.local.model import make
from scrollwork.models.registry import settings
from scrollwork.storage.digest import sha256_of
from scrollwork.storage.home import Home
from scrollwork.suites.checkpoints import with_checkpoint_facts

LETTERS = "ABCD"
TEMPLATE = (
    "{{ bos_token }}<|user|>{{ messages[0]['content'] }}<|end|>{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
SPECIAL = ["<pad>", "</s>", "<s>", "<|user|>", "<|end|>", "<|assistant|>"]


@lru_cache(maxsize=1)
def words() -> list[str]:
    """Six hundred words of no language."""
    rng = random.Random(7)
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    return sorted({"".join(rng.choices(syllables, k=rng.choice((1, 2, 2, 3)))) for _ in range(700)})[:600]


def text(letter: str, length: int, rng: random.Random) -> str:
    """A text of so many words that names a letter somewhere."""
    found = [*rng.choices(words(), k=length)]
    found.insert(rng.randrange(length + 1), f"the answer is ({letter}) .")
    return " ".join(found)


def ask(letter: str = "C", length: int = 12, seed: int = 0, *, document: str = "", **more: Any) -> Ask:
    """A prompt that asks for the letter. more: of Ask; chat: without the response header."""
    chat = more.pop("chat", False)
    segments = [
        Segment("instruction", "read and answer ."),
        Segment("gap", "\n\n"),
        Segment("document", document or text(letter, length, random.Random(seed))),
        Segment("gap", "\n\n"),
        Segment("query", "which letter ?"),
        *([] if chat else [Segment("response_header", "\n\nanswer :")]),
    ]
    return Ask("quality", f"e{seed}", tuple(segments), "0" * 64, 1, more.pop("max_new_tokens", 10), **more)


def asks(count: int, longest: int = 30, **more: Any) -> list[Ask]:
    """Prompts of all letters and of lengths in no order."""
    rng = random.Random(3)
    return [ask(LETTERS[number % 4], rng.randint(3, longest), number, **more) for number in range(count)]


def model(folder: Path, home: Path, name: str = "tiny", **table: Any) -> Any:
    """The model of a checkpoint's folder, as a run makes it."""
    checked = settings(name, {name: {"provider": "transformers", "id": str(folder), "threads": 1, **table}})
    found = with_checkpoint_facts(name, checked, Home.at(str(home)))
    return make(name, {key: value for key, value in found.items() if key != "provider"}, "")


def call(made: Any, asked: Ask) -> Call:
    """The call of a prompt."""
    payload = made.payload(asked, made.name)
    return Call(sha256_of(payload), made.name, payload, asked)


def results(made: Any, some: list[Ask]) -> list[Any]:
    """Answers and failures in the order of the prompts; the attempts are left out."""
    calls = [call(made, one) for one in some]
    found = {one.key: one for one in made.answer(calls) if type(one).__name__ != "Attempt"}
    return [found[one.key] for one in calls]


# ---- training


def tokenizer(end: bool) -> Any:
    """A byte-pair vocabulary of our words. end: texts get an end-of-sequence (T5), else a begin (Llama)."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    engine = Tokenizer(models.BPE(unk_token=None))
    engine.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Punctuation(), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    engine.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=1000, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    lines = [ask(LETTERS[number % 4], 20, number).prompt for number in range(300)]
    engine.train_from_iterator(lines, trainer)
    around = "$A </s>" if end else "<s> $A"
    marks = [(token, engine.token_to_id(token)) for token in ("</s>", "<s>")]
    engine.post_processor = processors.TemplateProcessing(single=around, special_tokens=marks)
    found = PreTrainedTokenizerFast(
        tokenizer_object=engine,
        pad_token="<pad>",
        eos_token="</s>",
        bos_token="<s>",
        clean_up_tokenization_spaces=False,
    )
    if not end:
        found.chat_template = TEMPLATE
    return found


def trained(kind: str, folder: Path) -> Path:
    """A folder with a checkpoint of kind "t5" or "llama" that reads the letter."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM, T5Config, T5ForConditionalGeneration

    torch.set_num_threads(1)
    torch.manual_seed(0)
    coder = tokenizer(end=kind == "t5")
    common = {"vocab_size": len(coder), "pad_token_id": 0, "eos_token_id": 1}
    if kind == "t5":
        made: Any = T5ForConditionalGeneration(
            T5Config(
                d_model=64,
                d_ff=128,
                d_kv=16,
                num_layers=2,
                num_heads=4,
                decoder_start_token_id=0,
                dropout_rate=0.0,
                **common,
            )
        )
    else:
        made = LlamaForCausalLM(
            LlamaConfig(
                hidden_size=64,
                intermediate_size=128,
                num_hidden_layers=2,
                num_attention_heads=4,
                max_position_embeddings=4096,
                bos_token_id=2,
                **common,
            )
        )
    optimizer = torch.optim.AdamW(made.parameters(), lr=3e-3)  # at 5e-3 Llama learns on some processors only
    rng = random.Random(1)
    good = 0
    for step in range(600):
        made.train()
        loss = made(**batch(kind, coder, rng)).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(made.parameters(), 1.0)
        optimizer.step()
        if step % 20 == 19:
            good = good + 1 if loss.item() < 0.02 else 0
            if good == 3:
                break
    assert good == 3, f"{kind} has not learnt to read the letter on this machine"
    made.generation_config.max_length = None
    made.eval().save_pretrained(folder)
    coder.save_pretrained(folder)
    return folder


def needed() -> None:
    """Skips the test where local models cannot run."""
    for library in ("torch", "transformers", "accelerate"):
        pytest.importorskip(library, reason="local models need the extra `local` (make test-all installs it)")


def untrained(kind: str, folder: Path) -> Path:
    """A folder with a checkpoint of kind "gpt2" or "led" as it begins, of 128 positions or of windows of 32 tokens."""
    needed()
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel, LEDConfig, LEDForConditionalGeneration

    torch.manual_seed(0)
    coder = tokenizer(end=kind == "led")
    common = {"vocab_size": len(coder), "bos_token_id": 2, "eos_token_id": 1}
    if kind == "gpt2":
        made: Any = GPT2LMHeadModel(GPT2Config(n_embd=32, n_layer=1, n_head=2, n_positions=128, **common))
    else:
        layers = dict.fromkeys(("encoder_layers", "decoder_layers"), 1)
        widths = dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim", "d_model"), 32)
        heads = dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), 2)
        limits = {"max_encoder_position_embeddings": 512, "max_decoder_position_embeddings": 128}
        window = {"attention_window": [32], "pad_token_id": 0, "decoder_start_token_id": 1}
        made = LEDForConditionalGeneration(LEDConfig(**layers, **widths, **heads, **limits, **window, **common))
    made.save_pretrained(folder)
    coder.save_pretrained(folder)
    return folder


def batch(kind: str, coder: Any, rng: random.Random, size: int = 32) -> dict[str, Any]:
    """A batch to train on: prompts, and as labels the letter and the end-of-sequence."""
    import torch

    rows, labels = [], []
    for _ in range(size):
        letter = rng.choice(LETTERS)
        asked = ask(letter, rng.randint(3, 30), rng.randrange(10**9), chat=kind == "llama")
        answer = [*coder(f"{letter}", add_special_tokens=False)["input_ids"], 1]
        if kind == "t5":
            rows.append(coder(asked.prompt)["input_ids"])
            labels.append(answer)
            continue
        shown = coder.apply_chat_template(
            [{"role": "user", "content": asked.prompt}], add_generation_prompt=True, tokenize=False
        )
        ids = coder(shown, add_special_tokens=False)["input_ids"]
        rows.append(ids + answer)
        labels.append([-100] * len(ids) + answer)
    long, deep = max(map(len, rows)), max(map(len, labels))
    return {
        "input_ids": torch.tensor([row + [0] * (long - len(row)) for row in rows]),
        "attention_mask": torch.tensor([[1] * len(row) + [0] * (long - len(row)) for row in rows]),
        "labels": torch.tensor([row + [-100] * (deep - len(row)) for row in labels]),
    }
