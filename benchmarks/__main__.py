"""Every benchmark, one after the other."""

from benchmarks import baselines, build, idle, rouge, strip

for module in (idle, rouge, strip, baselines, build):
    for line in module.main():
        print(line, flush=True)
