"""Every benchmark, one after the other."""

from benchmarks import build, idle, rouge, spread, strip

for module in (idle, rouge, strip, spread, build):
    for line in module.main():
        print(line, flush=True)
