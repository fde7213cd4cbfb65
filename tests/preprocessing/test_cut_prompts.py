"""Prompts of all ten tasks, adapted and cut: against the fact sheet's formulas, on prompts of many parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.preprocessing.prompts.chat import adapt, answer_tag, answer_type
from scrollwork.preprocessing.prompts.from_examples import Profile, prompts
from scrollwork.preprocessing.prompts.template import Template, assemble, official_rows
from scrollwork.preprocessing.prompts.truncation import Counts, Cut, Limit, truncate
from scrollwork.preprocessing.tokens.tokenizer import make
from scrollwork.records.example import Example
from scrollwork.records.prompt import Part, render
from scrollwork.suites.suite_files import load_suite

SUITE = load_suite("zeroscrolls")
TASKS = list(SUITE.tasks)
SENTENCE = "Do not provide any explanation."
ASKING = [task for task in TASKS if task not in ("gov_report", "summ_screen_fd", "qmsum", "squality")]  # fact sheet 1


def template(task: str) -> Template:
    return Template(**SUITE.tasks[task].template)


def example(task: str, count: int = 1) -> Example:
    ids = tuple(f"d{number}" for number in range(count))
    titles = tuple(f"T{number}" for number in range(count)) if task == "musique" else ()
    query = "Why and when?" if template(task).query_header else None
    return Example(task, "test", "e1", ids, ("r",), query=query, titles=titles)


def several(task: str) -> int:
    return 3 if template(task).inner_header else 1


def words(count: int) -> str:
    return " ".join(f"w{number}" for number in range(count))


def cut(
    task: str,
    text: str,
    variant: str = "plain",
    count: int = 1,
    *,
    policy: str,
    limit: int,
    reserved: int,
    official: bool = False,
) -> tuple[Cut, str]:
    """The cut prompt, and its text."""
    own = template(task)
    parts = assemble(example(task, count), own, lambda _: len(text))
    adapted = adapt(parts, own, variant, SUITE.chat_sentence)
    counts = Counts(make("words"), {}, lambda _: text)
    made = truncate(adapted, own, lambda _: text, counts, Limit(policy, limit, reserved, variant == "chat", official))
    return made, render(made.parts, lambda _: text)


# --- chat ------------------------------------------------------------------------------------------------------------


def official_chat(row: dict[str, str | int], task: str) -> str:
    """Fact sheet 3.5, 1 and 2, on the released record: the way of the official code, by offsets."""
    text, end = str(row["input"]), int(row["query_end_index"])
    if task in ASKING:
        stop = text.index("\n\n")
        text = f"{text[:stop].strip()} {SENTENCE}{text[stop:]}"
        end += len(SENTENCE) + 1
    return text[:end]


@pytest.mark.parametrize("task", TASKS)
def test_chat_prompt_differs_from_the_one_made_by_offsets(task: str) -> None:
    text = "Once\n\nupon a time."
    (row,) = official_rows(example(task, several(task)), template(task), lambda _: text)
    parts = assemble(example(task, several(task)), template(task), lambda _: len(text))
    assert render(adapt(parts, template(task), "chat", SUITE.chat_sentence), lambda _: text) == official_chat(row, task)


@pytest.mark.parametrize("task", TASKS)
def test_claude_prompt_differs_from_the_one_made_by_offsets(task: str) -> None:
    text = "Once upon a time."
    own = template(task)
    (row,) = official_rows(example(task, several(task)), own, lambda _: text)
    whole, end = row["input"], row["query_end_index"]
    kind = whole[end:].strip().replace(":", "")  # fact sheet 2: the answer type
    if task in ASKING:
        tag = kind.lower().replace(" ", "_")
        sentence = (
            f"Do not provide any explanation, and please highlight your final {kind.lower()} with <{tag}></{tag}> tags."
        )
        inner = whole[:end].replace("\n\n", f" {sentence}\n\n", 1)
        wanted = f"\n\nHuman: {inner}\n\nAssistant: {kind}: <{tag}>"
        assert answer_tag(own) == tag
    else:
        wanted = f"\n\nHuman: {whole[:end]}\n\nAssistant:"
    parts = assemble(example(task, several(task)), own, lambda _: len(text))
    assert render(adapt(parts, own, "claude", SUITE.chat_sentence), lambda _: text) == wanted


def test_answer_types_are_not_those_of_the_fact_sheet() -> None:
    kinds = {answer_type(template(task)) for task in TASKS}
    assert kinds == {"Summary", "Answer", "Percentage of Positive Reviews", "Summary IDs in Correct Order"}


@pytest.mark.parametrize("task", TASKS)
def test_plain_prompt_is_adapted(task: str) -> None:
    parts = assemble(example(task, several(task)), template(task), lambda _: 5)
    assert adapt(parts, template(task), "plain", SENTENCE) == parts


def test_unknown_variant_is_taken_as_plain() -> None:
    parts = assemble(example("qasper"), template("qasper"), lambda _: 5)
    with pytest.raises(ValueError, match="'gpt'; there are: plain, chat, claude"):
        adapt(parts, template("qasper"), "gpt", SENTENCE)


# --- truncation ------------------------------------------------------------------------------------------------------

# Words of the separator, by hand: "... [The rest of the report is omitted]" has 8, so does "transcript", "story".
SEPARATOR = 8


def kept_front(text: str, task: str) -> int:
    """Words before the separator. The last word and its dots stand together."""
    front, _, _ = text.partition(template(task).omission)
    return len(front.split())


@pytest.mark.parametrize(
    ("variant", "limit", "reserved", "over", "kept"),
    [
        ("plain", 8192, 1024, 0, None),  # T1: a prompt of L - G tokens stays
        ("chat", 8192, 1024, 0, None),
        ("plain", 8192, 1024, 1, 8192 - (SEPARATOR + 1) - 1024 - 1),  # s: with the response header's word
        ("chat", 8192, 1024, 1, 8192 - SEPARATOR - 1024 - 1 - 9),  # T2 with this separator: 9 fewer
    ],
)
def test_openai_prompt_keeps_another_front(
    variant: str, limit: int, reserved: int, over: int, kept: int | None
) -> None:
    task = "gov_report"
    head = len(f"{template(task).instruction} {template(task).context_header}".split())
    tail = 1 if variant == "plain" else 0  # "Summary:"
    text = words(limit - reserved - head - tail + over)
    made, shown = cut(task, text, variant, policy="openai", limit=limit, reserved=reserved, official=True)
    assert len(made.parts) > 3
    if kept is None:
        assert template(task).omission not in shown
        assert made.dropped_chars == 0
        assert len(shown.split()) == limit - reserved
    else:
        assert kept_front(shown, task) == kept
        assert made.tokens_kept == kept - head


def test_gov_report_for_gpt4_keeps_other_than_7146_tokens() -> None:
    """Fact sheet 4.1: with a suffix of 12 tokens 7146 are kept; four words are added to this separator's eight."""
    own = template("gov_report")
    longer = Template(**{**SUITE.tasks["gov_report"].template, "omission": f"one two three four {own.omission}"})
    text = words(20_000)
    parts = adapt(assemble(example("gov_report"), longer, lambda _: len(text)), longer, "chat", SENTENCE)
    counts = Counts(make("words"), {}, lambda _: text)
    made = truncate(parts, longer, lambda _: text, counts, Limit("openai", 8192, 1024, chat=True))
    shown = render(made.parts, lambda _: text)
    front = shown[: shown.index("one two three four")]
    head = len(f"{own.instruction} {own.context_header}".split())
    assert front.endswith(f" w{7146 - head - 1}")  # the separator follows the last kept word directly
    assert shown.endswith("one two three four ... [The rest of the report is omitted]\n\n")


