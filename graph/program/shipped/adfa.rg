// adfa.rg - default transitions of a deterministic automaton (A-DFA, Becchi and Crowley):
// a state keeps the arcs in which it differs from its default, the state of an earlier
// level with most equal arcs, at least two, and of these the first one.  The graph has a
// node for each state, and an arc for each transition, whose weight is the symbol.
param node start;
param node middle = none;  // another state of level 0
param int skip = 1;        // levels between a state and its default, at least
param int within = 0;      // and at most; 0: any number
output attribute int level = -1;
output attribute node fallback = none;
output attribute int kept;
edge attribute int symbol;

foreach (s in nodes) {
    s.kept = s.degree;
    foreach (e in s.edges) {
        e.symbol = int(e.weight);
    }
}
inBFS (s from start; steps) {
    s.level = steps;
}
if (middle != none) {
    inBFS (s from middle; steps) {
        s.level = s.level < 0 ? steps : min(s.level, steps);
    }
}
foreach (s in nodes where s.level > 0) {
    int most = 1;
    for (t in nodes where t.level >= 0 && t.level + max(skip, 1) <= s.level &&
                          (within == 0 || s.level - t.level <= within)) {
        int equal = count(e in s.edges
                          where any(f in t.edges where f.to == e.to: f.symbol == e.symbol));
        if (equal > most) {
            most = equal;
            s.fallback = t;
            s.kept = s.degree - equal;
        }
    }
}
