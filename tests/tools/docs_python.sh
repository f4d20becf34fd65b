#!/usr/bin/env bash
#
# docs_python.sh - the pieces of docs/python.md run, and say what they should.
set -u

# shellcheck source-path=SCRIPTDIR source=../support/shell_test.sh
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
"$PYTHON" -c 'import pandas, scipy' 2>/dev/null || skip "no Python with pandas and scipy"
cd "$tmp" || exit 1

# piece HEADING FILE: the code below a heading.
piece()
{
    awk -v heading="## $1" '$0 == heading { found = 1 }
        found && /^```$/ { exit }
        inside { print }
        found && /^```python$/ { inside = 1 }' "$here/../docs/python.md" >"$2"
    [ -s "$2" ]
}

# says WANT HEADING: the piece runs and prints a line that matches.
says()
{
    piece "$2" piece.py && expect_exit 0 "$PYTHON" piece.py && grep -Eq -- "$1" "$out" &&
        silent "$err" && return
    echo "not /$1/:"
    cat "$out" "$err"
    return 1
}

# Identities: a-b 98, a-c 50, b-c 48 of 100 columns.
{
    printf '>a\n%s%s\n' "$(printf '%50s' '' | tr ' ' A)" "$(printf '%50s' '' | tr ' ' C)"
    printf '>b\n%sGG%s\n' "$(printf '%48s' '' | tr ' ' A)" "$(printf '%50s' '' | tr ' ' C)"
    printf '>c\n%s%s\n' "$(printf '%50s' '' | tr ' ' A)" "$(printf '%50s' '' | tr ' ' T)"
} >reads.fa
check "a dense file" expect_exit 0 "$RIBOGRID" align reads.fa -q --ends count -o pairs.h5
check "the hits of a sparse one" "$PYTHON" "$here/tools/make_hits.py" hits.h5 a,b,c - \
    0,1,98,100 0,2,50,100
check "dense: table" says '^0 +a +b +0.98$' "Dense: a table of pairs"
check "dense: distances" says '^2 OTUs at 97 %' "Dense: a distance matrix, and clusters"
check "sparse: table" says '^0 .* a +b +0.98$' "Sparse: a table of hits"
check "sparse: matrix" says '^2 hits; 1 groups, single linkage$' \
    "Sparse: a matrix, and its connected components"
check "provenance" says '^count ends; ribogrid align reads.fa .*Z$' "What made a file"
check "sparse, against references: table" "$PYTHON" "$here/tools/make_hits.py" hits.h5 q1,q2 \
    r1,r2,r3 0,2,90,100 1,0,97,100
check "the best hit is first" says '^1 .* q2 +r1 +0.97$' "Sparse: a table of hits"
check "sparse, against references: matrix" says '^2 hits; no groups, single linkage$' \
    "Sparse: a matrix, and its connected components"
check "every piece has been run" test \
    "$(grep -c '^```python$' "$here/../docs/python.md")" -eq 5
finish
