# What people type. `make help` lists it.

DEMO           := seats/two-desks/demo.py
PYTHONS        := python3 python3.13 python3.12 python3.11
CHECK_PACKAGES := golang-go golang-golang-x-mod-dev openssh-client openssh-server python3-venv
FIGURES        :=

# The set-up belongs to one place: a checkout that was moved or copied is set up anew.
PLACE   := $(shell pwd -P | cksum | cut -d' ' -f1)
MADE    := .venv/made-$(PLACE)
PACKAGE := .venv/package-$(PLACE)
DEV     := .venv/dev-$(PLACE)
PYTHON  := .venv/bin/python

unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

.PHONY: help demo test check setup setup-check bench soak lint format clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

demo: $(PACKAGE) ## set up, then run the story of two desks
	@$(PYTHON) $(DEMO)

test: $(DEV) ## set up, then formatter, linter, contracts, types and tests
	@$(PYTHON) -m ruff format --check .
	@$(PYTHON) -m ruff check .
	@.venv/bin/lint-imports --no-cache
	@$(PYTHON) -m mypy
	@$(PYTHON) -m pytest -m 'not check' -n auto --dist loadfile

check: $(DEV) ## tests that need what `make setup-check` installs
	@$(PYTHON) -m pytest -m check

soak: $(DEV) ## the tests again, with many more examples for each property
	@KOINII_SOAK=1 $(PYTHON) -m pytest -m 'not check' -n auto --dist loadfile

bench: $(DEV) ## measure every figure, or some: make bench FIGURES="1 4"
	@PYTHONPATH=tests $(PYTHON) -m bench $(FIGURES)

lint: $(DEV) ## linter, contracts and types, without tests
	@$(PYTHON) -m ruff check .
	@.venv/bin/lint-imports --no-cache
	@$(PYTHON) -m mypy

format: $(DEV) ## put every Python file into the one layout
	@$(PYTHON) -m ruff check --select I --fix .
	@$(PYTHON) -m ruff format .

setup: $(DEV) ## set up only

clean: ## remove what the other targets made
	@rm -rf .venv dist build tests/bench/out .hypothesis
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	@find src tests seats -name __pycache__ -type d -prune -exec rm -rf {} +

setup-check: ## install what `make check` needs
	@lacking=; \
	for name in $(CHECK_PACKAGES); do \
	    dpkg-query -W -f='$${Status}\n' "$$name" 2>/dev/null \
	        | grep -q 'ok installed' || lacking="$$lacking $$name"; \
	done; \
	if [ -z "$$lacking" ]; then exit 0; fi; \
	if [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then \
	    echo "make check needs more; type: sudo apt-get install$$lacking" >&2; \
	    exit 1; \
	fi; \
	export DEBIAN_FRONTEND=noninteractive; \
	apt-get -qq update </dev/null && \
	apt-get -qq install --no-install-recommends $$lacking </dev/null >/dev/null

# The steps of the set-up. Each leaves its file last, so a broken step is run again.

$(MADE):
	@command -v git >/dev/null || { \
	    echo "koinii needs git: install it and run make again." >&2; exit 1; }
	@found=; bare=; \
	for name in $(PYTHONS); do \
	    "$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	        >/dev/null 2>&1 || continue; \
	    bare="$${bare:-$$name}"; \
	    command -v uv >/dev/null || \
	        "$$name" -c 'import venv, ensurepip' >/dev/null 2>&1 || continue; \
	    found="$$name"; break; \
	done; \
	if [ -z "$$bare" ]; then \
	    echo "koinii needs Python 3.11 or newer, as one of: $(PYTHONS)." >&2; exit 1; \
	elif [ -z "$$found" ]; then \
	    echo "$$bare cannot make environments: install its venv module" \
	        "(Debian: python3-venv) and run make again." >&2; exit 1; \
	fi; \
	rm -rf .venv; \
	echo "Setting up .venv with $$found ..." >&2; \
	if command -v uv >/dev/null; then \
	    uv --quiet venv --python "$$(command -v "$$found")" .venv; \
	else \
	    "$$found" -m venv .venv; \
	fi
	@touch $@

INSTALL = if command -v uv >/dev/null; \
	then uv --quiet pip install --python $(PYTHON) $(1); \
	else $(PYTHON) -m pip --quiet --disable-pip-version-check install $(1); fi

$(PACKAGE): pyproject.toml | $(MADE)
	@$(call INSTALL,--editable .)
	@touch $@

$(DEV): pyproject.toml $(PACKAGE)
	@$(PYTHON) -c 'import tomllib; \
	groups = tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]; \
	print(*groups["dev"], sep="\n")' >.venv/dev.txt
	@$(call INSTALL,--requirement .venv/dev.txt)
	@touch $@
