#!/bin/sh
# Draws every property and every fuzz target far longer than a test run does,
# which asks each property a hundred times: a fault that one input in ten
# thousand shows is red on somebody's machine one day. Offline; some half an hour.
# usage: scripts/soak.sh [DRAWS [SECONDS]]
set -eu
cd "$(dirname "$0")/.."
draws=${1:-5000} seconds=${2:-10}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0

# try NAME COMMAND...: tells the name; the output only of what fails.
try() {
	name=$1
	shift
	if "$@" >"$log" 2>&1; then
		echo "ok    $name"
	else
		echo "FAIL  $name"
		tail -n 60 "$log"
		failed=$((failed + 1))
	fi
}

for dir in $(grep -rl --include='*_test.go' 'rapid\.Check(' internal | xargs -n1 dirname | sort -u); do
	names=$(grep -l 'rapid\.Check(' "$dir"/*_test.go | xargs sed -n 's/^func \(Test[A-Za-z0-9_]*\)(.*/\1/p' | paste -sd '|' -)
	try "$dir: properties" "${GO:-go}" test -vet=off -timeout 60m -run "^($names)\$" "./$dir" -rapid.checks="$draws"
done
for file in $(grep -rl --include='*_test.go' '^func Fuzz' internal | sort); do
	for name in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
		try "$(dirname "$file"): $name" "${GO:-go}" test -vet=off -run '^$' -fuzz "^$name\$" -fuzztime "${seconds}s" "./$(dirname "$file")"
	done
done
[ "$failed" = 0 ] || { echo "soak: $failed failed; what they drew is in testdata beside them" >&2; exit 1; }
