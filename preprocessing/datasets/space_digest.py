"""SpaceDigest, built from SPACE (Angelidis et al. 2021): the share of positive reviews of a hotel. ZeroSCROLLS 3.1.3.

Reviews rated 3 are left out; 4 and 5 are positive, 1 and 2 negative; for each hotel 50 are chosen and ordered at random
(the paper does not say how: fidelity.md#spacedigest). The sampler chooses the 500 most-rated hotels, by
`rated_reviews`.
"""

from collections.abc import Iterator

from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records, drop_by_filter
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.example import Example, metadata
from scrollwork.records.stable_choice import stable_order

NEUTRAL = 3
BY_RECORD = ("records",)


def curate(raw: RawFiles, task: str, split: str, *, reviews: int, seed: int) -> Iterator[Row]:
    """Yield each hotel as an example: its chosen reviews as documents, the percentage of positive ones as reference.

    reviews: how many are chosen.
    """
    yield from convert_records(
        raw.records(), lambda record: hotel(record, task, split, reviews, seed), task=task, split=split
    )


def hotel(record: Record, task: str, split: str, wanted: int, seed: int) -> Iterator[Row]:
    """Yield one hotel; one with fewer than `wanted` rated reviews is dropped."""
    name = record.text("entity_id")
    rated = [(review, rating) for review in record.records("reviews") if (rating := stars(review)) != NEUTRAL]
    if len(rated) < wanted:
        yield drop_by_filter(record, "too few reviews", f"{len(rated)} rated other than 3", task=task, split=split)
        return
    chosen = [rated[index] for index in stable_order(range(len(rated)), seed, task, name)[:wanted]]
    documents = [Document.of(text(review), source_file=review.file, source_record=review.where) for review, _ in chosen]
    positive = sum(rating > NEUTRAL for _, rating in chosen)
    yield from documents
    yield Example(
        task=task,
        split=split,
        example_id=name,
        document_ids=tuple(document.document_id for document in documents),
        references=(f"{percentage(positive, wanted)}%",),
        metadata=metadata(rated_reviews=len(rated)),
    )


def stars(review: Record) -> int:
    """Return a review's rating, 1 to 5. Raises MalformedRecord."""
    rating = review.integer("rating")
    if not 1 <= rating <= 5:
        raise review.error("rating", f"{rating} is outside 1 to 5", "rating out of range")
    return rating


def text(review: Record) -> str:
    """Return the review's sentences joined by single spaces. Raises MalformedRecord."""
    joined = " ".join(sentence.strip() for sentence in review.texts("sentences"))
    if not joined.strip():
        raise review.error("sentences", "have no text", "empty field")
    return joined


def percentage(positive: int, total: int) -> int:
    """Return the whole percentage, half rounded up."""
    return (200 * positive + total) // (2 * total)
