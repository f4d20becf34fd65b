#!/usr/bin/env bash
#
# dist.sh - the source archive of a release: what packaging/dist.sh refuses and writes, that
# it is configured (with an argument: built as well) without git and without a network, and
# that what comes out has the version of the tag.
#
#   RIBOGRID=build/release/ribogrid tests/dist.sh [build]
. "$(dirname "$0")/support/shell_test.sh"
root=$(cd "$here/.." && pwd)
command -v git >/dev/null || skip "no git"
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
# Without a network besides the loopback interface, where that can be had: Open MPI's compiler
# needs this one.
# shellcheck disable=SC2016 # the inner shell's arguments
offline=(unshare -rn "$BASH" -c 'ip link set lo up && exec "$@"' offline)
"${offline[@]}" true 2>/dev/null || offline=()
mkdir repository out

# A repository of the sources as they are here.
list_sources()
{
    if [ -e "$root/.git" ]; then
        git -C "$root" -c safe.directory='*' ls-files -co --exclude-standard
    else
        (cd "$root" && find . -type f ! -path './build*' ! -name '*.part')
    fi
}

commit()
{
    git -C repository add -A && git -C repository commit -q --allow-empty -m "$1"
}

dist()
{
    bash repository/packaging/dist.sh out
}

# set_version VERSION: in all files that name it.
set_version()
{
    sed -i "0,/^## \[[0-9].*/s//## [$1] - 2026-01-31/" repository/CHANGELOG.md
    sed -i "s/^version: .*/version: $1/" repository/CITATION.cff
    sed -i "s/set version = .*/set version = \"$1\" %}/" repository/packaging/bioconda/meta.yaml
}

# configured_version FOLDER: "VERSION (COMMIT)" that its build has.
configured_version()
{
    sed -n 's/^#define VERSION_\(TEXT\|COMMIT\) "\(.*\)"/\2/p' "$1/build/tools/version.h" |
        paste -sd ' '
}

configure()
{
    "${offline[@]}" env -u CI "${CMAKE_COMMAND:-cmake}" -S "$1" -B "$1/build" \
        -DRIBOGRID_CUDA=OFF -DBUILD_TESTING=OFF -DRIBOGRID_WERROR=OFF
}

list_sources | (cd "$root" && tar -c --ignore-failed-read -T - 2>/dev/null) | tar -x -C repository
git -C repository init -q
commit first
git -C repository tag first

# ---- before the first tag ----

number=$(sed -n 's/^## \[\([0-9.]*\)\].*/\1/p' repository/CHANGELOG.md | head -1)
head=$(git -C repository rev-parse --short=12 HEAD)
check "without a tag the archive has the version of CHANGELOG.md" expect_exit 0 dist
check "... and the commit in its name" test -s "out/ribogrid-$number-$head.tar.gz"
tar -xzf "out/ribogrid-$number-$head.tar.gz"
check "it is configured" expect_exit 0 configure "ribogrid-$number-$head"
check "... with that version and commit" test \
    "$(configured_version "ribogrid-$number-$head")" = "$number $(git -C repository rev-parse --short HEAD)"

# ---- a release ----

git -C repository tag v9.8.7
check "a tag that CHANGELOG.md lacks is refused" expect_exit 1 dist
check "... and named" grep -q "the tag is v9.8.7, but the newest heading of CHANGELOG.md is" "$err"
for file in CITATION.cff packaging/bioconda/meta.yaml; do
    set_version 9.8.7
    git -C repository checkout -q first -- $file
    commit "without $file"
    git -C repository tag -f v9.8.7 >/dev/null
    check "a tag that $file lacks is refused" expect_exit 1 dist
    check "... and the file named" grep -q "$file does not have" "$err"
done
set_version 9.8.7
commit release
git -C repository tag -f v9.8.7 >/dev/null
check "a release is archived" expect_exit 0 dist
check "its SHA-256 is printed" grep -qE '^[0-9a-f]{64}  ribogrid-9.8.7.tar.gz$' "$out"
cp out/ribogrid-9.8.7.tar.gz first.tar.gz
sleep 1.1 # gzip would store a later time
expect_exit 0 dist
check "the same commit gives the same bytes" cmp first.tar.gz out/ribogrid-9.8.7.tar.gz

tar -xzf out/ribogrid-9.8.7.tar.gz
(cd ribogrid-9.8.7 && find . ! -type d | sort) >unpacked
(cd repository && git ls-files | sed 's|^|./|' | sort) >tracked
check "it holds the files of the commit" cmp tracked unpacked
check "it is configured without git" expect_exit 0 configure ribogrid-9.8.7
check "it has the version of the tag" test "$(configured_version ribogrid-9.8.7)" = "9.8.7 v9.8.7"
if [ "${1:-}" = build ]; then
    check "it is built" expect_exit 0 "${offline[@]}" "${CMAKE_COMMAND:-cmake}" --build \
        ribogrid-9.8.7/build --parallel "$(nproc)"
    check "the program has the version" test \
        "$(ribogrid-9.8.7/build/ribogrid --version | paste -sd ' ' | cut -c 1-34)" = \
        "ribogrid 9.8.7 commit   v9.8.7 com"
fi

# ---- after it ----

commit later
check "later commits are counted from the tag" expect_exit 0 dist
check "... in the archive's name" test -s "$(echo out/ribogrid-9.8.7-1-g*.tar.gz)"
check "a checkout is configured" expect_exit 0 configure repository
check "... with the same version" test "$(configured_version repository | cut -c 1-18)" = \
    "9.8.7 v9.8.7-1-g$(git -C repository rev-parse --short=2 HEAD | cut -c 1-2)"
finish
