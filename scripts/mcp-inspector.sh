#!/bin/sh
# Lets the protocol's official inspector list the tools of `repgen mcp` and call
# two of them. It needs npx (Node 20 was tried) and, once, a network.
# Usage: mcp-inspector.sh REPGEN FOLDER REPORT, REPORT being a file in FOLDER, which
# holds Python source as well.
set -eu

# Pinned: an inspector that changes its words is no fault of ours.
inspector="@modelcontextprotocol/inspector@1.0.3"

command -v npx >/dev/null 2>&1 || {
	echo "mcp-inspector: npx is missing: install Node 20 or later" >&2
	exit 1
}
repgen=$(command -v "$1")
case $repgen in /*) ;; *) repgen=$PWD/$repgen ;; esac
cd "$2"
report=$3

# The inspector hands on few variables of its own accord.
inspect() {
	npx --yes "$inspector" --cli -e "REPGEN_CACHE_DIR=${REPGEN_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/repgen}" "$repgen" mcp "$@"
}

# want TEXT: the answer on standard input holds TEXT; it is shown.
want() {
	answer=$(cat)
	printf '%s\n' "$answer"
	printf '%s\n' "$answer" | grep -q -- "$1" || {
		echo "mcp-inspector: no $1 in the answer" >&2
		exit 1
	}
}

for tool in read_report solve_environment run_script search_code judge_script get_run; do
	tools=${tools:-$(inspect --method tools/list)}
	printf '%s\n' "$tools" | want "\"name\": \"$tool\"" >/dev/null
done
echo "mcp-inspector: six tools"
inspect --method tools/call --tool-name read_report --tool-arg "path=$report" | want '"route": "attempt"'
inspect --method tools/call --tool-name search_code --tool-arg "path=$report" --tool-arg "wait_s=60" | want '"state": "done"'
inspect --method tools/call --tool-name read_report --tool-arg "path=../$report" | want '"isError": true'
