"""The visible text of a web page, and where each piece of it was in the page.

A page is read once, left to right, by our own scanner: html.parser takes any <word> for a tag, where film scripts write
<beat>, and hides a whole story after a comment that never closes. Here only names that HTML has had are tags.
"""

import html
import re
from dataclasses import dataclass, field

NAMES = frozenset([
    "a", "abbr", "acronym", "address", "applet", "area", "article", "aside", "audio", "b", "base", "basefont",
    "bdi", "bdo", "bgsound", "big", "blink", "blockquote", "body", "br", "button", "canvas", "caption",
    "center", "cite", "code", "col", "colgroup", "data", "datalist", "dd", "del", "details", "dfn", "dialog",
    "dir", "div", "dl", "dt", "em", "embed", "fieldset", "figcaption", "figure", "font", "footer", "form",
    "frame", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "i",
    "iframe", "image", "img", "input", "ins", "isindex", "kbd", "keygen", "label", "layer", "legend", "li",
    "link", "listing", "main", "map", "mark", "marquee", "menu", "menuitem", "meta", "meter", "multicol", "nav",
    "nobr", "noembed", "noframes", "noscript", "object", "ol", "optgroup", "option", "output", "p", "param",
    "picture", "plaintext", "pre", "progress", "q", "rp", "rt", "ruby", "s", "samp", "script", "section",
    "select", "small", "source", "spacer", "span", "strike", "strong", "style", "sub", "summary", "sup", "svg",
    "table", "tbody", "td", "template", "textarea", "tfoot", "th", "thead", "time", "title", "tr", "track",
    "tt", "u", "ul", "var", "video", "wbr", "xmp",
])  # fmt: skip
TAG = re.compile(
    r"<(?P<shut>/?)(?P<name>[A-Za-z][A-Za-z0-9]*(?::[A-Za-z]\w*)?)(?P<rest>(?:[\s/][^<>\"']*+(?:(?:\"[^<\"]*+\""
    r"|'[^<']*+')[^<>\"']*+)*|[\s/][^<>]*+)?)>"
    r"|</(?:[bipua]|pre|font|center|td|tr|table|div|span|body|html)(?=[ \t]{0,20}[\n<])"  # lacks its own >
    r"|<!--|<![A-Za-z\[][^<>]*+>|<\?[^<>]*+>"
)
BREAKS = frozenset([
    "br", "p", "div", "tr", "li", "blockquote", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "table", "ul",
    "ol", "dl", "dt", "dd", "center", "section", "article", "td", "th", "address",
])  # fmt: skip
BLANKS = frozenset(["p", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "table"])
CODE = frozenset([
    "script", "style", "title", "iframe", "object", "applet", "select", "textarea", "button", "noframes", "xml",
    "svg", "noembed", "template", "head_",
])  # fmt: skip
FURNITURE = frozenset(["nav", "aside", "footer", "header", "form"])
NESTING = frozenset(
    ["div", "ul", "ol", "table", "nav", "aside", "footer", "header", "form", "section", "span", "center", "map", "dl"]
)
FURNITURE_NAMED = re.compile(
    r"(?:class|id|role)\s*=\s*[\"']?[^\"'>]*?\b(?:nav(?:igation|bar|links?)?|menus?|side-?bar|foot(?:er)?"
    r"|breadcrumbs?|comments?|disqus|respond|advert\w*|ads?|banner|sponsors?|social|share|related|copyright"
    r"|disclaimer|search|login)\b",
    re.I,
)
LONGEST_COMMENT = 20_000
ENTITY = re.compile(
    r"&(?:#[0-9]{1,7};?|#[xX][0-9a-fA-F]{1,6};?|[A-Za-z][A-Za-z0-9]{1,31};|(?:nbsp|amp|lt|gt|quot|copy)\b)"
)
PRE = re.compile(r"<pre(?=[\s>/])[^<>]*>", re.I)
SPACES = re.compile(r"[ \t\n\f\r]+")
LINK_ON, LINK_OFF = "\ue000", "\ue001"  # private-use characters: where a link's text starts and ends


