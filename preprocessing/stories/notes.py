"""Notes of those who made the file: their labels, what belongs to them, and where they end.

A label that only the maker of an e-text writes ("Transcriber's Note", "Comments on the preparation of the e-text") is
enough. One that a printed book may have too ("Corrections", "Notes on the text"), or none at all, needs proof: words of
electronic texts, a list of changes, or statements about spelling and type without a person of the story in them.
A chapter may have either label: where a narrator acts or speaks below it, or prose runs on, it stays.
"""

import re

from scrollwork.preprocessing.stories.changes import FRAME, PLACE, READ_FOR, lists_changes
from scrollwork.preprocessing.stories.cut import Paragraph
from scrollwork.preprocessing.stories.told import MINE, QUOTED, SPEECH, acts, told

MAKER = (
    r"(?:transcri(?:b|pt)er|transcriptionist|proof-?\s?reader|proofer|redactor|digiti[sz]er|scanner|typist|submitter"
    r"|preparer|(?:e-?text|e-?book|HTML|digital)\s+(?:editor|producer|maker|creator|preparer|transcriber|version|edition)"
    r"|post-?processor|executive\s+director)"
)
NOTED = (
    r"(?:end\s?|foot\s?)?(?:notes?|comments?|corrections?|amendments?|errata|remarks?|changes|preface|foreword"
    r"|explanations?)"
)
LISTED = rf"(?:lists?\s+of\s+(?:[\w'’]+\s+){{0,2}}(?:errors|misprints)|(?:lists?\s+of\s+(?:\w+\s+)?)?{NOTED})"
LABEL = re.compile(
    rf"(?:(?:e-?text\s+|original\s+)?{MAKER}s?\W{{0,2}}s?\W{{0,2}}\s+{LISTED}(?![^\W_])"
    rf"|{NOTED}\s+(?:of|by|from|noted\s+by|made\s+by)\s+(?:the\s+)?(?:e-?text\s+|e-?book\s+)?(?:{MAKER}|e-?text\s+editor)"
    r"|transcription\s+notes?(?![^\W_])|note\s+on\s+the\s+e-?text"
    r"|e-?text\s+notes?(?![^\W_])|(?:DP|PG)\s+transcriber|transcriber\s*:|TN\s*:"
    r"|(?:the\s+)?(?:list\s+of\s+|following\s+)*(?:typographical\s+|printer['’]?s?['’]?\s+|minor\s+|other\s+)*"
    r"(?:errors?|corrections?|errata|changes|typos)\s[\w ]{0,40}\b(?:e-?text\s+)?transcribers?\b)",
    re.I,
)
APPENDIX = re.compile(r"\A\W*appendix\b\W{1,3}", re.I)
# words of a heading over a note, and those of the file that make it one
ABOUT = re.compile(
    r"(?:(?:the|an?|some)\s+)?(?:(?:\w+\s+)?(?:list|table|details)\s+of\b|(?:\w+\s+){0,2}?(?:notes?|comments?|remarks?|corrections?|changes?|errata|errors?|misprints|conventions?|symbols?|key|about"
    r"|preparation|production|editing)\b)",
    re.I,
)
FILE = re.compile(
    r"\b(?:e-?text|e-?book|transcri(?:ption|bers?)|(?:electronic|on-?line|digital|HTML|plain[ -]text|text|ASCII)"
    r"\s+(?:edition|version|text|file|book)|etext|Project\s+Gutenberg\s+(?:edition|version|text))s?\b",
    re.I,
)
# a heading of these words alone may be the book's own: what follows must prove that it is not
PLAIN_WORDS = frozenset([
    "a", "about", "additional", "all", "amended", "amendments", "and", "archaic", "as", "at", "accents", "brackets",
    "by", "colophon", "changed", "changes", "characters", "comments", "conventions", "corrected", "correction",
    "corrections",
    "details", "emendations", "emended", "errata", "error", "errors", "footnotes", "for", "formatting", "found",
    "from", "greek", "hyphenation", "in", "inconsistent", "items", "key", "letters", "ligatures", "list", "made",
    "minor", "misprints", "noteworthy", "note", "notes", "noted", "obvious", "of", "on", "original", "other",
    "printed", "printer", "printers", "printer's", "printer’s", "printing", "punctuation", "remarks", "regarding",
    "special", "spelling", "spellings", "square", "symbols", "table", "text", "textual", "the", "this", "to", "type",
    "typographic", "typographical", "typos", "typography", "unusual", "usage", "used", "variant", "variants",
    "variations", "words", "edition", "version", "history", "revision", "fixed", "that", "have", "been", "book",
    "editing",
    "were",
])  # fmt: skip
CORE_WORDS = frozenset([
    "amended", "amendments", "brackets", "changed", "changes", "conventions", "corrected", "correction",
    "corrections", "emendations", "emended", "errata", "errors", "formatting", "hyphenation", "ligatures",
    "misprints", "punctuation", "spelling", "spellings", "symbols", "text", "textual", "typographic", "typographical",
    "typography", "typos", "variants", "variations", "fixed",
])  # fmt: skip
# what no printed book says of itself
ELECTRONIC = re.compile(
    r"\be-?texts?\b|\be-?books?\b|\belectronic\s+(?:text|edition|version|file)|\bon-?line\s+edition"
    r"|\btranscri(?:ption|bers?)\b|\bOCR\b|\bscann(?:ed|ing)\b|\bHTML\b|\bASCII\b|\bISO.?8859|\bUTF.?8\b|\bUnicode\b"
    r"|\bLatin-?1\b|\bplain[ -]text\b|\btext\s+(?:file|version)\b|\bunder(?:scor|bar|lin)e?s?(?:es)?\b.{0,40}[(_\"“=]"
    r"|_underscores_|\bby\s+_?underscores?|\bequals?\s?signs|\btildes\b|\bcaret\s+sign|\bplus signs\b|\btransliterat"
    r"|\bcaret\s+character|\bunderscore\s+character|\bdelimited\b|\blonger\s+than\s+\d+\s+characters"
    r"|\bitalic\w*\s.{0,60}\bcapitali[sz]ed\b|\bitalic\w*\s.{0,60}\bin\s+capitals?\b"
    r"|\blong s\b|\brunning heads\b"
    r"|\b(?:(?:foot|end|side)-?notes|images|illustrations)\s+have\s+been\s+(?:moved|gathered|collected|re-?\w+ed)\b"
    r"|(?<!\w)\[(?:oe|OE|ae|AE|=\w|\w\^)\](?!\w)|Project\s+Gutenberg|\bproof-?read|\bline[ -]ends?\b",
    re.I | re.S,
)
# spelling, type and signs: what a note on the text is about
TYPE = re.compile(
    r"typograph|printer['’]?s?['’]?\s+errors?|misprint|punctuation|hyphen|spelling|spelt|italic|small[ -]cap|\bgreek\b"
    r"|footnote|\baccent|diacrit|ligature|quotation marks?|page numbers?|bracket|underscor|\bcommas?\b"
    r"|\blong s\b|running heads?|printed\s+(?:book|text)",
    re.I,
)
# a maker says what has been done; what was done, and by whom, is a story's
_WORK = (
    r"(?:(?:been|also|silently|only|not|now|here|generally|all|otherwise)\s+)*"
    r"(?:corrected|changed|retained|preserved|left|kept|removed|moved|normali[sz]ed|standardi[sz]ed|regulari[sz]ed|supplied"
    r"|repaired|fixed|added|expanded|replaced|marked|enclosed|shown|indicated|represented|rendered|transliterated"
    r"|re-?numbered|gathered|placed|dropped|amended|noted|made\s+consistent|unchanged|omitted|inserted|joined|surrounded"
    r"|printed|written|given|(?:put|set)\s+right|transposed)\b"
)
DONE = re.compile(rf"\b(?:has|have|is|are)\s+{_WORK}", re.I)
WAS_DONE = re.compile(rf"\b(?:was|were)\s+{_WORK}", re.I)
I_CHANGED = re.compile(
    r"\b(?:I|we)\s+(?:have\s+)?(?:made|corrected|changed|altered|left|kept|retained|supplied|restored|added|replaced|removed|omitted"
    r"|silently\s+\w+ed)\b"
)
ITEM = re.compile(
    r"\b(?:changed|corrected|amended|altered|emended|changes?|replaced)\s+(?:to|from)\b|\breplaced\s+(?:with|by)\b|now\s+reads|->|=>|→|\w\]\s"
    r"|\b(?:add|remov|delet|insert|supplied|repair|fix)(?:ed)?\b|[\"”'’]\s*(?:to|:|for)\s*[\"“'‘]|\bto\s+[\"“'‘]"
    r"|\b(?:pages?|pg|p)\b\.?\s*\d+\b.{0,50}\bto\b|\w[:]\s\w+\s*$|\w\s{3,}[^\W\d]|--\w+\s+for\s+\w|_\w+_\s+\w+|=\w+=\s+\w+",
    re.I,
)
PRINTED = re.compile(
    r"\b(?:in|by)\s+(?:the\s+)?(?:second|third|fourth|fifth|later|next|last|subsequent|quarto|folio|author\b|poet\b|\d{4})"
    r"(?:\s+(?:editions?|printings?|impressions?))?",
    re.I,
)
# without a label, a note begins with its subject
OPENS = re.compile(
    r"(?:(?:(?:producer['’]s\s+)?note)\W{1,4})?(?:(?:the\s+)?(?:obvious|minor|simple|some|a\s+few|several|many|all|most|other|unusual|archaic"
    r"|inconsisten\w+|variant|variations?|missing|printer\S*|typographical|punctuation|spelling\w*|hyphen\w*|italic\w*"
    r"|bold|small\s+cap\w*|long\s+s|square\s+brackets|greek(?!\s*[:(])|accent\w*|footnotes?|page\s+numbers|following|quotation\s+marks"
    r"|errors|misprints|ellips[ei]s|diacritic\w*|ligatures|underscores?)\b|(?:text|words|passages)\s+(?:in|enclosed)\b"
    r"|I\s+have\s+(?:made|corrected|changed|left|kept|retained)\b|in\s+(?:preparing|making|producing)\s+th)",
    re.I,
)
# a person, a paper in the story, or an editor of print: the note is the book's
PERSON = re.compile(
    r"\b(?:he|she|his|her|hers|him|himself|herself|my|me|mine|myself|you|your|said|says|asked|replied|cried|diary|journal"
    r"|manuscripts?|MSS?|papers|publishers?|present\s+editor|the\s+editors?)\b",
    re.I,
)
# who the story says has done it: the files' makers do not name themselves so
AGENT = re.compile(
    r"\b(?:corrected|changed|removed|kept|left|made|altered|moved|added|given|printed|omitted)\s+by\s+"
    r"(?:none|nobody|[A-Z]\w+\.?\s|(?:the|an?|our|its)\s+(?!transcri|e-?text|underscore|asterisk|equal|proof)\w)"
)
CHAPTER = re.compile(r"\W*(?:chapter|part|letter|book)\s+(?:the\s+)?\w+\W*\Z", re.I)
FOOTNOTE = re.compile(r"\s*[\[{(](?:(?:Footnote )?(?:\d+|[A-Z*])[\])}:]|Footnote [\w*]+:)")
ELSEWHERE = re.compile(r"\b(?:are|is)\s+listed\s+(?:at\s+the\s+end|below)\b", re.I)
OF_THE_FILE = re.compile(r"\be-?texts?\b|\b(?-i:eB|eb|e-b|E-b|Eb)ooks?\b|Project\s+Gutenberg", re.I)
MARKED = re.compile(r"^\s*(?:[\[({]\d+[\])}]|\d+\.\s)", re.M)  # a numbered footnote
NOTE_WORDS = re.compile(
    r"spelling|spelled|misspel|spell-?check|spelt|typograph|typo\b|typos\b|punctuat|hyphen|inconsisten|foot-?note|italic|underscore|\bbold"
    r"|small[ -]cap|\bpages?\b|\bp\.\s?\d|original|correct|chang(?:e|ed|es)\b|retained"
    r"|preserved|silently|\berrors?\b|misprint|printer|\bprinted|edition|e-?text|e-?book|scann|illustration"
    r"|copyright|transcri|public domain|proof|capitali[sz](?!m|ts?\b)|archaic|\bwords?\b|\bnoted?\b"
    r"|accent|diacrit|unicode|ascii|character|greek|chapter\s+heading|table of contents|left as|as in the"
    r"|has been|have been|renew|magazine|asterisk|replaced|version|bracket|\bpg\.|^\W*fixed\b|\bremoved\b|duplicate"
    r"|quotation mark|sidenote|ambiguous|consistent|captions\b|\bmoved\b|black-?letter|fraktur"
    r"|transposed|\b(?:put|set)\s+right\b",
    re.I,
)
STRICT = re.compile(
    r"typograph|\btypos?\b|misprint|printer['’]?s?['’]?\s+errors?|punctuat|hyphenat|\b(?:mis)?spell(?:ings?|ed|-?check\w*)\b|\bspelt\b|italic"
    r"|small[ -]cap|foot-?notes?\b|diacrit|\bligatures\b|\b(?:[ao]e|[æœ])\W{1,2}ligature|\baccents\b"
    r"|quotation\s+marks?|page\s+numbers?|capitali[sz](?!m|ts?\b)|running\s+heads?|\b(?:special|greek|currency|following|sterling|pound)\s+symbols?\b|\bsymbols?\s.{0,20}\b(?:written|used|represent|indicat|replaced)|\bin\s+bold\b|\bmacrons?\b|\berrata\b",
    re.I,
)
OF_PRINT = re.compile(r"\b(?:originals?|prints?|printed|editions?)\b", re.I)
LONGEST_BRACKET = 1_500  # characters of a note in brackets without a label
MOST_BETWEEN = 300  # characters of a note to one word of print
REFERENCE = re.compile(r"\B\[Footnote[^\]]*\]", re.I)  # in a sentence
MOST_PROSE = 800  # characters in which a few words of print tell a note
# of what a preparer tells: which book the text is of
ABOUT_BOOK = re.compile(r"\btexts?\b|\bvolumes?\b|\bparts? (?:one|two|i+)\b|trilogy|translat|\btyped\b|published", re.I)
# makers that a story has too
DOUBTFUL = re.compile(r"(?:the\s+)?(?:scanner|typist|proof-?\s?(?:reader|er)|submitter|digital|executive)", re.I)
CHANGES = re.compile(r"errat|emend|correct|chang|errors|misprint|amend", re.I)
LABEL_ENDS = re.compile(r"\s+follows?\b|[\s*_=~|+#)\]}]*(?:$|[:.—–-])")
OPENING = re.compile(r"[\s*=_#~+|./\[({<●○•·-]*+")  # what may stand before a label
PAIRS = {"[": "]", "(": ")", "<": ">", "{": "}"}


