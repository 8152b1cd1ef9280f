# make run    builds Safelight and starts it; photos lie in ./data
# make check  what a change of a few files can break: CHANGED_SINCE=REVISION says since when
# make test   everything that a change must pass
# make nightly   other stores, disks, programs, systems, engines and sizes, and luck; PART=NAME runs one of them
# make flaky  what changed, or TESTS="…", twenty times beside a load: prints what luck decides
# make soak   all end-to-end tests with their long counts, and those that need hours
# make bench  single steps, the same loads on nginx, rclone, copyparty and Safelight side by side, and what pictures cost
# make screens takes every screen of the page, in every size, theme and language, to sheets in test-results/screens
# make install    builds and installs below PREFIX; make uninstall takes it away again. Neither touches photos
# make deb        builds a Debian package in ./dist, and, unless BINARY_DIR names programs, a list of its parts (SBOM);
#                 MAINTAINER="Name <address>" says who answers for it; FEED and FEED_KEY, where hosts may hear of newer ones
# make image      makes a container image of that package; CONTAINER says by which program (podman, docker)
# make home-assistant   puts an app for Home Assistant together in ./dist/home-assistant, of that package
# make format rewrites the Swift sources in the house style
# make clean  removes what was built; never the photos

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := run
.NOTPARALLEL:

DATA ?= data
# One socket takes IPv4 and IPv6, unless IPv6 is turned off. Several addresses are separated by spaces.
LISTEN ?= $(if $(wildcard /proc/net/if_inet6),[::]:8080,0.0.0.0:8080)
PYTEST_ARGUMENTS ?=
CHANGED_SINCE ?= HEAD
# Of the nightly ring; none named: one after the other.
PART ?=
NIGHTLY_PARTS := stores disks programs systems engines sizes flaky
# What make flaky runs; none named: what changed since CHANGED_SINCE.
TESTS ?=
ROUNDS ?= 20
# Many of these tests wait for networks, pages and other programs: three more at once than there are processors left a quarter
# of two idle.
# Each runs a part of the files, and takes from the others once its own is done: few start every browser and object store.
PYTEST_WORKERS ?= --numprocesses=$(shell processors=$$(nproc); echo $$((processors < 5 ? processors + 4 : 8))) --dist=worksteal
PREFIX ?= /usr/local
DESTDIR ?=
# The folder of programs that are built already; if none is named, they are built.
BINARY_DIR ?=
# Who answers for the package, as "Name <address>"; if nobody is named, whoever builds it.
MAINTAINER ?=
FEED ?=
FEED_KEY ?=
CONTAINER ?= $(if $(shell command -v podman),podman,docker)
# A package shows posters of videos on the Debian that it was built on.
IMAGE_BASE ?= debian:$(shell . /etc/os-release && echo "$${VERSION_CODENAME:-trixie}")-slim
IMAGE ?= safelight

# The page as it is sent: few small files of many. Without it the daemon serves the sources in `www`.
PACKED_PAGE := $(CURDIR)/.build/page
pack_page = $(pack_places) && scripts/pack-page www $(PACKED_PAGE)
# Beside it, the names of places: made once, for the towns do not change.
pack_places = scripts/pack-places $(dir $(PACKED_PAGE))places.bin

# How open a unit is, in tenths; more than is allowed is a failure.
exposure = systemd-analyze security --offline=yes --no-pager --threshold=$(2) systemd/$(1) | tail -1

TESTED_BINARY := $(CURDIR)/.build/debug/safelight
# Where stores, profiles and folders of tests lie; TEST_FOLDER=/a/folder has them there.
TEST_FOLDER ?= $(shell scripts/test-folder)
SWIFT_TEST_LOGS := .build/test-swift.log .build/test-swift-connections.log
BESIDE_LOG := .build/test-beside.log
PYTHON_READY := .venv/ready
# Apart from it, for it would bring its plugins to every run of pytest.
SCHEMATHESIS := .build/schemathesis
GENERATORS := .build/openapi-generators

in_test_folder = TMPDIR="$(TEST_FOLDER)"
# Each worker reads all tests, and in a fresh clone would translate them by itself.
with_translated_tests = PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX="$(CURDIR)/.build/pycache"
pytest = $(with_translated_tests) SAFELIGHT_BINARY="$(1)" SAFELIGHT_WWW="$(PACKED_PAGE)" .venv/bin/pytest -c Tests/pytest.ini \
	$(PYTEST_WORKERS) $(PYTEST_ARGUMENTS)

.PHONY: run install uninstall deb image home-assistant check test test-without-daemon test-swift test-page-logic list-tests lint \
	test-end-to-end nightly flaky soak bench format pictures screens clean

