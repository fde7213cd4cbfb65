"""`scrollwork rehearse`: a run for nothing, whose bill is another account of it than ours."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from scrollwork.rehearsal.families import FAMILIES
from scrollwork.rehearsal.prices import rates
from tests.conftest import Call, Scrollwork
from tests.survival.hosted import answered

# Of four vendors and more, thinking and not; each with the rule of its cache.
CURRENT = ("gpt-6-luna", "gpt-6.1-terra", "gpt-6.2-sol", "gpt-5.6-luna", "claude-opus-5-5", "claude-sonnet-5-5",
           "claude-haiku-5-5", "claude-fable-5-2", "gemini-3.8-flash", "gemini-3.5-flash-lite", "grok-4.7",
           "deepseek-flash")  # fmt: skip
# One of each vendor that has a rule of its own.
FEW = ("gpt-6.1-terra", "claude-sonnet-5-5", "gemini-3.8-flash", "deepseek-flash")
SUITES = {
    "zeroscrolls": (),
    "scrolls": (),
    "seam": ("--runs", "2"),
    "dolce": ("--task", "leval_quality", "--strategy", "take:2", "--limit", "2"),
}
ESTIMATED = ("--tokenizer", "estimate", "--quiet", "--json")


def models(*names: str) -> list[str]:
    return [word for name in names for word in ("--model", name)]


def rehearsed(call: Call, suite: str, *more: str) -> dict[str, Any]:
    code, out, err = call("rehearse", suite, "--sample", *ESTIMATED, *more)
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def dollars_of(rows: list[dict[str, Any]]) -> dict[str, tuple[float, float]]:
    """Dollars of an estimate by model: in all, and of its input, by the simulator's own prices; no prompt of the sample
    passes a tier."""
    found: dict[str, tuple[float, float]] = {}
    for row in rows:
        family = next(one for one in FAMILIES if one.id == row["model"])
        output = row["output_tokens"] * float(rates(family, datetime.now(UTC), "standard", 0)["output"]) / 1e9
        whole, put_in = found.get(family.id, (0.0, 0.0))
        found[family.id] = whole + row["price"]["online"], put_in + row["price"]["online"] - output
    return found


# All models are asked in one suite; with the prompts of the others, and of scrolls, which is asked alike, in `make soak`.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("suite", "asked"),
    [
        *((suite, CURRENT if suite == "zeroscrolls" else FEW) for suite in SUITES if suite != "scrolls"),
        *(pytest.param(suite, CURRENT, marks=pytest.mark.soak) for suite in SUITES if suite != "zeroscrolls"),
    ],
    ids=lambda one: one if isinstance(one, str) else str(len(one)),
)
def test_bill_of_current_models_differs_from_what_is_counted_or_estimated(
    call: Call, suite: str, asked: tuple[str, ...]
) -> None:
    """No reply is refused, none lacks its text, both accounts are equal to the nano-dollar, and the estimate is within a
    twentieth, of input and in all, where answers are as long as references."""
    began = datetime.now(UTC).hour
    code, out, err = call("estimate", suite, "--sample", *ESTIMATED, *SUITES[suite], *models(*asked))
    assert code == 0, err
    estimated = dollars_of(json.loads(out))
    found = rehearsed(call, suite, *SUITES[suite], *models(*asked))
    for row in found["bill"]:
        if datetime.now(UTC).hour == began:  # else DeepSeek's dear hours may have begun or ended
            paid = row["billed_usd"], row["billed_usd"] - row["output_usd"]
            assert estimated[row["model"]] == pytest.approx(paid, rel=0.05), row
        assert row["replies"] > 0
        assert row["assumed_calls"] == row["uncounted_calls"] == 0
        assert row["difference_nano_usd"] == 0, row


def test_rehearsal_asks_twice_or_touches_the_home_of_real_runs(call: Call, tmp_path: Path) -> None:
    asked = ("--task", "squality", *models("gpt-6-luna"))
    (first,) = rehearsed(call, "zeroscrolls", *asked)["bill"]
    assert first["replies"] == 10
    assert first["written_tokens"] > 0 < first["cached_tokens"], "two documents that five questions each share"
    assert first["difference_nano_usd"] == 0
    code, _, err = call("rehearse", "zeroscrolls", "--sample", "--tokenizer", "estimate", "--quiet", *asked)
    assert code == 0
    assert "nothing was asked: answers of an earlier rehearsal stand" in err
    home = next(tmp_path.rglob("rehearsal"))
    assert (home / "responses.db").is_file()
    assert not (home.parent / "responses.db").exists(), "the store of real answers"
    page = (home / "reports" / "zeroscrolls.html").read_text()
    assert "simulated in a rehearsal" in page


def test_thoughts_that_a_home_has_paid_for_are_guessed_all_the_same(call: Call) -> None:
    """DeepSeek counts them as output and tells no more. Nobody can know them before the first answers."""
    asked = ("--task", "squality", *models("deepseek-flash"))
    (bill,) = rehearsed(call, "zeroscrolls", *asked)["bill"]
    for home, measured in ((call.home, 0), (call.home / "rehearsal", 10)):
        estimate = ("estimate", "zeroscrolls", "--sample", *ESTIMATED, *asked)
        code, out, err = call.at(home)(*estimate)
        assert code == 0, err
        (row,) = json.loads(out)
        assert row["outputs_measured"] == measured
        assert row["output_tokens"] == pytest.approx(bill["output_tokens"], rel=0.05)
        assert (row["thought_tokens"] == 6_000 * row["to_ask"]) == (not measured)
        _, out, err = call.at(home)(*estimate, "--ways")
        assert {way["outputs_measured"] for way in json.loads(out)} == {bool(measured)}, err


@pytest.mark.slow
def test_estimate_after_a_pilot_is_further_from_the_bill_than_a_twentieth(call: Call, tmp_path: Path) -> None:
    """Answers are not as long as references; ten of them tell. One run of SEAM is the pilot, two are estimated."""
    asked = models("gpt-6-luna", "gpt-5.6-luna", "claude-sonnet-5-5", "claude-opus-5-5")
    rehearsed(call, "seam", "--runs", "1", *asked)
    code, out, err = call.at(call.home / "rehearsal")("estimate", "seam", "--sample", *ESTIMATED, "--runs", "2", *asked)
    assert code == 0, err
    found: dict[str, float] = {}
    for row in json.loads(out):
        found[row["model"]] = found.get(row["model"], 0.0) + row["price"]["online"]
    for row in rehearsed(call.at(tmp_path / "another"), "seam", "--runs", "2", *asked)["bill"]:
        assert found[row["model"]] == pytest.approx(row["billed_usd"], rel=0.05), row


@pytest.mark.slow
def test_batch_or_lost_reply_is_missing_in_the_bill(call: Call) -> None:
    (batch,) = rehearsed(call, "zeroscrolls", "--task", "musique", "--batch", *models("claude-opus-5-5"))["bill"]
    assert (batch["replies"] > 0, batch["difference_nano_usd"]) == (True, 0)
    assert batch["cached_tokens"] == batch["written_tokens"] == 0, "nobody shares a document"
    faults = json.dumps({"*": {"server_error_500": 0.2, "overloaded_503": 0.2}})
    (failed,) = rehearsed(call, "zeroscrolls", "--task", "qasper", "--knob", f"faults={faults}", *models("gpt-6-luna"))[
        "bill"
    ]
    assert (failed["replies"], failed["difference_nano_usd"]) == (27, 0)


LARGE = ("--task", "qasper", "--task", "squality", "--task", "quality", "--batch")  # 48 requests


@pytest.mark.slow
@pytest.mark.parametrize("model", ["claude-opus-5-5", "gpt-6-luna", "openai:gpt-5.2"])
def test_batch_is_uploaded_before_a_reply_was_seen_or_asks_that_again(call: Call, tmp_path: Path, model: str) -> None:
    """Two of the run's own requests go first, at the standard price; the bill is right to the nano-dollar."""
    (row,) = rehearsed(call, "zeroscrolls", *LARGE, *models(model))["bill"]
    assert (row["replies"], row["difference_nano_usd"]) == (48, 0)
    assert row["assumed_calls"] == row["uncounted_calls"] == 0
    (store,) = tmp_path.rglob("responses.db")
    with sqlite3.connect(store) as opened:
        assert opened.execute("SELECT count(*) FROM batches").fetchall() == [(1,)]
        assert opened.execute("SELECT count(*) FROM batch_requests").fetchall() == [(46,)]


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["no_model_404", "policy_400", "too_long_400", "no_room"])
def test_batch_follows_requests_that_were_refused_online(
    call: Call, tmp_path: Path, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    faults = json.dumps({"*": {fault: 1}})
    asked = (*LARGE, "--knob", f"faults={faults}", *models("gpt-6-luna"))
    code, _, _ = call("rehearse", "zeroscrolls", "--sample", *ESTIMATED, *asked)
    assert code == 1
    assert "no batch is submitted: its first requests, asked online, got no answer" in caplog.text
    (store,) = tmp_path.rglob("responses.db")
    with sqlite3.connect(store) as opened:
        assert opened.execute("SELECT count(*) FROM batches").fetchall() == [(0,)]


@pytest.mark.slow
@pytest.mark.parametrize("hits", [1, 0.5, 0])
def test_questions_on_one_document_are_paid_in_full_in_a_batch(call: Call, hits: float) -> None:
    """Claude's discounts stack: five questions on each of two stories are marked, and counted as billed whatever share
    of them the vendor's cache serves."""
    asked = ("--task", "squality", "--batch", "--knob", f"hit_rate={hits}", *models("claude-opus-5-5"))
    (batch,) = rehearsed(call, "zeroscrolls", *asked)["bill"]
    assert (batch["replies"], batch["difference_nano_usd"]) == (10, 0)
    shared = batch["cached_tokens"] + batch["written_tokens"]
    assert batch["plain_tokens"] < 0.1 * shared, "the stories"
    read = batch["cached_tokens"] / shared
    assert 0 < read < 0.8 if hits == 0.5 else read == pytest.approx(0.8 * hits, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("budget", ["0.12", "0.13", "0.2"])
def test_group_that_a_budget_cuts_is_counted_otherwise_than_its_batch_was_marked(call: Call, budget: str) -> None:
    """The first questions on a story wait in a batch, the others were too dear: their marks were believed to be none."""
    asked = ("--task", "qasper", "--task", "squality", "--task", "qmsum", "--batch", "--budget", budget)
    _, out, err = call("rehearse", "zeroscrolls", "--sample", *ESTIMATED, *asked, *models("claude-sonnet-5-5"))
    (row,) = json.loads(out)["bill"]
    assert "not believed" not in err
    assert (row["replies"] > 20, row["assumed_calls"], row["difference_nano_usd"]) == (True, 0, 0)


@pytest.mark.slow
def test_flex_that_is_refused_costs_answers_or_is_counted_otherwise(call: Call) -> None:
    """A third of the requests for flex is refused: nothing is lost, and each reply counts at the tier that served it."""
    asked = ("--task", "squality", "--task", "qasper", "--way", "flex", "--knob", "flex_refused=0.33")
    luna, opus = rehearsed(call, "zeroscrolls", *asked, *models("gpt-6-luna", "claude-opus-5-5"))["bill"]
    assert (luna["replies"], opus["replies"]) == (37, 37)
    assert opus["difference_nano_usd"] == 0
    assert -37 <= luna["difference_nano_usd"] <= 0, "half a nano-dollar a reply is rounded up"
    assert luna["billed_usd"] < 0.0042, "$0.0058 at the standard tier"


@pytest.mark.slow
def test_replies_without_room_under_flex_are_counted_at_the_standard_price(call: Call) -> None:
    faults = json.dumps({"*": {"no_room": 0.4}})
    asked = ("--task", "squality", "--task", "qasper", "--way", "flex", "--knob", f"faults={faults}")
    both = models("gpt-6-luna", "gemini-3.8-flash")
    _, out, err = call("rehearse", "zeroscrolls", "--sample", *ESTIMATED, *asked, *both)
    luna, flash = json.loads(out)["bill"]
    assert min(luna["replies"], flash["replies"]) > 40, f"{err}: 37 answers, and what had no room before them"
    assert -luna["replies"] <= luna["difference_nano_usd"] <= 0, "half a nano-dollar a reply is rounded up"
    assert flash["difference_nano_usd"] == 0


@pytest.mark.slow
def test_nobody_says_that_flex_had_no_room(call: Call, caplog: pytest.LogCaptureFixture) -> None:
    asked = ("--task", "qasper", "--way", "flex", "--knob", "flex_refused=1", *models("gpt-6-luna"))
    code, _, err = call("rehearse", "zeroscrolls", "--sample", "--tokenizer", "estimate", *asked)
    assert code == 0
    assert "way: gpt-6-luna by flex" in err
    assert "flex had no room for 27 answers; they came from the standard tier, at its price" in caplog.text


def test_batch_of_a_rehearsal_that_was_stopped_is_waited_for(call: Call, tmp_path: Path) -> None:
    """The vendor ended with it: the next rehearsal says so, and does not speak of answers that stand."""
    asked = ("--task", "squality", "--batch", *models("gpt-6-luna"), "--tokenizer", "estimate", "--quiet")
    waits = ("--batch-wait", "0", "--knob", "batch_s=60")
    code, _, err = call("rehearse", "zeroscrolls", "--sample", *asked, *waits)
    assert code == 1
    assert "nothing was asked" not in err
    code, _, err = call("rehearse", "zeroscrolls", "--sample", *asked)
    assert code == 2
    assert "its simulated vendor ended with it: delete" in err


@pytest.mark.slow
def test_rehearsal_that_is_stopped_says_nothing_of_its_bill(scrollwork: Scrollwork) -> None:
    asked = ("rehearse", "zeroscrolls", "--sample", "--tokenizer", "estimate", *models("gpt-6-luna"))
    process = scrollwork.start(*asked, "--knob", "latency_s=1.5", start_new_session=True)
    store = scrollwork.home / "rehearsal" / "responses.db"
    deadline = time.monotonic() + 60
    while not (store.is_file() and answered(store.parent)) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "bill of the simulated vendors" in out
    assert "Traceback" not in err


@pytest.mark.slow
def test_cheapest_way_is_not_the_one_that_the_estimate_marks(call: Call) -> None:
    """Of Claude: ten questions on two documents with the cache, but in a batch what shares nothing."""
    shared = rehearsed(call, "zeroscrolls", "--task", "squality", "--way", "cheapest", *models("claude-sonnet-5-5"))
    assert shared["bill"][0]["cached_tokens"] > 0
    single = ("--task", "gov_report", "--way", "cheapest")
    (alone,) = rehearsed(call, "zeroscrolls", *single, *models("claude-sonnet-5-5"))["bill"]
    (dear,) = rehearsed(call, "zeroscrolls", "--task", "gov_report", *models("gpt-6-luna"))["bill"]
    assert alone["replies"] == dear["replies"] == 6
    at_full_price = (2 * alone["plain_tokens"] + 10 * alone["output_tokens"]) / 1e6
    assert alone["billed_usd"] == pytest.approx(at_full_price / 2)


def test_cheapest_way_is_silent_on_prompts_that_it_could_not_reckon_with(
    call: Call, caplog: pytest.LogCaptureFixture
) -> None:
    asked = ("--task", "qasper", "--task", "gov_report", "--max-input-tokens", "1000", "--way", "cheapest")
    code, _, _ = call("rehearse", "zeroscrolls", "--sample", "--tokenizer", "estimate", *asked, *models("gpt-6-luna"))
    assert code == 1
    (told,) = [one for one in caplog.messages if "the cheapest way is chosen without" in one]
    assert "prompt gov_report" in told
    assert "1,000 tokens leave no room for the document" in told


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((), "rehearse needs a model"),
        (("--model", "gpt-6-luna", "--store", "sqlite:///x.db"), "--store is not for rehearsals"),
        (("--model", "gpt-6-luna", "--knob", "warmth=1"), "no knob warmth; there are seed,"),
        (("--model", "gpt-6-luna", "--knob", "seed=one"), "the value is no JSON"),
        (("--model", "gpt-6-luna", "--batch", "--way", "flex"), "--batch and --way flex: give one"),
        (("--model", "claude-opus-5-5", "--way", "flex"), "no model of this call is known to have that tier"),
        (("--model", "gpt-6-luna", "--way", "slow"), "invalid choice: 'slow'"),
        (("--model", "gpt-6-luna", "--knob", "seed"), "write NAME=VALUE"),
        (("--model", "gpt-6-luna", "--knob", "latency_s=-1"), "knob latency_s must be a number, 0 or more, not -1"),
        (("--model", "gpt-6-luna", "--knob", "faults=0.5"), "knob faults must be an object, not 0.5"),
        (("--model", "gpt-6-luna", "--knob", "hit_rate=5"), "knob hit_rate is a share, 0 to 1, not 5"),
        (
            ("--model", "gpt-6-luna", "--knob", 'faults={"*":{"nosuch":0.2}}'),
            "faults of *: there is no nosuch; there are",
        ),
        (("--model", "gpt-6-luna", "--knob", 'faults={"nobody":{"closed":1}}'), "there is no vendor nobody"),
        (("--model", "gpt-6-luna", "--knob", 'faults={"*":{"closed":"a"}}'), "closed must be 0 to 1, not 'a'"),
        (("--model", "gpt-6-luna", "--knob", 'ratio={"openai":0}'), "ratio: openai must be above 0, not 0"),
        (("--model", "gpt-6-luna", "--knob", 'limits={"openai":{"rpm":0}}'), "rpm must be above 0, not 0"),
        (("--model", "gpt-6-luna", "--knob", 'limits={"openai":{"rpx":1}}'), "there is no rpx; there are rpm"),
        (("--model", "gpt-6-luna", "--knob", "clock=1"), "no knob clock; there are"),
        (("--model", "gpt-6-luna", "--knob", "batch_done=0.5"), "a batch expires after a day"),
        (("--model", "openai:gpt-4o", "--way", "flex"), "no model of this call is known to have that tier"),
        (("--model", "openai:gpt-17"), "gpt-17 of OpenAI is not simulated; there are: gpt-6.2-astra"),
        (("--model", "compatible:x", "--base-url", "http://127.0.0.1:9/v1"), "its server is not simulated"),
    ],
)
def test_call_that_cannot_be_rehearsed_reaches_a_vendor(call: Call, given: tuple[str, ...], says: str) -> None:
    code, out, err = call("rehearse", "zeroscrolls", "--sample", "--task", "squality", *given)
    assert (code, out) == (2, "")
    assert says in err