@dataclass
class Visible:
    """Text of a page and, for each piece, where it starts in the text and where it was in the page."""

    text: str
    places: list[tuple[int, int, int]]  # start in the text, start and end in the page
    rules: list[str] = field(default_factory=list)

    def in_page(self, position: int, last: bool) -> int:
        """Return the page position of a character of the text (last: one past it); exact in pieces without entities."""
        low, high = 0, len(self.places)
        while low + 1 < high:
            middle = (low + high) // 2
            if self.places[middle][0] < position or (not last and self.places[middle][0] == position):
                low = middle
            else:
                high = middle
        if not self.places:
            return 0
        start, left, right = self.places[low]
        stop = self.places[low + 1][0] if low + 1 < len(self.places) else len(self.text)
        if position - start > stop - position:  # from the nearer end: there are entities between
            return max(left, right - (stop - position))
        return min(right, left + position - start)


def has_markup(text: str) -> bool:
    """Return whether a text has any tag or comment of HTML."""
    return any(found["name"] is None or found["name"].lower() in NAMES for found in TAG.finditer(text))


def visible(text: str, start: int, end: int, *, preformatted: bool, furniture: bool) -> Visible:
    """Return the visible text of text[start:end]. preformatted: its line ends are the text's.

    furniture: remove navigation, forms and readers' comments, by their tags.
    """
    reader = _Reader(text, start, end, preformatted, furniture)
    reader.read()
    return reader.finish()


