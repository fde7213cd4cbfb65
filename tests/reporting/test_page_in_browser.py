"""The pages in a real browser: headless Chromium, from file://, without network."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, NONE, Tab, browser
from driving import BODY, LISTED, ROWS, change, opened, quiet, show
from pages import TEXT, written

from scrollwork.reporting.page.content import Findings

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason=NONE)]

AXE = Path(__file__).parent / "axe" / "axe.min.js"
ALERTS = (
    "window.ran = []; for (const name of ['alert', 'confirm', 'prompt', 'open']) window[name] = () => ran.push(name);"
)

HOSTILE = [
    "<script>window.ran.push(1)</script>",
    "</script><script>window.ran.push(1)</script>",
    "<!--<script>",
    "--><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>",
    "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "<object data='data:text/html,<script>alert(1)</script>'></object>",
    "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
    "javascript:alert(1)",
    "<a href=javascript:alert(1) autofocus onfocus=alert(1)>x</a>",
    "<body onload=alert(1)>",
    "<style>*{display:none}</style>",
    "<link rel=stylesheet href=http://127.0.0.1:9/x.css>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    "<base href=http://127.0.0.1:9/>",
    "<form action=http://127.0.0.1:9/><button autofocus>x</button></form>",
    "<math><mtext></mtext><script>alert(1)</script></math>",
    "{{constructor.constructor('alert(1)')()}} ${alert(1)} {% raw %}",
    '"><details open ontoggle=alert(1)>',
    "\u202eevil.exe\u202c \u2066a\u2069 \u200f\u200e",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b1m",
    "nul\x00 backspace\x08\x08 vertical\x0b form\x0c del\x7f",
    "\u2028line\u2029paragraph\ufeff\u200b\u00ad\u3164",
    "Z" + "\u0300" * 5000,
    "漢字" * 3000 + "\U0001f4a9" * 500 + "\U000e0041\ue000\uffff",
    "a\n" * 20000,
    "W" * 2**20,
]


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with browser() as one:
        one.call("Page.addScriptToEvaluateOnNewDocument", source=ALERTS)
        yield one


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a real run on two tasks of the sample."""
    home = tmp_path_factory.mktemp("home")
    command = [
        sys.executable,
        "-m",
        "scrollwork.cli.main",
        "--home",
        str(home),
        "--quiet",
        "run",
        "zeroscrolls",
        "--sample",
    ]
    command += ["--model", "naive", "--model", "lead", "--task", "musique", "--task", "quality", "--engine", "inline"]
    subprocess.run(command, check=True, capture_output=True)
    return home / "reports" / "zeroscrolls.html"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """30 hostile answers; as references and document, too."""
    text = "".join(f"{one[:2000]}\n" for one in HOSTILE)
    folder = tmp_path_factory.mktemp("hostile")
    return written(folder, {"evil": HOSTILE, "<b>m</b>": ["fine"] * len(HOSTILE)}, text=text, reference=HOSTILE[1])


def test_page_logs_errors_or_asks_a_network(tab: Tab, page: Path) -> None:
    opened(tab, page)
    assert "naive" in tab.run("document.querySelector('table.board').innerText")
    assert "Published, not computed here" in tab.run("document.body.innerText")
    for name in ("answers", "references", "prompt", "document"):
        show(tab, name)
        assert len(tab.run(BODY)) > 20
    quiet(tab)


def test_sorting_leaves_the_rows_as_they_were(tab: Tab, page: Path) -> None:
    opened(tab, page)
    names = "[...document.querySelectorAll('tr[data-line]')].map(row => row.dataset.label)"
    tab.run("document.querySelector('th[data-key=quality] button').click()")
    falling = tab.run(names)
    tab.run("document.querySelector('th[data-key=quality] button').click()")
    assert tab.run(names) == falling[::-1]
    assert tab.run("document.querySelector('th[data-key=quality]').getAttribute('aria-sort')") == "ascending"
    values = "[...document.querySelectorAll('tr[data-line]')].map(row => Number(row.cells[8].dataset.value))"
    assert tab.run(values) == sorted(tab.run(values))
    quiet(tab)


def test_filters_show_everything_or_nothing(tab: Tab, page: Path) -> None:
    opened(tab, page)
    change(tab, "models-filter", "lea")
    assert tab.run("[...document.querySelectorAll('tr[data-label]:not([hidden])')].map(r => r.dataset.label)") == [
        "lead"
    ]
    everything = tab.run(LISTED)
    name = tab.run("document.querySelector('#examples tbody button').textContent")
    change(tab, "ids", name)
    tab.wait(f"{LISTED} < {everything}")
    assert name in tab.run("document.querySelector('#examples tbody').innerText")
    change(tab, "ids", "no example is called this")
    tab.wait(f"{LISTED} === 0")
    change(tab, "ids", "")
    tab.wait(f"{LISTED} === {everything}")


