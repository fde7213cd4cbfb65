import base64
import gzip
import json
from typing import Any

import pytest
from pages import answered, example, prompt, response, score

from scrollwork.records.document import Document
from scrollwork.reporting.page.chunks import Spool, facts, packed
from scrollwork.reporting.page.documents import Documents
from scrollwork.reporting.page.examples import Group


def opened(chunk: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(chunk)))


def group(chunks: dict[str, str], document: Document) -> tuple[Group, Documents]:
    spool = Spool(lambda name, data: chunks.__setitem__(name, data.decode("ascii")))
    documents = Documents(spool)
    documents.add(document.document_id, "", document.text)
    documents.add(document.document_id, "", document.text)
    return Group("g0", "qasper", "test", documents, spool), documents


def test_a_document_stands_twice_or_is_not_what_it_was() -> None:
    chunks: dict[str, str] = {}
    document = Document.of("a\u2028b </script> \U0001f600\x00\n", source_file="none")
    _, documents = group(chunks, document)
    documents.close()
    assert [opened(chunk) for chunk in chunks.values()] == [{"0": document.text}]


def test_a_family_with_a_failed_member_passes_for_answered() -> None:
    chunks: dict[str, str] = {}
    document = Document.of("text " * 9, source_file="none")
    own, documents = group(chunks, document)
    examples = [example(number, document) for number in range(3)]
    own.examples(examples, {})
    prompts = own.prompts("plain", "full", (prompt(one, document) for one in examples))
    came = [
        response(examples[0], "m:1", "one", cost=5),
        response(examples[0], "m:2", "two", tries=2, cost=None),
        response(examples[1], "m:1", "one", "length", 0, None),
    ]
    rows = [answered(one, score(one, value)) for one, value in zip(came, (10.0, 30.0, 50.0), strict=True)]
    usage, words = own.answers(0, prompts, ["m:1", "m:2"], rows, {"q0", "q1", "q2"})
    assert (usage.answers, usage.cost_nano_usd, usage.cost_of, usage.attempts) == (3, 5, 1, 3)
    assert words == [1, 1, 1]
    own.close()
    documents.close()
    (line,) = opened(chunks["g0.i"])["lines"]
    assert (line["state"], line["value"], line["ended"]) == ("amm", [20.0, 50.0, None], {"length": [1]})
    assert [one[0] for one in opened(chunks["g0.a0-0"])["0"]] == [0, 1]


def test_an_answer_without_gold_passes_for_scored() -> None:
    chunks: dict[str, str] = {}
    document = Document.of("text " * 9, source_file="none")
    own, _ = group(chunks, document)
    examples = [example(0, document)]
    own.examples(examples, {})
    prompts = own.prompts("plain", "full", [prompt(examples[0], document)])
    own.answers(0, prompts, ["m"], [answered(response(examples[0], "m", "one"))], set())
    own.close()
    (line,) = opened(chunks["g0.i"])["lines"]
    assert (line["state"], line["value"]) == ("g", [None])


def test_a_prompt_of_a_document_that_is_not_there_is_shown_without_it() -> None:
    chunks: dict[str, str] = {}
    document, other = (Document.of(text, source_file="none") for text in ("one", "two"))
    own, _ = group(chunks, document)
    with pytest.raises(KeyError, match="task qasper, split test: document"):
        own.prompts("plain", "full", [prompt(example(0, other), other)])


def test_equal_values_are_packed_to_other_bytes() -> None:
    assert packed({"a": "b" * 100}) == packed({"a": "b" * 100})


def test_facts_end_their_element() -> None:
    assert "<" not in facts({"a": "</script><!--"})
    assert json.loads(facts({"a": "</script>"})) == {"a": "</script>"}
