"""What the parts cost at sizes that grow, and whether memory does: building, answers, calls, plans (docs/scale.md)."""