run:
	scripts/install-packages build
	scripts/build release
	$(pack_page)
	exec .build/release/safelight serve --data "$(DATA)" --www $(PACKED_PAGE) $(foreach address,$(LISTEN),--listen "$(address)")

install:
	scripts/install-packages build package
	$(if $(BINARY_DIR),,scripts/build release)
	scripts/install-files "$(or $(BINARY_DIR),.build/release)" "$(DESTDIR)" "$(PREFIX)"
	@echo "Installed. As root: systemd-sysusers && systemd-tmpfiles --create; systemctl daemon-reload; systemctl enable --now safelight"

uninstall:
	scripts/install-files --remove "$(DESTDIR)" "$(PREFIX)"

deb:
	scripts/install-packages build package
	$(if $(BINARY_DIR),,scripts/build release)
	rm -f dist/safelight_*
	MAINTAINER="$(MAINTAINER)" FEED="$(FEED)" FEED_KEY="$(FEED_KEY)" scripts/make-deb "$(or $(BINARY_DIR),.build/release)" dist
	$(if $(BINARY_DIR),,cd dist && for package in *.deb; do ../scripts/make-sbom "$$package" >"$${package%.deb}.cdx.json"; done)

image: deb
	# Podman leaves HEALTHCHECK out of images of its own form.
	BUILDAH_FORMAT=docker $(CONTAINER) build --build-arg BASE=$(IMAGE_BASE) --file packaging/image/Dockerfile --tag $(IMAGE) dist

# Home Assistant builds it on the computer that it is to run on.
home-assistant: deb
	IMAGE_BASE="$(IMAGE_BASE)" scripts/make-home-assistant dist

check: $(PYTHON_READY)
	scripts/install-packages build test
	scripts/check $(CHANGED_SINCE)

# Pytest names at its end what was skipped, by Swift's tests too.
test: export SWIFT_TEST_LOGS := $(SWIFT_TEST_LOGS)
# Programs are built with the tests: to ask for them again would plan the build anew, twice for each run.
test: ARE_PROGRAMS_BUILT := yes
test: test-without-daemon test-end-to-end

# What needs no compiler, for half a minute of one processor, runs beside the compiler and Swift's tests, which leave one idle
# at times. Its lines come behind theirs.
test-without-daemon: $(PYTHON_READY)
	scripts/install-packages build package test
	mkdir -p .build
	$(MAKE) --no-print-directory lint test-page-logic list-tests >$(BESIDE_LOG) 2>&1 & \
		$(MAKE) --no-print-directory test-swift || failed=test-swift; \
		wait $$! || failed="$${failed:-} lint, test-page-logic or list-tests"; \
		cat $(BESIDE_LOG); [[ -z $${failed:-} ]] || { echo "Failed: $$failed" >&2; exit 1; }

