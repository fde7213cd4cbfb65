"""Credits and notes of those who made the file, told from the book's own words.

A paragraph goes only when it opens like a credit and gives evidence of one: a library, an address, a machine, or
nothing but names. "Produced by the sea, the fog rolled in" opens like one and stays. The nearer to the story, the
harder the evidence: names are enough before the title only, and where someone acts or speaks it is a story.
"""

import re

from scrollwork.preprocessing.stories.changes import FRAME
from scrollwork.preprocessing.stories.closing import CLUES, NEAR, closing_notes, footnotes_on_the_file
from scrollwork.preprocessing.stories.cut import Cutting, Paragraph, paragraphs
from scrollwork.preprocessing.stories.notes import (
    PAIRS,
    bracket_end,
    closing,
    is_bare_label,
    is_label,
    is_plain_label,
    labelled_end,
    unlabelled_end,
)
from scrollwork.preprocessing.stories.told import acts, told

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
    r"|(?:editorial\s+)?note\s*:|there\s+(?:is|are)\s+(?:\w+\s+){0,4}(?:edition|version|file)s?\s+of\s+this\b"
    r"|(?:the\s+)?(?:page|digital)\s+(?:images|scans)\b|also\s+available\s+(?:at|from)\b|please\s+(?:report|send|e-?mail)\b"
    r"|transcribed\s+(?:the\s+)?\d{4}\b|text\s+(?:entered|typed|keyed)\s+by\b|text\s+and\s+notes?\s+are\s+by\b"
    r"|notes?\s+on\s+the\s+e|images?\s+of\s+the|page\s+images|transcription\s+(?:and|by)\b|OCR\b"
    r"|markup\s+by\b|brought\s+to\s+you\b|a\s+machine)",
    re.I,
)
# opens like nothing else before the title
PLAIN = re.compile(
    r"\W{0,4}(?:E-?\s?text\s+(?:was\s+)?(?:\w+\s+)?(?:prepared|produced|scanned|created|transcribed|typed|by"
    r"|from|conversion|processing|editor)\b"
    r"|(?:this|the)\s+(?:project\s+gutenberg(?:['’]s|-tm|\(TM\))?\s+)?(?:E-?\s?text|e-?\s?book"
    r"|electronic\s+(?:text|edition|book|version))\s+(?:\w+\s+){0,2}?"
    r"(?:was\s+one\s+of|needs|is\s+(?:for|in\s+[A-Z])|of\s+this|may\s+be|contains|includes|first|edition)\b"
    r"|(?:e-?book|electronic\s+(?:text|edition))\s+(?:was\s+)?(?:prepared|produced|created|edition|by|\w+\d)"
    r"|corrected\s+editions\s+of\s+our\s+e-?(?:text|book)s\s+get\b"
    r"|(?:the\s+text\s+of\s+)?this\s+(?:text|file|work|edition|book)\s+is\s+in\s+the\s+public\s+domain\b"
    r"|(?:the\s+)?(?:project\s+gutenberg(?:['’]s)?\s+e-?(?:text|book)\s+of|internet\s+wiretap)\b"
    r"|(?:the\s+)?(?:page|digital)\s+(?:images|scans)\b.{0,60}?\b(?:lent|loaned|provided|supplied|come|came|courtesy|taken|from)\b"
    r"|(?:this|the)\s+(?:e-?text|e-?book)\s+of\s.{0,120}?\s(?:was|has\s+been)\s+(?:\w+ly\s+)?\w+ed\b"
    r"|project\s+gutenberg\s+(?:also\s+)?has\s+(?:\w+\s+){0,6}(?:versions?|editions?|volumes?|translations?|files?|e-?(?:text|book)s?)\b"
    r"|(?:the\s+)?(?:foot|end)notes?\s+(?:have|has)\s+been\s+(?:re-?numbered|numbered"
    r"|(?:moved|placed|collected|converted|gathered)\s.{0,30}\b(?:end|chapters?|text|books?|section|paragraphs?|brackets))\b)",
    re.I,
)
# the same where the book has begun or ended: what was done to the e-text
MADE = re.compile(
    r"\W{0,4}(?:E-?\s?text\s+(?:was\s+)?(?:prepared|produced|scanned|created|transcribed|typed|by|conversion)\b"
    r"|(?:this|the)\s+(?:project\s+gutenberg(?:['’]s|-tm)?\s+)?(?:E-?\s?text|e-?\s?book|electronic\s+(?:text|edition|book|version))"
    r"(?:\s+of\s.{0,120}?)?\s+(?:(?:was|is|has\s+been|comes)\s+)?(?:(?:\w+ly|first|last|most|also|an?)\s+){0,2}(?:prepared|done|updated|posted|produced|scanned|created"
    r"|transcribed|typed|made|entered|converted|derived|taken|based|provided|proof\w*|compiled|released|published|distributed"
    r"|digiti[sz]ed|keyed|donated|completed|typeset|formatted|encoded|dedicated|independent|copyright\w*|from|otherwise)\b"
    r"|(?:e-?book|electronic\s+(?:text|edition))\s+(?:was\s+)?(?:prepared|produced|created|edition|by|\w+\d)"
    r"|this\s+(?:text|file|work|edition)\s+is\s+in\s+the\s+public\s+domain\b"
    r"|we\s+have\s+(?:\w+\s+){0,2}enjoyed\s+creating\s+this\s+e-?(?:text|book)\b"
    r"|you\s+may\s+(?:\w+\s+){1,4}this\s+(?:file|e-?text|e-?book)\b"
    r"|(?:the\s+)?project\s+gutenberg(?:['’]s)?\s+e-?(?:text|book)\s+of\b(?!\s+(?-i:[a-z])))",
    re.I,
)
LEAVE = re.compile(r"\bcreating\s+this\b|\byou\s+may\b|public\s+domain", re.I)
# a date of the file, as a clerk would write it and nobody says
DATED = re.compile(
    r"\W{0,4}(?:(?:date\s+)?(?:first|last|most\s+recently)\s+(?:updated|posted)|updated)\s*:\s+(?:\d{1,2}\s+)?(?:[a-z]+\.?\s+)?\d",
    re.I,
)
# proof anywhere: an address, a library of the network, a program
HARD = re.compile(
    r"pgdp|https?:|\b\d+-h\.(?:htm|zip)|www\.|\w@\w+\.\w|internet\s+archive|gutenberg\.(?:org|net)|distributed\s+proof"
    r"|\bOCR\b|omnipage|wordscan|hathi|project\s+gutenberg\s+(?:e-?text|e-?book|edition|volunteer)|ISO.?8859|\bUTF-?8\b"
    r"|images\s+(?:generously|courtesy|made\s+available)|creative\s+commons|ibiblio|ebooks\s+libres",
    re.I,
)
EVIDENCE = re.compile(
    r"pgdp|https?:|\b\d+-h\.(?:htm|zip)|www\.|\w@\w|internet\s+archive|\bHTML\s+(?:version|file|edition)"
    r"|project\s+gutenberg|gutenberg\.(?:org|net)|distributed\s+proof|google\s+(?:books?|print)|the\s+google|hathi"
    r"|(?:page|digital)\s+(?:images|scans)|scanned\s+(?:images|from|by)|ISO.?8859|\bUTF-?8\b|\bLatin-?1\b|\bASCII\b|7-bit|8-bit"
    r"|images\s+(?:generously|courtesy|made\s+available|provided)"
    r"|\be-?texts?\b|\be-?books?\b|\bOCR\b"
    r"|creative\s+commons|copyright\b[^.]{0,80}\brenew|short\s+list\s+of\s+bookmarks",
    re.I,
)
# enough only where the paragraph stands before the title and names its work
# how a screen is to show the file
DISPLAY = re.compile(
    r"if\s(?=.{0,80}\bnot\s+display\b)(?=.*\b(?:fonts?|browser|encoding|character\s+set)\b)(?=.*\b(?:your?|UTF-?8)\b)",
    re.I | re.S,
)
SIGN = re.compile(
    r"\s*\S.{0,60}\([^()]*\b(?:ligatures?|macrons?|breves?|acute|grave|umlauts?|cedillas?|circumflex|accents?)\b[^()]*\)\W*"
)
HINT = re.compile(
    r"proof-?read|proofers|mailing\s+list|volunteers?\b|\bposted\s+(?:to|on)\b|\w\.(?:txt|zip)\b|\bscann(?:ed|ing)\b|public\s+domain|\bPG\b|digital\s+(?:library|text)"
    r"|\bproofed\b|\bfor\s+the\s+(?:loan|use|gift|scans?|images|source|proof\w*)\b|\be-?mail|\b(?:re-?)?key(?:ed|boarded)\b|\be-?texts?\b|\bTEI\b|edition\s+by\s+[A-Z]|\bHTML\b",
    re.I,
)
WORK = re.compile(
    r"\W{0,4}(?:re)?(?:produced|prepared|transcribed|scanned|typed|digiti[sz]ed|proof|text|html|donated|keyed"
    r"|ocr|(?:this|the)\s+\w+\s+was\s+\w+ed\b)",
    re.I,
)
# who is thanked in print, and what is produced on a stage
HONOURED = re.compile(r"\b(?:Mrs?\.|Miss\s|Dr\.|Messrs|Sir\s|Lady\s|Prof(?:essor\s|\.)|Brother\s|Father\s|Sister\s)")
STAGED = re.compile(
    r"theat(?:er|re)|\bopera\b|playhouse|\bstage\b|proprietors|\beditors?\s+of|publishers|permission|reprint|magazine"
    r"|\bthe\s+press\b|use\s+of\s+schools",
    re.I,
)
LIBRARY = re.compile(r"project\s+gutenberg", re.I)
THIS = re.compile(
    r"\b(?:this|ce|dieses?)\s+(?:\w+\s+)?(?:file|book|text|e-?text|e-?book|edition|version|transcription)\b|\bthe\s+file\b",
    re.I,
)
OF_ITSELF = re.compile(rf"{THIS.pattern}|\bscan(?:s|ned)?\b|\be-?(?:book|text)s?\b", re.I)
# what only a file is made by; a list of who did it is proof enough anywhere, where it holds nothing but names
ROLE = (
    r"(?:scan(?:s|ned|ning)?(?:\s+(?:in|and\s+OCR\S*))?|OCR(?:'?e?d|ing)?|(?:re-?)?digiti[sz](?:ed|ing|ation)|(?:X?HTML|e-?pub|TEI|XML|PDF)"
    r"(?:\s+(?:version|file|edition|conversion|mark-?\s?up|coding))?|e-?text|e-?book|(?:re-?)?key(?:ed|ing|board(?:ed|ing))"
    r"|key\s+entry|proof(?:s|ed|ing)?|proof-?\s?read(?:ing|ers?)?|upload(?:ed|ing)|mark-?\s?up|marked[ -]up"
    r"|post-?\s?process(?:ed|ing)|(?:re-?)?format(?:ted|ting)|spell-?\s?check(?:ed|ing)|(?:text\s+)?input|typ(?:ed|ing)|cod(?:ed|ing)|conver(?:ted|sion)"
    r"|transcri(?:bed|ption|bing)|checked|corrections|capture|clean-?\s?up|smooth\s?read(?:ing)?)"
)
ROLES = re.compile(
    r"\W{0,4}(?:(?:with|and|some|additional|further|first|second|third|final|initial|original|early|later|extra|text|page|music"
    r"|cover|book|plain|the|thanks|to|file)\s+){0,3}"
    rf"{ROLE}(?:(?:\s*[,;&/]\s*(?:and\s+)?|\s+and\s+|\s+)(?:{ROLE}|produced|prepared|edited|images|contents|linked|illustrations))*"
    r"(?:\s*,?\s*with\s+the\s+(?:kind\s+)?(?:help|assistance)\s+of\s+[\w\s]{1,40},)?"
    r"(?:\s+(?:was|were|is|are))?(?:\s+(?:done|made|provided|supplied|contributed|performed))?(?:\s+by\b|\s*:)",
    re.I,
)
# opens like a credit where it stands before the title; what follows must be names, or prove it
GIVEN = re.compile(
    r"\W{0,4}(?:(?:(?:re-?)?(?:keyed|typed|scanned|digiti[sz]ed)\s+(?:at|in)|contributed|submitted|supplied|rendered|encoded|uploaded|posted|re-?edited|assembled|made\s+available)"
    rf"|{ROLE}(?:\s+and\s+{ROLE})?\s+(?:from|against|into|out\s+of|for)\s+(?:the|an?)\b)[^.\n]{{0,60}}?\bby\b",
    re.I,
)
# before the title it is a credit where names follow, or what was done for the file
OWED = re.compile(
    r"\W{0,4}(?:credits?\s*:"
    r"|(?:(?:with|and|special|many|our|my|grateful)\s+){0,3}thanks\s+(?:are\s+due\s+|go(?:es)?\s+)?to\b)"
    r"(?=(?:\W+[\w'’.-]+){2})",
    re.I,
)
# work that is done for files only: names behind it are proof where the book has ended too
FILE_ROLES = re.compile(
    r"proof-?\s?read(?:ing|ers?)\b|formatt(?:ed|ing)|\bscanning\b|\bOCR|HTML|XML|\bTEI\b|e-?text|e-?book|mark-?up|post-?\s?process"
    r"|spell-?\s?check|digiti[sz]|upload|keyboard|capture|verification",
    re.I,
)
I_MADE = re.compile(
    r"\W{0,4}(?:I|we)\s+(?:have\s+)?(?:typed|scanned|transcribed|prepared|keyed|entered|proof-?read|digiti[sz]ed|produced|made)\b"
    r".{0,40}\b(?:text|book|file|edition|version|transcription)\b",
    re.I | re.S,
)
NAME_WORDS = frozenset([
    "a", "an", "and", "by", "the", "with", "from", "for", "in", "of", "at", "on", "to", "van", "von", "der", "den",
    "de", "la", "le", "du", "di", "da", "del", "dos", "y", "e", "et", "anonymous", "volunteer", "volunteers",
    "loving", "memory", "family", "team", "friends", "assistance", "help", "additional", "corrections", "proofing",
    "version", "file", "edition", "text", "volume", "thanks", "special", "many", "using", "scans", "images", "page",
    "courtesy", "generously", "kindly", "provided", "made", "available", "library", "university", "project",
    "members", "students", "wife", "husband", "son", "daughter", "other", "others", "proofed", "proofread", "scanned",
    "html", "illustrations", "checked", "proofreading", "proof", "reading", "read", "typing", "formatting",
    "formatted", "twice", "once", "again", "ocr", "scanning", "typed", "markup", "mark", "up", "was", "were", "done",
    "also", "tei", "xml", "plain", "is", "are", "student", "verification", "ocr'd", "second", "first", "both",
])  # fmt: skip
# between names before the title only: the story speaks of them too
RELATED = frozenset([
    "his", "her", "their", "pupils", "pupil", "class", "classes", "grade", "school", "college", "teacher", "teachers",
    "colleagues", "father", "mother", "brother", "sister", "children", "grandson", "granddaughter", "staff", "club",
    "printing", "copy", "previous", "earlier", "editions", "updated", "produced", "women", "men",
])  # fmt: skip
RULED = re.compile(r"(?:[ \t]*[*=_#~+.-]{5,}[ \t]*\n)+")  # a line of stars over a credit
FIRST_WORD = re.compile(r"\W{0,4}(\w+)")
# every first word of MAKERS, PLAIN, MADE, DATED, GIVEN, I_MADE, ROLES: it tells most, 12x faster than trying all
FIRST_WORDS = frozenset([
    "this", "the", "html", "text", "plain", "first", "originally", "produced", "reproduced", "prepared",
    "transcribed", "retranscribed", "scanned", "digitized", "digitised", "typed", "keyed", "entered", "proofed",
    "proof", "proofread", "ocr", "ocred", "ocrd", "converted", "compiled", "created", "formatted", "edited",
    "corrected", "donated", "with", "special", "many", "thanks", "scan", "scans", "update", "updates", "updated",
    "credit", "credits", "source", "note", "notes", "image", "images", "page", "transcription", "markup", "a",
    "etext", "e", "project", "footnotes", "endnotes", "footnote", "foot", "end", "ebook", "electronic", "rescanned",
    "last", "editorial", "there", "illustrated", "additional", "further", "second", "third", "final", "initial",
    "original", "early", "later", "extra", "some", "cover", "book", "music", "and", "proofs", "proofing",
    "proofreading", "proofreader", "proofreaders", "upload", "uploaded", "rekeyed", "re", "keyboarded", "key", "post",
    "postprocessed", "postprocessing", "spell", "spellchecked", "input", "typing", "coded", "coding", "conversion",
    "transcribing", "checked", "corrections", "smooth", "smoothreading", "scanning", "digitization", "digitisation",
    "formatting", "epub", "tei", "xml", "mark", "marked", "keying", "contributed", "submitted", "supplied",
    "rendered", "capture", "clean", "encoded", "posted", "reedited", "assembled", "made", "i", "we", "please", "also",
    "internet", "digital", "xhtml", "date", "most", "brought", "you", "reformatted", "reformatting",
    "pdf", "our", "my", "grateful",
])  # fmt: skip


