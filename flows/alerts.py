"""What a night tells Prefect that it cannot know by itself, as events, and the ping of a dead-man's switch.

The events and their payloads are in docs/alerts.md, what is done with them in deploy/automations.yaml. Nothing here
makes a night fail. A night that is told again is told whole, so that one killed before it told is not lost.
"""

from __future__ import annotations

import os
import re
import threading
import urllib.request
from collections.abc import Iterator
from datetime import date
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError

from prefect import get_run_logger
from prefect.context import FlowRunContext
from prefect.events import emit_event

from scrollwork.flows.chains import Chain
from scrollwork.flows.nights import NightTaken
from scrollwork.models.engine.prices import dollars
from scrollwork.models.vendors.families import family_of
from scrollwork.pipeline.calling import gone_budget
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.readings.model_warnings import model_end
from scrollwork.readings.nights.register import Nights
from scrollwork.records.nights.night import ANSWERS, FINGERPRINT, TEXTS, WEIGHTS, NightModel, NightRow

BEGUN, WHOLE = "scrollwork-night.begun", "scrollwork-night.whole"
REGRESSED, CHANGED = "scrollwork-night.regressed", "scrollwork-night.changed"
BUDGET_GONE = "scrollwork-night.budget-gone"
VERSION_CHANGED, MODEL_ENDS = "scrollwork-model.version-changed", "scrollwork-model.ends"
ENDS_WITHIN_DAYS = 30
LONGEST, LONGEST_NAME = 600, 200  # characters of a text and of a name in an event
PING_URL, PING_BLOCK = "SCROLLWORK_PING_URL", "scrollwork-ping"
PING_S = 10.0  # for the whole of a ping

Told = tuple[str, str, str, dict[str, Any]]  # an event: its name, the id of what it is about, a text, and more


def tell_begun(suite: str) -> None:
    """Tell that a night began, if its schedule began it: from then on the next one is expected."""
    try:
        context = FlowRunContext.get()
        run = context.flow_run if context is not None else None
        if run is not None and run.auto_scheduled:
            emit(BEGUN, f"scrollwork-nights.{run.deployment_id}", run.name, {"suite": suite})
    except Exception as error:  # whatever Prefect's events may raise
        say(f"that the night began was not told: {type(error).__name__}")


def tell_night(chain: Chain, taken: NightTaken) -> None:
    """Tell what is to be told of a night, and ping the dead-man's switch if it is whole."""
    for source in (of_night, of_budget, of_versions, of_ends):
        try:
            for name, about, text, more in source(chain, taken):
                emit(name, about, text, more)
        except Exception as error:  # one kind of event that cannot be told is no reason to lose the others
            say(f"{source.__name__}: an event was not told: {type(error).__name__}: {printable(str(error), LONGEST)}")
    if taken.row is not None:
        ping()


def emit(name: str, about: str, text: str, more: dict[str, Any]) -> None:
    """Emit an event. Texts are bounded and on one line; they may quote vendors."""
    bounded = {key: printable(value, LONGEST_NAME) if isinstance(value, str) else value for key, value in more.items()}
    resource = {"prefect.resource.id": printable(about, LONGEST_NAME), "prefect.resource.name": "scrollwork"}
    emit_event(name, resource, payload={"text": printable(text, LONGEST), **bounded})


def of_night(chain: Chain, taken: NightTaken) -> Iterator[Told]:
    """Yield that a night is whole, that the model was seen to be another one, and that something dropped."""
    row = taken.row
    if row is None:
        return
    about, more = f"scrollwork-night.{row.name}", {"night": row.name, "suite": row.suite, "failed": row.failed}
    yield WHOLE, about, row.sentence, more
    if {ANSWERS, FINGERPRINT, TEXTS, WEIGHTS} & set(row.causes):  # other versions have an event of their own
        text = f"Night {row.name} of {row.suite} asked the full set, for a model answers otherwise: {row.why}. "
        yield CHANGED, about, f"{text}{row.outcome}: {row.sentence}", {**more, "causes": list(row.causes)}
    if any(task.alarms for model in row.models for task in model.tasks):
        yield REGRESSED, about, f"Night {row.name} of {row.suite}: {row.sentence}", more


def of_budget(chain: Chain, taken: NightTaken) -> Iterator[Told]:
    """Yield that the budget ended a night before it was whole."""
    budget = gone_budget(chain.resolved.calling)
    if taken.row is None and budget is not None:
        spent, limit = dollars(budget.spent), dollars(budget.limit)
        missing = "; ".join(taken.unfinished[:3])
        text = f"The night of {chain.request.suite} is not whole: {spent} of its budget of {limit} are spent. {missing}"
        yield BUDGET_GONE, f"scrollwork-nights.{chain.request.suite}", text, {"suite": chain.request.suite}


