#!/usr/bin/env bash
# circles.sh - what the linker sees: no source files that need each other in a circle, and no
# room that calls one above it.
#
# usage: tests/circles.sh BUILD_DIR
#
# A file needs another if it uses a symbol that the other defines.  Headers do not show this:
# functions declared in a room's one header may be defined in any of its files.
set -u
build=${1:-${RIBOGRID_BUILD:?give the build directory}}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

find "$build" -path '*/CMakeFiles/ribogrid*.dir/*' ! -path '*/tests/*' -name '*.o' | sort >"$work/objects"
if ! [ -s "$work/objects" ]; then
    echo "no object files in $build: build first" >&2
    exit 1
fi
# one line per symbol: source file, D (defines) or U (uses), symbol
xargs nm -A <"$work/objects" | awk -v build="$build/" -v root="$here/../" '
    {
        split($0, part, ":")
        if (part[1] != object) {
            object = source = part[1]
            if (index(source, build) == 1)
                source = substr(source, length(build) + 1)
            sub(/CMakeFiles\/[^\/]*\.dir\//, "", source)
            sub(/\.o$/, "", source)
            # a file that has moved leaves its old object behind
            exists = (getline line <(root source)) >= 0
            close(root source)
        }
        n = split(part[2], word, " ")
    }
    exists && n == 2 && word[1] == "U" { print source, "U", word[2] }
    exists && n == 3 && word[2] ~ /^[TDBRVWC]$/ { print source, "D", word[3] }
' >"$work/symbols"
awk '$2 == "D" && !($3 in home) { home[$3] = $1 }
    $2 == "U" { user[++n] = $1; used[n] = $3 }
    END {
        for (i = 1; i <= n; i++)
            if (used[i] in home && home[used[i]] != user[i])
                print user[i], home[used[i]], used[i]
    }' "$work/symbols" | sort -u >"$work/needs"

report() { # sentence, file of offending lines
    if [ -s "$2" ]; then
        failed=$((failed + 1))
        printf 'FAILED: %s\n' "$1"
        cat "$2"
    fi
}
cut -d ' ' -f 1,2 "$work/needs" | sort -u | tsort 2>&1 >/dev/null |
    grep -v 'input contains a loop' >"$work/circles"
report "no source files need each other in a circle" "$work/circles"
awk -v names="$("$here/ladder.sh")" '
    function room(path) { sub("/[^/]*$", "", path); return path }
    BEGIN { n = split(names, ladder, "\n"); for (i = 1; i <= n; i++) rank[ladder[i]] = i }
    rank[room($2)] > rank[room($1)] { print $1 ": uses " $3 " of " $2 }' \
    "$work/needs" >"$work/up"
report "a room uses only itself and what stands below it" "$work/up"

echo "$(wc -l <"$work/objects") files, $(wc -l <"$work/needs") uses: $((2 - failed)) passed, $failed failed"
[ "$failed" = 0 ]
