"""A new section of the page is one module, one template and one line of a design."""

import re
from pathlib import Path

import pytest

from scrollwork.reporting.page.sections import sections_of
from scrollwork.tasks.report.sections import artifact_section
from tests.conftest import Scrollwork, edit

MODULE = '''"""How many models stand on the board."""

from scrollwork.reporting.page.environment import environment
from scrollwork.reporting.page.sections import Link, PageSection


class Toy(PageSection):
    """Shows a number."""

    files = ("toy.html",)

    def links(self, board, beside):
        """One."""
        return [Link("toy", "Toys of this page")]

    def html(self, board, content):
        """The number."""
        from markupsafe import Markup

        lines = [line for section in board.sections for line in section.lines]
        return Markup(environment().get_template("toy.html").render(lines=lines))


SECTION = Toy()
'''
TEMPLATE = '<section id="toy"><h2>Toys</h2><p>{{ lines | length }} of {{ lines[0].model }}</p></section>\n'
LINE = r"(?<=    sections: tuple\[str, \.\.\.\] = \()"
SHOWN = '<section id="toy"><h2>Toys</h2><p>1 of naive:seed=0</p></section>'


@pytest.mark.slow
def test_new_section_needs_more_than_a_module_a_template_and_a_line(finished: Scrollwork, tree: Path) -> None:
    (tree / "reporting" / "page" / "toy.py").write_text(MODULE, encoding="utf-8")
    template = tree / "reporting" / "templates" / "toy.html"
    template.write_text(TEMPLATE, encoding="utf-8")
    edit(
        tree / "designs" / "fixed.py",
        lambda text: re.sub(LINE, '"scrollwork.reporting.page.toy", ', text),
    )
    work = finished.with_(root=tree)
    three = ("--task", "qmsum", "--task", "space_digest", "--task", "book_sum_sort")
    states = {name: row["state"] for name, row in work.plan(*three).items()}
    assert {name for name, status in states.items() if status != "reused"} == {"report"}, "its code is in other keys"
    work.run(*three)
    work("report", "zeroscrolls")
    for page in ("zeroscrolls.html", "zeroscrolls-all.html"):
        text = (work.home / "reports" / page).read_text(encoding="utf-8")
        assert SHOWN in text, page
        assert '<a href="#toy">Toys of this page</a>' in text
    edit(template, lambda text: text.replace("Toys", "Games"))
    assert work.plan(*three)["report"]["state"] == "stale", "its template is in no key"


def test_second_section_that_reads_artifacts_is_passed_over() -> None:
    sections = sections_of(["scrollwork.tasks.report.runs", "scrollwork.tasks.report.windows"])
    with pytest.raises(ValueError, match="reads artifacts, not 2: ReadingRuns, ReadingWindows"):
        artifact_section(sections)
    assert type(artifact_section(sections[:1])).__name__ == "ReadingRuns"
