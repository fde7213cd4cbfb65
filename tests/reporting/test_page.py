import base64
import hashlib
import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from boards import TASKS, failure, family, params, row
from hypothesis import given, settings
from hypothesis import strategies as st

from scrollwork.records.score import Coverage
from scrollwork.reporting.boards.board import Board, board
from scrollwork.reporting.page.page import page

EVIL = "</title></style><script>alert(1)</script><img src=http://e/x onerror=alert(1)>\" onload='x\x1b[2J\u202e\x00\n"
LOADING = {"src", "srcset", "data", "poster", "action", "formaction", "background", "ping", "manifest", "xlink:href"}


class Reader(HTMLParser):
    """Elements, attributes and shown text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.shown = ""
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in ("meta", "br", "line", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.shown += data


def joined(halves: tuple[str, str]) -> str:
    return "".join(halves)


def made(content: Board, models: list[str] | None = None) -> str:
    return joined(page(content, params(models or [])))


def whole() -> str:
    return made(board(list(family()), params(["naive"])))


def hostile(text: str) -> str:
    failures = [failure(text, task=text), failure(text, text, text, text)]
    given_params = params([text, "m"], failures, run={text: text}, title=text)
    content = board([row("qmsum", text, unanswered=1), row("qasper", "m", split=text)], given_params)
    return joined(page(content, given_params, {("qmsum", "test"): {text: text}}))


def digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_page_allows_another_script_or_style_than_its_own() -> None:
    text = whole()
    policy = next(value for tag, name, value in Reader(text).attributes if (tag, name) == ("meta", "content"))
    own = {name: re.findall(rf"<{name}>(.*?)</{name}>", text, re.DOTALL) for name in ("script", "style")}
    assert [len(one) for one in own.values()] == [1, 1]
    assert policy == (
        f"default-src 'none'; script-src '{digest(own['script'][0])}'; style-src '{digest(own['style'][0])}'; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types scrollwork"
    )


@pytest.mark.parametrize("text", [whole(), hostile(EVIL)], ids=["plain", "hostile"])
def test_page_loads_nothing_and_runs_nothing_but_its_own(text: str) -> None:
    reader = Reader(text)
    assert not {"img", "iframe", "link", "object", "embed", "base", "form"} & set(reader.elements)
    assert reader.elements["script"] == 2
    assert [value for tag, name, value in reader.attributes if (tag, name) == ("script", "type")] == [
        "application/json"
    ]
    assert not [one for one in reader.attributes if one[1].startswith("on") or one[1] in LOADING or one[1] == "style"]
    links = {value for tag, name, value in reader.attributes if name == "href"}
    assert {link for link in links if not link.startswith("#")} == {"https://arxiv.org/abs/2305.14196"}
    assert "url(" not in text
    assert "@import" not in text


def test_hostile_text_keeps_the_page_well_formed_and_visible() -> None:
    reader = Reader(hostile(EVIL))
    assert (reader.wrong, reader.open) == ([], [])
    assert reader.elements["title"] == 1
    assert "<script>alert(1)</script>" in reader.shown
    assert "⟨U+202E⟩⟨U+0000⟩ ↵" in reader.shown


def test_half_a_character_in_a_message_can_be_written_down() -> None:
    content = board([], params(["m"], [failure("caf\udce9")]))
    assert b"caf\xe2\x9f\xa8U+DCE9" in made(content).encode("utf-8")


@pytest.mark.slow
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
@settings(max_examples=40)
def test_any_text_is_shown_as_text(text: str) -> None:
    page_text = hostile(text)
    page_text.encode("utf-8")
    plain, wild = Reader(hostile("x")), Reader(page_text)
    assert wild.wrong == []
    assert set(wild.elements) <= set(plain.elements) | {"bdi"}
    assert not [one for one in wild.attributes if one[1].startswith("on") or one[1] in LOADING]


def test_a_megabyte_of_one_character_is_cut_and_its_length_said() -> None:
    text = hostile("W" * 2**20)
    assert "(1,048,576 characters in all)" in text
    assert len(text) < 200_000


def test_equal_rows_give_equal_bytes() -> None:
    assert whole().encode() == whole().encode()
    reordered = board(sorted(family(), key=lambda one: (one.model, one.task)), params(["naive"]))
    assert made(reordered) == whole()


def test_published_rows_are_labelled_and_only_beside_their_split() -> None:
    label = "Published, not computed here: Shaham et al. 2023, table 3"
    assert label in Reader(whole()).shown
    validation = made(board(list(family(split="validation")), params(["naive"])))
    assert label not in Reader(validation).shown
    assert "Table 3: the leaderboard. Shaham et al. 2023." in Reader(validation).shown


def test_unanswered_inputs_are_warned_of_above_the_table() -> None:
    rows = [row(task, "m", unanswered=2 if task == "qmsum" else 0) for task in TASKS]
    shown = Reader(made(board(rows, params(["m"])))).shown
    assert shown.index("Not complete.") < shown.index("inputs answered / expected")
    assert "279 of 281 answered (0 failed, 2 missing)" in shown
    assert "unanswered inputs in qmsum" in shown
    assert "Not complete." not in Reader(whole()).shown


def test_many_models_push_the_leaderboard_away() -> None:
    models = [f"model-{number}" for number in range(30)]
    rows = [row(task, model, unanswered=2) for model in models for task in TASKS]
    shown = " ".join(Reader(made(board(rows, params(models)), models)).shown.split())
    head = shown[: shown.index("inputs answered / expected")]
    assert "model-7 and 22 more" in head
    assert "model-0, 10 tasks: 4,358 of 4,378 answered (0 failed, 20 missing)" in head
    assert "and 20 more models; ⚠ marks their scores" in head
    assert "and 22 more, with the reason in their rows" in head
    assert shown.count("⚠ ") >= 300  # every score has its mark in the table


def test_fewer_inputs_than_the_papers_are_said_to_be_other_questions() -> None:
    shown = Reader(made(board([row("qmsum", "m", inputs=3)], params(["m"])))).shown
    assert "QMsm 3 instead of 281" in shown
    assert "Not the paper’s inputs" not in Reader(whole()).shown


def test_every_table_has_a_caption_and_scoped_headers() -> None:
    reader = Reader(whole())
    assert reader.elements["caption"] == reader.elements["table"] > 0
    assert sum((tag, name) == ("th", "scope") for tag, name, _ in reader.attributes) == reader.elements["th"]


def test_seeds_are_drawn_once_each_with_the_published_value() -> None:
    text = whole()
    assert text.count('class="seed"') == 3 * len(TASKS)
    assert "3 seeds from 10.00 to 12.00, mean 11.00; published naive baseline 22.6" in text


def test_an_upper_bound_is_shown_as_a_model_like_any_other() -> None:
    rows = [row(task, model) for model in ("oracle", "m") for task in TASKS]
    shown = Reader(
        joined(page(board(rows, params(["oracle", "m"], upper_bounds=["oracle"])), params(["oracle", "m"])))
    ).shown
    assert shown.count("upper bound: reads the references") == 3 + len(TASKS)  # headline, name, why, each task


def test_an_answer_cut_at_the_limit_is_told_twice() -> None:
    cut = Coverage(500, 500, 500, 0, 0, 3, 4)
    shown = Reader(made(board([row("qasper", "m", coverage=cut)], params(["m"])))).shown
    board_, _, cards = shown.partition("Task by task")
    assert board_.count("4 cut at their output limit") == 1
    assert board_.count("3 prompts cut") == 1
    assert "ans. cut" not in shown
    assert cards.partition("How to read")[0].count("cut at their output limit") == 1


def test_an_answer_without_the_key_that_it_repeated_passes_for_whole() -> None:
    masked = Coverage(500, 500, 500, 0, 0, 0, 0, masked=2)
    shown = Reader(made(board([row("qasper", "m", coverage=masked)], params(["m"])))).shown
    board_, _, cards = shown.partition("Task by task")
    assert board_.count("2 with a key masked") == 1
    assert cards.partition("How to read")[0].count("with a key masked") == 1


def test_a_task_that_was_not_asked_fills_a_card() -> None:
    rows = [row("qasper", "one"), row("qasper", "two", arm="closed-book"), row("qmsum", "one")]
    shown = " ".join(Reader(made(board(rows, params(["one", "two"])))).shown.split())
    assert "Not asked: two (closed-book)." in shown  # on the card of qmsum
    assert "Not asked: one, two (closed-book)." in shown  # on those of the other tasks


def test_rows_that_the_paper_sets_apart_look_comparable() -> None:
    shown = " ".join(Reader(whole()).shown.split())
    assert "Human estimates, in part on other inputs" in shown
    assert "CoLT5 fine-tuned, 16,384 tokens trained on the tasks, not zero-shot" in shown


def test_a_failed_task_is_named_with_its_message() -> None:
    failures = [failure("qmsum/test.jsonl, line 7: not JSON")]
    given_params = params(["m"], failures)
    shown = Reader(joined(page(board([row("qasper", "m")], given_params), given_params))).shown
    assert "Failures (1)" in shown
    assert shown.count("qmsum/test.jsonl, line 7: not JSON") == 2  # in the task's card and in the list


def test_nothing_scored_is_a_page_too() -> None:
    assert "Nothing was scored." in Reader(made(board([], params([])))).shown
