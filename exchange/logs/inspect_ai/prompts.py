"""Prompts of an inspect_ai log as digests: texts, messages, and what messages hold besides text.

A summary says "(Image)" where the sample has an image; then the samples are read. Logs of 0.3.100 say so in the samples
too, and `--no-log-images` leaves images out: the digests of such logs are of `TEXT_ALONE`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from scrollwork.analysis.logs.log import BEGINNING, BEGINNING_PART, digest_of

CUT_MARK = "...\n(content truncated)"
ATTACHED = "attachment://"
IN_PLACE = re.compile(r"\((?:Image|Audio|Video|Document|Data|Reasoning|Tool_use)\)")  # of a part that is not there
NOT_LOGGED = "<base64-data-removed>"  # in place of an image's data
TEXT_ALONE = "the text without images and files"


class MissingField(Exception):
    """Summaries lack a field with ids or clusters, or the prompts by which items are told apart: samples have them."""


class Prompts:
    """Digests of prompts, one a sample, "" where there is none.

    summaries: whether samples are summaries, whose texts are cut. digests: of prompts with their choices. cut: whether
    any was cut. partial: rows whose images or files are not in the log.
    """

    def __init__(self, summaries: bool) -> None:
        self.digests: list[str] = []
        self.cut = False
        self.partial: set[int] = set()
        self._summaries = summaries
        self._beginnings: dict[int, str] = {}  # by row, of prompts that are longer
        self._long = self._lacks = False  # of the last prompt: longer than its beginning, parts that are not there

    def add(self, sample: Mapping[str, Any]) -> None:
        """Add the prompt of a sample. Raises MissingField for a summary without what the sample has."""
        row = len(self.digests)
        self._long = self._lacks = False
        self.digests.append(self._digest(sample, None))
        if self._long:
            self._beginnings[row] = self._digest(sample, BEGINNING)
        if self._lacks:
            if self._summaries:
                raise MissingField("images")
            self.partial.add(row)

    def text_digests(self, texts: Sequence[str | None]) -> list[str]:
        """Return the digests of prompts that are one text without attachments, "" for None."""
        sha256, marked = hashlib.sha256, BEGINNING + len(CUT_MARK)
        return [
            sha256((text if len(text) != marked else self._whole(text, {})).encode("utf-8")).hexdigest()
            if text is not None
            else ""
            for text in texts
        ]

    @property
    def part(self) -> str:
        """What the digests are of, as `Log.prompt_part` says it."""
        return BEGINNING_PART if self.cut else TEXT_ALONE if self.partial else ""

    @property
    def beginnings(self) -> list[str] | None:
        """The digests of the prompts' beginnings, None where the log has no whole prompts."""
        if self.part or not any(self.digests):
            return None
        return [self._beginnings.get(row, one) for row, one in enumerate(self.digests)]

    def telling_apart(self, names: Sequence[object]) -> list[str]:
        """Return the digests, "" for those that other items share for lack of their images. names: of the items."""
        shared: dict[str, set[object]] = {}
        for row in self.partial:
            shared.setdefault(self.digests[row], set()).add(names[row])
        return ["" if row in self.partial and len(shared[one]) > 1 else one for row, one in enumerate(self.digests)]

    def _digest(self, sample: Mapping[str, Any], most: int | None) -> str:
        """Return the digest of prompt and choices, "" where there is none. most: characters of a text, or all."""
        given, choices = sample.get("input"), sample.get("choices")
        if isinstance(given, str):
            text = self._whole(given, sample)[:most]
            prompt = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        elif isinstance(given, list):
            texts: list[str] = []
            for message in given:
                if isinstance(message, dict):
                    texts += (str(message.get("role")), self._content(message.get("content"), sample, most))
            prompt = digest_of(texts[1] if len(texts) == 2 and texts[0] == "user" else texts)
        else:
            return ""
        return digest_of([prompt, *map(str, choices)]) if isinstance(choices, list) else prompt

    def _content(self, content: Any, sample: Mapping[str, Any], most: int | None) -> str:
        """Return a message's text; each part that is no text as its kind with the digest of what it holds."""
        if isinstance(content, str):
            return self._whole(content, sample)[:most]
        parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
        texts = []
        for part in parts:
            if part.get("type") == "text":
                text = str(part.get("text"))
                self._lacks = self._lacks or IN_PLACE.fullmatch(text) is not None
                texts.append(self._whole(text, sample)[:most])
            else:
                texts.append(self._other(part, sample))
        return "\n".join(texts)

    def _other(self, part: Mapping[str, Any], sample: Mapping[str, Any]) -> str:
        """Return what stands for a part that is no text."""
        kind = str(part.get("type"))
        held = part.get(kind)
        if isinstance(held, str):
            held = _attached(held, sample)
        if held == NOT_LOGGED:
            self._lacks = True
            return f"({kind.capitalize()})"
        return f"({kind.capitalize()} {digest_of(held if isinstance(held, str) else json.dumps(part, sort_keys=True))})"

    def _whole(self, text: str, sample: Mapping[str, Any]) -> str:
        """Return a text as it was, as far as the log has it: attached texts are put back, the mark of a cut removed."""
        if self._summaries and len(text) == BEGINNING + len(CUT_MARK) and text.endswith(CUT_MARK):
            self.cut = True
            return text[:BEGINNING]
        text = _attached(text, sample)
        self._long = self._long or len(text) > BEGINNING
        return text


def _attached(text: str, sample: Mapping[str, Any]) -> str:
    """Return the attachment that a text stands for, else the text."""
    if text.startswith(ATTACHED) and isinstance(attached := sample.get("attachments"), dict):
        found = attached.get(text.removeprefix(ATTACHED))
        return found if isinstance(found, str) else text
    return text
