#!/usr/bin/env bash
#
# fuzz.sh - runs the libFuzzer targets one after the other and keeps count of all runs.
#
#   tests/fuzz.sh BUILD_DIR SECONDS NEW_DIR [TARGET...]
#
# BUILD_DIR was configured with RIBOGRID_FUZZ.  Each target, or each of those given, runs for
# SECONDS on its corpus in tests/ and on NEW_DIR/TARGET, which gets what it finds; an input
# that fails goes to NEW_DIR/findings.  NEW_DIR/runs.tsv gets a line per run; the totals of
# all its lines, also those of earlier calls, are printed.  Exits with 1 if an input of this
# call fails.
set -u

usage()
{
    echo "usage: tests/fuzz.sh BUILD_DIR SECONDS NEW_DIR [TARGET...]" >&2
    exit 2
}

[ $# -ge 3 ] || usage
build=$1 seconds=$2 new=$3
shift 3
[[ "$seconds" =~ ^[1-9][0-9]*$ ]] || usage
list=$build/tests/fuzz_targets.txt # TARGET FOLDER..., written by CMake
[ -s "$list" ] || { echo "$list is missing: configure with -DRIBOGRID_FUZZ=ON" >&2 && exit 1; }
mkdir -p "$new/findings" || exit 1
runs=$new/runs.tsv
[ -s "$runs" ] || printf 'target\tcpu_seconds\texecutions\tfindings\n' >"$runs"

# count_findings TARGET: of this target alone, as several may run at the same time
count_findings()
{
    find "$new/findings" -type f -name "$1.*" | wc -l
}

# run TARGET FOLDER...: prints nothing but the line for runs.tsv
run()
{
    local target=$1 log=$new/$1.log cpu before
    local TIMEFORMAT='%U %S'

    shift
    [ -x "$build/tests/$target" ] || { echo "build $target first" >&2 && return 1; }
    mkdir -p "$new/$target"
    before=$(count_findings "$target")
    cpu=$({ time "$build/tests/$target" -max_total_time="$seconds" -timeout=25 \
        -report_slow_units=25 -rss_limit_mb=2560 -print_final_stats=1 \
        -artifact_prefix="$new/findings/$target." "$new/$target" "$@" >"$log" 2>&1; } 2>&1)
    awk -v target="$target" -v cpu="$cpu" \
        -v found=$(($(count_findings "$target") - before)) '
        /^#[0-9]+/ { n = substr($1, 2) }
        /^stat::number_of_executed_units:/ { n = $2 }
        END {
            split(cpu, part, " ")
            printf "%s\t%.1f\t%d\t%d\n", target, part[1] + part[2], n, found
        }' "$log" | tee -a "$runs" | awk -F '\t' '{ exit $4 > 0 }'
}

failed=0
while read -r target folders; do
    [ $# -eq 0 ] || [[ " $* " == *" $target "* ]] || continue
    # shellcheck disable=SC2086 # folders is a list
    run "$target" $folders </dev/null || { failed=1 && echo "$target: see $new/$target.log" >&2; }
done <"$list"
awk -F '\t' '
    NR > 1 { cpu[$1] += $2; n[$1] += $3; found[$1] += $4 }
    END {
        for (target in cpu)
            printf "%-20s %8.1f CPU minutes %12d executions %4d findings\n", target,
                   cpu[target] / 60, n[target], found[target]
    }' "$runs" | sort
exit $failed
