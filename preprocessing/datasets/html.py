"""The visible text of HTML, by the standard library's parser: no tags, no entities, line breaks as on the page."""

import re
from html.parser import HTMLParser

BREAKS = {"p", "br", "hr", "div", "tr", "li", "blockquote", "pre", "h1", "h2", "h3", "h4", "h5", "h6"}
HIDDEN = {"script", "style", "head", "title"}


class _Text(HTMLParser):
    """A parser that collects visible text, with NUL where a block ends."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in HIDDEN:
            self._hidden += 1
        elif tag in BREAKS:
            self.pieces.append("\0")

    def handle_endtag(self, tag: str) -> None:
        if tag in HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag in BREAKS:
            self.pieces.append("\0")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.pieces.append(data.replace("\0", ""))


def visible_text(html: str) -> str:
    """Return blocks as lines, with the white space inside a block collapsed as a browser does."""
    parser = _Text()
    parser.feed(html)
    parser.close()
    blocks = (re.sub(r"\s+", " ", block).strip() for block in "".join(parser.pieces).split("\0"))
    return "\n".join(block for block in blocks if block)
