PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup demo test cluster-test cluster-record lint format docs bench build clean

setup: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later is needed"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[live,editor]" --group dev
	@touch $@

demo: setup
	@$(BIN)/claimsmith compile
	@echo
	@echo "What came of profiles/teams/vision.yaml on prod-us:"
	@echo
	@cat output/prod-us/teams/vision/resourceclaimtemplates.yaml

test: setup
	@$(BIN)/python -m pytest -n auto -m "not cluster"

cluster-test: setup
	@K8S="$(K8S)" $(BIN)/python -m tests.cluster.build
	@K8S="$(K8S)" $(BIN)/python -m pytest tests/cluster -m cluster -n auto --dist loadgroup -k "$(K)" --durations 5

cluster-record: setup
	@K8S="$(K8S)" $(BIN)/python -m tests.cluster.build
	@K8S="$(K8S)" CLAIMSMITH_CLUSTER_RECORD=1 $(BIN)/python -m pytest tests/cluster -m recorded -n auto --dist loadgroup
	@$(BIN)/python -m tests.cluster.evidence_page > docs/evidence.md

lint: setup
	@$(BIN)/ruff check generator tests
	@$(BIN)/ruff format --check generator tests
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/claimsmith compile --check

format: setup
	@$(BIN)/ruff check --fix generator tests
	@$(BIN)/ruff format generator tests

docs: setup
	@$(BIN)/claimsmith rule --format markdown > docs/rules.md
	@$(BIN)/python -m tests.cluster.evidence_page > docs/evidence.md

bench: setup
	@$(BIN)/python -m tests.bench

build: setup
	@$(BIN)/python -m build --outdir dist

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
