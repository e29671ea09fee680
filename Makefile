# Everything starts here: `make scan` and `make test` install what is missing first.
#
#   make scan                 build, scan the demo project, write cegas.sarif
#   make scan DIR=path        scan another project (BUILD="make -j8 all" says how it is built)
#   make test                 format, lints and all fast tests
#   make bench                how fast the front end, small programs with assertions (SUITE=folder), generated
#                             families and the pointer analysis are (PROJECTS="zlib lua" picks some), then
#                             random programs: 10,000 whose pointers must lie in the computed sets, 20,000
#                             whose verdicts must agree with their executions
#   make test-integration     whole projects against the truth (likewise; fetches their sources)
#   make test-consumers       the part of it that asks who reads our reports: SARIF's validator, sarif-tools,
#                             CodeChecker, a browser, pre-commit, BenchExec, GitHub's validators
#   make install              put cegas-scan and `cargo cegas` where cargo puts programs

.PHONY: help setup build scan test bench test-integration test-consumers install
.DEFAULT_GOAL := help

DIR ?= integration/demo
SARIF ?= cegas.sarif
CARGO ?= cargo
# Programs with the verdict on their assertion beside them, for `make bench`
SUITE ?= ../shared/bench/sfchecker
# The builds of other people's projects must not see this make.
CLEAN = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u PROJECTS

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
	@integration/setup/ensure bench
	@$(CLEAN) integration/projects/fetch.sh --deps $(PROJECTS)
	@$(CLEAN) integration/bench/frontend.py $(PROJECTS)
	@test ! -e "$(SUITE)/manifest.json" || integration/bench/assertions.py "$(SUITE)" || test $$? = 1
	@integration/bench/families.py || test $$? = 1
	@$(CARGO) build --release --example pta
	@$(CLEAN) integration/bench/pointers.py $(PROJECTS) || test $$? = 1
	CEGAS_PTA_DIFFERENTIAL=10000 $(CARGO) test --release --test pta_differential -- --nocapture
	CEGAS_DIFFERENTIAL=20000 $(CARGO) test --release --test differential -- --nocapture
	CEGAS_LOOPS=20000 CEGAS_LOOPS_SECONDS=0.4 $(CARGO) test --release --test loops_differential -- --nocapture

test-integration: test-consumers
	@$(CLEAN) integration/projects/fetch.sh --deps $(PROJECTS)
	@$(CLEAN) integration/projects/check.py --repeat $(PROJECTS)

# TOOL names another build, such as target/debug/cegas-scan.
TOOL ?= target/release/cegas-scan
test-consumers: $(if $(filter target/release/%,$(TOOL)),build)
	@integration/setup/ensure integration
	@$(CLEAN) integration/sarif/check.py $(TOOL)
	@$(CLEAN) integration/html/check.py $(TOOL)
	@$(CLEAN) integration/pre-commit/check.py $(TOOL)
	@$(CLEAN) integration/benchexec/check.py $(TOOL)
	@$(CLEAN) integration/github-action/check.py

install: setup
	$(CARGO) install --path . --locked
