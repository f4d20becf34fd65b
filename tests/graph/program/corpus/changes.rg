output attribute int x; edge attribute node p; attribute node q; queue work; multiset m;
node a = min(v in nodes: v); new node b; work.add(b); m.add(a); b.q = a;
foreach (v in nodes) { new edge (v, a, 0.5); delete edge (v, v); critical { new node u; u.x = nodes.size; } }
commit;
for (v in nodes) { new node w; new edge (w, v); for (e in v.edges) { e.p = e.to; } }
delete node b; rebalance; if (b == none) { a.x = work.size; }
foreach (v in nodes) { v.x += count(u in v.in); if (v.id > 8) { delete node v; } }
