"""Which code made a night, beside scrollwork's version: its commit where it is a checkout, and what is installed."""

from __future__ import annotations

import subprocess
from importlib.metadata import distributions
from pathlib import Path

from scrollwork.pipeline.outside_code import name_and_version
from scrollwork.storage.digest import sha256_of

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 20


def commit_of(root: Path = ROOT) -> str:
    """Return the git commit of the code, with "+" if files were changed since; "" outside a checkout of its own."""
    if not (root / ".git").exists():
        return ""
    commit = _git(root, "rev-parse", "--verify", "HEAD")
    changed = _git(root, "status", "--porcelain", "--untracked-files=no")
    return f"{commit}+" if commit and changed else commit


def libraries_digest() -> str:
    """Return the digest of all installed packages and their versions, as a lock file would name them."""
    found = {(name, version) for name, version in map(name_and_version, distributions()) if name}
    return sha256_of(sorted({f"{name}=={version}".lower() for name, version in found}))


def _git(root: Path, *words: str) -> str:
    """Return what git prints, "" if it fails."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *words], capture_output=True, text=True, timeout=PATIENCE_S, check=True
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
    return done.stdout.strip()
