"""Evidence in contexts: it is where it is said to be, and anywhere else with the chance that Dolce's formulas take."""

from __future__ import annotations

from collections import Counter
from math import comb

import pytest

from scrollwork.models.baselines.planted import LINE
from scrollwork.preprocessing.windows.units import units
from scrollwork.sample._kit import Voice
from scrollwork.sample.planting import PARTS, Ledger, placed, replanted


def test_copies_overlap_or_lie_where_not_all_placements_are_alike() -> None:
    """Two spans of 3 units in 9: 10 placements, each one in ten times."""
    draws = 3000
    voice = Voice("alike")
    found = Counter(placed(voice, 9, [Ledger("Thea1", 3, 2)]).starts[0] for _ in range(draws))
    assert len(found) == comb(9 - 6 + 2, 2)
    assert all(second - first >= 3 for first, second in found)
    assert all(abs(count - draws / 10) < 4 * (draws * 0.09) ** 0.5 for count in found.values()), found


def test_single_units_of_aspects_are_not_all_alike() -> None:
    draws = 3000
    voice = Voice("single")
    found: Counter[int] = Counter()
    for _ in range(draws):
        (starts,) = placed(voice, 8, [Ledger("Thea1", 2, 2, partial=True)]).starts
        assert len(set(starts)) == 4
        found[starts[0]] += 1
    assert all(abs(count - draws / 8) < 4 * (draws * 7 / 64) ** 0.5 for count in found.values()), found


def test_problems_of_one_context_take_each_others_units() -> None:
    problems = [Ledger("A1", 0, 0), Ledger("B1", 1, 40), Ledger("C1", 1, 1), Ledger("D1", 20, 2), Ledger("E1", 150, 1)]
    found = placed(Voice("shared"), 150, problems)
    told = {place: LINE.search(line) for place, line in found.lines.items()}
    assert len(found.lines) == 40 + 1 + 2 * PARTS + PARTS
    for one, starts in zip(problems, found.starts, strict=True):
        own = sorted(place for place, match in told.items() if match and match[1] == one.name)
        firsts = [place for place in own if told[place][3] == "1"]  # type: ignore[index]
        lasts = [place for place in own if told[place][3] == told[place][4]]  # type: ignore[index]
        assert firsts == list(starts)
        assert lasts == [start + one.lam - 1 for start in starts]


@pytest.mark.parametrize(
    ("units_", "problems"),
    [
        (9, [Ledger("A1", 5, 2)]),
        (9, [Ledger("A1", 5, 2, partial=True)]),
        (9, [Ledger("A1", 9, 1), Ledger("B1", 9, 1)]),
        (0, [Ledger("A1", 1, 1)]),
    ],
)
def test_evidence_without_room_is_planted_in_part(units_: int, problems: list[Ledger]) -> None:
    with pytest.raises(ValueError, match=r"do not fit into|have no room"):
        placed(Voice("room"), units_, problems)


TEXT = (
    "The mill stood still. They sold rope, nails, etc. Federal rules were few.  He spoke to Mr. Orrin of it.\n\n"
    "Was it late? It was! The clerk left at 4 p.m. Nobody saw him."
)


def split(text: str) -> list[tuple[int, int]]:
    """Sentences; "etc." ends none before "The", as Punkt has it with other abbreviations."""
    found: list[tuple[int, int]] = []
    for start, end in units(text, "s"):
        if found and text[: found[-1][1]].endswith("etc.") and text.startswith("The ", start):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def test_unit_that_would_join_its_neighbour_is_taken() -> None:
    """Whether an abbreviation ends a sentence depends on the word behind it."""
    assert [TEXT[slice(*span)] for span in split(TEXT)][1:3] == [
        "They sold rope, nails, etc.",
        "Federal rules were few.",
    ]
    avoided: Counter[int] = Counter()
    for number in range(60):
        one = Ledger(f"Thea{number}", 1, 3)
        found = replanted(Voice(f"joined/{number}"), TEXT, [one], "s", split)
        assert found.units == len(split(found.text)) == len(split(TEXT)) == 7
        told = [found.text[slice(*span)] for span in split(found.text)]
        assert [place for place, unit in enumerate(told) if unit == one.line(1, 1)] == list(found.starts[0])
        kept = [unit for place, unit in enumerate(told) if place not in found.starts[0]]
        assert kept == [TEXT[slice(*s)] for at, s in enumerate(split(TEXT)) if at not in found.starts[0]]
        avoided.update(found.awkward)
    assert avoided[2]


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("l", "one\n\ntwo\nthree\n  \nfour\n"),
        ("b", "one\n\ntwo\nstill two\n\n\nthree\n \nfour"),
        ("n", "Hotel\nReview #1:one\nReview #2:two\nReview #3:three\n"),
        ("o", "Passage 1:\none\n\nPassage 2:\ntwo\n\nPassage 3:\nthree\n\n"),
        ("c", "Question: one\nType: A\nQuestion: two\nType: B\nQuestion: three\nType: C"),
        ("q", "\n\n".join(f"Passage:\n{n}\nQuestion:\nWhat?\nAnswer:\nyes\n" for n in range(4))),
        ("u", "\n\n".join(f"Dialogue: {n}\r\nB: So.\nSummary: They talk.\n" for n in range(4))),
        ("rlt", "so we go, he said, and then nothing. it is late, is it not?\nYes, it is\nno"),
    ],
)
def test_kind_of_units_loses_its_count_to_evidence(spec: str, text: str) -> None:
    size = len(units(text, spec))
    for place in range(size):
        one = Ledger("Thea1", 1, 1)
        found = None
        for number in range(40):
            found = replanted(Voice(f"{spec}/{number}"), text, [one], spec, lambda changed: units(changed, spec))
            if found.starts[0] == (place,):
                break
        assert found is not None
        assert found.starts[0] == (place,)
        assert found.awkward == frozenset()
        assert one.line(1, 1) in found.text[slice(*units(found.text, spec)[place])]
        assert len(units(found.text, spec)) == size


def test_context_that_takes_no_evidence_is_written() -> None:
    with pytest.raises(ValueError, match=r"0 units|do not fit into 0"):
        replanted(Voice("empty"), "  \n ", [Ledger("Thea1", 1, 1)], "s", split)
