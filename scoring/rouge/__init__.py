"""ROUGE of many texts at once: an engine of our own, equal to rouge-score 0.1.2 (docs/rouge.md)."""
