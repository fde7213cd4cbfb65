"""Recognition of web pages, and of the part of a page that is the story."""

import re

from scrollwork.preprocessing.stories.visible_text import PRE, pre_spans

SCRIPT_CELL = re.compile(r"<(td|div)\b[^<>]{0,500}class\s*=\s*[\"']?scrtext[^<>]{0,500}>", re.I)
BODY = re.compile(r"<body(?=[\s>/])[^<>]*>", re.I)
PAGE = re.compile(
    r"\s*(?:<\?xml[^<>]*>\s*)?(?:<!--[^<>]{0,2000}-->\s*)?<(?:!doctype\s+html|html|head|body|frameset|title|meta"
    r"|script)\b",
    re.I,
)
LONGEST_ERROR_PAGE = 20_000  # bytes
ERROR_PAGE = re.compile(
    r"<(?:title|h1|h2)\b[^<>]*>\s*(?:(?:HTTP\s+)?error|oops|sorry|[345]\d\d|found|moved permanently|forbidden"
    r"|bad gateway|service unavailable|too many requests|just a moment)\b"
    r"|<(?:title|h1|h2)\b[^<>]*>[^<]{0,80}\b(?:40[0-9]|50[0-4]|not found|access (?:is )?denied)\b",
    re.I,
)


def is_page(text: str) -> bool:
    """Return whether a text is a whole HTML page."""
    if text.find("<", 0, 3_000) < 0:
        return False
    return bool(PAGE.match(text)) or bool(
        re.search(r"<html[\s>]", text[:3_000], re.I) and re.search(r"<(?:body|head|pre)[\s>]", text[:20_000], re.I)
    )


def is_error_page(text: str) -> bool:
    """Return whether a file is a short page by which a server says that it has no such story."""
    if not is_page(text):
        return False
    seen = re.sub(r"<(script|style)\b.*?</\1\s*>|<[^<>]*+>", " ", text, flags=re.I | re.S)
    return len(seen.split()) < 300 and bool(ERROR_PAGE.search(text))


def story_part(text: str) -> tuple[int, int, str]:
    """Return the span of a page that has the story, and the rule: the script's cell, the <pre>, the body or all."""
    start, end, rule = 0, len(text), ""
    cell = SCRIPT_CELL.search(text)
    if cell:
        start, rule = cell.end(), "scrtext"
    pre = PRE.search(text, start)
    if pre:
        shut = _last_shut(text, pre.end(), end)
        if cell and not shut:
            footer = re.compile(r"<table\b|</td", re.I).search(text, pre.end())
            shut = footer.start() if footer else 0
        stop = shut or _body_end(text, pre.end())
        inside = _letters(text[pre.end() : stop])
        if (
            inside >= 0.5 * _letters(text[start:])
            or (not cell and inside >= 0.6 * _letters(text))
            or (cell and inside > 2_000)
        ):
            return pre.end(), stop, (rule + " pre").strip()
    if cell:
        footer = re.compile(r"<table\b|</td\b", re.I).search(text, start)
        return start, footer.start() if footer and footer.start() - start > 500 else _body_end(text, start), rule
    body = BODY.search(text)
    if body:
        return body.end(), _body_end(text, body.end()), "body"
    return 0, _body_end(text, 0), ""


def _last_shut(text: str, start: int, end: int) -> int:
    """Return where the last </pre> is, else 0; several blocks of one script count as one."""
    lowered = max(text.rfind("</pre", start, end), text.rfind("</PRE", start, end), text.rfind("</Pre", start, end))
    return max(lowered, 0)


def _body_end(text: str, start: int) -> int:
    places = [text.rfind(shut, start) for shut in ("</body", "</BODY", "</html", "</HTML")]
    found = [place for place in places if place >= 0]
    return min(found) if found and min(found) > start + (len(text) - start) // 2 else len(text)


def _letters(text: str) -> int:
    """Return the number of characters outside tags, roughly: enough to compare two parts of a page."""
    return len("".join(re.sub(r"<[^<>]*+>", "", text).split()))


def mostly_preformatted(text: str, start: int, end: int) -> bool:
    """Return whether most of a part is in <pre>: books have only the library's header and licence in it."""
    inside = sum(_letters(text[max(left, start) : min(right, end)]) for left, right in pre_spans(text))
    return 2 * inside > _letters(text[start:end])
