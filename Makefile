# repgen: `make demo` and `make test` do all the set-up on a machine that has
# Go and a C compiler.
GO ?= go
BIN := bin/repgen

.PHONY: build demo test test-real soak lint bench clean setup

build: $(BIN)

$(BIN): $(shell find cmd internal -path '*/testdata' -prune -o -type f ! -name '*_test.go' -print) go.mod go.sum
	$(GO) build -trimpath -o $@ ./cmd/repgen

# What repgen needs at run time: bubblewrap and a Python. Installs them with
# apt when root on Debian, else prints the exact command and stops.
setup:
	@sh scripts/setup.sh

demo: setup build
	$(BIN) reproduce examples/circle-distance.md

# Offline, no interpreter, no sandbox needed. Vetted once, not again by go test.
# A busy machine needs more than the ten minutes that a package has by default.
test:
	$(GO) vet ./...
	$(GO) test -vet=off -race -timeout 40m ./...

# The real package index, sandbox and interpreters; a missing tool fails.
test-real: setup build
	GO=$(GO) sh scripts/test-real.sh

# Properties and fuzz targets, drawn for half an hour: before a release.
soak:
	GO=$(GO) sh scripts/soak.sh

lint:
	@test -z "$$(gofmt -s -l cmd internal)" || { gofmt -s -l cmd internal; echo 'run: gofmt -s -w cmd internal'; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) tool errcheck -ignoretests ./...

# What repgen costs. First the aims: medians and ratios (x-bare) against a bare
# script and a bare `uv pip install`, measured in pairs in one run. Then the
# single steps, and the worst that a hostile report can do to a parser. Last the
# search: its parts, then the whole beside a plain Python retriever.
bench: setup build
	REPGEN_REAL=1 $(GO) test -run '^$$' -bench . -benchtime 9x -timeout 30m ./internal/cli ./internal/environment
	$(GO) test -run '^$$' -bench '^Benchmark(Parse|Decide|Judge|Write|Read)$$' -benchtime 200x ./internal/report ./internal/triage ./internal/oracle ./internal/bundle
	REPGEN_REAL=1 $(GO) test -run '^$$' -bench . -benchtime 20x ./internal/sandbox/...
	$(GO) test -run '^$$' -bench Hostile -benchtime 3x ./internal/report ./internal/triage ./internal/symptom
	REPGEN_REAL=1 $(GO) test -run '^$$' -bench . -benchtime 20x ./internal/codebase/... ./internal/pysyntax
	sh scripts/bench-retrieval.sh

clean:
	rm -rf bin repgen-out
