"""Dolce (Yang et al. 2024): which problems need retrieval and which holistic understanding, from answers on spans.

lambda, complexity: units of one ground-truth span (COW: answers are right or wrong), or number of aspects (PIG: answers
get partial points). k, redundancy: how many such spans, or units of each aspect, the context has. C: units of the
context; l: of an observed span.
"""
