"""release.py [FOLDER]: the parts of docs/release.md that a program can check, on a sdist and a wheel that it builds.

Both go into FOLDER (default: dist/). Their contents are checked, the wheel is installed into two clean environments
(the core alone; with the extras frames and datasets), `scrollwork demo` runs in an empty folder, and the sizes of the
environments are printed beside their goals, in MiB as `du -m` has them. Exit status 1 where a check fails. Needs a
network, or what uv has kept.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "scrollwork"
DEMO_S = 60  # the goal for `scrollwork demo`, once its bytecode is there
SIZES_MIB = {"": 550, "frames,datasets": 750}  # the goals for an installed environment, by extras
NEVER = {"tests", "benchmarks", ".ci", ".git", "__pycache__"}  # folders that no wheel holds
OF_THE_WHEEL = (
    *("__init__.py", "py.typed", "cli/main.py", "config/models.toml", "deploy/automations.yaml"),
    *("prefect.toml", "prefect.yaml"),
)
OF_THE_SDIST = ("pyproject.toml", "README.md", "LICENSE", "PKG-INFO", "scrollwork/py.typed", "cli/main.py")


def version() -> str:
    """The version that pyproject.toml names."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def wrong_changelog(text: str) -> list[str]:
    """What is wrong with the text of CHANGELOG.md, a line each: its first section is the coming release."""
    heads = [line[3:].strip() for line in text.splitlines() if line.startswith("## ")]
    if heads and (heads[0] == "Unreleased" or heads[0].split()[0] == version()):
        return []
    return [f"CHANGELOG.md: its first section is neither Unreleased nor {version()}; pyproject.toml has that version"]


def wrong_wheel(path: Path) -> list[str]:
    """What is wrong with the contents of a wheel, a line each."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        info = f"{PACKAGE}-{version()}.dist-info"
        metadata = archive.read(f"{info}/METADATA").decode() if f"{info}/METADATA" in names else ""
    lines = []
    if tops := {PurePosixPath(name).parts[0] for name in names} - {PACKAGE, info}:
        lines.append(f"{path.name}: holds {', '.join(sorted(tops))} beside {PACKAGE}/ and {info}/")
    lines += [f"{path.name}: holds {name}" for name in names if NEVER & set(PurePosixPath(name).parts[:-1])]
    lines += [f"{path.name}: lacks {PACKAGE}/{name}" for name in OF_THE_WHEEL if f"{PACKAGE}/{name}" not in names]
    lines += [
        f"{path.name}: lacks {info}/{name}" for name in ("METADATA", "entry_points.txt", "licenses/LICENSE")
        if f"{info}/{name}" not in names
    ]  # fmt: skip
    if metadata and f"\nVersion: {version()}\n" not in metadata:
        lines.append(f"{path.name}: METADATA has another version than pyproject.toml ({version()})")
    return lines


def wrong_sdist(path: Path) -> list[str]:
    """What is wrong with the contents of a sdist, a line each. Its members are named, never extracted."""
    top = f"{PACKAGE}-{version()}"
    with tarfile.open(path) as archive:
        members = archive.getmembers()
    names = {member.name for member in members}
    lines = [f"{path.name}: {name} is outside {top}/" for name in sorted(names) if name.split("/")[0] != top]
    lines += [f"{path.name}: {one.name} is a link" for one in members if not (one.isfile() or one.isdir())]
    return lines + [f"{path.name}: lacks {name}" for name in OF_THE_SDIST if f"{top}/{name}" not in names]


def environment(folder: Path, *what: str) -> None:
    """Make a clean environment with what `pip install WHAT...` would put there."""
    subprocess.run([ROOT / ".ci" / "environment", folder, sys.executable, *what], cwd=ROOT, check=True)


def build(place: Path, out: Path) -> tuple[Path, Path]:
    """Build (sdist, wheel) into a folder, from which earlier ones of this version go. place: for the builder."""
    for old in [*out.glob(f"{PACKAGE}-{version()}*.whl"), *out.glob(f"{PACKAGE}-{version()}.tar.gz")]:
        old.unlink()
    environment(place / "builder", "hatchling")
    python = place / "builder" / "bin" / "python"
    command = [str(python), "-m", "hatchling", "build", "-d", str(out), "-t", "sdist", "-t", "wheel"]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    (sdist,), (wheel,) = out.glob(f"{PACKAGE}-{version()}.tar.gz"), out.glob(f"{PACKAGE}-{version()}-*.whl")
    return sdist, wheel


def size_mib(folder: Path) -> float:
    """What a folder takes on disk, in MiB, as `du -m` counts: whole blocks. Without bytecode: uv writes none."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*")) / 2**20


