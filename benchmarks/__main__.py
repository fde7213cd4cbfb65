"""Every benchmark, one after the other."""

from benchmarks import build, idle, rouge

for module in (idle, rouge, build):
    for line in module.main():
        print(line, flush=True)
