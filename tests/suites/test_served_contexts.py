"""The context of a model on the user's own server: what the server lists, asked once, before prompts are cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scrollwork.models.hosted.tables import checked_table
from scrollwork.storage.home import Home
from scrollwork.suites.served_contexts import note_contexts, served_context, served_weights
from tests.cli.test_models_command import vendor
from tests.conftest import Call
from tests.some_slow import one_in

ASKED = ("zeroscrolls", "--sample", "--task", "qmsum", "--model", "compatible:tiny")


def truncated(call: Call, url: str, *more: str) -> int:
    """Prompts of a run that are cut, by its estimate, which asks no server."""
    code, out, err = call("estimate", *ASKED, "--base-url", url, "--json", *more)
    assert code == 0, err
    return sum(row["truncated"] for row in json.loads(out))


@pytest.mark.parametrize(
    ("page", "said", "cut"),
    one_in(
        3,
        [
            ({"data": [{"id": "tiny", "max_model_len": 2048}]}, "lists a context of 2,048 tokens", True),
            ({"data": [{"id": "tiny", "max_model_len": 1_000_000}]}, "lists a context of 1,000,000 tokens", False),
            ({"data": [{"id": "tiny", "max_model_len": 3}]}, "3 tokens, which is not believed", False),
            ({"data": [{"id": "tiny", "max_model_len": 10**11}]}, "which is not believed", False),
            ({"data": [{"id": "tiny", "max_model_len": "2048"}]}, "", False),
            ({"data": [{"id": "tiny"}]}, "", False),
            ({"data": [{"id": "other", "max_model_len": 2048}]}, "", False),
            (b"<html>no</html>", "", False),
        ],
    ),
)
def test_prompt_longer_than_the_servers_context_is_sent(
    call: Call, caplog: pytest.LogCaptureFixture, page: Any, said: str, cut: bool
) -> None:
    """The run asks before it plans; what it plans, and later estimates, are cut by the reply. The calls fail here."""
    with vendor({"/v1/models": page}) as (url, came):
        call("run", *ASKED, "--base-url", f"{url}/v1", "--engine", "inline", "--quiet")
        asked = [path for path in came if "models" in str(path)]
        assert len(asked) == 1
        told = [record.getMessage() for record in caplog.records if "context" in record.getMessage()]
        assert len(told) == bool(said)
        assert all(said in line for line in told)
        assert (truncated(call, f"{url}/v1") > 0) == cut
        if cut:
            call("run", *ASKED, "--base-url", f"{url}/v1", "--engine", "inline", "--quiet")
            assert truncated(call, f"{url}/v1", "--context", "1000000") == 0, "the user's own word goes over it"
        call("run", *ASKED, "--base-url", f"{url}/v1", "--engine", "inline", "--quiet")
        again = len([path for path in came if "models" in str(path)])
        assert again == 1 + isinstance(page, bytes), (
            "one that lists none is asked again, or one that was not heard is not"
        )


@pytest.mark.slow
@pytest.mark.parametrize(("listed", "code"), [(2048, 1), (None, 2)])
def test_tokenizer_needs_a_context_that_the_server_was_not_asked_for(call: Call, listed: int | None, code: int) -> None:
    """It is asked first; that it refuses the calls is another matter (status 1)."""
    asked = ("run", *ASKED, "--tokenizer", "words", "--engine", "inline", "--quiet")
    with vendor({"/v1/models": {"data": [{"id": "tiny", "max_model_len": listed}]}}) as (url, _):
        for _ in range(2):
            status, _, err = call(*asked, "--base-url", f"{url}/v1")
            assert status == code
            assert ("--tokenizer says how --max-input-tokens or --context counts" in err) == (code == 2)


def test_server_that_is_not_there_stops_the_plan_or_is_asked_by_one(call: Call) -> None:
    assert truncated(call, "http://127.0.0.1:9/v1") == 0
    with vendor({"/v1/models": {"data": [{"id": "tiny", "max_model_len": 2048}]}}) as (url, came):
        assert call("plan", *ASKED, "--base-url", f"{url}/v1")[0] == 0
        assert truncated(call, f"{url}/v1") == 0
        assert came == [], "plan and estimate ask no server"


def test_prompt_is_cut_to_more_of_the_models_tokens_than_it_takes(tmp_path: Path) -> None:
    """The server's number is of the model's own tokens, of which `estimate` counts fewer. What an earlier version noted
    stays."""
    table = checked_table("m", {"provider": "compatible", "id": "tiny", "base_url": "http://127.0.0.1:9/v1"})
    with vendor({"/v1/models": {"data": [{"id": "tiny", "max_model_len": 10_000}]}}) as (url, _):
        table["base_url"] = f"{url}/v1"
        home = Home(str(tmp_path))
        assert note_contexts({"m": table}, home)
    found = {name: served_context({**table, "tokenizer": name}, home) for name in ("estimate", "words", "hf:x")}
    assert found == {"estimate": 8_000, "words": 6_153, "hf:x": 10_000}
    (kept,) = (tmp_path / "servers").glob("*.json")
    before = {key: value for key, value in json.loads(kept.read_text()).items() if key != "own_tokens"}
    kept.write_text(json.dumps(before))
    assert served_context(table, Home(str(tmp_path))) == 10_000


def test_context_of_the_command_line_may_be_too_many_without_a_word(call: Call) -> None:
    with vendor({}) as (url, _):  # refuses all
        _, _, err = call("run", *ASKED, "--base-url", f"{url}/v1", "--engine", "inline", "--context", "10000")
    assert "compatible:tiny: prompts are cut to 10,000 tokens as 'estimate' counts them" in err
    assert "--context 8000 holds what fits" in err


@pytest.mark.parametrize(
    ("page", "told"),
    one_in(
        3,
        [
            (
                {"data": [{"id": "tiny", "root": "/w/one", "created": 5, "meta": {"size": 7}}]},
                ("root /w/one", "size 7"),
            ),
            ({"data": [{"id": "tiny", "root": "a\x1b[31m\u202e\n" + "b" * 999}]}, None),
            (
                {"data": [{"id": "tiny", "root": ["x"], "revision": True, "digest": None, "meta": [1], "parent": ""}]},
                (),
            ),
            ({"data": [{"id": "tiny", "root": 1.5, "meta": {"size": {"x": 1}}}, 3, None]}, ()),
            ({"data": [{"id": "other", "root": "/w/one"}]}, ()),
            ({"data": {"id": "tiny"}}, ()),
            (b"<html>no</html>", ()),
        ],
    ),
)
def test_what_a_server_lists_of_its_weights_is_lost_or_taken_as_it_comes(
    page: Any, told: tuple[str, ...] | None
) -> None:
    table = checked_table("m", {"provider": "compatible", "id": "tiny", "base_url": "http://127.0.0.1:9/v1"})
    assert served_weights({"m": table}) == {}, "a server that is not there"
    with vendor({"/v1/models": page}) as (url, _):
        found = served_weights({"m": {**table, "base_url": f"{url}/v1"}}).get("m", ())
    if told is None:
        (line,) = found
        assert line.isprintable()
        assert len(line) <= 200
    else:
        assert found == told
