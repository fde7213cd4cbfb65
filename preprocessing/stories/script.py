"""Film scripts as script sites publish them, without page frames, code, links and site notices."""

import re

from scrollwork.preprocessing.stories.cut import Cutting, StripResult, tokens_at, uncut_story
from scrollwork.preprocessing.stories.page import story_part
from scrollwork.preprocessing.stories.visible_text import LINK_OFF, LINK_ON, Visible, has_markup, visible

EDGE_LINES = 60  # lines at either end in which a site's own lines are looked for
CODE_LINE = re.compile(
    r"(?:<!--|-->|//\s*-*>?|/\*|\*/|//.{0,80}-->|if\s*\(\s*(?:window|top|self|parent)\b.*|\{|\}|(?:top|window"
    r"|self|parent|document)\.\w[\w.]*\s*[=(.].*|var\s+\w+\s*=.*|function\s+\w+\s*\(.*\)\s*\{?"
    r"|Break-out-of-frames script.*|By (?:Website Abstraction|JavaScript Kit|Dynamic Drive).*"
    r"|Over \d+\+ free scripts.*|Above notice MUST stay.*|A slightly modified version of .*"
    r"|location\.(?:href|replace)\b.*|google_ad\w*\s*=.*|_gaq\.push.*|\(adsbygoogle.*|ga\(.*\);?|_uacct\s*=.*"
    r"|urchinTracker\(.*|\w+\.focus\(\);?|\w+\(\);)",
    re.I,
)
CODE_STARTS = re.compile(
    r"<!--|/\*|if\s*\(\s*(?:window|top|self|parent)\b|Break-out-of-frames|A slightly modified version|var\s"
    r"|function\s|google_ad|document\.",
    re.I,
)
NOTICE = re.compile(
    r"(?:this )?(?:movie |film )?(?:script|screenplay|transcript)s? (?:is |are )?(?:provided|made available"
    r"|presented|posted|for)\b.{0,40}\b(?:education|information|personal|research|entertainment)\w*.*"
    r"|(?:more|other|thousands of|hundreds of|\d+\+?|find|read) .{0,30}(?:movie )?(?:scripts?|screenplays?"
    r"|transcripts?) .{0,40}(?:here|at|on|found|http|www).*(?:https?:|www\.|\.com|here).*"
    r"|for educational purposes only\.?"
    r"|.{0,60}\b(?:all |these |this )(?:scripts?|screenplays?|transcripts?|files?|pages?) (?:is|are) (?:solely |only )?"
    r"(?:meant |intended )?for (?:private|personal|educational|non-?commercial)"
    r" (?:use|study|reading|purposes)\b.{0,100}"
    r"|[\w'’.&! ]{0,40}\b(?:script|screenplay|transcript)s?\b[\w'’.&! ]{0,30}[-–|:]\s+https?://\S+"
    r"|(?:visitors?|hits)(?: since .{3,30})?: [\d,.]{2,}"
    r"|transcribed from .{0,60}\w@\w.{0,60}"
    r"|transcript(?:ion)? (?:made |prepared )?by\b.{0,120}(?:\w@\w|https?://|www\.).{0,60}"
    r"|(?:converted|conversion) to (?:pdf|html|text) by.*|(?:html|pdf|text|web|screenplay|script) (?:version"
    r"|conversion|format\w*|transcri\w+|page) by .*"
    r"|(?:transcribed|typed|scanned|ocr'?d|html'?d|html|digiti[sz]ed|uploaded|submitted|posted|formatted|proofed"
    r"|proofread) (?:and \w+ )?by\b.{0,100}"
    r"|(?:this )?(?:script|screenplay|transcript|file|text) (?:was |is )?(?:found|taken|downloaded|transcribed"
    r"|typed|scanned|converted|provided|supplied|submitted|brought to you|hosted|courtesy)\b.{0,160}"
    r"|(?:downloaded|obtained|courtesy|reprinted|taken) (?:from|of|at) .{0,60}(?:https?:|www\.|\.com|\.net|\.org"
    r"|imsdb|dailyscript|drew'?s|simplyscripts|script-?o-?rama|awesomefilm).{0,80}"
    r"|(?:visit|go to|see|e-?mail|contact|mail|check out)\b.{0,80}(?:https?://|www\.|\w@\w).{0,80}"
    r"|(?:\W{0,3}(?:back to|return to|go back to|home|visit)\W{1,3}.{0,40}(?:imsdb|internet movie script|script"
    r"|home|index|main|top|page|list|menu|drew|daily|awesome|scripts?)\b.{0,30})"
    r"|.{0,30}(?:internet movie script database|\bimsdb\b|daily ?script\.?|awesome ?film|simply ?scripts"
    r"|drew'?s script|script-?o-?rama|scriptologist|screentalk|movie-?page\.com|sellingyourscreenplay|joblo\.com"
    r"|scifiscripts|horrorlair|weeklyscript|screenplays-?online|moviescriptsandscreenplays|script ?city"
    r"|the ?script ?lab)\b.{0,80}"
    r"|(?:user comments|latest comments|movie chat|add (?:your |a )?comments?|post (?:your |a )?comments?"
    r"|comments?\s*\(?\d*\)?|\d+ comments?|leave a (?:reply|comment)|read (?:more )?comments?|share (?:this"
    r"|on).*|tweet|log ?in|sign ?up|register|advertisements?|sponsored (?:links?|by).*|ads by google)\s*:?"
    r"|(?:home|contact us|about us|disclaimer|privacy policy|terms of (?:use|service)|site ?map|all scripts"
    r"|guestbook|print this page|back to top)"
    r"|(?:home|(?:scripts?|screenplays?)(?: a ?- ?z)?|movie scripts?|tv scripts?|search|contact(?: us)?"
    r"|about(?: us)?|links|news|forum"
    r"|disclaimer|privacy(?: policy)?|terms(?: of (?:use|service))?|site ?map|faq|help|all scripts|guestbook|top"
    r"|previous|next)"
    r"(?:\s*[|•·:\[\]/-]+\s*(?:home|(?:scripts?|screenplays?)(?: a ?- ?z)?|movie scripts?|tv scripts?|search"
    r"|contact(?: us)?|about(?: us)?"
    r"|links|news|forum|disclaimer|privacy(?: policy)?|terms(?: of (?:use|service))?|site ?map|faq|help"
    r"|all scripts|guestbook|top|previous|next)\W*)+"
    r"|(?:this (?:page|site|website) (?:uses|requires|was|is|has)|your browser (?:does|doesn|must)"
    r"|you are visitor|best viewed|page (?:last )?updated|last (?:updated|modified)|site (?:design|by|map)"
    r"|designed by|webmaster|hosted by|powered by|web ?hosting)\b.{0,160}"
    r"|(?:all )?(?:movie |film )?scripts? (?:and screenplays? )?(?:are |is )?(?:property|copyright|\(c\)|©).{0,160}"
    r"|(?:copyright|©|\(c\))\s*(?:©|\(c\))?"
    r"\s*(?:\d{4}(?:\s*[-–]\s*\d{4})?,?\s*)?(?:by )?\S*\.(?:com|net|org)\b.{0,100}"
    r"|(?:copyright|©|\(c\))\s*\d{4}(?:\s*[-–]\s*\d{4})? (?:[\w'’]+ ){0,3}(?:scripts|screenplays|transcripts)\b.{0,40}"
    r"|\[?\(?(?:https?://|www\.)\S+\]?\)?\W*"
    r"|\W{0,2}(?:gutter|banner|ad)\W*-*>?",
    re.I,
)
# what a site says about the film below the script; on a title page the same words would be the script's
BELOW = re.compile(
    r"please (?:send|e-?mail|mail) (?:me |us |any |your |all )*(?:corrections|comments|errors|typos)\b.{0,80}"
    r"|(?:writers?|genres?|script date|movie release date|user rating|average user rating|imsdb (?:opinion"
    r"|rating))\s*:.{0,200}|.{0,40}\b[\w.]+@\w[\w.]*\.[a-z]{2,}\W*",
    re.I,
)
# lines that a site also prints inside the script, once per page
ANYWHERE = re.compile(
    r"^[ \t]*Script provided for educational purposes\.?[^\n]*(?:\n[ \t]*(?:More scripts can be found here[^\n]*"
    r"|https?://\S*sellingyourscreenplay\S*[ \t]*))*\n?"
    r"|^[ \t]*More scripts can be found here:?[^\n]*\n?"
    r"|^[ \t]*(?:https?://)?www\.sellingyourscreenplay\.com\S*[ \t]*\n?",
    re.I | re.M,
)
LINKS_ONLY = re.compile(
    rf"(?:[^\w{LINK_ON}{LINK_OFF}]|\d)*+(?:{LINK_ON}[^{LINK_ON}{LINK_OFF}]*+{LINK_OFF}(?:[^\w{LINK_ON}{LINK_OFF}]"
    rf"|\d)*+)+"
)
COMMENTS_HEAD = re.compile(
    r"\s*(?:user comments|latest comments|comments(?: on| for|\s*\(\d+\)|:)?.{0,60}|\d+ comments?"
    r"|reader comments|add (?:your |a )?comment|leave a (?:reply|comment)|post (?:a|your) comment"
    r"|discuss this (?:script|movie).*)\s*",
    re.I,
)
THE_END = re.compile(
    r"^[ \t]*+(?:[^\w\n]|_){0,10}(?:THE[ \t]+END|The[ \t]+End|T ?H ?E +E ?N ?D|END|FIN|FINIS|FADE OUT"
    r"|FADE TO BLACK|CUT TO BLACK|E N D)(?:[^\w\n]|_)*$",
    re.M,
)


