"""A night out of a finished run, and what the gate says of it (docs/nights.md)."""
