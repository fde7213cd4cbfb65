"""How answers are read out of replies: parameters of the stage that scores them."""

from __future__ import annotations

from typing import Any

from scrollwork.preprocessing.prompts.chat import answer_tag, asks_for_tag
from scrollwork.preprocessing.prompts.template import Template
from scrollwork.suites.judging_models import what_judges
from scrollwork.suites.parts import Part


def reply_parameters(part: Part) -> dict[str, Any]:
    """Return these parameters for a task. tag: in which the answer stands. cue: a prompt's last words, which a reply
    may repeat. empty: what counts as no answer. judges: models that score answers. extractor, unknown: of a suite that
    observes windows."""
    task = part.task
    texts = part.request.config.template(task, part.profile.prompts)
    template = Template(**texts)
    tagged = part.profile.variant == "claude" and asks_for_tag(template)
    return {
        **({"tag": answer_tag(template)} if tagged else {}),
        **({"empty": task.empty_answer} if task.empty_answer else {}),
        **({"judges": what_judges(part.request.judges)} if task.judges else {}),
        **part.design.reply_parameters(task, texts),
    }
