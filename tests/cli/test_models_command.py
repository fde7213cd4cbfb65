"""`scrollwork models`: what is known of hosted models, and what a vendor that is asked says otherwise."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from scrollwork.models.base import CallProblem
from scrollwork.models.hosted import listing
from scrollwork.models.hosted.tables import checked_table
from scrollwork.readings.vendor_models import known_models
from tests.conftest import Call, Scrollwork, edit

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "DEEPSEEK_API_KEY", "XAI_API_KEY", "GROQ_API_KEY",
        "OPENROUTER_API_KEY", "MISTRAL_API_KEY")  # fmt: skip


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


@contextmanager
def vendor(pages: dict[str, Any], status: int = 200) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A server that answers GET by path and query; (its address, the headers that came)."""
    came: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            came.append({"path": self.path, **{name.lower(): value for name, value in self.headers.items()}})
            page = pages.get(self.path, {"error": {"message": "no such page", "type": "not_found_error"}})
            data = page if isinstance(page, bytes) else json.dumps(page).encode()
            self.send_response(status if self.path in pages else 404)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", came
    finally:
        server.shutdown()
        server.server_close()


def claude(model_id: str, **more: Any) -> dict[str, Any]:
    """As Anthropic lists a model."""
    yes, no = {"supported": True}, {"supported": False}
    types = {"adaptive": yes, "between_tools": yes, "disabled": no, "enabled": no}
    effort = {"supported": True, **dict.fromkeys(("low", "medium", "high", "xhigh", "max"), yes)}
    abilities = {"batch": yes, "effort": effort, "thinking": {"supported": True, "types": types}}
    found = {"id": model_id, "type": "model", "lifecycle": "active", "retires_at": None, "deprecated_at": None,
             "max_input_tokens": 1_000_000, "max_tokens": 128_000, "capabilities": abilities}  # fmt: skip
    return {**found, **more}


def own(call: Call, text: str) -> str:
    """A file of tables."""
    path = call.home.parent / "own.toml"
    path.write_text(text)
    return str(path)


def test_what_is_known_is_not_listed_or_not_what_is_sent(call: Call) -> None:
    status, out, _ = call("models", "--json")
    rows = {row["model"]: row for row in json.loads(out)}
    assert status == 0
    assert len(rows) >= 50
    haiku = rows["claude-haiku-5-5"]
    assert [(one["above"], one["input"], one["output"]) for one in haiku["price"]] == [
        (0, 0.1, 0.5),
        (100_000, 0.5, 2.5),
    ]
    assert haiku["sent"] == {"max_tokens": 25_100, "output_config": {"effort": "low"}}
    assert rows["openai:gpt-5-nano"]["ends"] == "2026-12-11"
    assert rows["openai:gpt-5.5"]["sent"] == {"max_completion_tokens": 100, "reasoning_effort": "none"}
    assert rows["gpt-4o"]["successor"] == "gpt-6-luna"
    assert rows["gemma-2b"]["vendor"] is None


def test_fact_has_no_source_or_no_date(call: Call) -> None:
    mine = own(
        call,
        '[mine]\nprovider = "openai"\nid = "gpt-6-luna"\ncontext = 5000\nretired = "2027-01-01"\n'
        "price = { input = 7.5, output = 9.5 }\nfamily = { max_input = 4000, cache = { read = 0.5 } }\n",
    )
    rows = {row["model"]: row for row in known_models(mine)}
    undated = [
        (row["id"], fact, text)
        for row in rows.values()
        for fact, texts in row["sources"].items()
        for text in texts
        if text != "its table" and not re.search(r"\b20[0-9]{2}\b", text)
    ]
    assert undated == []
    assert [row["id"] for row in rows.values() if row["ends"] and not row["sources"].get("ends")] == []
    assert [row["id"] for row in rows.values() if row["price"] and not row["sources"].get("price")] == []
    its = rows["mine"]["sources"]
    assert [fact for fact, texts in its.items() if texts == ["its table"]] == ["ends", "context", "max_input", "price"]
    assert "checklist" in its["sampling"][0]
    assert its["cache"][0] == "its table"
    assert "caching" in its["cache"][1], "the rest of the rule is the vendor's"


def test_end_within_sixty_days_is_not_told() -> None:
    rows = {row["model"]: row for row in known_models(today=date(2026, 11, 25))}
    assert (rows["gpt-5"]["days_left"], rows["gpt-4o"]["days_left"]) == (16, 50)
    assert rows["claude-opus-5-5"]["days_left"] is None


