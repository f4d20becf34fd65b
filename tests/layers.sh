#!/usr/bin/env bash
# layers.sh - the ladders of folders and of rooms, include circles, and the other rules that
# a compiler does not check.
#
# usage: tests/layers.sh [ROOT]
set -u
cd "${1:-$(dirname "$0")/..}" || exit 1
failed=0
passed=0
rule() { # sentence, offending lines
    if [ -z "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n%s\n' "$1" "$2"
    fi
}
all='io kernels graph cnn worker library dispatcher tools bench'
sources() { find "$@" -type f \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \); }
# shellcheck disable=SC2086 # $all is a list of folders
includes() { # FILE INCLUDED, a line each
    sources $all | sort | xargs awk '/^ *#include "/ { split($0, part, "\""); print FILENAME, part[2] }'
}

# A room that is not of the ladder is an error: each has a heading in its folder's README.md.
ladder=$(tests/ladder.sh .)
reaching_up=$(includes | awk -v ladder="$ladder" '
    function room(path) { sub("/[^/]*$", "", path); return path }
    BEGIN { n = split(ladder, names, "\n"); for (i = 1; i <= n; i++) rank[names[i]] = i }
    $2 == "version.h" { next } # made by CMake
    { from = room($1); to = room($2) }
    !(from in rank) { print $1 ": no room of the ladder: " from; next }
    !(to in rank) || rank[to] > rank[from] { print $1 ": includes " $2 }')
rule "a room includes only itself and what stands below it" "$reaching_up"
rule "graph/ does not reach into another folder than io/ and kernels/" \
    "$(includes | grep -E '^graph/' | grep -vE ' (io|kernels|graph)/')"

circles=$(includes | tsort 2>&1 >/dev/null | grep -v 'input contains a loop')
rule "no circles of includes" "$circles"

rule "each heading of a room in a README.md is that of a folder" \
    "$(echo "$ladder" | while read -r room; do [ -d "$room" ] || echo "$room"; done)"
rule "the baseline kernel is used by benchmarks only" \
    "$(includes | grep ' kernels/align/baseline/' |
        grep -vE '^(kernels/align/baseline|bench/align)/')"
rule "CUDA is seen only in kernels/ and bench/sync/programs/, in .cu and .cuh files, and as text in tools/dpc" \
    "$(sources $all |
        grep -vE '^(kernels|bench/sync/programs)/.*\.cuh?$|^tools/dpc/' | xargs grep -nE '#include <cuda|__global__|<<<')"
rule "MPI is called in one file" \
    "$(sources $all |
        grep -vxE 'dispatcher/transport/transport_mpi.c' |
        xargs grep -nE '#include <mpi|\bMPI_[A-Z][a-z]')"
rule "NCCL is called in one file" \
    "$(sources $all |
        grep -vxE 'kernels/gang/gang_nccl.cu' |
        xargs grep -nE '#include <nccl|\bnccl[A-Z][a-z]')"
rule "OpenSSL is called in one file" \
    "$(sources $all |
        grep -vxE 'dispatcher/remote/remote_tls.c' |
        xargs grep -nE '#include <openssl|\bSSL_[a-z]')"
rule "HDF5, zlib and the like are seen only in io/" \
    "$(sources kernels graph cnn worker library dispatcher tools bench |
        xargs grep -nE '#include <(hdf5|zlib|libdeflate|bzlib|lzma|zstd|png)|#include "io/hdf5/h5(util|text)')"
rule "nothing below tools/ exits, but for a transport's abandon and forked children" \
    "$(sources io kernels graph cnn worker library dispatcher | xargs grep -nE '\b_?exit\(' |
        grep -vE '^dispatcher/transport/transport_(local|stream).c:[0-9]+: *_exit\(exit_code\);' |
        grep -vE '^(dispatcher/remote/remote_(server|ssh|tls)|io/base/child(_reader)?|cnn/energy/clock_guard)\.c:')"
rule "files have at most 700 lines" \
    "$(sources $all tests | xargs wc -l |
        awk '$2 != "total" && $1 > 700')"
rule "a number has its unit or its name, not \"so many\"" \
    "$(grep -rniE '\bso (many|much)\b' $all tests --include='*.[ch]' --include='*.cu' \
        --include='*.cuh')"
rule "lines stay within 90 columns" \
    "$(sources $all tests |
        xargs awk 'length > 90 { print FILENAME ":" FNR }')"
rule "file names are unique in the whole tree" \
    "$(sources $all tests | sed 's:.*/::' | sort |
        uniq -d)"
rule "every file opens with a comment that names it and says what it is" \
    "$(comm -23 <(sources $all tests | sort) <(sources $all tests | xargs awk '
        FNR == 1 { first = $0; name = FILENAME; sub(".*/", "", name) }
        FNR == 1 && index($0, "/* " name " - ") || FNR == 2 && first == "/*" &&
            index($0, " * " name " - ") == 1 { print FILENAME }
        FNR == 2 { nextfile }' | sort))"
rule "every header is read once" \
    "$(find $all tests -name '*_body.h' -prune -o '(' -name '*.h' -o -name '*.cuh' ')' -print |
        xargs grep -L '^#pragma once$')"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
