#!/usr/bin/env bash
# protein_peers.sh - time local scores of proteins on one GPU next to CUDASW++4.0.
#
# usage: bench/protein_peers.sh RIBOGRID CUDASW_DIR [QUERIES [TARGETS [LENGTH]]]
#
# CUDASW_DIR has the programs align and makedb, built for the GPU.  Random sequences of
# LENGTH residues (512): each of QUERIES (40) with each of TARGETS (100,000), the queries
# among them, with BLOSUM62 and gaps of 11 and 1.  One line per program: TCUPS (10^12 cells
# per second), median seconds of 5 runs.  In its time CUDASW++ has the whole search of a
# database that is on the GPU, ribogrid the batches of pairs of sequences that are there.
# Last, CUDASW++ with the database that its own benchmark uses: one sequence TARGETS times.
set -eu
ribogrid=$1
cudasw=$2
queries=${3:-40}
targets=${4:-100000}
length=${5:-512}
runs=5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-0} # CUDASW++ uses all that it sees

awk -v n="$targets" -v length_="$length" 'BEGIN {
    srand(1); split("A R N D C Q E G H I L K M F P S T W Y V", residue, " ")
    for (i = 1; i <= n; i++) {
        line = ""
        for (k = 0; k < length_; k++) line = line residue[1 + int(20 * rand())]
        print ">p" i "\n" line
    }
}' >"$work/targets.fa"
head -n $((2 * queries)) "$work/targets.fa" >"$work/queries.fa"
mkdir "$work/db"
"$cudasw/makedb" "$work/targets.fa" "$work/db/targets" >"$work/log"

# median: of the lines that are read
median() { sort -g | awk '{ at[NR] = $1 } END { print at[int((NR + 1) / 2)] }'; }
# search OPTIONS: one search of CUDASW++; its seconds
search() {
    "$cudasw/align" --query "$work/queries.fa" --top 0 --verbose --mat blosum62 --uploadFull \
        --prefetchDBFile "$@" >"$work/log" 2>&1
    awk '/^Total time:/ { print $3 + 0 }' "$work/log"
}
# report NAME CELLS: the median of the seconds that are read
report() {
    median | awk -v name="$1" -v cells="$2" '{
        if ($1 == 0) { print name ": no time in its output" > "/dev/stderr"; exit 1 }
        printf "%-36s  %6.2f  %8.4f\n", name, cells / $1 / 1e12, $1 }'
}
# peer NAME OPTIONS
peer() {
    for ((run = 0; run < runs; run++)); do search "${@:2}"; done |
        report "$1" $((queries * targets * length * length))
}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1
printf '%-36s  %6s  %8s\n' program TCUPS "median s"
"$ribogrid-bench" align --mode local --alphabet protein --kernel lscan --device cuda --peers off \
    --peer-pairs 8 --input "$work/targets.fa" --pairs $((queries * targets)) --batches 2 \
    --runs $runs --emit score --tsv | awk -F '\t' '
        $1 == "what" { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["gcups"] != "NA" { printf "%-36s  %6.2f  %8.4f\n", "ribogrid, lscan",
            $at["gcups"] / 1000, $at["median_s"]; exit }'
peer "CUDASW++4.0" --db "$work/db/targets"
peer "CUDASW++4.0 --dpx" --db "$work/db/targets" --dpx
peer "CUDASW++4.0, one sequence" --pseudodb "$targets" "$length"
peer "CUDASW++4.0 --dpx, one sequence" --pseudodb "$targets" "$length" --dpx
