"""ContractNLI: invented agreements on silence, with hypotheses that they entail, contradict or leave open."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scrollwork.sample._kit import Row, Voice, rows, write_json

# Matters of each split, and the id of its first contract.
SPLITS = (("train", (0, 1, 2, 3, 4), 301), ("dev", (5,), 201), ("test", (6, 7), 101))
AWKWARD = "The annex “Étagère” (附件一, cafe\u0301 edition 🔔)\u2028is part of this Agreement."


def contract_nli(out: Path) -> None:
    """Five train contracts, one dev and two test contracts, with eight hypotheses each."""
    hypotheses = rows("contracts", "hypotheses")
    for split, chosen, first in SPLITS:
        release = {
            "documents": [_contract(first + place, matter, hypotheses) for place, matter in enumerate(chosen)],
            "labels": {
                row["label"]: {"short_description": row["short"], "hypothesis": row["hypothesis"]} for row in hypotheses
            },
        }
        write_json(out / "contract_nli" / f"{split}.json", release)


def _contract(number: int, matter: int, hypotheses: Sequence[Row]) -> dict[str, Any]:
    voice = Voice(f"contract_nli/{matter}", ("contracts",))
    facts = {**rows("contracts", "matters")[matter], "days": voice.between(10, 60), "years": voice.between(2, 9)}
    choices = {row["label"]: _choice(voice, row) for row in hypotheses}
    said = {
        row["label"]: voice.fill(row["entails" if choices[row["label"]] == "Entailment" else "contradicts"], facts)
        for row in hypotheses
        if choices[row["label"]] != "NotMentioned"
    }
    clauses = voice.shuffled([*said.values(), *(voice.say("filler", facts) for _ in range(7))])
    if matter == 6:
        clauses.append(AWKWARD)
    lines = [voice.say("opening", facts), *clauses, voice.say("signed", facts)]
    text, spans = "", []
    for place, line in enumerate(lines):
        text += f"{place}. " if 0 < place < len(lines) - 1 else ""
        spans.append([len(text), len(text) + len(line)])
        text += line + "\n\n"
    annotations = {
        label: {"choice": choice, "spans": [lines.index(said[label])] if label in said else []}
        for label, choice in choices.items()
    }
    return {
        "id": number,
        "file_name": f"{facts['taker'].replace(' ', '-')}.txt",
        "text": text,
        "spans": spans,
        "annotation_sets": [{"annotations": annotations}],
        "document_type": "sample",
        "url": f"https://example.org/agreements/{number}",
    }


def _choice(voice: Voice, row: Row) -> str:
    entails, contradicts = map(int, row["odds"].split())
    drawn = voice.below(10)
    if drawn < entails:
        return "Entailment"
    return "Contradiction" if drawn < entails + contradicts else "NotMentioned"
