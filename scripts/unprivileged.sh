#!/bin/sh
# Runs the escape suite and the liars as an unprivileged user, since users are
# not root: another memory limit, another view of the machine. Root only.
set -eu

[ "$(id -u)" = 0 ] || { echo "unprivileged: needs root to become another user" >&2; exit 1; }
user=${1:-nobody}
place=$(mktemp -d)
trap 'chmod -R u+w "$place"; rm -rf "$place"' EXIT
chmod 755 "$place"

# The tests read their testdata and docs/ beside them.
mkdir "$place/tree"
tar -cf - --exclude=.git --exclude=bin . | tar -xf - -C "$place/tree"
chmod -R a+rX "$place/tree"
mkdir "$place/home"
go test -c -o "$place/bwrap.test" ./internal/sandbox/bwrap
go test -c -o "$place/cli.test" ./internal/cli
chown -R "$user" "$place/home"

run() { # folder, binary, pattern
	su -s /bin/sh "$user" -c "cd '$place/tree/$1' && exec env -i HOME='$place/home' PATH=/usr/local/bin:/usr/bin:/bin \
		TMPDIR='$place/home' REPGEN_REAL=1 REPGEN_CACHE_DIR='$place/home/cache' '$place/$2' -test.timeout 60m -test.run '$3'"
}
run internal/sandbox/bwrap bwrap.test .
run internal/cli cli.test 'TestLiars|TestHonest|TestReal|TestNoBubblewrap|TestAgentSession'
