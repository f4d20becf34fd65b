#!/usr/bin/env bash
#
# docs_python.sh - the code of docs/python.md about result files runs and prints what the page
# shows.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
has_modules pandas scipy || skip "no Python with pandas and scipy"

# extract HEADING FILE: write the code below a heading to FILE.
extract()
{
    awk -v heading="## $1" '$0 == heading { found = 1 }
        found && /^```$/ { exit }
        inside { print }
        found && /^```python$/ { inside = 1 }' "$here/../docs/python.md" >"$2"
    [ -s "$2" ]
}

# prints REGEX HEADING: the code runs and prints a line that matches.
prints()
{
    extract "$2" code.py && expect_exit 0 "$PYTHON" code.py && grep -Eq -- "$1" "$out" &&
        silent "$err" && return
    echo "no line matches /$1/:"
    cat "$out" "$err"
    return 1
}

# Identities: a-b 98, a-c 50, b-c 48 of 100 columns.
{
    printf '>a\n%s%s\n' "$(printf '%50s' '' | tr ' ' A)" "$(printf '%50s' '' | tr ' ' C)"
    printf '>b\n%sGG%s\n' "$(printf '%48s' '' | tr ' ' A)" "$(printf '%50s' '' | tr ' ' C)"
    printf '>c\n%s%s\n' "$(printf '%50s' '' | tr ' ' A)" "$(printf '%50s' '' | tr ' ' T)"
} >reads.fa
check "a dense file is made" \
    expect_exit 0 "$RIBOGRID" align reads.fa -q --ends count -o pairs.h5
check "a sparse file is made" "$PYTHON" "$here/tools/make_hits.py" hits.h5 a,b,c - \
    0,1,98,100 0,2,50,100
check "dense: table" prints '^0 +a +b +0.98$' "Dense: a table of pairs"
check "dense: distances" prints '^2 OTUs at 97 %' "Dense: a distance matrix, and clusters"
check "a spanning tree is made" expect_exit 0 "$RIBOGRID" graph mst pairs.h5 -q -o mst.h5
check "linkage matrix" prints '^2 OTUs at 97 %, single linkage$' \
    "A spanning tree as scipy's linkage matrix"
check "sparse: table" prints '^0 .* a +b +0.98$' "Sparse: a table of hits"
check "sparse: matrix" prints '^2 hits; 1 groups, single linkage$' \
    "Sparse: a matrix, and its connected components"
check "provenance" prints '^count ends; ribogrid align reads.fa .*Z$' "What made a file"
check "a file against references is made" \
    "$PYTHON" "$here/tools/make_hits.py" hits.h5 q1,q2 \
    r1,r2,r3 0,2,90,100 1,0,97,100
check "the best hit is first" prints '^1 .* q2 +r1 +0.97$' "Sparse: a table of hits"
check "sparse, against references: matrix" prints '^2 hits; no groups, single linkage$' \
    "Sparse: a matrix, and its connected components"
# that of the package: library_python.sh
check "all code about result files was run" test \
    "$(sed -n '/^## Result files/,$p' "$here/../docs/python.md" | grep -c '^```python$')" -eq 6
finish
