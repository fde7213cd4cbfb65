"""SciCo: paragraphs of invented papers with marked concepts, some of them inside others."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scrollwork.sample._kit import Voice, rows, table, write_lines

Marked = tuple[list[str], list[tuple[int, int, int]]]  # tokens; first, last and cluster of each mention


def sci_co(out: Path) -> None:
    """Five topics of test, one of dev and of train, with eight to twelve documents."""
    topics = rows("concepts", "topics")
    for split, places in (("test", range(5)), ("dev", (1,)), ("train", (3,))):
        records = [_record(split, 100 * place + 7, topics[place]["concepts"], place) for place in places]
        write_lines(out / "scico" / f"{split}.jsonl", records)


def documents(voice: Voice, concepts: str, count: int) -> list[list[Marked]]:
    """So many documents of one or two paragraphs each."""
    wordings = [[form.strip() for form in concept.split(";")] for concept in concepts.split("!")]
    return [[_paragraph(voice, wordings) for _ in range(1 + (voice.below(3) == 0))] for _ in range(count)]


def _paragraph(voice: Voice, wordings: Sequence[Sequence[str]]) -> Marked:
    key = ("frames", "frames", "pairs")[voice.below(3)]
    lines = table("concepts")[key]
    tokens: list[str] = []
    mentions: list[tuple[int, int, int]] = []
    clusters = voice.shuffled(range(len(wordings)))
    for word in lines[voice.below(len(lines))].split():
        if word != "@":
            tokens.append(word)
            continue
        cluster = clusters.pop()
        form = wordings[cluster][voice.below(len(wordings[cluster]))].split()
        first = len(tokens)
        tokens += form
        mentions.append((first, len(tokens) - 1, cluster))
        inner = wordings[cluster][-1].split()  # the shortest wording, where a longer one ends with it
        if len(inner) < len(form) and form[-len(inner) :] == inner:
            mentions.append((len(tokens) - len(inner), len(tokens) - 1, len(wordings) + cluster))
    if voice.below(3) == 0:
        plain = table("concepts")["plain"]
        tokens += plain[voice.below(len(plain))].split()
    return tokens, mentions


def _record(split: str, number: int, concepts: str, place: int) -> dict[str, Any]:
    voice = Voice(f"sci_co/{split}/{number}", ("concepts",))
    tokens, owners, mentions = [], [], []
    for owner, paragraphs in enumerate(documents(voice, concepts, 8 + place)):
        for words, found in paragraphs:
            mentions += [[len(tokens), first, last, cluster] for first, last, cluster in found]
            if (split, place, owner) == ("test", 2, 0):
                words = [*words, "“Naïve”", "caf\u00e9", "很好", "😀"]
            tokens.append(words)
            owners.append(owner)
    flat = [word for words in tokens for word in words]
    flags = {"hard_10": place == 0, "hard_20": place < 2, "curated": place == 4} if split == "test" else {}
    return {
        "flatten_tokens": flat,
        "flatten_mentions": [],
        "tokens": tokens,
        "doc_ids": owners,
        "metadata": [],
        "sentences": [[[0, len(words) - 1]] for words in tokens],
        "mentions": mentions,
        "relations": [[0, 1]],
        "id": number,
        "source": "sample",
        **flags,
    }
