"""What is cut from a story, and why: a span to keep, holes in it, and the rules that applied."""

import io
import re
from dataclasses import dataclass, field

UTF16 = (b"\xff\xfe", b"\xfe\xff")
UTF8_MARK = b"\xef\xbb\xbf"
WINDOWS = re.compile(rb"[\x80-\x9f]")  # quotes and dashes in windows-1252, control characters in Latin-1
CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f\x7f]")


# rules of books in the order of the page, so that equal treatment has an equal name
ORDER = (
    "start line", "small print", "header lines", "story_start", "credit", "transcriber's note", "library notice",
    "inline tags", "bookmarks", "closing note", "closing credit", "closing line", "end line", "licence lines",
    "story_end",
)  # fmt: skip


@dataclass(frozen=True)
class StripResult:
    """A story without its wrapping.

    text: what remains. rule: the rules that applied, front to back, or "whole". cut_start, cut_end: characters of the
    decoded file (no byte-order mark, newlines as \\n) before and after the text. warnings: what a person should check.
    cut_inside: characters removed between (notes after a title, tags). holes: their spans in the decoded file, if it is
    plain text.
    """

    text: str
    rule: str
    cut_start: int
    cut_end: int
    warnings: tuple[str, ...]
    cut_inside: int = 0
    holes: tuple[tuple[int, int], ...] = ()


@dataclass
class Cutting:
    """A text, the span of it that is kept so far, and what was done."""

    text: str
    start: int = 0
    end: int = -1
    holes: list[tuple[int, int]] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.end < 0:
            self.end = len(self.text)

    def front(self, position: int, rule: str) -> None:
        """Keep nothing before position."""
        self.start = position
        self.note(rule)

    def back(self, position: int, rule: str) -> None:
        """Keep nothing from position on."""
        self.end = position
        self.note(rule)

    def hole(self, start: int, end: int, rule: str) -> None:
        """Remove a span inside."""
        self.holes.append((start, end))
        self.note(rule)

    def note(self, rule: str) -> None:
        """Record that a rule applied."""
        if rule not in self.rules:
            self.rules.append(rule)

    def kept(self) -> str:
        """Return the text without blank lines at its ends; start and end move to what is kept."""
        text = self.text
        self.end = max(self.end, self.start)
        while self.end > self.start and text[self.end - 1].isspace():
            self.end -= 1
        first = self.start
        while first < self.end and text[first].isspace():
            first += 1
        self.start = max(self.start, text.rfind("\n", self.start, first) + 1)  # the indent of the first line stays
        pieces, at = [], self.start
        for left, right in self.spans():
            pieces.append(text[at:left])
            at = right
        pieces.append(text[at : self.end])
        return "".join(pieces) if len(pieces) > 1 else pieces[0]

    def spans(self) -> list[tuple[int, int]]:
        """Return the holes within what is kept, in order and without overlap."""
        found, at = [], self.start
        for left, right in sorted(self.holes):
            if at < right <= self.end:  # holes may overlap
                found.append((max(at, left), right))
                at = right
        return found

    def result(self) -> StripResult:
        """Return the result; its rule is "whole" if no rule applied."""
        text = self.kept()
        inside = self.end - self.start - len(text)
        rules = sorted(self.rules, key=lambda rule: ORDER.index(rule) if rule in ORDER else -1)
        rule, behind = " + ".join(rules) or "whole", len(self.text) - self.end
        return StripResult(text, rule, self.start, behind, tuple(self.warnings), inside, tuple(self.spans()))


def uncut_story(text: str, warning: str) -> StripResult:
    """Return the text untouched, with the reason as a warning."""
    return StripResult(text, "whole", 0, 0, (warning,))


def is_binary(data: bytes) -> bool:
    """Return whether over one in a hundred of the first bytes is a control character that no text has."""
    head = data[:65_536]
    return 100 * len(CONTROLS.findall(head)) > len(head)


def decode(data: bytes) -> str:
    """Decode a story: UTF-16 by its byte-order mark, UTF-8, windows-1252 if it has its signs, else Latin-1."""
    if data.startswith(UTF16):
        return _read(data, "utf-16", "replace")
    data = data.removeprefix(UTF8_MARK)
    try:
        return _read(data, "utf-8")
    except UnicodeDecodeError:
        pass
    if WINDOWS.search(data):
        try:
            return _read(data, "cp1252")
        except UnicodeDecodeError:
            pass
    return _read(data, "latin-1")


def _read(data: bytes, encoding: str, errors: str = "strict") -> str:
    """Decode as a file in text mode, with universal newlines: faster than decode and replace, benchmarks/strip.py."""
    return io.TextIOWrapper(io.BytesIO(data), encoding=encoding, errors=errors).read()


@dataclass(frozen=True)
class Paragraph:
    """Lines between blank lines: where they start and end, and the number of blank lines before them."""

    start: int
    end: int
    gap: int
    text: str

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")


def paragraphs(text: str, start: int, end: int) -> list[Paragraph]:
    """Return the paragraphs of text[start:end]; for windows, not for whole books."""
    found: list[Paragraph] = []
    at, gap, first, last = start, 0, -1, -1
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        if text[at:stop].strip():
            first = at if first < 0 else first
            last = stop
        else:
            if first >= 0:
                found.append(Paragraph(first, last, gap, text[first:last]))
                first, gap = -1, 0
            gap += 1
        at = stop + 1
    if first >= 0:
        found.append(Paragraph(first, last, gap, text[first:last]))
    return found


def past_blank_lines(text: str, stop: int, end: int) -> int:
    """Return the end of the blank lines after a hole: they are removed with it, so that one gap is left, not two."""
    while stop < end and text[stop].isspace():
        stop += 1
    return text.rfind("\n", 0, stop) + 1 if stop < end else stop


def tokens_at(text: str, tokens: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return where tokens occur in text[start:end], ignoring white space and quotes; at most the first two places."""
    wanted = "".join(sign for sign in tokens if not sign.isspace() and sign not in "\"'`“”‘’")
    if not wanted:
        return []
    pattern = re.compile(r"[\s\"'`“”‘’]*+".join(re.escape(sign) for sign in wanted))
    found: list[tuple[int, int]] = []
    for match in pattern.finditer(text, start, end):
        found.append(match.span())
        if len(found) == 2:
            break
    return found
