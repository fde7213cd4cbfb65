"""NarrativeQA: books and a film script with questions about what happens in them."""

import csv
import io
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from scrollwork.sample._kit import Voice, capital, identity, table, write_text
from scrollwork.sample._stories import LICENSE, Frame, Mystery, chapters, frame, land, mysteries, space

# Questions on a mystery: the question, and answers that stand in the text (narrative_qa keeps the first two).
ASKED = (
    ("What does {owner} give to settle the debt at {town}?", "{payment}", "{owner} gives {payment}"),
    ("Who is blamed for the trouble at {town}?", "{accused}", "The {relation} of {owner}, {accused}"),
    ("What is the trade of {owner} in {town}?", "{trade}", "{owner} is a {trade}"),
    ("What did {elder} borrow?", "{loan}", "{loan}, in the year of the {old_year}"),
    ("What is drawn beside the debt at {town}?", "a {mark}", "A drawing of a {mark}"),
    ("What was the real cause of the trouble at {town}?", "{cause}", "It turned out that {cause}"),
)


class Work(NamedTuple):
    """A document of NarrativeQA with its questions (question and two answers)."""

    title: str
    kind: str
    part: str
    content: str
    asked: list[tuple[str, str, str]]


def narrative_qa(out: Path) -> None:
    """Two books, a film script and an unasked document for test, a short book each for validation and train."""
    root = out / "narrativeqa"
    documents, questions = [], []
    for title, kind, part, content, asked in (
        _long_book(),
        _second_book(),
        _film(),
        _valid_book(),
        _unasked(),
        _train_book(),
    ):
        document = identity("narrativeqa", title)
        write_text(root / "tmp" / f"{document}.content", content)
        body = _between_markers(content).split()
        end = "new stories ." if kind == "gutenberg" else ". THE END"
        documents.append(
            [
                document,
                part,
                kind,
                f"https://example.org/{kind}/{document[:8]}",
                len(content.encode()),
                f"https://example.org/wiki/{title.replace(' ', '_')}",
                title,
                len(body),
                " ".join(body[:3]),
                end,
            ]
        )
        for question, first, second in asked:
            questions.append([document, part, question, first, second, *map(_tokenized, (question, first, second))])
    header = "document_id,set,kind,story_url,story_file_size,wiki_url,wiki_title,story_word_count,story_start,story_end"
    _write_csv(root / "documents.csv", header, documents)
    header = "document_id,set,question,answer1,answer2,question_tokenized,answer1_tokenized,answer2_tokenized"
    _write_csv(root / "qaps.csv", header, questions)


def _long_book() -> Work:
    voice = Voice("narrativeqa/long", ("river", "story"))
    book = frame(voice, "The Ledger of the Lower River", "river", "the Patient Heron", "the river")
    towns = voice.shuffled(table("names")["town"])[:30]
    parts = mysteries(voice, book, land(0, 30), towns)
    asked = [_asked(part, number) for number, part in enumerate(parts[::3])]
    twice = ("What is the name of the boat?", "The Patient Heron", "The Patient Heron")
    return Work(book.title, "gutenberg", "test", _gutenberg(book, chapters(voice, parts, 5)), [*asked, twice])


def _second_book() -> Work:
    voice = Voice("narrativeqa/second", ("road", "story"))
    book = frame(voice, "The Café at the End of the Road", "road", "the cart", "the hill road")
    parts = mysteries(voice, book, land(24, 30), voice.shuffled(table("names")["town"])[:6])
    parts[2] = Mystery(dict(parts[2].facts) | {"payment": "a jar of “crème brûlée” from the Café Zoë, marked 北京"})
    asked = [_asked(part, number) for number, part in enumerate(parts)] + [_asked(parts[2], 0)]
    # The byte-order mark is on purpose: some of the upstream files carry one.
    return Work(book.title, "gutenberg", "test", "\ufeff" + _gutenberg(book, chapters(voice, parts, 2)), asked)


def _valid_book() -> Work:
    voice = Voice("narrativeqa/valid", ("road", "story"))
    book = frame(voice, "Two Debts in the Hills", "road", "the barrow", "the hill road")
    parts = mysteries(voice, book, land(3, 5), ["Upper Lathe", "Coldwater"])
    return Work(
        book.title,
        "gutenberg",
        "valid",
        _gutenberg(book, chapters(voice, parts, 1)),
        [_asked(parts[0], 0), _asked(parts[0], 1), _asked(parts[1], 5)],
    )


def _train_book() -> Work:
    voice = Voice("narrativeqa/train", ("road", "story"))
    book = frame(voice, "The Late Harvest Debt", "road", "the handcart", "the orchard road")
    parts = mysteries(voice, book, land(9, 11), ["Upper Lathe", "Coldwater"])
    asked = [_asked(parts[number % 2], number) for number in range(5)]
    return Work(book.title, "gutenberg", "train", _gutenberg(book, chapters(voice, parts, 1)), asked)


