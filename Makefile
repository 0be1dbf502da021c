# `make help` lists the targets. Each installs into .venv only what it needs.
#   PYTHON=python3.12   the interpreter .venv is made with; must be 3.11 or newer
#   PIP_ARGS=...        added to every pip install, for instance an index with CPU-only builds of torch
#   JOBS=2              processes that run the tests; otherwise one for each core
#   MINUTES=60          how long `make fuzz` attacks
#   WHAT=durak_36       the rows of docs/results that `make results` measures; AGAIN=1 also those of today
#   SEED=1              what it begins with; otherwise another each time
#   TURN=COMMIT         lets `make test-plugs` test a third of the libraries, by the commit's number; otherwise all
#   BROWSER=browser     lets `make test-browser` fail where there is no browser; otherwise its tests are skipped

PYTHON ?= $(firstword $(shell for p in python3.11 python3.12 python3.13 python3; do \
	$$p -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p; done))
PIP_ARGS ?=
JOBS ?= auto
MINUTES ?= 60
SEED ?=
TURN ?=
WHAT ?=
BROWSER ?=

VENV := .venv
BIN := $(VENV)/bin
WHEEL_VENV := .venv-wheel
WHEEL_TRAIN_VENV := .venv-wheel-train
INSTALL = -m pip install --quiet --disable-pip-version-check $(PIP_ARGS) --constraint constraints/shared.txt

