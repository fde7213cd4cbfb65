"""Chapter titles at the start of a summary: on a line, in quotes, in capitals, or run into its first sentence.

Published summaries are often one line, with nothing between title and text: "A Long Way Down The captain wakes". Such a
title is told from a name by the words that the book writes in lower case elsewhere, and by recurring pairs ("Captain
Hale").
"""

import re

from scrollwork.preprocessing.chapters.edits import Passage, stem
from scrollwork.preprocessing.chapters.words import BEFORE_NAMES, HONORIFICS, NO_TITLE, PARTICLES, SMALL, STARTERS

MOST_WORDS = 24
LONGEST_LINE = 200  # characters of a title
QUOTED = re.compile(r"\s*(?:\"([^\"\n]{2,90})\"|“([^”\n]{2,90})”)[.:]?\s+(?=[\"“'‘]?[A-Z])")
SHOUTED = r"[A-Z][A-Z'’,&-]*[A-Z][,.:!?]?"
CAPITALS = re.compile(
    rf"\s*(?:{SHOUTED}|[AI&])(?:\s+(?:{SHOUTED}|[AI&])){{0,12}}\s+{SHOUTED}\s+(?=[\"“'‘]?[A-Z][a-z]|[AI]\s)"
)
WORD = re.compile(r"\s*([^\s]+)")


def chapter_title(passage: Passage) -> None:
    """Remove the title of a chapter if a summary, or a chapter in it, begins with it."""
    for at in passage.after_headings():
        end = line_title(passage, at) or quoted(passage, at) or capitals(passage, at) or run_in(passage, at)
        if end:
            passage.cut("chapter_title", at, end)


def name_of_part(passage: Passage) -> None:
    """Remove the name of the part, or the title after its number, if the summary begins with it."""
    at, name = passage.begins, passage.name.strip()
    titles = [
        name,
        *(piece for piece in re.split(r"[:–—]\s*|\s-\s|[\"“”]", name)[1:] if len(piece.split()) > 1 or len(piece) > 5),
    ]
    for title in titles:
        words = r"\s+".join(re.escape(word) for word in re.findall(r"[^\s]+", title.strip(" .,:;\"“”'")))
        if not words:
            continue
        # a mark, a new line or a capital must follow the title: "Storm at sea threatens" is a sentence
        match = re.compile(
            rf"[\"“'‘]?{words}[\"”'’]?(?:\s*(?:[:.–—-]+|\n)\s*|\s+)(?=[\"“'‘(]?(?-i:[A-Z])|$)", re.I
        ).match(passage.text, at)
        if match and passage.cut("name_of_part", at, match.end()):
            return


def line_title(passage: Passage, at: int) -> int:
    """Return the end of a short line in title case without a full stop, right after a heading's line; else 0."""
    end = passage.text.find("\n", at, at + LONGEST_LINE)
    if end < 0 or "\n" not in passage.text[max(0, at - 3) : at]:
        return 0
    line = passage.text[at:end]
    words = line.split()
    if not 0 < len(words) <= MOST_WORDS or line.rstrip()[-1:] in ".,;" or not is_title(words):
        return 0
    return end + 1


def quoted(passage: Passage, at: int) -> int:
    """Return the end of a quoted title before a new sentence; 0 if there is none."""
    match = QUOTED.match(passage.text, at)
    if not match:
        return 0
    title = (match[1] or match[2]).strip()
    return match.end() if title[-1] not in ".,;" and is_title(title.split()) else 0


def capitals(passage: Passage, at: int) -> int:
    """Return the end of a title in capitals; 0 if there is none."""
    match = CAPITALS.match(passage.text, at)
    return match.end() if match else 0


def is_title(words: list[str]) -> bool:
    """Return whether words are in title case."""
    shown = [word.strip("\"“”'‘’(") for word in words]
    carrying = [word for word in shown if word.lower() not in SMALL]
    return bool(carrying) and len(words) <= MOST_WORDS and all(not word or not word[0].islower() for word in carrying)


def run_in(passage: Passage, at: int) -> int:
    """Return the end of a title that runs into the first sentence; 0 if nothing shows that it is one."""
    if places := passage.places_in(at, at + LONGEST_LINE):  # "A Long Night Chapter II tells"
        title = passage.text[at : places[0].start].split()
        if not title:
            return 0
        if is_title(title) and len(title) > 1 and large(title) and title[-1].lower() not in SMALL:
            return places[0].start if title[-1][-1] not in ",;:." else 0
    words, ends = leading(passage.text, at)
    for split in range(len(words) - 1, 0, -1):
        if starter(passage, words, split):
            return ends[split - 1]
    split = subject(passage, words)
    return ends[split - 1] if split and is_title_of_person(passage, words[:split]) else 0


def leading(text: str, at: int) -> tuple[list[str], list[int]]:
    """Return the words in title case from here on and the word after them, and where each ends."""
    words, ends = [], list[int]()
    for match in WORD.finditer(text, at):
        word = match[1]
        if word[0] in "\"“'‘(":
            break
        words.append(word)
        ends.append(match.end())
        small = word[0].islower() and word.lower() not in SMALL
        if small or len(words) > MOST_WORDS or (word[-1] in ".;:" and word.lower().rstrip(".") not in HONORIFICS):
            break
    return words, ends


def large(words: list[str]) -> list[str]:
    """Return the significant words of a title: no articles, prepositions, numbers and names of parts."""
    bare = (stem(word) for word in words)
    return [
        word for word in bare if word.lower() not in SMALL and word not in STARTERS and word.lower() not in NO_TITLE
    ]


def starter(passage: Passage, words: list[str], split: int) -> bool:
    """Return whether a sentence starts at words[split] with a word like "The" or "When", capitalised after a title."""
    title, word, following = words[:split], words[split], "".join(words[split + 1 : split + 2])
    last = title[-1]
    if word not in STARTERS or not following or not is_title(title) or not large(title):
        return False
    if last[-1] in ",;:-" or last.lower().rstrip(".") in HONORIFICS or (stem(last), stem(word)) in passage.book.pairs:
        return False
    if last.lower() in SMALL and not (len(title) > 1 and last in PARTICLES):
        return False
    if following in STARTERS or following.lower() in ("great", "elder", "younger", "terrible"):
        return False
    # after these a sentence may go on with a name; after "A", "They", "Those" only a title does
    return following[0].islower() or (word in BEFORE_NAMES and (word != "The" or title[0] not in STARTERS))


def subject(passage: Passage, words: list[str]) -> int:
    """Return where the name starts that is the subject of "... Captain Hale wakes"; 0 if there is none."""
    book = passage.book
    split = len(words) - 2
    if split < 1 or not words[-1][0].islower() or words[split][-1] in ".,;:!?" or stem(words[split]) not in book.names:
        return 0
    if stem(words[split]).lower() in book.small:
        return 0
    while split > 0:
        before = words[split - 1]
        if (stem(before), stem(words[split])) in book.pairs or before.lower().rstrip(".") in HONORIFICS:
            split -= 1
        elif before == "and" and split > 1 and stem(words[split - 2]) in book.names:
            split -= 2
        else:
            break
    return split


def is_title_of_person(passage: Passage, title: list[str]) -> bool:
    """Return whether words before a name are a title: the book writes the last one in lower case elsewhere."""
    ending = stem(title[-1])
    return bool(
        is_title(title)
        and large([ending])
        and title[-1][-1] not in ",;:-."
        and ending.lower() in passage.book.small
        and ending.lower() not in HONORIFICS
        and not title[-1].endswith(("'s", "’s", "'", "’"))
    )
