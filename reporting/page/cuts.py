"""A page of all edits that preprocessing made to texts, by rule and with context, so that a person can check them."""

import html
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields

from scrollwork.reporting.page.text import cut_text

LONGEST = 300  # characters shown of a text on the page; the tab-separated file has all
STYLE = """body{font:15px/1.4 system-ui,sans-serif;margin:2em auto;max-width:75em;padding:0 1em}
table{border-collapse:collapse;width:100%}
td,th{border-bottom:1px solid #ddd;padding:.3em .5em;text-align:left;vertical-align:top}
del{background:#fdd}ins{background:#dfd;text-decoration:none}.file{color:#666;font-size:85%}"""


@dataclass(frozen=True)
class Cut:
    """One change: `removed` became `replacement` ("" for nothing) between `before` and `after`, by a named rule."""

    rule: str
    file: str
    name: str
    before: str
    removed: str
    replacement: str
    after: str


def counts(cuts: Sequence[Cut]) -> dict[str, dict[str, int]]:
    """By rule: number of edits and of files with edits, and how many characters were removed in all."""
    edits = Counter(cut.rule for cut in cuts)
    files = Counter(rule for rule, _ in {(cut.rule, cut.file) for cut in cuts})
    fewer: Counter[str] = Counter()
    for cut in cuts:
        fewer[cut.rule] += len(cut.removed) - len(cut.replacement)
    return {rule: {"edits": edits[rule], "files": files[rule], "characters": fewer[rule]} for rule in edits}


def tab_separated(cuts: Sequence[Cut]) -> str:
    """One line for each cut, with a header; tabs, newlines and backslashes are written as \\t, \\n, \\\\."""
    lines = ["\t".join(field.name for field in fields(Cut))]
    lines += ["\t".join(_one_line(value) for value in astuple(cut)) for cut in cuts]
    return "\n".join(lines) + "\n"


def _one_line(value: str) -> str:
    pairs = (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"))
    for character, written in pairs:
        value = value.replace(character, written)
    return value


def page(cuts: Sequence[Cut], title: str) -> str:
    """The cuts as an HTML page without scripts; all texts are escaped."""
    return "\n".join(_page(cuts, title)) + "\n"


def _page(cuts: Sequence[Cut], title: str) -> Iterator[str]:
    yield f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{_safe(title)}</title>'
    yield f"<style>{STYLE}</style></head><body><h1>{_safe(title)}</h1>"
    yield "<table><tr><th>rule</th><th>edits</th><th>files</th><th>characters</th></tr>"
    by_rule = counts(cuts)
    for rule, one in by_rule.items():
        yield f'<tr><td><a href="#{_safe(rule)}">{_safe(rule)}</a></td>'
        yield "".join(f"<td>{one[key]}</td>" for key in ("edits", "files", "characters")) + "</tr>"
    yield "</table>"
    for rule in by_rule:
        yield f'<h2 id="{_safe(rule)}">{_safe(rule)}</h2><table>'
        for cut in cuts:
            if cut.rule == rule:
                yield f"<tr><td>{_safe(cut.before)}<del>{_safe(cut.removed)}</del><ins>{_safe(cut.replacement)}</ins>"
                yield f'{_safe(cut.after)}</td><td class="file">{_safe(cut.name)}<br>{_safe(cut.file)}</td></tr>'
        yield "</table>"
    yield "</body></html>"


def _safe(text: str) -> str:
    """Untrusted text for HTML: escaped, invisible characters shown, cut to LONGEST."""
    return html.escape(cut_text(text, LONGEST))
