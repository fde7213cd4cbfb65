"""QuALITY: stories with questions of four options, and the votes of other readers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scrollwork.sample._kit import Voice, table, write_lines
from scrollwork.sample._stories import LICENSE, clause, mysteries, short_story, space

AWKWARD = "\n\n[The cafe\u0301 “Zoë” on the lower deck is closed.\u2028本日休業 😴]\n"

# Question and the fact that answers it; the wrong options are the same fact of other mysteries.
CHOICES = (
    ("Why is {accused} blamed for what happens at {town}?", "charge"),
    ("What really caused the trouble that {owner} complains of?", "cause"),
    ("Which of these did {hero} and {mate} notice first at {town}?", "clue_one"),
    ("How is the old debt of {elder} paid?", "payment"),
    ("What had {elder} been lent?", "loan"),
)


def quality(out: Path) -> None:
    """Two test articles, one of them in two question sets, one dev and one train article; all with gold labels."""
    path = "quality/QuALITY.v1.0.1.htmlstripped"
    first = _article("90001", "The Door on Deck Nine", 6)
    second = _article("90002", "Tomatoes in the Dark", 0)
    test = [
        _question_set(first, "AB12CD34", 0, (0, 1, 2, 3)),
        _question_set(first, "EF56GH78", 1, (0, 1, 3)),
        _question_set(second, "JK90LM12", 0, (0, 1, 2, 4)),
    ]
    write_lines(out / f"{path}.test", test)
    write_lines(
        out / f"{path}.dev",
        [_question_set(_article("90003", "What the Relay Lost", 3), "NP34QR56", 0, (0, 1, 3))],
    )
    write_lines(
        out / f"{path}.train",
        [_question_set(_article("90004", "The Price of Quiet", 5), "ST78UV90", 1, (0, 1, 3))],
    )


def _article(article: str, title: str, first: int) -> dict[str, Any]:
    voice = Voice(f"quality/{article}", ("space", "story"))
    book, parts, text = short_story(voice, title, first, voice.shuffled(table("names")["station"])[:2])
    if article == "90002":
        text += AWKWARD
    return {
        "article_id": article,
        "title": title,
        "parts": parts,
        "text": text.replace("\n \n", "\n\n"),
        "book": book,
    }


def _question_set(article: dict[str, Any], code: str, about: int, chosen: Sequence[int]) -> dict[str, Any]:
    voice = Voice(f"quality/{code}", ("space", "story"))
    part = article["parts"][about]
    others = mysteries(
        voice,
        article["book"],
        [case for case in space(0, 8) if case["trade"] != part["trade"]],
        table("names")["station"][:7],
    )
    questions = []
    for number, choice in enumerate(chosen, 1):
        question, fact = CHOICES[choice]
        wrong = voice.pick(sorted({clause(other[fact]) for other in others} - {clause(part[fact])}), 3)
        options = voice.shuffled([clause(part[fact]), *wrong])
        gold = options.index(clause(part[fact])) + 1
        if article["article_id"] == "90002" and number == 4:
            options[gold % 4] = "Eleven “naïve” promises — and a 🍅"
        questions.append(
            {
                "question": voice.fill(question, part.facts),
                "question_unique_id": f"{article['article_id']}_{code}_{number}",
                "options": options,
                "gold_label": gold,
                "writer_label": gold,
                "difficult": number % 2,
                "validation": [
                    {
                        "untimed_annotator_id": f"{k:04}",
                        "untimed_answer": gold,
                        "untimed_eval1_answerability": 1,
                        "untimed_eval2_context": 2,
                        "untimed_best_distractor": gold % 4 + 1,
                    }
                    for k in range(3)
                ],
                "speed_validation": [
                    {"speed_annotator_id": f"{k:04}", "speed_answer": (gold + k) % 4 + 1} for k in range(2)
                ],
            }
        )
    return {
        "article_id": article["article_id"],
        "set_unique_id": f"{article['article_id']}_{code}",
        "batch_num": "1",
        "writer_id": "1000",
        "source": "Sample",
        "title": article["title"],
        "year": 2024,
        "author": "Nobody in Particular",
        "topic": "Science fiction; Sample corpus",
        "article": article["text"],
        "questions": questions,
        "url": f"https://example.org/{article['article_id']}",
        "license": LICENSE,
    }
