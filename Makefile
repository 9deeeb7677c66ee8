# repgen: `make demo` and `make test` do all the set-up on a machine that has
# Go and a C compiler.
GO ?= go
BIN := bin/repgen

.PHONY: build demo test test-real lint bench clean setup

build: $(BIN)

$(BIN): $(shell find cmd internal -name '*.go' -o -path '*/testdata' -prune -o -name '*.py' -print -o -name '*.tsv' -print) go.mod go.sum
	$(GO) build -trimpath -o $@ ./cmd/repgen

# What repgen needs at run time: bubblewrap and a Python. Installs them with
# apt when root on Debian, else prints the exact command and stops.
setup:
	@sh scripts/setup.sh

demo: setup build
	$(BIN) reproduce examples/jit-loses-nan.md

# Offline, no interpreter, no sandbox needed.
test:
	$(GO) vet ./...
	$(GO) test -race ./...

# The real package index, sandbox and interpreters; a missing tool fails.
test-real: setup build
	REPGEN_REAL=1 $(GO) test -timeout 60m ./...

lint:
	@test -z "$$(gofmt -s -l cmd internal)" || { gofmt -s -l cmd internal; echo 'run: gofmt -s -w cmd internal'; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) tool errcheck -ignoretests ./...

# Ratios in one run against the named baseline; needs what test-real needs.
bench: setup build
	REPGEN_REAL=1 $(GO) test -run '^$$' -bench . -benchtime 3x ./...

clean:
	rm -rf bin repgen-out
