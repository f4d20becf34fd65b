#!/usr/bin/env bash
# docs.sh - check the documents: docs/commands.md equals what --help prints, docs/file-format.md
# what the tables of files say, links lead to files, and files and functions that are named exist.
#
# usage: RIBOGRID=... MAKE_FORMATS=... tests/docs.sh
set -u
export LC_ALL=C # sorts and searches faster
cd "$(dirname "$0")/.." || exit 1
passed=0
failed=0
pass() { passed=$((passed + 1)); }
fail() {
    failed=$((failed + 1))
    echo "FAILED: $*"
}

if docs/make-commands.sh "$RIBOGRID" | diff docs/commands.md - >&2; then
    pass
else
    fail "docs/commands.md is out of date: docs/make-commands.sh RIBOGRID > docs/commands.md"
fi

# The path from argv to HDF5: each function is defined and named where the table says.
words_of() { grep -o '`[^`]*`' <<<"$1" | tr -d '`'; }
n_hops=0
while IFS='|' read -r _ _ functions defined called _; do
    mapfile -t function < <(words_of "$functions")
    mapfile -t file < <(words_of "$defined")
    mapfile -t caller < <(words_of "$called")
    n_hops=$((n_hops + 1))
    for i in 0 1 2; do
        name=${function[$i]:-${function[0]}}
        grep -qE "^[a-z].*\\b$name\\(" "${file[$i]:-${file[0]}}" &&
            grep -qw "$name" "${caller[$i]:-${caller[0]}}" ||
            fail "docs/design.md: hop $n_hops is not as written: $name"
    done
done < <(grep -E '^\| [0-9]+ \|' docs/design.md)
if [ $n_hops -ge 6 ] && [ $n_hops -le 12 ]; then
    pass
else
    fail "docs/design.md: from argv to HDF5 it is $n_hops functions, not at most twelve"
fi

# the part of docs/file-format.md between two comments is made from the tables of files
if "${MAKE_FORMATS:?give the program make_formats}" |
    diff <(sed -n '/^<!-- made/,/^<!-- end/{//!p}' docs/file-format.md) - >&2; then
    pass
else
    fail "docs/file-format.md is out of date: put what make_formats prints between its comments"
fi

folders='io kernels graph cnn worker library dispatcher tools tests bench docs cmake packaging
    python examples'
# shellcheck disable=SC2086 # a list of folders
words=$(grep -rhoE --include='*.[ch]' --include='*.cu*' --include='*.py' --include='*.sh' --include='*.txt' \
    --include='*.cmake' '[A-Za-z_][A-Za-z_0-9]{3,}' $folders CMakeLists.txt CMakePresets.json |
    sort -u)
# with and without the folders that they are in
# shellcheck disable=SC2086
files=$(find $folders -type f | awk '{ do print; while (sub("^[^/]*/", "")) }' | sort -u)

# each_is_one_of LIST SENTENCE: each line of stdin is a line of the list; both are sorted.
each_is_one_of() {
    local names missing

    mapfile -t names
    mapfile -t missing < <(printf '%s\n' "${names[@]}" | grep . | comm -23 - <(echo "$1"))
    passed=$((passed + ${#names[@]} - ${#missing[@]}))
    for name in "${missing[@]}"; do
        fail "$2 $name"
    done
}

for page in *.md */README.md docs/*.md docs/decisions/*.md; do
    while read -r link; do
        if [ -e "$(dirname "$page")/$link" ]; then pass; else fail "$page: $link leads nowhere"; fi
    done < <(grep -oE '\]\([^)#:]+\)' "$page" | sed 's/^](//; s/)$//')
    [[ $page =~ ^(CHANGELOG|CONTRIBUTING).md$ ]] && continue # history, and made-up examples
    # files in backticks, with or without their folder; NAME stands for a name to be chosen
    each_is_one_of "$files" "$page: there is no file" < <(grep -oE '`[a-z_0-9/]+\.(c|h|cu|cuh|sh|py)`' "$page" | tr -d '`' | sort -u)
    # functions, types and macros: words with an underscore
    each_is_one_of "$words" "$page: the sources have no" < <(grep -oE '`[A-Za-z]+(_[A-Za-z0-9]+)+(\(\))?`' "$page" | tr -d '`()' | grep -v NAME | sort -u)
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
