# Each target does all its own set-up; it needs Python >= 3.11 and a package index, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCH := .bench
# Errors of pip are shown, remarks about the machine are not. Modules are compiled when they are first
# used: most never are, and compiling all takes longer than unpacking them.
PIP = $(BIN)/python -m pip install -qq --no-compile --disable-pip-version-check
# Parallel tests, each worker on one thread and handed whole files, those of the browser to one worker
# and those of Dask and Spark to one; the slow ones are for continuous integration. Compiled modules
# are kept: each worker and each command line would compile them anew.
PYTEST = PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile
# The tests whose numbers NumPy and OpenBLAS compute: words, pages, files and pictures show these
# numbers rounded, and browsers and engines do not choose their instructions by those names.
NUMBERS := $(addprefix tests/,baselines curves groups inference metrics models questions tuning utilities papers) \
	tests/laws/test_metric_facts.py tests/laws/test_extremes.py tests/test_windows.py
# The instructions beyond the baseline that NumPy would choose on this processor.
DISPATCHED := from numpy._core._multiarray_umath import __cpu_dispatch__ as d, __cpu_features__ as f; \
	print(*(x for x in d if f[x]))

# Environments of their own for the tests: the lowest versions, and the newest on the Python asked for.
LOWEST := .lowest
OTHER := .$(notdir $(PYTHON))
# What other versions of Python, NumPy, SciPy, scikit-learn, frames and engines could break: every
# example of every docstring, the front doors, what reads and what fits. Numbers are tested once.
DOORS := src tests/adapters tests/cases tests/cli tests/estimators tests/evaluation tests/test_imports.py tests/test_public_names.py
ELSEWHERE = BASERATE_MAY_LACK=dcurves $(PYTEST) -m "not slow" $(DOORS)

.PHONY: docs demo test test-plain test-lowest test-python test-slow lint types layers build bench bench-quick bench-all papers trust pictures clean

demo: $(VENV)/.demo
	$(BIN)/baserate evaluate examples/affairs.csv --target affair --prediction predicted --positive yes --metrics recall,precision
	@$(BIN)/baserate evaluate examples/affairs.csv --target affair --prediction predicted --positive yes --group occupation --output affairs.html
	@echo "All metrics, pictures and six occupations, as a page: affairs.html"

test: $(VENV)/.dev
	$(PYTEST) -m "not slow"

# The tests of numbers on the plainest processor: last digits differ there, answers may not.
test-plain: $(VENV)/.dev
	NPY_DISABLE_CPU_FEATURES="$$($(BIN)/python -c '$(DISPATCHED)')" OPENBLAS_CORETYPE=Nehalem $(PYTEST) -m "not slow" $(NUMBERS) src

# With the lowest versions that pyproject.toml allows; `make test` installs the newest.
test-lowest: BIN := $(LOWEST)/bin
test-lowest: $(LOWEST)/.tests
	$(ELSEWHERE)

# With the newest versions on another Python: `make test-python PYTHON=python3.13`.
test-python: BIN := $(OTHER)/bin
test-python: $(OTHER)/.tests
	$(ELSEWHERE)

# Test by test: the longest files would keep one worker busy when the others have nothing left.
test-slow: $(VENV)/.dev
	$(PYTEST) --dist worksteal -m slow

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/pyright

layers: $(VENV)/.dev
	$(BIN)/lint-imports

build: $(VENV)/.dev
	rm -rf dist
	$(BIN)/python -m build

# One table of ratios beside the peers, which have an environment of their own.
bench: $(BENCH)/.peers
	PYTHONPATH=. $(BENCH)/bin/python -m benchmarks.table --picture docs/benchmarks.svg

bench-quick: $(BENCH)/.peers
	PYTHONPATH=. $(BENCH)/bin/python -m benchmarks.table --quick --output .bench/quick.json

