"""Stage generate for functions of the user's own process: each answer is stored as it comes, and never asked twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scrollwork.models.base import Answer, Call
from scrollwork.pipeline import progress
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.artifacts.manifest import Ingredients
from scrollwork.tasks.generate.run import Parameters

ONE_PROCESS = True  # the function is in this process alone


@dataclass
class Counts:
    """Requests of a stage that are over. failed: of these, without an answer."""

    done: int = 0
    failed: int = 0


def run(node: Node, ingredients: Ingredients, inputs: InputArtifacts, session: Session) -> Artifact:
    """Ask for missing answers, then write the snapshot of all answers to these prompts (tables `responses`,
    `failures`). Raises NoFunction if this process does not have the function and an answer is missing."""
    from scrollwork.tasks.generate.pending import Calls
    from scrollwork.tasks.generate.snapshot import Asking, checked_results, model_of, note_snapshot
    from scrollwork.tasks.generate.stored_answers import stored_answer, stored_failure

    parameters = Parameters(**node.params)
    model = model_of(parameters.model, parameters.settings)
    calls, counts, asked = Calls(node, model, inputs), Counts(), dict[str, Call]()
    first = next(missing := missing_calls(calls.batches(), session, counts, asked), None)
    if first is not None:
        for result in checked_results(model.answer(chained(first, missing)), asked, model):
            member = asked[result.key].member
            if isinstance(result, Answer):
                session.store.add([stored_answer(result, model.provider, member, 0)], [])
            else:
                session.store.add([], [stored_failure(result, model.provider, member)])
                counts.failed += 1
            counts.done += 1
            progress.tell(node.title, counts.done, calls.total)
            progress.asked(node.title, progress.Standing(counts.done, calls.total, counts.failed))
    return note_snapshot(node, ingredients, Asking(model, calls.asked), session)


def missing_calls(
    batches: Iterable[list[Call]], session: Session, counts: Counts, asked: dict[str, Call]
) -> Iterator[Call]:
    """Yield the calls that are to be made, equal prompts once, and note them in `asked`; count the others as done."""
    from scrollwork.tasks.generate.stored_answers import is_to_be_asked

    again = session.locations.calling is not None and session.locations.calling.retry_failed
    for batch in batches:
        states = session.store.states([call.key for call in batch])
        for call in batch:
            if call.key in asked or not is_to_be_asked(states.get(call.key), again):
                counts.done += 1
                continue
            asked[call.key] = call
            yield call


def chained(first: Call, rest: Iterable[Call]) -> Iterator[Call]:
    """Yield a call, then the others."""
    yield first
    yield from rest
