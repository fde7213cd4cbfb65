"""SEAM's prompts: six paraphrases a task, and five demonstrations made as the test inputs are, from other seeds."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scrollwork.sample._kit import Voice, rows, table, write_json
from scrollwork.sample.multi_document.abstracts import documents
from scrollwork.sample.multi_document.clippings import ASPECTS, article, event
from scrollwork.sample.multi_document.dispatches import Sentence, document
from scrollwork.sample.multi_document.facts import demonstrations as asked
from scrollwork.sample.multi_document.fusions import instance

SHOWN = 5
STORIES = ((1, "ecb"), (1, "ecbplus"), (3, "ecb"), (3, "ecbplus"), (4, "ecb"))


def seam(out: Path) -> None:
    """One file a task, named and laid out as the official code's."""
    folder = out / "seam" / "files" / "prompts"
    made = {
        "MultiNews": ("multi_news", list(_summaries())),
        "OpenASP": ("open_asp", list(_aspects())),
        "MusiQue": ("musique", list(asked())),
        "SciCo": ("coreference", list(_concepts())),
        "ECB": ("coreference", list(_events())),
    }
    for name, (key, shown) in made.items():
        write_json(folder / f"{name}.json", {"prompts": _paraphrases(key), "demonstrations": shown}, indent=2)
    fused = {
        "prompts": _paraphrases("fuse_reviews"),
        "highlight_start": "{HS}",
        "highlight_end": "{HE}",
        "demo_sep": "\n\n\n",
        "demos": list(_fusions()),
    }
    write_json(folder / "FuseReviews.json", fused, indent=2)


def _paraphrases(key: str) -> list[dict[str, Any]]:
    found = []
    for number, line in enumerate(table("asking")[key]):
        text, _, form = line.partition(" | ")
        found.append(
            {"id": number, "instructions": text, **({"output_format": form} if form else {}), "comments": "sample"}
        )
    return found


def _summaries() -> Iterator[dict[str, Any]]:
    for number in range(SHOWN):
        voice, facts = event(f"shown/news/{number}", kept_back=True)
        shown = [" ".join(article(voice, facts, 2)) for _ in range(2 + number % 2)]
        yield {"id_train": 100 + number, "documents": shown, "target": voice.say("summary", facts)}


def _aspects() -> Iterator[dict[str, Any]]:
    for number in range(SHOWN):
        voice, facts = event(f"shown/aspect/{number}", kept_back=True)
        label, key = ASPECTS[number % 3]
        shown = [" ".join(article(voice, facts, 3)) for _ in range(2)]
        guid = f"{label}/SMPL/mnews-train.{9100 + number}.A"
        target = f"{voice.say(key, facts)}\n{voice.say('answer_told', facts)}"
        yield {"id_train": guid, "index": number, "aspect_label": label, "documents": shown, "target": target}


def _fusions() -> Iterator[dict[str, Any]]:
    for number in range(SHOWN):
        _, reviews, spans, summary = instance(f"shown/{number}", 10 + number)
        marked = {}
        for place, (text, found) in enumerate(zip(reviews, spans, strict=True)):
            for start, end in sorted(found, reverse=True):
                text = f"{text[:start]}{{HS}} {text[start:end]}{{HE}}{text[end:]}"
            marked[f"review_{place}"] = text
        yield {"id": number, "reviews": marked, "output": summary, "highlights_output_alignment": []}


def _marked(tokens: list[str], mentions: list[tuple[int, int, int]]) -> str:
    """Tokens with [ before the first and ](id) behind the last of each mention (first, last, id)."""
    shown = list(tokens)
    for first, last, number in sorted(mentions, key=lambda one: one[1] - one[0]):
        shown[first] = f"[{shown[first]}"
        shown[last] = f"{shown[last]}]({number})"
    return " ".join(shown)


def _concepts() -> Iterator[dict[str, Any]]:
    topics = rows("concepts", "shown")
    for number in range(SHOWN):
        voice = Voice(f"shown/concepts/{number}", ("concepts",))
        free = iter(voice.shuffled(range(1, 100)))
        clusters: dict[int, list[int]] = {}
        shown = []
        for paragraphs in documents(voice, topics[number]["concepts"], 4):
            texts = []
            for tokens, found in paragraphs:
                numbered = [(first, last, next(free), cluster) for first, last, cluster in found]
                for _, _, one, cluster in numbered:
                    clusters.setdefault(cluster, []).append(one)
                texts.append(_marked(tokens, [(first, last, one) for first, last, one, _ in numbered]))
            shown.append(" ".join(texts))
        yield {"id_train": 500 + number, "index": number, "documents": shown, "target": list(clusters.values())}


def _events() -> Iterator[dict[str, Any]]:
    for number, (topic, story) in enumerate(STORIES):
        voice = Voice(f"shown/events/{number}")
        free = iter(voice.shuffled(range(60)))
        clusters: dict[object, list[int]] = {}
        shown = [
            " ".join(_sentence(one, free, clusters, file) for one in document(topic, story, file) if one.mentions)
            for file in range(1, 4)
        ]
        yield {"topic_id_train": topic, "documents": shown, "target": list(clusters.values())}


def _sentence(sentence: Sentence, free: Iterator[int], clusters: dict[object, list[int]], file: int) -> str:
    """A sentence with its events marked; their ids join the clusters."""
    mentions = []
    for chain, tag, tokens in sentence.mentions:
        if tag.startswith(("ACT", "NEG")):
            number = next(free)
            key: object = number if chain == "-" else (chain, file) if chain.startswith("~") else chain
            clusters.setdefault(key, []).append(number)
            mentions.append((tokens[0], tokens[-1], number))
    return _marked(sentence.tokens, mentions)
