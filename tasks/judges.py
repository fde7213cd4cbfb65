"""The metric that entailment models make (scoring/fic.py), from names of models: tables of config/models.toml or of a
person's own file, or transformers:FOLDER."""

from __future__ import annotations

from models.checkpoint import CheckpointError
from models.entailment import COVERAGE, FAITHFULNESS, SequenceToSequence
from models.registry import LOCAL, UnknownModel, settings
from scoring.fic import Fic
from storage.home import Home
from tasks.checkpoints import adopted
from tasks.errors import UsageError
from tasks.suites import load_models


def fic_of(entails: str, covers: str, models_file: str, home: Home) -> Fic:
    """entails, covers: who judges faithfulness and coverage. Raises UsageError for a model that is unknown, runs
    elsewhere or is no encoder-decoder."""
    known = load_models(models_file)
    made: dict[str, SequenceToSequence] = {}
    for option, name, wording in (("--entails", entails, FAITHFULNESS), ("--covers", covers, COVERAGE)):
        if not name:
            raise UsageError("metric fic asks two models: give --entails MODEL and --covers MODEL")
        try:
            table = settings(name, known)
            if table["provider"] not in LOCAL:
                raise UsageError(f"model {name!r} is no checkpoint that runs in this process")
            made[option] = SequenceToSequence(name, adopted(name, table, home), wording)
        except (UnknownModel, CheckpointError, UsageError) as error:
            raise UsageError(f"{option}: {error}") from error
    return Fic(made["--entails"], made["--covers"])
