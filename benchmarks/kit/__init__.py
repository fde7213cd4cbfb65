"""What benchmarks share: measuring, and generated corpora."""
