# The front door. CMake does the work (CMakePresets.json); this puts its trees together.
#
#   build/release  g++, optimised          build/bin/drydock, build/libexec/drydock-plain, build/drivers/*.so
#   build/dev      clang, ASan + UBSan     build/libexec/drydock-asan, build/drivers/asan/*.so
#   build/tsan     clang, TSan             build/libexec/drydock-tsan, build/drivers/tsan/*.so
#
# What is not needed is not built: `make run` needs the first tree and a part of its drivers, `make asan` and `make tsan`
# make the other two when somebody asks for them.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# One cmake at a time: ninja already uses every processor.
.NOTPARALLEL:

# Only a compiler cache that is already there is used.
CCACHE := $(shell command -v ccache 2>/dev/null)
LAUNCHER := $(if $(CCACHE),-DCMAKE_C_COMPILER_LAUNCHER=$(CCACHE) -DCMAKE_CXX_COMPILER_LAUNCHER=$(CCACHE))
empty :=
space := $(empty) $(empty)
# How much is left to do: steps that were not begun, and seconds since the beginning.
export NINJA_STATUS ?= [%u of %t left, %es]$(space)
SOAK_SEEDS ?= 10000
export FUZZ_SECONDS ?= 60
PREFIX ?= /usr/local
export DESTDIR ?=

.PHONY: help
help: ## this list
	@awk -F':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: bootstrap
bootstrap: ## install the Debian packages that are missing
	@scripts/bootstrap

# A tree is configured once; afterwards ninja notices by itself when CMake has to run again.
build/%/build.ninja: CMakePresets.json | bootstrap
	cmake --preset $* $(LAUNCHER)

.PHONY: build
build: build/release/build.ninja ## build the command and every driver, good and bad
	cmake --build --preset release --target drydock drivers libdxcore
	@scripts/stage

# The sanitized twins only need to be able to run drivers.
.PHONY: asan tsan
asan: build build/dev/build.ninja ## … and the host and the drivers with ASan and UBSan
	cmake --build --preset dev --target drydock drivers
	@scripts/stage
tsan: build build/tsan/build.ninja ## … and the host and the drivers with TSan
	cmake --build --preset tsan --target drydock drivers
	@scripts/stage

.PHONY: install
install: build ## install into PREFIX=/usr/local, below DESTDIR if that is set; sanitized hosts that were built too
	cmake --build --preset release --target installable
	@scripts/install "$(PREFIX)"

.PHONY: test
test: test-packages build/release/build.ninja build/dev/build.ninja build/tsan/build.ninja ## build everything and run every test
	@echo "== 1 of 4: build with g++, optimised"
	cmake --build --preset release
	@echo "== 2 of 4: build with clang, ASan and UBSan, and the unit tests of every layer"
	cmake --build --preset dev
	@echo "== 3 of 4: build with clang and TSan"
	cmake --build --preset tsan --target drydock drivers ob_test nt_test dxgk_test kmt_test program_test
	@scripts/stage
	@echo "== 4 of 4: run the tests"
	@scripts/test

.PHONY: test-packages
test-packages: | bootstrap
	@scripts/bootstrap --tests

.PHONY: run
run: build/release/build.ninja ## check the bundled drivers and bad ones, draw, write a report
	@echo "== 1 of 2: build the command, the bundled drivers and the bad ones that are shown"
	cmake --build --preset release --target drydock shown_drivers
	@scripts/stage
	@echo "== 2 of 2: run it"
	@scripts/demo

.PHONY: bench
bench: build/lto/build.ninja ## run every benchmark
	cmake --build --preset lto --target benches drivers devices
	@scripts/bench

.PHONY: soak
soak: asan tsan ## many seeds on the bundled drivers (SOAK_SEEDS=10000), plain, with faults, and some under the sanitizers
	build/bin/drydock check --seeds $(SOAK_SEEDS)
	build/bin/drydock check --seeds 2 --faults
	build/bin/drydock check --seeds $$(($(SOAK_SEEDS) / 20)) build/drivers/softgpu/softgpu_compute.so
	for tree in asan tsan; do for driver in mill softgpu/softgpu softgpu/softgpu_physical testcam ksalloc kssg; do \
	  build/bin/drydock check --seeds $$(($(SOAK_SEEDS) / 20)) build/drivers/$$tree/$$driver.so || exit; done; done

.PHONY: fuzz
fuzz: build/fuzz/build.ninja ## run every fuzzer for FUZZ_SECONDS=60
	cmake --build --preset fuzz --target fuzzers
	@scripts/fuzz

.PHONY: mutants
mutants: build/dev/build.ninja ## change the functions of docs/founding-pages.md, and show that a test fails for each change
	cmake --build --preset dev --target dxgk_test kmt_test ks_test umd_test
	@scripts/mutate

.PHONY: format
format: ## clang-format every tracked C and C++ file
	git ls-files -z -- '*.h' '*.c' '*.cc' | xargs -0 -r clang-format-14 -i

.PHONY: clean
clean: ## remove build/
	rm -rf build