def test_comparing_shows_no_difference_by_task_or_example(tab: Tab, page: Path) -> None:
    opened(tab, page)
    change(tab, "reference", "lead")
    assert tab.run("document.querySelectorAll('tr[data-line] .delta').length") == 2  # two tasks, no average
    assert "musique" in tab.run("document.getElementById('pair').innerText")
    assert "difference" in tab.run("document.querySelector('#examples thead').innerText")
    tab.run("document.querySelector('#examples [data-key=difference] button').click()")
    tab.wait("document.querySelector('#examples [data-key=difference]').getAttribute('aria-sort') === 'descending'")
    shown = tab.run(f"{ROWS}.map(row => Number(row.cells[4].innerText.replace('−', '-')))")
    assert shown == sorted(shown, reverse=True)
    show(tab, "answers")
    assert tab.run("document.querySelectorAll('#example-body .answer').length") == 2
    quiet(tab)


def test_a_tested_difference_is_marked_by_its_corrected_p_in_either_direction(tab: Tab, tmp_path: Path) -> None:
    tests = [
        {
            "split": "test",
            "task": task,
            "model": "one",
            "arm": "full",
            "other": "two",
            "other_arm": "full",
            "value": 30.0,
            "other_value": 25.0,
            "difference": 5.0,
            "low": 2.0,
            "high": 8.0,
            "p": 0.01,
            "p_holm": adjusted,
            "detectable": 3.0,
            "inputs": 40,
            "left_out": 1,
            "clusters": clusters,
        }
        for task, adjusted, clusters in (("qasper", 0.04, 40), ("quality", 0.2, 4))
    ]
    page = written(tmp_path, {"one": ["a"] * 4, "two": ["b"] * 4}, findings=Findings(comparisons=tests))
    opened(tab, page)
    table = "Object.fromEntries([...document.querySelectorAll('#pair tbody tr')].map(row => [row.cells[0].innerText, [3, 4, 5].map(at => row.cells[at].innerText).join(' | ')]))"
    pair = tab.run(table)
    assert pair["qasper"] == "+5.0 | +2.0 to +8.0 | ▲ 0.040"
    assert pair["quality"] == "+5.0 | +2.0 to +8.0 ⚠ | ≈ 0.200", "four documents are few"
    assert pair["qmsum"] == "−1.0 | – | not tested"
    change(tab, "first", "two")
    change(tab, "second", "one")
    assert tab.run(table)["qasper"] == "−5.0 | −8.0 to −2.0 | ▼ 0.040"
    change(tab, "reference", "one")
    marks = tab.run("[...document.querySelectorAll('tr[data-label=two] .delta')].map(one => one.firstChild.data)")
    assert "▼ −5.0" in marks
    assert marks.count("≈ −5.0") == 1
    quiet(tab)


def test_keyboard_cannot_reach_an_example_or_leave_it(tab: Tab, page: Path) -> None:
    opened(tab, page)
    tab.run("document.querySelector('#examples tbody button').focus()")
    first = tab.run("document.activeElement.dataset.row")
    tab.press("Enter", 13)
    tab.wait("document.getElementById('example').open && document.body.dataset.opened")
    tab.press("j", 74)
    tab.wait(f"!document.body.dataset.opened.includes('/{first}/')")
    tab.run("document.getElementById('tab-answers').focus()")
    tab.press("ArrowRight", 39)
    tab.wait("document.body.dataset.opened.endsWith('/references')")
    assert tab.run("location.hash").startswith("#example/")
    tab.press("Escape", 27)
    tab.wait("!document.getElementById('example').open && location.hash === ''")
    assert tab.run("document.activeElement.dataset.row") is not None
    quiet(tab)


def test_an_address_of_an_example_opens_another_or_none(tab: Tab, page: Path) -> None:
    tab.complaints.clear()
    tab.blank()
    tab.open(f"{page.as_uri()}#example/musique/test/2")
    tab.wait("(document.body.dataset.opened || '').includes('/2/')")
    assert "musique" in tab.run("document.getElementById('example-title').textContent")
    quiet(tab)


def test_what_was_cut_or_kept_of_a_document_is_not_told_apart(tab: Tab, tmp_path: Path) -> None:
    opened(tab, written(tmp_path, {"m": ["a", "b"]}, kept=500))
    show(tab, "document")
    kept = tab.run(
        "[...document.querySelectorAll('#example-body .text:not(.cut)')].map(one => one.textContent).join('')"
    )
    cut = tab.run("[...document.querySelectorAll('#example-body .text.cut')].map(one => one.textContent).join('')")
    assert (kept, cut) == (TEXT[:500], TEXT[500:])
    show(tab, "prompt")
    sent = f"Answer the question.\n\n{TEXT[:500]}\n\nQuestion: What is 0?\nAnswer:"
    assert tab.run("document.querySelector('#example-body .prompt').textContent") == sent


