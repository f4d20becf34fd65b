#!/usr/bin/env bash
#
# cli_graph_igraph.sh - results of `ribogrid graph` equal those of igraph, on CPUs and, where
# there is one, on a GPU.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
for PYTHON in "$PYTHON" /usr/bin/python3; do
    "$PYTHON" -c 'import igraph, h5py' 2>/dev/null && break
done
"$PYTHON" -c 'import igraph, h5py' 2>/dev/null || skip "no Python with igraph"
data=${RIBOGRID_DATA:-}/graphs
fast='bfs sssp pagerank components mst triangles mis coloring'

# agrees DEVICE GRAPH ALGORITHM...: igraph gives the same.
agrees()
{
    "$PYTHON" "$here/tools/graph_igraph.py" "$RIBOGRID" "$@"
}

devices=cpu
! "$RIBOGRID" devices | grep -q '^cuda:[0-9]' || devices+=' cuda'
for device in $devices; do
    # shellcheck disable=SC2086 # $fast is a list
    {
        check "$device: a sparse random graph of many components" \
            agrees "$device" random:300:200:1 betweenness $fast
        check "$device: a random graph" agrees "$device" random:200:1000:2 betweenness $fast
        check "$device: a dense random graph" agrees "$device" random:40:700:3 betweenness $fast
        [ -d "$data" ] || continue
        check "$device: karate" agrees "$device" "$data/karate.mtx" betweenness $fast
        check "$device: wiki-Vote" agrees "$device" "$data/wiki-Vote.txt.gz" $fast
        is_sanitized || check "$device: Gnutella" \
            agrees "$device" "$data/p2p-Gnutella31.txt.gz" $fast
    }
done
finish
