"""ROUGE of many texts at once: our own engine, equal to rouge-score 0.1.2 (docs/rouge.md)."""
