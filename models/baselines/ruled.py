"""The base class of the baselines that answer by a rule for each task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrollwork.models.base import Ask


class Ruled:
    """A baseline with a rule for each task. rules: by task. revision: digest of its code."""

    provider = ""

    def __init__(self, name: str, rules: Mapping[str, Mapping[str, Any]], revision: str) -> None:
        self.name = name
        self._rules, self._revision = rules, revision

    def rule(self, task: str) -> Mapping[str, Any]:
        """Return the rule of a task. Raises ValueError if there is none."""
        if task not in self._rules:
            raise ValueError(f"model {self.name!r}: its table has no rule for task {task!r} (rules.{task})")
        return self._rules[task]

    def depends_on(self, ask: Ask) -> dict[str, Any]:
        """Return what every answer depends on. It includes the code, so that corrected code answers again."""
        return {
            "provider": self.provider,
            "revision": self._revision,
            "rule": self.rule(ask.task),
            "task": ask.task,
            "example": ask.example_id,
            "documents": ask.documents,
            "prompt": ask.prompt_sha256,
        }
