"""MuSiQue: questions whose answer takes two to four paragraphs of a small invented encyclopedia."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrollwork.sample._kit import Voice, people, table, write_lines

PARAGRAPHS = 20
PREFIX = {2: "2hop", 3: "3hop1", 4: "4hop1"}


@dataclass(frozen=True)
class Hop:
    """One step of a question: the kind of entity and the attribute that leads on."""

    kind: str
    attribute: str


AUTHOR, BIRTHPLACE, SPOUSE = Hop("book", "author"), Hop("person", "birthplace"), Hop("person", "spouse")
DESIGNER, FOUNDER, BASE = Hop("bridge", "designer"), Hop("company", "founder"), Hop("company", "town")
COUNTY, RIVER, SEAT = Hop("town", "county"), Hop("town", "river"), Hop("county", "seat")

# Question, where it starts (kind and number), its hops.
QUESTIONS: tuple[tuple[str, int, tuple[Hop, ...]], ...] = (
    ("Where was the author of {start} born?", 0, (AUTHOR, BIRTHPLACE)),
    ("Who is the spouse of the designer of {start}?", 1, (DESIGNER, SPOUSE)),
    ("In which county is the town where {start} is based?", 2, (BASE, COUNTY)),
    ("Where was the person born who designed {start}?", 6, (DESIGNER, BIRTHPLACE)),
    ("On which river lies the town where {start} has its head office?", 5, (BASE, RIVER)),
    ("Who is married to the author of {start}?", 6, (AUTHOR, SPOUSE)),
    ("In which county was the author of {start} born?", 3, (AUTHOR, BIRTHPLACE, COUNTY)),
    ("Which river flows through the birthplace of the founder of {start}?", 4, (FOUNDER, BIRTHPLACE, RIVER)),
    ("What is the seat of the county where {start} is based?", 7, (BASE, COUNTY, SEAT)),
    (
        "What is the seat of the county in which the author of {start} was born?",
        9,
        (AUTHOR, BIRTHPLACE, COUNTY, SEAT),
    ),
    ("Where was the founder of {start} born?", 0, (FOUNDER, BIRTHPLACE)),
)
TWINS = (0, 7)  # answerable questions that also come in an unanswerable version, with the same id
LONELY = 10  # unanswerable and without a twin
ALIASES = {9: ["the town of {answer}", "{answer} (town)"], 2: ["{answer}, in the north"]}

# What SEAM's demonstrations ask; the last has no answer.
SHOWN: tuple[tuple[str, int, tuple[Hop, ...]], ...] = (
    ("Who is the husband or wife of the author of {start}?", 1, (AUTHOR, SPOUSE)),
    ("In which town was the designer of {start} born?", 2, (DESIGNER, BIRTHPLACE)),
    ("Which river passes the seat of {start}?", 1, (BASE, RIVER)),
    ("In which county lies the birthplace of the author of {start}?", 4, (AUTHOR, BIRTHPLACE, COUNTY)),
    ("In which town was the founder of {start} born?", 3, (FOUNDER, BIRTHPLACE)),
)
ASKED = (*QUESTIONS, *SHOWN)

World = Mapping[tuple[str, str], Mapping[str, Any]]


def musique(out: Path) -> None:
    """Ten answerable questions and three that are not."""
    world, order = _world()
    records = [_record(world, order, number, number != LONELY) for number in range(len(QUESTIONS))]
    records += [_record(world, order, number, False) for number in TWINS]
    write_lines(out / "musique" / "data" / "musique_full_v1.0_dev.jsonl", records)


def demonstrations() -> Iterator[dict[str, Any]]:
    """Five questions with some of their paragraphs, as SEAM shows them."""
    world, order = _world()
    for number in range(len(SHOWN)):
        record = _record(world, order, len(QUESTIONS) + number, number < len(SHOWN) - 1)
        kept = [p for p in record["paragraphs"] if p["is_supporting"] or p["idx"] % 3 == 0]
        answer = {"is_answerable": record["answerable"], "answer_content": record["answer"]}
        shown = [p["paragraph_text"] for p in kept]
        yield {"id": number, "documents": shown, "question": record["question"], "answer": answer}


def _world() -> tuple[World, dict[str, list[str]]]:
    """Attributes and text of every entity, and the names of each kind."""
    voice = Voice("musique", ("facts",))
    tables = table("facts")
    names = [person.name for person in people(voice, 46)]
    names[2] = "Zoë Núñez-Kovář"
    persons, spouses = names[:23], names[23:]
    towns = [*table("names")["town"][:18], "Château-Brisé", "Łódka Dolna"]
    order = {
        "book": tables["books"],
        "bridge": tables["bridges"],
        "company": tables["companies"],
        "person": persons,
        "town": towns,
        "county": tables["counties"],
    }
    known: dict[tuple[str, str], dict[str, Any]] = {}

    def add(kind: str, name: str, **attributes: str) -> None:
        facts = {
            "subject": name,
            **attributes,
            "count": voice.between(5, 29),
            "year": voice.between(1871, 1939),
            "later": voice.between(1948, 1999),
        }
        known[kind, name] = {**facts, "text": voice.say(kind, facts)}

    for number, name in enumerate(order["book"]):
        add("book", name, author=persons[number])
    for number, name in enumerate(order["bridge"]):
        add("bridge", name, designer=persons[12 + number])
    for number, name in enumerate(order["company"]):
        add("company", name, founder=persons[(number * 5 + 3) % 23], town=towns[(number * 3 + 1) % 20])
    for number, name in enumerate(persons):
        add("person", name, birthplace=towns[(number * 7 + 4) % 20], spouse=spouses[number])
    for number, name in enumerate(towns):
        add("town", name, town=name, county=order["county"][number % 10], river=tables["rivers"][number % 8])
    for name, seat in zip(order["county"], tables["seats"], strict=True):
        add("county", name, seat=seat)
    return known, order


def _chain(world: World, order: Mapping[str, Sequence[str]], number: int) -> list[tuple[str, str, str]]:
    """Kind, name and answer of each hop."""
    _, start, hops = ASKED[number]
    name, found = order[hops[0].kind][start], []
    for hop in hops:
        answer = world[hop.kind, name][hop.attribute]
        found.append((hop.kind, name, answer))
        name = answer
    return found


def _record(world: World, order: Mapping[str, Sequence[str]], number: int, answerable: bool) -> dict[str, Any]:
    question, _, hops = ASKED[number]
    chain = _chain(world, order, number)
    answer = chain[-1][2]
    paragraphs = _paragraphs(world, chain, f"{number}/{answerable}", answerable)
    places = {p["title"]: p["idx"] for p in paragraphs if p["is_supporting"]}
    hop_ids = [100000 + 1000 * number + place for place in range(len(chain))]
    return {
        "id": f"{PREFIX[len(chain)]}__{'_'.join(map(str, hop_ids))}",
        "paragraphs": paragraphs,
        "question": question.replace("{start}", chain[0][1]),
        "question_decomposition": [
            {
                "id": hop_ids[place],
                "question": f"{name if place == 0 else f'#{place}'} >> {hops[place].attribute}",
                "answer": found,
                "paragraph_support_idx": places.get(name),
            }
            for place, (_, name, found) in enumerate(chain)
        ],
        "answer": answer,
        "answer_aliases": [alias.replace("{answer}", answer) for alias in ALIASES.get(number, [])],
        "answerable": answerable,
    }


def _paragraphs(
    world: World, chain: Sequence[tuple[str, str, str]], seed: str, answerable: bool
) -> list[dict[str, Any]]:
    """Supporting paragraphs among others; if unanswerable the last is missing and none names the answer."""
    voice = Voice(f"musique/{seed}")
    support = [(kind, name) for kind, name, _ in chain][: None if answerable else -1]
    answer, path = chain[-1][2], {(kind, name) for kind, name, _ in chain}
    others = [
        key
        for key in voice.shuffled(sorted(world))
        if key not in path and answer not in world[key]["text"] and answer != key[1]
    ]
    chosen = voice.shuffled([*support, *others[: PARAGRAPHS - len(support)]])
    return [
        {
            "idx": place,
            "title": name,
            "paragraph_text": _text(world, kind, name),
            "is_supporting": (kind, name) in support,
        }
        for place, (kind, name) in enumerate(chosen)
    ]


def _text(world: World, kind: str, name: str) -> str:
    text: str = world[kind, name]["text"]
    if name == "Łódka Dolna":
        text += " Its motto is “Naïve, never” (天真)\u2028and its cafe\u0301 sells 🥟."
    return text
