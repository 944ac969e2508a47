# Each target sets up .venv by itself; nothing is needed before but Python 3.11 or later, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# A developer's own settings of Python must not decide what is installed or how a test ends.
unexport $(filter PYTHON%,$(.VARIABLES))
# Tests make files with Chinese names; where Python decodes names by another alphabet than UTF-8 it could not.
test soak: export LC_ALL := C.UTF-8

.PHONY: demo test check docs page-test bench bench-scale soak fresh hostile pins clean setup-demo setup-dev

demo: setup-demo
	@$(BIN)/python examples/demo.py

test: setup-dev
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not soak"
	$(MAKE) --no-print-directory check

check: setup-dev
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports
	$(BIN)/zizmor --offline --quiet .github action.yml

# What the documents take from the real thing: docs/reference.md, the README's session, docs/pictures/terminal.svg.
# `make docs PAGE=--page` photographs the page anew, where `make page-test` has put Playwright.
docs: setup-dev
	$(BIN)/python -m docs.reference.make_reference
	$(BIN)/python -m docs.pictures.make_pictures $(PAGE)

# Stories of the page in Chromium. Playwright and axe-core go to a folder of their own, pinned; the browser is the system's.
page-test: export LC_ALL := C.UTF-8
page-test: setup-dev
	@$(BIN)/python requirements/set_up_page.py $(VENV)/page
	$(BIN)/python -m pytest -m page tests/page

bench: setup-dev
	$(BIN)/python -m benchmarks

# Hubs of 109,026 skills and an index of a million rows: an hour; HUB_INDEX_SCALE_FOLDER=DIR keeps what is made.
bench-scale: setup-dev
	$(BIN)/python -m benchmarks.scale $(ONLY)

soak: setup-dev
	$(BIN)/python -m pytest -m soak

# Both commands in clean clones, for every interpreter of this machine, as root and as an ordinary user: about 7 minutes each.
# `make fresh ONLY=3.13` tries one version, `make fresh ROWS=2` two rows of the table at a time.
fresh:
	@$(PYTHON) .ci/fresh.py '$(ONLY)' $(or $(ROWS),1)

# The tests once more, in an environment that is wrong in every way at once: one core, about ten minutes.
hostile:
	@$(PYTHON) .ci/hostile.py

# After a change of dependencies; uv (from PyPI) resolves for every supported Python at once, without any index address.
UV_COMPILE := uv pip compile --universal --python-version 3.11.0 --generate-hashes --no-emit-index-url \
	--no-emit-find-links --no-header --no-annotate --quiet
pins:
	$(UV_COMPILE) --extra build pyproject.toml requirements/setup.in -o requirements/build.txt
	$(UV_COMPILE) --extra dev pyproject.toml requirements/setup.in -o requirements/dev.txt
	$(UV_COMPILE) requirements/page.in -o requirements/page.txt

clean:
	rm -rf $(VENV)

setup-demo setup-dev: setup-%:
	@command -v '$(PYTHON)' >/dev/null || { echo "there is no $(PYTHON): install Python 3.11 or later (Debian: apt-get install python3 python3-venv), or name one: make PYTHON=/path/to/python3 demo" >&2; exit 2; }
	@$(PYTHON) requirements/set_up.py $(VENV) $*
