"""Functions of the library that run something or compare: one module each. docs/library.md shows them at work."""
