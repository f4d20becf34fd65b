// coloring.rg - nodes take the smallest free color in the order of descending degree,
// then of their ids: all at once whose earlier neighbors have one (Jones and Plassmann).
// The graph is undirected, without loops and repeated edges: --symmetrize --dedupe
// --drop-loops.
output attribute int color = -1;
attribute int free;
attribute bool is_next;
set left;

foreach (v in nodes) {
    left.add(v);
}
while (left.size > 0) {
    foreach (v in left) {
        v.is_next = all(u in v.out: u.color >= 0 || u.degree < v.degree ||
                                    u.degree == v.degree && u > v);
        v.free = 0;
        if (v.is_next) {
            while (any(u in v.out: u.color == v.free)) {
                v.free += 1;
            }
        }
    }
    foreach (v in nodes where v.is_next && v.color < 0) {
        v.color = v.free;
        left.remove(v);
    }
}