def test_list_for_people_lacks_a_price_or_a_warning(call: Call) -> None:
    day = (date.today() + timedelta(days=7)).isoformat()
    file = own(
        call,
        f'[mine]\nprovider = "openai"\nid = "gpt-6-luna"\nretired = "{day}"\nprice = {{ input = 7.5, output = 9.5 }}\n',
    )
    status, out, err = call("models", "--models", file)
    assert status == 0
    (line,) = [one for one in out.splitlines() if one.split("│")[1:2] and one.split("│")[1].strip() == "mine"]
    assert "7.5, 0.75, 9.5" in line
    assert day in line
    assert f"mine ends on {day}, in 7 days; " in err or f"mine ends on {day}, in 7 days" in err


def test_without_a_key_somebody_is_asked(call: Call) -> None:
    status, out, err = call("models", "check")
    assert (status, out) == (0, "")
    assert "no key is set" in err


def test_vendor_says_otherwise_and_nobody_hears(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-ant-secret-of-mine")
    first = {"data": [claude("claude-sonnet-5-5"), claude("claude-opus-5-5", retires_at="2027-10-01T00:00:00Z")],
             "has_more": True, "last_id": "claude-opus-5-5"}  # fmt: skip
    second = {"data": [claude("claude-haiku-5-5", max_input_tokens=500_000), claude("claude-opus-5", lifecycle="retired")],
              "has_more": False, "last_id": "claude-opus-5"}  # fmt: skip
    pages = {"/v1/models?limit=1000": first, "/v1/models?limit=1000&after_id=claude-opus-5-5": second}
    with vendor(pages) as (url, came):
        tables = "".join(
            f'["{name}"]\nprovider = "anthropic"\nvendor = "anthropic"\nid = "{name}"\nbase_url = "{url}"\nkey_env = "MY_KEY"\n'
            for name in (
                "claude-sonnet-5-5",
                "claude-opus-5-5",
                "claude-haiku-5-5",
                "claude-opus-5",
                "claude-fable-5-2",
            )
        )
        status, out, _ = call("models", "check", "--models", own(call, tables), "--json")
    assert status == 0
    (found,) = json.loads(out)
    assert found["models"] == 4
    assert found["differences"] == [
        "claude-fable-5-2: not among its models",
        "claude-haiku-5-5: takes 500,000 tokens of input, here 1,000,000",
        "claude-haiku-5-5: can stop thinking by 'between_tools', here it cannot",
        "claude-opus-5: retired",
        "claude-opus-5: does not take thinking 'disabled', which is sent to stop thoughts",
        "claude-opus-5-5: ends on 2027-10-01, here no day is known",
        "claude-opus-5-5: can stop thinking by 'between_tools', here it cannot",
    ]
    assert came[0]["anthropic-version"] == "2026-10-21"
    assert "sk-ant-secret-of-mine" in (came[0].get("x-api-key", "") + came[0].get("authorization", ""))


def test_shutdown_date_or_a_server_of_ones_own_is_not_read(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-mine-12345678")
    listed = [{"id": "gpt-6-luna", "shutdown_date": "2027-06-01"}, {"id": "gpt-4o", "shutdown_date": "2027-01-14"},
              {"id": "tiny", "max_model_len": 4096}]  # fmt: skip
    with vendor({"/v1/models": {"object": "list", "data": listed}}) as (url, _):
        tables = "".join(
            f'[{name}]\nprovider = "openai"\nvendor = "openai"\nid = "{name}"\nbase_url = "{url}/v1"\nkey_env = "MY_KEY"\n'
            for name in ("gpt-6-luna", "gpt-4o")
        )
        status, out, _ = call("models", "check", "--models", own(call, tables))
        assert status == 0
        assert out.splitlines() == [f"{url}/v1: 3 models", "  gpt-6-luna: ends on 2027-06-01, here no day is known"]
        lab = f'[tiny]\nprovider = "compatible"\nid = "tiny"\nbase_url = "{url}/v1"\n'
        status, out, _ = call("models", "check", "--models", own(call, lab))
        assert status == 0
        assert out.splitlines() == [f"{url}/v1: 3 models", "  as it is known here"]
        status, out, _ = call("models", "check", "--models", own(call, lab + "context = 8192\n"))
        assert out.splitlines()[1:] == [
            "  tiny: takes 4,096 tokens, and context is 8,192 in its table: longer prompts are refused"
        ]


def test_shutdown_date_is_lost_where_two_tables_share_an_address_or_name_no_vendor(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-mine-12345678")
    listed = [{"id": "gpt-6-luna", "shutdown_date": "2027-06-01"}, {"id": "tiny", "shutdown_date": "2027-05-01"}]
    with vendor({"/v1/models": {"object": "list", "data": listed}}) as (url, _):
        tables = f'[tiny]\nprovider = "compatible"\nid = "tiny"\nbase_url = "{url}/v1"\nkey_env = "MY_KEY"\n'
        tables += f'[luna]\nprovider = "openai"\nid = "gpt-6-luna"\nbase_url = "{url}/v1"\nkey_env = "MY_KEY"\n'
        status, out, _ = call("models", "check", "--models", own(call, tables))
    assert status == 0
    assert out.splitlines() == [
        f"{url}/v1: 2 models",
        "  tiny: ends on 2027-05-01, here no day is known",
        f"{url}/v1: 2 models",
        "  gpt-6-luna: ends on 2027-06-01, here no day is known",
    ]


HOSTILE: list[Any] = [
    b"<html>no</html>",
    b"",
    [],
    {"data": "x"},
    {"error": {"message": "bad key sk-mine-12345678", "type": "authentication_error"}},
]


@pytest.mark.parametrize("page", HOSTILE, ids=["html", "empty", "list", "no list", "error"])
def test_vendor_that_answers_nonsense_is_a_traceback_or_is_believed(
    call: Call, monkeypatch: pytest.MonkeyPatch, page: Any
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-mine-12345678")
    with vendor({"/v1/models": page}) as (url, _):
        lab = f'[tiny]\nprovider = "compatible"\nid = "tiny"\nbase_url = "{url}/v1"\nkey_env = "MY_KEY"\n'
        status, out, err = call("models", "check", "--models", own(call, lab))
    assert status == 1
    assert out.startswith(f"{url}/v1: ")
    assert ("with no list of models but what is no JSON" in out) == (page == b"<html>no</html>")
    assert "Traceback" not in err
    assert "sk-mine-12345678" not in out + err


def test_entries_that_cannot_be_are_believed(call: Call) -> None:
    listed = [None, 5, {"id": 7}, {"id": "tiny", "max_model_len": "9" * 50, "shutdown_date": ["2027"], "capabilities": 3},
              {"id": "\x1b[2J\u202e", "lifecycle": {"a": 1}, "capabilities": {"thinking": [], "effort": {"low": "yes"}}}]  # fmt: skip
    with vendor({"/v1/models": {"data": listed}}) as (url, _):
        lab = f'[tiny]\nprovider = "compatible"\nid = "tiny"\nbase_url = "{url}/v1"\n'
        status, out, err = call("models", "check", "--models", own(call, lab))
    assert (status, out.splitlines()) == (
        0,
        [f"{url}/v1: 2 models", "  tiny: its end is no date: \"['2027']\", here no day is known"],
    )
    missing = (
        "ANTHROPIC_API_KEY",
        "DEEPSEEK_API_KEY",
        "GEMINI_API_KEY",
        "GROQ_API_KEY",
        "OPENAI_API_KEY",
        "XAI_API_KEY",
    )
    assert err.strip() == f"not asked, for want of a key: {', '.join(missing)}", "a vendor is left out without a word"


def test_server_that_is_not_there_is_a_traceback(call: Call, tmp_path: Path) -> None:
    lab = '[tiny]\nprovider = "compatible"\nid = "tiny"\nbase_url = "http://127.0.0.1:9/v1"\n'
    status, out, err = call("models", "check", "--models", own(call, lab))
    assert status == 1
    assert out.startswith("http://127.0.0.1:9/v1: cannot connect")
    assert "Traceback" not in err


def test_fault_in_a_vendors_file_is_a_traceback(scrollwork: Scrollwork, tree: Path) -> None:
    """Of a checkout: whoever adds a family writes there."""
    edit(tree / "config" / "vendors" / "groq.toml", lambda text: f'{text}\n[mine]\ncontext = "long"\n')
    done = scrollwork.with_(root=tree)("models", status=1)
    assert done.err.startswith("scrollwork: groq.toml: [mine]")
    assert "context" in done.err
    assert "Traceback" not in done.err


def test_server_that_never_answers_holds_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "LONGEST_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        table = checked_table("m", {"provider": "compatible", "id": "m", "base_url": url})
        with pytest.raises(CallProblem, match=r"no list of models within 0\.2 s"):
            listing.list_models("m", table)


def test_fault_of_a_table_is_told_without_its_file(call: Call) -> None:
    file = own(call, '[mine]\nprovider = "openai"\nid = "m"\nfamily = { contxt = 5 }\n')
    for command in (("models",), ("models", "check")):
        status, _, err = call(*command, "--models", file)
        assert status == 2
        assert f"--models {file}: model 'mine': family" in err
