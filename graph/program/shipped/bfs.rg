// bfs.rg - breadth-first search: steps from the source, and parents.
//
// A level is found by the one above it.  Of several parents the smallest node counts.
param node source;
output attribute int depth = -1;
output attribute node parent = none;
set frontier;
set reached;
int level = 0;

source.depth = 0;
source.parent = source;
frontier.add(source);
while (frontier.size > 0) {
    level += 1;
    foreach (v in frontier) {
        foreach (u in v.out where u.depth < 0) {
            u.parent min= v;
            reached.add(u);
        }
    }
    foreach (v in reached) {
        v.depth = level;
    }
    frontier.clear();
    swap frontier, reached;
}