class _Reader:
    """One pass over a page. Pieces are (text, left, right); a hidden element is a slice, dropped if it closes."""

    def __init__(self, text: str, start: int, end: int, preformatted: bool, furniture: bool) -> None:
        self.text, self.end = text, end
        self.at = start
        self.preformatted, self.furniture = preformatted, furniture
        self.pieces: list[tuple[str, int, int]] = []
        self.hidden: list[tuple[int, int]] = []
        self.open: list[tuple[str, int, int]] = []  # furniture: name, first piece, depth
        self.depth = 0
        self.pre = 0
        self.unclosed: set[str] = set()
        self.rules: list[str] = []

    def read(self) -> None:
        text, position = self.text, self.at
        while True:
            found = TAG.search(text, position, self.end)
            if not found:
                break
            name = found["name"]
            if name is None:
                position = self._comment(found) if found[0] == "<!--" else self._drop(found.start(), found.end())
                continue
            name = name.lower()
            if name not in NAMES and ":" not in name:
                position = found.end() if "<" not in found[0][1:] else found.start() + 1
                continue
            self._say(found.start())
            position = self.at = found.end()
            self._tag(name, bool(found["shut"]), found["rest"] or "")
            if name in CODE and not found["shut"]:
                position = self.at = self._code(name, position)
        self._say(self.end)

    def _drop(self, left: int, right: int) -> int:
        self._say(left)
        self.at = right
        return right

    def _say(self, right: int) -> None:
        if right > self.at:
            self.pieces.append((self.text[self.at : right], self.at, right))
        self.at = right

    def _note(self, rule: str) -> None:
        if rule not in self.rules:
            self.rules.append(rule)

    def _comment(self, found: re.Match[str]) -> int:
        """Hide a comment that closes soon; of one that does not, hide only its sign. Return where to go on."""
        shut = -1 if "<!--" in self.unclosed else self.text.find("-->", found.end(), self.end)
        if shut < 0:
            self.unclosed.add("<!--")
        if shut >= 0 and shut - found.end() <= LONGEST_COMMENT:
            self._note("comments")
            return self._drop(found.start(), shut + 3)
        return self._drop(found.start(), found.end())

    def _code(self, name: str, position: int) -> int:
        """Return the end of a script, style or title; for one that never closes, the end of its tag."""
        if name in self.unclosed:
            return position
        shut = re.compile(rf"</{name}\b[^<>]*+>?", re.I).search(self.text, position, self.end)
        if not shut:
            self.unclosed.add(name)
            return position
        limit = {"title": 2_000, "noframes": 3_000}.get(name, 200_000)
        if shut.start() - position > limit:
            return position
        self._note("scripts" if name in ("script", "style") else "page elements")
        return shut.end()

    def _tag(self, name: str, shut: bool, rest: str) -> None:
        if name == "pre":
            self.pre = max(0, self.pre + (-1 if shut else 1))
        if name == "a" and not self.pre:
            if not shut and "href" in rest.lower():
                self.pieces.append((LINK_ON, -1, -1))
            elif shut:
                self.pieces.append((LINK_OFF, -1, -1))
        elif name in BREAKS and not (shut and name == "br"):
            as_is = self.pre or self.preformatted
            if not as_is or (name in ("br", "p", "div", "li", "tr", "hr") and not (shut and name != "p")):
                self.pieces.append(("\0\0" if name in BLANKS else "\0", -1, -1))
        if self.furniture and name in NESTING:
            self._nest(name, shut, rest)

    def _nest(self, name: str, shut: bool, rest: str) -> None:
        if self.open:
            opened, first, depth = self.open[-1]
            if name == opened:
                depth += -1 if shut else 1
                if depth == 0:
                    self.open.pop()
                    self.hidden.append((first, len(self.pieces)))
                else:
                    self.open[-1] = (opened, first, depth)
        elif not shut and (name in FURNITURE or FURNITURE_NAMED.search(rest[:1_000])):
            self.open.append((name, len(self.pieces), 1))

    def finish(self) -> Visible:
        keep = self._without_furniture()
        raw_break = self.preformatted
        out: list[str] = []
        places: list[tuple[int, int, int]] = []
        size = 0
        fresh = True  # at the start of a line
        pre = raw_break
        for piece, left, right in keep:
            if left < 0:
                if piece[0] == "\0":
                    said = "\n" if pre else piece.replace("\0", "\n")
                    fresh = True
                else:
                    said = piece
            else:
                said = piece.replace("\0", "").replace(LINK_ON, "").replace(LINK_OFF, "")
                verbatim = pre or self._in_pre(left)
                if not verbatim:
                    said = SPACES.sub(" ", said)
                    if fresh:
                        said = said.lstrip(" ")
                if "&" in said:
                    said = ENTITY.sub(
                        lambda found: html.unescape(found[0] if found[0].endswith(";") else found[0] + ";"), said
                    )
                if "\xa0" in said:
                    said = said.replace("\xa0", " ")
                if said:
                    fresh = said[-1] in "\n " if not verbatim else said.endswith("\n")
                places.append((size, left, right))
            out.append(said)
            size += len(said)
        return Visible("".join(out), places, self.rules)

    def _in_pre(self, position: int) -> bool:
        spans = self.__dict__.setdefault("_spans", pre_spans(self.text))
        low, high = 0, len(spans)
        while low < high:
            middle = (low + high) // 2
            if spans[middle][1] <= position:
                low = middle + 1
            else:
                high = middle
        return low < len(spans) and spans[low][0] <= position

    def _without_furniture(self) -> list[tuple[str, int, int]]:
        """Return pieces without navigation; if that were half of the page, the names are wrong and all pieces stay."""
        if not self.hidden:
            return self.pieces
        total = sum(right - left for _, left, right in self.pieces)
        gone = sum(right - left for first, stop in self.hidden for _, left, right in self.pieces[first:stop])
        if gone * 2 > total:
            return self.pieces
        self._note("navigation")
        keep: list[tuple[str, int, int]] = []
        at = 0
        for first, stop in self.hidden:
            keep += self.pieces[at:first]
            keep.append(("\0", -1, -1))
            at = stop
        return keep + self.pieces[at:]


def pre_spans(text: str) -> list[tuple[int, int]]:
    """Return the <pre> elements of a page, outermost only, in order."""
    spans: list[tuple[int, int]] = []
    at = 0
    while opened := PRE.search(text, at):
        shut = re.compile(r"</pre\b", re.I).search(text, opened.end())
        stop = shut.start() if shut else len(text)
        spans.append((opened.end(), stop))
        at = stop
    return spans
