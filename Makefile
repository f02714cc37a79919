# The commands of this project. "make demo" and "make test" are all that a fresh machine needs.

GOLANGCI_VERSION := v2.15.0
BIN      := bin
REPORT   := out
# Linked once for all clones of a machine, and once more for another Go, which it must not be older than.
TOOLS    := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/simcloud/tools
GOLANGCI := $(TOOLS)/golangci-lint-$(GOLANGCI_VERSION)-$(shell go env GOVERSION)
GOBUILD  := CGO_ENABLED=0 go build -trimpath
# What the binaries report of themselves: the tag, or the last tag and the commit, or the commit's time before the first tag.
# Go's own stamp is missing under GOFLAGS=-buildvcs=false. The linker alone sets it: what is compiled and cached stays the same.
RELEASE  := $(shell git describe --tags --match 'v[0-9]*' --dirty 2>/dev/null || git describe --always --dirty --abbrev=12 2>/dev/null | \
	sed "s/^/v0.0.0-$$(TZ=UTC0 git log -1 --format=%cd --date=format-local:%Y%m%d%H%M%S 2>/dev/null)-/")
REVISION := $(shell git rev-parse HEAD 2>/dev/null)
STAMP    := -X github.com/simcloud-dev/simcloud/cmd/internal/cli.stampedVersion=$(RELEASE) \
	-X github.com/simcloud-dev/simcloud/cmd/internal/cli.stampedRevision=$(REVISION) \
	$(if $(RELEASE),-X k8s.io/component-base/version.gitVersion=$(RELEASE) -X k8s.io/component-base/version.gitCommit=$(REVISION))
# Without -trimpath each clone's folder would be part of what is cached, gigabytes a clone.
GOTEST    = go test -trimpath $(RACE)
KINDTEST  = SIMCLOUD_KIND=1 SIMCLOUD_CCM="$(abspath $(BIN))/simcloud-ccm" $(GOTEST)
PACKAGES := ./...
# Modules of their own: Kubernetes in one binary, and the tests with AWS' client. The gate runs their tests.
NESTED   := e2e/kube e2e/subject/aws e2e/subject/aws/simulated simcloud/dialect/aws/sdktest
# What tests on clusters run: the control plane, our provider and the mutants, all without the race detector.
PROGRAMS  = SIMCLOUD_KUBE="$$($(BIN)/simcloud kube path)" SIMCLOUD_CCM="$(abspath $(BIN))/simcloud-ccm" \
	SIMCLOUD_MUTANTCCM="$(abspath $(BIN))/test/mutantccm" SIMCLOUD_BIN="$(abspath $(BIN))"
GATE     := go run -trimpath ./scripts/gate

# Where "make install" puts the programs: below PREFIX, else where "go install" does.
INSTALLED = $(if $(PREFIX),$(PREFIX)/bin,$(or $(shell go env GOBIN),$(firstword $(subst :, ,$(shell go env GOPATH)))/bin))

# How often what fails on kind is run once more: 1 in the gate, 0 at night.
RETRIES := 1

# The race detector needs a C compiler. Without one the tests run without it, and say so.
RACE := $(if $(shell command -v "$$(go env CC)"),-race)
ifeq ($(RACE),)
$(warning no C compiler: the tests run without the race detector)
endif

.PHONY: help install demo test nightly nightly-gate check build image release-snapshot stamp subject-aws aws subjects race fuzz flips kills lint lint-nested bench conformance scoreboard hcloud has-hcloud openstack has-openstack has-versions museum agreement explore node-image kind kind-backend kind-deployment kind-scenarios kind-nightly tidy generate clean

## help: this list
help:
	@awk -F ': ' '/^## / { printf "%-16s %s\n", substr($$1, 4), substr($$0, length($$1) + 3) }' $(firstword $(MAKEFILE_LIST))

## demo: the four core scenarios on a real Kubernetes control plane
demo: build
	$(BIN)/simcloud test -l tier=core --report $(REPORT)/demo

## test: the gate of every change, on real control planes too: see docs/gate.md
test: build subjects
	$(PROGRAMS) $(GATE) --report $(REPORT)/gate

## nightly: everything, for hours, and nothing twice: see docs/gate.md
# Each part runs when another has failed too: -k goes on, and make then ends with an error that names each.
nightly: build subjects
	$(MAKE) --no-print-directory -k -j 1 lint-nested nightly-gate aws fuzz flips kills FUZZTIME=1m

