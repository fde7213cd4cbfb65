"""SQuALITY: stories with five questions, each answered at length by four writers."""

from pathlib import Path
from typing import Any

from scrollwork.sample._kit import Voice, capital, identity, table, write_lines
from scrollwork.sample._stories import LICENSE, SHORT, plot, short_story

# Question, and the ways in which four writers answer it.
ESSAYS = (
    (
        "What is the plot of the story?",
        (
            "{grand_hero} has inherited a book of old debts and travels with {mate} to settle them. {plots}",
            "The story follows {hero}, who collects debts that nobody remembers, and {mate}, who owns "
            "{vessel}. {plots_short} "
            "In the end the travellers go on to the next page.",
            "{hero} and {mate} visit {towns}. {plots}",
            "This is a story of people who are blamed for what they did not do. {plots_short}",
        ),
    ),
    (
        "Describe the setting of the story.",
        (
            "The story is set in {towns}, and on board {vessel} on the way between them. The first is "
            "known for {trait}.",
            "It takes place along {the_way}. {hero} and {mate} travel in {vessel}, and the two main "
            "places are {towns}.",
            "The setting is {the_way}: {towns}. People there live by small trades such as that of the {trade}.",
            "Most of the story happens in {house} at {town} and later in {house_two} at {town_two}.",
        ),
    ),
    (
        "Who is {accused}, and what happens to {accused:them} in the story?",
        (
            "{accused} is the {relation} of {owner} and is blamed because {charge}. {Cause}. So "
            "{accused:they} is innocent, "
            "and {aftermath}.",
            "{accused} is suspected when {trouble}. {hero} does not believe it, finds the true cause, and {aftermath}.",
            "The people of {town} blame {accused}, for {charge}. It turns out that {cause}. In the end {aftermath}.",
            "{Accused:they} is the {relation} whom everybody in {town} suspects. After the truth is found {aftermath}.",
        ),
    ),
    (
        "How do {hero} and {mate} find out the cause of the trouble at {town_two}?",
        (
            "They look for what people have stopped seeing. First they notice that {clue_one_two}. Then "
            "they notice that "
            "{clue_two_two}. From both they see that {cause_two}.",
            "Two clues lead them to it: {clue_one_two}, and {clue_two_two}. Together these show that {cause_two}.",
            "{hero} asks what has changed and not who is guilty. {Clue_one_two}; also, {clue_two_two}. So {cause_two}.",
            "By looking twice. They see that {clue_one_two} and later that {clue_two_two}, which "
            "explains everything: "
            "{cause_two}.",
        ),
    ),
    (
        "What is the significance of the ledger in the story?",
        (
            "The ledger is the reason for the journey. It holds the old loans, such as {loan} lent to "
            "{elder}. {hero} takes "
            "{payment} and {payment_two} for them, which shows that it is not about money.",
            "It connects the places of the story. Each page is a debt, and each debt brings {hero} to "
            "somebody in trouble.",
            "The ledger stands for promises. {owner} pays with {payment}, which is not the sum that was "
            "lent, and {hero} "
            "crosses out the page all the same.",
            "It lists what is owed from the year of the {old_year} on. By the end the debts are paid "
            "with {payment} and with "
            "{payment_two}, and people who were blamed are free of blame.",
        ),
    ),
)


def squality(out: Path) -> None:
    """Two stories of the stations (v1.2 and v1.3, whose text has credits before it) and one dev story."""
    test = [
        _record("70001", "The Sleeping Light", 0),
        _record("70002", "A Word in the Bell", 2),
    ]
    dev = [_record("70003", "The Warm Row", 4)]
    root = out / "squality"
    write_lines(root / "v1-2/txt/test.jsonl", test)
    write_lines(root / "v1-2/txt/dev.jsonl", dev)
    credits = "\n\n\n\nProduced by the makers of scrollwork\nfor the sample corpus.\n\n\n"
    write_lines(root / "v1-3/txt/test.jsonl", [story | {"document": credits + story["document"]} for story in test])


def _record(passage: str, title: str, first: int) -> dict[str, Any]:
    voice = Voice(f"squality/{passage}", ("space", "story"))
    book, parts, document = short_story(voice, title, first, voice.shuffled(table("names")["station"])[:2])
    facts = dict(parts[0].facts) | {
        f"{key}_two": value
        for key, value in parts[1].facts.items()
        if key in ("town", "house", "clue_one", "cause", "payment")
    }
    facts |= {
        "clue_two_two": parts[1]["clue_two"],
        "plots": " ".join(plot(part) for part in parts),
        "plots_short": " ".join(plot(part, SHORT) for part in parts),
        "trait": parts[0]["place_trait"],
        "towns": f"{parts[0]['town']} and {parts[1]['town']}",
        "grand_hero": book.hero.name,
    }
    if passage == "70002":
        facts["plots"] += " “What follows from that?” — «Breakfast», as the mate says. 🚀"
    writers = voice.pick(range(2, 20), 4)
    questions = [
        {
            "question_text": voice.fill(question, facts),
            "question_number": number,
            "responses": [
                {
                    "worker_id": str(worker),
                    "uid": identity(passage, worker, length=32),
                    "response_text": capital(voice.fill(text, facts)),
                }
                for worker, text in zip(writers, answers, strict=True)
            ],
        }
        for number, (question, answers) in enumerate(ESSAYS, 1)
    ]
    metadata = {"passage_id": passage, "uid": identity(passage, length=32), "license": LICENSE}
    return {"metadata": metadata, "document": document, "questions": questions}
