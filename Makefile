# One virtual environment, made from the registries by package name; every target brings what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BENCH := $(VENV)/.installed-bench
SDK := $(VENV)/.installed-sdk
SOURCES := $(shell find rust python/ullage -name '*.rs' -o -name '*.toml') Cargo.toml Cargo.lock pyproject.toml

.PHONY: help demo test lint bench claims wheel build clean
.DEFAULT_GOAL := help

help: ## show the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(STAMP): $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --group test --group lint
	$(BIN)/python -m pip install --quiet --editable '.[cli]'
	@touch $@

$(SDK): $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --group sdk
	@touch $@

build: $(STAMP) ## build the package into .venv

demo: $(STAMP) ## estimate the corpora in this repository and print the tables
	$(BIN)/ullage count corpora --by script
	$(BIN)/ullage count corpora --by folder

test: $(STAMP) $(SDK) ## run the tests, Rust and Python
	cargo test --workspace --exclude ullage-py --quiet
	$(BIN)/python -m pytest

lint: $(STAMP) ## formatting, clippy, ruff, mypy, stubtest
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	cargo clippy -p ullage-py --features portable-text --quiet -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest ullage._core
	$(BIN)/python scripts/gen_script_tables.py --check
	$(BIN)/python scripts/gen_profile_tables.py --check
	$(BIN)/python corpora/build_manifest.py --check

$(BENCH): $(STAMP)
	$(BIN)/python -m pip install --quiet --group bench
	@touch $@

wheel: $(STAMP) ## build a wheel into out/wheel
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir out/wheel .

bench: $(BENCH) wheel ## measure everything, record it in benches/results and renew the tables in the README
	$(BIN)/python -m benches.record
	$(BIN)/python -m benches.report

claims: $(BENCH) wheel ## measure what is promised about cost, and print whether it holds
	$(BIN)/python -m benches.claims

clean: ## remove what was built
	rm -rf $(VENV) target out python/ullage/*.so
