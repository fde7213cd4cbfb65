"""Write the examples of a page in chunks: inputs, prompts, answers, and an index of each task.

The page's script (assets/) reads them; the lists in the docstrings below are their records, field by field.
Offsets into documents (documents.py) are in UTF-16 units, as JavaScript counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from scrollwork.records.example import Example
from scrollwork.records.gold import written_references
from scrollwork.records.prompt import ROLES, Part, Prompt
from scrollwork.reporting.page.answers import NOT_ASKED, Answered, Answers, rounded
from scrollwork.reporting.page.chunks import Put, Series, packed
from scrollwork.reporting.page.documents import Documents
from scrollwork.reporting.page.usage import Usage

TEXTS = 400_000  # characters of a chunk, except chunks of documents

Key = tuple[str, int]  # an input: example_id, draw


class Group:
    """Writes the inputs of one task and split, with the answers of all lines.

    name: prefix of its chunks. Raises KeyError for a part of a document that was not added.
    """

    def __init__(
        self,
        name: str,
        task: str,
        split: str,
        documents: Documents,
        put: Put,
        metric: str = "",
        listed: Collection[Key] | None = None,
        unit: tuple[str, str] = ("", ""),
    ) -> None:
        """metric: of the task; it decides which texts of a reference are counted (records/gold.py). listed: inputs that
        the page shows, None for all; others are only counted. unit: (singular, plural) name of the windows' unit."""
        self._listed, self._hidden, self._unit = listed, set[Key](), unit
        self._windows: dict[int, list[int]] = {}
        self.name, self.task, self.split, self.metric = name, task, split, metric
        self._documents, self._put = documents, put
        self._rows: dict[Key, int] = {}
        self._numbers: dict[str, int] = {}  # of documents in this group
        self._series = Series(put, f"{name}.e", TEXTS)
        self._examples: dict[Key, int] = {}  # chunk of each
        self._words: dict[Key, int] = {}
        self._reference_words: dict[Key, float] = {}
        self._prompts: list[dict[str, Any]] = []
        self._lines: list[dict[str, Any]] = []

    def examples(self, examples: Iterable[Example], words: Mapping[str, int]) -> None:
        """Write every input once: [documents, titles, query, options, references, metadata]. words: of each
        document."""
        for example in examples:
            key = (example.example_id, example.draw)
            if key in self._examples or self._left_out(key):
                continue
            row = self._row(key)
            texts = [example.query or "", *example.options, *example.references, *example.titles, example.metadata]
            value = [
                [self._number(one) for one in example.document_ids],
                list(example.titles),
                example.query,
                list(example.options),
                list(example.references),
                example.metadata,
            ]
            self._examples[key] = self._series.add(str(row), value, sum(map(len, texts)))
            self._words[key] = sum(words.get(one, 0) for one in dict.fromkeys(example.document_ids))
            if gold := written_references(example, self.metric):
                counts = [len(one.split()) for one in gold]
                self._reference_words[key] = sum(counts) / len(counts)

    def prompts(self, profile: str, arm: str, prompts: Iterable[Prompt]) -> int:
        """Write the prompts of one profile and arm; returns the number of this set.

        [parts, dropped spans, digest, words, tokens of document, kept, prompt, most new tokens, characters kept,
        dropped, where the answer is, the evidence, units, span start, span length]. A part: [role, text] or
        [role, document, from, to]; a dropped span: [document, from, to].
        """
        number = len(self._prompts)
        series = Series(self._put, f"{self.name}.p{number}-", TEXTS)
        at: dict[int, int] = {}
        cut: set[int] = set()
        for prompt in prompts:
            if self._left_out((prompt.example_id, prompt.draw)):
                continue
            row = self._row((prompt.example_id, prompt.draw))
            if prompt.units is not None:
                self._windows[row] = [prompt.units, prompt.span_start or 0, prompt.span_length or 0]
            parts = [self._part(part) for part in prompt.parts]
            value = [
                parts,
                [self._span(part) for part in prompt.dropped],
                prompt.prompt_sha256,
                prompt.words,
                prompt.tokens_document,
                prompt.tokens_kept,
                prompt.tokens_prompt,
                prompt.max_new_tokens,
                prompt.kept_chars,
                prompt.dropped_chars,
                prompt.answer_in,
                prompt.evidence_in,
                prompt.units,
                prompt.span_start,
                prompt.span_length,
            ]
            at[row] = series.add(str(row), value, 200 + sum(len(part.text or "") for part in prompt.parts))
            if prompt.truncated:
                cut.add(row)
        series.close()
        self._prompts.append({"profile": profile, "arm": arm, "at": at, "cut": cut})
        return number

    def answers(
        self,
        line: int,
        prompts: int,
        members: Sequence[str],
        rows: Iterable[Answered],
        with_gold: frozenset[str] | set[str],
    ) -> tuple[Usage, list[int]]:
        """Write the answers of one line; returns (usage, words of each answer).

        line: its number in the page. prompts: number of its set of prompts. members: names of a family's seeds, or the
        model's name. with_gold: ids of examples that can be scored.

        An answer: [member, text, how it finished, input, cached, output tokens, model as reported, attempts,
        nano-dollars, characters within the task's length where not all are, value, components, flags, parsed]; a
        failure: [member, null, kind, status, message, attempts].
        """
        number = len(self._lines)
        keeper = Answers(Series(self._put, f"{self.name}.a{number}-", TEXTS), members)
        key: tuple[Any, ...] = ()
        row: int | None = None
        for state, one, score in rows:
            if one[:2] != key:
                key = one[:2]
                row = None if self._left_out((key[0], key[1])) else self._row((key[0], key[1]))
            if row is None:
                keeper.count(state, one)
            else:
                keeper.take(row, state, one, score)
        keeper.close()
        asked = self._prompts[prompts]["at"]
        rows_with_gold = {row for (example_id, _), row in self._rows.items() if example_id in with_gold}
        self._lines.append(
            {
                "line": line,
                "prompts": prompts,
                "members": list(members),
                "reported": list(keeper.reported),
                "components": list(keeper.components),
                "at": keeper.at,
                "value": {row: sum(values) / len(values) for row, values in keeper.values.items() if values},
                "state": {row: keeper.state(row, row in rows_with_gold) for row in asked},
                "words": {row: sum(counts) / len(counts) for row, counts in keeper.words.items()},
                "ended": keeper.ended,
            }
        )
        return keeper.usage, [*(count for counts in keeper.words.values() for count in counts), *keeper.others]

    @property
    def reference_words(self) -> list[float]:
        """Words of the references of each input: the mean over its references."""
        return list(self._reference_words.values())

    def close(self) -> dict[str, Any]:
        """Write the index; returns what the page must know about the group at once."""
        self._series.close()
        keys = list(self._rows)
        ids = list(self._numbers)
        index = {
            "ids": [example_id for example_id, _ in keys],
            "draws": [draw for _, draw in keys] if any(draw for _, draw in keys) else None,
            "examples": [self._examples.get(key, self._examples.get((key[0], 0))) for key in keys],
            "rows": [self._rows.get((key[0], 0), row) for row, key in enumerate(keys)],
            **(
                {
                    "windows": _column(self._windows, len(keys)),
                    "unit": self._unit,
                    "hidden": len(self._hidden),
                }
                if self._windows
                else {}
            ),
            "words": [self._words.get(key, self._words.get((key[0], 0), 0)) for key in keys],
            "roles": list(ROLES),
            "documents": [self._documents.where(one) for one in ids],
            "prompts": [
                {
                    "profile": one["profile"],
                    "arm": one["arm"],
                    "at": _column(one["at"], len(keys)),
                    "cut": "".join("1" if row in one["cut"] else "0" for row in range(len(keys))),
                }
                for one in self._prompts
            ],
            "lines": [
                {
                    **one,
                    "at": _column(one["at"], len(keys)),
                    "value": [rounded(value) for value in _column(one["value"], len(keys))],
                    "state": "".join(one["state"].get(row, NOT_ASKED) for row in range(len(keys))),
                    "words": [None if n is None else round(n) for n in _column(one["words"], len(keys))],
                    "ended": one["ended"],
                }
                for one in self._lines
            ],
        }
        self._put(f"{self.name}.i", packed(index))
        return {"name": self.name, "task": self.task, "split": self.split, "inputs": len(keys)}

    def _left_out(self, key: Key) -> bool:
        """Whether an input is only counted, not shown."""
        if self._listed is None or key in self._listed:
            return False
        self._hidden.add(key)
        return True

    def _row(self, key: Key) -> int:
        return self._rows.setdefault(key, len(self._rows))

    def _number(self, document_id: str) -> int:
        if document_id not in self._documents:
            raise KeyError(f"task {self.task}, split {self.split}: document {document_id} is not among the documents")
        return self._numbers.setdefault(document_id, len(self._numbers))

    def _part(self, part: Part) -> list[Any]:
        role = ROLES.index(part.role)
        return [role, part.text] if part.text is not None else [role, *self._span(part)]

    def _span(self, part: Part) -> list[int]:
        assert part.document_id is not None
        assert part.start is not None
        assert part.end is not None
        unit = self._documents.unit
        return [
            self._number(part.document_id),
            unit(part.document_id, part.start),
            unit(part.document_id, part.end),
        ]


def _column(values: Mapping[int, Any], length: int) -> list[Any]:
    return [values.get(row) for row in range(length)]
