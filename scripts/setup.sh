#!/bin/sh
# Looks for what repgen needs at run time and installs what is missing: with
# apt when root on Debian, else it prints the exact command and stops.
set -eu

missing=""
command -v bwrap >/dev/null 2>&1 || missing="$missing bubblewrap"
python=""
for p in python3 python3.13 python3.12 python3.11 python3.10 python3.9; do
	if command -v "$p" >/dev/null 2>&1 && "$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))' >/dev/null 2>&1; then
		python=$p
		break
	fi
done
[ -n "$python" ] || missing="$missing python3 python3-venv"

[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	echo "setup: installing$missing" >&2
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq >&2
	# shellcheck disable=SC2086 # a list of package names
	apt-get install -y -qq --no-install-recommends $missing >&2
	exit 0
fi
echo "setup: missing:$missing" >&2
echo "setup: install with: sudo apt-get install$missing   (or your system's own packages)" >&2
exit 1
