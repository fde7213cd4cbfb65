"""A driver for tests: the `scrollwork` command on what looks like another machine.

    python machine.py HOST LEASE_S ARGUMENTS...

Whether a process of another machine is dead cannot be seen, so its claims end with their lease alone.
"""

from __future__ import annotations

import platform
import sys

from scrollwork.cli.main import main
from scrollwork.tasks.generate import asker, batch_claims, while_asking

HOST, LEASE_S, *ARGUMENTS = sys.argv[1:]
platform.node = lambda: HOST
asker.LEASE_S = batch_claims.LEASE_S = while_asking.LEASE_S = float(LEASE_S)
sys.exit(main(ARGUMENTS))
