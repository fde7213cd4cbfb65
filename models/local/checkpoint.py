"""A checkpoint in memory: tokenizer, weights, greedy decoding in batches. Weights are loaded only here.

Nothing is ever downloaded, and no code of a checkpoint is run.
"""

from __future__ import annotations

import copy
import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

ENCODER_DECODER, CAUSAL = "encoder-decoder", "causal"
INSTALL = "pip install 'torch==2.13.0' && pip install 'scrollwork[local]'"
# A template that prints today's date would change the prompt every day; the library does not let us set its clock.
CLOCK = re.compile(r"""strftime_now\(\s*(["'])(.*?)\1\s*\)""")
TODAY = datetime.datetime(2024, 7, 26)


class CheckpointError(RuntimeError):
    """A checkpoint cannot be used; the message says why and what to do."""


class OutOfMemory(RuntimeError):
    """A batch does not fit on the device."""


@dataclass(frozen=True)
class Generated:
    """New tokens of one prompt. tokens: their number, with the end-of-sequence token. ended: whether there was one."""

    text: str
    tokens: int
    ended: bool


class Vocabulary:
    """The tokenizer of a checkpoint (a `Codec` of models/local/prompts.py). template: values for the chat template."""

    def __init__(self, name: str, place: str, template: Mapping[str, Any]) -> None:
        """Load the tokenizer from the folder `place`. Raises CheckpointError."""
        transformers = import_transformers(name)
        try:
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(
                place, local_files_only=True, trust_remote_code=False
            )
        except Exception as error:  # its parts raise exceptions of many kinds
            raise CheckpointError(
                f"model {name!r}: the tokenizer in {place} cannot be loaded: {first_line(error)}"
            ) from error
        self.tokenizer.model_max_length = 10**12  # we keep to the window; the library's warning would be wrong
        own = getattr(self.tokenizer, "chat_template", None)
        if own:
            named = isinstance(own, dict)
            self.tokenizer.chat_template = (
                {key: with_fixed_day(own[key]) for key in own} if named else with_fixed_day(own)
            )
        self._name, self._template = name, template

    def ids(self, text: str, *, special: bool) -> list[int]:
        """Return the token ids of a text. special: with the special tokens that the tokenizer puts around it."""
        found: list[int] = self.tokenizer(text, add_special_tokens=special)["input_ids"]
        return found

    def templated(self, content: str) -> str:
        """Return one user message in the chat template, up to where the assistant's turn begins.

        Raises CheckpointError.
        """
        try:
            return str(
                self.tokenizer.apply_chat_template(
                    [{"role": "user", "content": content}],
                    add_generation_prompt=True,
                    tokenize=False,
                    **self._template,
                )
            )
        except Exception as error:
            raise CheckpointError(f"model {self._name!r}: its chat template fails: {first_line(error)}") from error

    def text(self, ids: Sequence[int]) -> str:
        """Return the text of new tokens, without special tokens; white space at its ends is kept."""
        return str(self.tokenizer.decode(ids, skip_special_tokens=True))


class Checkpoint:
    """Loaded weights with their tokenizer."""

    def __init__(self, name: str, table: Mapping[str, Any]) -> None:
        """Load a checkpoint. table: checked (local_tables.py) and completed by suites/checkpoints.py.

        Raises CheckpointError.
        """
        self.codec = Vocabulary(name, table["place"], table.get("template", {}))
        import torch

        self._torch = torch
        if "threads" in table:
            torch.set_num_threads(table["threads"])
        self.kind, self._name = table["kind"], name
        self._model = load(name, table)
        self._model.eval()
        self._decoding = decoding(self._model.generation_config, table.get("generation", {}))
        self._model.generation_config = self._decoding  # else the library takes from it whatever is None in ours
        self._ends = end_tokens(self._decoding, self.codec.tokenizer)
        padding = self._decoding.pad_token_id
        self._decoding.pad_token_id = padding if padding is not None else next(iter(sorted(self._ends)), 0)

    def generate(
        self, prompts: Sequence[Sequence[int]], max_new_tokens: int, *, seed: int, cancelled: Callable[[], bool]
    ) -> list[Generated] | None:
        """Decode a batch of prompts (lists of ids); None if it was cancelled. seed: of sampling.

        cancelled: checked at each token. Raises OutOfMemory and CheckpointError.
        """
        torch = self._torch
        inputs, mask = self._padded(prompts)
        config = copy.deepcopy(self._decoding)
        config.max_new_tokens = max_new_tokens
        if config.do_sample:
            torch.manual_seed(seed)
        failed = ""
        try:
            with torch.inference_mode():
                out = self._model.generate(
                    inputs=inputs,
                    attention_mask=mask,
                    generation_config=config,
                    stopping_criteria=[lambda ids, scores, **_: rows_to_end(torch, ids, cancelled)],
                    **self._further(mask),
                )
        except torch.OutOfMemoryError as error:
            failed = first_line(error)
        except Exception as error:  # the library's parts raise exceptions of many kinds
            size = f"{inputs.shape[1]:,} tokens of input and {max_new_tokens:,} new ones"
            raise CheckpointError(
                f"model {self._name!r}: the checkpoint fails with {size}: {type(error).__name__}: {first_line(error)}"
            ) from error
        if failed:  # outside the handler, as the exception's traceback holds the tensors
            torch.cuda.empty_cache()
            raise OutOfMemory(failed)
        if cancelled():
            return None
        begin = 1 if self.kind == ENCODER_DECODER else inputs.shape[1]  # skip the start token, or the prompt
        return [self._ended(row[begin:]) for row in out.tolist()]

    def _further(self, mask: Any) -> dict[str, Any]:
        """Return the inputs besides ids and mask: for LED, global attention on the first token (SCROLLS 6.2)."""
        if self._model.config.model_type != "led":
            return {}
        everywhere = self._torch.zeros_like(mask)
        everywhere[:, 0] = 1
        return {"global_attention_mask": everywhere}

    def _padded(self, prompts: Sequence[Sequence[int]]) -> tuple[Any, Any]:
        """Return (ids, mask) of shape [prompts, longest prompt].

        Padding is on the left for a causal model, as it continues the prompt, else on the right.
        """
        longest = max(len(ids) for ids in prompts)
        pad = self._decoding.pad_token_id
        left = self.kind == CAUSAL
        rows, masks = [], []
        for ids in prompts:
            fill, own = [pad] * (longest - len(ids)), [1] * len(ids)
            rows.append(fill + list(ids) if left else list(ids) + fill)
            masks.append([0] * len(fill) + own if left else own + [0] * len(fill))
        device = self._model.device
        return self._torch.tensor(rows, device=device), self._torch.tensor(masks, device=device)

    def _ended(self, new: list[int]) -> Generated:
        end = next((place for place, token in enumerate(new) if token in self._ends), None)
        kept = new if end is None else new[: end + 1]
        return Generated(self.codec.text(kept), len(kept), end is not None)


