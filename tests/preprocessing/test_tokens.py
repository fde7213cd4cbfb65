"""Tokenizers: real ones, made on the spot (a byte-pair vocabulary trained here, a tiktoken encoding of own ranks)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrollwork.preprocessing.prompts.from_examples import Profile, prompts
from scrollwork.preprocessing.prompts.template import Template, assemble
from scrollwork.preprocessing.prompts.truncation import Counts, Limit, truncate
from scrollwork.preprocessing.tokens.by_tiktoken import Tiktoken
from scrollwork.preprocessing.tokens.tokenizer import Tokenizer, boundary, engine_module, is_estimate, make
from scrollwork.records.example import Example
from scrollwork.records.prompt import render
from scrollwork.suites.suite_files import load_suite

SUITE = load_suite("zeroscrolls")
SOUNDS = ("ba", "ke", "lo", "mi", "nu", "ra", "si", "to", "ver", "shan")


def prose(words: int, seed: int = 0) -> str:
    """Invented words in sentences, some with letters outside ASCII."""
    draw = random.Random(seed)
    made = ["".join(draw.choices(SOUNDS, k=draw.randint(1, 4))) for _ in range(300)] + ["café", "naïve", "北京", "🙂"]
    return " ".join(draw.choice(made) + draw.choice(("", "", "", ",", ".", ".\n", ".\n\n")) for _ in range(words))


@pytest.fixture(scope="module")
def bpe(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    """A byte-level vocabulary of 800 that ends every text with </s>, as T5's does, and limits itself to 50 tokens."""
    from tokenizers import Tokenizer as Engine
    from tokenizers import decoders, models, pre_tokenizers, processors, trainers

    engine = Engine(models.BPE())
    engine.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    engine.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=800, special_tokens=["</s>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    engine.train_from_iterator([prose(5000)], trainer)
    end = engine.token_to_id("</s>")
    engine.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", end)])
    engine.enable_truncation(50)
    file = tmp_path_factory.mktemp("vocabulary") / "tokenizer.json"
    engine.save(str(file))
    return make("hf:tiny~0", str(file))


@pytest.fixture(scope="module")
def ranked() -> Tokenizer:
    """A tiktoken encoding with GPT-2's pattern and ranks of our own: all bytes, then some pairs and words."""
    import tiktoken

    ranks = {bytes([byte]): byte for byte in range(256)}
    for sound in SOUNDS:
        for end in range(2, len(sound) + 1):
            ranks.setdefault(sound[:end].encode(), len(ranks))
            ranks.setdefault(b" " + sound[: end - 1].encode(), len(ranks))
    pattern = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    encoding = tiktoken.Encoding("own", pat_str=pattern, mergeable_ranks=ranks, special_tokens={"<|end|>": len(ranks)})
    return Tiktoken("tiktoken:own", encoding)


@pytest.fixture(params=["bpe", "ranked", "words", "estimate"])
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    if request.param in ("words", "estimate"):
        return make(request.param)
    found: Tokenizer = request.getfixturevalue(request.param)
    return found


def test_vocabulary_keeps_its_own_limit_or_counts_its_end(bpe: Tokenizer) -> None:
    assert bpe.added == 1
    assert bpe.count(prose(200)) > 200  # the file says 50 at most
    assert bpe.count("") == 0


@pytest.mark.parametrize("tokens", [0, 1, 2, 7, 100, 1000, 10**6])
def test_cut_of_a_long_text_differs_from_the_cut_of_the_whole_encoding(tokenizer: Tokenizer, tokens: int) -> None:
    """Only a front of the text is encoded; the cut must be where encoding everything puts it."""
    text = prose(4000)
    at = tokenizer.cut(text, tokens)
    assert tokenizer.count(text[:at]) <= tokens or tokens == 0
    if tokens < tokenizer.count(text):
        longer = tokenizer.count(text[: at + 12])  # twelve characters are at least one token more
        assert longer > tokens or tokens == 0
    else:
        assert at == len(text)


def test_text_without_a_space_is_cut_elsewhere(bpe: Tokenizer, ranked: Tokenizer) -> None:
    text = "bakelomi" * 3000
    for one in (bpe, ranked):
        assert one.count(text[: one.cut(text, 500)]) <= 500
        assert one.cut(text, 500) > 500


def test_half_a_character_is_kept(ranked: Tokenizer) -> None:
    text = "🙂" * 10  # four tokens of one byte each
    assert [ranked.cut(text, tokens) for tokens in (1, 3, 4, 5, 8)] == [0, 0, 1, 1, 2]


def test_special_token_in_a_document_ends_it(ranked: Tokenizer) -> None:
    assert ranked.count("a <|end|> b") > 5


def test_boundary_is_inside_a_run_of_spaces_or_at_the_start() -> None:
    assert boundary("ab  cd", 0) == 2
    assert boundary("ab  cd", 3) == 6
    assert boundary(" ab", 0) == 3


def test_unknown_tokenizer_is_taken() -> None:
    with pytest.raises(ValueError, match="no tokenizer is named 'gpt'; there are: words, estimate, tiktoken:ENCODING"):
        engine_module("gpt")
    assert is_estimate("words")
    assert not is_estimate("tiktoken:o200k_base")


@pytest.mark.parametrize("task", list(SUITE.tasks))
@pytest.mark.parametrize(
    ("variant", "policy"), [("plain", "input"), ("chat", "openai"), ("claude", "claude"), ("plain", "openai")]
)
def test_cut_prompt_is_over_its_limit_or_loses_its_ends(
    bpe: Tokenizer, ranked: Tokenizer, task: str, variant: str, policy: str
) -> None:
    """The corrected default: what is sent, counted as one text, is never over the limit less the answer."""
    template = Template(**SUITE.tasks[task].template)
    count = 3 if template.inner_header else 1
    texts = {f"d{number}": prose(1500, seed=number) for number in range(count)}
    query = "Why and when?" if template.query_header else None
    titles = tuple(texts) if task == "musique" else ()
    example = Example(task, "test", "e", tuple(texts), ("r",), query=query, titles=titles)
    for tokenizer in (bpe, ranked):
        for tokens in (900, 1600):
            profile = Profile(variant, policy, tokenizer.name, tokens)
            how = {"arm": "full", "max_new_tokens": 100, "chat_sentence": SUITE.chat_sentence}
            (whole,) = prompts([example], template, Profile(variant), texts.__getitem__, **how)  # type: ignore[arg-type]
            (made,) = prompts([example], template, profile, texts.__getitem__, tokenizer=tokenizer, **how)  # type: ignore[arg-type]
            shown, all_of_it = render(made.parts, texts.__getitem__), render(whole.parts, texts.__getitem__)
            reserved = 100 if policy != "input" else tokenizer.added
            assert tokenizer.count(shown) == made.tokens_prompt
            assert made.tokens_prompt is not None
            assert tokens - reserved - 40 < made.tokens_prompt <= tokens - reserved
            front, _, tail = shown.partition(template.omission + "\n\n")
            assert all_of_it.startswith(front)
            assert all_of_it.endswith(tail)
            assert made.kept_chars + made.dropped_chars == sum(map(len, texts.values()))
            lost = [texts[part.document_id or ""][part.start : part.end] for part in made.dropped]
            assert sum(map(len, lost)) == made.dropped_chars
            assert made.tokens_document == sum(map(tokenizer.count, texts.values()))


def test_official_claude_cut_is_not_nine_characters_later() -> None:
    """Fact sheet 4.2: the place of a token in the wrapped prompt is applied to the text without its wrapper."""
    from scrollwork.preprocessing.prompts.chat import adapt

    template = Template(**SUITE.tasks["gov_report"].template)
    text = " ".join(f"w{number:05d}" for number in range(3000))
    example = Example("gov_report", "test", "e", ("d",), ("r",))
    parts = adapt(assemble(example, template, lambda _: len(text)), template, "claude", "")
    words = make("words")
    kept = {}
    for official in (True, False):
        counts = Counts(words, {}, lambda _: text)
        cut = truncate(parts, template, lambda _: text, counts, Limit("claude", 2000, 100, official=official))
        kept[official] = cut.kept_chars
        shown = render(cut.parts, lambda _: text)
        tail = shown[shown.index(template.omission) :]
    # m = L - |Human prefix + separator + query + suffix| - G - 1, fact sheet 4.2
    m = 2000 - len(f"\n\nHuman: {tail}".split()) - 100 - 1
    head = f"{template.instruction}\n\n{template.context_header}\n"
    wrapped = f"\n\nHuman: {head}{text}"
    assert kept[True] == words.cut(wrapped, m) - len(head)
    assert kept[False] == words.cut(head + text, m) - len(head)


@settings(max_examples=50)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=400), st.integers(0, 60))
def test_hostile_text_breaks_a_cut(text: str, tokens: int) -> None:
    for name in ("words", "estimate"):
        one = make(name)
        assert one.count(text[: one.cut(text, tokens)]) <= tokens
        assert one.cut(text, one.count(text)) <= len(text)


def test_file_that_is_no_vocabulary_is_named(tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_text("{}")
    with pytest.raises(ValueError, match=r"tokenizer\.json is no tokenizer\.json"):
        make("hf:x~0", str(file))
