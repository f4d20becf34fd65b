// triangles.rg - triangles that contain a node.  The graph is undirected, without loops
// and repeated edges: --symmetrize --dedupe --drop-loops.
output attribute int triangles;

foreach (v in nodes) {
    v.triangles = sum(u in v.out: count(w in v.out where u < w && arc(u, w)));
}
