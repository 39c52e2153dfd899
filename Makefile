# Each target does all its own set-up; it needs Python >= 3.11 and a package index, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Parallel tests; the slow ones are for continuous integration.
PYTEST := $(BIN)/python -m pytest -n auto

.PHONY: demo test test-slow lint types layers build bench clean

demo: $(VENV)/.demo
	$(BIN)/baserate evaluate examples/affairs.csv --target affair --prediction predicted --positive yes --group occupation
	@$(BIN)/baserate evaluate examples/affairs.csv --target affair --prediction predicted --positive yes --group occupation --output affairs.html
	@echo "The same report as a page: affairs.html"

test: $(VENV)/.dev
	$(PYTEST) -m "not slow"

test-slow: $(VENV)/.dev
	$(PYTEST) -m slow

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

clean:
	rm -rf $(VENV) dist affairs.html

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "baserate needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@touch $@

$(VENV)/.demo: $(VENV)/.python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[cli,report]"
	@touch $@

$(VENV)/.dev: $(VENV)/.python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group dev
	@touch $@
