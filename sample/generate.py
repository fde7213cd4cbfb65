"""Write the sample corpus: invented raw files for the tasks of every suite, in the layouts of the releases.

    python sample/generate.py [OUT]

OUT is sample/raw if not given. The same bytes come out every time: no clock, no locale, no network.
"""

import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from scrollwork.sample.choices import quality  # noqa: E402
from scrollwork.sample.contracts import contract_nli  # noqa: E402
from scrollwork.sample.episodes import summ_screen_fd  # noqa: E402
from scrollwork.sample.essays import squality  # noqa: E402
from scrollwork.sample.hotels import space_digest  # noqa: E402
from scrollwork.sample.ledgers import ledgers  # noqa: E402
from scrollwork.sample.meetings import qmsum  # noqa: E402
from scrollwork.sample.multi_document.abstracts import sci_co  # noqa: E402
from scrollwork.sample.multi_document.asking import seam  # noqa: E402
from scrollwork.sample.multi_document.clippings import multi_news, open_asp  # noqa: E402
from scrollwork.sample.multi_document.dispatches import ecb_plus  # noqa: E402
from scrollwork.sample.multi_document.facts import musique  # noqa: E402
from scrollwork.sample.multi_document.fusions import fuse_reviews  # noqa: E402
from scrollwork.sample.narratives import narrative_qa  # noqa: E402
from scrollwork.sample.novels import book_sum_sort  # noqa: E402
from scrollwork.sample.papers import qasper  # noqa: E402
from scrollwork.sample.reports import gov_report  # noqa: E402

# Folder that a part writes, and the part.
PARTS: dict[str, Callable[[Path], None]] = {
    "gov_report": gov_report,
    "summ_screen_fd": summ_screen_fd,
    "qmsum": qmsum,
    "squality": squality,
    "qasper": qasper,
    "narrativeqa": narrative_qa,
    "quality": quality,
    "musique": musique,
    "space": space_digest,
    "booksum": book_sum_sort,
    "contract_nli": contract_nli,
    "multi_news": multi_news,
    "openasp": open_asp,
    "fusereviews": fuse_reviews,
    "scico": sci_co,
    "ecb_plus": ecb_plus,
    "seam": seam,
    "leval": ledgers,
}


def generate(out: Path) -> None:
    """Replace the folders of all parts in out."""
    for folder, write in PARTS.items():
        shutil.rmtree(out / folder, ignore_errors=True)
        write(out)


def main(arguments: Sequence[str]) -> None:
    """Write to the folder that was named, or beside this file."""
    generate(Path(arguments[0]) if arguments else HERE / "raw")


if __name__ == "__main__":
    main(sys.argv[1:])
