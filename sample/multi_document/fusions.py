"""FuseReviews: eight reviews of a hotel, some spans highlighted, and a text that says what is in the spans."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scrollwork.sample._kit import Voice, rows, write_text

REVIEWS = 8
OVERLAP, SILENT = 2, 3  # the rows with an overlapping highlight and with a review that has none
Span = tuple[int, int]


def fuse_reviews(out: Path) -> None:
    """Six instances in the layout of the file for fine-tuning (dev), two in the data set's own (train)."""
    folder = out / "fusereviews"
    dev = [_fine_tuning(*instance(f"dev/{number}", number)) for number in range(6)]
    train = [_own(*instance(f"train/{number}", number)) for number in range(2)]
    write_text(folder / "dev__highlights_with_full_inputs.csv", _csv(dev))
    write_text(folder / "train.csv", _csv(train))


def instance(seed: str, number: int) -> tuple[str, list[str], list[list[Span]], str]:
    """(name, reviews, highlights of each review, summary)."""
    voice = Voice(f"fuse_reviews/{seed}", ("hotels",))
    hotel = rows("hotels", "hotels")[voice.below(7)]["entity_name"]
    reviews, spans, said = [], [], []
    for place in range(REVIEWS):
        tone = ("good", "good", "good", "bad")[voice.below(4)]
        sentences = [voice.say(tone, {"nights": voice.between(2, 9)}) for _ in range(voice.between(2, 4))]
        text = " ".join([*dict.fromkeys(sentences), voice.say(f"{tone}_end", {})])
        chosen = sentences[voice.below(len(sentences))]
        start = text.index(chosen)
        found = [(start, start + len(chosen) - 1)]  # without the full stop
        if number == OVERLAP and place == 1:
            found.append((start + chosen.index(" ") + 1, start + len(chosen) - 1))
        if number == SILENT and place == 5:
            found = []
        elif place in (0, 4):
            said.append(chosen[:1].lower() + chosen[1:].rstrip("."))
        reviews.append(text)
        spans.append(found)
    if number == 1:
        reviews[7] += " “Naïve” art, a cafe\u0301, 很好 🥟."
    return f"{hotel} {number}", reviews, spans, f"Of {hotel} guests say that {said[0]}, and that {said[-1]}."


def _fine_tuning(name: str, reviews: Sequence[str], spans: Sequence[Sequence[Span]], summary: str) -> dict[str, Any]:
    """Alignments as one list, offsets as text; a review with none is there with NaN, as upstream's pandas wrote it."""
    row: dict[str, Any] = {"database": "Sample", "subset": "dev", "summary_name": name, "summary_text": summary}
    aligned = []
    for place, (text, found) in enumerate(zip(reviews, spans, strict=True)):
        row[f"review_{place}_text"] = text
        row[f"review_{place}_highlight_spans"] = json.dumps([list(span) for span in found])
        offsets = ";".join(f"{start}, {end}" for start, end in sorted(found)[:1])
        of_summary = f"0, {len(summary)}" if found else float("nan")
        aligned.append(
            {
                "review_name": f"review_{place}",
                "review_span_offsets": offsets or float("nan"),
                "summary_span_offsets": of_summary,
            }
        )
    return {**row, "alignments": json.dumps(aligned, ensure_ascii=False)}


def _own(name: str, reviews: Sequence[str], spans: Sequence[Sequence[Span]], summary: str) -> dict[str, Any]:
    """Offsets and alignments by review; an alignment that stands twice, for two parts of the summary."""
    row: dict[str, Any] = {"id": name, "summary_text": summary}
    for place, (text, found) in enumerate(zip(reviews, spans, strict=True)):
        review = [{"text": text[start:end], "offsets": [[start, end]]} for start, end in found]
        aligned = [{"review": one, "summary": {"text": summary[:20]}} for one in review]
        if place == 0:
            aligned += [{"review": one, "summary": {"text": summary[20:40]}} for one in review]
        row[f"review_{place}_text"] = text
        row[f"review_{place}_offsets"] = json.dumps([list(span) for span in found])
        row[f"review_{place}_alignments"] = json.dumps(aligned, ensure_ascii=False)
    return row


def _csv(written: Sequence[dict[str, Any]]) -> str:
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(written[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(written)
    return stream.getvalue()
