#!/usr/bin/env bash
#
# forged_logs.sh - logs of every kind of job with valid checksums that no run has written: what
# is impossible is refused in one line, what is missing is computed again.
#
#   RIBOGRID_FEWER=20 tests/dispatcher/forged_logs.sh    (one of 20; with sanitizers of 10)
#
# forge_logs.py makes and judges them; impossible_log.sh has chosen ones with their messages.
. "$(dirname "$0")/../support/shell_test.sh"
. "$here/support/log_test.sh"
need_h5py
fewer=${RIBOGRID_FEWER:-$(is_sanitized && echo 10 || echo 1)}

# Jobs whose records hold something else; forge_logs.py knows their fields.
more=(pairs marked local strands scores nets top lengths ranks central colors chosen forest)
job_rows+='free pairs.h5 align reads.fa
free marked.h5 align reads.fa --emit cigar --cigar-style eqx --ends count
free local.h5 align reads.fa --emit cigar --mode local
free strands.h5 align reads.fa --against refs.fa --strand both --top 2 --emit cigar --cigar-style eqx
free nets.h5 classify reads.fa --model net.h5
free top.tsv cnn predict network.h5 synthetic:20 --batch 8 --top 3
free scores.h5 align reads.fa --emit score
free lengths.h5 graph sssp grid.h5 --sources 3
free ranks.h5 graph pagerank grid.h5
free central.h5 graph betweenness grid.h5
free colors.h5 graph coloring grid.h5
free chosen.h5 graph mis grid.h5
free forest.h5 graph mst grid.h5
'

# A network that names sequences, and references for them.
make_more_inputs()
{
    sed 's/1x28x28/1x64x64/; s/^pool = max 7$/pool = max 8/' net.ini >kmer.ini
    "$RIBOGRID" cnn train kmer.ini reads.fa --taxonomy reads.tax --threads 1 -q -o net.h5
    "$RIBOGRID" simulate 6 --length 30 --seed 4 -o refs.fa
}

make_jobs
make_more_inputs
# shellcheck disable=SC2154 # of log_test.sh
for job in $jobs "${more[@]}"; do
    keep_log "$job"
    printf '%s\t%s\t%s\n' "$job" "$file" "${command[*]}" >>jobs.tsv
done
"$PYTHON" "$here/dispatcher/forge_logs.py" jobs.tsv "$fewer" >forged.txt
check "every forged log ends in order" test $? -eq 0
cat forged.txt
finish
