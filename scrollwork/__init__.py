"""All of scrollwork under one import name: `scrollwork.tasks.aggregate.run` is `tasks/aggregate/run.py`.

In a checkout each room lies beside this folder and is linked here; a wheel has the rooms themselves in it.
"""

from pathlib import Path

if not (Path(__file__).parent / "tasks" / "__init__.py").is_file():
    raise ImportError(
        f"{Path(__file__).parent}: its links to the rooms of the checkout are lost (a copy without symbolic links, or "
        "of this folder alone): clone the repository anew, or install it"
    )
