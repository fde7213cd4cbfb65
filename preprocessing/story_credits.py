"""Credits and notes of those who made the file, told from the book's own words.

A paragraph goes only when it opens like a credit and gives evidence of one: a library, an address, a machine, or
nothing but names. "Produced by the sea, the fog rolled in" opens like one and stays.
"""

import re

from preprocessing.story_cut import Cutting, Paragraph, paragraphs

LONGEST_CREDIT = 1_500  # characters; the longest of the 46 real ones has 400
FRONT, BACK = 9_000, 30_000  # characters in which notes are looked for

# opens like a credit; what follows must prove it
MAKERS = re.compile(
    r"\W{0,4}(?:(?:this|the)\s+(?:text|file|edition|version)\s+was\s+(?:prepared|transcribed|scanned|typed"
    r"|digiti[sz]ed|keyed|proof-?read|converted|entered)(?:\s+and\s+\w+)?\s+by\b"
    r"|(?:first\s+)?(?:this|the)\s+(?:\w+\s+){0,2}?(?:text|file|edition|version|book|transcription"
    r"|work)\s+(?:was|is|has\s+been|comes)\b"
    r"|(?:illustrated\s+)?(?:HTML|text|plain\s+text)\s+(?:version|file|conversion|edition)s?\b"
    r"(?:\s+(?:was\s+)?(?:produced|prepared|created|made|converted|donated)\s+by\b)?"
    r"|(?:originally\s+)?(?:re)?(?:produced|prepared|transcribed|scanned|digiti[sz]ed|typed|keyed|entered"
    r"|proofed|proof-?read|OCR(?:'?e?d)?"
    r"|converted|compiled|created|formatted|edited|corrected|text\s+file\s+produced|donated)"
    r"(?:(?:\s*,\s*|\s*&\s*|\s+and\s+|\s+)(?:scanned|proofed|proof-?read|edited|formatted|typed|prepared"
    r"|produced|corrected|converted|\w+))?\s*(?:by|from|form|for|with|in)\b"
    r"|(?:with\s+)?(?:special\s+|many\s+)?thanks\s+(?:to|are|go)\b|scans?\s+(?:by|from|provided)\b"
    r"|updates?\s+to\b|credits?\s*:|source\s*:"
    r"|(?:editorial\s+)?note\s*:|there\s+is\s+(?:an?|another)\s+(?:\w+\s+){0,2}edition\s+of\s+this\b"
    r"|notes?\s+on\s+the\s+e|images?\s+of\s+the|page\s+images|transcription\s+(?:and|by)\b|OCR\b"
    r"|markup\s+by\b|a\s+machine)",
    re.I,
)
# opens like nothing else
PLAIN = re.compile(
    r"\W{0,4}(?:E-?\s?text\s+(?:was\s+)?(?:\w+\s+)?(?:prepared|produced|scanned|created|transcribed|typed|by"
    r"|from|conversion|processing|editor)\b"
    r"|(?:this|the)\s+(?:project\s+gutenberg(?:['’]s|-tm|\(TM\))?\s+)?(?:E-?\s?text|e-?\s?book"
    r"|electronic\s+(?:text|edition|book|version))\s+(?:\w+\s+){0,2}?"
    r"(?:was|is|has|of\s+this|comes|may|prepared|produced|created|scanned|first|edition)\b"
    r"|(?:e-?book|electronic\s+(?:text|edition))\s+(?:was\s+)?(?:prepared|produced|created|edition|by|\w+\d)"
    r"|this\s+(?:text|file|work|edition)\s+is\s+in\s+the\s+public\s+domain\b|(?:last\s+)?updated\s*:\s+\w"
    r"|project\s+gutenberg\s+(?:also\s+)?has\b|updated\s+editions\s+will\s+replace\b"
    r"|(?:the\s+)?(?:foot|end)notes?\s+(?:have|has)\s+been\s+(?:moved|placed|collected|re-?numbered|numbered"
    r"|converted|gathered))",
    re.I,
)
EVIDENCE = re.compile(
    r"pgdp|https?:|\b\d+-h\.(?:htm|zip)|www\.|\w@\w|internet\s+archive|\bHTML\s+(?:version|file|edition)"
    r"|project\s+gutenberg|gutenberg\.(?:org|net)|distributed\s+proof|google"
    r"|page\s+images|scanned\s+(?:images|from|by)|images\s+(?:generously|courtesy|made\s+available|provided)"
    r"|\be-?texts?\b|\be-?books?\b|\bOCR\b"
    r"|copyright\b[^.]{0,80}\brenew|short\s+list\s+of\s+bookmarks",
    re.I,
)
# enough only where the paragraph stands before the title and names its work
HINT = re.compile(
    r"proof-?read|proofers|volunteers?\b|\bposted\s+(?:to|on)\b|\w\.(?:txt|zip)\b|\bscann(?:ed|ing)\b|public\s+domain|\bPG\b|digital\s+(?:library|text)"
    r"|\be-?mail|edition\s+by\s+[A-Z]|\bHTML\b",
    re.I,
)
WORK = re.compile(
    r"\W{0,4}(?:re)?(?:produced|prepared|transcribed|scanned|typed|digiti[sz]ed|proof|text|html|donated|keyed"
    r"|ocr|(?:this|the)\s+\w+\s+was\s+\w+ed\b)",
    re.I,
)
NAME_WORDS = frozenset([
    "a", "an", "and", "by", "the", "with", "from", "for", "in", "of", "at", "on", "to", "van", "von", "der",
    "den", "de", "la", "le", "du", "di", "da", "del", "dos", "y", "e", "et", "anonymous", "volunteer",
    "volunteers", "loving", "memory", "family", "team", "friends", "assistance", "help", "additional",
    "corrections", "proofing", "version", "file", "edition", "text", "volume", "thanks", "special", "many", "using",
    "scans", "images", "page", "courtesy", "generously", "kindly", "provided", "made", "available", "library",
    "university", "project", "members", "students", "wife", "husband", "son", "daughter", "other", "others",
    "proofed", "proofread", "scanned", "html", "illustrations",
])  # fmt: skip
LABEL = re.compile(
    r"(?:(?:e-?text\s+|original\s+)?(?:transcri(?:b|pt)er|transcriptionist|proof-?reader|redactor|digiti[sz]er"
    r"|scanner|typist|submitter|e-?text\s+editor|e-?text\s+producer|post-?processor)s?"
    r"\W{0,2}s?\W{0,2}\s+(?:end\s?|foot\s?)?(?:notes?|comments?|corrections?|amendments?|errata|remarks?|changes)\b"
    r"|transcription\s+notes?\b|notes?\s+(?:of|by|from)\s+(?:the\s+)?transcriber|note\s+on\s+the\s+e-?text"
    r"|e-?text\s+notes?\b|(?:DP|PG)\s+transcriber|transcriber\s*:|TN\s*:"
    r"|(?:list\s+of\s+)?(?:typographical\s+|printer['’]?s?['’]?\s+|minor\s+|other\s+)*(?:errors?|corrections?"
    r"|changes|typos)\s[\w ]{0,40}\btranscribers?\b)",
    re.I,
)
NOTE_WORDS = re.compile(
    r"spell|spelt|typograph|typo\b|typos\b|punctuat|hyphen|inconsisten|foot-?note|italic|underscore|\bbold"
    r"|small[ -]cap|\bpages?\b|\bp\.\s?\d|original|correct|chang(?:e|ed|es)\b|retained"
    r"|preserved|silently|\berrors?\b|misprint|printer|\bprinted|edition|e-?text|e-?book|scann|illustration"
    r"|copyright|transcri|public domain|proof|capitali|archaic|\bwords?\b|\bnoted?\b"
    r"|accent|diacrit|unicode|ascii|character|greek|chapter\s+heading|table of contents|left as|as in the"
    r"|has been|have been|renew|magazine|asterisk|replaced|version",
    re.I,
)
CHANGE = re.compile(r"\d|->|=>|→|\bto\b|\bfor\b|\bread\b|[\"“”'‘’:=|]")
FRAME = re.compile(r"[\s*=_#~+|./-]*")
OPENING = re.compile(r"[\s*=_#~+|./\[(<-]*+")  # what may stand before a label
FIRST_WORD = re.compile(r"\W{0,4}(\w+)")
# every first word of MAKERS and PLAIN: most paragraphs are told by it, 12x faster than trying both
FIRST_WORDS = frozenset([
    "this", "the", "html", "text", "plain", "first", "originally", "produced", "reproduced", "prepared",
    "transcribed", "retranscribed", "scanned", "digitized", "digitised", "typed", "keyed", "entered", "proofed",
    "proof", "proofread", "ocr", "ocred", "ocrd", "converted", "compiled", "created", "formatted", "edited",
    "corrected", "donated", "with", "special", "many", "thanks", "scan", "scans", "update", "updates",
    "updated", "credit", "credits", "source", "note", "notes", "image", "images", "page", "transcription",
    "markup", "a", "etext", "e", "project", "footnotes", "endnotes", "footnote", "foot", "end", "ebook",
    "electronic", "rescanned", "last", "updated", "editorial", "there", "illustrated",
])  # fmt: skip
LABEL_WORDS = ("ranscri", "RANSCRI", "[Note")  # a long note has one of them