def test_astral_characters_move_where_a_document_is_cut(tab: Tab, tmp_path: Path) -> None:
    text = "\U0001f600 grin " * 50 + "end"
    opened(tab, written(tmp_path, {"m": ["a"]}, kept=101, text=text))
    show(tab, "document")
    assert tab.run("document.querySelector('#example-body .text:not(.cut)').textContent") == text[:101]


def test_failures_and_cut_answers_look_like_answers(tab: Tab, tmp_path: Path) -> None:
    opened(tab, written(tmp_path, {"m": ["fine", None]}))
    assert tab.run(f"{ROWS}[1].innerText").split("\t")[-1] == "failed"
    tab.run("document.querySelectorAll('#examples tbody button')[1].click()")
    tab.wait("document.body.dataset.opened")
    body = tab.run(BODY)
    assert "No answer." in body
    assert "content refused <b>by</b> the provider" in body
    assert "attempts\n3" in body
    change(tab, "only", "unanswered")
    tab.wait(f"{LISTED} === 1")
    quiet(tab)


@pytest.mark.parametrize("width", [1400, 390])
def test_hostile_answers_run_or_break_the_layout(tab: Tab, hostile: Path, width: int) -> None:
    opened(tab, hostile, width)
    assert tab.run(LISTED) == len(HOSTILE)
    for number, text in enumerate(HOSTILE):
        tab.run("delete document.body.dataset.opened")
        tab.run(f"document.querySelector('[data-row=\"{number}\"]').click()")
        tab.wait("document.body.dataset.opened")
        box = "document.querySelector('#example-body [aria-label=Answer]')"
        seen = tab.run(f"{box}.textContent")
        raw = [char for char in seen if char in "\u202e\u202c\u2066\u2069\u200f\x1b\x9b\x00\x08\x7f\u2028\ufeff\u200b"]
        assert raw == []
        if text.isascii() and text.isprintable() and len(text) < 1000:
            assert seen == text
        wide = tab.run(
            "[document.documentElement.scrollWidth, document.getElementById('example-body').scrollWidth, document.getElementById('example-body').clientWidth, innerWidth]"
        )
        assert wide[0] <= wide[3]
        assert wide[1] <= wide[2] + 1
    for name in ("references", "prompt", "document"):
        show(tab, name)
    assert (
        tab.run(
            "document.querySelectorAll('#example-body :is(script, img, svg, iframe, object, style, link, form, a)').length"
        )
        == 0
    )
    assert tab.run("window.ran") == []
    assert tab.run("document.title") == "ZeroSCROLLS: report"
    quiet(tab)


@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("text", ["".join(HOSTILE[:-2]), HOSTILE[-2], HOSTILE[-1], "\u05d0\u05d1 <b>" * 50], ids=len)
def test_hostile_ids_titles_and_failures_run_or_break_the_layout(
    tab: Tab, tmp_path: Path, text: str, width: int
) -> None:
    metadata = json.dumps({text[:5000]: [text[:5000]]})
    made = written(tmp_path, {"m": ["fine", None], "n": ["fine", text]}, foreign=text, metadata=metadata, kept=500)
    opened(tab, made, width)
    for button in (0, 1):
        tab.run(f"document.querySelectorAll('#examples tbody button')[{button}].click()")
        for name in ("answers", "references", "prompt", "document"):
            tab.run(f"delete document.body.dataset.opened; document.getElementById('tab-{name}').click()")
            tab.wait("document.body.dataset.opened")
            tab.run("document.querySelectorAll('#example-body details').forEach(one => { one.open = true; })")
            body = "document.getElementById('example-body')"
            wide = tab.run(
                f"[document.documentElement.scrollWidth, innerWidth, {body}.scrollWidth, {body}.clientWidth]"
            )
            assert wide[0] <= wide[1]
            assert wide[2] <= wide[3] + 1
            head = tab.run("document.querySelector('#example header').getBoundingClientRect().height")
            assert head < 330  # the text of the example has the rest of the window
        tab.run("document.getElementById('close').click()")
        tab.wait("!document.getElementById('example').open && location.hash === ''")
    assert tab.run("window.ran") == []
    assert (
        tab.run(
            "document.querySelectorAll('dialog :is(script, img, svg, iframe, object, style, link, form, a)').length"
        )
        == 0
    )
    quiet(tab)