@given(
    task=st.sampled_from(TASKS),
    variant=st.sampled_from(["plain", "chat", "claude"]),
    policy=st.sampled_from(["openai", "input"]),
    length=st.integers(1, 120),
    count=st.integers(2, 4),
    limit=st.integers(1, 400),
)
def test_cut_takes_from_instruction_or_query_or_loses_count(
    task: str, variant: str, policy: str, length: int, count: int, limit: int
) -> None:
    text = words(length)
    count = count if template(task).inner_header else 1
    own = template(task)
    whole = adapt(assemble(example(task, count), own, lambda _: len(text)), own, variant, SENTENCE)
    asked = render(whole, lambda _: text)
    unavoidable = [part for part in whole if part.role not in ("document", "inner_header", "gap", "context_header")]
    try:
        made, shown = cut(task, text, variant, count, policy=policy, limit=limit, reserved=10)
    except ValueError as error:
        assert f"{limit} tokens leave no room for the document" in str(error)  # noqa: PT017
        assert limit < len(asked.split()) + 10 + 10  # a limit in which the whole prompt fits is never too small
        return
    assert [part for part in made.parts if part in unavoidable] == unavoidable
    assert made.kept_chars + made.dropped_chars == count * len(text)
    kept = sum(part.end - part.start for part in made.parts if part.role == "document" and part.end is not None)  # type: ignore[operator]
    assert kept == made.kept_chars
    reserved = 10 if policy == "openai" else 0
    assert len(shown.split()) <= limit - reserved
    if made.dropped_chars:
        assert sum(part == Part("omission", f"{own.omission}\n\n") for part in made.parts) == 1
        assert asked.startswith(shown.partition(own.omission)[0])
        assert asked.endswith(shown.partition(f"{own.omission}\n\n")[2])
    else:
        assert shown == asked


