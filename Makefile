# Each target sets up .venv by itself; nothing is needed before but Python 3.11 or later, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check bench soak clean

demo: $(VENV)/demo.stamp
	@$(BIN)/python examples/demo.py

test: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not soak"
	$(MAKE) --no-print-directory check

check: $(VENV)/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/zizmor --offline --quiet .github/workflows

bench: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks

soak: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -m soak

clean:
	rm -rf $(VENV)

# Compiled here because a start of Python that may not write bytecode would compile everything again, every time.
# The pinned set with hashes first, then the project itself: pip refuses a local project under --require-hashes.
$(VENV)/demo.stamp: requirements/build.txt pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV) (once) ..."
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements/build.txt
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q hub_index
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV) for development (once) ..."
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q hub_index
	@touch $@ $(VENV)/demo.stamp
