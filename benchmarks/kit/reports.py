"""A generated corpus like GovReport, in the layout of its authors' copy on the Hub: JSON Lines of section trees.

Reports of about 7,100 words with summaries of about 500, 49 kB of JSON each: 4,750 reports are 231 MB. One in sixteen
is unfit by SCROLLS' filter.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.kit.prose import Prose

WORDS, SUMMARY_WORDS = 7_100, 500
SHAPES = ("tree", "flat")  # sections of paragraphs as upstream, or one paragraph that holds everything


def records(count: int, agency: str, shape: str = "tree") -> Iterator[dict[str, Any]]:
    """The reports of one agency."""
    prose = Prose(1, agency == "gao")
    for number in range(count):
        words = prose.around(WORDS)
        summary = prose.paragraphs(SUMMARY_WORDS)
        if number % 16 == 7:
            words = SUMMARY_WORDS + prose.below(SUMMARY_WORDS // 2)
        yield record(f"{agency}-{number}", agency, shape, prose.paragraphs(words), summary)


def record(name: str, agency: str, shape: str, body: list[str], summary: list[str]) -> dict[str, Any]:
    """One report: ten paragraphs a section, every second section below the one before."""
    if shape == "flat":
        body, summary = ["\n".join(body)], ["\n".join(summary)]
    sections: list[dict[str, Any]] = []
    for start in range(0, len(body), 10):
        one = section(f"Part {start}", body[start : start + 10])
        if start % 20:
            sections[-1]["subsections"].append(one)
        else:
            sections.append(one)
    head = {"id": name, "title": f"Report {name}", "released_date": "2019-10-11T00:00:00"}
    if agency == "crs":
        return {**head, "summary": summary, "reports": section("", [], sections)}
    return {**head, "highlight": [section("What GAO Found", summary)], "report": sections}


def section(title: str, paragraphs: list[str], below: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """One node of the tree."""
    return {"section_title": title, "paragraphs": paragraphs, "subsections": below or []}


def write(raw: Path, count: int, shape: str = "tree") -> int:
    """Write `count` reports, half of each agency, below a raw folder; bytes written."""
    folder = raw / "gov_report" / "data"
    folder.mkdir(parents=True, exist_ok=True)
    for agency in ("crs", "gao"):
        with (folder / f"{agency}_test.jsonl").open("w", encoding="utf-8") as out:
            out.writelines(json.dumps(one) + "\n" for one in records(count // 2, agency, shape))
    return sum(path.stat().st_size for path in folder.iterdir())
