"""Keeping a home: what may go (gc), what Prefect may forget (retention), whether all is whole (scrub). No stage."""