def test_all_of_a_megabyte_cannot_be_asked_for(tab: Tab, hostile: Path) -> None:
    opened(tab, hostile)
    tab.run(f"document.querySelector('[data-row=\"{len(HOSTILE) - 1}\"]').click()")
    tab.wait("document.body.dataset.opened")
    assert tab.run("document.querySelector('#example-body .more').innerText") == "Show all 1,048,576 characters"
    tab.run("document.querySelector('#example-body .more').click()")
    tab.wait("document.querySelector('#example-body [aria-label=Answer]').textContent.length === 1048576")
    assert tab.run("document.documentElement.scrollWidth <= innerWidth")


def test_a_page_with_a_folder_of_data_opens_no_example(tab: Tab, tmp_path: Path) -> None:
    page = written(tmp_path, {"m": ["alpha", "beta"]}, whole=1000)
    assert len(list(tmp_path.glob("report.files/*/*.js"))) == 5
    opened(tab, page)
    show(tab, "document")
    assert "Sentence 59" in tab.run(BODY)
    quiet(tab)


def test_a_page_without_its_folder_says_nothing(tab: Tab, tmp_path: Path) -> None:
    page = written(tmp_path, {"m": ["alpha"]}, whole=1000)
    (tmp_path / "report.files").rename(tmp_path / "elsewhere")
    tab.size(1400)
    tab.open(page.as_uri())
    tab.wait("!document.getElementById('problem').hidden")
    assert "Is the folder report.files beside this page?" in tab.run("document.getElementById('problem').innerText")


def test_page_prints_without_its_scores_or_with_controls(tab: Tab, page: Path) -> None:
    opened(tab, page)
    assert tab.pdf()[:5] == b"%PDF-"
    tab.media("print")
    hidden = "['board-tools', 'explorer', 'compare', 'theme'].map(id => getComputedStyle(document.getElementById(id)).display)"
    assert tab.run(hidden) == ["none"] * 4
    assert tab.run("document.querySelector('table.board').getBoundingClientRect().height") > 100
    tab.media()


@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_something_serious(tab: Tab, page: Path, width: int, scheme: str) -> None:
    opened(tab, page, width)
    tab.call("Page.setBypassCSP", enabled=True)
    tab.media("", scheme)
    tab.blank()
    tab.open(page.as_uri())
    tab.wait(f"{LISTED} > 0")
    tab.run(AXE.read_text(encoding="utf-8") + ";0")
    found = serious(tab)
    for name in ("answers", "references", "prompt", "document"):
        show(tab, name)
        found += serious(tab)
    tab.call("Page.setBypassCSP", enabled=False)
    tab.media()
    assert found == []


def serious(tab: Tab) -> list[Any]:
    """What axe-core finds in the page as it stands."""
    found = tab.run(
        "axe.run(document).then(r => [r.passes.length, r.violations.map(v => "
        "[v.impact, v.id, v.help, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' :: ' + n.failureSummary)])])"
    )
    assert found[0] > 15  # it looked
    return [one for one in found[1] if one[0] in ("serious", "critical")]


def test_phone_scrolls_sideways(tab: Tab, page: Path) -> None:
    opened(tab, page, 390)
    assert tab.run("document.documentElement.scrollWidth") <= 390


def test_the_theme_cannot_be_chosen(tab: Tab, page: Path) -> None:
    opened(tab, page)
    colour = "getComputedStyle(document.body).backgroundColor"
    system = tab.run(colour)
    tab.run("document.getElementById('theme').click(); document.getElementById('theme').click()")
    assert tab.run("document.getElementById('theme').innerText") == "Theme: dark"
    assert tab.run(colour) != system
    tab.run("document.getElementById('theme').click()")
    assert tab.run(colour) == system


def test_statistics_page_does_not_open_or_logs_errors(tab: Tab, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "scrollwork.cli.main",
        "--home",
        str(tmp_path),
        "--quiet",
        "build",
        "zeroscrolls",
        "--sample",
    ]
    command += ["--task", "musique", "--task", "squality", "--engine", "inline"]
    subprocess.run(command, check=True, capture_output=True)
    tab.complaints.clear()
    tab.open((tmp_path / "reports" / "zeroscrolls-statistics.html").as_uri(), "document.readyState === 'complete'")
    assert "Words of an input" in tab.run("document.body.innerText")
    assert tab.run("document.querySelectorAll('svg').length") == 2 + 2 + 1
    assert tab.complaints == []


def test_what_is_folded_is_not_printed(tab: Tab, page: Path) -> None:
    opened(tab, page)
    folded = "document.querySelectorAll('details.beyond:not([open])').length"
    assert tab.run(folded) == 1  # of two tasks
    tab.run(
        "window.printed = -1; addEventListener('beforeprint', () => { printed = document.querySelectorAll('details.beyond[open]').length; }); 0"
    )
    tab.pdf()
    assert tab.run("window.printed") == 2
    assert tab.run(folded) == 1