CHAPTER = re.compile(
    r"\W*(?:chapter|book|part|act|scene|canto|letter|prologue|preface|introduction)\b[^\n]{0,80}\s*\Z"
    r"|\W*[IVXLC\d]+\W*(?:\n[^\n]{0,80})?\Z",
    re.I,
)
PRODUCERS = re.compile(r"pgdp\.net|Distributed\s+Proofread")
ADDRESS = re.compile(r"<?[\w.+-]+@[\w-]+(?:\.[\w-]+)+>?")
# the founder's letter before some plays of 1997 to 2000
DIRECTOR = re.compile(r"Michael S\. Hart\s+Project Gutenberg\s+Executive Director\s+(?:\*+\s+)?")


def is_credit(text: str, leading: bool, titled: bool = False, inside: bool = False) -> bool:
    """Whether a paragraph names those who made the file. leading: before the title, where names are proof enough.

    titled: behind the title and before the story, where an e-text that is named is proof; elsewhere only an address is.
    inside: in the story, where names and dates are a letter's or a report's.
    """
    text = text.lstrip()
    if text[:1] in "*=_#~+.-":
        text = RULED.sub("", text, count=1).lstrip("*")
    first = FIRST_WORD.match(text)
    if len(text) > LONGEST_CREDIT or not first:
        return False
    if leading and (DISPLAY.match(text) or all(map(SIGN.fullmatch, text.split("\n")))):
        return True
    if first[1].lower() in FIRST_WORDS:
        opened = MAKERS.match(text) or I_MADE.match(text)
        if acts(text):  # a story, unless an address stands in it
            return leading and opened is not None and bool(HARD.search(text, opened.end()))
        if _made(text, leading) or (not inside and (DATED.match(text) or _roles(text, leading))):
            return True
        if opened is not None and (EVIDENCE if leading or titled else HARD).search(text, opened.end()):
            return True
        opened = OWED.match(text) or opened or GIVEN.match(text)
        if leading and (PLAIN.match(text) or (opened is not None and _names_work(text, opened))):
            return True
    return leading and len(text) < 400 and (_names_library(text) or bool(PRODUCERS.search(text)) or _is_address(text))


