"""Words by which credits of a file are recognised: how they open, and what proves them (credits.py says when)."""

import re

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
# opens like nothing else that comes before the title
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
# the same after the book has begun or ended: what was done to the e-text
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
# a date of the file, as in a record and not in speech
DATED = re.compile(
    r"\W{0,4}(?:(?:date\s+)?(?:first|last|most\s+recently)\s+(?:updated|posted)|updated)\s*:\s+(?:\d{1,2}\s+)?(?:[a-z]+\.?\s+)?\d",
    re.I,
)
# proof anywhere: an address, an online library, a program
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
# how a screen should show the file
DISPLAY = re.compile(
    r"if\s(?=.{0,80}\bnot\s+display\b)(?=.*\b(?:fonts?|browser|encoding|character\s+set)\b)(?=.*\b(?:your?|UTF-?8)\b)",
    re.I | re.S,
)
SIGN = re.compile(
    r"\s*\S.{0,60}\([^()]*\b(?:ligatures?|macrons?|breves?|acute|grave|umlauts?|cedillas?|circumflex|accents?)\b[^()]*\)\W*"
)
# enough only if the paragraph is before the title and names its work
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
# what only a file is made by; a list of who did it is proof enough anywhere, if it has nothing but names
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
# opens like a credit before the title; what follows must be names, or prove it
GIVEN = re.compile(
    r"\W{0,4}(?:(?:(?:re-?)?(?:keyed|typed|scanned|digiti[sz]ed)\s+(?:at|in)|contributed|submitted|supplied|rendered|encoded|uploaded|posted|re-?edited|assembled|made\s+available)"
    rf"|{ROLE}(?:\s+and\s+{ROLE})?\s+(?:from|against|into|out\s+of|for)\s+(?:the|an?)\b)[^.\n]{{0,60}}?\bby\b",
    re.I,
)
# before the title it is a credit if names follow, or what was done for the file
OWED = re.compile(
    r"\W{0,4}(?:credits?\s*:"
    r"|(?:(?:with|and|special|many|our|my|grateful)\s+){0,3}thanks\s+(?:are\s+due\s+|go(?:es)?\s+)?to\b)"
    r"(?=(?:\W+[\w'’.-]+){2})",
    re.I,
)
# work that is done only for files: names after it are proof even after the end of the book
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
# between names only before the title: the story has them too
RELATED = frozenset([
    "his", "her", "their", "pupils", "pupil", "class", "classes", "grade", "school", "college", "teacher", "teachers",
    "colleagues", "father", "mother", "brother", "sister", "children", "grandson", "granddaughter", "staff", "club",
    "printing", "copy", "previous", "earlier", "editions", "updated", "produced", "women", "men",
])  # fmt: skip
RULED = re.compile(r"(?:[ \t]*[*=_#~+.-]{5,}[ \t]*\n)+")  # a line of stars above a credit
FIRST_WORD = re.compile(r"\W{0,4}(\w+)")
# every first word of MAKERS, PLAIN, MADE, DATED, GIVEN, I_MADE, ROLES: decides most cases, 12x faster than trying all
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
PRODUCERS = re.compile(r"pgdp\.net|Distributed\s+Proofread")
ADDRESS = re.compile(r"<?[\w.+-]+@[\w-]+(?:\.[\w-]+)+>?")
