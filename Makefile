# The commands of README.md. Each one makes what it needs, so any of them works in a fresh clone.

SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
CODE := __main__.py cli comparison components compose engines explain failures hardware lab operations policy recipes resource_graph rules sizing stacks tests
ENVIRONMENT := $(VENV)/.complete
# The services of pulumi_aws that the program imports; all 250 would take minutes to compile.
AWS := autoscaling|cloudwatch|ec2|efs|eks|fsx|iam|kms|vpc
FAST := not stand_in and not browser and not engine and not lab and not slow and not measured
LONG := (browser or engine or lab or slow) and not essential and not stand_in and not measured
# Those of updates are long, and the workers end together where short files come last.
LONGEST_FIRST := tests/updates/ $(filter-out tests/updates/ tests/__pycache__/,$(wildcard tests/*/ tests/test_*.py))

# Each command starts Python some hundred times; without compiled modules, which git ignores, every start would
# compile those of this repository again, and every test run its tests.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help environment lab-up lab-down shell env tools check test rehearse conformance bench faults format lock clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

environment: $(ENVIRONMENT) ## install the locked Python packages and the dynamo-stack command into .venv

lab-up: $(ENVIRONMENT) ## bring stack dev up on a simulated GB200/B200 cluster and ask its model something (PODS=simulated: no processes)
	@$(RUN) -m lab up $(if $(PODS),--pods $(PODS))

# A checkout without an environment has no lab either.
lab-down: ## destroy the stack, then the simulated cluster
	@if test -e $(ENVIRONMENT); then $(RUN) -m lab down; \
	elif test -d "$${LAB_DIR:-.lab}"; then $(MAKE) --no-print-directory environment && $(RUN) -m lab down; \
	else echo "lab: there is nothing to take down"; fi

shell: $(ENVIRONMENT) ## a shell in the lab's sealed environment
	@$(RUN) -m lab shell

env: $(ENVIRONMENT) ## print the sealed environment as exports
	@$(RUN) -m lab env

tools: $(ENVIRONMENT) ## build the lab's tools (once per machine, about 10 min)
	@$(RUN) -m lab tools

check: $(ENVIRONMENT) ## format, lint, types and the tests that need Python packages alone
	$(VENV)/bin/ruff format --check $(CODE)
	$(VENV)/bin/ruff check $(CODE)
	$(VENV)/bin/zizmor --offline -qq --pedantic .github
	@$(RUN) -m lab lint-workflows
	@# The type check runs beside the tests, and its findings are printed after theirs. A shell lets what it runs in
	@# the background ignore Ctrl-C, so that the trap ends it. Tests of the lab are not even collected.
	@said=$$(mktemp); $(VENV)/bin/basedpyright --level error >"$$said" 2>&1 & checker=$$!; \
	trap 'kill $$checker 2>/dev/null; rm -f "$$said"; exit 130' INT TERM; tests=0; types=0; \
	$(VENV)/bin/pytest -q -n 2 --dist worksteal -m "$(FAST)" --ignore tests/lab || tests=$$?; \
	wait $$checker || types=$$?; \
	echo "basedpyright:"; cat "$$said"; rm -f "$$said"; \
	test $$tests -eq 0 && test $$types -eq 0

test: check tools ## check, then what every change must keep: stack dev's life, refusals, secrets, an answer, an EKS stack
	$(VENV)/bin/pytest -q -n 3 --dist loadfile -m "essential and not stand_in" --durations 10

rehearse: $(ENVIRONMENT) tools ## preview to destroy of one stack (STACK=name), or the long tests of all of them
ifdef STACK
	@$(RUN) -m lab rehearse $(STACK)
else
	@# Three at a time keep two cores busy; with four, each only takes longer. In the order of their files: those of one
	@# long test alone would come last, one at a time. Each is named as it ends.
	$(VENV)/bin/pytest -v -n 3 --dist loadfile --no-loadscope-reorder -m "$(LONG)" --durations 20 $(LONGEST_FIRST)
endif

conformance: $(ENVIRONMENT) tools ## the tests of the lab itself: its stand-ins against recordings, documents and the cluster
	@# The digest is taken before the tests run: a file that changes meanwhile was not tried.
	@digest=$$($(RUN) -m tests.lab.green digest) && \
	$(VENV)/bin/pytest -q -n 2 --dist loadfile -m "stand_in and not measured" --durations 10 tests/lab && \
	{ test -n "$(UNRECORDED)" || echo "$$digest" > tests/lab/green.txt; }

bench: $(ENVIRONMENT) tools ## how long the everyday commands take, as a table and as JSON
	@$(RUN) -m tests.bench

faults: $(ENVIRONMENT) tools ## what faults cost under load (into docs/faults-under-load.md), what pods dial, a publisher's commands
	@mkdir -p .bench && rm -f .bench/faults.jsonl
	FAULTS_UNDER_LOAD=$(CURDIR)/.bench/faults.jsonl $(VENV)/bin/pytest -q -n 0 tests/serving/faults tests/serving/test_opened_connections.py \
		tests/serving/test_seed_commands.py
	@$(RUN) -m tests.serving.faults.table .bench/faults.jsonl

format: $(ENVIRONMENT) ## format the code and sort its imports
	$(VENV)/bin/ruff check --fix-only --select I $(CODE)
	$(VENV)/bin/ruff format $(CODE)

lock: $(ENVIRONMENT) ## renew requirements*.txt from pyproject.toml
	@$(RUN) -m lab.lock

clean: ## remove the environment and what tests left behind (not the built tools)
	rm -rf $(VENV) .pytest_cache .hypothesis .ruff_cache .bench

# uv installs a fixed set of hashed wheels in seconds; it comes from the package index like the rest.
# The marker file is written last. What an interrupted installation left is thrown away: half a package is none.
# Modules are compiled at once, or each command would compile its imports again where the user asks Python not
# to write bytecode.
$(ENVIRONMENT): requirements-dev.txt requirements-uv.txt pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) not found; install Python 3.11, 3.12 or 3.13"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' || \
		{ echo "make: Python 3.11, 3.12 or 3.13 is needed, $(PYTHON) is another; try make PYTHON=python3.11"; exit 1; }
	@echo "environment: installing the locked Python packages into $(VENV), usually 20 s" >&2
	@trap 'echo "make: interrupted; running the command again continues" >&2; exit 130' INT; \
	if test -e $(VENV)/.installing; then rm -rf $(VENV); fi; \
	mkdir -p $(VENV) && touch $(VENV)/.installing && rm -f $@ && \
	{ $(PYTHON) -m venv $(VENV) 2>$(VENV)/.installing || { cat $(VENV)/.installing >&2; exit 1; }; } && \
	$(RUN) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-uv.txt && \
	$(VENV)/bin/uv pip install --quiet --python $(RUN) --require-hashes -r requirements-dev.txt && \
	$(VENV)/bin/uv pip install --quiet --python $(RUN) --no-deps --no-build-isolation --editable . && \
	$(RUN) -m compileall -q -j 2 -x 'pulumi_aws/(?!($(AWS))/|[^/]*$$)' $(VENV)/lib && \
	rm $(VENV)/.installing && touch $@
