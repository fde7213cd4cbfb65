"""QMSum (Zhong et al. 2021): meetings with general and specific queries. SCROLLS 3.1, ZeroSCROLLS 3.1.1.

The text is pre-tokenised and has transcription markers. Four rules clean it, each on or off in the suite file;
fidelity.md#qmsum has the result of each.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from scrollwork.preprocessing.raw.errors import MalformedRecord
from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records
from scrollwork.records.base import Row
from scrollwork.records.document import Document, text_id
from scrollwork.records.example import Example, metadata

SPACE_BEFORE = re.compile(r"[ \t]+(?=[.,?!](?:\s|$))")
VOCALSOUND = re.compile(r"\{ ?vocalsound ?\} ?")
MARKERS = re.compile(r"\{ ?(?:vocalsound|disfmarker|pause|nonvocalsound|gap|comment) ?\} ?")
ABBREVIATIONS = {"a_m_i_": "ami", "l_c_d_": "lcd", "p_m_s": "pms", "t_v_": "tv"}  # QMSum's own notebook
ABBREVIATION = re.compile(r"\b(?:a_m_i_|l_c_d_|p_m_s|t_v_)(?![A-Za-z0-9])")

# Applied in this order; markers go first, so that punctuation after them meets its word.
RULES: Mapping[str, Callable[[str], str]] = {
    "drop_vocalsound": lambda text: VOCALSOUND.sub("", text),
    "drop_markers": lambda text: MARKERS.sub("", text),
    "join_abbreviations": lambda text: ABBREVIATION.sub(lambda match: ABBREVIATIONS[match[0]], text),
    "join_punctuation": lambda text: SPACE_BEFORE.sub("", text),
}

BY_RECORD = ("records",)


def curate(raw: RawFiles, task: str, split: str, **rules: bool) -> Iterator[Row]:
    """Yield meetings as documents, each query as an example. Raises ValueError for an unknown rule.

    rules: which of RULES are applied. drop_vocalsound and drop_markers remove the transcription's markers,
    join_abbreviations writes a_m_i_ as ami, join_punctuation removes the space before , . ? !
    """
    unknown = sorted(set(rules) - set(RULES))
    if unknown:
        raise ValueError(f"qmsum.{unknown[0]} is no rule; there are: {', '.join(RULES)}")
    chosen = [rule for name, rule in RULES.items() if rules.get(name)]

    def clean(text: str) -> str:
        for rule in chosen:
            text = rule(text)
        return text

    yield from convert_records(meetings(raw), partial(meeting, clean, task, split), task=task, split=split)


def meetings(raw: RawFiles) -> Iterator[Record | MalformedRecord]:
    """Yield the meetings of JSON Lines, or of one pretty-printed object per file."""
    if all(name.endswith(".json") for name, _ in raw.files()):
        yield from raw.objects()
    else:
        yield from raw.records()


def meeting(clean: Callable[[str], str], task: str, split: str, record: Record) -> Iterator[Row]:
    """Yield the transcript, one turn per line, and its queries; a malformed query is dropped alone."""
    turns = [
        f"{t.text('speaker', empty=True)}: {t.text('content', empty=True)}"
        for t in record.records("meeting_transcripts")
    ]
    text = clean("\n".join(turns))
    if not text.replace(":", "").strip():
        raise record.error("meeting_transcripts", "has no text", "empty field")
    document = Document.of(text, source_file=record.file, source_record=record.where)
    queries = [(kind, query) for kind in ("general", "specific") for query in record.items(f"{kind}_query_list")]
    ends = turn_ends([clean(turn) for turn in turns], text)
    yield document
    for number, (kind, query) in enumerate(queries):
        convert = partial(example, document, ends, number, kind, clean, task, split)
        yield from convert_records([query], convert, task=task, split=split)


def turn_ends(turns: Sequence[str], text: str) -> list[int]:
    """Return where each turn ends in the cleaned text; [] if cleaning joined turns."""
    if "\n".join(turns) != text:
        return []
    ends, at = [], -1
    for turn in turns:
        at += len(turn) + 1
        ends.append(at)
    return ends


def evidence(marked: object, ends: Sequence[int]) -> list[list[int]]:
    """Return the turns that upstream marks for a query, [0, start, end] in characters, skipping invalid ranges."""
    spans = []
    for pair in marked if isinstance(marked, list) else []:
        if not (isinstance(pair, list) and len(pair) == 2 and all(is_number(one) for one in pair)):
            continue
        first, last = int(pair[0]), int(pair[1])
        if first <= last < len(ends):
            spans.append([0, ends[first - 1] + 1 if first else 0, ends[last]])
    return spans


def is_number(value: object) -> bool:
    """Return whether a value is a turn's number, which upstream writes as text."""
    return len(str(value)) < 9 and str(value).isascii() and str(value).isdigit()


def example(
    document: Document,
    ends: Sequence[int],
    number: int,
    kind: str,
    clean: Callable[[str], str],
    task: str,
    split: str,
    query: Record,
) -> Iterator[Example]:
    """Yield one query. Upstream has no ids: the digest of the meeting's text and the query's place in it name it."""
    asked, answer = (clean(query.text(field)) for field in ("query", "answer"))
    for field, text in (("query", asked), ("answer", answer)):
        if not text.strip():
            raise query.error(field, "holds nothing but markers of the transcription", "empty field")
    yield Example(
        task=task,
        split=split,
        example_id=f"{kind[0]}{number}-{text_id(document.text)[:16]}",
        document_ids=(document.document_id,),
        query=asked,
        references=(answer,),
        metadata=metadata(kind=kind, evidence_spans=evidence(query.data.get("relevant_text_span"), ends)),
    )