def of_versions(chain: Chain, taken: NightTaken) -> Iterator[Told]:
    """Yield the models of which another version was reported than on the night before with the same settings."""
    row = taken.row
    if row is None:
        return
    rows = Nights(chain.session.home.url).rows()
    for model in row.models:
        before = last_before(row, model, rows)
        if before is not None and set(before.versions) != set(model.versions):
            was, now = listed(before.versions), listed(model.versions)
            text = f"{model.model}: its vendor reports version {now} on night {row.name}, and {was} before"
            more = {"model": model.model, "night": row.name, "before": was, "now": now}
            yield VERSION_CHANGED, about_model(model.model), text, more


def last_before(row: NightRow, model: NightModel, rows: list[NightRow]) -> NightModel | None:
    """Return a model on the last night of the same suite and settings before this one on which its version was
    reported; None without one, or if it is not reported on this night. rows: the oldest first."""
    same = [one for one in rows if (one.suite, one.settings) == (row.suite, row.settings) and one.ended < row.ended]
    found = [part for one in reversed(same) if (part := one.of(model.model)) is not None and part.versions]
    return found[0] if found and model.versions else None


def of_ends(chain: Chain, taken: NightTaken) -> Iterator[Told]:
    """Yield which models their vendors retire within ENDS_WITHIN_DAYS, or have retired."""
    today = date.today()
    for model, table in chain.resolved.calling.tables.items():
        day, successor = model_end(table, family_of(table))
        if day is None or (left := (day - today).days) > ENDS_WITHIN_DAYS:
            continue
        when = f"retires it on {day}, in {left} days" if left > 0 else f"has retired it on {day}"
        instead = f"; it names {successor} in its place" if successor else ""
        text = f"{model}: its vendor {when}{instead}"
        yield MODEL_ENDS, about_model(model), text, {"model": model, "ends": str(day), "days_left": left}


def about_model(model: str) -> str:
    """Return the id of a model as a resource of Prefect."""
    return f"scrollwork-model.{re.sub(r'[^A-Za-z0-9._:-]', '-', model)}"


def listed(versions: tuple[str, ...]) -> str:
    """Format reported versions, of which there may be many."""
    return ", ".join(versions[:3]) + (f" and {len(versions) - 3} more" if len(versions) > 3 else "")


# ---- the dead-man's switch


def ping() -> None:
    """Ask the URL of a dead-man's switch, if there is one, and say what went wrong. It is not waited for longer than
    PING_S, whatever the other side does; the URL is a secret, and in no message."""
    url = ping_url()
    if not url:
        return
    ended: list[str] = []
    thread = threading.Thread(target=lambda: ended.append(asked(url)), name="scrollwork-ping", daemon=True)
    thread.start()
    thread.join(PING_S)
    wrong = ended[0] if ended else f"no answer within {PING_S:g} seconds"
    if wrong:
        say(f"the ping of the dead-man's switch failed: {wrong}")


def ping_url() -> str:
    """Return the URL of PING_URL or of the Secret block PING_BLOCK; "" without one."""
    if url := os.environ.get(PING_URL, ""):
        return url
    from prefect.blocks.system import Secret

    try:
        return str(Secret.load(PING_BLOCK).get())  # type: ignore[union-attr]
    except ValueError:  # there is no such block
        return ""
    except Exception as error:
        say(f"the ping of the dead-man's switch failed: its block cannot be read ({type(error).__name__})")
        return ""


def asked(url: str) -> str:
    """GET a URL without following redirects; returns what went wrong, "" for nothing. Errors of libraries may quote the
    URL, so that only their kind is told."""
    if not url.startswith(("https://", "http://")):
        return "its URL begins with neither https:// nor http://"
    try:
        with urllib.request.build_opener(Unmoved).open(url.strip(), timeout=PING_S) as reply:
            return "" if reply.status < 300 else f"answered {reply.status}"
    except HTTPError as error:
        return f"answered {error.code}"
    except (OSError, ValueError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        return getattr(reason, "strerror", None) or type(reason).__name__


class Unmoved(urllib.request.HTTPRedirectHandler):
    """Follow no redirect."""

    def redirect_request(self, *_: Any) -> None:
        return None


def say(text: str) -> None:
    """Write a warning to the log of the flow run."""
    get_run_logger().warning(text)