def demo_s(place: Path, name: str) -> float:
    """Run `scrollwork demo` of an environment in an empty folder; seconds. Raises CalledProcessError."""
    empty = place / f"empty-{name}"
    empty.mkdir()
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("SCROLLWORK_", "PREFECT_", "PYTHON"))
    }
    started = time.monotonic()
    command = [str(place / "core" / "bin" / PACKAGE), "demo", "--quiet"]
    subprocess.run(command, cwd=empty, env=kept, check=True, capture_output=True, text=True, timeout=600)
    return time.monotonic() - started


def wrong_installed(place: Path, wheel: Path) -> list[str]:
    """Install the wheel into clean environments and try it; print what is measured, return what is wrong."""
    lines = []
    for extras, goal in SIZES_MIB.items():
        folder = place / (extras.replace(",", "-") or "core")
        environment(folder, "-c", "requirements.lock", f"{wheel}[{extras}]" if extras else str(wheel))
        label, size = f"environment of {PACKAGE}{f'[{extras}]' if extras else ''}", size_mib(folder)
        print(f"{label}: {size:.0f} MiB (goal: {goal})", flush=True)
        if size > goal:
            lines.append(f"{label} takes {size:.0f} MiB, more than {goal}")
        if not extras:
            cold, warm = demo_s(place, "cold"), demo_s(place, "warm")
            print(f"scrollwork demo: {cold:.1f} s at first, {warm:.1f} s once compiled (goal: {DEMO_S})", flush=True)
            print(f"{label}, with the bytecode of the demo: {size_mib(folder):.0f} MiB", flush=True)
            if not (place / "empty-warm" / ".scrollwork" / "reports" / "zeroscrolls.html").is_file():
                lines.append("scrollwork demo left no .scrollwork/reports/zeroscrolls.html")
            if warm > DEMO_S:
                lines.append(f"scrollwork demo takes {warm:.1f} s, more than {DEMO_S}")
        compile_all(folder)
        print(f"{label}, with the bytecode of everything, as pip writes it: {size_mib(folder):.0f} MiB", flush=True)
    return lines


def compile_all(folder: Path) -> None:
    """Write the bytecode of an environment. What does not compile, as some files for other Pythons, is passed over."""
    command = [str(folder / "bin" / "python"), "-m", "compileall", "-q", "-j", "0", str(folder / "lib")]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def print_wrong(lines: Iterable[str]) -> int:
    """Print what is wrong; the exit status."""
    found = list(lines)
    print("\n".join(found) or "everything that a program can check of a release is in order")
    return int(bool(found))


def main() -> int:
    """Build, check, install, try; 1 where something is wrong."""
    out = Path(sys.argv[1] if sys.argv[1:] else ROOT / "dist").resolve()
    with tempfile.TemporaryDirectory(prefix="scrollwork-release-") as made:
        try:
            return print_wrong(checked(Path(made), out))
        except subprocess.CalledProcessError as error:
            command = " ".join(map(str, error.cmd))
            return print_wrong([f"{command} ended with status {error.returncode}", (error.stderr or "")[-3000:]])


def checked(place: Path, out: Path) -> list[str]:
    """Build into a folder, check and try it; what is wrong, a line each. Raises CalledProcessError."""
    sdist, wheel = build(place, out)
    for file in (sdist, wheel):
        print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB", flush=True)
    lines = wrong_changelog((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    return [*lines, *wrong_sdist(sdist), *wrong_wheel(wheel), *wrong_installed(place, wheel)]


if __name__ == "__main__":
    sys.exit(main())
