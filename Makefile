# Everything a person does with a clone. The work is in Scripts/.

SWIFT ?= swift
PREFIX ?= /usr/local
SUITE ?= trixie
SOURCES = Sources Tests Fuzz Benchmarks Package.swift
export SWIFT

.DEFAULT_GOAL := help
.PHONY: help setup demo build recording recordings test test-web desktop-test test-client test-python python-client wheel wheel-test test-javascript javascript-client docs check-site fuzz tsan release install uninstall deb boot-test usb-test vm-test kiosk-test arm64-test rpm tarball arch install-test source-test images container-test release-packages verify-release \
	oldest-swift bench attack random-test soak format generate recipes paths lint clean

help: ## Show these targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install what building needs
	@Scripts/setup

demo: ## Read a virtual tag on a simulated reader, with nfcctl and with Python
	@Scripts/demo

build: setup ## Build everything, for debugging
	$(SWIFT) build

recording: ## Make a test of a recording (FILE=report.jsonl NAME=what-it-shows COMMAND='scan --json --count 1')
	@Scripts/recordings add $(FILE) $(NAME) $(if $(COMMAND),$(COMMAND),scan --json --count 1)

recordings: ## Record the virtual tags of Tests/Recordings again
	@Scripts/recordings make

test: ## Run all tests (ARGS='--filter NDEFTests' for some)
	@Scripts/test $(ARGS)

test-web: build ## Test web pages in Chromium and Firefox, all checks (ARGS='--only WORDS' for some)
	@Scripts/setup --web
	@Scripts/checks/check-web --browsers chromium,firefox $(ARGS)

desktop-test: ## Test nfcd-desktop with mocks of a desktop, dunst, X11 and sway (ARGS='--only WORDS' for some)
	@Scripts/systems/desktop-test $(ARGS)

test-client: ## Test a package that uses CoreNFC and CoreNFCTesting, and the examples in Go, Java, Rust, C and scripts
	@Scripts/setup --languages
	@Scripts/clients/test-examples --types
	@Scripts/checks/test-client $(ARGS)

test-python: ## Test the Python client, and its wheel
	@Scripts/setup --tests
	@Scripts/checks/test-python $(ARGS)

python-client: ## Build the wheel and the source distribution of the Python client, in .build/python
	@Scripts/setup --python
	@Scripts/products/python-client

wheel: ## Build the same wheel with nfcctl in it, for every Linux of this architecture with a recent glibc
	@Scripts/setup --python
	@Scripts/products/release --portable
	@Scripts/products/python-client .build/portable/nfcctl

wheel-test: wheel ## Try that wheel on a bare Debian with Python (root; SUITE=bookworm for Debian 12)
	@Scripts/systems/wheel-test --suite $(SUITE)

test-javascript: ## Test the JavaScript client, and its package
	@Scripts/setup --tests
	@Scripts/checks/test-javascript $(ARGS)

javascript-client: ## Pack the JavaScript client, in .build/javascript
	@Scripts/products/javascript-client

docs: ## Make the documentation in .build/docs: guides and reference as one site with a search (MkDocs and DocC)
	@Scripts/products/docs

check-site: ## Try that site in Chromium
	@Scripts/checks/check-site

fuzz: ## Feed the decoders with arbitrary bytes (ARGS='--seconds 300 message' for one target)
	@Scripts/checks/fuzz $(ARGS)

tsan: ## Run the tests of sessions and of the server with ThreadSanitizer (ARGS=NFCReadersTests for others)
	@Scripts/checks/tsan $(ARGS)

release: ## Build the programs for installation, with the Swift library linked statically (ARCH=arm64: cross-build, root)
	@Scripts/products/release $(ARCH)

install: ## Install what release built (DESTDIR= PREFIX=/usr/local), without building
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' Scripts/products/install

uninstall: ## Remove what install installed (with the same DESTDIR and PREFIX)
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' Scripts/products/install --uninstall

deb: release ## Make Debian packages of them, in .build/deb (ARCH=arm64 for that architecture)
	@Scripts/products/deb $(ARCH:%=--architecture %)

rpm: release ## Make rpm packages of them, in .build/rpm (ARCH=arm64 for that architecture)
	@Scripts/setup --packages
	@Scripts/release/rpm $(ARCH:%=--architecture %)

tarball: release ## Make an archive of them with install.sh, in .build/tarball (ARCH=arm64 for that architecture)
	@Scripts/setup --packages
	@Scripts/release/tarball $(ARCH:%=--architecture %)

