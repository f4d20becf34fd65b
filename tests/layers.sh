#!/usr/bin/env bash
# layers.sh - the ladder of folders and the rules that a compiler does not check.
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
sources() { find "$@" -type f \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \); }

# A folder, and those it may include besides itself.
ladder='io:
kernels:io
graph:io kernels
cnn:io kernels
worker:io kernels graph cnn
dispatcher:io kernels graph cnn worker
tools:io kernels graph cnn worker dispatcher'
while IFS=: read -r folder below; do
    allowed=$(echo "$folder $below" | sed 's/ *$//; s/ /|/g')
    rule "$folder/ includes only itself and what stands below it" \
        "$(sources "$folder" | xargs -r grep -nE '#include "[a-z_0-9]+/' |
            grep -vE "#include \"($allowed)/")"
done <<<"$ladder"

rule "CUDA is seen only in kernels/, in .cu and .cuh files" \
    "$(sources io kernels graph cnn worker dispatcher tools |
        grep -vE '^kernels/.*\.cuh?$' | xargs grep -nE '#include <cuda|__global__|<<<')"
rule "MPI is called in one file" \
    "$(sources io kernels graph cnn worker dispatcher tools |
        grep -vxE 'dispatcher/transport_mpi.c' | xargs grep -nE '#include <mpi|\bMPI_[A-Z][a-z]')"
rule "HDF5 and zlib are seen only in io/" \
    "$(sources kernels graph cnn worker dispatcher tools |
        xargs grep -nE '#include <(hdf5|zlib)|#include "io/h5util')"
rule "nothing below tools/ exits, but for a transport's abandon" \
    "$(sources io kernels graph cnn worker dispatcher | xargs grep -nE '\b_?exit\(' |
        grep -vE '^dispatcher/transport_local.c:[0-9]+: *_exit\(exit_code\);')"
rule "files stay under 500 lines" \
    "$(sources io kernels graph cnn worker dispatcher tools tests | xargs wc -l |
        awk '$2 != "total" && $1 >= 500')"
rule "lines stay within 90 columns" \
    "$(sources io kernels graph cnn worker dispatcher tools tests |
        xargs awk 'length > 90 { print FILENAME ":" FNR }')"
rule "file names are unique in the whole tree" \
    "$(sources io kernels graph cnn worker dispatcher tools tests | sed 's:.*/::' | sort |
        uniq -d)"
rule "every header guards itself by its path" \
    "$(find io kernels graph cnn worker dispatcher tools -name '*.h' -o -name '*.cuh' |
        while read -r f; do
            [[ $f == *_body.h ]] && continue # included several times
            guard=RIBOGRID_$(echo "$f" | tr 'a-z/.' 'A-Z__')
            grep -q "#ifndef $guard" "$f" || echo "$f: $guard"
        done)"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