# What the page decides, without a browser.
test-page-logic:
	scripts/install-packages test
	node --test Tests/js/*.test.js

# Leaves them translated.
list-tests: $(PYTHON_READY)
	$(with_translated_tests) .venv/bin/pytest -c Tests/pytest.ini --quiet --collect-only | tail -1

# All of them at once would be thousands of threads and of open stores; so many take a tenth less of the processor.
test-swift: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH := 16
# Connections are tested apart: beside tests that keep both cores and the disk busy, they would meet deadlines.
test-swift:
	scripts/install-packages build test
	$(pack_places)
	scripts/build debug --build-tests
	$(in_test_folder) swift test --skip-build --skip ListenerTests --skip WebTests --skip CertificatesTests | tee $(word 1,$(SWIFT_TEST_LOGS))
	$(in_test_folder) swift test --skip-build --filter 'ListenerTests|WebTests|CertificatesTests' | tee $(word 2,$(SWIFT_TEST_LOGS))

lint: $(PYTHON_READY)
	scripts/install-packages test
	swift format lint --strict --recursive Package.swift Sources Tests Benchmarks
	.venv/bin/ruff check --quiet --no-cache Tests $$(grep -lE '^#!.*python' scripts/*)
	tsc --project jsconfig.json
	shellcheck --severity=warning $$(grep -lE '^#!.*[/ ](ba|da)?sh$$' .ci/run packaging/debian/* packaging/home-assistant/* scripts/*)
	$(call exposure,safelight.service,10)
	$(call exposure,safelight-activated.service,3)
	$(call exposure,safelight-backup@.service,2)
	$(call exposure,safelight-inbox@.service,2)
	$(call exposure,safelight-offsite@.service,12)
	$(call exposure,safelight-rehearsal@.service,12)

test-end-to-end: $(PYTHON_READY)
	scripts/install-packages build package test
	$(if $(ARE_PROGRAMS_BUILT),,scripts/build debug)
	$(pack_page)
	$(in_test_folder) $(call pytest,$(TESTED_BINARY)) Tests

nightly:
	$(if $(PART),$(MAKE) --no-print-directory nightly-$(PART),\
		for part in $(NIGHTLY_PARTS); do $(MAKE) --no-print-directory nightly-$$part || failed="$${failed:-} $$part"; done; \
		echo "Nightly parts that failed:$${failed:- none}"; [[ -z $${failed:-} ]])

nightly-%: $(PYTHON_READY)
	scripts/install-packages build package test nightly
	$(if $(filter programs,$*),/usr/bin/python3 -m venv $(GENERATORS) && $(GENERATORS)/bin/pip install --quiet --requirement Tests/requirements-generators.txt)
	scripts/build debug
	$(pack_page)
	$(call pytest,$(TESTED_BINARY)) --ring=nightly --part=$* Tests

nightly-flaky:
	$(MAKE) --no-print-directory flaky TESTS=--everything

flaky: $(PYTHON_READY)
	scripts/install-packages build package test
	scripts/build debug --build-tests
	$(pack_page)
	$(in_test_folder) SAFELIGHT_BINARY="$(TESTED_BINARY)" SAFELIGHT_WWW="$(PACKED_PAGE)" scripts/flaky --rounds=$(ROUNDS) --since=$(CHANGED_SINCE) $(TESTS) $(PYTEST_WORKERS) $(PYTEST_ARGUMENTS)

soak: $(PYTHON_READY)
	scripts/install-packages build package test nightly soak
	/usr/bin/python3 -m venv $(SCHEMATHESIS)
	$(SCHEMATHESIS)/bin/pip install --quiet --requirement Tests/requirements-soak.txt
	scripts/build release
	$(pack_page)
	SAFELIGHT_BINARY="$(CURDIR)/.build/release/safelight" SAFELIGHT_WWW="$(PACKED_PAGE)" \
		.venv/bin/pytest -c Tests/pytest.ini --ring=soak $(PYTEST_ARGUMENTS) Tests
	.venv/bin/python scripts/try-file-systems .build/release/safelight --compare docs/filesystems.md
	SAFELIGHT_BINARY="$(CURDIR)/.build/release/safelight" $(SCHEMATHESIS)/bin/python scripts/measure-deniability 200
	scripts/build debug --build-tests
	SAFELIGHT_HOSTILE_PICTURES=1500 swift test --skip-build --filter HostilePictureTests
	SAFELIGHT_COPY_PAIRS=500 swift test --skip-build --filter CopyTests

# Where scripts/bench puts it, unless somebody has one.
bench: COPYPARTY := $(or $(BENCH_COPYPARTY),$(CURDIR)/test-results/bench/copyparty/bin/copyparty)
bench: $(PYTHON_READY)
	scripts/install-packages build bench
	scripts/build release
	scripts/build release --product Benchmarks
	.build/release/Benchmarks
	scripts/bench .build/release/safelight
	SAFELIGHT_BINARY="$(CURDIR)/.build/release/safelight" BENCH_COPYPARTY="$(COPYPARTY)" .venv/bin/python scripts/bench-webdav
	SAFELIGHT_BINARY="$(CURDIR)/.build/release/safelight" .venv/bin/python scripts/bench-pictures
	$(pack_page)
	SAFELIGHT_BINARY="$(CURDIR)/.build/release/safelight" SAFELIGHT_WWW="$(PACKED_PAGE)" \
		BENCH_COPYPARTY="$(COPYPARTY)" .venv/bin/python scripts/bench-page

pictures: $(PYTHON_READY)
	scripts/install-packages build test
	scripts/build debug
	SAFELIGHT_BINARY="$(TESTED_BINARY)" .venv/bin/python scripts/take-pictures docs/pictures

screens: $(PYTHON_READY)
	scripts/install-packages build test
	scripts/build debug
	SAFELIGHT_BINARY="$(TESTED_BINARY)" .venv/bin/python scripts/take-screens test-results/screens

format:
	swift format --in-place --recursive Package.swift Sources Tests Benchmarks

clean:
	rm -rf .build .venv dist test-results

# The environment is made anew whenever the list of packages changes.
$(PYTHON_READY): Tests/requirements.txt
	scripts/install-packages package test
	rm -rf .venv
	/usr/bin/python3 -m venv .venv
	.venv/bin/pip install --quiet --requirement Tests/requirements.txt
	touch $@
