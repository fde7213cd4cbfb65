"""The tokenizer of a lasting name, from the vocabulary that the home keeps (suites/tokenizers.py takes it in)."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from scrollwork.pipeline.errors import UsageError
from scrollwork.preprocessing.tokens.tokenizer import Tokenizer, make
from scrollwork.storage.home import Home


def place_in_home(name: str, home: Home) -> Path:
    """Where the home keeps the vocabulary of a lasting name."""
    return home.folder / "tokenizers" / f"{name.rpartition('~')[2]}.json"


def load(name: str, home: Home) -> Tokenizer:
    """The tokenizer of a lasting name. Raises UsageError."""
    file = place_in_home(name, home) if name.startswith("hf:") else None
    if file is not None and not file.is_file():
        raise UsageError(f"{name}: its vocabulary is not in this home; name it again with --tokenizer hf:FOLDER")
    try:
        return _load(name, "" if file is None else str(file))
    except ValueError as error:
        raise UsageError(str(error)) from None


@lru_cache(maxsize=4)
def _load(name: str, file: str) -> Tokenizer:
    return make(name, file)
