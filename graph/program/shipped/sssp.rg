// sssp.rg - lengths of the shortest paths from the source, or -1 where no path leads
// (Bellman and Ford, from the nodes whose distance has changed).  Weights are at least 0.
param node source;
output attribute real distance = infinity;
attribute real shortest = infinity;
set active;
set shorter;

source.distance = 0;
source.shortest = 0;
active.add(source);
while (active.size > 0) {
    foreach (v in active) {
        foreach (e in v.edges where v.distance + e.weight < e.to.distance) {
            e.to.shortest min= v.distance + e.weight;
            shorter.add(e.to);
        }
    }
    foreach (v in shorter) {
        v.distance = v.shortest;
    }
    active.clear();
    swap active, shorter;
}
foreach (v in nodes where v.distance == infinity) {
    v.distance = -1;
}
