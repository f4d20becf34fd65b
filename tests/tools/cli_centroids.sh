#!/usr/bin/env bash
#
# cli_centroids.sh - `ribogrid align --centroids`: OTUs are those of all hits, with any
# number of ranks, and files that lack hits are refused where all are needed.
. "$(dirname "$0")/../support/shell_test.sh"

# align OUTPUT ARGUMENT...: all hits of reads.fa, or some
align()
{
    local output=$1

    shift
    "$RIBOGRID" align reads.fa --sizein --derep -q --force --device cpu --kernel simd \
        -o "$output" "$@"
}

# cluster PAIRS PREFIX ARGUMENT...
cluster()
{
    local pairs=$1 prefix=$2

    shift 2
    "$RIBOGRID" cluster "$pairs" --method centroid --force -o "$prefix" "$@"
}

# same_otus ORDER ID OPTION...: hits with centroids give the OTUs of all hits.
same_otus()
{
    local order=$1 id=$2 file

    shift 2
    align all.h5 --id "$id" "$@" && align some.h5 --id "$id" --centroids "$order" "$@" &&
        cluster all.h5 all --id "$id" --order "$order" -q &&
        cluster some.h5 some --id "$id" --order "$order" -q || return 1
    for file in otus.tsv list reps.fasta; do
        cmp "all.$file" "some.$file" || return 1
    done
    # and they are fewer
    [ "$(field hits some.h5)" -lt "$(field hits all.h5)" ]
}

# Reads with abundances, from many to few.
"$RIBOGRID" simulate 600 --length 120 --divergence 6 --seed 3 -q -o plain.fa
awk '/^>/ { size = int(300 / ++n) + 1; print $1 ";size=" size; next } { print }' plain.fa >reads.fa

check "by abundance they give the OTUs of all hits" same_otus abundance 0.97
check "and by length" same_otus length 0.97
check "at another identity, with the scores of vsearch" \
    same_otus abundance 0.9 --preset vsearch
check "with ends that count, and CIGARs" same_otus length 0.95 --ends count --emit cigar
check "with an identity that no filter is proved for" same_otus abundance 0.95 --iddef 0

align some.h5 --id 0.95 --centroids abundance
check "the MCC is not known" eval 'cluster some.h5 some --id 0.95 2>line &&
    expect_line "OTUs by centroid at 0.95,.* of 0 sequences$" line'
check "nor is it in the groups" eval '"$RIBOGRID" info some.groups.h5 >info &&
    grep -q "^otus.min_size" info && ! grep -q "mcc" info'
check "another order is refused" refused 1 "only hits with centroids" \
    cluster some.h5 some --id 0.95 --order length
check "another identity is refused" refused 1 "only hits with centroids" \
    cluster some.h5 some --id 0.97
check "another method is refused" refused 1 "only hits with centroids" \
    "$RIBOGRID" cluster some.h5 --id 0.95 -o other
check "a report is refused" refused 1 "only hits with centroids" \
    "$RIBOGRID" report some.h5 -o other.html
check "a graph is refused" refused 1 "only hits with centroids" \
    "$RIBOGRID" graph components some.h5 --id 0.95 -o other.h5
check "the hits are printed" eval '"$RIBOGRID" view some.h5 >one.tsv'
check "--centroids needs --id" refused 2 "--centroids needs --id" \
    align other.h5 --centroids length

if command -v mpirun >/dev/null && mpi 1 true >/dev/null 2>&1; then
    check "three ranks align" mpi 3 "$RIBOGRID" align reads.fa --sizein --derep --id 0.95 \
        --centroids abundance -q --device cpu --kernel simd -o three.h5
    "$RIBOGRID" view three.h5 >three.tsv
    check "three ranks find the same hits" cmp one.tsv three.tsv
fi

finish