def is_credit(text: str, leading: bool) -> bool:
    """Whether a paragraph names those who made the file. leading: before the title, where names are proof enough."""
    first = FIRST_WORD.match(text)
    if len(text) > LONGEST_CREDIT or not first:
        return False
    if first[1].lower() not in FIRST_WORDS:
        return leading and len(text) < 400 and bool(re.search(r"pgdp\.net|Distributed\s+Proofread", text))
    if PLAIN.match(text):
        return True
    opened = MAKERS.match(text)
    if opened is None:
        return leading and len(text) < 400 and bool(re.search(r"pgdp\.net|Distributed\s+Proofread", text))
    if EVIDENCE.search(text, opened.end()):
        return True
    if not (leading and WORK.match(text)):
        return False
    return bool(HINT.search(text, opened.end())) or only_names(text[opened.end() :])


def only_names(text: str) -> bool:
    """Whether a text is a list of names: every word with a capital or a digit, but for small words between them."""
    words = re.findall(r"[^\W_][\w.'’-]*", text)
    if not words or len(words) > 60 or text.rstrip().endswith(("!", "?", ":", ";", "--")):
        return False
    names = sum(word[0].isupper() or any(sign.isdigit() for sign in word) for word in words)
    small = all(
        word[0].isupper() or word.rstrip(".").lower() in NAME_WORDS or any(sign.isdigit() for sign in word)
        for word in words
    )
    return (small and names > 0) or (len(words) == 1 and not text.rstrip().endswith("."))


