# Targets for users and developers; each can be repeated and does no work twice.
.DEFAULT_GOAL := help
.PHONY: help demo test test-all fuzz up build libraries cross check wheels wheel-walk bench evidence soak emulated-pi readme-walk units docs sbom lock clean
SHELL := bash
CIPHERMARK := .venv/bin/ciphermark
# Every program would compile all that it imports where container images forbid bytecode files: 5 s instead of 2 s of processor
# time for each service, scheduler and daemon (2-core VM, 2026-11).
unexport PYTHONDONTWRITEBYTECODE

help:    ## list the targets
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 13

demo:    ## install packages, build the runners, measure a small plan, print the answer
	@scripts/setup.sh demo
	@scripts/venv.sh service
	@$(CIPHERMARK) demo

test:    ## install what the tests need, and execute them; PART=native|unit|integration|system|browser, or FILE=path[::test]
	@scripts/setup.sh test
	@scripts/venv.sh dev
	@scripts/test.sh "$(PART)" "$(FILE)"

test-all: ## execute what takes longer than make test; PART=…, or FILE=path[::test]; an unknown part lists all
	@scripts/setup.sh test
	@scripts/venv.sh dev
	@scripts/test_all.sh "$(PART)" "$(FILE)"

fuzz:    ## search for inputs that break a promise, for TIME=10m (or seconds, 2h); see CONTRIBUTING.md
	@scripts/setup.sh test
	@scripts/venv.sh dev
	@scripts/fuzz.sh $(or $(TIME),10m)

up:      ## start everything on this machine, until Ctrl-C
	@scripts/setup.sh demo
	@scripts/venv.sh service
	@$(CIPHERMARK) up

build:   ## build the runners with the default toolchain, in build/runners/
	@scripts/setup.sh demo
	@scripts/venv.sh service
	@$(CIPHERMARK) runners build --into build/runners

libraries: ## install every library that runners can be made of, and build the runners
	@scripts/setup.sh libraries
	@scripts/venv.sh service
	@$(CIPHERMARK) runners build --into build/runners

cross:   ## build the runners for Raspberry Pi devices without a compiler
	@scripts/setup.sh cross
	@scripts/venv.sh service
	@$(CIPHERMARK) runners cross-build

wheels:  ## make the wheels with prebuilt runners in dist/ (MACHINE=x86_64|aarch64|armhf, default: all)
	@scripts/setup.sh cross
	@scripts/venv.sh service
	@scripts/wheels.sh $(MACHINE)

check:   ## check format, lint, types, import rules and words, before each commit
	@scripts/setup.sh check
	@scripts/venv.sh dev
	@scripts/check.sh

bench:   ## compare the speed of Ciphermark with its alternatives (see bench/README.md)
	@scripts/setup.sh bench
	@scripts/venv.sh dev
	@$(CIPHERMARK) runners build --masked --into build/runners
	@missed=0; for script in $(filter-out bench/soak.py bench/masked_instructions.py,$(wildcard bench/[a-z]*.py)); do echo "== $$script"; .venv/bin/python $$script || missed=1; done; exit $$missed

TRACES ?= 100000
evidence: ## collect the evidence that the masked ciphers are masked (TRACES=100000; see docs/masking.md)
	@scripts/setup.sh test
	@scripts/venv.sh dev
	@mkdir -p build
	@cmake --preset release -S runners -B build/tests >build/evidence.log 2>&1 || { tail -n 40 build/evidence.log; exit 1; }
	@$(CIPHERMARK) runners evidence build/tests --traces $(TRACES) --into build/evidence.json

HOURS ?= 1
soak:    ## let every part fail at random while runs are measured, as root (HOURS=8)
	@scripts/setup.sh bench
	@scripts/venv.sh dev
	@$(CIPHERMARK) runners build --into build/runners
	@.venv/bin/python bench/soak.py --hours $(HOURS)

emulated-pi: ## execute the README's steps for a Raspberry Pi under emulation (MACHINE=arm64|armhf, default: both)
	@scripts/setup.sh demo
	@scripts/venv.sh service
	@scripts/setup.sh cross
	@scripts/setup.sh roots
	@.venv/bin/python -m scripts.roots.emulated_pi $(MACHINE)

readme-walk: ## execute the README from an empty Debian root, as root and as a user with sudo (OPTIONS="--suite trixie")
	@scripts/setup.sh roots
	@python3 -m scripts.roots.readme_walk $(OPTIONS)

wheel-walk: ## install the wheel in a clean Debian root without a compiler, and measure (OPTIONS="--suite trixie --machine arm64")
	@scripts/setup.sh roots
	@python3 -m scripts.roots.wheel_walk $(OPTIONS)

units:   ## boot a Debian root with systemd, install the units of server and daemon by their README
	@scripts/setup.sh roots
	@python3 -m scripts.roots.units

docs:    ## make the site of the documentation in build/site, with the executed notebook and pictures of the dashboard
	@scripts/setup.sh docs
	@scripts/venv.sh dev
	@scripts/venv.sh docs
	@.venv/bin/python -m scripts.site.make $(OPTIONS)

sbom:    ## write the software bill of materials (CycloneDX) to build/sbom.cdx.json
	@scripts/venv.sh dev
	@.venv/bin/python scripts/sbom.py build/sbom.cdx.json

lock:    ## select the Python packages' versions again
	@printf 'uv\neditables\n' | .venv/bin/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header - -o requirements/tools.txt
	@.venv/bin/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header pyproject.toml --extra service --extra discovery --extra arrow -o requirements/service.txt
	@.venv/bin/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header pyproject.toml --extra agent -c requirements/service.txt -o requirements/agent.txt
	@.venv/bin/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header pyproject.toml --extra service --extra discovery --extra postgresql --extra arrow --extra client --group dev -c requirements/service.txt -o requirements/dev.txt
	@.venv/bin/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header pyproject.toml --group docs -c requirements/dev.txt -o requirements/docs.txt

clean:   ## remove the files that other targets made here (not the stored results)
	rm -rf build .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
