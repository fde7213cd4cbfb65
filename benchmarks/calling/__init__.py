"""The parts of benchmarks.calls: the server, the load, and ways of asking."""