def is_label(paragraph: str) -> bool:
    """Whether a paragraph opens with "Transcriber's Note" or the like, in whatever frame."""
    opening = OPENING.match(paragraph)
    return opening is not None and opening.end() < 400 and bool(LABEL.match(paragraph, opening.end()))


def is_note(paragraph: Paragraph) -> bool:
    """Whether a paragraph after a note's label goes on with it: its words, or a list of changes."""
    text = paragraph.text
    if NOTE_WORDS.search(text):
        return True
    lines = paragraph.lines
    if all(line[:1] in "|+" for line in lines) or FRAME.fullmatch(text):
        return True
    return (
        max(map(len, lines)) <= 75
        and 2 * sum(bool(CHANGE.search(line)) for line in lines) >= len(lines)
        and _listed(lines)
    )


def _listed(lines: list[str]) -> bool:
    """Short or indented lines, as in a table of changes."""
    return all(len(line) <= 60 or line.startswith("  ") for line in lines)


def closing(text: str, start: int, end: int) -> int:
    """Where the bracket that opens at start closes, one past it; -1 when it does not."""
    pairs = {"[": "]", "(": ")", "<": ">"}
    opening, shut = text[start], pairs[text[start]]
    depth, at = 0, start
    while at < end:
        left, right = text.find(opening, at, end), text.find(shut, at, end)
        if right < 0:
            return -1
        if 0 <= left < right:
            depth, at = depth + 1, left + 1
        else:
            depth, at = depth - 1, right + 1
            if depth == 0:
                return at
    return -1


def note_end(text: str, found: list[Paragraph], index: int, end: int) -> int:
    """Where a note that starts with paragraph index ends, by its bracket, its box, or its words."""
    paragraph = found[index]
    stripped = paragraph.text.lstrip(" \t*_=")
    if stripped[:1] in "[(<" and LABEL.search(stripped[:80]):
        shut = closing(text, paragraph.start + len(paragraph.text) - len(stripped), end)
        if shut >= 0:
            line_end = text.find("\n", shut, end)
            rest = text[shut : line_end if line_end >= 0 else end]
            return shut + len(rest) if not rest.strip(" \t*_=.") else shut
        return paragraph.end
    alone = len(paragraph.lines) == 1 and len(paragraph.text.strip(" \t*_=:.|+-")) < 60
    stop = paragraph.end
    indented = False
    for number, following in enumerate(found[index + 1 :]):
        if following.gap > 1 and not (alone and number == 0 and following.gap < 4):
            break
        deep = all(line.startswith(("  ", "\t")) for line in following.lines)
        heading = following.text.isupper() and not is_note(following)
        if heading or not (is_note(following) or (alone and deep and (indented or number == 0))):
            break
        indented = indented or deep
        stop = following.end
    return stop