@pytest.mark.parametrize("limit", [1, 60])
def test_limit_too_small_for_the_query_gives_half_a_query(limit: int) -> None:
    with pytest.raises(ValueError, match=rf"{limit} tokens leave no room for the document: instruction and query need"):
        cut("qasper", words(100), policy="input", limit=limit, reserved=0)


@pytest.mark.parametrize("policy", ["openai", "claude"])
def test_limit_taken_by_the_answer_is_blamed_on_the_query(policy: str) -> None:
    """900 tokens for a report of which 1,024 are for its summary: instruction and query need few of them."""
    with pytest.raises(ValueError, match=r"instruction and query need \d+ and the answer up to 1,024$"):
        cut("gov_report", words(2000), policy=policy, limit=900, reserved=1024)


# --- rows ------------------------------------------------------------------------------------------------------------


def test_receipt_of_a_prompt_does_not_match_its_text() -> None:
    text = words(500)
    how = {"arm": "full", "max_new_tokens": 512, "chat_sentence": SENTENCE}
    given_examples = [example("squality")]
    own = template("squality")
    (whole,) = prompts(given_examples, own, Profile(), lambda _: text, **how)  # type: ignore[arg-type]
    (short,) = prompts(
        given_examples, own, Profile("plain", "input", "words", 200), lambda _: text, tokenizer=make("words"), **how
    )  # type: ignore[arg-type]
    assert (whole.truncated, whole.dropped_chars, whole.kept_chars) == (False, 0, len(text))
    assert (whole.tokens_document, whole.tokens_prompt, whole.profile) == (None, None, "plain")
    assert whole.words == len(render(whole.parts, lambda _: text).split())
    assert short.truncated
    assert short.kept_chars + short.dropped_chars == len(text)
    seen = len(render(short.parts, lambda _: text).split())  # 199: the last word and the omission's dots are one
    assert (short.tokens_document, short.tokens_prompt, short.profile) == (500, seen, "plain-input200-words")
    assert (seen, len(short.dropped)) == (199, 1)
    assert short.dropped[0].end == len(text)
    assert short.prompt_sha256 != whole.prompt_sha256


def test_shards_lose_a_prompt_or_part_questions_on_one_document() -> None:
    own = template("squality")
    listed = [
        Example("squality", "test", f"e{story}_{number}", (f"d{story}",), ("r",), query="Why?")
        for story in range(20)
        for number in range(2)
    ]
    how = {"arm": "full", "max_new_tokens": 512, "chat_sentence": SENTENCE}
    shards = [
        [
            prompt.example_id
            for prompt in prompts(listed, own, Profile(), lambda _: "Once.", shard=(number, 4), **how)  # type: ignore[arg-type]
        ]
        for number in range(4)
    ]
    assert sorted(name for shard in shards for name in shard) == sorted(one.example_id for one in listed)
    assert all(shards)
    for shard in shards:
        assert {name[:-1] + "0" for name in shard} | {name[:-1] + "1" for name in shard} == set(shard)


def test_prompt_of_many_parts_that_fits_is_cut_because_its_sum_is_too_high() -> None:
    """By the part 86 summaries may have a token more each than as one text: over the limit and yet within it."""

    class Merging:
        """Words, of which one behind a header's colon is one with it: each joint takes a token away."""

        name, added = "merging", 0

        def count(self, text: str) -> int:
            return len(text.replace(":\n", ":").split())

        def cut(self, text: str, tokens: int) -> int:
            return len(text)

    text, own, count = "once upon a time", template("book_sum_sort"), 86
    parts = assemble(example("book_sum_sort", count), own, lambda _: len(text))
    counts = Counts(Merging(), {}, lambda _: text)
    whole = counts.exact(parts)
    assert counts.total(parts) > whole + 64
    made = truncate(parts, own, lambda _: text, counts, Limit("input", whole))
    assert (made.parts, made.dropped_chars, made.tokens_prompt) == (parts, 0, whole)
