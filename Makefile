# The commands of this project. "make demo" and "make test" are all that a fresh machine needs.

GOLANGCI_VERSION := v2.15.0
BIN      := bin
REPORT   := out
GOLANGCI := $(abspath $(BIN))/golangci-lint-$(GOLANGCI_VERSION)
GOBUILD  := CGO_ENABLED=0 go build -trimpath
PACKAGES := ./...

# The race detector needs a C compiler. Without one the tests run without it, and say so.
RACE := $(if $(shell command -v "$$(go env CC)"),-race)
ifeq ($(RACE),)
$(warning no C compiler: the tests run without the race detector)
endif

.PHONY: demo test check build race fuzz lint bench e2e tidy generate clean

## demo: the four core scenarios on a real Kubernetes control plane
demo: build
	$(BIN)/simcloud test --report $(REPORT)/demo

## test: all tests, with the race detector, on a real control plane too
test: build
	cd e2e/kube && CGO_ENABLED=0 go test -trimpath -vet=off ./...
	SIMCLOUD_KUBE="$$($(BIN)/simcloud kube path)" SIMCLOUD_CCM="$(abspath $(BIN))/simcloud-ccm" \
		go test $(RACE) -timeout 30m $(PACKAGES)

## race: the tests that need no control plane, with the race detector, run three times in another order each
race:
	go test $(RACE) -short -count 3 -shuffle on $(PACKAGES)

## fuzz: every fuzz target for FUZZTIME each (10s unless it is set); FUZZ chooses some by folder and name
fuzz:
	FUZZTIME=$(or $(FUZZTIME),10s) scripts/fuzz '$(FUZZ)'

## check: what every commit must pass: formatting, lint, tidy modules, generated files, fast tests
check: lint tidy
	go test $(RACE) -short $(PACKAGES)

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
		go test $(RACE) -timeout 30m -v ./e2e/... ./scenarios/... ./cmd/...

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
