"""Speed and memory as ratios against a named peer or floor, measured in one run. `make bench` prints all of them."""