def opening(text: str) -> str:
    """The first line of a paragraph that is more than a frame, without its frame."""
    for line in text.split("\n"):
        if not FRAME.fullmatch(line):
            return line.strip(" \t*_=#~+|./[](){}<>●○•·-")
    return ""


def is_label(paragraph: str) -> bool:
    """Whether a paragraph opens with "Transcriber's Note" or another heading that only an e-text has."""
    if _label(paragraph):
        return True
    heading = _heading(APPENDIX.sub("", paragraph, count=1), 90)
    return bool(ABOUT.match(heading)) and bool(FILE.search(heading)) and not PERSON.search(heading)


def _label(paragraph: str) -> int:
    """Where the label that a paragraph opens with ends; 0 without one, and where a sentence goes on from its words."""
    found = OPENING.match(paragraph)
    label = LABEL.match(paragraph, found.end()) if found is not None and found.end() < 400 else None
    if found is None or label is None:
        return 0
    line = paragraph[label.end() :].partition("\n")[0]
    head, colon, _ = line.partition(":")
    if any(sign in PAIRS for sign in found[0]) or LABEL_ENDS.match(line):
        return label.end()
    if colon or ("\n" not in paragraph.strip() and not line.endswith((".", "!", "?"))):
        return 0 if len(head) > 80 or "," in head or PERSON.search(head) else label.end()
    return 0


