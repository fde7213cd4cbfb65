"""One document of ECB+: its tokens, its mentions, and which of them corefer, read from upstream's XML."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path

from scrollwork.preprocessing.datasets.coreference import joined
from scrollwork.preprocessing.raw.errors import MalformedRecord
from scrollwork.preprocessing.raw.files import RawFiles
from scrollwork.preprocessing.raw.xml_elements import root_of

EVENTS = ("ACT", "NEG")  # how the tags of event mentions begin
CROSS, INTRA = "CROSS_DOC_COREF", "INTRA_DOC_COREF"
Chain = tuple[str, ...]


@dataclass(frozen=True)
class Event:
    """An event mention in a document's text: characters [start, end), and its coreference chain."""

    start: int
    end: int
    chain: Chain


@dataclass(frozen=True)
class Text:
    """The part of a document that is shown: from the first to the last token of its validated sentences.

    entities: number of mentions of other kinds in these, on which the official draws depend.
    """

    name: str
    file: str
    text: str
    events: tuple[Event, ...]
    entities: int = 0


def read(raw: RawFiles, path: tuple[str, Path], validated: Set[int]) -> Text:
    """Read a document's text and the event mentions of its validated sentences. Raises MalformedFile, MalformedRecord.

    Tokens are joined by blanks; sentences between validated ones are kept. A discontinuous mention is what covers it;
    one with a token outside the validated sentences is left out.
    """
    name = Path(path[0]).stem
    root = root_of(raw, path, "Document")
    if root.get("doc_name", path[0]).rpartition("/")[2] != Path(path[0]).name:
        raise problem(
            path[0], "Document", "doc_name", f"is {root.get('doc_name')!r}: another document's", "another file"
        )
    tokens = list(root.findall("token"))
    numbers = {identity(path[0], token, "t_id"): number for number, token in enumerate(tokens)}
    if len(numbers) != len(tokens):
        raise problem(path[0], "token", "t_id", "stands twice", "duplicate id")
    sentences = [sentence(path[0], token) for token in tokens]
    for number in sorted(validated - set(sentences)):
        raise problem(
            path[0], "", "", f"has no sentence {number}, which the list of sentences names", "missing sentence"
        )
    shown = [number for number, one in enumerate(sentences) if one in validated]
    words = [word(path[0], token) for token in tokens[shown[0] : shown[-1] + 1]]
    text, places = joined(words)
    chains = chains_of(path[0], root)
    events = []
    entities = 0
    for m_id, tag, anchors in mentions_of(path[0], root):
        at = [token_number(path[0], m_id, anchor, numbers) for anchor in anchors]
        inside = all(sentences[number] in validated for number in at)
        entities += inside and not tag.startswith(EVENTS)
        if inside and tag.startswith(EVENTS):
            start, end = places[min(at) - shown[0]][0], places[max(at) - shown[0]][1]
            events.append(Event(start, end, chains.pop(m_id, ("alone", name, m_id))))
        else:
            chains.pop(m_id, None)
    if chains:
        m_id = next(iter(chains))
        raise problem(path[0], "Relations", "source", f"names mention {m_id!r}, which is not there", "unknown mention")
    return Text(name, path[0], text, tuple(sorted(events, key=lambda event: (event.start, -event.end))), entities)


def mentions_of(file: str, root: ET.Element) -> list[tuple[str, str, list[str]]]:
    """Return (m_id, tag, its tokens' ids) of every mention, without descriptions of instances, which have no tokens."""
    markables = root.find("Markables")
    if markables is None:
        raise problem(file, "Document", "Markables", "is missing", "missing field")
    found = [
        (
            identity(file, one, "m_id"),
            one.tag,
            [identity(file, anchor, "t_id") for anchor in one.findall("token_anchor")],
        )
        for one in markables
    ]
    ids = [m_id for m_id, _, _ in found]
    if len(set(ids)) != len(ids):
        twice = next(one for one in ids if ids.count(one) > 1)
        raise problem(file, f"mention {twice}", "m_id", "stands twice", "duplicate id")
    return [one for one in found if one[2]]


def chains_of(file: str, root: ET.Element) -> dict[str, Chain]:
    """Return the chain of each mention in one: the instance across documents, else the chain within this document."""
    relations = root.find("Relations")
    found: dict[str, Chain] = {}
    for relation in relations if relations is not None else ():
        if relation.tag not in (CROSS, INTRA):
            continue
        inner = relation.tag == INTRA
        number = identity(file, relation, "r_id" if inner else "note")
        chain = (INTRA, file, number) if inner else (CROSS, number)
        for source in relation.findall("source"):
            m_id = identity(file, source, "m_id")
            if found.setdefault(m_id, chain) != chain:
                raise problem(file, f"mention {m_id}", "", "stands in two chains", "mention in two clusters")
    return found


def identity(file: str, element: ET.Element, name: str) -> str:
    """Return an attribute that must be there. Raises MalformedRecord."""
    value = element.get(name, "")
    if not value.strip():
        raise problem(file, element.tag, name, "is missing", "missing field")
    return value


def sentence(file: str, token: ET.Element) -> int:
    """Return the number of the sentence that a token is in. Raises MalformedRecord."""
    value = identity(file, token, "sentence")
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        raise problem(file, f"token {token.get('t_id')}", "sentence", f"{value!r} is no number", "wrong type")
    return int(value)


def word(file: str, token: ET.Element) -> str:
    """Return a token's text, without the tabs that upstream left after three of them. Raises MalformedRecord."""
    text = (token.text or "").strip()
    if not text:
        raise problem(file, f"token {token.get('t_id')}", "", "has no text", "empty field")
    return text


def token_number(file: str, m_id: str, t_id: str, numbers: dict[str, int]) -> int:
    """Return the number of the token that an anchor names. Raises MalformedRecord."""
    if t_id not in numbers:
        raise problem(
            file, f"mention {m_id}", "token_anchor", f"names token {t_id!r}, which is not there", "mention out of range"
        )
    return numbers[t_id]


def problem(file: str, record: str, field: str, said: str, reason: str) -> MalformedRecord:
    """Return the error to raise for a document."""
    return MalformedRecord(file, record, field, said, reason)
