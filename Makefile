# Every target sets itself up: only Python 3.10 or newer and make are needed.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test lint type bench docs agree fuzz guided stack live zipapp clean

demo: $(VENV)/.package
	@$(BIN)/lens-preflight demo

test: $(VENV)/.tests
	$(BIN)/python -m pytest -rs

lint: $(VENV)/.tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

type: $(VENV)/.tools
	$(BIN)/mypy

bench: $(VENV)/.tests
	$(BIN)/python -m tests.bench

docs: $(VENV)/.package
	$(BIN)/python -m tests.docs_pages --write

agree: $(VENV)/.tests
	PREFLIGHT_AGREE=300 $(BIN)/python -m pytest tests/probe -k agree -s

fuzz: $(VENV)/.tests
	$(BIN)/python -m tests.fuzz --executions 1000000

guided: $(VENV)/.tests
	$(BIN)/python -m pip install -qq --editable '.[fuzz]'
	$(BIN)/python -m tests.fuzz.guided

stack: $(VENV)/.tests
	$(BIN)/python -m tests.live.stack build

live: stack
	PREFLIGHT_DEMAND_ALL=1 $(BIN)/python -m pytest -q tests/live

zipapp: $(VENV)/.package
	$(BIN)/python packaging/build_zipapp.py

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "Python 3.10 or newer is needed: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.package: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -qq --editable .
	@touch $@

$(VENV)/.tests: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -qq --editable '.[test]'
	@touch $@ $(VENV)/.package

$(VENV)/.tools: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -qq --editable '.[test,dev]'
	@touch $@ $(VENV)/.tests $(VENV)/.package

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
