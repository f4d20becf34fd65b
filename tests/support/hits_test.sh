# hits_test.sh - functions for shell tests of sparse files; sourced after shell_test.sh.
# shellcheck shell=bash

# same_as_filtered DENSE ID HITS: the hits are the pairs of a dense file that reach the identity.
same_as_filtered()
{
    "$RIBOGRID" view "$1" --id "$2" >want.tsv && "$RIBOGRID" view "$3" >got.tsv &&
        same want.tsv got.tsv
}

# keep_for_scipy HITS: scipy_loads_kept is to read them.
keep_for_scipy()
{
    n_kept=$((${n_kept:-0} + 1))
    cp "$1" "kept.$n_kept.h5" &&
        "$RIBOGRID" view --no-header --sort row "$1" >"kept.$n_kept.tsv"
}

# scipy_loads_kept: scipy reads all hits that were kept as sparse matrices.
scipy_loads_kept()
{
    ! has_modules scipy ||
        "$PYTHON" "$here/tools/hits_csr.py" kept.*.h5
}

# count_hits HITS
count_hits()
{
    "$RIBOGRID" view --no-header "$1" | wc -l
}