def _made(text: str, leading: bool) -> bool:
    """Whether a paragraph says what was done to the e-text; behind the title, by whom, from what or when too."""
    made = MADE.match(text)
    if made is None or leading or HARD.search(text) or LEAVE.search(made[0]):
        return made is not None
    sentence = re.split(r"[.!?;]\s", text[made.end() :], maxsplit=1)[0]
    return not told(text) and bool(re.search(r"[A-Z\d]", sentence))


def _is_address(text: str) -> bool:
    return bool(ADDRESS.search(text)) and only_names(ADDRESS.sub("", text))


def _names_library(text: str) -> bool:
    """Whether a paragraph speaks of this book, or of scans, and of a library of the network."""
    first = text.partition("\n")[0]  # a title above a credit stays
    if acts(text) or not (THIS.search(first) or HARD.search(first) or LIBRARY.search(first)):
        return False
    return bool((HARD.search(text) and OF_ITSELF.search(text)) or (LIBRARY.search(text) and THIS.search(text)))


def _names_work(text: str, opened: re.Match[str]) -> bool:
    """Whether what opens like a credit before the title goes on with names, or with what is done to files."""
    if STAGED.search(text) or (opened.re is OWED and HONOURED.search(text)):
        return False
    if opened.re is MAKERS and (
        not WORK.match(text) or opened[0].lower().endswith("for")
    ):  # its verb is of files, but what it does is of print
        return False
    return bool(HINT.search(text, opened.end())) or only_names(text[opened.end() :], RELATED)


