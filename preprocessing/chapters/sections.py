"""Places told in other words: a prologue that the summary mentions, how the work is closed, its first lines."""

import re

from scrollwork.preprocessing.chapters.edits import Passage
from scrollwork.preprocessing.chapters.words import NOVEL, WORK

NAMED = r"(?:prologue|epilogue|preface|prelude|foreword|afterword)"
# a section that is spoken on a stage belongs to the story
SPOKEN = re.compile(
    r"\b(?:perform|deliver|speak|spoke|spoken|recite|rehearse|read|audience|actor|stage|chorus)(?:s|ed|ing)?\b", re.I
)
# "begins with an introduction to Mara" introduces a person
OPENS_WITH = re.compile(
    r"\b(?:begins|opens|starts(?:\s+off)?|ends|closes|concludes)\s+with\s+(?P<what>an?\s+(?:(?:short|brief|long)\s+)?"
    rf"(?:{NAMED}|introductory\s+(?P<kind>note|chapter|passage|section)|introduction(?=\s+(?:in\s+which|that|to\s+explain|where))))\b",
    re.I,
)
BESIDE = re.compile(
    rf"\b(?:this\s+(?:part|chapter|scene|act)\s+and|as\s+in|since|unlike\s+in)\s+(?P<what>the\s+{NAMED})(?=[,.;)])",
    re.I,
)
ON_TO = re.compile(
    rf"(?:and\s+)?(?:now\s+)?(?:on|onwards?|off|over)\s*,?\s+to\s+the\s+(?:{NAMED}|finale|conclusion|next\s+(?:chapter|act|scene|part))"
    r"\s*(?:[.!…]+|$)",
    re.I,
)
REST = re.compile(
    r"\b(?P<what>(?:the|this)\s+(?:rest|remainder))\s+of\s+(?:the|this)\s+(?:novel|novella|play|book|poem)"
    r"(?=\s+(?:\w+ly\s+)?(?:takes\s+place|is\s+set|is\s+for|deals|will)\b)",
    re.I,
)
IDIOM = (
    r"(?:(?:comes|draws|winds)\s+to|is\s+brought\s+to)\s+(?:a|an|its)\s+(?:\w+\s+)?(?:close|end|conclusion)"
    r"|is\s+(?:opened|closed)|wraps\s+up|kicks\s+off|gets\s+under\s*way"
)
COMES = re.compile(
    rf"\b(?P<what>(?:the|this)\s+(?:(?:novel|novella)(?=\s+(?:{IDIOM})\b)|{WORK}(?=\s+(?:{IDIOM})\s+(?:with|by|when|where)\b)))",
    re.I,
)
SO = re.compile(
    rf"\b(?:and\s+so|so|thus|hence|finally|ultimately)\s*,?\s+(?P<what>(?:the|this)\s+{WORK})(?=\s+(?:ends|closes|concludes)"
    r"\s+(?:with|on|by)\b)",
    re.I,
)
# "the last line of the play that Tom wrote" is of another play
LINES = re.compile(
    r"\b(?:speaks?|says?|has|gets|utters|are|is|with)\s+the\s+(?:very\s+)?(?:last|final|closing|first|opening)\s+"
    rf"(?:lines?|words?|speech|image|moments?)\s+(?:in|of)\s+(?P<what>(?:the|this)\s+{NOVEL})\b(?!\s+(?:that|which|by|he|she|they)\b)",
    re.I,
)
TELLS = re.compile(
    rf"(?P<what>the\s+(?:{NAMED}|introduction))(?=\s+(?:introduces|describes|tells|presents|explains|shows|opens|begins|sets)\b)",
    re.I,
)


def sections(passage: Passage) -> None:
    """Replace sections, closings and first lines that the summary mentions with "a passage", "this part", etc."""
    text = passage.text
    for match in OPENS_WITH.finditer(text):
        if not SPOKEN.search(_sentence(text, match.end())):
            passage.edit("opening", match.start("what"), match.end("what"), f"a {(match['kind'] or 'passage').lower()}")
    for match in BESIDE.finditer(text):
        if not SPOKEN.search(_sentence(text, match.end())):
            passage.edit("neighbour", match.start("what"), match.end("what"), "another part")
    for match in ON_TO.finditer(text):
        if passage.starts_sentence(match.start()) and match.start() > passage.begins:
            passage.edit("neighbour", match.start(), match.end())
    for match in REST.finditer(text):
        part = "Another part" if match["what"][0].isupper() else "another part"
        passage.edit("neighbour", match.start("what"), match.end("what"), part)
    for pattern in (COMES, SO, LINES, TELLS):
        for match in pattern.finditer(text):
            begins = passage.starts_sentence(match.start())
            if (begins or pattern is LINES) and (pattern is not TELLS or match.start() <= passage.begins):
                part = "This part" if match["what"][0].isupper() else "this part"
                passage.edit("opening", match.start("what"), match.end("what"), part)


def _sentence(text: str, at: int) -> str:
    """Return what follows up to the end of the sentence, at most 200 characters."""
    return re.split(r"[.!?]\s", text[at : at + 200], maxsplit=1)[0]
