"""Dolce (Yang et al. 2024): which problems need retrieval and which holistic understanding, from answers on spans.

lambda, complexity: units of one ground-truth span (COW) or aspects (PIG). k, redundancy: how many such spans, or units
of each aspect, the context holds. C: units of the context; l: of an observed span.
"""
