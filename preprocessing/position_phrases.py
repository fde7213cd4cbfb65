"""Words inside a summary that tell its place in the book: numbers, ordinals, neighbours, "the novel opens"."""

import re

from preprocessing.position_edits import Passage, plural
from preprocessing.position_locators import SURE, UNITS, VALUES, Locator

WORK = r"(?:novel|novella|play|book|story|tale|narrative|poem|epic|tragedy|comedy|drama|romance|epic\s+poem|work)"
UNIT = r"(?:chapter|scene|act|section|part|canto|stave|episode|excerpt)"
ORDINALS = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
        " sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        1,
    )
}
ENDS = r"final|last|opening|initial|closing|concluding|penultimate"
NEIGHBOURS = r"next|previous|preceding|prior|following|subsequent|ensuing|succeeding|coming|upcoming|earlier|later|foregoing"
# what a book has ordinals of; "the second act", "the first letter" are things of the story unless the book is named
OF_WORK = rf"(?=\s+(?:of|in)\s+(?:the|this)\s+{WORK}\b)"
PART_VERB = (
    r"(?=\s+(?:opens?|begins?|starts?|ends?|closes?|concludes?|takes\s+place|is\s+set|deals?|continues?|focuses|consists?"
    r"|covers?|describes?|introduces?|returns?|details?|picks?\s+up)\b)"
)
COUNT = r"(?:two|three|four|five|six|seven|eight|nine|ten|few|several|couple\s+of)"
ORDINAL = re.compile(
    r"\b(?P<owner>the|this|these|his|her|its|their|our|an|\w+['’]s)\s+(?:(?P<before>two|three|four|five)\s+)?"
    rf"(?:very\s+)?(?P<order>{'|'.join(ORDINALS)}|{ENDS}|{NEIGHBOURS}|\d+(?:st|nd|rd|th))\s+"
    rf"(?:and\s+(?:{'|'.join(ORDINALS)}|final|last)\s+)?(?:(?P<count>{COUNT})\s+)?(?:(?:short|brief|long|lengthy|main)\s+)?"
    rf"(?:(?P<sure>chapters?|cantos?|staves?|scenes?)\b(?!['’]s)|(?P<weak>acts?|books?|parts?|sections?|volumes?|letters?|phases?)\b"
    rf"(?:{OF_WORK}|(?P<verb>{PART_VERB})))"
    r"(?P<of>\s+of\s+)?",
    re.I,
)
BARE_NEIGHBOURS = re.compile(
    r"(?<!the )(?<!these )\b(?:earlier|previous|preceding|later|subsequent|following)\s+(?P<noun>chapters|cantos|staves|scenes)\b", re.I
)
OF_SEVERAL = re.compile(
    rf"\bthe\s+(?:{'|'.join(ORDINALS)}|{ENDS})\s+of\s+(?:the\s+|these\s+)?(?:{COUNT})\s+(?:\w+\s+)?(?P<noun>chapters|scenes|cantos|acts|books|parts)\b", re.I
)
ELSEWHERE = re.compile(rf"\b(?P<word>earlier|later)\s+(?=(?:on\s+)?in\s+(?:the|this)\s+(?:novel|novella|book|play|poem)\b)(?:on\s+)?", re.I)
# "the first chapter in the new history of man" is no chapter of the book
OF_LIFE = re.compile(
    r"\s*(?:(?:in|of)\s+)?(?:(?:his|her|their|my|our|your|one['’]s|a|an|the\s+new)\s+(?:\w+\s+){0,2}?(?:life|lives|history|world|marriage|career|book|story)"
    r"|the\s+(?:book|novel)\s+(?:he|she|they|that)|(?:the\s+)?(?:history|life)\b|life\b|i\.e\.)",
    re.I,
)
OF_SMALLER = re.compile(r"\s+of\s+(?:the|this|that)\s+(?:chapter|scene|act|evening|night|day|opera|ballet)\b", re.I)

