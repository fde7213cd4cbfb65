"""config/schema/*.json: JSON Schemas for editors, made of the declarations of keys.

`write` makes them anew, `check` fails where they are not what the code says.
"""

from __future__ import annotations

import sys

from scrollwork.suites.suite_keys import FOLDER, schema_files


def main(action: str) -> int:
    """Write or check; the exit status."""
    old = []
    for name, text in schema_files().items():
        path = FOLDER / name
        if action == "write":
            FOLDER.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            old.append(name)
    if old:
        print(f"config/schema: {', '.join(old)}: not what the code declares; run python .ci/schemas.py write")
    return int(bool(old))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