def strip_script(page: str, story_start: str, story_end: str) -> StripResult:
    """Return a film script without the page around it."""
    start, end, part = story_part(page)
    marked = has_markup(page)
    seen = visible(page, start, end, preformatted=_preformatted(page, start, end, part), furniture="pre" not in part)
    cut = Cutting(seen.text)
    if part:
        cut.note(f"page: {part}")
    elif marked:
        cut.note("tags")
    for rule in seen.rules:
        cut.note(rule)
    _edges(cut)
    _tokens(cut, story_start, story_end)
    _edges(cut)
    for notice in ANYWHERE.finditer(seen.text, cut.start, cut.end) if _sells(seen.text) else ():
        cut.hole(*notice.span(), "site notice")
    if not cut.rules and seen.text != page:  # "&amp;" in a file without tags
        cut.note("entities")
    if not cut.rules:
        return uncut_story(page, "; ".join(["no tag, no marker found: whole text kept", *cut.warnings]))
    return _in_page(cut, seen, page)


def _sells(text: str) -> bool:
    lowered = text.lower()
    return (
        "educational purposes" in lowered
        or "more scripts can be found" in lowered
        or "sellingyourscreenplay" in lowered
    )


def _preformatted(page: str, start: int, end: int, part: str) -> bool:
    """Return whether line ends of the page are the script's: in a <pre>, or if tags make few lines."""
    if "pre" in part:
        return True
    lines = page.count("\n", start, end)
    breaks = len(re.findall(r"<(?:br|p|div|tr|li)\b", page[start:end], re.I))
    return lines > 3 * breaks


