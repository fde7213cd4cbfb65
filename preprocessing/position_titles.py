"""Titles of chapters at the start of a summary: on a line, in quotes, in capitals, or run into its first sentence.

Published summaries often stand on one line, title and text without a mark between: "A Long Way Down The captain wakes".
Such a title is told from a name by what the book writes small elsewhere and by pairs that recur ("Captain Hale").
"""

import re

from preprocessing.position_edits import Passage, stem

MOST_WORDS = 14
SMALL = frozenset("a an and as at but by de for from in into la le nor of off on or out over the to up upon vs with".split())
# capitalised in the middle of a line, these start a sentence
STARTERS = frozenset(
    "The A An In At On When As After Before While This That These Those It He She They We You I Having Once Back Meanwhile Later"
    " Now Next By From Two Three One His Her Their Our Its There Some Although Though Despite During Because If Since"
    " With Without Upon Until Soon Here Finally Still Even Most Many Both All Every Several Early Late".split()
)  # fmt: skip
HONORIFICS = frozenset(
    "mr mrs ms miss dr sir lady lord king queen prince princess duke duchess count countess baron baroness captain colonel"
    " major general lieutenant sergeant father mother brother sister uncle aunt saint st madame madam monsieur mme mlle"
    " judge reverend rev don donna dona master mistress president doctor professor earl marquis old young little big poor"
    " inspector officer private bishop cardinal pope emperor empress tsar senator governor nurse squire widow cousin"
    " grandfather grandmother great friar brother-in-law chief deacon dame elder justice mayor marchese signor signora".split()
)  # fmt: skip
QUOTED = re.compile(r"\s*(?:\"([^\"\n]{2,90})\"|“([^”\n]{2,90})”)[.:]?\s+(?=[\"“'‘]?[A-Z])")
CAPITALS = re.compile(r"\s*((?:[A-Z][A-Z'’,&-]*[A-Z][,.:!?]?|A|OF|I|&)(?:\s+(?:[A-Z][A-Z'’,&-]*[A-Z][,.:!?]?|A|I|&)){1,13})\s+(?=[\"“'‘]?[A-Z][a-z]|[AI]\s)")
WORD = re.compile(r"\s*([^\s]+)")


def chapter_title(passage: Passage) -> None:
    """The title of a chapter, where a summary, or a chapter in it, begins with it."""
    for at in passage.after_headings():
        end = line_title(passage, at) or quoted(passage, at) or capitals(passage, at) or run_in(passage, at)
        if end:
            passage.cut("chapter_title", at, end)


def name_of_part(passage: Passage) -> None:
    """The name of the part, or the title in it behind its number, where the summary begins with it."""
    at, name = passage.begins, passage.name.strip()
    titles = [name, *(piece for piece in re.split(r"[:–—]\s*|\s-\s|[\"“”]", name)[1:] if len(piece.split()) > 1 or len(piece) > 5)]
    for title in titles:
        words = r"\s+".join(re.escape(word) for word in re.findall(r"[^\s]+", title.strip(" .,:;\"“”'")))
        if not words:
            continue
        # behind the title a mark, a new line or a capital: "Storm at sea threatens" is a sentence
        match = re.compile(rf"[\"“'‘]?{words}[\"”'’]?(?:\s*(?:[:.–—-]+|\n)\s*|\s+)(?=[\"“'‘(]?(?-i:[A-Z])|$)", re.I).match(passage.text, at)
        if match and passage.cut("name_of_part", at, match.end()):
            return


def line_title(passage: Passage, at: int) -> int:
    """The end of a short line in title case without a full stop, directly behind a heading on a line; 0 where none."""
    text = passage.text
    if not at or "\n" not in text[:at]:
        return 0
    line, newline, _ = text[at:].partition("\n")
    words = line.split()
    if not newline or not 0 < len(words) <= MOST_WORDS or line.rstrip()[-1:] in ".,;" or not is_title(words):
        return 0
    return at + len(line) + 1


def quoted(passage: Passage, at: int) -> int:
    """The end of a quoted title that a new sentence follows; 0 where there is none."""
    match = QUOTED.match(passage.text, at)
    if not match:
        return 0
    title = (match[1] or match[2]).strip()
    return match.end() if title[-1] not in ".,;" and is_title(title.split()) else 0


def capitals(passage: Passage, at: int) -> int:
    """The end of a title in capitals; 0 where there is none."""
    match = CAPITALS.match(passage.text, at)
    if not match or match.end() >= len(passage.text):
        return 0
    words = match[1].split()
    while words and words[-1] in ("A", "I"):
        words.pop()
    return 0 if len(words) < 2 else at + passage.text[at:].index(words[-1], passage.text[at : match.end()].rindex(words[-1])) + len(words[-1])


def is_title(words: list[str]) -> bool:
    """Whether words are in title case."""
    large = [word for word in words if word.strip("\"“”'‘’").lower() not in SMALL]
    return len(words) <= MOST_WORDS and bool(large) and all(word.lstrip("\"“'‘(")[:1].isupper() or word[0].isdigit() for word in large)


def run_in(passage: Passage, at: int) -> int:
    """The end of a title that runs into the first sentence; 0 where nothing shows that it is one."""
    words, ends = leading(passage.text, at)
    for split in range(len(words) - 1, 0, -1):
        before, word = words[split - 1], words[split]
        if before[-1] in ",;:-" or stem(before).lower() in SMALL or stem(before).lower().rstrip(".") in HONORIFICS:
            continue
        if starter(passage, words, split) or named(passage, words, split):
            return ends[split - 1]
        if word[0].islower():
            continue
    return 0


def leading(text: str, at: int) -> tuple[list[str], list[int]]:
    """The words in title case from here on with their ends, at most MOST_WORDS and the word behind them."""
    words, ends = [], list[int]()
    for match in WORD.finditer(text, at):
        word = match[1]
        words.append(word)
        ends.append(match.end())
        bare = word.lstrip("\"“'‘(")
        if len(words) > MOST_WORDS or not bare or (bare[0].islower() and bare.lower() not in SMALL):
            break
        if word[-1] in ".;:" and stem(word).lower().rstrip(".") not in HONORIFICS:
            break
    return words, ends


def starter(passage: Passage, words: list[str], split: int) -> bool:
    """Whether a sentence starts at words[split] with a word like "The" or "When", capitalised behind a title."""
    title, word = words[:split], words[split]
    if word not in STARTERS or split + 1 >= len(words):
        return False
    following = words[split + 1]
    if following.lower() in ("great", "elder", "younger", "terrible") or title[-1].endswith(("'s", "’s")):
        return False
    if word in ("A", "An", "I", "One", "Two", "Three") and following[0].isupper():
        return False
    large = [one for one in title if one.lower() not in SMALL and one not in STARTERS]
    return bool(large) and is_title(title) and title[0] not in ("In", "At", "On", "By", "From", "Back", "To") or (
        bool(large) and is_title(title) and word not in ("The", "A", "An")
    )


def named(passage: Passage, words: list[str], split: int) -> bool:
    """Whether a sentence starts at words[split] with a name that the book knows, behind words that are none."""
    title, tail = words[:split], words[split : len(words) - 1]
    last = words[-1]
    if not tail or len(tail) > 3 or not last[0].islower() or not is_title(title):
        return False
    book = passage.book
    if any(stem(word).lower() in book.small or stem(word) not in book.names for word in tail if word.lower() not in SMALL):
        return False
    ending = stem(title[-1])
    known = ending.lower() in book.small and (ending, stem(tail[0])) not in book.pairs
    return known and (tail[0].lower() not in SMALL)
