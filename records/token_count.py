"""The number of tokens of a document by one tokenizer."""

from dataclasses import dataclass

from scrollwork.records.base import Row


@dataclass(frozen=True)
class TokenCount(Row):
    """tokens: of the whole document, without special tokens."""

    document_id: str
    tokens: int

    def check(self) -> None:
        self.require(self.tokens >= 0, "tokens", "is negative")