# TestMatrix and TestAgreement add to the files of an earlier run, which may have been of another commit.
nightly-gate:
	rm -f "$(REPORT)/museum.txt" "$(REPORT)/agreement.jsonl"
	$(PROGRAMS) SIMCLOUD_MATRIX="$(abspath $(REPORT))/museum.txt" SIMCLOUD_AGREEMENT="$(abspath $(REPORT))/agreement.jsonl" SIMCLOUD_KILL_MOMENTS=12 \
		$(GATE) --nightly --report $(REPORT)/nightly

## flips: each bit of a small data file flipped, one at a time: refused or right; FLIPS=5000 flips so many
# Without the race detector, with which it takes ten times as long: the gate runs some with it.
flips:
	FLIPS='$(or $(FLIPS),all)' go test -trimpath -timeout 0 -v -run '^TestFlips$$' ./simcloud/core

## kills: a cloud killed 1,000 times while others write, with nothing lost and nothing twice; KILLS=50 kills it so often
kills:
	KILLS='$(or $(KILLS),1000)' $(GOTEST) -timeout 0 -v -run '^TestCrashes$$' ./simcloud/modeltest

## race: the tests that need no control plane, with the race detector, run three times in another order each
race:
	$(GOTEST) -short -count 3 -shuffle on $(PACKAGES)

## fuzz: every fuzz target for FUZZTIME each (10s unless it is set); FUZZ chooses some by folder and name
fuzz:
	FUZZTIME=$(or $(FUZZTIME),10s) scripts/fuzz '$(FUZZ)'

## check: what every commit must pass: formatting, lint, tidy modules, generated files, fast tests
check: lint tidy
	$(GOTEST) -short $(PACKAGES)

## tidy: fails when a module is not tidy; that generated files are current is a matter of tests
tidy:
	go mod tidy -diff
	for module in $(NESTED); do (cd $$module && go mod tidy -diff) || exit 1; done

## build: the binaries, the control plane's included (the first time about 10 minutes on 2 cores)
build:
	$(GOBUILD) -ldflags '$(STAMP)' -o $(BIN)/ ./cmd/...
	$(BIN)/simcloud kube path >/dev/null

## install: simcloud and simcloud-ccm to where "go install" puts programs; with PREFIX=/usr/local to /usr/local/bin, with simcloud-kube
# A simcloud-kube in Go's folder would stay beside each later simcloud, and be used: those of other versions are in the cache.
install: build
	mkdir -p "$(INSTALLED)"
	install -m 755 $(BIN)/simcloud $(BIN)/simcloud-ccm $(if $(PREFIX),"$$($(BIN)/simcloud kube path)") "$(INSTALLED)"
	@case ":$$PATH:" in *":$(INSTALLED):"*) ;; *) echo 'The PATH lacks it: export PATH="$(INSTALLED):$$PATH"' ;; esac

## image: a container image with simcloud, simcloud-ccm and simcloud-kube, in an archive that docker load takes
image: build
	$(MAKE) --no-print-directory install PREFIX="$(REPORT)/image" >/dev/null
	go run -trimpath ./scripts/image -folder "$(REPORT)/image/bin" -tag "simcloud:$(or $(RELEASE),latest)" -o "$(REPORT)/simcloud-image.tar"

## release-snapshot: what a release would have, of this commit: see docs/releasing.md; PLATFORM=all for all platforms
release-snapshot:
	go run -trimpath ./scripts/release -version "$(or $(RELEASE),v0.0.0)" -commit "$(REVISION)" $(if $(PLATFORM),-platform "$(PLATFORM)")

# For those that build the binaries by themselves: what "go build -ldflags" takes.
stamp:
	@echo '$(STAMP)'

## subject-aws: the cloud controller manager of AWS, from source (the first time about 5 minutes on 2 cores); prints its path
subject-aws: build
	@$(BIN)/simcloud subject build aws

## subjects: the mutants that tests run
subjects:
	$(GOBUILD) -o $(BIN)/test/ ./scenarios/mutant/mutantccm

## conformance: every clause of docs/conformance.md that needs no packets, about 5 minutes
conformance: build
	$(BIN)/simcloud conformance --parallel 3 --report $(REPORT)/conformance