def is_bare_label(paragraph: str) -> bool:
    """Whether a paragraph is a maker's label and nothing else."""
    at = _label(paragraph)
    return at > 0 and not paragraph[at:].strip(" \t\n*_=:.|+-])}>")


def is_plain_label(paragraph: str) -> bool:
    """Whether a paragraph opens with a heading that a note of the file and a printed book may both have."""
    words = re.findall(r"[^\W\d_][\w'’]*", _heading(paragraph, 80).lower())
    return 0 < len(words) <= 12 and all(word in PLAIN_WORDS for word in words)


def _heading(paragraph: str, longest: int) -> str:
    """The heading that a paragraph opens with: a line of its own, in capitals, or closed by a colon; "" without one."""
    first, _, rest = paragraph.partition("\n")
    if rest and first[:1].isalpha() and ":" not in first and not first.isupper():
        return ""  # as most paragraphs of a book
    line = opening(paragraph[:500])
    head, colon, _ = line.partition(":")
    ends = paragraph.rstrip(" \t\n*_=#~+|-").endswith((".", "!", "?", ","))
    if not colon and ("\n" in paragraph.strip() or ends) and not line.isupper():
        return ""
    return "" if len(head) > longest or '"' in head or "“" in head else head


def proves(paragraph: str, body: str) -> bool:
    """Whether a note with a plain label, or none, is one of the file. body: the note with all that follows."""
    items = sum(bool(ITEM.search(line)) for line in body.split("\n"))
    words = (
        set(re.findall(r"[^\W\d_]+", opening(paragraph).partition(":")[0].lower()))
        if is_plain_label(paragraph)
        else set()
    )
    core = bool(words & CORE_WORDS)
    if core and len(READ_FOR.findall(body)) > 1:  # the printer, whatever a note below says
        return False
    printed = len(PRINTED.findall(body)) > 1  # readings of later editions
    if printed and not ELECTRONIC.search(body[:1_000]):
        return False
    if core and items >= 5 and len(PLACE.findall(body)) >= 5 and not READ_FOR.search(body):
        return True
    bare = QUOTED.sub('""', body)
    if PERSON.search(bare) or body.lstrip()[:1] in '"“':
        return False
    electronic = bool(ELECTRONIC.search(body[:1_000]))
    done = 0 if AGENT.search(bare) else len(DONE.findall(bare))
    if core and (electronic or items >= 2):
        return True
    if words and MARKED.search(body):  # footnotes of the book, one of which may speak of the file
        return False
    if words and electronic:
        return True
    if not OPENS.match(opening(paragraph)) or not TYPE.search(bare) or SPEECH.search(bare) or AGENT.search(bare):
        return False
    if items >= 2 and (done or WAS_DONE.search(bare)):
        return True
    return electronic or done >= 2 or bool(I_CHANGED.search(bare) or ELSEWHERE.search(bare))


