"""Local models in the chain: `scrollwork run` from raw files to scores, killed and gone on with."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CHECKPOINTS, Scrollwork, files_of

pytestmark = pytest.mark.slow
KILLED = str(Path(__file__).parents[1] / "survival" / "killed.py")
TASKS = ("--task", "space_digest", "--task", "qasper", "--limit", "24")


@pytest.fixture
def offline(scrollwork: Scrollwork) -> Scrollwork:
    """The command without a hub."""
    return scrollwork.with_(env=dict(CHECKPOINTS))


def answers(home: Path) -> dict[str, Any]:
    with sqlite3.connect(home / "responses.db") as store:
        return dict(store.execute("SELECT request_key, created FROM responses WHERE provider = 'transformers'"))


def table(path: Path, folder: Path, **more: Any) -> Path:
    """A file of models with a short window, so that the run is quick."""
    values = {"provider": "transformers", "id": str(folder), "context": 1500, "threads": 1, "max_new_tokens": 8, **more}
    path.write_text("[tiny]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items()))
    return path


def test_local_model_on_the_spot_fails_beside_a_baseline(offline: Scrollwork, tiny_t5: Path, tmp_path: Path) -> None:
    spot = f"transformers:{tiny_t5}"
    arguments = ("--task", "quality", "--task", "space_digest", "--limit", "6", "--context", "1200", "--tokenizer")
    whole = (*arguments, f"hf:{tiny_t5}", "--model", spot)
    done = offline.run(*whole, "--json")
    models = {row["model"] for row in done.document["tasks"]}
    (name,) = models - {"naive:seed=0"}
    assert name.startswith("transformers:tiny-t5~")
    assert str(tiny_t5) not in json.dumps(done.document)
    assert done.document["spent"]["amount"] == 0
    assert done.document["spent"]["calls"] == 12
    assert done.document["spent"]["input_tokens"] > 12 * 500

    again = offline.run(*whole)
    assert "nothing was to be done" in again.err
    moved = Path(shutil.move(str(shutil.copytree(tiny_t5, tmp_path / "copy" / "tiny-t5")), tmp_path / "tiny-t5"))
    elsewhere = offline.run(*arguments, f"hf:{moved}", "--model", f"transformers:{moved}")
    assert "nothing was to be done" in elsewhere.err, "known by its files, not by where they lie"
    assert not list(offline.home.rglob("*.log"))


def test_killed_run_asks_a_local_model_again(offline: Scrollwork, tiny_llama: Path, tmp_path: Path) -> None:
    own = table(tmp_path / "models.toml", tiny_llama, batch_size=4)
    arguments = (*TASKS, "--models", str(own), "--quiet")
    calm = offline.with_(home=tmp_path / "calm")
    assert "cut further" not in calm.run(*arguments, model="tiny").err, "receipts say what was cut"

    offline.with_(prefix=(KILLED, "generate", "answer", "SIGKILL"), warm=True).run(
        *arguments, model="tiny", status=-signal.SIGKILL
    )
    kept = answers(offline.home)
    assert len(kept) == 1, "committed as they come, not at the end"
    offline.run(*arguments, model="tiny")
    after = answers(offline.home)
    assert {key: after[key] for key in kept} == kept, "what is stored is not asked again"
    assert set(after) == set(answers(calm.home))
    assert files_of(offline.home) == files_of(calm.home)

    script = "import sys; from scrollwork.cli.main import main; main(sys.argv[1:]); print('torch' in sys.modules)"
    planned = offline.with_(prefix=("-c", script))("plan", "zeroscrolls", "--sample", "--model", "tiny", *arguments)
    assert planned.out.splitlines()[-1] == "False", "a plan knows the chat template's length"


def test_other_device_settings_ask_again_or_other_weights_do_not(
    offline: Scrollwork, tiny_llama: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(tiny_llama, tmp_path / "lab"))
    own = tmp_path / "models.toml"
    arguments = ("--task", "space_digest", "--limit", "4", "--models", str(own), "--quiet")
    table(own, folder)
    offline.run(*arguments, model="tiny")
    first = set(answers(offline.home))
    table(own, folder, batch_size=1, device="cpu")
    assert "nothing was to be done" in offline.run(*arguments, model="tiny").err
    table(own, folder, dtype="bfloat16")
    offline.run(*arguments, model="tiny")
    second = set(answers(offline.home)) - first
    assert len(second) == len(first)
    settings = json.loads((folder / "generation_config.json").read_text())
    (folder / "generation_config.json").write_text(json.dumps({**settings, "repetition_penalty": 1.5}))
    table(own, folder)
    offline.run(*arguments, model="tiny")
    assert len(set(answers(offline.home))) == 3 * len(first)


def test_checkpoint_is_not_asked_anew(offline: Scrollwork, tiny_t5: Path, tmp_path: Path) -> None:
    file = table(tmp_path / "own.toml", tiny_t5, fresh="run")
    arguments = ("--task", "space_digest", "--models", str(file))
    offline.run(*arguments, "--fresh", "never", model="tiny")
    first = answers(offline.home)
    offline.run(*arguments, "--fresh", "never", model="tiny")
    assert answers(offline.home) == first
    offline.run(*arguments, model="tiny")
    both = answers(offline.home)
    assert len(both) == 2 * len(first)
    assert first.items() <= both.items()
