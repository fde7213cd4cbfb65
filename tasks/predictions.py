"""Stage predictions: read the answers of a system that ran elsewhere. It takes the place of stage generate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.preprocessing.raw.errors import MissingFile
from scrollwork.records.raw_file import RawFile
from scrollwork.records.response import Failure, Response
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter
from scrollwork.storage.digest import sha256_file, sha256_of

if TYPE_CHECKING:
    from scrollwork.scoring.files.prediction import Prediction
    from scrollwork.suites.parts import Part

STAGE = "predictions"


@dataclass(frozen=True)
class Parameters:
    """file: {sha256, task} of the file of predictions; its task is "" if each row of the file names one."""

    file: Mapping[str, Any]


def declare(part: Part, curated: Node, prompts: Node, sample: Node) -> Node:
    """Declare the reading of a file of predictions for these prompts."""
    files = [file for file in (part.table or {})["files"] if part.task.name in file["tasks"]]
    parameters = Parameters({name: files[0][name] for name in ("sha256", "task")})
    inputs = (("curated", (curated,)), ("prompts", (prompts,)), ("sample", (sample,)))
    return Node(STAGE, part.sharded, non_default(parameters), __name__, (), inputs)


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write tables `responses`, `failures` and `raw_files`; the facts list ids without a prompt or a prediction.

    There is a row for each input that the file answers, in the order of the prompts. Raises MissingFile if the home no
    longer has the file.
    """
    answers, sha256 = read_predictions(node, session, writer)
    asked = list(inputs["prompts"].columns("prompts", ["example_id", "draw"]))
    responses = writer.table("responses", Response)
    failures = writer.table("failures", Failure)
    failed = 0
    for row in asked:
        name = row["example_id"]
        own: dict[str, Any] = {
            **{label: node.label(label) for label in ("suite", "task", "split", "model", "arm")},
            "example_id": name,
            "draw": row["draw"],
            "request_key": sha256_of([sha256, node.label("task"), name]),
        }
        if name in answers and answers[name].error:
            message = answers[name].error
            failures.add(Failure(**own, kind="terminal", status=None, message=message, attempts=1))
            failed += 1
        elif name in answers:
            responses.add(
                Response(
                    **own,
                    text=answers[name].text,
                    finish_reason=answers[name].finish,
                    input_tokens=None,
                    cached_tokens=None,
                    output_tokens=None,
                    reported_model=node.label("model"),
                )
            )
    missing = [row["example_id"] for row in asked if row["example_id"] not in answers]
    curated, chosen = ids(inputs["curated"]), ids(inputs["sample"])
    writer.facts = {
        "members": [node.label("model")],
        "expected": len(asked),
        "answered": len(asked) - len(missing) - failed,
        "failed": failed,
        "transient": 0,
        "missing": len(missing),
        "length_cut": sum(
            answers[row["example_id"]].finish == "length" for row in asked if row["example_id"] in answers
        ),
        "missing_ids": missing,
        "unknown_ids": [name for name in answers if name not in curated],
        "left_out": sum(name in curated and name not in chosen for name in answers),
    }
    writer.notes = {"raw": str(session.home.predictions)}


def ids(artifact: Artifact) -> set[str]:
    """Return the ids of an artifact's examples."""
    return {row["example_id"] for row in artifact.columns("examples", ["example_id"])}


def read_predictions(node: Node, session: Session, writer: ArtifactWriter) -> tuple[dict[str, Prediction], str]:
    """Read the predictions of the node's task, by example id, and the sha256 of their file. Raises MissingFile."""
    from scrollwork.scoring.files.submissions import predictions

    file, task = Parameters(**node.params).file, node.label("task")
    sha256 = file["sha256"]
    path = session.home.predictions / sha256
    if not path.is_file() or sha256_file(path) != sha256:
        problem = "is gone or has other bytes: score --predictions takes the file in again"
        raise MissingFile(str(path), "", "", problem, "missing file")
    size = path.stat().st_size
    writer.table("raw_files", RawFile).add(RawFile("predictions", sha256, sha256, size))
    with path.open("rb") as stream:
        found = {row.id: row for row in predictions(stream, file["task"]) if row.task == task}
    return found, sha256
