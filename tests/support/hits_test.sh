# hits_test.sh - functions for shell tests of sparse files; sourced after shell_test.sh.
# shellcheck shell=bash

# same_as_filtered DENSE ID HITS: the hits are the pairs of a dense file that reach the identity.
same_as_filtered()
{
    "$RIBOGRID" view "$1" --id "$2" >want.tsv && "$RIBOGRID" view "$3" >got.tsv &&
        same want.tsv got.tsv
}

# scipy_loads HITS: scipy reads the hits as a sparse matrix.
scipy_loads()
{
    : "${has_scipy:=$("$PYTHON" -c 'import scipy.sparse' 2>/dev/null && echo yes || echo no)}"
    [ "$has_scipy" = yes ] || return 0
    "$RIBOGRID" view --no-header --sort row "$1" >got.tsv && "$PYTHON" "$here/tools/hits_csr.py" "$1" <got.tsv
}

# count_hits HITS
count_hits()
{
    "$RIBOGRID" view --no-header "$1" | wc -l
}