def _unasked() -> Work:
    voice = Voice("narrativeqa/unasked", ("road", "story"))
    book = frame(voice, "A Tale Nobody Asked About", "road", "the sledge", "the winter road")
    parts = mysteries(voice, book, land(7, 8), ["Coldwater"])
    return Work(book.title, "gutenberg", "test", _gutenberg(book, chapters(voice, parts, 0)), [])


def _asked(part: Mystery, number: int) -> tuple[str, str, str]:
    question, first, second = ASKED[number % len(ASKED)]
    asked, *answers = (capital(Voice("asked").fill(text, part.facts)) for text in (question, first, second))
    return asked, answers[0], answers[1]


def _gutenberg(book: Frame, parts: list[tuple[str, list[str]]]) -> str:
    """A book file: our own header and footer around the usual marker lines; 72 columns, CRLF."""
    name = book.title.upper()
    contents = [f"     {number:>2}  {title}" for number, (title, _) in enumerate(parts, 1)]
    head = [
        f"Sample story: {book.title}",
        "",
        *textwrap.wrap(LICENSE, 72),
        "",
        "Language: English",
        "",
        f"*** START OF THE PROJECT GUTENBERG EBOOK {name} ***",
        "",
        "",
        "Produced by the makers of scrollwork",
        "",
        "",
        name,
        "",
        "by Nobody in Particular",
        "",
        "Contents",
        "",
        *contents,
        "",
    ]
    foot = [
        "",
        "",
        "THE END",
        "",
        f"*** END OF THE PROJECT GUTENBERG EBOOK {name} ***",
        "",
        *textwrap.wrap(LICENSE, 72),
        "",
        "You may share this sample freely, and write new stories.",
    ]
    body: list[str] = []
    for number, (title, paragraphs) in enumerate(parts, 1):
        body += ["", "", f"CHAPTER {number}", "", title.upper(), ""]
        for paragraph in paragraphs:
            body += [*textwrap.wrap(paragraph, 72), ""]
    return "\r\n".join(head + body + foot) + "\r\n"


def _between_markers(content: str) -> str:
    found = re.search(r"\*\*\* START OF [^\r\n]*(.*)\*\*\* END OF ", content, re.S)
    return found[1] if found else re.sub(r"<[^>]+>", "", content.partition("<pre>")[2])


def _film() -> Work:
    """A film script in the page of a script archive: <pre>, scene headings and names in <b>."""
    voice = Voice("narrativeqa/film", ("space", "story", "film"))
    book = frame(voice, "Eleven Days of Nothing", "space", "the tug Slow Comet", "the outer lanes")
    parts = mysteries(voice, book, space(0, 6), voice.shuffled(table("names")["station"])[:6])
    lines = [
        "<html><head><title>" + book.title + "</title></head><body>",
        "<pre>",
        "",
        "",
        "                       ELEVEN DAYS OF NOTHING",
        "",
        "                   a script for the sample corpus",
        "",
        "",
        "<b>FADE IN:</b>",
        "",
    ]
    for part in parts:
        for scene in ("dock", "complaint", "suspect", "search", "quarrel", "answer", "goodbye"):
            lines += _scene(voice.say(scene, part.facts), part)
    lines += ["<b>FADE OUT.</b>", "", "                              THE END", "</pre>", "</body></html>", ""]
    asked = [_asked(part, number + 1) for number, part in enumerate(parts)]
    asked = [a for a in asked if not a[0].startswith(("What did", "What is drawn"))]
    return Work(book.title, "movie", "test", "\n".join(lines), [*asked, _asked(parts[2], 0), _asked(parts[4], 1)])


def _scene(text: str, part: Mystery) -> list[str]:
    """A line of the film table: heading // action // NAME: words // ..."""
    heading, *beats = [piece.strip() for piece in text.split("//")]
    lines = [f"<b>{heading.upper()}</b>", ""]
    for beat in beats:
        name, colon, words = beat.partition(": ")
        if colon and name.isupper():
            speaker = part.person(name.lower()).given.upper()
            lines += [
                f"<b>{' ' * 30}{speaker}</b>",
                *(" " * 16 + line for line in textwrap.wrap(words, 40)),
                "",
            ]
        else:
            lines += [*("    " + line for line in textwrap.wrap(beat, 60)), ""]
    return lines


def _tokenized(text: str) -> str:
    return " ".join(re.findall(r"\w+|[^\w\s]", text.lower()))


def _write_csv(path: Path, header: str, records: Sequence[Sequence[object]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header.split(","))
    writer.writerows(records)
    write_text(path, text.getvalue())
