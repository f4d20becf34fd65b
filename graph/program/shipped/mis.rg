// mis.rg - a maximal independent set: nodes are taken in the order of their ids unless a
// neighbor was taken.  The graph is undirected: --symmetrize.
output attribute bool in_set;
attribute bool is_next;
set undecided;
set decided;

foreach (v in nodes) {
    undecided.add(v);
}
while (undecided.size > 0) {
    foreach (v in undecided) {
        v.is_next = all(u in v.out: u >= v || !(u in undecided));
    }
    foreach (v in undecided where v.is_next) {
        v.in_set = true;
        decided.add(v);
        foreach (u in v.out) {
            decided.add(u);
        }
    }
    foreach (v in decided) {
        undecided.remove(v);
    }
    decided.clear();
}
