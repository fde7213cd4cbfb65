"""Tokenizers of OpenAI's models, by tiktoken, which downloads its tables on first use and checks them."""

from __future__ import annotations

from typing import Any

from scrollwork.preprocessing.tokens.tokenizer import Tokenizer, ends_of_front


def make(name: str, file: str) -> Tokenizer:
    """Make `tiktoken:ENCODING` or `tiktoken:MODEL`. Raises ValueError."""
    try:
        import tiktoken
    except ImportError:
        raise ValueError(f"{name} needs tiktoken: pip install 'scrollwork[tokens]'") from None
    wanted = name.partition(":")[2]
    try:
        known = tiktoken.list_encoding_names()
        encoding = tiktoken.get_encoding(wanted) if wanted in known else tiktoken.encoding_for_model(wanted)
    except KeyError:
        raise ValueError(f"{name}: tiktoken knows no such encoding or model; encodings: {', '.join(known)}") from None
    except OSError as error:  # its tables come from the network
        raise ValueError(
            f"{name}: tiktoken could not get its table ({type(error).__name__}); set TIKTOKEN_CACHE_DIR to a folder "
            "that has it, or take --tokenizer estimate"
        ) from error
    return Tiktoken(name, encoding)


class Tiktoken:
    """An encoding of tiktoken. Text that looks like a special token is ordinary text."""

    added = 0

    def __init__(self, name: str, encoding: Any) -> None:
        self.name, self._encoding = name, encoding

    def count(self, text: str) -> int:
        """Return the tokens of a text."""
        return len(self._encoding.encode_ordinary(text))

    def cut(self, text: str, tokens: int) -> int:
        """Return the characters of the first tokens; one of which a token has only some bytes is left out."""
        return ends_of_front(text, tokens, self._ends)

    def _ends(self, front: str, tokens: int) -> int | None:
        found = self._encoding.encode_ordinary(front)
        if len(found) < tokens:
            return None
        return len(self._encoding.decode_bytes(found[:tokens]).decode("utf-8", errors="ignore"))
