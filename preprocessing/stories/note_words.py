"""Words that prove a note to be by those who made the file, not by the author or the printer.

Proof are words of electronic texts, a list of changes, or statements about spelling and type without a person of the
story in them. A chapter may have a maker's label too: it stays if a narrator acts or speaks below it, or prose goes on.
"""

import re

from scrollwork.preprocessing.stories.changes import PLACE, READ_FOR, lists_changes
from scrollwork.preprocessing.stories.cut import Paragraph
from scrollwork.preprocessing.stories.labels import CORE_WORDS, PAIRS, is_bare_label, is_plain_label, label_end, opening
from scrollwork.preprocessing.stories.narration import MINE, PERSON, QUOTED, SPEECH, has_action, is_narrated

# what no printed book says about itself
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
# a maker says what has been done; a story, what was done and by whom
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
# who has done it, in a story: makers of files do not name themselves so
AGENT = re.compile(
    r"\b(?:corrected|changed|removed|kept|left|made|altered|moved|added|given|printed|omitted)\s+by\s+"
    r"(?:none|nobody|[A-Z]\w+\.?\s|(?:the|an?|our|its)\s+(?!transcri|e-?text|underscore|asterisk|equal|proof)\w)"
)
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
MOST_BETWEEN = 300  # characters of a note per word of print, at most
REFERENCE = re.compile(r"\B\[Footnote[^\]]*\]", re.I)  # within a sentence
MOST_PROSE = 800  # characters up to which a few words of print prove a note
# what a preparer tells: which book the text is from
ABOUT_BOOK = re.compile(r"\btexts?\b|\bvolumes?\b|\bparts? (?:one|two|i+)\b|trilogy|translat|\btyped\b|published", re.I)
# makers that stories have too
DOUBTFUL = re.compile(r"(?:the\s+)?(?:scanner|typist|proof-?\s?(?:reader|er)|submitter|digital|executive)", re.I)
CHANGES = re.compile(r"errat|emend|correct|chang|errors|misprint|amend", re.I)


def is_sure_note(paragraph: str, body: str) -> bool:
    """Return whether a note with a plain label, or none, is about the file. body: the note with all that follows."""
    items = sum(bool(ITEM.search(line)) for line in body.split("\n"))
    words = (
        set(re.findall(r"[^\W\d_]+", opening(paragraph).partition(":")[0].lower()))
        if is_plain_label(paragraph)
        else set()
    )
    core = bool(words & CORE_WORDS)
    if core and len(READ_FOR.findall(body)) > 1:  # errata of the printer, whatever a note below says
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
    """Return whether the first paragraph below a bare label is its note: nobody acts in it, or it mentions a file."""
    return not is_narrated(text) or bool(ELECTRONIC.search(text) or I_CHANGED.search(text))


def goes_on(paragraph: Paragraph, of_file: bool = False) -> bool:
    """Return whether a paragraph can only be a note's: a list of changes, or what was done to the print; nobody acts.

    of_file: below a heading that names the file, where fewer words are enough.
    """
    text = REFERENCE.sub(" ", paragraph.text)
    ours = OF_THE_FILE.search(text)
    if FOOTNOTE.match(text) and not ours:
        return False
    if lists_changes(paragraph):
        return True
    words = {word.lower() for word in NOTE_WORDS.findall(text)}
    if not ours and (has_action(text) or AGENT.search(text)):
        return False
    done_by_me = I_CHANGED.search(text) and STRICT.search(text)
    if not ours and is_narrated(text) and not (words and (ELECTRONIC.search(text) or done_by_me)):  # "my copy"
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
    """Return whether a paragraph names the file, or what only files need; "scanned" alone may be said of eyes."""
    found = {sign.lower() for sign in ELECTRONIC.findall(text)}
    if not found - {"scanned", "scanning"}:
        return bool(found) and len(words) > 2
    return True


def is_ours(label: str, body: str, titled: bool = False) -> bool:
    """Return whether a note under a maker's label is about the file: by its words, or as nobody acts in a paragraph."""
    at = label_end(label) or label.find(opening(label)) + len(opening(label))
    noted = body[at:].strip(" \t\n*_=:.|+-")
    bare = QUOTED.sub('""', noted)
    if ELECTRONIC.search(bare) or (STRICT.search(bare) and (I_CHANGED.search(bare) or not MINE.search(bare))):
        return True
    first = noted.partition("\n\n")[0]
    words = {word.lower() for word in NOTE_WORDS.findall(bare)}
    sure = OF_THE_FILE.search(opening(label)) or (len(words) > 1 and not is_bare_label(label))
    if CHANGES.search(label) and first and lists_changes(Paragraph(0, len(first), 0, first)):
        return True
    if label.lstrip()[:1] in PAIRS:  # a quotation at its start is not speech
        first = first.lstrip('"“')
    if has_action(first) or (is_narrated(first) and not sure):
        return False
    if CHANGES.search(label) or (titled and not is_bare_label(label)):
        return True
    if is_bare_label(label) and DOUBTFUL.match(opening(label)):
        return len(words) > 1 and bool(DONE.search(bare)) and not AGENT.search(bare)
    return bool(words or ABOUT_BOOK.search(bare) or OF_PRINT.search(bare))
