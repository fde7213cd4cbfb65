"""Write the snapshot of the stored answers to a stage's prompts; it is known by the answers digest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.models.base import Answer, Attempt, Call, CallFailed, Model
from scrollwork.models.baselines.fitted_rules import fitted_rule
from scrollwork.models.registry import make, module_of
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.loaded_code import NAME
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session, pointer_to
from scrollwork.pipeline.snapshots.rows import answer_state, failure_row, response_row
from scrollwork.pipeline.source_digest import sources
from scrollwork.records.fitted import Fitted
from scrollwork.records.response import Failure, Response
from scrollwork.storage.answers.rows import ANSWERED, StoredAnswer, StoredFailure
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter
from scrollwork.storage.artifacts.manifest import Ingredients
from scrollwork.storage.digest import sha256_of
from scrollwork.tasks.generate.pending import AskedCall, chunks
from scrollwork.tasks.generate.stored_answers import (
    failure_of,
    is_no_answer,
    is_to_be_asked,
    scored_characters,
    stored_answer,
    stored_failure,
)

MISSING = "missing"
COMMIT = 500  # answers of a free model in one transaction


@dataclass(frozen=True)
class Asking:
    """A model and the prompts that it was asked, answered or not."""

    model: Model
    asked: Sequence[AskedCall]


class AnswersMoved(RuntimeError):
    """An answer came into the store while the snapshot was written."""


def model_of(name: str, settings: Mapping[str, Any]) -> Model:
    """Make a model; the digest of its provider's code enters its request keys where answers depend on our code."""
    revision = sha256_of(sources([module_of(settings["provider"])]))
    return make(name, settings, revision)


def note_snapshot(node: Node, ingredients: Ingredients, asking: Asking, session: Session) -> Artifact:
    """Write a snapshot of the stored answers and make it the one recorded for the node's key."""
    while True:
        try:
            standing = write_snapshot(node, ingredients, asking, session)
            break
        except AnswersMoved:  # another process has stored answers to the same requests: look again
            continue
    session.point(node.stage, node.slot, ingredients.key(), pointer_to(standing))
    return standing


def with_fitted(settings: Mapping[str, Any], task: str, inputs: InputArtifacts) -> dict[str, Any]:
    """Return a model's settings with the task's fitted rule in place of the one that asks for fitting."""
    if "fitted" not in inputs:
        return dict(settings)
    rule = fitted_rule(settings["rules"][task], list(inputs["fitted"].rows("fitted", Fitted)))
    return {**settings, "rules": {**settings["rules"], task: rule}}


def write_snapshot(
    node: Node,
    ingredients: Ingredients,
    asking: Asking,
    session: Session,
) -> Artifact:
    """Write the snapshot of the answers stored now, unless it exists. Raises AnswersMoved."""
    room = room_of(node)
    answers = answers_digest(asking.asked, session, room)
    key = sha256_of([ingredients.key(), answers])
    with session.artifacts.building(node.stage, node.slot, key):
        standing = session.artifacts.find(node.stage, node.slot, key)
        if standing is not None:
            return standing
        writing = session.artifacts.write(ingredients, key)
        with writing as writer:
            writer.content = write_rows(node, asking, session, writer)
            if writer.content != answers:
                raise AnswersMoved
        return writing.artifact


def answer_missing(calls: Sequence[Call], model: Model, session: Session) -> int:
    """Ask for missing answers; for terminal failures again only with --retry-failed. Return how many of the calls have
    failed."""
    calling = session.locations.calling
    again = calling is not None and calling.retry_failed
    states = session.store.states([call.key for call in calls])
    todo = {call.key: call for call in calls if is_to_be_asked(states.get(call.key), again)}
    provider = model.provider
    failed = sum(state != ANSWERED for key, state in states.items() if key not in todo)
    for results in chunks(checked_results(model.answer(todo.values()), todo, model), COMMIT if is_ours(model) else 1):
        answers = [stored_answer(r, provider, todo[r.key].member, 0) for r in results if isinstance(r, Answer)]
        failures = [stored_failure(r, provider, todo[r.key].member) for r in results if isinstance(r, CallFailed)]
        session.store.add(answers, failures)
        failed += len(failures)
    return failed


