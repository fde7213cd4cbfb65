"""Samples of data sets whose inputs are sets of documents."""