def may_follow(text: str) -> bool:
    """Whether the first paragraph below a bare label is its note: nobody acts in it, or it names a file."""
    return not told(text) or bool(ELECTRONIC.search(text) or I_CHANGED.search(text))


def goes_on(paragraph: Paragraph, of_file: bool = False) -> bool:
    """Whether a paragraph can only be a note's: a list of changes, or what was done to the print, and nobody acts.

    of_file: below a heading that names the file, where fewer words tell.
    """
    text = REFERENCE.sub(" ", paragraph.text)
    ours = OF_THE_FILE.search(text)
    if FOOTNOTE.match(text) and not ours:
        return False
    if lists_changes(paragraph):
        return True
    words = {word.lower() for word in NOTE_WORDS.findall(text)}
    if not ours and (acts(text) or AGENT.search(text)):
        return False
    done_by_me = I_CHANGED.search(text) and STRICT.search(text)
    if not ours and told(text) and not (words and (ELECTRONIC.search(text) or done_by_me)):  # "my copy"
        return False
    if ours or _electronic(text, words):
        return True
    if len(text) > MOST_BETWEEN * max(1, len(words - {"has been", "have been"})):  # prose that has them by chance
        return False
    done = any(sign.search(text) for sign in (DONE, WAS_DONE, I_CHANGED))
    if STRICT.search(text):
        return len(words) > 2 or done or of_file or (len(words) > 1 and bool(OF_PRINT.search(text)))
    if done and (of_file or (len(words) > 1 and I_CHANGED.search(text))):
        return bool(words)
    if TYPE.search(text) and len(words) > 2 and re.search(r"\b(?:has|have)\s+been\b", text):
        return len(text) < MOST_PROSE
    return len(words) > 4 and (done or OF_PRINT.search(text) is not None) and len(text) < MOST_PROSE


