"""Mysteries in prose: a place, a trouble, somebody blamed for it, two clues, a true cause and a cure.

The same mysteries carry the long stories (narrative_qa, squality, quality) and, in short, the book summaries.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.sample._kit import Person, Row, Voice, capital, people, rows, table

LICENSE = (
    "This story was written for the sample corpus of scrollwork and is licensed under the Apache License "
    "2.0. "
    "It is not an eBook of Project Gutenberg; only the layout is the same."
)
ROMAN = ("", "I", "II")
INQUIRY = (
    "arrive",
    "debt",
    "trouble_told",
    "blame_told",
    "accused_met",
    "first_search",
    "doubt",
    "second_search",
)
# Relations that tell whether a woman or a man is meant.
RELATIVES = {
    "nephew": "he",
    "eldest daughter": "she",
    "shop girl": "she",
    "furnace boy": "he",
    "dog boy": "he",
    "brother-in-law": "he",
    "postboy": "he",
    "widowed aunt": "she",
    "dairymaid": "she",
    "son-in-law": "he",
    "stable girl": "she",
    "grave-robber's grandson": "he",
}
OUTCOME = ("solved", "mended", "settled")


@dataclass(frozen=True)
class Frame:
    """Who travels, in what, and in which kind of country."""

    title: str
    hero: Person
    mate: Person
    facts: Mapping[str, Any]
    tables: tuple[str, ...]


@dataclass(frozen=True)
class Mystery:
    """One place on the journey. All facts that a question may ask for are in facts, filled in."""

    facts: Mapping[str, Any]

    def __getitem__(self, key: str) -> str:
        found = self.facts[key]
        return found.name if isinstance(found, Person) else found

    def person(self, key: str) -> Person:
        """The character in that part: owner, accused, witness, witness_two."""
        found: Person = self.facts[key]
        return found


def frame(voice: Voice, title: str, skin: str, vessel: str, the_way: str, ledger: str = "ledger") -> Frame:
    """Two travellers with a book of debts."""
    hero, mate = people(voice, 2)
    hero, mate = Person(hero.given, hero.pronoun), Person(mate.given, mate.pronoun)
    facts = {"hero": hero, "mate": mate, "vessel": vessel, "ledger": ledger, "the_way": the_way}
    return Frame(title, hero, mate, facts | {"grand": f"the grandfather of {hero.name}"}, (skin, "story"))


def crowd(voice: Voice) -> list[Person]:
    """Three times as many characters as there are given names; no two with the same full name."""
    given, family = voice.shuffled(rows("names", "given")), voice.shuffled(table("names")["family"])
    return [
        Person(f"{row['name']} {family[(place + 7 * turn) % len(family)]}", row["pronoun"])
        for turn in range(3)
        for place, row in enumerate(given)
    ]


def mysteries(voice: Voice, book: Frame, cases: Sequence[Row], towns: Sequence[str]) -> list[Mystery]:
    """One mystery for each case, in the order of the journey."""
    cast = [p for p in crowd(voice) if p.given not in (book.hero.given, book.mate.given)]
    found, last = [], "home"
    for number, (case, town) in enumerate(zip(cases, towns, strict=True)):
        accused = next(p for p in cast if p.pronoun == RELATIVES.get(case["accused"], p.pronoun))
        cast.remove(accused)
        owner, witness, witness_two = cast.pop(0), cast.pop(0), cast.pop(0)
        elder = f"{table('names')['family'][(number * 7) % 48]} the Elder"
        if number % 2:
            elder = f"Old {owner.name.split()[-1]}"
        facts = {
            **book.facts,
            "town": town,
            "last_town": last,
            "owner": owner,
            "accused": accused,
            "witness": witness,
            "witness_two": witness_two,
            "elder": elder,
            "relation": case["accused"],
        }
        facts |= {key: voice.say(key, facts) for key in ("old_year", "loan", "mark", "place_trait")}
        facts |= {key: voice.fill(text, facts) for key, text in case.items() if key != "accused"}
        found.append(Mystery(facts))
        last = town
    return found


def told(voice: Voice, mystery: Mystery, extras: int = 3) -> Iterator[str]:
    """The paragraphs of one mystery; extras are talks, tales and the letter home."""
    facts = mystery.facts
    yield voice.say("travel", facts)
    if extras > 1:
        yield voice.say("talk", facts)
        yield voice.say("travel", facts)
    yield from (voice.say(key, facts) for key in INQUIRY[:4])
    if extras > 4:
        yield voice.say("supper", facts)
    yield from (voice.say(key, facts) for key in INQUIRY[4:])
    if extras > 4:
        yield voice.say("notebook", facts)
        yield voice.say("memory", facts)
    if extras > 2:
        yield voice.say("tale", {**facts, "beast": voice.say("beast", facts)})
    yield from (voice.say(key, facts) for key in OUTCOME)
    if extras > 4:
        yield voice.say("leaving", facts)
        yield voice.say("gossip", facts)
    if extras > 0:
        yield voice.say("letter", facts)
        yield voice.say("talk", facts)


def land(first: int, last: int) -> list[Row]:
    """Cases of the country, first to last - 1."""
    return rows("cases", "land")[first:last]


def space(first: int, last: int) -> list[Row]:
    """Cases of the stations, first to last - 1."""
    return rows("cases", "space")[first:last]


LONG = (
    "At {town} the {trade} {owner} is in despair because {trouble}, and {accused}, the {relation}, is "
    "blamed, "
    "as {charge}. {Hero} and {mate} find that {clue_one} and that {clue_two}. {Cause}. They {remedy}, and "
    "{aftermath}; the old debt is paid with {payment}."
)
SHORT = (
    "In {town} everyone believes that {accused} is at fault for what troubles {owner}: {trouble}. "
    "But {cause}. Once this is understood, {aftermath}."
)


def plot(mystery: Mystery, template: str = LONG) -> str:
    """The mystery in two or three sentences."""
    return Voice(mystery["town"]).fill(template, mystery.facts)


def clause(text: str) -> str:
    """The text as an answer: capital first, no full stop."""
    return capital(text).rstrip(".")


def chapters(voice: Voice, parts: Sequence[Mystery], extras: int) -> list[tuple[str, list[str]]]:
    """Chapter titles with paragraphs; the first opens the story and the last closes it."""
    found = [(part["town"], list(told(voice, part, extras))) for part in parts]
    found[0][1].insert(0, voice.say("opening", parts[0].facts))
    found[-1][1].append(voice.say("ending", parts[-1].facts))
    return found


def short_story(
    voice: Voice, title: str, first: int, towns: Sequence[str], extras: int = 2
) -> tuple[Frame, list[Mystery], str]:
    """A story of two stations as the text of a magazine page."""
    book = frame(voice, title, "space", "the tug Slow Comet", "the outer lanes")
    parts = mysteries(voice, book, space(first, first + 2), towns)
    texts = chapters(voice, parts, extras)
    numbered = [[ROMAN[number], *paragraphs] for number, (_, paragraphs) in enumerate(texts, 1)]
    body = "\n \n\n ".join(map("\n \n ".join, numbered))
    return book, parts, f"{title}\n \n\n By NOBODY IN PARTICULAR\n \n \n {body}\n"
