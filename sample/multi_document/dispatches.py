"""ECB+: news of a few topics, two stories each, with marked events and what corefers, as upstream's XML."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from scrollwork.sample._kit import Voice, identity, table, write_text

MARK = re.compile(r"\[([^|\]]+)\|([^|\]]+)(?:\|([A-Z_]+))?\]")
DEFAULT = "ACTION_OCCURRENCE"
STORIES = ("ecb", "ecbplus")
TOPICS = (5, 36, 37, 38)
COUNTS = {"ecb": 4, "ecbplus": 3}  # documents of a story


@dataclass(frozen=True)
class Sentence:
    """Tokens, and the mentions: (chain, tag, which tokens)."""

    tokens: list[str]
    mentions: list[tuple[str, str, list[int]]]


def ecb_plus(out: Path) -> None:
    """Three topics of test and one of validation."""
    root = out / "ecb_plus" / "ECB+_LREC2014"
    listed = ["Topic,File,Sentence Number"]
    for topic in TOPICS:
        for story in STORIES:
            for number in range(1, COUNTS[story] + 1):
                name = f"{number}{story}"
                sentences = document(topic, story, number)
                write_text(root / "ECB+" / str(topic) / f"{topic}_{name}.xml", _xml(topic, name, story, sentences))
                if (topic, name) != (38, "3ecbplus"):  # not validated
                    listed += [f"{topic},{name},{place}" for place in _validated(story, sentences)]
    write_text(root / "ECBplus_coreference_sentences.csv", "\n".join(listed) + "\n")


def document(topic: int, story: str, number: int) -> list[Sentence]:
    """A lead, some more, something plain between; files "ecbplus" begin with an address, as upstream."""
    voice = Voice(f"ecb_plus/{topic}/{story}/{number}", ("dispatches",))
    lines = table("dispatches")
    leads, more, plain = lines[f"{topic} {story} lead"], lines[f"{topic} {story} more"], lines["plain"]
    chosen = [leads[(number - 1) % len(leads)], *voice.pick(more, voice.between(1, 3))]
    chosen.insert(2, plain[voice.below(len(plain))])
    if story == "ecbplus":
        chosen.insert(0, f"http : //www . example . org/{topic}/{number}")
    if (topic, story, number) == (37, "ecb", 2):
        chosen.append("“Naïve ,” [said|-] Zoë & Co. in the cafe\u0301 , <很好> .")
    return [parse(line) for line in chosen]


def parse(line: str) -> Sentence:
    """A marked line as tokens and mentions."""
    tokens: list[str] = []
    mentions: dict[object, tuple[str, str, list[int]]] = {}
    at = 0
    for place, mark in enumerate(MARK.finditer(line)):
        tokens += line[at : mark.start()].split()
        words = mark[1].split()
        chain, _, piece = mark[2].partition("#")
        key = (chain, piece) if piece else place
        known = mentions.setdefault(key, (chain, mark[3] or DEFAULT, []))
        known[2].extend(range(len(tokens), len(tokens) + len(words)))
        tokens += words
        at = mark.end()
    return Sentence([*tokens, *line[at:].split()], list(mentions.values()))


def _validated(story: str, sentences: Sequence[Sentence]) -> Iterator[int]:
    """Sentences with mentions, but for the last where there are more than three: upstream has mentions outside too."""
    marked = [number for number, one in enumerate(sentences) if one.mentions]
    yield from marked[:-1] if len(marked) > 3 else marked


def _xml(topic: int, name: str, story: str, sentences: Sequence[Sentence]) -> str:
    file = f"{topic}_{name}.xml"
    lines = [f'<Document doc_name="{file}" doc_id="DOC{int(identity(file, length=12), 16)}">']
    chains: dict[str, list[int]] = {}
    markables, first, m_id = [], 1, 0
    for number, sentence in enumerate(sentences):
        for place, token in enumerate(sentence.tokens):
            attributes = f't_id="{first + place}" sentence="{number}" number="{place}"'
            lines.append(f"<token {attributes}>{escape(token)}</token>")
        for chain, tag, tokens in sentence.mentions:
            m_id += 1
            anchors = "".join(f'  <token_anchor t_id="{first + place}"/>\n' for place in tokens)
            markables.append(f'<{tag} m_id="{m_id}"  >\n{anchors}</{tag}>')
            if chain != "-":
                chains.setdefault(chain, []).append(m_id)
        first += len(sentence.tokens)
    relations = []
    for number, (chain, sources) in enumerate(chains.items()):
        inner = chain.startswith("~")
        target, instance = m_id + 1 + number, f"ACT{topic}{int(identity(topic, chain, length=8), 16)}"
        described = "" if inner else f" instance_id={quoteattr(instance)}"
        markables.append(f'<{DEFAULT} m_id="{target}" RELATED_TO="" TAG_DESCRIPTOR={quoteattr(chain)}{described} />')
        tag = "INTRA_DOC_COREF" if inner else "CROSS_DOC_COREF"
        noted = "" if inner else f" note={quoteattr(instance)}"
        pieces = "".join(f'  <source m_id="{one}" />\n' for one in sources)
        relations.append(f'<{tag} r_id="{70000 + target}"{noted} >\n{pieces}  <target m_id="{target}" />\n</{tag}>')
    body = ["<Markables>", *markables, "</Markables>", "<Relations>", *relations, "</Relations>", "</Document>"]
    return "\n".join([*lines, *body]) + "\n"
