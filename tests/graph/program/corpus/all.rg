param node n;
param real r = -2.5e-3;
output attribute int x = 3 + 4 * 5 % 6;
output attribute bool b;
attribute node p;
set s; set t; int i; real q = infinity;
foreach (v in nodes where !(v in s)) { v.x = abs(-v.id) + v.degree - v.in_degree; t.add(v); }
for (v in t) { for (e in v.edges) { q min= e.weight; e.to.p max= v; i += 1; } }
if (i > 2 && q <= 1 || false) { swap s, t; } else if (t.size == 0) { t.clear(); } else { t.remove(n); }
while (i >= 0) { i += -1; }
foreach (v in nodes) { v.b = any(u in v.in: arc(u, v)) ? true : all(u in v.out: u != none); }
i = int(sqrt(real(max(2, 3)))) + count(u in nodes) + min(u in s: u.x);
