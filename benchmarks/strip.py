"""Stripping stories beside reading them in text mode: CPU, in turns, on generated books and scripts."""

from __future__ import annotations

import random
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from scrollwork.preprocessing.datasets.narrative_qa import strip_story

BOOKS, ROUNDS = 40, 5
HEAD = """The Project Gutenberg EBook of Book {n}, by Nobody

This eBook is for the use of anyone anywhere at no cost and with
almost no restrictions whatsoever.

Title: Book {n}

Release Date: May 4, 2007 [EBook #{n}]

*** START OF THIS PROJECT GUTENBERG EBOOK BOOK {n} ***




Produced by Ann Other and the Online Distributed Proofreading
Team at http://www.pgdp.net




"""
TAIL = """



End of the Project Gutenberg EBook of Book {n}, by Nobody

*** END OF THIS PROJECT GUTENBERG EBOOK BOOK {n} ***

"""


def prose(rng: random.Random, size: int) -> str:
    """Paragraphs of generated words in lines of about 70 characters."""
    words = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 9))) for _ in range(3_000)]
    lines: list[str] = []
    length = 0
    while length < size:
        for _ in range(rng.randint(3, 12)):
            lines.append(" ".join(rng.choices(words, k=11)))
            length += len(lines[-1]) + 2
        lines.append("")
        length += 2
    return "\n".join(lines)


def script(rng: random.Random, size: int) -> str:
    """A script page: bold headings in a <pre>, as script sites serve them."""
    scenes = re.sub(r"\n\n", "\n\n<b>               INT. HARBOUR OFFICE - NIGHT\n</b>\n", prose(rng, size))
    head = '<html><head><script>if (window!= top)</script></head><td class="scrtext"><pre>'
    return f"{head}{scenes}</pre><table></table></html>"


def measure(files: list[Path], kind: str, read: Callable[[Path], object]) -> tuple[float, float]:
    """CPU seconds of reading in text mode, and of reading and stripping; median of the rounds."""
    spent: dict[str, list[float]] = {"read": [], "strip": []}
    for _ in range(ROUNDS):
        began = time.process_time()
        for path in files:
            read(path)
        middle = time.process_time()
        for path in files:
            strip_story(path.read_bytes(), kind, "Produced by Ann", "new eBooks .")
        spent["strip"].append(time.process_time() - middle)
        spent["read"].append(middle - began)
    return sorted(spent["read"])[ROUNDS // 2], sorted(spent["strip"])[ROUNDS // 2]


def text_mode(path: Path) -> str:
    with path.open(encoding="utf-8") as file:  # universal newlines
        return file.read()


def without_tags(path: Path) -> str:
    return re.sub(r"<[^>]*>", "", text_mode(path))


def main() -> list[str]:
    """The lines of the report."""
    rng = random.Random("scrollwork strip")
    with tempfile.TemporaryDirectory() as folder:
        books, scripts = [], []
        tail = TAIL + "Licence of Project Gutenberg, line upon line upon line.\n" * 330
        for number in range(BOOKS):
            books.append(Path(folder) / f"{number}.txt")
            body = HEAD.format(n=number) + prose(rng, 405_000) + tail.format(n=number)
            books[-1].write_bytes(body.replace("\n", "\r\n").encode())
        for number in range(BOOKS // 4):
            scripts.append(Path(folder) / f"{number}.html")
            scripts[-1].write_bytes(script(rng, 200_000).encode())
        read, strip = measure(books, "gutenberg", text_mode)
        size = sum(path.stat().st_size for path in books) / BOOKS / 1000
        lines = [f"strip, {BOOKS} books of {size:.0f} KB: {strip / read:.2f}x reading them in text mode (at most 2)"]
        read, strip = measure(scripts, "movie", text_mode)
        plain, _ = measure(scripts, "movie", without_tags)
        lines.append(
            f"strip, {len(scripts)} scripts of 220 KB: {strip / read:.0f}x reading, {strip / plain:.1f}x reading and"
            f" re.sub of tags, {1000 * strip / len(scripts):.0f} ms each"
        )
    return lines


if __name__ == "__main__":
    print("\n".join(main()))