## scoreboard: docs/scoreboard.md, from all clauses with each CCM, two hours; HCLOUD and OPENSTACK are binaries, HCLOUD_VERSION and OPENSTACK_VERSION their versions
scoreboard: has-hcloud has-openstack has-versions build subject-aws
	for profile in simcloud hcloud=$(HCLOUD) aws aws-nlb openstack=$(OPENSTACK); do \
		$(BIN)/simcloud conformance --parallel 3 --confirm 5 --profile $$profile --report $(REPORT)/scoreboard/$${profile%%=*} || [ $$? -eq 1 ] || exit 1; \
	done
	aws=$$($(BIN)/simcloud subject list | awk '$$1 == "aws" { print $$2 }') && \
	go run -trimpath ./scripts/scoreboard simcloud@$$(git describe --always)=$(REPORT)/scoreboard/simcloud 'hcloud@$(HCLOUD_VERSION)=$(REPORT)/scoreboard/hcloud' \
		aws@$$aws=$(REPORT)/scoreboard/aws aws-nlb@$$aws=$(REPORT)/scoreboard/aws-nlb \
		'openstack@$(OPENSTACK_VERSION)=$(REPORT)/scoreboard/openstack'

## aws: the four core scenarios with AWS's CCM, for each kind of its load balancers, its provider in simulated time, and what it does today although it should not
aws: subject-aws
	CGO_ENABLED=0 go test -C e2e/subject/aws/simulated -trimpath ./...
	$(BIN)/simcloud test --profile aws -l tier=core --parallel 2 --report $(REPORT)/aws/core
	$(BIN)/simcloud test --profile aws-nlb -l tier=core --parallel 2 --report $(REPORT)/aws/core-nlb
	$(BIN)/simcloud test --profile aws -l tier=dialect --parallel 2 --report $(REPORT)/aws/dialect

## hcloud: what Hetzner's CCM does today although it should not, see docs/known-issues.md; HCLOUD is its binary
hcloud: has-hcloud build
	$(BIN)/simcloud test --profile hcloud=$(HCLOUD) -l tier=dialect --parallel 2 --report $(REPORT)/hcloud
	$(BIN)/simcloud test --profile hcloud-watch-routes=$(HCLOUD) -l tier=dialect --parallel 2 --report $(REPORT)/hcloud-watch-routes

# Before anything is built, which takes minutes.
has-hcloud:
	@test -n '$(HCLOUD)' || { echo 'HCLOUD is missing: must be the path of a built hcloud-cloud-controller-manager, as in "make $(or $(MAKECMDGOALS),hcloud) HCLOUD=/path/to/hcloud-cloud-controller-manager"' >&2; exit 1; }
	@test -f "$$(command -v '$(HCLOUD)')" || { echo 'HCLOUD is $(HCLOUD), which is no program: must be the path of a built hcloud-cloud-controller-manager' >&2; exit 1; }

## openstack: the four core scenarios with OpenStack's CCM, and what it does today although it should not; OPENSTACK is its binary
openstack: has-openstack build
	$(BIN)/simcloud test --profile openstack-node-ip=$(OPENSTACK) -l tier=core --parallel 2 --report $(REPORT)/openstack/core
	$(BIN)/simcloud test --profile openstack=$(OPENSTACK) -l tier=dialect --parallel 2 --report $(REPORT)/openstack/dialect
	$(BIN)/simcloud test --profile openstack-security-groups=$(OPENSTACK) -l tier=dialect --parallel 2 --report $(REPORT)/openstack/groups

# Before anything is built, which takes minutes.
has-openstack:
	@test -n '$(OPENSTACK)' || { echo 'OPENSTACK is missing: must be the path of a built openstack-cloud-controller-manager, as in "make $(or $(MAKECMDGOALS),openstack) OPENSTACK=/path/to/openstack-cloud-controller-manager"' >&2; exit 1; }
	@test -f "$$(command -v '$(OPENSTACK)')" || { echo 'OPENSTACK is $(OPENSTACK), which is no program: must be the path of a built openstack-cloud-controller-manager' >&2; exit 1; }

has-versions:
	@test -n '$(HCLOUD_VERSION)' || { echo 'HCLOUD_VERSION is missing: must be the version of HCLOUD, such as HCLOUD_VERSION=v1.35.0' >&2; exit 1; }
	@test -n '$(OPENSTACK_VERSION)' || { echo 'OPENSTACK_VERSION is missing: must be the version of OPENSTACK, such as OPENSTACK_VERSION=v1.36.0' >&2; exit 1; }

