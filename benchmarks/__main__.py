"""Every benchmark, one after the other."""

from benchmarks import build, idle, rouge, strip

for module in (idle, rouge, strip, build):
    for line in module.main():
        print(line, flush=True)
