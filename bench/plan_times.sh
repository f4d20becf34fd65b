#!/usr/bin/env bash
#
# plan_times.sh - what `align --plan` foretells, beside what the run then takes.
#
# usage: bench/plan_times.sh RIBOGRID READS.fa REFERENCES.fa [OPTIONS of both...]
#
# Prints a line per job: seconds foretold, seconds of the run from its start to its end, and
# their ratio.  Jobs are all pairs of READS by default, with --preset vsearch, with CIGARs, with
# both, and with --id 0.97; and READS against REFERENCES, with and without --id 0.97.  A plan
# measures for 2 s: a load that comes or goes meanwhile is part of both numbers.
set -euo pipefail

if [ $# -lt 3 ]; then
    sed -n '3,10s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
ribogrid=$1 reads=$2 references=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# job NAME OPTIONS...
job()
{
    local name=$1 foretold begun ended

    shift
    foretold=$("$ribogrid" align "$reads" "$@" -q --plan |
        awk -F '\t' '$1 == "time" { print $2 + 0 }')
    begun=$(date +%s.%N)
    "$ribogrid" align "$reads" "$@" -q --force -o "$work/pairs.h5"
    ended=$(date +%s.%N)
    awk -v name="$name" -v foretold="$foretold" -v begun="$begun" -v ended="$ended" 'BEGIN {
        printf "%-24s %9.3g %9.3g %7.2f\n", name, foretold, ended - begun,
               foretold / (ended - begun) }'
}

printf '%-24s %9s %9s %7s\n' "job" "plan s" "run s" "ratio"
job "default" "$@"
job "vsearch" --preset vsearch "$@"
job "cigar" --emit cigar "$@"
job "vsearch, cigar" --preset vsearch --emit cigar "$@"
job "id 0.97" --id 0.97 "$@"
job "against" --against "$references" "$@"
job "against, id 0.97" --against "$references" --id 0.97 "$@"
