"""Chat adaptation (fact sheet 3.5) and truncation (fact sheet 4 and the vectors of 11)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.preprocessing.prompts.chat import adapt, answer_tag
from scrollwork.preprocessing.prompts.template import Template, assemble
from scrollwork.preprocessing.prompts.truncation import Counts, Limit, front_budget, token_room, truncate
from scrollwork.preprocessing.tokens.tokenizer import make
from scrollwork.records.example import Example
from scrollwork.records.prompt import Part, render
from scrollwork.suites.suite_files import load_suite

SUITE = load_suite("zeroscrolls")
SENTENCE = "Do not provide any explanation."
WORDS = make("words")


def template(task: str) -> Template:
    return Template(**SUITE.tasks[task].template)


def parts(task: str, text: str, query: str | None = None, documents: int = 1) -> tuple[Part, ...]:
    titles = ("T",) * documents if task == "musique" else ()
    ids = tuple(f"d{n}" for n in range(documents))
    example = Example(task, "test", "e1", ids, ("r",), query=query, titles=titles)
    return assemble(example, template(task), lambda _: len(text))


def chat(task: str, variant: str, text: str = "Once.", query: str | None = None) -> str:
    adapted = adapt(parts(task, text, query), template(task), variant, SENTENCE)
    return render(adapted, lambda _: text)


def test_musique_for_gpt4_differs_from_the_worked_example() -> None:
    text = chat("musique", "chat", query="Who?")
    assert text.split("\n\n")[0].endswith('write "unanswerable". Do not provide any explanation.')
    assert text.endswith("\n\nQuestion:\nWho?")


def test_query_less_chat_prompt_loses_its_two_newlines() -> None:
    text = chat("space_digest", "chat")
    assert text.split("\n\n")[0].endswith("(e.g. 60%, 34%, etc.)? Do not provide any explanation.")
    assert text.endswith("Once.\n\n")


def test_summarization_gets_the_chat_sentence() -> None:
    assert SENTENCE not in chat("squality", "chat", query="Why?")
    assert chat("squality", "chat", query="Why?").endswith("Question:\nWhy?")


def test_chat_sentence_shifts_the_document_by_another_length() -> None:
    plain = render(parts("qasper", "Once.", "Why?"), lambda _: "Once.")
    assert chat("qasper", "chat", query="Why?").index("Article:") - plain.index("Article:") == len(SENTENCE) + 1


def test_claude_prompt_lacks_wrapper_tags_or_prefill() -> None:
    text = chat("book_sum_sort", "claude")
    assert text.startswith("\n\nHuman: You are given 1 summaries")
    assert (
        "Do not provide any explanation, and please highlight your final summary ids in correct order with "
        "<summary_ids_in_correct_order></summary_ids_in_correct_order> tags."
    ) in text
    assert text.endswith("\n\nAssistant: Summary IDs in Correct Order: <summary_ids_in_correct_order>")


def test_claude_summary_is_prefilled() -> None:
    text = chat("gov_report", "claude")
    assert text.endswith("Once.\n\n\n\nAssistant:")
    assert "tags" not in text


@pytest.mark.parametrize(
    ("task", "tag"),
    [("qasper", "answer"), ("space_digest", "percentage_of_positive_reviews")],
)
def test_tag_is_not_the_answer_type(task: str, tag: str) -> None:
    assert answer_tag(template(task)) == tag


# Vectors T1-T6: L, G, tokens, s, chat, kept (None: unchanged)
@pytest.mark.parametrize(
    ("policy", "limit", "reserved", "total", "tail", "is_chat", "kept"),
    [
        ("openai", 8192, 1024, 7168, 12, True, None),
        ("openai", 8192, 1024, 7169, 12, True, 7146),
        ("openai", 4096, 128, 5000, 40, False, 3927),
        ("openai", 4096, 128, 5000, 40, True, 3918),
        ("input", 8192, 0, 9000, 50, False, 8142),
        ("input", 8192, 0, 8192, 50, False, None),
    ],
)
def test_budget_differs_from_the_vector(
    policy: str, limit: int, reserved: int, total: int, tail: int, is_chat: bool, kept: int | None
) -> None:
    how = Limit(policy, limit, reserved, is_chat, official=True)
    assert (total <= token_room(how, WORDS)) is (kept is None)
    if kept is not None:
        assert front_budget(how, tail) == kept


def test_nine_tokens_of_a_chat_message_are_forgotten_by_the_default() -> None:
    """The official code takes a prompt of L - G tokens whole, though the message has 9 more (fact sheet 4.1)."""
    assert token_room(Limit("openai", 8192, 1024, chat=True), WORDS) == 7159
    assert token_room(Limit("openai", 8192, 1024, chat=False), WORDS) == 7168


@given(
    words=st.integers(1, 400),
    limit=st.integers(1, 300),
    reserved=st.integers(0, 40),
    policy=st.sampled_from(["openai", "input"]),
    task=st.sampled_from(["squality", "gov_report", "musique"]),
)
def test_cut_prompt_is_too_long_or_loses_instruction_or_query(
    words: int, limit: int, reserved: int, policy: str, task: str
) -> None:
    text = " ".join(f"w{n}" for n in range(words))
    query = None if task == "gov_report" else "What did she do then?"
    whole = parts(task, text, query, documents=2 if task == "musique" else 1)
    own = template(task)
    try:
        cut = truncate(whole, own, lambda _: text, Counts(WORDS, {}, lambda _: text), Limit(policy, limit, reserved))
    except ValueError as error:
        assert "leave no room" in str(error)  # noqa: PT017
        return
    rendered = render(cut.parts, lambda _: text)
    assert rendered.startswith(own.instruction + "\n\n" + own.context_header)
    tail = (f"{own.query_header}\n{query}\n\n" if query else "") + f"{own.response_header}\n"
    assert rendered.endswith(tail)
    assert len(rendered.split()) <= limit
    assert cut.kept_chars + cut.dropped_chars == len(text) * (2 if task == "musique" else 1)
    assert (own.omission in rendered) is (cut.dropped_chars > 0)
    if cut.dropped_chars == 0:
        assert cut.parts == whole


def test_cut_keeps_another_number_of_words_than_the_budget() -> None:
    text = " ".join(f"w{n}" for n in range(5000))
    whole = parts("squality", text, "Why?")
    own = template("squality")
    cut = truncate(whole, own, lambda _: text, Counts(WORDS, {}, lambda _: text), Limit("input", 1000, 512))
    tail = len(f"{own.omission}\n\nQuestion:\nWhy?\n\nAnswer:\n".split())
    head = len(f"{own.instruction}\n\nStory:\n".split())
    rendered = render(cut.parts, lambda _: text)
    assert len(rendered.split()) == 999  # "w973" and "..." were counted apart and stand together
    assert cut.tokens_kept == 1000 - tail - head
    last = f"w{cut.tokens_kept - 1}"
    assert f" {last}... [The rest of the story is omitted]\n\nQuestion:\nWhy?\n\nAnswer:\n" in rendered
    assert cut.tokens_document == 5000
    assert cut.tokens_prompt == len(rendered.split()) == 999  # the last word and the dots behind it are one


def test_inner_document_beyond_the_cut_leaves_its_header() -> None:
    text = " ".join(["word"] * 100)
    whole = parts("musique", text, "Who?", documents=5)
    counts = Counts(WORDS, {}, lambda _: text)
    cut = truncate(whole, template("musique"), lambda _: text, counts, Limit("input", 200))
    assert sum(part.role == "inner_header" for part in cut.parts) == 2
    roles = [part.role for part in cut.parts]
    assert roles.index("omission") > max(index for index, role in enumerate(roles) if role == "document")


def test_suite_without_a_chat_sentence_leaves_half_of_one() -> None:
    own = template("qasper")
    plain = parts("qasper", "Once.", "Why?")
    for variant, ending in (
        ("chat", ""),
        ("claude", " Please highlight your final answer with <answer></answer> tags."),
    ):
        text = render(adapt(plain, own, variant, ""), lambda _: "Once.")
        first = text.removeprefix("\n\nHuman: ").split("\n\n")[0]
        assert first == own.instruction + ending


def test_input_without_a_header_is_prefilled_with_an_empty_tag() -> None:
    scrolls = load_suite("scrolls")
    own = Template(**scrolls.template(scrolls.tasks["qasper"]))
    example = Example("qasper", "test", "e1", ("d0",), ("r",), query="Why?")
    plain = assemble(example, own, lambda _: 5)
    for variant in ("chat", "claude"):
        text = render(adapt(plain, own, variant, scrolls.chat_sentence), lambda _: "Once.")
        assert "<" not in text
        assert "explanation" not in text
        assert "Why?\n\nOnce." in text
