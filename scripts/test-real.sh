#!/bin/sh
# The tests that need the real package index, sandbox, interpreters and models.
# Some hold our answers against Python's own libraries; those go into a virtual
# environment in the cache folder, made once.
set -eu
cd "$(dirname "$0")/.."

home="${REPGEN_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/repgen}/test-python-2"
if [ ! -e "$home/complete" ]; then
	echo "test-real: making a Python with numpy, tokenizers and packages to read, in $home" >&2
	rm -rf "$home"
	python3 -m venv "$home"
	"$home/bin/python" -m pip install -q --disable-pip-version-check numpy tokenizers==0.23.3 uv
	# Only read, never imported.
	"$home/bin/python" -m pip install -q --disable-pip-version-check --no-deps torchmetrics==1.8.2 gymnasium==1.2.0
	touch "$home/complete"
fi
# A small language model behind a real server: fetched here, so that no test waits
# for it. The tests start and stop it themselves.
if [ ! -e "$(dirname "$home")/test-llm-1/complete" ]; then
	python3 scripts/llm-server.py </dev/null >/dev/null
fi
site=$("$home/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
REPGEN_TEST_PYTHON="${REPGEN_TEST_PYTHON:-$home/bin/python}"
REPGEN_TEST_UV="${REPGEN_TEST_UV:-$home/bin/uv}"
REPGEN_PACKAGES="${REPGEN_PACKAGES:-$site/torchmetrics:$site/gymnasium}"
export REPGEN_TEST_PYTHON REPGEN_TEST_UV REPGEN_PACKAGES
# Built as `make build` does, so that nothing is compiled twice.
REPGEN_REAL=1 exec "${GO:-go}" test -vet=off -trimpath -timeout 85m "${@:-./...}"
