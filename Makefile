# The commands of this project. "make demo" and "make test" are all that a fresh machine needs.

GOLANGCI_VERSION := v2.15.0
BIN      := bin
REPORT   := out
GOLANGCI := $(abspath $(BIN))/golangci-lint-$(GOLANGCI_VERSION)
GOBUILD  := CGO_ENABLED=0 go build -trimpath
# Without -trimpath each clone's folder would be part of what is cached, gigabytes a clone.
GOTEST    = go test -trimpath $(RACE)
# Those that take longest come first, and the clusters of a thousand nodes beside what waits more than it computes.
PACKAGES := ./cmd/... ./e2e ./scenarios/... ./...

# The race detector needs a C compiler. Without one the tests run without it, and say so.
RACE := $(if $(shell command -v "$$(go env CC)"),-race)
ifeq ($(RACE),)
$(warning no C compiler: the tests run without the race detector)
endif

.PHONY: demo test check build race fuzz lint bench e2e conformance museum explore node-image kind tidy generate clean

## demo: the four core scenarios on a real Kubernetes control plane
demo: build
	$(BIN)/simcloud test -l tier=core --report $(REPORT)/demo

## test: all tests, with the race detector, on a real control plane too
test: build
	cd e2e/kube && CGO_ENABLED=0 go test -trimpath -vet=off ./...
	SIMCLOUD_KUBE="$$($(BIN)/simcloud kube path)" SIMCLOUD_CCM="$(abspath $(BIN))/simcloud-ccm" \
		$(GOTEST) -timeout 60m $(PACKAGES)

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
	cd e2e/kube && go mod tidy -diff

## build: the binaries, the control plane's included (the first time about 8 minutes on 2 cores)
build:
	$(GOBUILD) -o $(BIN)/ ./cmd/...
	$(BIN)/simcloud kube path >/dev/null

## e2e: the tests that run a control plane
e2e: build
	SIMCLOUD_KUBE="$$($(BIN)/simcloud kube path)" SIMCLOUD_CCM="$(abspath $(BIN))/simcloud-ccm" \
		$(GOTEST) -timeout 60m -v ./e2e/... ./scenarios/... ./ccm/deploy/... ./cmd/...

## conformance: every clause of docs/conformance.md that needs no packets, about 5 minutes
conformance: build
	$(BIN)/simcloud conformance --parallel 3 --report $(REPORT)/conformance

## museum: each wrong CCM of docs/museum.md against all of the museum and the core scenarios, more than an hour
museum: build
	SIMCLOUD_MATRIX="$(abspath $(REPORT))/museum.txt" go test -trimpath -timeout 0 -v -run TestMatrix ./scenarios/wrong

## explore: how soon random histories find each of some wrong CCMs, up to 5 minutes for each
explore: build
	SIMCLOUD_EXPLORE=5m go test -trimpath -timeout 0 -v -run TestFindMuseum ./scenarios/explore

## node-image: the image of kind's nodes, of Go modules and Debian packages
node-image: build
	$(BIN)/simcloud node-image build

## kind: the scenarios on kind clusters, with packets; needs a container engine, such as that of scripts/docker-up.sh
# One package at a time: each begins by removing what killed runs have left in the engine, and some leave it on purpose.
kind: build
	SIMCLOUD_KIND=1 SIMCLOUD_CCM="$(abspath $(BIN))/simcloud-ccm" $(GOTEST) -timeout 60m -p 1 ./e2e/kind/...
	SIMCLOUD_KIND=1 SIMCLOUD_CCM="$(abspath $(BIN))/simcloud-ccm" $(GOTEST) -timeout 60m -run TestInCluster ./e2e
	$(BIN)/simcloud test --backend kind -l 'tier in (core,data)' --report $(REPORT)/kind
	$(BIN)/simcloud test --backend kind --ccm-mode deployment -l name=node-taint-removal --report $(REPORT)/kind-deployment

## bench: speed, as ratios to a limit that is measured in the same run
bench: build
	scripts/bench

## lint: formatting, vet and linters
lint: $(GOLANGCI)
	$(GOLANGCI) run
	cd e2e/kube && gofmt -l . | (! grep .)

$(GOLANGCI):
	@echo "building golangci-lint $(GOLANGCI_VERSION): a few minutes the first time"
	GOBIN="$(abspath $(BIN))/tmp" go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	mv $(BIN)/tmp/golangci-lint $@ && rmdir $(BIN)/tmp

## generate: write the generated files anew
generate:
	go generate $(PACKAGES)

clean:
	rm -rf $(BIN) $(REPORT)
