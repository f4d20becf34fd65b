# hits_test.sh - what the shell tests of sparse files share; they source it after
# shell_test.sh.
# shellcheck shell=bash

# filters DENSE ID HITS: hits are those pairs of a dense file that reach the identity.
filters()
{
    "$RIBOGRID" view "$1" --id "$2" >want.tsv && "$RIBOGRID" view "$3" >got.tsv &&
        same want.tsv got.tsv
}

# loads HITS: scipy takes them as they are.
loads()
{
    "$PYTHON" -c 'import scipy.sparse' 2>/dev/null || return 0
    "$RIBOGRID" view --no-header "$1" >got.tsv && "$PYTHON" "$here/tools/hits_csr.py" "$1" <got.tsv
}

hits_of()
{
    "$RIBOGRID" view --no-header "$1" | wc -l
}
