"""GovReport: reports of invented agencies as CRS and GAO lay them out; summaries tell the findings."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scrollwork.sample._kit import Row, Voice, capital, rows, table, write_json, write_text

# Split and number of findings of each program, in the order of the table.
PLAN = (
    ("test", 6),
    ("test", 5),
    ("test", 5),
    ("test", 6),
    ("test", 5),
    ("test", 5),
    ("test", 1),
    ("valid", 2),
    ("valid", 2),
    ("train", 1),
    ("train", 1),
)
TOO_SHORT = "Night Bus Pilot Program"  # its report has less than twice the words of its summary
AWKWARD = "Seed Library Partnership"

Finding = Mapping[str, str]


def gov_report(out: Path) -> None:
    """Seven test reports (one of them to be filtered out), two valid, two train."""
    root = out / "gov_report" / "gov-report"
    splits: dict[str, list[str]] = {
        f"{kind}_{split}": [] for kind in ("crs", "gao") for split in ("train", "valid", "test")
    }
    for number, (program, (split, findings)) in enumerate(zip(rows("reports", "programs"), PLAN, strict=True), 1):
        kind = program["kind"]
        name = f"R{45000 + number}" if kind == "crs" else f"GAO-24-{106000 + number}"
        write_json(root / kind / f"{name}.json", _report(name, program, findings), indent=1)
        splits[f"{kind}_{split}"].append(name)
    for split, names in splits.items():
        write_text(root / "split_ids" / f"{split}.ids", "".join(f"{name}\n" for name in names))


def _report(name: str, program: Row, count: int) -> dict[str, Any]:
    voice = Voice(f"gov_report/{name}", ("reports",))
    facts = _facts(voice, program)
    findings = [
        {key: voice.fill(text, facts) for key, text in row.items()}
        for row in voice.pick(rows("reports", "findings"), count)
    ]
    make = _crs if program["kind"] == "crs" else _gao
    return make(name, voice, facts, findings)


def _facts(voice: Voice, program: Row) -> dict[str, Any]:
    shares = voice.pick(range(21, 79), 4)
    counts = voice.pick(range(31, 97), 4)
    regions = voice.pick(table("reports")["region_names"], 5)
    facts: dict[str, Any] = dict(program)
    facts |= {f"share_{k}": value for k, value in zip("abcd", shares, strict=True)}
    facts |= {f"count_{k}": value for k, value in zip("abcd", sorted(counts), strict=True)}
    facts |= {f"region_{k}": value for k, value in zip("abcde", regions, strict=True)}
    facts |= {
        "count_e": voice.between(4, 9),
        "count_total": f"{voice.between(1, 4)},{voice.between(100, 999)}",
        "year": voice.between(2019, 2023),
        "months": voice.between(14, 40),
        "weeks": voice.between(6, 19),
        "years": voice.between(11, 29),
        "money": f"{voice.between(2, 30)}.{voice.between(1, 9)}",
    }
    return facts


def _section(title: str, paragraphs: Sequence[str], subsections: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    return {"section_title": title, "paragraphs": list(paragraphs), "subsections": list(subsections)}


def _chapter(voice: Voice, facts: Mapping[str, Any], finding: Finding) -> dict[str, Any]:
    known = {**facts, **finding}
    return _section(
        finding["name"],
        [f"This section discusses {finding['name'].lower()} in the {facts['program']}."],
        [
            _section("What the Data Show", [voice.say("detail", known)]),
            _section("Reasons", [voice.say("why", known)]),
            _section("Consequences", [voice.say("result", known), voice.say("option", known)]),
        ],
    )


def _by_region(voice: Voice, facts: Mapping[str, Any]) -> dict[str, Any]:
    template = table("reports")["regions"][0].partition("|")[2].strip()
    paragraphs = []
    for key in "abcde":
        seen, letters = voice.between(40, 190), voice.between(20, 80)
        paragraphs.append(
            voice.fill(
                template,
                {
                    **facts,
                    "region": facts[f"region_{key}"],
                    "n_units": seen + voice.between(20, 150),
                    "n_seen": seen,
                    "n_staff": voice.between(5, 17),
                    "n_letters": letters,
                    "n_closed": letters - voice.between(3, 15),
                },
            )
        )
    return _section("The Five Regions", paragraphs)


def _told(facts: Mapping[str, Any], finding: Finding) -> str:
    """A finding as the summary tells it."""
    return Voice("summary").fill(
        "{Finding}. The main reason is that {cause}, and as a result {effect}.", {**facts, **finding}
    )


def _crs(name: str, voice: Voice, facts: Mapping[str, Any], findings: Sequence[Finding]) -> dict[str, Any]:
    background = [voice.say("background", facts) for _ in range(4 if len(findings) > 2 else 2)]
    advice = _section("Options for the Legislature", [voice.say("option", {**facts, **f}) for f in findings])
    sections = [
        _section("Introduction", background[:2]),
        _section("Background", background[2:]),
        *(_chapter(voice, facts, finding) for finding in findings),
        _by_region(voice, facts),
        advice,
    ]
    summary = [
        f"The {facts['program']} is run by the {facts['agency']} and covers {facts['count_total']} "
        f"{facts['units']}. This report reviews how it works and what the legislature might consider.",
        *(_told(facts, finding) for finding in findings),
        "Options include to " + "; to ".join(finding["advice"] for finding in findings) + ".",
    ]
    return {
        "id": name,
        "title": facts["title"],
        "released_date": f"2024-03-{10 + len(findings)}T00:00:00",
        "summary": summary,
        "reports": _section("", [], sections),
    }


def _gao(name: str, voice: Voice, facts: Mapping[str, Any], findings: Sequence[Finding]) -> dict[str, Any]:
    short = facts["program"] == TOO_SHORT
    report = (
        [_section("Main text", [_told(facts, findings[0])])]
        if short
        else [
            _section("Background", [voice.say("background", facts) for _ in range(4 if len(findings) > 2 else 2)]),
            _section("Scope and Methodology", [voice.say("methods", facts) for _ in range(2)]),
            *(_chapter(voice, facts, finding) for finding in findings),
            _by_region(voice, facts),
            _section(
                "Recommendations for Executive Action",
                [
                    f"The head of the {facts['agency']} should {finding['advice']}. (Recommendation {number})"
                    for number, finding in enumerate(findings, 1)
                ],
            ),
        ]
    )
    if facts["program"] == AWKWARD:  # curly quotes, accents, CJK, a combining mark, an emoji and a U+2028
        report.append(
            _section(
                "Appendix: Comments of the Agency",
                [
                    "The agency’s seed libraries are also known as “graineteries” and 种子库.\u2028"
                    "The curator of the library at Cafe\u0301 Zoë wrote: “Naïve, but welcome.” 🌱"
                ],
            )
        )
    highlight = [
        _section(
            "Why GAO Did This Study",
            [
                f"The {facts['program']} covers {facts['count_total']} {facts['units']}. "
                "GAO was asked to review how the "
                f"{facts['agency']} runs it."
            ],
        ),
        _section("What GAO Found", [capital(_told(facts, finding)) for finding in findings]),
        _section(
            "What GAO Recommends",
            [f"GAO recommends that the {facts['agency']} " + "; ".join(f["advice"] for f in findings) + "."],
        ),
    ]
    return {
        "id": name,
        "url": f"https://example.org/products/{name}",
        "title": facts["title"],
        "published_date": "2024-02-01T00:00:00",
        "released_date": "2024-02-15T00:00:00",
        "highlight": highlight,
        "report": report,
    }
