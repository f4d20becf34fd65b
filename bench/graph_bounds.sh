#!/usr/bin/env bash
# graph_bounds.sh - what bounds the graph kernels of a GPU, by Nsight Compute (ncu).
#
# usage: bench/graph_bounds.sh BUILD_DIR [GRAPH ... [-- ALGORITHM ...]]
#
# Graphs are those of `ribogrid-bench graph` (rmat:20:16 clone:citeseer grid:1500); the
# algorithms are all ten.  One line per graph and algorithm, of the longest kernel under the
# automatic choice: graph, algorithm, kernel, microseconds; in % of their peaks: device
# memory, second-level cache, first-level cache, the cores' units, issue slots; and the three
# reasons for which a warp waits most, each with the mean number of warps that wait for it
# per instruction that is issued.
set -eu
build=$1
shift
graphs=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    graphs+=("$1")
    shift
done
[ $# -gt 0 ] && shift
[ ${#graphs[@]} -gt 0 ] || graphs=(rmat:20:16 clone:citeseer grid:1500)
[ $# -gt 0 ] || set -- bfs sssp pagerank betweenness spmv components mst mis coloring triangles
ncu=$(command -v ncu || ls /usr/local/cuda/bin/ncu /opt/nvidia/nsight-compute/*/ncu 2>/dev/null |
    tail -1)
if [ -z "$ncu" ]; then
    echo "graph_bounds.sh: ncu was not found; install nsight-compute" >&2
    exit 1
fi

peak=pct_of_peak_sustained_elapsed
metrics=gpu__time_duration.sum
for unit in dram lts l1tex sm; do
    metrics+=,${unit}__throughput.avg.$peak
done
metrics+=,smsp__issue_active.avg.$peak
for reason in long_scoreboard short_scoreboard barrier membar wait lg_throttle mio_throttle \
    tex_throttle math_pipe_throttle no_instruction branch_resolve sleeping drain not_selected; do
    metrics+=,smsp__average_warps_issue_stalled_${reason}_per_issue_active.ratio
done

# summarize GRAPH ALGORITHM: print the line of the longest kernel in ncu's table.
summarize() {
    awk -v graph="$1" -v algorithm="$2" '
        !/^"/ { next }
        {
            sub(/^"/, "")
            sub(/"\r?$/, "")
            n = split($0, cell, /","/)
        }
        !has_head { # names, then units
            for (i = 1; i <= n; i++)
                name[i] = cell[i]
            has_head = 1
            next
        }
        !has_units {
            for (i = 1; i <= n; i++)
                unit[i] = cell[i]
            has_units = 1
            next
        }
        {
            delete of
            for (i = 1; i <= n; i++) {
                gsub(/,/, "", cell[i])
                of[name[i]] = cell[i]
                if (name[i] == "gpu__time_duration.sum")
                    us = cell[i] * (unit[i] ~ /^(ns|nsecond)$/ ? 1e-3 : unit[i] ~ /^(ms|msecond)$/ ? 1e3 : 1)
            }
            if (us <= longest)
                next
            longest = us
            kernel = of["Kernel Name"]
            gsub(/\(anonymous namespace\)::|<unnamed>::|^void /, "", kernel)
            sub(/[<(].*/, "", kernel)
            sub(/.*:/, "", kernel)
            units = stalls = ""
            for (i = 1; i <= n; i++)
                if (name[i] ~ /throughput|issue_active\.avg/) {
                    short = name[i]
                    sub(/__.*/, "", short)
                    sub(/smsp/, "issue", short)
                    value[short] = of[name[i]]
                }
            units = sprintf("dram %.0f L2 %.0f L1 %.0f sm %.0f issue %.0f", value["dram"],
                value["lts"], value["l1tex"], value["sm"], value["issue"])
            for (k = 0; k < 3; k++) {
                best = 0
                for (i = 1; i <= n; i++)
                    if (name[i] ~ /issue_stalled/ && of[name[i]] + 0 > best + 0 && of[name[i]] != "") {
                        best = of[name[i]]
                        at = i
                    }
                if (best > 0) {
                    short = name[at]
                    sub(/.*issue_stalled_/, "", short)
                    sub(/_per_issue.*/, "", short)
                    stalls = stalls sprintf(" %s %.1f", short, best)
                    of[name[at]] = 0
                }
            }
        }
        END {
            if (longest > 0)
                printf "%s\t%s\t%s\t%.0f\t%s\t%s\n", graph, algorithm, kernel, longest, units,
                    substr(stalls, 2)
            else
                printf "%s\t%s\tnot measured\n", graph, algorithm
        }'
}

for graph in "${graphs[@]}"; do
    for algorithm in "$@"; do
        "$ncu" --csv --page raw --metrics "$metrics" \
            "$build/ribogrid-bench" graph "$graph" --algorithm "$algorithm" --setting auto \
            --reference cpu --runs 1 --seconds 0 2>/dev/null | summarize "$graph" "$algorithm"
    done
done