arch: tarball ## Make Arch packages of that archive and their PKGBUILD, in .build/arch (ARCH=arm64 for that architecture)
	@Scripts/release/arch $(ARCH:%=--architecture %)

boot-test: release ## Try those packages on a bare Debian that boots in a container (root; SUITE=bookworm for Debian 12)
	@Scripts/systems/boot-test --suite $(SUITE)

usb-test: build ## Plug virtual USB readers into a real pcscd and libccid of Debian 13, and unplug, kill and stall them (root; ARGS=--short for less)
	@Scripts/systems/usb-test $(ARGS)

vm-test: release ## Try security keys in a virtual machine with Debian's kernel (root; about 20 min without KVM)
	@Scripts/setup --vm
	@Scripts/systems/vm-test keys $(ARGS)

kiosk-test: release ## Try a web kiosk with Chromium and Firefox in full screen in such a machine (root; about 10 min)
	@Scripts/setup --vm
	@Scripts/systems/vm-test kiosk $(ARGS)

arm64-test: ## Try the packages that 'make deb ARCH=arm64' made, in an emulator
	@Scripts/systems/emulated-test arm64

install-test: release ## Install, upgrade and remove a signed release on a system that boots in a container (root; SYSTEM='bookworm trixie rpm arch' for some)
	@Scripts/setup --packages
	@Scripts/systems/install-test $(or $(SYSTEM),bookworm trixie rpm arch)

source-test: ## Come to a first tag with a new clone and make demo (about 5 min of processor time)
	@Scripts/systems/source-test

images: ## Make container images of the packages in FOLDER (.build/dist): the clients, and the simulator; in .build/images (root)
	@Scripts/setup --images
	@Scripts/release/images $(FOLDER)

container-test: ## Run clients of the packages in FOLDER (.build/dist) in podman, bubblewrap and Flatpak, and try Examples/containers (root)
	@Scripts/setup --images
	@Scripts/systems/container-test $(ARGS) $(FOLDER)

release-packages: ## Make and try all files of a release, in .build/dist (root; KEYS='PATH …' or fingerprints: sign them)
	@Scripts/products/release-packages $(KEYS:%=--sign-key %) $(ARGS)

verify-release: ## Build the release in FOLDER=… again, from the commit that it names, and compare each file
	@Scripts/release/verify-release '$(FOLDER)' $(ARGS)

oldest-swift: ## Build with the oldest supported Swift and run the unit tests (ARGS=NFCTagsTests for some; root)
	@Scripts/systems/oldest-swift $(ARGS)

bench: ## Measure NDEF, exchanges, start, memory, wake-ups, load, proofs and an APDU; one table at the end
	@Scripts/benchmarks/bench

attack: ## Attack nfcd as a hostile client would, beside 20 others; figures at the end
	@Scripts/checks/attack $(ARGS)
	@NFCD_SEQUENCES=10000 Scripts/test --filter 'Raw commands without'

random-test: ## Send 100,000 random commands to random virtual tags; set up 10,000 that leave, change 2,000 of each kind (ARGS=1000000 for more commands)
	@NFCD_RANDOM_COMMANDS=$(or $(ARGS),100000) Scripts/test --filter 'Random commands'
	@NFCD_SETUPS=10000 Scripts/test --filter RandomSetUpTests
	@NFCD_UPDATES=2000 Scripts/test --filter 'inside a record that is torn'

soak: ## Try to lose taps, or to have a counter accepted twice: kills, cut-offs, broken disks, a fleet (ARGS='--short kill' for a part)
	@Scripts/checks/soak $(ARGS)

format: ## Format the sources
	$(SWIFT) format -i -r $(SOURCES)

generate: ## Write what follows from the declarations of methods: Swift, Docs/protocol.md, the clients
	@Scripts/generate

recipes: setup ## Carry out the recipes of CONTRIBUTING.md in a copy of the sources (about 5 min)
	@Scripts/checks/check-recipes

paths: ## Run the five paths of Docs/architecture.md and list the files that they pass (ARGS=--check to compare; about 4 min)
	@Scripts/setup --tests
	@Scripts/checks/paths $(ARGS)

lint: setup ## Check the format of the sources, and that what 'make generate' writes is current
	$(SWIFT) format lint --strict -r $(SOURCES)
	@Scripts/generate --check

clean: ## Remove what was built
	$(SWIFT) package clean