def test_a_table_of_ones_own_takes_the_name_of_the_simulated_server(call: Call, tmp_path: Path) -> None:
    """Its answers would be found by real runs, and the other way round."""
    own = tmp_path / "models.toml"
    own.write_text(
        '[mine]\nprovider = "compatible"\nid = "x"\nbase_url = "http://127.0.0.1:9/v1"\nserver = "rehearsal"\n'
    )
    code, _, err = call("plan", "zeroscrolls", "--sample", "--model", "mine", "--models", str(own))
    assert code == 2
    assert "'rehearsal' is the name of simulated vendors" in err


def test_number_of_a_narrow_table_is_cut(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrollwork.cli.terminal.common.WIDTH", 60)
    _, out, err = call(
        "estimate", "zeroscrolls", "--sample", "--task", "squality", *models("gpt-6.2-sol"), *ESTIMATED[:2]
    )
    assert "36,777" in out, err
    assert "…" not in out


def saved(line: str) -> float:
    (found,) = re.findall(r"which saved \$([0-9.]+)", line)
    return float(found)


@pytest.mark.slow
def test_cache_saves_more_than_all_would_have_cost(call: Call) -> None:
    """Flex costs half, and so does what its cache gives back."""
    asked = ("--sample", *ESTIMATED[:2], "--task", "squality", *models("gpt-6.1-terra"))
    _, _, plain = call("rehearse", "zeroscrolls", *asked)
    _, _, flex = call.at(call.home.with_name("flex"))("rehearse", "zeroscrolls", *asked, "--way", "flex")
    assert saved(flex) == pytest.approx(saved(plain) / 2, abs=1e-4)


def test_thinking_model_behind_openrouter_is_asked_twice_or_counted_for_nothing(call: Call) -> None:
    """Its own vendor's family says that it cannot stop thinking, and what room it needs."""
    asked = ("--sample", *ESTIMATED[:2], "--task", "squality", *models("openrouter:anthropic/claude-opus-5.5"))
    _, out, err = call("rehearse", "zeroscrolls", *asked)
    row = next(line for line in out.splitlines() if line.startswith("│ openrouter:anthropic"))
    replies, *_, counted = (cell.strip() for cell in row.strip("│").split("│")[1:])
    assert (replies, counted) == ("10", "–")
    assert "openrouter:anthropic/claude-opus-5.5: no price is known here" in err


def test_small_budget_ends_a_run_without_a_word_before(call: Call) -> None:
    asked = ("--sample", *ESTIMATED[:2], "--task", "squality", *models("gemini-3.8-flash", "gpt-6-luna"))
    _, _, err = call("rehearse", "zeroscrolls", *asked, "--budget", "0.10")
    (line,) = [one for one in err.splitlines() if "an answer may cost up to" in one]
    cost = "0.0957" if datetime.now(UTC).year == 2026 else "0.1913"  # its price doubles in 2027
    assert line.startswith(f"gemini-3.8-flash: an answer may cost up to ${cost}, which is set aside")
