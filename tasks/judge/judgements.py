"""Make judgements: a row for each model and input that describes the answer, or says that there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any

from scrollwork.analysis.comparison.summary import Inputs, Labels, input_name
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.records.example import Example
from scrollwork.records.gold import written_references
from scrollwork.records.judgement import Judgement
from scrollwork.records.response import ENDED, how_ended, scored_text
from scrollwork.scoring.answers import scored_part
from scrollwork.scoring.reading.judgement import answerable, judge_answer, words
from scrollwork.tasks.aggregate.members import FORM, SCORE, WHOSE, input_of
from scrollwork.tasks.score.run import Parameters
from scrollwork.tasks.tokens import counts

PLACES = ("answer_in", "evidence_in")


def judgements(node: Node, inputs: InputArtifacts, wanted: Inputs, labels: Labels) -> Iterator[Judgement]:
    """Yield judgements, sorted by member and then by input. wanted: the inputs that can be scored."""
    names = {name: name for name in wanted.clusters}
    answers, scores = answers_of(node, inputs, names), scores_of(inputs, names)
    about = list(facts_of(inputs, wanted, labels))
    for member in sorted({name for shard in inputs.each("answers") for name in shard.facts["members"]}):
        for name, known in about:
            answer, score = answers.pop((member, name), None), scores.pop((member, name), None)  # hold nothing twice
            told: Mapping[str, Any] = NOT_ANSWERED
            if answer is not None and score is not None:
                components, readable = score
                said = dict(zip(SAID, answer, strict=True))
                told = {"answered": True, "components": components, "readable": readable, **said}
            yield Judgement(model=member, **known, **told)


SAID = ("words", "in_format", "refusal", "length_cut")  # fields that describe an answer
NOT_ANSWERED: Mapping[str, Any] = {"answered": False, "components": {}, "readable": None, **dict.fromkeys(SAID)}
Key = tuple[str, str]  # member and input


def facts_of(inputs: InputArtifacts, wanted: Inputs, labels: Labels) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each input that can be scored, by name: its name, and the fields of a judgement that need no answer."""
    lengths = {name: count for words in inputs.each("words") for name, count in counts(words).items()}
    examples = {input_name(one.example_id, one.draw): one for one in sampled_examples(inputs)}
    columns = ["example_id", "draw", "truncated", *PLACES]
    prompts = {input_of(row): row for shard in inputs.each("prompts") for row in shard.columns("prompts", columns)}
    for name, cluster in sorted(wanted.clusters.items()):
        prompt = prompts[name]
        example = examples[name]
        yield (
            name,
            {
                **{field: getattr(labels, field) for field in ("suite", "task", "split", "arm", "metric")},
                "example_id": example.example_id,
                "draw": prompt["draw"],
                "cluster": cluster,
                "document_words": sum(lengths[one] for one in dict.fromkeys(example.document_ids)),
                "truncated": prompt["truncated"],
                **{place: prompt[place] for place in PLACES},
                "reference_words": fmean(map(words, texts))
                if (texts := written_references(example, labels.metric))
                else None,
                "answerable": answerable(example.references),
            },
        )


def sampled_examples(inputs: InputArtifacts) -> Iterator[Example]:
    """Yield the examples of all runs."""
    return (row for sample in inputs.each("sample") for row in sample.rows("examples", Example))


def answers_of(node: Node, inputs: InputArtifacts, names: Mapping[str, str]) -> dict[Key, tuple[Any, ...]]:
    """Describe the answers to inputs in `names` by the values of SAID; texts are read one at a time.

    names: themselves, so that equal ones are held once.
    """
    parameters = Parameters(**node.params)
    options = {input_name(one.example_id, one.draw): one.options for one in sampled_examples(inputs)}
    found = {}
    for shard in inputs.each("answers"):
        for example_id, draw, model, reply, finish, limit in shard.tuples("responses", [*WHOSE, "text", *ENDED]):
            if (name := names.get(input_name(example_id, draw))) is None:  # a window of a context
                continue
            whole = scored_text(reply, limit)
            text = scored_part(whole, parameters.tag, parameters.cue, parameters.empty)
            said = judge_answer(parameters.metric, text, whole, options[name])
            said["length_cut"] = how_ended(finish, limit) == "length"
            found[model, name] = tuple(said[field] for field in SAID)
    return found


def scores_of(inputs: InputArtifacts, names: Mapping[str, str]) -> dict[Key, tuple[dict[str, float], bool | None]]:
    """Read the components of scores, and whether the answer was readable, if that is known. names: as above."""
    return {
        (model, name): (dict(components), dict(flags).get(FORM))
        for shard in inputs.each("scores")
        for example_id, draw, model, components, flags in shard.tuples("scores", SCORE)
        if (name := names.get(input_name(example_id, draw))) is not None
    }