def with_fixed_day(template: str) -> str:
    """Return a chat template with a fixed day in place of today's date."""
    return CLOCK.sub(lambda found: repr(TODAY.strftime(found[2])), template)


def import_transformers(name: str) -> Any:
    """Return the module transformers. Raises CheckpointError if it or torch is not installed."""
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError as error:
        raise CheckpointError(f"model {name!r} needs torch and transformers ({error}): {INSTALL}") from None
    transformers.utils.logging.disable_progress_bar()
    return transformers


def load(name: str, table: Mapping[str, Any]) -> Any:
    """Load the weights onto their devices. Raises CheckpointError."""
    transformers = import_transformers(name)
    import torch

    need_device(name, table.get("device", ""), torch.cuda.device_count())
    options: dict[str, Any] = {"dtype": table.get("dtype", "auto")}
    if table.get("load_in_4bit"):
        options["quantization_config"] = four_bit(name, transformers, torch, options["dtype"])
    options["device_map"] = table.get("device_map") or chosen_device(table.get("device", "auto"), torch)
    kinds = {ENCODER_DECODER: transformers.AutoModelForSeq2SeqLM, CAUSAL: transformers.AutoModelForCausalLM}
    try:
        return kinds[table["kind"]].from_pretrained(
            table["place"], local_files_only=True, trust_remote_code=False, **options
        )
    except Exception as error:  # the library's parts raise exceptions of many kinds
        raise CheckpointError(f"model {name!r}: {table['place']} cannot be loaded: {first_line(error)}") from error


def need_device(name: str, device: str, there: int) -> None:
    """Raise CheckpointError if `device` is a CUDA device such as "cuda:1" that does not exist.

    there: how many there are.
    """
    named = re.fullmatch(r"cuda(?::([0-9]+))?", device)
    if not device.startswith("cuda") or (named and int(named[1] or 0) < there):
        return
    found = f"only {', '.join(f'cuda:{one}' for one in range(there))}" if there else "no CUDA device"
    raise CheckpointError(f"model {name!r}: device = {device!r}, but torch finds {found} here")


def chosen_device(device: str, torch: Any) -> str:
    """Return the device: for "auto" the first accelerator, or the CPU if there is none; else as given."""
    if device != "auto":
        return device
    return str(torch.accelerator.current_accelerator()) if torch.accelerator.is_available() else "cpu"


def four_bit(name: str, transformers: Any, torch: Any, dtype: str) -> Any:
    """Return the settings for loading weights in 4 bits. Raises CheckpointError if bitsandbytes is not installed."""
    try:
        import bitsandbytes  # noqa: F401
    except ImportError:
        raise CheckpointError(f"model {name!r}: load_in_4bit needs bitsandbytes: pip install bitsandbytes") from None
    compute = torch.bfloat16 if dtype == "auto" else getattr(torch, dtype)
    return transformers.BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=compute)


GREEDY = {"do_sample": False, "num_beams": 1, "temperature": None, "top_p": None, "top_k": None, "min_p": None}
# Other settings that a checkpoint may have: with them, answers would depend on the clock or have another form.
PLAIN = {
    **dict.fromkeys(("max_length", "max_time", "stop_strings", "penalty_alpha")),
    **dict.fromkeys(("return_dict_in_generate", "output_scores", "output_logits"), False),
    "num_return_sequences": 1,
}


def decoding(config: Any, own: Mapping[str, Any]) -> Any:
    """Return a checkpoint's generation settings, made greedy, with the table's own over them.

    Its penalties are kept.
    """
    found = copy.deepcopy(config)
    for key, value in {**GREEDY, **PLAIN, **own}.items():
        setattr(found, key, value)
    return found


def end_tokens(config: Any, tokenizer: Any) -> set[int]:
    """Return the ids that end an answer: the checkpoint's, else the tokenizer's."""
    ends = config.eos_token_id if config.eos_token_id is not None else tokenizer.eos_token_id
    if ends is None:
        return set()
    return set(ends) if isinstance(ends, list) else {ends}


def rows_to_end(torch: Any, ids: Any, cancelled: Callable[[], bool]) -> Any:
    """Return for every row whether to end now: all rows end once the batch is cancelled."""
    return torch.full((ids.shape[0],), cancelled(), device=ids.device, dtype=torch.bool)


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, or the name of its type if it has no message."""
    return (str(error) or type(error).__name__).strip().splitlines()[0]