def _roles(text: str, leading: bool) -> bool:
    """Whether a text says who scanned, proofread, formatted, and nothing else."""
    opened = ROLES.match(text) if leading or FILE_ROLES.search(text) else None
    if opened is None or len(text) > 400 or (not leading and HONOURED.search(text)):
        return False
    if opened[0].endswith(":") and not FILE_ROLES.search(text):
        return False
    return only_names(text[opened.end() :]) or (leading and bool(EVIDENCE.search(text, opened.end())))


def only_names(text: str, more: frozenset[str] = frozenset()) -> bool:
    """Whether a text is a list of names: every word with a capital or a digit, but for small words between them, which
    may be of `more` too."""
    words = re.findall(r"[^\W_][\w.'’-]*", text)
    if not words or len(words) > 60 or text.rstrip().endswith(("!", "?", ":", ";", "--")):
        return False
    names = sum(word[0].isupper() or any(sign.isdigit() for sign in word) for word in words)
    small = all(
        word[0].isupper() or word.rstrip(".").lower() in NAME_WORDS | more or any(sign.isdigit() for sign in word)
        for word in words
    )
    return (small and names > 0) or (len(words) == 1 and not text.rstrip().endswith("."))


def strip_front(cut: Cutting) -> None:
    """Credits and notes before the title go; notes in labelled paragraphs shortly after it too."""
    text = cut.text
    signed = text.find("Executive Director", cut.start, min(cut.end, cut.start + FRONT))
    if signed >= 0 and (letter := DIRECTOR.search(text, cut.start, min(cut.end, cut.start + FRONT))):
        cut.front(letter.end(), "credit")
    limit = min(cut.end, cut.start + FRONT)
    window = min(cut.end, limit + 6_000)
    found = paragraphs(text, cut.start, window)
    index, leading, inside, at = 0, True, False, cut.start
    while index < len(found) and found[index].start < limit:
        paragraph = found[index]
        rule, stop = "", 0
        if is_label(paragraph.text) and (end := labelled_end(text, found, index, cut.end, titled=not inside)):
            rule, stop = "transcriber's note", end
        elif is_credit(paragraph.text, leading, titled=not inside, inside=inside):
            rule, stop = "credit", _shut(text, paragraph, cut.end) or paragraph.start + _before_title(paragraph)
            if paragraph.text.lstrip().lower().startswith("note"):
                stop = _note_tail(found, index)
        elif (not inside and (end := bracket_end(text, paragraph, cut.end))) or (
            leading and (end := unlabelled_end(text, found, index, cut.end))
        ):
            rule, stop = "transcriber's note", end
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
        if leading and (size := _below_title(paragraph)):
            cut.hole(paragraph.start + size, paragraph.end, "credit")
        if FRAME.fullmatch(paragraph.text) and leading and index + 1 < len(found) and is_label(found[index + 1].text):
            cut.front(paragraph.end, "transcriber's note")
            index += 1
            continue
        leading = False
        inside = inside or _begins(found, index)
        index += 1


