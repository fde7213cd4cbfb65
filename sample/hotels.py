"""SpaceDigest: hotels of the SPACE training file, with reviews whose words agree with their rating."""

from pathlib import Path
from typing import Any

from scrollwork.sample._kit import Row, Voice, rows, write_json

# Tone of a review: ratings it may have, its table of sentences, its table of last sentences.
TONES = {
    "good": ((4, 5), "good", "good_end"),
    "bad": ((1, 2), "bad", "bad_end"),
    "mixed": ((3,), "mixed", "mixed"),
}
# Hotel, rating of the review that is replaced, its sentences.
AWKWARD = (
    (
        "310003",
        5,
        [
            "¡Qué maravilla! Très chic — “naïve” art everywhere, 很好, 10/10 😀",
            "We loved the cafe\u0301.\u2028Really.",
        ],
    ),
    ("310006", 1, ["The sign said “no refunds” — naïve of us… 😡", "And 80% of the lamps were broken."]),
)


def space_digest(out: Path) -> None:
    """Six hotels with at least 50 reviews not rated 3, and one with too few."""
    write_json(out / "space" / "space_train.json", [_hotel(row) for row in rows("hotels", "hotels")])


def _hotel(row: Row) -> dict[str, Any]:
    voice = Voice(f"space/{row['entity_id']}", ("hotels",))
    total = int(row["reviews"])
    positive = round(total * int(row["positive"]) / 100)
    tones = voice.shuffled(["good"] * positive + ["bad"] * (total - positive) + ["mixed"] * int(row["threes"]))
    reviews = [_review(voice, f"UR{row['entity_id']}{number:03}", tone) for number, tone in enumerate(tones)]
    for hotel, rating, sentences in AWKWARD:
        if hotel == row["entity_id"]:
            next(review for review in reviews if review["rating"] == rating)["sentences"] = sentences
    return {"entity_id": row["entity_id"], "entity_name": row["entity_name"], "reviews": reviews}


def _review(voice: Voice, review_id: str, tone: str) -> dict[str, Any]:
    ratings, sentences, last = TONES[tone]
    count = 1 if tone == "mixed" else voice.between(3, 7)
    said = [voice.say(sentences, {"nights": voice.between(2, 9)}) for _ in range(count)]
    return {
        "review_id": review_id,
        "sentences": [*dict.fromkeys(said), voice.say(last, {})],
        "rating": ratings[voice.below(len(ratings))],
    }
