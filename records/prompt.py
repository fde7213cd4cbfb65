"""A prompt as its parts: literal text with a role, or a character span of a document. Rendering joins them."""

from collections.abc import Callable
from dataclasses import dataclass

from scrollwork.records.base import Row

ROLES = (
    "wrapper",  # what a vendor's format puts around the prompt (Claude's "Human:")
    "instruction",
    "context_header",
    "inner_header",  # before one of several documents: "Review 3:", "Title: ..."
    "document",
    "mark",  # within a document: start or end of a mention or a highlight (SEAM)
    "gap",  # blank lines between parts
    "omission",  # for a document that was cut: "... [The rest of the story is omitted]"
    "query_header",
    "query",
    "response_header",
    "demonstration",  # blocks before the instance: all of their texts and document spans have this role (SEAM)
)
FULL, CLOSED_BOOK = "full", "closed-book"
ARMS = (FULL, CLOSED_BOOK)
PLACES = ("kept", "dropped", "both", "split", "absent")  # of an answer or evidence, in a prompt that was cut


@dataclass(frozen=True)
class Part(Row):
    """Either literal `text`, or the characters start..end of the document `document_id`."""

    role: str
    text: str | None = None
    document_id: str | None = None
    start: int | None = None
    end: int | None = None

    def check(self) -> None:
        self.require(self.role in ROLES, "role", f"{self.role!r} is none of {', '.join(ROLES)}")
        span = (self.document_id, self.start, self.end)
        if self.text is not None:
            self.require(span == (None, None, None), "text", "a part is literal text or a span, not both")
        else:
            self.require(None not in span, "document_id", "a span needs document, start and end")
            assert self.start is not None
            assert self.end is not None
            self.require(0 <= self.start <= self.end, "start", f"{self.start}..{self.end} is no span")


@dataclass(frozen=True)
class Prompt(Row):
    """What a model is asked, for one example, arm and draw.

    profile: name of all that is model-dependent in it (chat variant, tokenizer, limit, truncation policy).
    prompt_sha256: of the rendered text in UTF-8. words: white-space words of the rendered text. tokens_*: by the
    profile's tokenizer, None if it has none. kept_chars and dropped_chars: of the documents. dropped: spans of
    documents that were cut off. answer_in, evidence_in: where a reference's text and the known evidence are in what was
    cut (PLACES); None if nothing was cut or nothing is known. units, span_start, span_length: the observed window in
    units of a context (Dolce), None elsewhere.
    """

    suite: str
    task: str
    split: str
    example_id: str
    draw: int
    profile: str
    arm: str
    parts: tuple[Part, ...]
    prompt_sha256: str
    words: int
    kept_chars: int
    dropped_chars: int
    truncated: bool
    max_new_tokens: int
    tokens_document: int | None = None
    tokens_kept: int | None = None
    tokens_prompt: int | None = None
    dropped: tuple[Part, ...] = ()
    answer_in: str | None = None
    evidence_in: str | None = None
    units: int | None = None
    span_start: int | None = None
    span_length: int | None = None

    def check(self) -> None:
        self.require(self.arm in ARMS, "arm", f"{self.arm!r} is none of {', '.join(ARMS)}")
        self.require(len(self.prompt_sha256) == 64, "prompt_sha256", "must be a sha256 in hex")
        self.require(
            self.truncated == (self.dropped_chars > 0), "truncated", "must say whether characters were dropped"
        )
        for name in ("answer_in", "evidence_in"):
            place = getattr(self, name)
            self.require(place is None or place in PLACES, name, f"{place!r} is none of {', '.join(PLACES)}")
        self.require(self.max_new_tokens > 0, "max_new_tokens", "must be positive")
        self.require(self.draw >= 0, "draw", "is negative")


def part_text(part: Part, text_of: Callable[[str], str]) -> str:
    """Return the text of a part. text_of: returns a document's text by id."""
    if part.text is not None:
        return part.text
    assert part.document_id is not None
    return text_of(part.document_id)[part.start : part.end]


def render(parts: tuple[Part, ...], text_of: Callable[[str], str]) -> str:
    """Return the text of a prompt, its joined parts. text_of: returns a document's text by id."""
    return "".join(part_text(part, text_of) for part in parts)
