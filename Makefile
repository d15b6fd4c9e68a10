# make demo: install into .venv and run the demo on data that ship with the package.
# make test: add the test tools to that environment and run the whole suite. The report page is
#   tested with node and Chromium if they are installed.
# make environments: install the environments of integrations, oldest and docs.
# make integrations: tests that need heavy libraries, in three environments: engines (Dask,
#   Spark, Ray), frameworks (torch, Lightning, MLflow, skore, XGBoost, notebooks) and harnesses
#   (inspect, lm-eval).
# make oldest: the suite with the oldest supported version of every dependency and extra;
#   make oldest-quick: the tests that depend on them most.
# make wheel: sdist, pure wheel and wheel of this platform into dist/, built twice to the same bytes
#   and tested without a compiler; make wheel OPTIONS=--suite runs every test with it, and
#   OPTIONS="--suite --python python3.13 --python python3.14" does so with other Pythons.
# make cluster: workers and executors killed at random moments, many times.
# make bench: time every job next to its peers, in its own environment, and write
#   docs/performance.md. make bench OPTIONS=--quick takes few minutes.
# make docs: build the site into site/, in an environment of its own, warnings as errors, and check
#   its links and that its search finds every public name.
# make playground: the site with a playground that computes: Python and numpy for the browser come
#   from npm. make playground-test: the playground alone, in Chromium, against the package.
# make frontend: check, build and test the page's script; needs node.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCH := .venv-bench
ENGINES := .venv-integrations
FRAMEWORKS := .venv-frameworks
HARNESSES := .venv-harnesses
OLDEST := .venv-oldest
SITE := .venv-docs
WHEEL := .venv-wheel

# The shell's active environment must not leak into ours.
unexport PYTHONDONTWRITEBYTECODE VIRTUAL_ENV PYTHONPATH PYTHONHOME PIP_TARGET PIP_PREFIX PIP_USER PIP_REQUIRE_VIRTUALENV

# What is imported is compiled then; most of what is installed never is.
export PIP_NO_COMPILE := 1

# One line says what to install where Python is missing, too old, or cannot make environments.
define new_environment
@$(PYTHON) -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2> /dev/null \
  || { echo "'$(PYTHON)' must be Python 3.11 or newer with venv: install them (Debian, Ubuntu: apt install python3 python3-venv), or name another Python: make PYTHON=python3.12" >&2; exit 1; }
$(PYTHON) -m venv --clear $(1)
endef

.PHONY: wheel demo test environments integrations engines frameworks harnesses oldest oldest-quick cluster bench docs playground playground-test frontend page exports lint types format planted mutants thorough changelog clean

demo: $(VENV)/.installed
	@$(BIN)/stakes demo

test: $(VENV)/.developing
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal

integrations: engines frameworks harnesses

# What the targets below and above install, without running anything.
environments: $(SITE)/.installed $(ENGINES)/.installed $(FRAMEWORKS)/.installed $(HARNESSES)/.installed $(OLDEST)/.installed

# Spark needs Java 17 or newer, which .ci/run installs.
engines: $(ENGINES)/.installed
	@OPENBLAS_NUM_THREADS=1 $(ENGINES)/bin/python -m pytest --no-skips -n 2 --dist loadfile $(ENGINE_TESTS)

ENGINE_TESTS := tests/test_dask.py tests/test_spark.py tests/test_ray.py \
  "tests/test_guides.py::test_commands_print_what_the_guide_shows[cluster]"

frameworks: $(FRAMEWORKS)/.installed
	@OPENBLAS_NUM_THREADS=1 $(FRAMEWORKS)/bin/python -m pytest --no-skips -n 2 --dist loadfile $(FRAMEWORK_TESTS)
	@OPENBLAS_NUM_THREADS=1 $(FRAMEWORKS)/bin/python -m pytest --no-skips -n 2 tests/test_classifiers.py -k "xgboost or lightgbm"

FRAMEWORK_TESTS := tests/test_journeys.py tests/test_notebooks.py tests/test_sklearn_frameworks.py \
  $(wildcard tests/test_torch*.py) tests/test_mlflow.py tests/test_hub_card.py tests/test_loggers.py \
  tests/test_judge_ppi.py \
  "tests/test_exports.py::test_every_name_of_a_package_is_there_whichever_module_came_first[torch]" \
  "tests/test_guides.py::test_commands_print_what_the_guide_shows[torch]" \
  "tests/test_guides.py::test_commands_print_what_the_guide_shows[trackers]"

