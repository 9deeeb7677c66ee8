#!/bin/sh
# Measures the search side by side with a plain Python retriever: same trees,
# same machine, one after the other in one run. Prints ratios; on a busy machine
# plain times say nothing.
#
#   sh scripts/bench-retrieval.sh [NAME=DIR | NAME=GITDIR@COMMIT ...] [--model DIR] [--rounds N] [--full]
#
# Without trees: the source releases that internal/bench/testdata/retrieval
# names, from the package index. --model is a folder with model.safetensors (or
# model.onnx), tokenizer.json, vocab.txt and config.json; default: the one that
# `repgen models` holds. Without any, embedding is not measured. --full lets the
# baseline embed everything instead of extrapolating from a rate.
set -eu
cd "$(dirname "$0")/.."

say() { echo "bench-retrieval: $*" >&2; }

command -v go >/dev/null 2>&1 || { say "Go is missing"; exit 1; }
[ -x bin/repgen ] || make build

# The baseline needs CPython 3.9 or newer and a few packages of its own.
venv=${REPGEN_BASELINE_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/repgen-baseline}
packages="onnxruntime==1.32.0 tokenizers==0.23.3 rank_bm25==0.2.2 annoy==1.17.3 onnx numpy"
if ! "$venv/bin/python" -c 'import onnxruntime, tokenizers, rank_bm25, annoy, onnx, numpy' >/dev/null 2>&1; then
	say "making the baseline's environment in $venv"
	if command -v uv >/dev/null 2>&1; then
		uv venv -q --clear --python 3.11 "$venv"
		# shellcheck disable=SC2086 # a list of packages
		uv pip install -q --python "$venv/bin/python" $packages
	else
		python=""
		for p in python3.11 python3.12 python3; do
			if command -v "$p" >/dev/null 2>&1 && "$p" -c 'import venv, ensurepip' >/dev/null 2>&1; then
				python=$p
				break
			fi
		done
		[ -n "$python" ] || { say "neither uv nor a Python with venv is here: install one of them"; exit 1; }
		"$python" -m venv --clear "$venv"
		# shellcheck disable=SC2086
		"$venv/bin/python" -m pip install -q $packages || { say "its packages cannot be installed (annoy is built from source: a C++ compiler is needed)"; exit 1; }
	fi
fi
PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" scripts/baseline/compare.py "$@"
