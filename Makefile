.DEFAULT_GOAL := help
.PHONY: help run demo test lint types imports check bench format test-model constraints clean
BIN := .venv/bin
WORKERS ?= 2

help: ## say what there is to make
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 20

run: set-up ## set everything up and open the desk on the shipped queue
	@$(BIN)/pendtui

demo: set-up ## open the desk on a freshly built queue that is thrown away afterwards
	@$(BIN)/pendtui demo

test: set-up ## set everything up and run the tests
	@$(BIN)/pytest -n $(WORKERS) --dist worksteal

lint: set-up ## look for lint and unformatted code
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: set-up ## check the types
	@$(BIN)/mypy

imports: set-up ## check that imports point one way
	@$(BIN)/lint-imports

check: lint types imports test ## lint, types, imports and tests

bench: set-up ## print the benchmarks' ratios
	@$(BIN)/python bench/free_path.py
	@$(BIN)/python bench/phrase_rate.py
	@$(BIN)/python bench/first_paint.py
	@$(BIN)/python bench/keystrokes.py

format: set-up ## format the code
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

test-model: set-up ## read ten claims with a real model server, built on the spot (a quarter of an hour)
	@tools/test-model.sh

constraints: ## pin the newest versions that pyproject.toml allows
	@tools/pin.sh

clean: ## remove what was set up or built
	@rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

.PHONY: set-up
set-up:
	@tools/setup.sh
