"""Multi-News and OpenAsp: several papers tell the same invented event; summaries of all of it, or of one aspect."""

from pathlib import Path
from typing import Any

from scrollwork.sample._kit import Person, Voice, capital, people, rows, table, write_lines, write_text

SEPARATOR = " ||||| "
TOLD = ("cause_told", "damage_told", "reaction_told", "answer_told", "plan_told")
# Label of an aspect, and what an article and its summary say of it.
ASPECTS = (("What caused it", "cause_told"), ("Damage", "damage_told"), ("What is to come", "plan_told"))
# Articles of each row of Multi-News; 0 is a row without any, and one row ends in an empty article.
TEST = (3, 2, 4, 1, 2, 3, 2, 0, 5, 2, 3, 2)
EMPTY = 4
SHOWN = 8  # events behind these are for demonstrations
AWKWARD = "“Très étrange,” said Zoë, a cafe\u0301 owner — 很怪 😀.\u2028So it was."


def multi_news(out: Path) -> None:
    """Twelve rows of test, two of val and two of train, as pairs of lines."""
    for split, counts in (("test", TEST), ("val", (2, 3)), ("train", (3, 2))):
        written = [_row(f"{split}/{number}", count) for number, count in enumerate(counts)]
        if split == "test":
            document, summary = written[EMPTY]
            written[EMPTY] = f"{document}{SEPARATOR}", summary
        folder = out / "multi_news" / "data"
        write_text(folder / f"{split}.src.cleaned", "".join(f"{document}\n" for document, _ in written))
        write_text(folder / f"{split}.tgt", "".join(f"{summary}\n" for _, summary in written))


def open_asp(out: Path) -> None:
    """Six records of test, two of valid: topics of three articles with two aspects each."""
    folder = out / "openasp" / "openasp-v1"
    for split, topics in (("test", 3), ("valid", 1)):
        write_lines(folder / f"{split}.jsonl", (one for topic in range(topics) for one in _topic(split, topic)))


def event(seed: str, kept_back: bool = False) -> tuple[Voice, dict[str, Any]]:
    """A voice and the facts of one event; some events are kept back for demonstrations."""
    voice = Voice(f"clippings/{seed}", ("clippings",))
    events = rows("clippings", "events")
    chosen = events[SHOWN:] if kept_back else events[:SHOWN]
    facts: dict[str, Any] = {**chosen[voice.below(len(chosen))]}
    official, critic = people(voice, 2)
    day = table("clippings")["days"][voice.below(5)]
    return voice, {**facts, "official": Person(official.name, official.pronoun), "critic": critic, "day": day}


def article(voice: Voice, facts: dict[str, Any], told: int = 4) -> list[str]:
    """Sentences of one paper: what happened, some of the rest in any order, a touch of colour."""
    chosen = voice.pick(TOLD, told)
    return [voice.say(key, facts) for key in ("lead", *chosen, "colour")]


def _row(seed: str, count: int) -> tuple[str, str]:
    voice, facts = event(f"multi_news/{seed}")
    articles = []
    for number in range(count):
        sentences = article(voice, facts, voice.between(3, 5))
        if seed == "test/2" and number == 1:
            sentences.append(AWKWARD.replace("\u2028", " "))
        middle = len(sentences) // 2
        articles.append(" ".join(sentences[:middle]) + " NEWLINE_CHAR NEWLINE_CHAR " + " ".join(sentences[middle:]))
    return SEPARATOR.join(articles), "– " + voice.say("summary", facts)


def _topic(split: str, number: int) -> list[dict[str, Any]]:
    voice, facts = event(f"open_asp/{split}/{number}")
    articles = [article(voice, facts) for _ in range(3)]
    if (split, number) == ("test", 1):
        articles[2].append(AWKWARD)
    topic = f"mnews-{split}.{9000 + number}" if number else "DUC-2001/d90"
    documents = [
        {"filename": f"{topic.replace('/', '.')}_{place}.txt", "text": sentences}
        for place, sentences in enumerate(articles)
    ]
    return [
        {
            "title": capital(facts["subject"]),
            "aspect_label": label,
            "topic_id": topic,
            "guid": f"{label}/SMPL/{topic.replace('/', '.')}.A",
            "documents": documents,
            "summary_text": [voice.say(key, facts), voice.say("answer_told", facts)],
            "generic_summary_text": [voice.say("summary", facts)],
        }
        for label, key in voice.pick(ASPECTS, 2)
    ]
