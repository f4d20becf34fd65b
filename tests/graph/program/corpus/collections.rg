output attribute int x; edge attribute real w = 0.5; edge attribute node p;
multiset m; oset o; omultiset r; queue q; set s; node a = min(v in nodes: v);
foreach (v in nodes) { foreach (e in v.edges) { e.w += 1.5; e.p = v; m.add(e.to); } barrier; v.x = 1; }
inBFS (v from a where v.x > 0; level) { v.x = level + m.count(v); }
for (v in m) { o.add(v); r.add(v); q.add(v); }
s.add(a);
while (q.size > 0; dynamic_update(s)) { q.pop(); foreach (v in s) { s.add(v); } }
r.remove(a); swap q, q;
foreach (v in s; clear) { v.x += o.first.x + (q.first == none ? 1 : 2); }
attribute int k; k = scan(v in o where v.x > 0: v.x + v.k); o = sort(v in r: -0.5 * v.x); q = sort(v in nodes: v);
foreach (v in nodes) { foreach (u in v.out) { critical { q.add(u); u.k = v.k + q.size; } } }