PREPOSITION = r"(?:in|at|during|throughout|within)"
END = r"\s*,\s*"
OPENERS = (
    # "As the play opens, ..."; a play on a stage of the story: "When the play begins, however, she forgets"
    rf"(?:as|when|while)\s+(?:the\s+(?:action|plot|events?)\s+of\s+)?(?:the|this|our)\s+{WORK}\s+(?:itself\s+)?(?:opens?|closes?){END}(?!however)",
    rf"as\s+(?:the\s+(?:action|plot|events?)\s+of\s+)?(?:the|this|our)\s+{WORK}\s+(?:itself\s+)?(?:begins?|starts?|commences|ends?|concludes?|draws\s+to\s+(?:a|its)\s+close){END}",
    rf"(?:as|when)\s+(?:the|this)\s+{UNIT}\s+(?:opens?|begins?|starts?|commences){END}(?!however)",
    rf"(?:right\s+)?(?:in|at|near|by|towards?|from)\s+the\s+(?:very\s+)?(?:beginning|start|opening|outset|end|close|conclusion)\s+of\s+(?:the|this|our)\s+(?:novel|novella|play|book|poem|story|tale|tragedy|comedy){END}",
    rf"(?:in|at|near|from)\s+the\s+(?:very\s+)?(?:beginning|start|opening|outset)\s+of\s+(?:the|this)\s+{UNIT}{END}",
    rf"{PREPOSITION}\s+(?:the|this|these)\s+(?:\w+['’]s\s+)?(?:(?:very\s+)?(?P<order>{ENDS}|{'|'.join(ORDINALS)})\s+)?(?:(?:{COUNT}|short|brief|long|lengthy|transitional)\s+)?(?:{UNIT})s?{END}",
)
OPENER = re.compile("|".join(f"(?:{one})" for one in OPENERS), re.I)
SECTION_NAME = r"(?:prologue|epilogue|preface|introduction|induction|prelude|foreword|afterword|conclusion)"
IN_SECTION = re.compile(rf"in\s+(?:the|this|a|his|her)\s+(?:\w+\s+)?(?P<name>{SECTION_NAME})(?:\s+(?:to|of)\s+(?:the|this|his|her)\s+{WORK})?{END}", re.I)
THE_SECTION = re.compile(rf"(?P<owner>the|this)\s+(?P<name>{SECTION_NAME})\b(?!['’])", re.I)
OPEN_VERB = r"(?:opens?|begins?|starts?|commences|closes|ends?|concludes?|finishes)"
# something must follow: "The play begins, and the hall falls silent" is a play in the story
GOES_ON = r"(?=(?:\s+off)?\s+(?:with|in|on|at|by|as|when|where|outside|inside|near|after|before|just|one|during|from|to|upon|amid|late|early|under|not)\b)"
OPENING = re.compile(
    rf"(?P<subject>(?:(?:the|this|our)\s+(?:(?:entire|whole|inset|main|actual)\s+)?{WORK}s?|[A-Z][\w-]+['’]s\s+(?:novel|novella|play|tragedy|comedy|poem|epic|book))(?:\s+(?:proper|itself))?)"
    rf"(?P<now>\s+(?:now\s+|then\s+)?){OPEN_VERB}{GOES_ON}",
    re.I,
)
ALWAYS = re.compile(r"the\s+(?:novel|novella)\b|this\s+(?:novel|novella|play|book|poem)\b", re.I)
PAGES = r"(?:p|pp|pg|pgs|page|pages|l|ll|line|lines)\.?\s*\d+(?:\s*[-–—,]\s*\d+)*"
CITED = r"[IVX]+\.[ivx]+(?:\.\d+(?:[-–—]\d+)?)?|\d+\.\d+\.\d+(?:[-–—]\d+)?"
LEAD = r"(?:(?:see|cf\.?|compare|in|from|as|described|also|earlier|later|back|e\.g\.|i\.e\.),?\s+)*"
PARENTHESIS = re.compile(r"\s*(?:\(([^()\n]{1,60})\)|\[([^\[\]\n]{1,60})\])")
DETERMINED = re.compile(
    r"\b(?:the|this|that|each|an?|his|her|their|our)\s+(?:(?!(?:of|in|at|from|by|to|on|for|with|as|and|or)\b)[a-z-]+\s+)?$", re.I
)


