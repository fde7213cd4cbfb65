"""Parameters of a stage. In its module they are a frozen dataclass, in a plan and an artifact's key a plain mapping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def non_default(parameters: DataclassInstance) -> Mapping[str, Any]:
    """Return the parameters that differ from their defaults or have none, by name.

    Defaults are left out so that a new parameter changes no key until it is set.
    """
    found = {}
    for field in fields(parameters):
        value = getattr(parameters, field.name)
        default = field.default if field.default_factory is MISSING else field.default_factory()
        if default is MISSING or value != default:
            found[field.name] = value
    return found