# Libraries that get an environment of their own: constraints/NAME.txt, the extra [NAME], tests/plugs/test_NAME*.py.
PLUGS := $(foreach name,$(patsubst constraints/%.txt,%,$(wildcard constraints/*.txt)),\
	$(if $(wildcard tests/plugs/test_$(name).py),$(name)))
PLUGS := $(filter cuda,$(PLUGS)) $(filter-out cuda,$(PLUGS))  # first our own compiler, then other people's loops
# All of them, or our own compiler and those whose turn it is: each commit another third, as its number has it.
# Left out of the turns: PufferLib asks for a PyTorch with CUDA, 8 GB in all.
HEAVY := pufferlib
TURNS = $(shell printf '%s\n' $(filter-out cuda $(HEAVY),$(PLUGS)) | awk -v turn="$$((0x$(TURN)))" '(NR + turn) % 3 == 0')
TESTED := $(if $(TURN),$(filter cuda,$(PLUGS)) $(TURNS),$(PLUGS))

# What the installed wheel must pass, without torch.
WHEEL_TESTS ?= tests/test_packaging.py tests/contract

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test play test-docs test-long test-slow test-wheel test-wheel-plain test-wheel-train test-plugs $(PLUGS:%=test-%) test-wasm test-browser test-notebooks notebooks docs \
	compat bench results lint format wheel million fuzz clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14
	@printf 'test-%s\tthe same for one of them\n' $(PLUGS) | expand -t 14

demo: $(VENV)/train.installed ## train a Durak player from scratch and measure it
	$(BIN)/kozyr train durak --preset demo --out runs/demo-$$(date +%Y%m%d-%H%M%S)

test: $(VENV)/train.installed $(VENV)/test.installed ## run the tests
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile

play: $(VENV)/play.installed $(VENV)/policies.installed ## sit down and play: open the lobby in your browser
	$(BIN)/kozyr play

test-docs: $(VENV)/train.installed $(VENV)/test.installed ## run the code and the commands of the documentation's pages
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "docs and not slow" tests/docs

test-long: $(VENV)/train.installed $(VENV)/test.installed ## run the tests that take many seconds
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "long and not slow"

test-slow: $(VENV)/train.installed $(VENV)/test.installed ## run the tests that take minutes
	$(BIN)/python -m pytest -m slow

test-wheel: wheel ## run the tests' core, and the contract of a game of its own, against the wheel in a fresh environment
	rm -rf $(WHEEL_VENV)
	$(PYTHON) -m venv $(WHEEL_VENV)
	$(WHEEL_VENV)/bin/python $(INSTALL) "$$(echo dist/*.whl)[test]"
	KOZYR_WHEEL="$$(echo dist/*.whl)" $(WHEEL_VENV)/bin/python -m pytest -n $(JOBS) --dist loadfile $(WHEEL_TESTS)
	$(WHEEL_VENV)/bin/python $(INSTALL) tests/leduc
	cd tests/leduc && ../../$(WHEEL_VENV)/bin/python -m pytest -n $(JOBS) --dist loadfile
	@for kind in cards board; do \
		$(WHEEL_VENV)/bin/kozyr new-game new_$$kind --$$kind --out $(WHEEL_VENV)/made && \
		$(WHEEL_VENV)/bin/python $(INSTALL) $(WHEEL_VENV)/made/new_$$kind && \
		(cd $(WHEEL_VENV)/made/new_$$kind && ../../bin/python -m pytest -n $(JOBS) --dist loadfile) || exit 1; \
	done
	$(WHEEL_VENV)/bin/kozyr exploitability leduc cfr@200 && $(WHEEL_VENV)/bin/kozyr match leduc pimc@20 tight --deals 100

test-wheel-train: wheel ## install the wheel with [train] in an empty environment, run README's loop and train a little
	rm -rf $(WHEEL_TRAIN_VENV)
	$(PYTHON) -m venv $(WHEEL_TRAIN_VENV)
	$(WHEEL_TRAIN_VENV)/bin/python $(INSTALL) "$$(echo dist/*.whl)[train]"
	cd $(WHEEL_TRAIN_VENV) && bin/python ../tests/wheel_readme.py --train

test-wheel-plain: wheel ## install the wheel alone on Python 3.11, 3.12 and 3.13 and run README's first Python
	$(PYTHON) -m venv .nox/own
	.nox/own/bin/python $(INSTALL) nox
	.nox/own/bin/nox --no-error-on-missing-interpreters --session test-wheel-plain

test-wasm: $(VENV)/train.installed $(VENV)/test.installed ## compile games to WebAssembly and compare them in Node, to the byte
	$(BIN)/python -m pytest -n $(JOBS) -m slow tests/site

test-browser: $(VENV)/train.installed $(VENV)/browser.installed ## play in a real Chromium; screenshots go to build/screens
	KOZYR_REQUIRED=$(BROWSER) $(BIN)/python -m pytest tests/browser

compat: ## play one game with several versions of Python and of the libraries kozyr stands on
	$(PYTHON) -m venv .nox/own
	.nox/own/bin/python $(INSTALL) nox
	.nox/own/bin/nox --no-error-on-missing-interpreters

test-notebooks: $(VENV)/train.installed $(VENV)/test.installed $(VENV)/notebooks.installed ## run the notebooks and compare them with their .py
	$(BIN)/python -m pytest -m "slow or not slow" tests/docs/test_notebooks.py

notebooks: $(VENV)/train.installed $(VENV)/notebooks.installed ## run the notebooks and write their outputs
	$(BIN)/python notebooks/execute.py

docs: $(VENV)/docs.installed ## write the tables of docs/results into the pages and build docs/_build/html, without torch
	$(BIN)/python -m docs.results
	$(BIN)/python -m sphinx --fail-on-warning --keep-going -b html docs docs/_build/html

# They start processes, clusters and threads of their own: what fails once is tried again.
test-plugs: ## run the tests of foreign libraries, each in an environment of its own
	@test -z "$(TURN)" || echo 'test-plugs: each commit tests another third of the $(words $(PLUGS)) libraries, this one $(TESTED). `make test-plugs` tests all, $(HEAVY) too.'
	@for name in $(TESTED); do \
		if [ "$$(date +%s)" -gt "$${PLUGS_UNTIL:-9999999999}" ]; then echo "test-$$name: SKIPPED, no time is left"; continue; fi; \
		echo "test-$$name: installing, see .venv-$$name.log"; \
		if ! $(MAKE) --no-print-directory .venv-$$name/installed > .venv-$$name.log 2>&1; then \
			echo "test-$$name: SKIPPED, it cannot be installed: $$(grep -i error .venv-$$name.log | tail -n 1)"; \
		elif ! $(MAKE) --no-print-directory test-$$name && \
			! { echo "test-$$name: once more what failed"; $(MAKE) --no-print-directory test-$$name AGAIN=--last-failed; }; \
			then failed="$$failed test-$$name"; fi; \
	done; test -z "$$failed" || { echo "failed:$$failed"; exit 1; }

$(PLUGS:%=test-%): test-%: .venv-%/installed
	KOZYR_REQUIRED=$* .venv-$*/bin/python -m pytest $(if $(filter cuda,$*),-n $(JOBS)) $(AGAIN) tests/plugs/test_$**.py

bench: $(VENV)/train.installed $(VENV)/bench.installed ## measure everything, side by side with other libraries
	$(BIN)/python -m tests.benchmarks

results: $(VENV)/train.installed $(if $(findstring speed,$(WHAT)),$(VENV)/bench.installed) ## measure numbers of the pages anew: WHAT="ladders/durak speed", or other names of docs/results
	@test -n "$(WHAT)" || { $(BIN)/python -m docs.results --list; echo "Which? make results WHAT=durak_36"; exit 1; }
	$(BIN)/python -m docs.results $(WHAT) $(if $(AGAIN),--again)

million: $(VENV)/test.installed ## play a million random games against the oracles
	$(BIN)/python -m tests.long --games 1000000

fuzz: $(VENV)/train.installed $(VENV)/test.installed $(VENV)/fuzz.installed ## attack parsers, calls and agents for MINUTES
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(if $(SEED),--seed $(SEED) --counted)

lint: $(VENV)/train.installed $(VENV)/dev.installed ## check style, types and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/test_packaging.py -k "type_checker or pypi"

format: $(VENV)/dev.installed ## rewrite the sources in the common format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

wheel: $(VENV)/dev.installed ## build the source archive and the wheel into dist/
	rm -rf build dist
	$(BIN)/python -m kozyr.agents.play.site.shipped
	$(BIN)/python -m build --no-isolation

clean: ## remove everything that make has made, trained policies in runs/ excepted
	rm -rf $(VENV) $(WHEEL_VENV) $(WHEEL_TRAIN_VENV) $(PLUGS:%=.venv-%) $(PLUGS:%=.venv-%.log) .nox build dist docs/_build docs/_site
	rm -rf kozyr.egg-info tests/leduc/build tests/leduc/*.egg-info .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp for each extra of pyproject.toml; the package itself is installed editable with it.
$(VENV)/%.installed: $(VENV)/base.installed pyproject.toml constraints/shared.txt
	@echo "Installing what [$*] needs into $(VENV). The first time that takes minutes, and pip says nothing meanwhile."
	$(BIN)/python $(INSTALL) --no-build-isolation --editable ".[$*]"
	@touch $@

# OpenEnv asks for mcp 1, the extra [test] for mcp 2.
WITH := test
.venv-llm/installed: WITH := plugs
.venv-%/installed: pyproject.toml constraints/%.txt
	rm -rf .venv-$*
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python $(INSTALL:constraints/shared.txt=constraints/$*.txt) --upgrade pip setuptools
	.venv-$*/bin/python $(INSTALL:constraints/shared.txt=constraints/$*.txt) --no-build-isolation --editable ".[$*,$(WITH)]"
	@touch $@

$(VENV)/base.installed:
	@test -n "$(PYTHON)" || { echo "kozyr needs Python 3.11 or newer with venv: install one, or name it with make PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(INSTALL) --upgrade pip setuptools
	@touch $@
