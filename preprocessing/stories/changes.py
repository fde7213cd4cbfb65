"""Lists of changes by the maker of a file: which paragraph, by itself, is an entry."""

import re
from difflib import SequenceMatcher

from scrollwork.preprocessing.stories.cut import Paragraph
from scrollwork.preprocessing.stories.narration import is_narrated

PLACE = re.compile(r"\b(?:pages?|pg|pp?|line|chapter)\b\.?\s*[\divxlc]+\b", re.I)
READ_FOR = re.compile(r"(?:\b|_)for(?:\b|_).{1,60}(?:\b|_)read(?:\b|_)", re.I)  # errata printed in the book
ARROW = re.compile(
    r"->|=>|>=|→|[\[{]p(?:g|age)?\.?\s?\d+(?:[\]}]?\W*$|[,:;])|\b(?:text|original)\s+(?:reads|has)\s+[\"“'‘_]|\bso\s+in\s+(?:the\s+)?original\b|\w\s>\s\w"
)
CHANGED = re.compile(
    r"\b(?:changed|corrected|amended|altered|emended|replaced|added|removed|deleted|inserted|supplied|repaired|fixed|missing"
    r"|omitted|restored|transposed|typos?|sic|should\s+(?:be|read)|now\s+reads?|opened|closed)\b",
    re.I,
)
SPELLED = re.compile(
    r"[\"“”][^\"“”\n]{0,200}[\"“”]|(?<!\w)['‘][^'‘’\n]{0,120}['’](?!\w)|(?<!\w)_[^_\n]{1,80}_|[\[«][^\]»\d\n][^\]»\n]{0,80}[\]»]"
)
# someone speaks: a comma within quotes, without a word of a list after it; or a sentence after a quoted whole one
SPOKEN = re.compile(
    r"[,!?][\"”'’]\s+(?!(?:changed|corrected)(?!\s+(?-i:[A-Z]|the\b))|to\b|now\b|should|replaced|in\b|for\b|(?:was|is)\b(?!\s+added\s+by)|[\W\d])"
    r"|\A\W*[\"“][^\"”]*[.!?][\"”]\s+(?!Changed|Corrected|Replaced|Original|Was\b|Now\b|Should|Missing|In\b|Page|Line|To\b)[A-Z]"
    r"|\b(?:added|corrected)[,:]\s+[\"“]"
)
HEADING = re.compile(r"[\W_]*CHAPTER\s+[IVXLC\d]+\b[^a-z]*\Z")  # of a chapter, in capitals
STAGED = re.compile(r"\[\s*(?:exit|exeunt|enter|aside|sings?|cyrillic|greek|hebrew)\b", re.I)
LETTERS = re.compile(r"[^\W\d_]{2}")
ASIDE = re.compile(r"\([^()\n]*\)")
STROKE = re.compile(r"([^\W\d_][\w'’-]*)/([^\W\d_][\w'’-]*)")
COLUMN = re.compile(r"(?<![.,;:!?\"”’'])\s{2,}|\t|:\s+|\[(?=[^\[\]]+\]\s*$)|=")
FOR = re.compile(r"(\w+)\s(?:for|to)\s(\w+)[,;.]?")
MOST_WORDS = 14  # of an entry, besides those it quotes
PRINTED_PAGE = re.compile(r"\[p(?:g|age)?\b\.?\s?\d+\]\s*(?=\S)", re.I)
PAGE = re.compile(r"\[p(?:g|age)?\b", re.I)
FRAME = re.compile(r"[\s*=_#~+|./-]*")


def lists_changes(paragraph: Paragraph) -> bool:
    """Return whether a paragraph is an entry of a list of changes, or several."""
    lines = [line.strip(" |+\t") for line in paragraph.lines if not FRAME.fullmatch(line)]
    if lines and PRINTED_PAGE.match(lines[0]):  # a page number before prose
        lines[0] = PRINTED_PAGE.sub("", lines[0])
    joined = " ".join(lines)
    if not lines or READ_FOR.search(joined):
        return False
    bare = SPELLED.sub(" X ", ASIDE.sub("", joined))
    speaks = is_narrated(bare) or SPOKEN.search(joined)
    if _pairs(lines) and all(line[:1].islower() for line in lines[::2]):
        return True  # lines of the book, even if someone acts in them
    if speaks and len(lines) < 4 and not (PLACE.search(joined) or ARROW.search(joined)):
        return False
    if 2 * sum(_is_entry(line) for line in lines) >= len(lines) or _pairs(lines):
        return True
    placed = PLACE.search(" ".join(lines[:2]))
    return placed is not None and (_is_entry(lines[0]) or (placed.start() < 8 and _is_entry(joined)))


def _is_entry(line: str) -> bool:
    """Return whether a line says what was changed into what, by words in quotes, columns, or after a page number."""
    if ARROW.search(line) or _columns(line):
        return True
    if HEADING.match(line):
        return False
    bare = SPELLED.sub(" X ", ASIDE.sub("", line))
    if is_narrated(bare) or SPOKEN.search(line) or len(PLACE.sub("", bare).split()) > MOST_WORDS:
        return False
    spelled = [found.strip(" \"“”'‘’_[].,;") for found in SPELLED.findall(line) if not PAGE.match(found)]
    place = PLACE.search(line)
    placed = place is not None and (bool(spelled) or place.start() < 16 or len(line) < 60)
    if CHANGED.search(bare):
        return len(spelled) > 1 or placed or (bool(spelled) and len(bare.split()) < 8)
    return (
        len(spelled) > 1
        and len(bare.split()) < 8
        and (
            (place and place.start() < 16 and not line.lstrip(" [").lower().startswith("chapter"))
            or (spelled[0][:1] == spelled[1][:1] and _alike(spelled[0], spelled[1]))
        )
    )


def _columns(line: str) -> bool:
    """Return whether two cells of a line, its end and a bracketed word, or two words with a slash are nearly equal."""
    cells = [cell.strip(" \"“”'‘’.,;") for cell in COLUMN.split(PLACE.sub("", line)) if cell.strip()]
    pairs = STROKE.findall(line) + (
        [whole.groups()] if (whole := FOR.fullmatch(PLACE.sub("", line).strip(" :"))) else []
    )
    if any(_alike(*pair) for pair in pairs):
        return True
    if len(cells) < 2 or STAGED.search(line) or not (LETTERS.search(cells[-1]) and LETTERS.search(cells[-2])):
        return False
    one, two = cells[-2:]
    if ": " in line and len(two.split()) > 3 and one.split()[-1:] == two.split()[-1:]:
        return False  # a sentence said twice
    return _alike(one, two) or (line.rstrip().endswith("]") and any(_alike(word, two) for word in one.split()))


def _alike(one: str, two: str, least: float = 0.7) -> bool:
    return one != two and SequenceMatcher(None, one, two, autojunk=False).ratio() > least


def _pairs(lines: list[str]) -> bool:
    """Return whether each line of the book is followed by the same line corrected."""
    lines = [PLACE.sub("", line, count=1).strip() for line in lines]
    if not 2 <= len(lines) <= 40 or len(lines) % 2 or max(map(len, lines)) > 120:
        return False
    if lines[0][:1].isupper() and lines[1][:1].isupper() and len(lines) < 4:
        return False  # verse
    if any("  " in line or (line[:1].isupper() and line.endswith((".", ",", "!", "?", ";"))) for line in lines[::2]):
        return False  # columns, or whole sentences
    return all(_alike(one, two, 0.8) for one, two in zip(lines[::2], lines[1::2], strict=True))
