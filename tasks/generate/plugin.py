"""Stage generate for models of other packages. They are asked in the run's own process, so that limits are shared."""

from __future__ import annotations

from scrollwork.tasks.generate.run import run as run

ONE_PROCESS = True  # only the package knows what its model calls, and how many calls may run at once
