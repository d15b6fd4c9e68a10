# make demo: install into .venv and show the main job on data that ship with the package.
# make test: the same environment with the test tools, then the whole suite.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Whatever environment the shell has active must not leak into ours.
unexport VIRTUAL_ENV PYTHONPATH PYTHONHOME PIP_TARGET PIP_PREFIX PIP_USER PIP_REQUIRE_VIRTUALENV

.PHONY: demo test lint format planted thorough changelog clean

demo: $(VENV)/.installed
	@$(BIN)/stakes demo

test: $(VENV)/.developing
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto

lint: $(VENV)/.developing
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell src tests docs examples changelog.d README.md CONTRIBUTING.md CHANGELOG.md

format: $(VENV)/.developing
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# Plant known defects one by one and see the laws catch each.
planted: $(VENV)/.developing
	$(BIN)/python tests/planted_defects.py

thorough: $(VENV)/.developing
	$(BIN)/python -m pytest -n auto --hypothesis-profile=thorough tests/test_common.py tests/test_paper.py

changelog: $(VENV)/.developing
	$(BIN)/towncrier build --yes

$(VENV)/.created: Makefile constraints.txt
	$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --upgrade pip
	@touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml
	@echo "installing stakes into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.developing: $(VENV)/.installed
	@echo "installing the development tools ..."
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --group dev
	@touch $@

clean:
	rm -rf $(VENV) dist build reproduction .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
