"""QMSum: meetings in the tokenised style of the real ones, with queries on what was decided."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scrollwork.sample._kit import Row, Voice, capital, rows, table, write_lines

# Meeting and its topics, per split.
TEST = ((0, (0, 1, 4, 5)), (1, (2, 0, 6, 4)), (2, (3, 5, 4, 6)))
VAL = ((3, (7, 6)),)
TRAIN = ((3, (5, 1, 2)), (0, (3, 7)))
PARTS = {"chair": "chair", "one": "role_one", "two": "role_two", "three": "role_three"}
AWKWARD = "The label says “naïve” — with dots — and 録音中 , cafe\u0301 , and a \u2028 line break {vocalsound} 😀 ."

Turn = dict[str, str]


def qmsum(out: Path) -> None:
    """Three test meetings with three queries each, one validation meeting with two, two train meetings."""
    folder = out / "qmsum" / "data" / "ALL" / "jsonl"
    write_lines(folder / "test.jsonl", [_meeting(*plan) for plan in TEST])
    write_lines(folder / "val.jsonl", [_meeting(*plan) for plan in VAL])
    write_lines(folder / "train.jsonl", [_meeting(*plan) for plan in TRAIN])


def _meeting(number: int, chosen: Sequence[int]) -> dict[str, Any]:
    voice = Voice(f"qmsum/{number}", ("meetings",))
    meeting = rows("meetings", "meetings")[number]
    topics = [rows("meetings", "topics")[which] for which in chosen]
    takers = [("role_one", "role_two", "role_three")[place % 3] for place in range(len(topics))]
    known = [{**meeting, **topic, "taker": meeting[taker]} for topic, taker in zip(topics, takers, strict=True)]
    turns: list[Turn] = list(_turns(voice, "open", {**meeting, "count": f"{len(topics)}"}))
    spans = []
    for place, facts in enumerate(known):
        start = len(turns)
        turns += _turns(voice, ("topic_turns", "topic_turns_two")[place % 2], facts)
        if place == 1:
            turns += _turns(voice, "side_turns", facts)
        if place == 1 and number == 2:
            turns.append({"speaker": facts["chair"], "content": AWKWARD})
        spans.append([[str(start), str(len(turns) - 1)]])
    tasks = " ".join(f"{facts['taker']} will {facts['task']} ." for facts in known)
    turns += _turns(voice, "close", {**meeting, "tasks": tasks})
    return {
        "topic_list": [
            {"topic": capital(f["topic"]), "relevant_text_span": s} for f, s in zip(known, spans, strict=True)
        ],
        "general_query_list": [{"query": "Summarize the whole meeting.", "answer": _whole(known)}],
        "specific_query_list": [_specific(known, spans, place) for place in range(min(2, len(known) - 1))],
        "meeting_transcripts": turns,
    }


def _turns(voice: Voice, key: str, facts: Mapping[str, str]) -> Iterator[Turn]:
    for line in table("meetings")[key]:
        part, _, words = line.partition(": ")
        speaker = facts["taker"] if part == "taker" else facts[PARTS[part]]
        content = voice.fill(words, facts).replace("{{", "{").replace("}}", "}")
        yield {"speaker": speaker, "content": content}


def _whole(known: Sequence[Row]) -> str:
    decided = " ".join(
        f"On {facts['topic']} they found that {facts['issue']} and decided {facts['decision']}." for facts in known
    )
    return f"The meeting was about {known[0]['subject']}. {decided} In the end the tasks were shared out."


def _specific(known: Sequence[Row], spans: Sequence[list[list[str]]], place: int) -> dict[str, Any]:
    facts = known[place]
    query, answer = (
        (
            f"Summarize the discussion about {facts['topic']}.",
            f"{facts['role_one']} gave the figure of {facts['figure']} and proposed to {facts['first']}, "
            f"while "
            f"{facts['role_two']} would rather {facts['second']}. It was objected that {facts['objection']}. "
            f"The group decided {facts['decision']}.",
        ),
        (
            f"What did {facts['role_two']} propose about {facts['topic']} and what was decided?",
            f"{facts['role_two']} proposed to {facts['second']}, but {facts['role_one']} pointed out that "
            f"{facts['objection']}. They decided {facts['decision']}, and {facts['taker']} will "
            f"{facts['task']}.",
        ),
    )[place]
    return {"query": query, "answer": answer, "relevant_text_span": spans[place]}
