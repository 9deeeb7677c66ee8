# Runs inside the sandbox, without network: git on a repository that nobody
# trusts. Its work tree is not here, its configuration and hooks may name any
# program; what they do stays in the sandbox.
#   resolve REV         prints "SECONDS COMMIT", then the nearest tag
#   export COMMIT SUB   leaves the files below SUB in /box/source.tar
# Exit: 3 no such revision, 4 no repository, 5 no such folder, 127 no git.
command -v git >/dev/null || exit 127
mkdir -p "$HOME"
# The sandbox's user does not own the files.
printf '[safe]\n\tdirectory = *\n' >"$HOME/.gitconfig"
git rev-parse --git-dir >/dev/null || exit 4
case $1 in
resolve)
	commit=$(git rev-parse --verify --quiet "$2^{commit}") || exit 3
	git rev-list --max-count=1 --timestamp "$commit" || exit 4
	git describe --tags --long --match '*[0-9]*' "$commit" 2>/dev/null
	exit 0
	;;
export)
	# What is built must be what the commit holds. A repository's own attributes and
	# filters could write something else (and Git LFS would want what is elsewhere):
	# so only its objects are taken, and nothing of its configuration.
	objects=$(cd "$(git rev-parse --git-path objects)" && pwd) || exit 4
	format=$(git rev-parse --show-object-format 2>/dev/null || echo sha1)
	unset GIT_DIR GIT_WORK_TREE
	cd /box && git init --quiet --bare --object-format="$format" "$HOME/export.git" || exit 4
	echo "$objects" >"$HOME/export.git/objects/info/alternates"
	export GIT_DIR="$HOME/export.git"
	if [ -n "$3" ]; then
		git cat-file -e "$2:$3" 2>/dev/null || exit 5
		exec git archive --format=tar --prefix=project/ --output=/box/source.tar "$2:$3"
	fi
	exec git archive --format=tar --prefix=project/ --output=/box/source.tar "$2"
	;;
esac
exit 2
