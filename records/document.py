"""A document: a text that is stored once, however many examples, draws or windows refer to it."""

import hashlib
from dataclasses import dataclass

from scrollwork.records.base import InvalidRow, Row, utf8
from scrollwork.records.words import words_in


def text_id(text: str) -> str:
    """Return the id of a text: sha256 of its UTF-8 bytes, in hex. Raises InvalidRow for lone surrogates."""
    return hashlib.sha256(encode_text(text)).hexdigest()


def text_id_and_words(text: str) -> tuple[str, int]:
    """Return the id and the white-space word count of a text, encoded once. Raises InvalidRow for lone surrogates."""
    data = encode_text(text)
    return hashlib.sha256(data).hexdigest(), words_in(data)


def encode_text(text: str) -> bytes:
    """Encode a text in UTF-8. Raises InvalidRow for lone surrogates."""
    try:
        return utf8(text)
    except UnicodeEncodeError as error:
        raise InvalidRow(
            f"Document.text: character {error.start} is a lone surrogate, which UTF-8 and Parquet cannot hold"
        ) from None


@dataclass(frozen=True)
class Document(Row):
    """A text. document_id: its sha256. words: number of white-space words. source_*: raw file and record."""

    document_id: str
    title: str
    text: str
    words: int
    source_file: str
    source_record: str

    @classmethod
    def of(cls, text: str, *, title: str = "", source_file: str, source_record: str = "") -> "Document":
        """Make the document of a text, with its id and word count."""
        document_id, words = text_id_and_words(text)
        return cls(document_id, title, text, words, source_file, source_record)

    def check(self) -> None:
        self.require(len(self.document_id) == 64, "document_id", "must be a sha256 in hex")
        self.require(bool(self.text.strip()), "text", "is empty")
        self.require(self.words > 0, "words", "a document has words")


@dataclass(frozen=True)
class TokenCount(Row):
    """A document's tokens by one tokenizer. tokens: of the whole document, without special tokens."""

    document_id: str
    tokens: int

    def check(self) -> None:
        self.require(self.tokens >= 0, "tokens", "is negative")
