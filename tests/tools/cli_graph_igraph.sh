#!/usr/bin/env bash
#
# cli_graph_igraph.sh - results of `ribogrid graph` equal those of igraph.
set -u

# shellcheck source-path=SCRIPTDIR source=../support/shell_test.sh
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
for PYTHON in "$PYTHON" /usr/bin/python3; do
    "$PYTHON" -c 'import igraph, h5py' 2>/dev/null && break
done
"$PYTHON" -c 'import igraph, h5py' 2>/dev/null || skip "no Python with igraph"
data=${RIBOGRID_DATA:-}/graphs
fast='bfs sssp pagerank components mst triangles mis coloring'
cd "$tmp" || exit 1

# agrees GRAPH ALGORITHM...: igraph gives the same.
agrees()
{
    "$PYTHON" "$here/tools/graph_igraph.py" "$RIBOGRID" "$@"
}

# shellcheck disable=SC2086 # $fast is a list
{
    check "a sparse random graph of many components" agrees random:300:200:1 betweenness $fast
    check "a random graph" agrees random:200:1000:2 betweenness $fast
    check "a dense random graph" agrees random:40:700:3 betweenness $fast
    if [ -d "$data" ]; then
        check "karate" agrees "$data/karate.mtx" betweenness $fast
        check "wiki-Vote" agrees "$data/wiki-Vote.txt.gz" $fast
        is_sanitized || check "Gnutella" agrees "$data/p2p-Gnutella31.txt.gz" $fast
    fi
}
finish
