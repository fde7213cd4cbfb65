"""XML files as elements, safe against hostile files: no document type, so no entities of their own."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from scrollwork.preprocessing.raw.errors import MalformedFile
from scrollwork.preprocessing.raw.files import RawFiles


def root_of(raw: RawFiles, path: tuple[str, Path], tag: str) -> ET.Element:
    """Return the file's root element, which must be a `tag`. Raises MalformedFile."""
    name, text = path[0], raw.text(path)
    if "<!DOCTYPE" in text:
        raise MalformedFile(name, "", "", "declares a document type, which no release does", "broken XML")
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise MalformedFile(name, f"line {error.position[0]}", "", f"is not XML: {error}", "broken XML") from None
    except ValueError as error:
        raise MalformedFile(name, "", "", f"is not XML: {error}", "broken XML") from None
    if root.tag != tag:
        raise MalformedFile(name, "", "", f"is <{root.tag}>, expected <{tag}>", "wrong type")
    return root
