"""SummScreenFD: episodes of invented series; the recap tells the two stories of the transcript."""

from pathlib import Path
from typing import Any

from scrollwork.sample._kit import Person, Row, Voice, capital, rows, write_lines

SCENES = (
    "teaser",
    "lie",
    "comedy_one",
    "chat",
    "trouble",
    "chat",
    "comedy_two",
    "doubt",
    "chat",
    "found",
    "chat",
    "truth",
    "chat",
    "tag",
)
RECAP = (
    "{Lead} wants to {wish}, because {because}. To get there {lead:they} tells {told_to} {lie}. Soon "
    "{trouble}. "
    "{Friend} urges {lead} to tell the truth.",
    "Meanwhile {rival} has {odd} and wants to {plan}, but {mishap}. In the end {end}.",
    "When {found} turns up everybody learns that {truth}. {Lead} admits it in front of all of them, and {outcome}.",
)
# Show, season, episode and plot of each episode.
TEST = ((0, 1, 3, 0), (0, 1, 4, 1), (1, 2, 11, 5), (1, 2, 12, 3), (2, 4, 7, 6))
DEV = ((2, 4, 8, 4), (0, 1, 5, 2))
TRAIN = ((1, 2, 13, 4), (2, 4, 9, 0))
AWKWARD = (
    "[A sign in the window: “Café fermé — 休業中” 🎭. The é is a combining one: cafe\u0301.]",
    "Nobody: We close\u2028at “naïve” o’clock.",
)


def summ_screen_fd(out: Path) -> None:
    """Five test, two dev and two train episodes, as JSON lines in files that are named .json."""
    root = out / "summ_screen_fd" / "SummScreen" / "ForeverDreaming"
    for split, plan in (("test", TEST), ("dev", DEV), ("train", TRAIN)):
        write_lines(root / f"fd_{split}.json", [_episode(*where) for where in plan])


def _episode(show: int, season: int, number: int, plot: int) -> dict[str, Any]:
    cast = rows("episodes", "shows")[show]
    story, comedy = rows("episodes", "plots")[plot], rows("episodes", "comedies")[plot]
    voice = Voice(f"summ_screen_fd/{show}/{number}", ("episodes",))
    facts = _facts(voice, cast, {**story, **comedy})
    transcript = [line for scene in SCENES for line in _scene(voice.say(scene, facts), facts)]
    if (show, number) == (1, 11):
        transcript[8:8] = AWKWARD
    name = cast["show"].replace(" ", "_")
    return {
        "filename": f"fd_{name}_{season:02}x{number:02}.json",
        "Show Title": cast["show"],
        "Episode Number": f"{season:02}x{number:02}",
        "Episode Title": story["episode"],
        "Transcript": transcript,
        "Recap": [capital(voice.fill(line, facts)) for line in RECAP],
        "Transcript Author": "Nobody in Particular",
    }


def _facts(voice: Voice, cast: Row, story: Row) -> dict[str, Any]:
    facts: dict[str, Any] = dict(cast)
    facts |= {"lead": Person(cast["lead"], "she"), "friend": Person(cast["friend"], "he")}
    return facts | {key: voice.fill(text, facts) for key, text in story.items()}


def _scene(text: str, facts: dict[str, Any]) -> list[str]:
    """A line of the table, "[direction] // part: words // ...", as lines of a transcript."""
    lines = []
    for beat in (piece.strip() for piece in text.split(" // ")):
        part, _, words = beat.partition(": ")
        speaker = facts[part] if part in ("lead", "friend", "boss", "rival", "elder") else None
        lines.append(beat if speaker is None else f"{getattr(speaker, 'name', speaker)}: {words}")
    return lines
