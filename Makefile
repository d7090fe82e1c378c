# Targets that a person types; each can be repeated and does no work twice.
.DEFAULT_GOAL := help
.PHONY: help demo test up build check bench lock clean
SHELL := bash
CIPHERMARK := .venv/bin/ciphermark

help:    ## what can be typed here
	@grep -E '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 10

demo:    ## install what it needs, measure a small real plan through the whole path, print the answer
	@scripts/setup.sh demo
	@scripts/venv.sh service
	@$(CIPHERMARK) demo

test:    ## install what the tests need and pass them
	@scripts/setup.sh test
	@scripts/venv.sh dev
	@scripts/test.sh

up:      ## everything on this machine, until Ctrl-C
	@scripts/setup.sh demo
	@scripts/venv.sh service
	@$(CIPHERMARK) up

build:   ## the runners of the default toolchain, under build/runners/
	@scripts/setup.sh demo
	@scripts/venv.sh service
	@$(CIPHERMARK) runners build --into build/runners

check:   ## the quick gate before a commit: format, lint, types, import rules, docs rules
	@scripts/setup.sh check
	@scripts/venv.sh dev
	@scripts/check.sh

bench:   ## our own speed, side by side with what a user would pick instead (see bench/README.md)
	@scripts/setup.sh bench
	@scripts/venv.sh dev
	@$(CIPHERMARK) runners build --into build/runners
	@missed=0; for script in bench/[a-z]*.py; do echo "== $$script"; .venv/bin/python $$script || missed=1; done; exit $$missed

lock:    ## choose the Python packages' versions anew
	@.venv/bin/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header pyproject.toml --extra service -o requirements/service.txt
	@.venv/bin/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header pyproject.toml --extra service --group dev -c requirements/service.txt -o requirements/dev.txt

clean:   ## remove what the other targets made here (not the stored results)
	rm -rf build .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
