"""Tokenizers of open models: a tokenizer.json, read by Hugging Face's `tokenizers`."""

from __future__ import annotations

from typing import Any

from scrollwork.preprocessing.tokens.tokenizer import Tokenizer, ends_of_front


def make(name: str, file: str) -> Tokenizer:
    """Make the tokenizer of a tokenizer.json. Raises ValueError."""
    try:
        from tokenizers import Tokenizer as Engine
    except ImportError:
        raise ValueError(f"{name} needs tokenizers: pip install 'scrollwork[tokens]'") from None
    try:
        engine = Engine.from_file(file)
    except Exception as error:  # the engine raises bare Exception
        raise ValueError(f"{name}: {file} is no tokenizer.json ({error})") from error
    engine.no_truncation()  # a vocabulary file may carry its model's own limit, silently applied
    engine.no_padding()
    return HuggingFace(name, engine)


class HuggingFace:
    """A fast tokenizer of the library `tokenizers`."""

    def __init__(self, name: str, engine: Any) -> None:
        self.name, self._engine = name, engine
        self.added = int(engine.num_special_tokens_to_add(False))

    def count(self, text: str) -> int:
        """Return the tokens of a text, without special ones."""
        return len(self._engine.encode(text, add_special_tokens=False).ids)

    def cut(self, text: str, tokens: int) -> int:
        """Return the characters of the first tokens; a character that the next token shares is left out."""
        return ends_of_front(text, tokens, self._ends)

    def _ends(self, front: str, tokens: int) -> int | None:
        offsets = self._engine.encode(front, add_special_tokens=False).offsets
        if len(offsets) < tokens:
            return None
        end = int(offsets[tokens - 1][1])
        return min(end, int(offsets[tokens][0])) if len(offsets) > tokens else end