def _begins(found: list[Paragraph], index: int) -> bool:
    """Whether the story has begun: prose, or the heading of a chapter that no list of headings goes on from."""
    text = found[index].text
    if len(text) > 200 and len(found[index].lines[0]) > 50 and text.rstrip().endswith((".", "!", "?", '"', "”")):
        return True
    following = found[index + 1].text if index + 1 < len(found) else ""
    return len(text) < 200 and bool(CHAPTER.match(text)) and not CHAPTER.match(following)


def _before_title(paragraph: Paragraph) -> int:
    """The length of a credit: its paragraph, or less where a title in capitals or a sentence stands right below it."""
    size = 0
    if RULED.match(paragraph.text) or re.match(r"\W*there\s+(?:is|are)\s", paragraph.text, re.I):
        return len(paragraph.text)
    for number, line in enumerate(paragraph.lines):
        if number and line.isupper() and len(line.strip()) > 3 and not EVIDENCE.search(line):
            return size
        size += len(line) + 1
    proofs = [found.end() for found in EVIDENCE.finditer(paragraph.text)]
    proven, _, below = paragraph.text[proofs[-1] if proofs else 0 :].partition("\n")
    dangles = re.search(r"(?:,|\b(?:and|by|of|the|from|at|to|with|for|in|an?))\s*$", proven)
    if proofs and below[:1].isupper() and not dangles and not (only_names(below) or HINT.search(below)):
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


