"""The nightly gate: does tonight's run of a model score lower than the night that was accepted (docs/gate.md)."""