def opener(passage: Passage) -> None:
    """Openers at the start of a sentence: "As the play opens,", "In Chapter 18,", "In the final chapter,"."""
    text = passage.text
    for locator in passage.found:
        match = re.compile(rf"(?:{PREPOSITION}|as)\s+$", re.I).search(text[max(0, locator.start - 12) : locator.start])
        behind = re.compile(rf"(?:\s+(?:opens|begins|starts))?{END}", re.I).match(text, locator.end)
        if not match or not behind or passage.place.holds(locator.places) is False:
            continue
        start = locator.start - len(match[0])
        as_ = match[0].lower().startswith("as")
        if as_ == ("s" in behind[0]) and passage.starts_sentence(start):
            passage.cut("opener", start, behind.end())
    for match in OPENER.finditer(text):
        order = (match["order"] or "").lower()
        if passage.starts_sentence(match.start()) and own(passage, order, match[0]):
            passage.cut("opener", match.start(), match.end())
    for match in IN_SECTION.finditer(text):
        if passage.starts_sentence(match.start()) and match["name"].lower() in passage.name.lower():
            passage.cut("opener", match.start(), match.end())


def own(passage: Passage, order: str, words: str) -> bool:
    """Whether an ordinal at the start of a sentence means this part: "first" only where the name says so or nothing."""
    if order not in ORDINALS:
        return True
    unit = next((one for one in UNITS if re.search(rf"\b{one}", words, re.I)), "")
    return passage.place.holds(((unit, ORDINALS[order], ORDINALS[order]),)) is not False


def opening(passage: Passage) -> None:
    """"The novel opens on a farm" becomes "This part opens on a farm"; so do its end and the book's title as subject."""
    text = passage.text
    for match in OPENING.finditer(text):
        begins = passage.starts_sentence(match.start())
        if begins or ALWAYS.match(match["subject"]) and match["subject"][0].islower():
            end = match.end("subject")
            passage.edit("opening", match.start(), end, "This part" if begins else "this part")
    if passage.book.title:
        words = r"\s+".join(re.escape(word) for word in passage.book.title.split())
        verb = rf"\s+(?:opens|begins|starts|ends|closes|concludes)\s+(?:with|in|on|by|at|where|outside|as)\b"
        for match in re.compile(rf"(?:the\s+)?{words}(?={verb})", re.I).finditer(text):
            if passage.starts_sentence(match.start()):
                passage.edit("opening", match.start(), match.end(), "This part")
    for match in THE_SECTION.finditer(text):
        if passage.starts_sentence(match.start()) and match["name"].lower() in passage.name.lower():
            passage.edit("opening", match.start(), match.end(), "This part")


def number(passage: Passage) -> None:
    """Numbers of parts in the text: "Chapter 8 begins" -> "This chapter begins", "in Act II" -> "in another act".

    What lies in this part by its name is "this", other places are "another"; in parentheses they go.
    """
    parentheses(passage)
    for locator in passage.found:
        start, end = ordinal_before(passage, locator)
        noun = passage.noun(locator.unit, own=passage.place.holds(locator.places) is not False)
        text = passage.text
        if locator.many:
            noun = plural(noun)
        determined = DETERMINED.search(text[max(0, start - 40) : start]) if start == locator.start else None
        if determined:
            passage.edit("number", start, end, noun)
            continue
        begins = passage.starts_sentence(start)
        mine = passage.place.holds(locator.places)
        if mine is None:
            mine = begins or bool(re.search(r"(?:^|[.!?\"”]\s+)(?:In|As|At|During)\s+$", text[max(0, start - 12) : start]))
        word = ("these" if mine else "other") if locator.many else ("this" if mine else "another")
        passage.edit("number", start, end, f"{word.capitalize() if begins else word} {noun}")