def _lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return spans of the lines of a window that are not blank."""
    found, at = [], start
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        if text[at:stop].strip():
            found.append((at, stop))
        at = stop + 1
    return found


def _bare(text: str) -> str:
    return text.replace(LINK_ON, "").replace(LINK_OFF, "").strip()


def _is_site_line(line: str, below: bool = False) -> str:
    """Return the rule by which a line at the edge is the site's; "" if it is the script's."""
    if LINKS_ONLY.fullmatch(line.strip()):
        return "links"
    bare = _bare(line)
    if len(bare) < 400 and CODE_LINE.fullmatch(bare):
        return "frame script"
    if len(bare) < 400 and (NOTICE.fullmatch(bare) or (below and BELOW.fullmatch(bare))):
        return "site notice"
    return ""


def _edges(cut: Cutting) -> None:
    """Cut lines of the site from either end inwards, and code or notices among the first lines."""
    _front_edge(cut)
    _comments(cut)
    text = cut.text
    lines = _lines(text, max(cut.start, cut.end - 40_000), cut.end)
    while lines:
        left, right = lines.pop()
        rule = _is_site_line(text[left:right], below=True)
        if rule:
            cut.back(left, rule)
            continue
        # a date or a separator between two lines of the site
        if (
            lines
            and len(_bare(text[left:right])) < 40
            and _decoration(text[left:right])
            and _is_site_line(text[lines[-1][0] : lines[-1][1]], below=True)
        ):
            cut.back(left, "site notice")
            continue
        break


def _decoration(line: str) -> bool:
    bare = _bare(line)
    return bool(re.fullmatch(r"[\W\d_]*", bare)) or bool(
        re.fullmatch(r"(?:\w+ \d{1,2},? \d{4}|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|\d{1,2} \w+ \d{4})", bare)
    )


def _front_edge(cut: Cutting) -> None:
    text = cut.text
    lines = _lines(text, cut.start, min(cut.end, cut.start + 12_000))[:EDGE_LINES]
    leading = True
    code = False
    for number, (left, right) in enumerate(lines):
        line = text[left:right]
        rule = _is_site_line(line)
        bare = _bare(line)
        if rule == "frame script":
            code = code or bool(CODE_STARTS.match(bare))
            rule = rule if code else ""
        if leading and rule:
            cut.front(right, rule)
        elif leading and _names_site(bare, text[slice(*lines[number + 1])] if number + 1 < len(lines) else ""):
            cut.front(right, "site notice")
        elif rule == "frame script" or (rule == "site notice" and number < 30 and _sure(bare)):
            cut.hole(left, min(right + 1, cut.end), rule)
        else:
            if (
                leading
                and _decoration(line)
                and number + 1 < len(lines)
                and _is_site_line(text[lines[number + 1][0] : lines[number + 1][1]])
            ):
                continue
            leading = False
    _educational(cut)


def _names_site(line: str, below: str) -> bool:
    """Return whether a line is a site's name: it mentions scripts, and the next is an address and no more."""
    named = re.search(r"\b(?:scripts|screenplays|transcripts)\b", line, re.I)
    return bool(named and len(line) < 60 and re.fullmatch(r"(?:https?://|www\.)\S+", _bare(below)))


