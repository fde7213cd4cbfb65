"""Write the snapshot of the stored answers to a stage's prompts; its key includes the answers digest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.models.base import Answer, Attempt, Call, CallFailed, Model
from scrollwork.models.baselines.fitted_rules import fitted_rule
from scrollwork.models.registry import make, module_of_table
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
COMMIT = 500  # answers of our own models in one transaction


@dataclass(frozen=True)
class Asking:
    """A model and the prompts that it was asked, answered or not."""

    model: Model
    asked: Sequence[AskedCall]


class AnswersMoved(RuntimeError):
    """An answer came into the store while the snapshot was written."""


def model_of(name: str, settings: Mapping[str, Any]) -> Model:
    """Make a model. The digest of its provider's code is in its request keys if answers depend on our code."""
    revision = sha256_of(sources([module_of_table(settings)]))
    return make(name, settings, revision)


def note_snapshot(node: Node, ingredients: Ingredients, asking: Asking, session: Session) -> Artifact:
    """Write a snapshot of the stored answers, record it as the one for the node's key, and return it."""
    while True:
        try:
            standing = write_snapshot(node, ingredients, asking, session)
            break
        except AnswersMoved:  # another process has stored answers to the same requests: read them again
            continue
    session.point(node.stage, node.slot, ingredients.key(), pointer_to(standing))
    return standing


def with_fitted(settings: Mapping[str, Any], task: str, inputs: InputArtifacts) -> dict[str, Any]:
    """Return a model's settings with the task's fitted rule in place of the rule that was to be fitted."""
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
    """Return the snapshot of the answers stored now; write it unless it exists. Raises AnswersMoved."""
    room = extra_tokens(node)
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
    """Ask for missing answers, and with --retry-failed for terminal failures again.

    Return how many of the calls have failed.
    """
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
    """Return whether a model is scrollwork's own. Others may be slow or cost money: each answer is stored at once."""
    return type(model).__module__.partition(".")[0] == NAME


def checked_results(results: Iterable[object], asked: Mapping[str, Call], model: Model) -> Iterator[Any]:
    """Yield a model's results. Raises TypeError for one that is not a result of a call that was made."""
    for one in results:
        if not isinstance(one, Answer | CallFailed | Attempt) or one.key not in asked:
            said = f"a {type(one).__name__}" + (f" of {one.key!r}" if hasattr(one, "key") else "")
            raise TypeError(f"model {model.name}: answer() gave {said}, not an Answer or a CallFailed of a call")
        yield one


def extra_tokens(node: Node) -> int:
    """Return how many new tokens the model's table allows beyond those of an answer."""
    return int(node.params["settings"].get("reasoning_tokens", 0))


def answers_digest(asked: Sequence[AskedCall], session: Session, room: int = 0) -> str:
    """Return the digest of the sorted (request key, `state`) pairs. room: see `scored_characters`."""
    states: dict[str, str] = {}
    for some in chunks(asked, COMMIT):
        answers, failures = stored_results(session, some)
        states |= {one.key: state(one, answers, failures, room) for one in some}
    return sha256_of(sorted(states.items()))


def stored_results(
    session: Session, asked: Sequence[AskedCall]
) -> tuple[dict[str, StoredAnswer], dict[str, StoredFailure]]:
    """Read the answers, and the failures of requests without an answer, from the store, by request key.

    Empty texts that an older version stored as answers are failures (`is_no_answer`).
    """
    keys = [one.key for one in asked]
    stored = session.store.answers(keys)
    answers = {key: answer for key, answer in stored.items() if not is_no_answer(answer)}
    lost = session.store.failures([key for key in keys if key not in stored])
    return answers, lost | {key: failure_of(answer) for key, answer in stored.items() if key not in answers}


def state(one: AskedCall, answers: Mapping[str, StoredAnswer], failures: Mapping[str, StoredFailure], room: int) -> str:
    """Return a request's value in the answers digest: the answer's state, the kind of the failure, or "missing"."""
    if one.key in answers:
        answer = answers[one.key]
        return answer_state(answer.text, scored_characters(answer, one.max_new_tokens, room))
    return failures[one.key].kind if one.key in failures else MISSING


def write_rows(node: Node, asking: Asking, session: Session, writer: ArtifactWriter) -> str:
    """Write tables `responses` and `failures`, by prompt and then by member, and return their answers digest."""
    responses = writer.table("responses", Response)
    failures = writer.table("failures", Failure)
    answered = failed = transient = length_cut = 0
    room = extra_tokens(node)
    labels = {name: node.label(name) for name in ("suite", "task", "split", "arm")}
    states: dict[str, str] = {}
    for some in chunks(asking.asked, COMMIT):
        found, lost = stored_results(session, some)
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
