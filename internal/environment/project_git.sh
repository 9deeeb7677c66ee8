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
# Large files are left as their pointers: what they point at is elsewhere.
lfs="-c filter.lfs.smudge=cat -c filter.lfs.process= -c filter.lfs.required=false"
git rev-parse --git-dir >/dev/null || exit 4
case $1 in
resolve)
	commit=$(git rev-parse --verify --quiet "$2^{commit}") || exit 3
	git rev-list --max-count=1 --timestamp "$commit" || exit 4
	git describe --tags --long --match '*[0-9]*' "$commit" 2>/dev/null
	exit 0
	;;
export)
	if [ -n "$3" ]; then
		git cat-file -e "$2:$3" 2>/dev/null || exit 5
		cd /box && exec git $lfs archive --format=tar --prefix=project/ --output=/box/source.tar "$2:$3"
	fi
	cd /box && exec git $lfs archive --format=tar --prefix=project/ --output=/box/source.tar "$2"
	;;
esac
exit 2