# torch comes first: once it is installed, no other library requires a build with CUDA.
$(FRAMEWORKS)/.installed: Makefile constraints-frameworks.txt pyproject.toml hatch_build.py $(wildcard src/stakes/_kernels/*.[ch])
	$(call new_environment,$(FRAMEWORKS))
	@echo "installing frameworks into $(FRAMEWORKS) ..."
	@$(FRAMEWORKS)/bin/python -m pip install --quiet --constraint constraints-frameworks.txt --upgrade pip
	@$(FRAMEWORKS)/bin/python -m pip install --quiet --constraint constraints-frameworks.txt torch
	@$(FRAMEWORKS)/bin/python -m pip install --quiet --constraint constraints-frameworks.txt --editable .[cli,mlflow,plot,sklearn,torch] --group frameworks
	@touch $@

# Harnesses for language models: their requirements conflict with the pins of the frameworks.
harnesses: $(HARNESSES)/.installed
	@OPENBLAS_NUM_THREADS=1 $(HARNESSES)/bin/python -m pytest --no-skips -n 2 --dist loadfile $(HARNESS_TESTS)

HARNESS_TESTS := tests/test_answer_logs.py tests/test_harness_inspect.py tests/test_harness_lm_eval.py \
  "tests/test_exports.py::test_every_name_of_a_package_is_there_whichever_module_came_first[inspect_ai]" \
  "tests/test_guides.py::test_commands_print_what_the_guide_shows[harnesses]"

$(HARNESSES)/.installed: Makefile constraints-harnesses.txt pyproject.toml hatch_build.py $(wildcard src/stakes/_kernels/*.[ch])
	$(call new_environment,$(HARNESSES))
	@echo "installing harnesses into $(HARNESSES) ..."
	@$(HARNESSES)/bin/python -m pip install --quiet --constraint constraints-harnesses.txt --upgrade pip
	@$(HARNESSES)/bin/python -m pip install --quiet --constraint constraints-harnesses.txt --editable .[cli,inspect,lm-eval] --group harnesses
	@touch $@

oldest: $(OLDEST)/.installed
	@OPENBLAS_NUM_THREADS=1 $(OLDEST)/bin/python -m pytest -n auto --dist worksteal \
	  --ignore tests/test_dask.py --ignore tests/test_spark.py
	@OPENBLAS_NUM_THREADS=1 $(OLDEST)/bin/python -m pytest -n 2 --dist loadfile $(ENGINE_TESTS)

oldest-quick: $(OLDEST)/.installed
	@OPENBLAS_NUM_THREADS=1 $(OLDEST)/bin/python -m pytest -n auto --dist worksteal \
	  $(wildcard tests/test_sklearn*.py) tests/test_cli.py tests/test_displays.py tests/test_summary_arrow.py

$(OLDEST)/.installed: Makefile constraints.txt pyproject.toml tests/oldest_versions.py hatch_build.py $(wildcard src/stakes/_kernels/*.[ch])
	$(call new_environment,$(OLDEST))
	@echo "installing the oldest promised versions into $(OLDEST) ..."
	@$(PYTHON) tests/oldest_versions.py > $(OLDEST)/constraints.txt
	@$(OLDEST)/bin/python -m pip install --quiet --constraint $(OLDEST)/constraints.txt --upgrade pip
	@$(OLDEST)/bin/python -m pip install --quiet --constraint $(OLDEST)/constraints.txt --editable .[cli,dask,mlflow,plot,sklearn,spark] --group test
	@touch $@

wheel: $(WHEEL)/.installed
	@$(WHEEL)/bin/python release/build_wheels.py $(OPTIONS)

$(WHEEL)/.installed: Makefile constraints.txt pyproject.toml
	$(call new_environment,$(WHEEL))
	@$(WHEEL)/bin/python -m pip install --quiet --constraint constraints.txt --upgrade pip
	@$(WHEEL)/bin/python -m pip install --quiet --constraint constraints.txt --group wheel
	@touch $@

cluster: $(ENGINES)/.installed
	PYTHONPATH=tests $(ENGINES)/bin/python -m benchmarks.cluster_kills $(OPTIONS)

$(ENGINES)/.installed: Makefile constraints.txt pyproject.toml hatch_build.py $(wildcard src/stakes/_kernels/*.[ch])
	$(call new_environment,$(ENGINES))
	@echo "installing heavy libraries into $(ENGINES) ..."
	@$(ENGINES)/bin/python -m pip install --quiet --constraint constraints.txt --upgrade pip
	@$(ENGINES)/bin/python -m pip install --quiet --constraint constraints.txt --editable .[cli,dask,spark] --group integrations
	@touch $@

bench: $(BENCH)/.installed
	@$(BENCH)/bin/python -m pip install --quiet --no-deps .
	$(BENCH)/bin/python -m benchmarks.run $(OPTIONS)
	$(BENCH)/bin/python -m benchmarks.report

# A peer that cannot be installed is left out here, and listed with the reason in the results.
$(BENCH)/.installed: benchmarks/requirements.txt
	$(call new_environment,$(BENCH))
	@echo "installing the peers into $(BENCH) ..."
	@$(BENCH)/bin/python -m pip install --quiet --no-deps --requirement benchmarks/requirements.txt \
	  || grep -v '^#' benchmarks/requirements.txt | while read -r peer; do \
	    $(BENCH)/bin/python -m pip install --quiet --no-deps "$$peer" || echo "left out: $$peer"; \
	  done
	@touch $@

docs: $(SITE)/.installed
	@$(SITE)/bin/python docs/site/stage.py build/pages
	@rm -rf site
	@$(SITE)/bin/zensical build --clean --strict > build/site.log 2>&1 || { cat build/site.log; exit 1; }
	@! grep "^griffe:" build/site.log # its warnings do not stop the build
	@$(SITE)/bin/python docs/site/finish.py site
	@$(SITE)/bin/python docs/site/playground.py site/playground
	@$(SITE)/bin/python docs/site/check_links.py site
	@$(SITE)/bin/python docs/site/check_search.py site

playground: docs
	@$(SITE)/bin/python docs/site/playground.py site/playground --runtime

playground-test: $(SITE)/.installed $(VENV)/.developing frontend/node_modules/.installed
	@$(SITE)/bin/python docs/site/playground.py build/playground/site --runtime
	@STAKES_PLAYGROUND=build/playground/site OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --no-skips \
	  -n 0 tests/test_playground_browser.py

$(SITE)/.installed: docs/site/constraints.txt
	$(call new_environment,$(SITE))
	@echo "installing what builds the site into $(SITE) ..."
	@$(SITE)/bin/python -m pip install --quiet --constraint docs/site/constraints.txt hatchling mkdocstrings-python ruff zensical
	@touch $@

# Check types, run tests, and check that the committed script matches the sources.
frontend: frontend/node_modules/.installed
	cd frontend && npm run --silent check
	cd frontend && npm test --silent
	cd frontend && node build.mjs --check

# Build the page's script and style into the package.
page: frontend/node_modules/.installed
	cd frontend && npm run --silent build

frontend/node_modules/.installed: frontend/package-lock.json
	cd frontend && npm ci --silent
	@touch $@

# Write the stubs of the packages from the `__all__` of their modules, and tables of the docs.
exports: $(VENV)/.developing
	@$(BIN)/python tests/exports.py
	@PYTHONPATH=tests $(BIN)/python tests/registry_tables.py
	@PYTHONPATH=tests $(BIN)/python tests/reference_pages.py
	@PYTHONPATH=tests $(BIN)/python tests/code_pages.py

lint: $(VENV)/.developing
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(MAKE) --no-print-directory types
	$(BIN)/codespell src tests docs examples frontend/src frontend/test frontend/README.md benchmarks changelog.d README.md CONTRIBUTING.md CHANGELOG.md

# Types as users see them: every public name has one, and pyright checks user code,
# with node from the machine, or a downloaded one.
types: $(VENV)/.developing
	@$(BIN)/python tests/typed_surface.py

format: $(VENV)/.developing
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# Plant known defects one by one and check that the laws detect each.
planted: $(VENV)/.developing
	$(BIN)/python tests/planted_defects.py

# Change one place of the source at a time and count how often the tests detect it.
mutants: $(VENV)/.developing
	$(BIN)/python tests/mutants.py --map
	$(BIN)/python tests/mutants.py $(OPTIONS)

thorough: $(VENV)/.developing
	$(BIN)/python -m pytest -n auto --hypothesis-profile=thorough tests/test_common.py tests/test_paper.py

changelog: $(VENV)/.developing
	$(BIN)/towncrier build --yes

$(VENV)/.created: Makefile constraints.txt
	$(call new_environment,$(VENV))
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --upgrade pip
	@touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml hatch_build.py $(wildcard src/stakes/_kernels/*.[ch])
	@echo "installing stakes into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .[cli]
	@touch $@

$(VENV)/.developing: $(VENV)/.installed
	@echo "installing the development tools ..."
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --group dev
	@touch $@

clean:
	rm -rf $(VENV) $(BENCH) $(ENGINES) $(FRAMEWORKS) $(HARNESSES) $(OLDEST) $(SITE) $(WHEEL) dist build site .cache reproduction frontend/build frontend/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