def is_ours(model: Model) -> bool:
    """Whether a model is of scrollwork: others may take long, or cost something, so each answer is kept as it comes."""
    return type(model).__module__.partition(".")[0] == NAME


def checked_results(results: Iterable[object], asked: Mapping[str, Call], model: Model) -> Iterator[Any]:
    """What a model gave, each a result of a call that was asked. Raises TypeError."""
    for one in results:
        if not isinstance(one, Answer | CallFailed | Attempt) or one.key not in asked:
            said = f"a {type(one).__name__}" + (f" of {one.key!r}" if hasattr(one, "key") else "")
            raise TypeError(f"model {model.name}: answer() gave {said}, not an Answer or a CallFailed of a call")
        yield one


def room_of(node: Node) -> int:
    """New tokens beyond those of an answer that the model's table allows."""
    return int(node.params["settings"].get("reasoning_tokens", 0))


def answers_digest(asked: Sequence[AskedCall], session: Session, room: int = 0) -> str:
    """Digest the sorted (request key, what `state` says). room: as of `scored_characters`."""
    states: dict[str, str] = {}
    for some in chunks(asked, COMMIT):
        answers, failures = held_by(session, some)
        states |= {one.key: state(one, answers, failures, room) for one in some}
    return sha256_of(sorted(states.items()))


def held_by(session: Session, asked: Sequence[AskedCall]) -> tuple[dict[str, StoredAnswer], dict[str, StoredFailure]]:
    """Read the answers, and the failures of requests without an answer, from the store, by request key.

    What an older version stored as an answer, and is none today, is a failure.
    """
    keys = [one.key for one in asked]
    stored = session.store.answers(keys)
    answers = {key: answer for key, answer in stored.items() if not is_no_answer(answer)}
    lost = session.store.failures([key for key in keys if key not in stored])
    return answers, lost | {key: failure_of(answer) for key, answer in stored.items() if key not in answers}


def state(one: AskedCall, answers: Mapping[str, StoredAnswer], failures: Mapping[str, StoredFailure], room: int) -> str:
    """Return the value of a request in the answers digest: of its answer, the kind of its failure, or "missing"."""
    if one.key in answers:
        answer = answers[one.key]
        return answer_state(answer.text, scored_characters(answer, one.max_new_tokens, room))
    return failures[one.key].kind if one.key in failures else MISSING


def write_rows(node: Node, asking: Asking, session: Session, writer: ArtifactWriter) -> str:
    """Write responses and failures, by prompt and then by member, and return their answers digest."""
    responses = writer.table("responses", Response)
    failures = writer.table("failures", Failure)
    answered = failed = transient = length_cut = 0
    room = room_of(node)
    labels = {name: node.label(name) for name in ("suite", "task", "split", "arm")}
    states: dict[str, str] = {}
    for some in chunks(asking.asked, COMMIT):
        found, lost = held_by(session, some)
        for one in some:
            states[one.key] = state(one, found, lost, room)
            own: dict[str, Any] = {
                "example_id": one.example_id,
                "draw": one.draw,
                "model": one.member,
                "request_key": one.key,
                **labels,
            }
            if (answer := found.get(one.key)) is not None:
                within = scored_characters(answer, one.max_new_tokens, room)
                responses.add(response_row(answer, own, within))
                answered += 1
                length_cut += answer.finish_reason == "length" or within is not None
            elif (failure := lost.get(one.key)) is not None:
                failures.add(failure_row(failure, own))
                failed += 1
                transient += failure.kind == "transient"
    writer.facts = {
        "members": list(asking.model.members),
        "expected": len(asking.asked),
        "answered": answered,
        "failed": failed,
        "transient": transient,
        "missing": len(asking.asked) - answered - failed,
        "length_cut": length_cut,
        "missing_keys": sorted(key for key, found in states.items() if found == MISSING),
    }
    return sha256_of(sorted(states.items()))
