# Everything starts here: `make scan` and `make test` install what is missing first.
#
#   make scan                 build, scan the demo project, write cegas.sarif
#   make scan DIR=path        scan another project (BUILD="make -j8 all" says how it is built)
#   make test                 format, lints and all fast tests
#   make bench                how fast the front end is
#   make test-integration     whole projects and other people's tools (fetches sources)
#   make install              put cegas-scan and `cargo cegas` where cargo puts programs

.PHONY: help setup build scan test bench test-integration install
.DEFAULT_GOAL := help

DIR ?= integration/demo
SARIF ?= cegas.sarif
CARGO ?= cargo

help:
	@sed -n 's/^#   //p' Makefile

setup:
	@integration/setup/ensure build

build: setup
	@$(CARGO) build --release --bins

# Findings (1) and units that could not be analysed (3) are results of a scan, not failures of make.
scan: build
	@integration/setup/scan-project "$(DIR)" "$(SARIF)" $(BUILD)

test:
	@integration/setup/ensure test
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) test --workspace

bench: build
	@integration/bench/run

test-integration: build
	@integration/setup/ensure test
	@integration/projects/run

install: setup
	$(CARGO) install --path . --locked