def strip_front(cut: Cutting) -> None:
    """Credits and notes before the title go; notes in labelled paragraphs shortly after it too."""
    text, limit = cut.text, min(cut.end, cut.start + FRONT)
    window = min(cut.end, limit + 6_000)
    found = paragraphs(text, cut.start, window)
    index, leading, at = 0, True, cut.start
    while index < len(found) and found[index].start < limit:
        paragraph = found[index]
        rule, stop = "", 0
        if is_label(paragraph.text):
            rule, stop = "transcriber's note", note_end(text, found, index, cut.end)
        elif is_credit(paragraph.text, leading):
            rule, stop = "credit", paragraph.start + _before_title(paragraph)
            if paragraph.text.lstrip().lower().startswith("note"):
                stop = _note_tail(found, index)
        elif leading and re.fullmatch(r"\s*HTML version by [^\n]+", paragraph.text):
            rule, stop = "credit", paragraph.end
        elif leading and (size := _first_line(paragraph)):
            rule, stop = "credit", paragraph.start + size
        if rule:
            if leading:
                cut.front(stop, rule)
            else:
                cut.hole(paragraph.start, _swallow(text, stop, cut.end), rule)
            at = stop
            while index < len(found) and found[index].end <= at:
                index += 1
            if index < len(found) and found[index].start < at:  # the rest of a paragraph after a closing bracket
                found[index] = Paragraph(at, found[index].end, 0, text[at : found[index].end])
            continue
        if FRAME.fullmatch(paragraph.text) and leading and index + 1 < len(found) and is_label(found[index + 1].text):
            cut.front(paragraph.end, "transcriber's note")
            index += 1
            continue
        leading = False
        index += 1


def _before_title(paragraph: Paragraph) -> int:
    """The length of a credit: its paragraph, or less where a title in capitals or a sentence stands right below it."""
    size = 0
    for number, line in enumerate(paragraph.lines):
        if number and line.isupper() and len(line.strip()) > 3 and not EVIDENCE.search(line):
            return size
        size += len(line) + 1
    proofs = [found.end() for found in EVIDENCE.finditer(paragraph.text)]
    proven, _, below = paragraph.text[proofs[-1] if proofs else 0 :].partition("\n")
    if proofs and below[:1].isupper() and not (only_names(below) or HINT.search(below)):
        return proofs[-1] + len(proven)
    return len(paragraph.text)


def _first_line(paragraph: Paragraph) -> int:
    """The length of a first line that is a credit by itself, a sentence or title right below; 0 when it is none."""
    line, _, below = paragraph.text.partition("\n")
    first = FIRST_WORD.match(line)
    if (
        not below[:1].isupper()
        or not first
        or first[1].lower() not in FIRST_WORDS
        or line.rstrip().endswith((",", "and"))
    ):
        return 0
    return len(line) + 1 if WORK.match(line) and is_credit(line, leading=True) else 0


def _note_tail(found: list[Paragraph], index: int) -> int:
    """A note on other versions of the file runs on in indented paragraphs with addresses."""
    stop = found[index].end
    for following in found[index + 1 :]:
        deep = all(line.startswith(("   ", "\t")) for line in following.lines)
        if not (deep and EVIDENCE.search(following.text)):
            break
        stop = following.end
    return stop


def _swallow(text: str, stop: int, end: int) -> int:
    """Blank lines after a hole go with it, so that one gap is left, not two."""
    while stop < end and text[stop].isspace():
        stop += 1
    return text.rfind("\n", 0, stop) + 1 if stop < end else stop


def strip_back(cut: Cutting) -> None:
    """Notes and credits after the last word of the book."""
    text = cut.text
    floor = max(cut.start, cut.end - BACK)
    # most books end without a note: look less far
    reach = BACK if any(text.find(word, floor, cut.end) >= 0 for word in LABEL_WORDS) else 3_000
    start = text.rfind("\n\n", cut.start, max(cut.start, cut.end - reach)) + 1
    found = paragraphs(text, max(cut.start, start), cut.end)
    while len(found) > 1:
        last = found[-1]
        if is_credit(last.text, leading=False):
            cut.back(last.start, "closing credit")
        elif FRAME.fullmatch(last.text) and "closing note" in cut.rules:
            cut.end = last.start  # the line that set the note apart
        else:
            index = _trailing_note(text, found, cut.end)
            if index <= 0:
                break
            cut.back(found[index].start, "closing note")
            found = found[: index + 1]
        found.pop()


def _trailing_note(text: str, found: list[Paragraph], end: int) -> int:
    """The paragraph with which a note starts that runs to the end; 0 when there is none."""
    labels = [number for number, paragraph in enumerate(found) if number and is_label(paragraph.text)]
    for number in labels[-12:]:
        if not text[note_end(text, found, number, end) : end].strip():
            return number
        rest = found[number + 1 :]
        size = sum(len(paragraph.text) for paragraph in rest)
        noted = sum(len(paragraph.text) for paragraph in rest if is_note(paragraph))
        if rest and is_note(rest[0]) and is_note(rest[-1]) and noted >= 0.9 * size:
            return number
    for number in range(len(found) - 1, max(0, len(found) - 12), -1):  # [Note: ... edition ... spellings ... corrected]
        paragraph = found[number]
        opened = re.match(r"\s*\[\s*Notes?\b", paragraph.text)
        if opened:
            shut = closing(text, text.find("[", paragraph.start), end)
            words = {word.lower() for word in NOTE_WORDS.findall(text[paragraph.start : end])}
            return number if shut > 0 and not text[shut:end].strip() and len(words) >= 4 else 0
    return 0
