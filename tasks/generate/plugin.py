"""Stage generate of models of other packages: asked in the process of the run, so that their limits are one."""

from __future__ import annotations

from scrollwork.tasks.generate.run import run as run

ONE_PROCESS = True  # what such a model calls, and how many at once it may, only its package knows
