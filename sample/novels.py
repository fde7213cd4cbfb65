"""BookSumSort: study guides to invented novels. Each chapter starts from the end of the one before."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scrollwork.sample._kit import Voice, capital, table, write_json
from scrollwork.sample._stories import Frame, Mystery, frame, land, mysteries

# Book: title, first case, number of chapters, sources.
BOOKS: tuple[tuple[str, int, int, tuple[str, ...]], ...] = (
    ("The Lamp at Orrin Quay", 0, 9, ("sparknotes", "shmoop")),
    ("The Salt Road", 9, 8, ("gradesaver",)),
    ("A Short Winter", 17, 2, ("novelguide",)),
    ("The Fourteen Doors", 16, 14, ("shmoop",)),
)
# Section and part numbers where a source does not give each chapter a section of its own.
PARTS = {"gradesaver": ((0, 0), (1, 0), (2, 1), (2, 2), (3, 0), (4, 1), (4, 2), (5, 0))}
WITH_INTRODUCTION = "sparknotes"
# The chapter that gets an opener of the table, counted from the end if negative: it tells the position.
OPENERS = {0: 1, 2: 0, 4: 2, 5: 3, -1: 4}
# A chapter with a heading before its text, and one that points to its neighbour: these tell the position too.
HEADED, RECALLS = 6, 5
AWKWARD = " (The shmoop of it all: “naïve” 😀, cafe\u0301, 第五章,\u2028and on.)"


def book_sum_sort(out: Path) -> None:
    """Four books, one of them in two sources; a file per section and one for the whole book."""
    for title, first, count, sources in BOOKS:
        for source in sources:
            _guide(out / "booksum" / "finished_summaries" / source / title, source, title, first, count)


def _guide(folder: Path, source: str, title: str, first: int, count: int) -> None:
    voice = Voice(f"booksum/{title}", ("novels", "river", "story"))
    book = frame(voice, title, "river", "the raft", "the coast road")
    towns = voice.shuffled(table("names")["town"])[:count]
    chapters = mysteries(voice, book, land(first, first + count), towns)
    url = f"https://example.org/{source}/{title.replace(' ', '-').lower()}"
    _write(folder / "overview.txt", "Overview", _overview(book, chapters), f"{url}/overview")
    shift = int(source == WITH_INTRODUCTION)
    if shift:
        _write(
            folder / "section_0_part_0.txt",
            "Introduction",
            _introduction(book, chapters),
            f"{url}/introduction",
        )
    places = PARTS.get(source) or [(number + shift, 0) for number in range(count)]
    for number, (section, part) in enumerate(places):
        summary = _chapter(source, title, chapters, number)
        _write(
            folder / f"section_{section}_part_{part}.txt",
            f"Chapter {number + 1}",
            summary,
            f"{url}/{number + 1}",
        )


def _chapter(source: str, title: str, chapters: Sequence[Mystery], number: int) -> str:
    voice = Voice(f"booksum/{source}/{title}/{number}", ("novels", "story"))
    following = chapters[(number + 1) % len(chapters)]
    facts: Mapping[str, Any] = {
        **chapters[number].facts,
        "next_town": following["town"],
        "number": number + 1,
        "next_owner": following.person("owner"),
        "first_town": chapters[0]["town"],
    }
    body = voice.say(source, facts)
    opener = OPENERS.get(-1 if number == len(chapters) - 1 else number)
    if opener is not None and source != "novelguide":
        body = voice.fill(table("novels")["openers"][opener], {**facts, "body": body})
    more = voice.fill(
        "Of {elder}, the old {trade}, the chapter tells that the debt was for {loan}, from the year of the "
        "{old_year}, and that a {mark} was drawn beside the name. {Town} is known for {place_trait}.",
        facts,
    )
    heading = f"Chapter {number + 1}: The Road to {facts['town']}\n" if number == HEADED else ""
    told = " It was hinted at in the previous chapter (Chapter 2)." if number == RECALLS else ""
    awkward = AWKWARD if source == "shmoop" and number == 4 else ""
    return f"{heading}{capital(body)}{awkward}\n\n{more}{told}"


def _introduction(book: Frame, chapters: Sequence[Mystery]) -> str:
    return (
        f"{book.title} is a novel about {book.hero.name}, who travels with {book.mate.name} from "
        f"{chapters[0]['town']} "
        f"to {chapters[-1]['town']}. It was invented for this sample, and so was its author."
    )


def _overview(book: Frame, chapters: Sequence[Mystery]) -> str:
    stops = ", then ".join(chapter["town"] for chapter in chapters)
    return f"{book.hero.name} looks for news of the past and goes to {stops}. In each place somebody is wrongly blamed."


def _write(path: Path, name: str, summary: str, url: str) -> None:
    write_json(path, {"name": name, "summary": summary, "analysis": "", "url": url})
