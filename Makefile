# The whole project from a fresh machine: `make demo`, `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
LOWEST := .lowest
PARALLEL := -n auto --maxprocesses 4 --dist loadfile

export HF_HUB_OFFLINE := 1
export TOKENIZERS_PARALLELISM := false
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test test-lowest lint bench format clean

demo: $(INSTALLED)
	$(BIN)/chunkfilter demo

test: $(INSTALLED)
	$(BIN)/python -m pytest $(PARALLEL)

# the adapters' tests against the lowest frameworks of the declared ranges, laid over the same environment
test-lowest: $(LOWEST)/.installed
	PYTHONPATH=$(CURDIR)/$(LOWEST) $(BIN)/python -m pytest $(PARALLEL) -m "not slow" tests/langchain tests/llamaindex \
	  -W "ignore:The 'validate_default' attribute"  # llama-index-core 0.14.0 itself, under today's pydantic

# seconds in all; FUZZ_SEED=N begins with another seed
FUZZ_SECONDS ?= 600

fuzz: $(INSTALLED)
	FUZZ_SECONDS=$(FUZZ_SECONDS) $(BIN)/python -m pytest tests/fuzz -o timeout=0

lint: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/lint-imports

bench: $(INSTALLED)
	for script in benchmarks/*_speed.py; do $(BIN)/python $$script || exit 1; done

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) $(LOWEST) dist build

# pip is upgraded first: dependency groups need 25.1
$(INSTALLED): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[all]" --group dev
	touch $@

$(LOWEST)/.installed: lowest.txt $(INSTALLED)
	rm -rf $(LOWEST)
	$(BIN)/python -m pip install --quiet --no-deps --target $(LOWEST) --requirement lowest.txt
	touch $@