def _shut(text: str, paragraph: Paragraph, end: int) -> int:
    """Where the bracket closes that a credit opens with; 0 where it opens with none."""
    if paragraph.text[:1] not in PAIRS:
        return 0
    return max(0, closing(text, paragraph.start, min(end, paragraph.start + LONGEST_CREDIT)))


def _below_title(paragraph: Paragraph) -> int:
    """The length of a title in whose paragraph a credit with an address stands below; 0 where none does."""
    size = 0
    for line in paragraph.lines:
        rest = paragraph.text[size:]
        if size and WORK.match(line) and MAKERS.match(line) and HARD.search(rest) and is_credit(rest, leading=True):
            return size
        size += len(line) + 1
    return 0


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
    below = text[floor : cut.end].lower()
    clued = any(word in below for word in CLUES)
    reach = BACK if clued else NEAR
    start = text.rfind("\n\n", cut.start, max(cut.start, cut.end - reach)) + 1
    found = paragraphs(text, max(cut.start, start), cut.end)
    while len(found) > 1:
        last = found[-1]
        if is_credit(last.text, leading=False):
            cut.back(last.start, "closing credit")
        elif "closing credit" in cut.rules and (is_plain_label(last.text) or is_bare_label(last.text)):
            cut.back(last.start, "closing note")  # the heading of what was cut
        elif FRAME.fullmatch(last.text) and "closing note" in cut.rules:
            cut.end = last.start  # the line that set the note apart
        else:
            end = cut.end
            _cut_notes(cut, closing_notes(text, found, end))
            if cut.end == end:
                break
        found = [paragraph for paragraph in found if paragraph.start < cut.end]
    for footnote in footnotes_on_the_file(text, floor, cut.end) if clued else ():
        before = text[max(cut.start, footnote.start - 80) : footnote.start].rstrip()
        if text[footnote.end : cut.end].strip() or not before.upper().endswith(("FOOTNOTES", "FOOTNOTES:")):
            cut.hole(footnote.start, _swallow(text, footnote.end, cut.end), "closing note")
        else:
            cut.back(
                text.rfind("\n", 0, cut.start + len(text[cut.start : footnote.start].rstrip())) + 1, "closing note"
            )


def _cut_notes(cut: Cutting, spans: list[tuple[int, int]]) -> None:
    """Notes at the end move it; those with text of the book below them leave holes."""
    for start, stop in reversed(spans):
        if not FRAME.fullmatch(cut.text, stop, cut.end):
            cut.hole(start, _swallow(cut.text, stop, cut.end), "closing note")
        else:
            cut.back(start, "closing note")
