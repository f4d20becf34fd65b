#!/usr/bin/env bash
#
# dist.sh - write the source archive of the last commit, ribogrid-VERSION.tar.gz, and the same
# bytes for the same commit every time.
#
#   packaging/dist.sh [FOLDER]     (also: cmake --build build/release --target dist)
#
# Prints the archive's name and SHA-256, which the recipe of bioconda/ takes.  The version is
# that of CMake (cmake/Version.cmake).  On a commit with a tag vX.Y.Z everything that names the
# version has to agree with it: CHANGELOG.md, with a date, CITATION.cff and the recipe.

set -euo pipefail

folder=$(realpath -- "${1:-.}")
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

die() {
    printf 'dist: %s\n' "$*" >&2
    exit 1
}

git rev-parse -q --verify HEAD >/dev/null || die "no git repository here: archive a clone"
[ -z "$(git status --porcelain)" ] ||
    echo "dist: changes that are not committed are not in the archive" >&2
tag=$(git describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null) || tag=
described=$(git describe --tags --match 'v[0-9]*' 2>/dev/null) || described=
heading=$(grep -m1 '^## \[[0-9]' <<<"$(git show HEAD:CHANGELOG.md)") || heading=
version=${described#v}
if [ -z "$version" ] && [[ $heading =~ [0-9.]+ ]]; then
    version=${BASH_REMATCH[0]}-$(git rev-parse --short=12 HEAD)
fi

if [ -n "$tag" ]; then
    grep -qE "^## \[$version\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$" <<<"$heading" ||
        die "the tag is $tag, but the newest heading of CHANGELOG.md is '$heading';" \
            "write '## [$version] - $(date -u +%F)'"
    grep -qFx "version: $version" <<<"$(git show HEAD:CITATION.cff)" ||
        die "CITATION.cff does not have 'version: $version'"
    grep -qF "set version = \"$version\"" <<<"$(git show HEAD:packaging/bioconda/meta.yaml)" ||
        die "packaging/bioconda/meta.yaml does not have version $version"
fi

archive=ribogrid-$version.tar.gz
git archive --format=tar --prefix="ribogrid-$version/" HEAD | gzip -9n >"$folder/$archive.tmp"
mv -- "$folder/$archive.tmp" "$folder/$archive"
(cd -- "$folder" && sha256sum "$archive")
