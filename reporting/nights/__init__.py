"""The page over nights: scores, cost, versions and verdicts in the order of the nights (docs/nights.md#the-page)."""
