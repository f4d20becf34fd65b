// components.rg - the smallest node that is connected to a node, in whatever direction:
// nodes whose component has changed pass it on.
output attribute node component = none;
attribute node smallest = none;
set active;
set smaller;

foreach (v in nodes) {
    v.component = v;
    v.smallest = v;
    active.add(v);
}
while (active.size > 0) {
    foreach (v in active) {
        foreach (u in v.out where v.component < u.component) {
            u.smallest min= v.component;
            smaller.add(u);
        }
        foreach (u in v.in where v.component < u.component) {
            u.smallest min= v.component;
            smaller.add(u);
        }
    }
    foreach (v in smaller) {
        v.component = v.smallest;
    }
    active.clear();
    swap active, smaller;
}
