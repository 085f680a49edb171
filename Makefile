# Everything here needs python3 (3.11 or newer, with its venv module) and make, nothing else.
# Each target installs what it needs into .venv, once: a stamp per extra, renewed when the lists change.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
JOBS   ?= 2
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
LISTS  := pyproject.toml constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test lint format oracle parity bench fuzz atheris clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.weft ## compile attention for an MI300 and an H100, then run it here and check it
	@$(BIN)/python examples/demo.py

test: $(VENV)/.test ## run the tests (pass ARGS='tests/ir -x' to narrow)
	@$(BIN)/python -m pytest -q -n $(JOBS) $(ARGS)

lint: $(VENV)/.lint $(VENV)/.test ## check format, style and types
	@failed=0; \
	$(BIN)/ruff format --check --output-format concise . || failed=1; \
	$(BIN)/ruff check --output-format concise . || failed=1; \
	$(BIN)/basedpyright || failed=1; \
	exit $$failed

format: $(VENV)/.lint ## rewrite the sources in the house's format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

oracle: $(VENV)/.test $(VENV)/.oracle ## run the differential tests against Triton's wheel (no GPU needed)
	@$(BIN)/python -m pytest -q -n $(JOBS) -m oracle $(ARGS)

parity: $(VENV)/.test $(VENV)/.oracle ## print how much of weft's IR is identical to Triton's, and what differs
	@$(BIN)/python -m tests.oracle.parity $(ARGS)

bench: $(VENV)/.bench ## time the compiler and the interpreter beside Triton's own
	@$(BIN)/python -m benchmarks.compile
	@$(BIN)/python -m benchmarks.interpreter
	@$(BIN)/python -m benchmarks.ir
	@$(BIN)/python -m benchmarks.layouts
	@$(BIN)/python -m benchmarks.passes

fuzz: $(VENV)/.test ## hold 100,000 spoiled texts against the parser and the verifier
	@WEFT_FUZZ_EXAMPLES=100000 $(BIN)/python -m pytest -q tests/ir/test_fuzz.py $(ARGS)

atheris: $(VENV)/.test $(VENV)/.fuzz ## the same along the parser's branches (ARGS='-runs=…')
	@$(BIN)/python -m tests.fuzz.parse -runs=100000 $(ARGS)

clean: ## remove what the targets above made
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .fuzz

$(BIN)/python:
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.weft: $(BIN)/python $(LISTS)
	@echo "installing weft into $(VENV), once …"
	@$(PIP) -e .
	@touch $@

# One rule for the extras: .venv/.test installs the extra "test", and so on.
$(VENV)/.%: $(VENV)/.weft $(LISTS)
	@echo "installing what 'make $*' needs into $(VENV), once …"
	@$(PIP) -e '.[$*]'
	@touch $@
