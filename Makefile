# Everything needs python3 (3.11 or newer, with its venv module) and make, nothing else.
# Each target installs what it needs into .venv once; a stamp per extra notes that it is there.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
JOBS   ?= 2
LOCK   := requirements.lock
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(LOCK)
LISTS  := pyproject.toml $(LOCK)

# The tests of `make check`: layouts, IR and passes, without code generation.
FAST   := tests/layouts/encodings tests/layouts/plans tests/ir tests/passes tests/targets tests/language

.DEFAULT_GOAL := help
.PHONY: help demo check test lint format hooks oracle parity bench optimum errors fuzz atheris reference browser lock clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.weft ## compile attention for an MI300 and an H100, run it on this CPU and check the result
	@$(BIN)/python examples/demo.py

check: $(VENV)/.lint $(VENV)/.test ## check format, style and types, and run the fast tests (under a minute)
	@$(MAKE) --no-print-directory -j2 .style .fast-tests

test: $(VENV)/.test ## run the tests (narrow with ARGS='tests/ir -x'; add the slow ones with SLOW=1)
	@$(BIN)/python -m pytest -q -n $(JOBS) $(if $(SLOW),-m "not oracle and not device") $(ARGS)

lint: $(VENV)/.lint $(VENV)/.test ## check format, style and types
	@$(MAKE) --no-print-directory .style

.PHONY: .style .fast-tests
.style:
	@failed=0; \
	$(BIN)/ruff format --check --output-format concise . || failed=1; \
	$(BIN)/ruff check --output-format concise . || failed=1; \
	$(BIN)/basedpyright || failed=1; \
	exit $$failed

.fast-tests:
	@$(BIN)/python -m pytest -q $(FAST)

format: $(VENV)/.lint ## format the sources and apply ruff's fixes
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

hooks: $(VENV)/.lint ## install the pre-commit hooks (needs the pre-commit program)
	@pre-commit install --hook-type pre-commit --hook-type commit-msg

oracle: $(VENV)/.test $(VENV)/.oracle ## run the differential tests against Triton's wheel (no GPU needed)
	@$(BIN)/python -m pytest -q -n $(JOBS) -m oracle $(ARGS)

parity: $(VENV)/.test $(VENV)/.oracle ## count how much of weft's IR is identical to Triton's, and list the differences
	@$(BIN)/python -m tests.oracle.parity $(ARGS)

bench: $(VENV)/.bench ## time the compiler and the interpreter beside Triton's
	@$(BIN)/python -m benchmarks.compile
	@$(BIN)/python -m benchmarks.interpreter
	@$(BIN)/python -m benchmarks.ir
	@$(BIN)/python -m benchmarks.layouts
	@$(BIN)/python -m benchmarks.passes

optimum: $(VENV)/.test ## tell how far the heuristics' layouts are from the optimum (ARGS='--only softmax')
	@$(BIN)/python -m benchmarks.optimum_table $(ARGS)

errors: $(VENV)/.test ## count the lines that raise an error and that the tests reach, and list the others
	@$(BIN)/python -m coverage run --source weft --data-file .coverage -m pytest -q $(ARGS) || true
	@$(BIN)/python -m tests.error_coverage .coverage

fuzz: $(VENV)/.test ## try 100,000 mutated IR texts on the parser and the verifier
	@WEFT_FUZZ_EXAMPLES=100000 $(BIN)/python -m pytest -q tests/ir/text/test_fuzz.py $(ARGS)

atheris: $(VENV)/.test $(VENV)/.fuzz ## the same with coverage guidance (ARGS='-runs=…')
	@$(BIN)/python -m tests.fuzz.parse -runs=100000 $(ARGS)

reference: $(VENV)/.weft ## generate the pages of docs/reference from the source
	@$(BIN)/python -m docs.generator

browser: $(VENV)/.test $(VENV)/.browser ## test the page of `weft report` in Chromium, which must be installed
	@$(BIN)/python -m pytest -q tests/report/test_browser.py $(ARGS)

lock: $(VENV)/.lint $(VENV)/.test $(VENV)/.oracle $(VENV)/.bench ## pin the versions that .venv has installed
	@{ grep '^#' $(LOCK); \
	   { $(BIN)/python -m pip freeze --exclude-editable | sed 's/+cpu$$//'; grep -E '^(atheris|axe-playwright-python|greenlet|playwright|pyee)==' $(LOCK); } \
	   | LC_ALL=C sort -f -u; } > $(LOCK).new && mv $(LOCK).new $(LOCK)

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