def _electronic(text: str, words: set[str]) -> bool:
    """Whether a paragraph names the file, or what only files need; "scanned" alone is also what eyes do."""
    found = {sign.lower() for sign in ELECTRONIC.findall(text)}
    if not found - {"scanned", "scanning"}:
        return bool(found) and len(words) > 2
    return True


def closing(text: str, start: int, end: int) -> int:
    """Where the bracket that opens at start closes, one past it; -1 when it does not."""
    opened, shut = text[start], PAIRS[text[start]]
    depth, at = 0, start
    while at < end:
        left, right = text.find(opened, at, end), text.find(shut, at, end)
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
    if stripped[:1] in PAIRS and LABEL.search(stripped[:80]):
        shut = closing(text, paragraph.start + len(paragraph.text) - len(stripped), end)
        if is_bare_label(paragraph.text) and 0 <= shut <= paragraph.end:
            pass  # its notes stand below
        elif shut >= 0:
            line_end = text.find("\n", shut, end)
            rest = text[shut : line_end if line_end >= 0 else end]
            return shut + len(rest) if not rest.strip(" \t*_=.") else shut
        else:
            return paragraph.end
    alone = len(paragraph.lines) == 1 and len(paragraph.text.strip(" \t*_=:.|+-")) < 60
    framed = index > 0 and FRAME.fullmatch(found[index - 1].text) is not None
    own = alone and index + 1 < len(found) and FOOTNOTE.match(found[index + 1].text)  # its notes have numbers
    stop, block = paragraph.end, alone
    for number, following in enumerate(found[index + 1 :]):
        text = following.text
        if following.gap > 1 and not (alone and number == 0 and following.gap < 4):
            break
        if is_label(text):
            break
        if FRAME.fullmatch(text):
            stop = following.end if framed else stop
            continue
        deep = all(line.startswith(("  ", "\t")) for line in following.lines)
        numbered = own and FOOTNOTE.match(text) and (NOTE_WORDS.search(text) or '"' in text)
        first = alone and number == 0 and may_follow(text)
        if (text.isupper() and not text.rstrip().endswith((":", "."))) or not (goes_on(following) or numbered or first):
            if not (block and deep):
                break
            continue  # of an indented block, to the last that can only be a note's
        block = block and (deep or number == 0)
        stop = following.end
    return stop


