"""From prompts to ids within a window: what is cut is the document, never instruction, query or template."""

from __future__ import annotations

import re

import pytest

from scrollwork.models.base import Ask, Segment
from scrollwork.models.local.prompts import TooLong, for_decoder, for_encoder, payload_pieces

END, BEGIN, USER, ASSISTANT = 1, 2, 3, 4


class Words:
    """A tokenizer of white-space words and a chat template of one mark on either side."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {"<end>": END, "<begin>": BEGIN, "<user>": USER, "<assistant>": ASSISTANT}

    def ids(self, text: str, *, special: bool) -> list[int]:
        found = [self.known.setdefault(word, len(self.known) + 1) for word in text.split()]
        return [*found, END] if special else found

    def templated(self, content: str) -> str:
        return f"<user> {content} <assistant>"

    def words(self, ids: list[int]) -> str:
        names = {number: word for word, number in self.known.items()}
        return " ".join(names[number] for number in ids)


def ask(*documents: str, omission: str = "") -> Ask:
    segments = [Segment("instruction", "Do it.")]
    for number, text in enumerate(documents):
        segments += [
            Segment("gap", "\n\n"),
            Segment("inner_header", f"Part {number + 1}:\n"),
            Segment("document", text),
        ]
    segments += [Segment("omission", f"\n\n{omission}")] if omission else []
    segments += [Segment("gap", "\n\n"), Segment("query", "Which one?")]
    return Ask("quality", "e1", tuple(segments), "0" * 64, len(documents), 10)


LONG = "w1 w2 w3 w4 w5 w6 w7 w8 w9"


def test_prompt_that_fits_is_changed() -> None:
    words = Words()
    assert words.words(for_encoder(payload_pieces(ask("a b")), 9, words).ids) == "Do it. Part 1: a b Which one? <end>"
    found = for_decoder(payload_pieces(ask("a b")), 10, words, chat=True)
    assert words.words(found.ids) == "<user> Do it. Part 1: a b Which one? <assistant>"
    assert not found.cut


def test_prompt_cut_before_is_encoded_as_one_text() -> None:
    """Fact sheet 4.3: the prefix's ids and the rest's are concatenated, and the end stands once."""
    words = Words()
    asked = ask("a b", omission="[left out]")
    found = for_encoder(payload_pieces(asked), 100, words)
    assert words.words(found.ids) == "Do it. Part 1: a b [left out] Which one? <end>"
    assert not found.cut, "its receipt says it"
    tight = for_encoder(payload_pieces(asked), 9, words)
    assert words.words(tight.ids) == "Do it. Part 1: [left out] Which one? <end>"
    assert tight.cut, "further than its receipt says"


def test_instruction_query_or_template_is_cut_instead_of_the_document() -> None:
    words = Words()
    encoder = for_encoder(payload_pieces(ask(LONG)), 10, words)
    assert words.words(encoder.ids) == "Do it. Part 1: w1 w2 w3 Which one? <end>"
    assert encoder.cut
    for limit in range(8, 17):
        chat = for_decoder(payload_pieces(ask(LONG)), limit, words, chat=True)
        assert len(chat.ids) <= limit
        assert re.fullmatch(r"<user> Do it\. Part 1:( w\d)* Which one\? <assistant>", words.words(chat.ids))
        assert chat.cut == (limit < 17)
    assert not for_decoder(payload_pieces(ask(LONG)), 17, words, chat=True).cut


def test_more_than_needed_is_cut() -> None:
    words = Words()
    for limit in range(9, 17):
        kept = len(for_decoder(payload_pieces(ask(LONG)), limit, words, chat=True).ids)
        assert limit - kept <= 2


def test_several_documents_are_cut_at_another_end_than_the_last() -> None:
    words = Words()
    found = for_decoder(payload_pieces(ask("a b c", "d e f")), 11, words, chat=False)
    assert words.words(found.ids).startswith("Do it. Part 1: a b c")
    assert words.words(found.ids).endswith("Which one? <end>")


def test_prompt_without_room_for_its_query_is_cut_all_the_same() -> None:
    words = Words()
    with pytest.raises(TooLong, match="instruction and query alone are 8 tokens, there is room for 5"):
        for_decoder(payload_pieces(ask(LONG)), 5, words, chat=True)
    with pytest.raises(TooLong, match="instruction and query alone are 7 tokens, the model takes 4"):
        for_encoder(payload_pieces(ask(LONG)), 4, words)
    closed = Ask("qasper", "e1", (Segment("instruction", "Do it."), Segment("query", " Which one?")), "0" * 64, 1, 10)
    with pytest.raises(TooLong):
        for_decoder(payload_pieces(closed), 3, words, chat=False)
    assert not for_decoder(payload_pieces(closed), 5, words, chat=False).cut


def test_document_without_spaces_never_ends() -> None:
    """One token of many characters: it goes whole."""
    words = Words()
    assert (
        words.words(for_decoder(payload_pieces(ask("x" * 10_000)), 7, words, chat=False).ids) == "Do it. Part 1: "
        "Which one? <end>"
    )
