# make         builds build/berth
# make demo    installs missing packages, builds, runs a GPU task end to end, and ends
# make dev     the same, but keeps Berth running
# make test    installs the packages for tests and runs the whole suite
# make nightly  runs for hours what the suite samples: the simulation and kills of a leader; options in NIGHTLY="..."
# make bench   builds and runs all benchmarks (an hour), or those in BENCH="..."
# make pictures  makes the pictures of the dashboard in docs/pictures again
# make rehearsal  builds, and tests a server with a fleet of simulated machines; options in REHEARSAL="..."
# make install PREFIX=/usr/local DESTDIR=  installs the program, systemd units, manual pages and completion for shells
# make deb     makes Debian packages of the program, the server and the agent, in build/packages
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)

.PHONY: all demo dev test nightly bench pictures rehearsal install deb format clean packages-build packages-demo packages-test
all: build/berth

packages-build packages-demo packages-test:
	@tools/install-packages $(@:packages-%=%)

.PHONY: build/berth build/bench
build/berth:
	@test -f build/CMakeCache.txt || cmake --preset release > build.log 2>&1 || { cat build.log; rm -f build.log; exit 1; }
	@rm -f build.log
	@cmake --build build --target berth -j $(JOBS) -- --no-print-directory

build/bench: build/berth
	@cmake --build build --target bench -j $(JOBS) -- --no-print-directory

demo: packages-demo
	@$(MAKE) --no-print-directory build/berth
	@examples/demo

dev: packages-demo
	@$(MAKE) --no-print-directory build/berth
	@build/berth dev

test: packages-test
	@tests/run

nightly: packages-test
	@tests/nightly $(NIGHTLY)

bench: packages-test
	@$(MAKE) --no-print-directory build/bench
	@bench/run $(BENCH)

pictures: packages-test
	@$(MAKE) --no-print-directory build/berth
	@bash -c '. tests/lib.sh && mkdir -p build/logs && node_packages && node tests/browser/pictures.mjs docs/pictures'

rehearsal: packages-test
	@$(MAKE) --no-print-directory build/bench
	@bench/rehearsal $(REHEARSAL)

install: build/berth
	@cmake --build build --target share -- --no-print-directory
	DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)

deb: build/berth
	@cmake --build build --target share -- --no-print-directory
	@rm -rf build/packages
	cd build && cpack -B packages

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf build
