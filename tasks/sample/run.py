"""Stage sample: choose the benchmark's examples. For runs (SEAM): runs.py; for windows (Dolce): windows.py.

Of a data set that was curated in shares, share.py keeps what can be chosen of each, and together.py chooses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.preprocessing.sampling import HEAD, Candidate, Head, Policy
from scrollwork.records.example import Example, Repetitions
from scrollwork.records.key_table import KeyTable
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter

if TYPE_CHECKING:
    from scrollwork.suites.parts import Part

STAGE = "sample"
SHARE = "scrollwork.tasks.sample.share"  # keeps what can be chosen of a share of the data set
TOGETHER = "scrollwork.tasks.sample.together"  # chooses among what the shares kept


@dataclass(frozen=True, kw_only=True)
class Parameters(Policy):
    """How examples are chosen (`Policy` of preprocessing/sampling.py), and the suite that they are labelled with. All
    but suite, seed and limit come from the task's `sample` in the suite file; see `sample_parameters`."""

    suite: str

    def chosen(self, *curated: Artifact) -> Iterator[Example]:
        """Yield the chosen examples of a curated artifact, or of several one after the other, labelled with the suite.

        They are read twice, so that they are never all in memory. No two may have the same id.
        """
        return self._labelled(curated, None if self.takes_all else self.choice(heads(*curated)))

    def possible(self, curated: Artifact) -> Iterator[Example]:
        """Yield the same of a share of the data set: the examples that can be chosen, whatever other shares have."""
        return self._labelled([curated], None if self.takes_all else self.candidates(heads(curated)))

    def _labelled(self, curated: Sequence[Artifact], taken: Iterable[Candidate] | None) -> Iterator[Example]:
        """Yield examples in their order, all of them if `taken` is None."""
        only = None if taken is None else ("example_id", {one.example_id for one in taken})
        for artifact in curated:
            for example in artifact.rows("examples", Example, only):
                yield replace(example, suite=self.suite)


def heads(*curated: Artifact) -> Iterator[Head]:
    """Yield what a choice depends on of each example."""
    for artifact in curated:
        yield from artifact.tuples("examples", HEAD)


def declare(part: Part, curated: Node) -> Node:
    """Declare the choice of the benchmark's examples."""
    return Node(
        STAGE,
        part.sampled,
        non_default(Parameters(**sample_parameters(part))),
        __name__,
        (),
        (("curated", (curated,)),),
    )


def of_shares(whole: Node) -> Node:
    """Return the same choice, put together from a node for each share of the curated data set.

    The node itself where curation has no shares, or where choosing would be no less work, as a share can leave nothing
    out and parts cannot be taken over.
    """
    parameters, curated = Parameters(**whole.params), whole.input("curated")
    if not curated.each("shares") or not (parameters.takes_all or parameters.takes_foremost):
        return whole
    shares = tuple(
        replace(whole, labels=(*whole.labels, ("shard", one.label("shard"))), body=SHARE, inputs=(("curated", (one,)),))
        for one in curated.each("shares")
    )
    return replace(whole, body=TOGETHER, inputs=(*whole.inputs, ("shares", shares)))


def sample_parameters(part: Part) -> dict[str, Any]:
    """Return the fields of `Parameters`, from suite file, request and split.

    If both splits are cut from the same raw files, validation takes what comes after the test inputs. An imported
    release is the benchmark: it is taken whole, in its order.
    """
    task, request = part.task, part.request
    chosen = dict(task.sample)
    if part.imported:
        chosen = {}
    elif part.split == "validation" and request.config.validation_size:
        size = request.config.validation_size
        skip = {"skip": chosen["size"]} if task.one_source else {}
        strata = {"strata": scale_strata(chosen["strata"], size)} if "strata" in chosen else {}
        chosen = {**chosen, "size": size, **strata, **skip}
    limit = {"limit": request.limit} if request.limit else {}
    return {"suite": request.suite, "seed": part.seed, **chosen, **limit}


def scale_strata(strata: Mapping[str, int], size: int) -> dict[str, int]:
    """Scale the sizes of strata to a smaller total, keeping their shares; each is rounded."""
    whole = sum(strata.values())
    return {name: round(count * size / whole) for name, count in strata.items()}


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write table `examples`: the chosen examples."""
    writer.facts = write_sample(Parameters(**node.params).chosen(inputs["curated"]), writer)


def write_sample(chosen: Iterable[Example], writer: ArtifactWriter) -> dict[str, int]:
    """Write table `examples` and return the number of its examples, documents and references. Raises ValueError."""
    keeper = Keeper(writer)
    for _ in keeper.keep(chosen):
        pass
    return keeper.counts()


class Keeper:
    """A writer of table `examples` that counts what it writes."""

    def __init__(self, writer: ArtifactWriter) -> None:
        self._table = writer.table("examples", Example)
        self._documents = KeyTable()
        self._repetitions = Repetitions("sample")
        self._counts: Counter[str] = Counter()

    def keep(self, chosen: Iterable[Example]) -> Iterator[Example]:
        """Write each example, then yield it. Raises ValueError for one that may not be there twice."""
        for example in chosen:
            self._repetitions.check(example)
            self._table.add(example)
            for document_id in example.document_ids:
                self._documents.add(document_id)
            self._counts["examples"] += 1
            self._counts["references"] += len(example.references)
            yield example

    def counts(self) -> dict[str, int]:
        """Return the number of examples, documents and references written so far."""
        return {
            "examples": self._counts["examples"],
            "documents": len(self._documents),
            "references": self._counts["references"],
        }