def ordinal_before(passage: Passage, locator: Locator) -> tuple[int, int]:
    """The locator's span with "the third scene of" before it."""
    match = re.compile(rf"\bthe\s+(?:{'|'.join(ORDINALS)}|{ENDS})\s+(?:scenes?|chapters?|acts?|parts?)\s+of\s+$", re.I).search(
        passage.text[max(0, locator.start - 60) : locator.start]
    )
    return (locator.start - len(match[0]) if match else locator.start), locator.end


def parentheses(passage: Passage) -> None:
    """Parentheses that hold nothing but a place, pages or lines."""
    for match in PARENTHESIS.finditer(passage.text):
        inner = (match[1] or match[2]).strip()
        offset = match.start(1) if match[1] else match.start(2)
        inside = [one for one in passage.found if offset <= one.start and one.end <= match.end()]
        left = inner
        for one in inside:
            left = left.replace(passage.text[one.start : one.end], "", 1)
        if re.fullmatch(rf"{LEAD}(?:{PAGES}|{CITED})", inner, re.I) or (
            inside and re.fullmatch(rf"{LEAD}(?:[,;:.\s]|and|&|{PAGES}|{CITED}|lines?\s*|\d+)*", left.strip() + " ", re.I)
        ):
            start = match.start() if match.start() else match.start() + 0
            passage.edit("number", start, match.end())


def ordinal(passage: Passage) -> None:
    """"the first chapter", "this final scene", "the fourth book begins": this or another part, by the name."""
    for match in OF_SEVERAL.finditer(passage.text):
        passage.edit("ordinal", match.start(), match.end(), f"one of several {match['noun'].lower()}")
    for match in ORDINAL.finditer(passage.text):
        if match["order"].lower() not in NEIGHBOURS.split("|"):
            replace(passage, match, "ordinal")


def neighbour(passage: Passage) -> None:
    """"the previous chapter", "the next scene": "another chapter"; "later in the novel": "elsewhere in the novel"."""
    for match in ORDINAL.finditer(passage.text):
        if match["order"].lower() in NEIGHBOURS.split("|"):
            replace(passage, match, "neighbour")
    for match in BARE_NEIGHBOURS.finditer(passage.text):
        word = "Other" if passage.starts_sentence(match.start()) else "other"
        passage.edit("neighbour", match.start(), match.end(), f"{word} {match['noun'].lower()}")
    for match in ELSEWHERE.finditer(passage.text):
        word = "Elsewhere " if match["word"][0].isupper() else "elsewhere "
        passage.edit("neighbour", match.start(), match.end(), word)


def replace(passage: Passage, match: re.Match[str], rule: str) -> None:
    """One ordinal with its noun, by "this" or "another"."""
    text, owner, order = passage.text, match["owner"].lower(), match["order"].lower()
    end = match.start("of") if match["of"] else match.end()
    noun = (match["sure"] or match["weak"]).lower()
    many = noun.endswith("s")
    unit = "stave" if noun == "staves" else noun.removesuffix("s")
    if OF_LIFE.match(text, end) or (unit == "scene" and OF_SMALLER.match(text, end)):
        return
    begins = passage.starts_sentence(match.start())
    if match["weak"] and match["verb"] is not None and not begins and not text[match.end() : match.end() + 6].strip().startswith(("beg", "open", "end")):
        return
    shown = unit if unit in SURE else passage.noun(unit, own=True)
    mine = owner in ("this", "these") or (match.start() <= passage.begins and order in NEIGHBOURS.split("|"))
    if order in ORDINALS or order[0].isdigit():
        nth = ORDINALS.get(order) or int(re.sub(r"\D", "", order))
        told = passage.place.holds(((unit, nth, nth),))
        mine = mine or (begins if told is None else told)
    elif order not in NEIGHBOURS.split("|"):
        mine = mine or begins
    word = ("these" if mine else "other") if many else ("this" if mine else "another")
    passage.edit(rule, match.start(), end, f"{word.capitalize() if begins else word} {plural(shown) if many else shown}")


__all__ = ["VALUES", "neighbour", "number", "opener", "opening", "ordinal"]