## agreement: whether simulated time and control planes judge the same: the library, and each mutant with its scenario, a quarter of an hour
agreement: build subjects
	$(PROGRAMS) SIMCLOUD_AGREEMENT="$(abspath $(REPORT))/agreement.jsonl" go test -trimpath -count 1 -timeout 0 -v -run TestAgreement ./scenarios/mutant

## museum: each mutant of docs/museum.md against all of the regression corpus and the core scenarios, half an hour
museum: build subjects
	$(PROGRAMS) SIMCLOUD_MATRIX="$(abspath $(REPORT))/museum.txt" go test -trimpath -count 1 -timeout 0 -v -run TestMatrix ./scenarios/mutant

## explore: which mutants random histories find in 2 minutes each, by SEEDS seeds (3 unless set), in simulated time, hours
explore: subjects
	$(BIN)/test/mutantccm explore --seeds $(or $(SEEDS),3)

## node-image: the image of kind's nodes, of Go modules and Debian packages
node-image: build
	$(BIN)/simcloud node-image build

# Those that each change must pass: packets through load balancers and routes, a Node that stops and a zone that fails. The others
# take as long again: see docs/gate.md.
KIND_SCENARIOS = name in (lb-provisioning,lb-node-stops,lb-source-ranges,lb-udp,route-pod-to-pod,zone-down)

## kind: what only packets and pods can prove, about 6 minutes, 10 beside other tests; needs a container engine, such as that of scripts/docker-up.sh
# Never more than two clusters at a time: a third makes all of them so slow on two cores that kubelets are taken for dead.
kind: build
	$(MAKE) --no-print-directory kind-scenarios
	$(MAKE) --no-print-directory kind-deployment
	$(MAKE) --no-print-directory kind-backend

kind-backend:
	SIMCLOUD_KIND=1 SIMCLOUD_CCM="$(abspath $(BIN))/simcloud-ccm" $(GATE) $(if $(filter 0,$(RETRIES)),--nightly) --report $(REPORT)/kind-backend \
		--run '^(TestARealEngine|TestBackend)$$' ./e2e/kind/engine ./e2e/kind
kind-deployment:
	$(BIN)/simcloud test --backend kind --ccm-mode deployment -l name=node-taint-removal --retries $(RETRIES) --report $(REPORT)/kind-deployment
kind-scenarios:
	$(BIN)/simcloud test --backend kind -l '$(KIND_SCENARIOS)' --parallel 2 --retries $(RETRIES) --report $(REPORT)/kind

## kind-nightly: all that needs a container engine, about 15 minutes, with nothing beside it, and nothing twice
# One package at a time: each begins by removing what killed runs have left in the engine, and some leave it on purpose.
kind-nightly: build
	SIMCLOUD_NIGHTLY=1 $(KINDTEST) -timeout 60m -p 1 ./e2e/kind/...
	SIMCLOUD_NIGHTLY=1 $(KINDTEST) -timeout 60m -run TestInCluster ./e2e
	$(MAKE) --no-print-directory kind-scenarios RETRIES=0 KIND_SCENARIOS='tier in (core,data)'
	$(MAKE) --no-print-directory kind-deployment RETRIES=0

## bench: speed, as medians of RUNS runs (3), ratios to a limit that is measured in the same run
bench: build subjects
	go run -trimpath ./scripts/bench $(RUNS)

## lint: formatting, vet and linters
# Built as the tests are, so that what it needs is cached for them, or by them, in a new clone too.
lint: $(GOLANGCI)
	GOFLAGS="-trimpath $(RACE)" $(GOLANGCI) run --allow-parallel-runners
	for module in $(NESTED); do gofmt -l $$module | (! grep .) || exit 1; done

## lint-nested: the linters for the nested module with tests of AWS's SDK
# With the other nested modules the linters would look at all of Kubernetes. Without the race detector, as these tests run.
lint-nested: $(GOLANGCI)
	cd simcloud/dialect/aws/sdktest && CGO_ENABLED=0 GOFLAGS=-trimpath $(GOLANGCI) run --allow-parallel-runners ./...

$(GOLANGCI):
	@echo "building golangci-lint $(GOLANGCI_VERSION): a few minutes the first time"
	mkdir -p "$(TOOLS)"
	new=$$(mktemp -d "$(TOOLS)/new.XXXXXX") && \
		GOBIN="$$new" go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION) && \
		mv "$$new/golangci-lint" $@ && rmdir "$$new"

## generate: write the generated files anew
generate:
	go generate $(PACKAGES)

clean:
	rm -rf $(BIN) $(REPORT)
