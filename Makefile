# The two commands of the README are `make run` and `make test`; both set up what they need on a machine with Python 3.11+.
PYTHON ?= $(shell .ci/python)
VENV := .venv
BIN := $(VENV)/bin
EXTRAS := dev
STAMP := $(VENV)/.installed
LOCAL_STAMP := $(VENV)/.installed-local

# The suites start hundreds of processes: without bytecode each of them compiles the house and its libraries anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test test-all check bench mutants soak env validators prefect clean lock licences floors options sbom dist

run: $(STAMP)  ## the whole chain on the bundled sample: leaderboard and page
	@$(BIN)/scrollwork run zeroscrolls --sample --model naive
	@echo "Again: nothing is to be done, every stage is reused."
	@$(BIN)/scrollwork run zeroscrolls --sample --model naive --quiet > /dev/null
	@echo "SEAM: three runs that draw their prompts anew."
	@$(BIN)/scrollwork run seam --sample --runs 3 --model naive --model lead --model same-head
	@echo "Dolce: problems whose evidence is planted, seen through windows."
	@$(BIN)/scrollwork run dolce --sample --model planted:noise=0.2 --strategy take:5

# On up to four cores, whole files at a time, those that take long first, in one process more than there are cores: tests wait
# for servers, processes, clocks. The slow suites have one more still, for the files that do little else (tests/conftest.py).
PROCESSES := $(shell n=$$(nproc 2>/dev/null || echo 2); [ $$n -lt 4 ] && echo $$((n + 1)) || echo 4)
WHOLE_FILES := --dist loadfile --no-loadscope-reorder

test: $(STAMP)  ## the fast tests, on up to four cores
	$(BIN)/python -m pytest -m "not slow and not soak" --hypothesis-profile everyday -n $(PROCESSES) $(WHOLE_FILES)

# In two parts, each with its summary line: first what runs beside others, then what must be alone. Either may fail it.
test-all: $(LOCAL_STAMP)  ## with the slow suites: Prefect server and worker, kills, full disks, checkpoints in process
	failed=0; \
	$(BIN)/python -m pytest -m "not alone and not soak" -n $$(($(PROCESSES) + 1)) $(WHOLE_FILES) || failed=1; \
	$(BIN)/python -m pytest -m "alone and not soak" $$(grep -rl --include=*.py "mark\.alone" tests) || failed=1; \
	exit $$failed

check: $(STAMP)  ## style, types, the import direction of the house, undeclared dependencies
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy | tee /dev/stderr | grep -qE "no issues found in ([4-9][0-9]{2}|[1-9][0-9]{3}) source files"  # links lost: it finds none, and is content
	$(BIN)/lint-imports --no-logo
	$(BIN)/deptry .
	$(BIN)/python .ci/licences.py check
	$(BIN)/python .ci/floors.py check
	$(BIN)/python .ci/options.py check
	$(BIN)/python .ci/schemas.py check

bench: $(STAMP)  ## measured speed and memory, as ratios in one run
	$(BIN)/python -m benchmarks

mutants: $(STAMP)  ## small faults put into the code one by one, which the fast tests must find; an hour, by hand
	$(BIN)/python .ci/mutants.py

soak: $(LOCAL_STAMP)  ## kills, damage, full disks and runs at once, ten times over, and what test-all leaves to others; by hand
	$(BIN)/python -m pytest -m soak || exit 1
	for round in 1 2 3 4 5 6 7 8 9 10; do echo "round $$round of 10"; $(BIN)/python -m pytest tests/survival || exit 1; done
	SCROLLWORK_KILLS=100 $(BIN)/python -m pytest tests/survival/test_calls_survive.py -k kill
	SCROLLWORK_KILLS=20 $(BIN)/python -m pytest tests/survival/test_ways_killed.py tests/survival/test_fresh_killed.py
	SCROLLWORK_KILLS=50 $(BIN)/python -m pytest tests/remote/test_two_machines.py
	SCROLLWORK_KILLS=20 $(BIN)/python -m pytest tests/remote/test_s3_server_killed.py
	SCROLLWORK_SCALE_MB=20000 SCROLLWORK_SCALE_ANSWERS=1000000 SCROLLWORK_SCALE_CALLS=10000000 $(BIN)/python -m benchmarks scale
	SCROLLWORK_EVERY_PAIR=1 $(BIN)/python -m pytest tests/scoring/test_rouge_real_pairs.py

env: $(STAMP)

$(STAMP): pyproject.toml requirements.lock
	@test -n "$(PYTHON)" || { echo "scrollwork needs Python 3.11, 3.12 or 3.13; name one: make run PYTHON=/path/to/python"; exit 1; }
	@echo "Setting up $(VENV) with $(PYTHON) (once)"
	@.ci/environment $(VENV) $(PYTHON) -c requirements.lock -e ".[$(EXTRAS)]"
	@touch $@

# What runs checkpoints in process, for the slow suites only: about 1 GB.
$(LOCAL_STAMP): $(STAMP)
	@echo "Adding torch and transformers to $(VENV) (once)"
	@.ci/environment $(VENV) $(PYTHON) -c requirements.lock torch==2.13.0 -e ".[$(EXTRAS),local]"
	@touch $@

licences: $(LOCAL_STAMP)  ## renew docs/licences.md from what is installed
	$(BIN)/python .ci/licences.py write

sbom: $(STAMP)  ## what scrollwork needs, with versions and licences, as CycloneDX 1.6 in dist/
	$(BIN)/python .ci/sbom.py

dist: $(STAMP)  ## sdist and wheel in dist/, their contents checked, the wheel tried in clean environments (docs/release.md)
	$(BIN)/python .ci/release.py

options: $(STAMP)  ## write docs/options.md anew from the declarations
	$(BIN)/python .ci/options.py write

floors: $(STAMP)  ## draw docs/floors.svg anew from the imports
	$(BIN)/python .ci/floors.py write

PREFECT := .venv-prefect
prefect: $(STAMP)  ## the server's tests on the newest Prefect that resolves, where that is not the locked one
	@.ci/newest_prefect $(PREFECT) $(PYTHON)

lock:  ## renew requirements.lock: pinned versions of all extras, without URLs (needs uv)
	uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --no-emit-index-url --no-annotate --no-header -o requirements.lock

# The tools that read our exports, for the slow tests of them. Their libraries are not ours (Every Eval Ever wants rich 14 and
# Python 3.12), so they have an environment of their own; with an older Python that one tool is left out.
VALIDATORS := .venv-validators
NEWER ?= $(firstword $(foreach p,python3.12 python3.13 $(shell pyenv prefix 3.12 2>/dev/null)/bin/python,$(shell $(p) -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && echo $(p))) $(PYTHON))
validators: $(VALIDATORS)/.installed  ## inspect_ai, lm_eval, every_eval_ever, and an S3 server (about 1 GB)
$(VALIDATORS)/.installed: tests/validators.txt
	rm -rf $(VALIDATORS)
	.ci/environment $(VALIDATORS) $(NEWER) -r tests/validators.txt
	@touch $@

clean:
	rm -rf $(VENV) $(VALIDATORS) $(PREFECT) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
