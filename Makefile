# Two commands do everything on a fresh machine: `make audit` and `make test`.
# Every path is relative, so that the project may live in a folder with a space in its name.

PYTHON ?= python3
BIN := .venv/bin
RUN := $(BIN)/python -m

.PHONY: audit test test-all setup lint benchmarks clean

audit: .venv/ready
	$(RUN) weatherglass vectors info default
	$(RUN) weatherglass vectors neighbours default doctor

test: .venv/ready lint
	$(RUN) pytest -m "not slow and not torch" -n 2 --dist loadfile
	@echo "Left to 'make test-all': the tests marked slow or torch."

test-all: .venv/torch
	$(RUN) pytest -m "slow or torch" -n 2 --dist loadfile

lint: .venv/ready
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(BIN)/lint-imports

setup: .venv/ready

benchmarks: .venv/ready
	$(BIN)/pip install --quiet "weatherglass[train] @ file:."
	$(BIN)/python benchmarks/reading.py

.venv/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Weatherglass needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(RUN) pip install --quiet --disable-pip-version-check --upgrade pip
	$(RUN) pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

# CPU PyTorch: the plain name would bring several gigabytes for graphics cards.
.venv/torch: .venv/ready
	$(RUN) pip install --quiet --disable-pip-version-check torch==2.13.0
	@touch $@

clean:
	rm -rf .venv build dist
