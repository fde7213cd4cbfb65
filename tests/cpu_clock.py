"""What a call costs, whatever other tests have left in the process."""

import gc
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def cpu_seconds(call: Callable[[], T]) -> tuple[float, T]:
    """CPU seconds of this thread in the call, and what it gives.

    What other tests left is neither searched by a collection of garbage that falls into the call, which takes seconds
    after ten thousand tests, nor counted if threads of theirs still run. It stays frozen, as what was collected does
    (tests/conftest.py): there is no way to release the one without the other.
    """
    gc.collect()
    gc.freeze()
    began = time.thread_time()
    given = call()
    return time.thread_time() - began, given