def _sure(line: str) -> bool:
    """Return whether a notice is none that a script could have, wherever it is among the first lines."""
    return bool(
        re.search(
            r"educational purposes|more scripts|https?://|www\.|converted to|imsdb|dailyscript|awesomefilm"
            r"|simplyscripts|screentalk|script-?o-?rama",
            line,
            re.I,
        )
    )


def _educational(cut: Cutting) -> None:
    """Remove FOR EDUCATIONAL PURPOSES ONLY, on one or several lines, as stamped on a title page."""
    found = re.compile(r"^[ \t]*FOR\s+EDUCATIONAL\s+PURPOSES\s+ONLY\.?[ \t]*\n?", re.M | re.I).search(
        cut.text, cut.start, min(cut.end, cut.start + 6_000)
    )
    if found and not any(left <= found.start() < right for left, right in cut.holes):
        cut.hole(*found.span(), "site notice")


def _comments(cut: Cutting) -> None:
    """Cut readers' comments, from their heading to the end, if the heading is after the script's own end."""
    text = cut.text
    floor = cut.start + (cut.end - cut.start) // 2
    ends = [found.end() for found in THE_END.finditer(text, floor, cut.end)]
    if not ends:
        return
    for left, right in _lines(text, ends[-1], cut.end)[:40]:
        if COMMENTS_HEAD.fullmatch(_bare(text[left:right])):
            cut.back(left, "readers' comments")
            return


def _tokens(cut: Cutting, story_start: str, story_end: str) -> None:
    """Cut at upstream's own first and last tokens, each if it occurs once, near its end of the script."""
    text = cut.text
    size = cut.end - cut.start
    reach = max(6_000, size // 20)
    found = tokens_at(text, story_start, cut.start, min(cut.end, cut.start + reach))
    if len(found) == 1 and _bare(text[cut.start : found[0][0]]):
        line = text.rfind("\n", cut.start, found[0][0]) + 1
        cut.front(max(cut.start, line), "story_start")
    elif len(found) > 1:
        first = _bare(text[cut.start : found[0][0]])
        if first:
            cut.warnings.append("story_start stands twice: not used")
    elif not found and story_start.strip() and not re.match(r"if \(|/\*|<", story_start):
        cut.warnings.append("story_start not found")
    found = tokens_at(text, story_end, max(cut.start, cut.end - reach), cut.end)
    if len(found) == 1 and _bare(text[found[0][1] : cut.end]):
        line = text.find("\n", found[0][1], cut.end)
        if line >= 0 and _bare(text[line : cut.end]):
            cut.back(line, "story_end")
    elif len(found) > 1 and _bare(text[found[1][1] : cut.end]):
        cut.warnings.append("story_end stands twice: not used")
    elif not found and story_end.strip() and not re.search(r"-- ?>", story_end):
        cut.warnings.append("story_end not found")


def _in_page(cut: Cutting, seen: Visible, page: str) -> StripResult:
    """Return the result with its cuts counted in the page."""
    text = cut.kept().replace(LINK_ON, "").replace(LINK_OFF, "")
    lines = [line.rstrip() for line in text.split("\n")] if "page: body" in cut.rules else None
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") if lines is not None else text
    if not text.strip():
        return uncut_story(page, "nothing would be left: whole text kept")
    left = seen.in_page(cut.start, last=False)
    right = seen.in_page(cut.end, last=True)
    return StripResult(
        text, " + ".join(cut.rules), left, max(0, len(page) - right), tuple(cut.warnings), right - left - len(text)
    )