def labelled_end(text: str, found: list[Paragraph], index: int, end: int, titled: bool = False) -> int:
    """Where a note with a label ends; 0 where the story has such a label over a tale. titled: before the story."""
    stop = note_end(text, found, index, end)
    if index and CHAPTER.match(found[index - 1].text) and is_bare_label(found[index].text):  # which it is the title of
        bare = QUOTED.sub('""', text[found[index].end : stop])
        if not (ELECTRONIC.search(bare) or STRICT.search(bare)):
            return 0
    return stop if is_ours(found[index].text, text[found[index].start : stop], titled) else 0


def is_ours(label: str, body: str, titled: bool = False) -> bool:
    """Whether a note under a maker's label is about the file: its words, or, in one paragraph, that nobody acts."""
    at = _label(label) or label.find(opening(label)) + len(opening(label))
    noted = body[at:].strip(" \t\n*_=:.|+-")
    bare = QUOTED.sub('""', noted)
    if ELECTRONIC.search(bare) or (STRICT.search(bare) and (I_CHANGED.search(bare) or not MINE.search(bare))):
        return True
    first = noted.partition("\n\n")[0]
    words = {word.lower() for word in NOTE_WORDS.findall(bare)}
    sure = OF_THE_FILE.search(opening(label)) or (len(words) > 1 and not is_bare_label(label))
    if CHANGES.search(label) and first and lists_changes(Paragraph(0, len(first), 0, first)):
        return True
    if label.lstrip()[:1] in PAIRS:  # what it quotes first, nobody says
        first = first.lstrip('"“')
    if acts(first) or (told(first) and not sure):
        return False
    if CHANGES.search(label) or (titled and not is_bare_label(label)):
        return True
    if is_bare_label(label) and DOUBTFUL.match(opening(label)):
        return len(words) > 1 and bool(DONE.search(bare)) and not AGENT.search(bare)
    return bool(words or ABOUT_BOOK.search(bare) or OF_PRINT.search(bare))


def bracket_end(text: str, paragraph: Paragraph, end: int) -> int:
    """Where a note without a maker's label ends that stands in a bracket and speaks of the file; 0 when it is none."""
    if paragraph.text.lstrip()[:1] not in PAIRS:
        return 0
    at = paragraph.end - len(paragraph.text.lstrip())
    stop = closing(text, at, min(end, at + LONGEST_BRACKET))
    if stop < 0:
        return 0
    body = QUOTED.sub('""', text[at:stop])
    words = {word.lower() for word in NOTE_WORDS.findall(body)}
    ours = (ELECTRONIC.search(body) or OF_THE_FILE.search(body)) and not text[stop : stop + 2].strip()
    return stop if ours and len(words) > 1 and not (told(body) or PERSON.search(body) or FOOTNOTE.match(body)) else 0


def unlabelled_end(text: str, found: list[Paragraph], index: int, end: int) -> int:
    """Where a note before the title ends that has a plain label or none; 0 when it is none."""
    paragraph = found[index]
    plain = is_plain_label(paragraph.text)
    if FOOTNOTE.match(paragraph.text) or not (plain or OPENS.match(opening(paragraph.text))):
        return 0
    stop = note_end(text, found, index, end) if plain else paragraph.end
    return stop if proves(paragraph.text, text[paragraph.start : stop]) else 0