# Every script that measures, at full size, except the one that needs an earlier commit.
bench-all: $(BENCH)/.peers
	@for script in $(filter-out %/bench_answers.py,$(wildcard benchmarks/bench_*.py)); do echo "== $$script"; PYTHONPATH=. $(BENCH)/bin/python $$script || exit 1; done

# Every published number that can be computed agrees, or docs/errata.md says what there is to it.
papers: $(VENV)/.dev
	$(BIN)/python -m papers --errata docs/errata.md --rare docs/rare_positives.md

# Attacks: hostile inputs, interruptions and load, mutants of a sample of lines. Half an hour and more.
trust: $(VENV)/.dev
	@$(PIP) --group trust || echo "absent: atheris; inputs are changed at random instead"
	$(BIN)/python -m trust.fuzz
	$(BIN)/python -m trust.load
	$(BIN)/python -m trust.mutation

# The pages, for a browser: docs/_build/html/index.html. A warning is an error.
docs: $(VENV)/.docs
	$(BIN)/sphinx-build -W --keep-going -q -j auto -b html docs docs/_build/html

# The pictures of docs/, of real data and of the papers.
pictures: $(VENV)/.dev
	$(BIN)/python docs/draw_pictures.py
	$(BIN)/python -m papers.figures

clean:
	rm -rf $(VENV) $(BENCH) $(LOWEST) .python3* dist affairs.html docs/_build docs/made docs/made_stories docs/stories/examples

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "baserate needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "Making a Python environment in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --upgrade "pip>=25.1"
	@touch $@

$(VENV)/.demo: $(VENV)/.python pyproject.toml
	@echo "Installing baserate and what its command line needs into $(VENV), once ..."
	@$(PIP) --editable ".[cli]"
	@touch $@

$(LOWEST)/.tests: pyproject.toml .ci/lowest.py
	@echo "Installing the lowest versions of what baserate needs into $(LOWEST), once ..."
	@$(PYTHON) -m venv --clear $(LOWEST)
	@$(LOWEST)/bin/python -m pip install -qq --upgrade "pip>=25.1"
	@$(LOWEST)/bin/python .ci/lowest.py > $(LOWEST)/constraints.txt
	@$(LOWEST)/bin/python -m pip install -qq --no-compile --editable ".[all]" --group test-core --constraint $(LOWEST)/constraints.txt
	@touch $@

$(OTHER)/.tests: pyproject.toml
	@echo "Installing baserate and what its tests need into $(OTHER), once ..."
	@$(PYTHON) -m venv --clear $(OTHER)
	@$(OTHER)/bin/python -m pip install -qq --upgrade "pip>=25.1"
	@$(OTHER)/bin/python -m pip install -qq --no-compile --editable ".[all]" --group test-core
	@touch $@

# What confidenceinterval pins contradicts torch; it does not need it. A peer that cannot be had is
# named by the table.
$(BENCH)/.peers: pyproject.toml
	@echo "Installing baserate and its peers into $(BENCH), once ..."
	@$(PYTHON) -m venv $(BENCH)
	@$(BENCH)/bin/python -m pip install -qq --upgrade "pip>=25.1"
	@$(BENCH)/bin/python -m pip install -qq --editable ".[all]" --group bench-scripts
	@for peer in $$($(BENCH)/bin/python -c 'import tomllib; print(*(x.replace(" ", "") for x in tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["bench"]))'); do \
		$(BENCH)/bin/python -m pip install -qq "$$peer" || echo "absent: $$peer"; done
	@$(BENCH)/bin/python -m pip install -qq --no-deps "confidenceinterval>=1" || echo "absent: confidenceinterval"
	@touch $@

$(VENV)/.docs: $(VENV)/.python pyproject.toml
	@echo "Installing baserate and what its pages need into $(VENV), once ..."
	@$(PIP) --editable ".[all]" --group docs
	@touch $@

$(VENV)/.dev: $(VENV)/.python pyproject.toml
	@echo "Installing baserate and what its tests need into $(VENV), once ..."
	@$(PIP) --editable ".[all]" --group dev
	@touch $@
