/*
 * program_texts.h - programs that have each part of the language, in serial code, in
 * pieces, and nested; and programs that fail.
 */
#pragma once

#include <stdlib.h>

static const char *const program_texts[] = {
    "output attribute int x = 7 / 2 - -7 / 2 * 10 + -7 % 4 * (9223372036854775807 + "
    "2); output attribute real y = 1.0 / 3 - 0.1 * sqrt(2.5) + min(2, 2.5) + abs(-3);"
    "output attribute bool z = !(1 < 2 && 2.5 >= 3 || none != none) == true;",

    "output attribute int x; output attribute real y; output attribute node p;"
    "foreach (v in nodes) { v.x = v.degree * 3 + v.in_degree + abs(v.id - 500) % 17;"
    "v.y = sum(e in v.edges where e.weight > 0.25: e.weight * 0.1) + min(u in v.in: "
    "real(u.id)); v.p = max(u in v.out where u < v: u); if (v.y > 1e300) { v.y = -1; "
    "} else if (v.y > 20) { v.y = sum(u in v.out: 1.0 / u.id); } }",

    "output attribute int x; output attribute int c; set s; set t; int n; int low = "
    "100; int high; real r = 3; bool a = true; bool o; node last;"
    "foreach (v in nodes where v.id % 3 != 0) { s.add(v); n += v.degree; low min= "
    "v.id; high max= v.id; r min= 1.0 / v.id; a &= v.id > 5; o |= v.id == 9; last "
    "max= v; }"
    "foreach (v in s) { foreach (u in v.out) { u.x += v.id; u.c max= v.degree; "
    "t.add(u); } }"
    "foreach (v in t) { s.remove(v); }"
    "for (v in s) { n = n * 31 + v.id; } swap s, t; swap x, c;"
    "foreach (v in nodes) { v.x += n + low * 2 + high * 3 + int(r * 1e6) + (a ? 1 : "
    "2) + (o ? 4 : 8) + (v in s ? s.size : t.size) + last.id; }",

    "output attribute real y; attribute real z = 0.125; real total = sum(v in nodes: "
    "1.0 / v.id); int k = count(v in nodes where v.degree > 3) + sum(v in nodes: "
    "v.id) + min(v in nodes: v.id) + max(v in nodes: v.degree * v.id); real m = "
    "min(v in nodes: 1.0 / v.id) + max(v in nodes: -0.5 / v.id); node q = min(v in "
    "nodes where v.id > 20: v); bool b = any(v in nodes: v.degree == 2) && all(v in "
    "nodes: v.id > 2); set s; foreach (v in nodes where v.degree > 1) { s.add(v); } "
    "total += sum(v in s: 0.1 * v.id) + real(count(v in s)) + (b ? 1 : 0);"
    "foreach (v in nodes) { v.z = total / (k + v.id) + m; } swap y, z;"
    "foreach (v in nodes where v != q) { int i; int f = 1; while (i < v.degree && i "
    "< 20) { i += 1; f = f * 3 % 1000; if (f == 9) { v.y += 0.5; } } v.y += f; }",

    "output attribute int x; output attribute real y; multiset m; oset o; omultiset "
    "r; queue q; edge attribute int w = 2; edge attribute real z; edge attribute "
    "bool "
    "b; edge attribute node p; int n; foreach (v in nodes) { foreach (u in v.out) { "
    "m.add(u); } foreach (e in v.edges) { e.w += v.id; e.z = e.weight * 0.3; e.b = "
    "e.to > v; e.p = v; } } foreach (v in m) { n += v.id; v.x += 1; } for (v in "
    "nodes "
    "where v.degree > 3) { o.add(v); r.add(v); q.add(v); for (u in v.out where u.id "
    "% "
    "3 == 0) { o.add(u); r.add(u); q.add(u); } } foreach (v in nodes where v.id % 5 "
    "!= 0) { m.remove(v); } for (v in o where v.id % 7 == 0) { r.remove(v); } real t "
    "= sum(v in m: 1.0 / v.id) + sum(v in o where v.id > 9: 0.1 * v.id) + sum(v in "
    "r: 0.3 / v.id); int k; while (q.size > 0 && k < 50) { n = n * 31 + q.first.id; "
    "q.pop(); k += 1; } n += count(v in m) + sum(v in q: v.degree) + max(v in r: "
    "v.id) "
    "+ (any(v in m: m.count(v) == 3) ? 7 : 9); foreach (v in nodes) { foreach (e in "
    "v.edges) { e.w += n; } } foreach (v in nodes) { v.x += n + m.count(v) + "
    "r.count(v) + m.size + o.size + r.size + q.size + sum(e in v.edges where e.b: "
    "e.w "
    "+ e.p.id); v.y = t + sum(e in v.edges: e.z) + (v in o ? 1 : 2) + (v in r ? 4 : "
    "8); }",

    "output attribute int x = -1; attribute int y; set s; set t; node hub = max(v in "
    "nodes where v.degree > 0: v); if (hub == none) { hub = min(v in nodes: v); } "
    "inBFS (v from hub where v.id % 4 != 0; level) { v.x = level; barrier; foreach "
    "(u "
    "in v.out) { u.y += v.x; } } s.add(hub); int k; while (s.size > 0 && k < 4; "
    "dynamic_update(s)) { k += 1; foreach (v in s) { v.y += k; foreach (u in v.out) "
    "{ s.add(u); t.add(u); } } } foreach (v in t; clear) { v.y = v.y * 3 + 1; } "
    "foreach (v in nodes) { v.x = v.x * 100 + v.y + t.size; barrier; v.y = sum(u in "
    "v.out: u.x); barrier; v.x = v.y; }",

    "output attribute int x; output attribute int y = 5; queue q; oset o; set s; int "
    "n; "
    "int k = 3; real r; foreach (v in nodes where v.degree > 1) { s.add(v); } while "
    "(k "
    "> 0) { k += -1; x = scan(v in nodes where v.id % 3 != k: v.degree + v.x + "
    "count(u "
    "in v.out where u > v)); } y = scan(v in s: v.x); q = sort(v in nodes where v.id "
    "% 2 == 0: sum(u in v.out: 1.0 / u.id) - 0.01); o = sort(u in q: -u.degree + "
    "min(w in u.out: w.id) % 5); for (v in q) { n = n * 31 + v.id; } x = scan(v in "
    "o: "
    "v.x + sum(u in nodes where u.id < 100: u.id)); foreach (v in s) { int d = "
    "v.degree; foreach (u in v.out where u != v) { critical { if (u.y < n) { u.y = "
    "n; "
    "n = n * 3 + d; r += 1.0 / d; q.add(u); } } } } foreach (v in nodes) { v.x += n "
    "+ "
    "q.first.id + int(r * 1e6); }",

    "output attribute int x = 1; output attribute node p; attribute real y = 0.5; "
    "edge "
    "attribute int w = 4; set s; multiset m; omultiset o; node last; int n; bool b; "
    "foreach (v in nodes) { foreach (e in v.edges) { e.w += v.id; } if (v.degree == "
    "0) "
    "{ delete node v; } foreach (u in v.out where u.id % 5 == 0) { new edge (u, v, "
    "v.id % 7); delete edge (v, u); } m.add(v); if (v.id % 4 == 0) { s.add(v); } "
    "last max= v; } for (v in s) { o.add(v); new node t; last = t; t.x = v.id; new "
    "edge "
    "(t, v); new edge (v, t, 0.25); o.add(t); m.add(t); } int k; while "
    "(k "
    "< 3) { k += 1; commit; foreach (v in nodes) { v.x += count(u in v.out) + 3 * "
    "count(u in v.in) + v.in_degree + sum(e in v.edges: e.w); v.p = max(u in v.in: "
    "u); critical { if (v.id % 50 == k) { new node t; new edge (t, v); } } } foreach "
    "(v in nodes where v.id % 11 == k) { delete node v; } if (k == 2) { rebalance; "
    "b = last == none; n += sum(v in o: v.id) + count(v in m); } n += sum(v in "
    "nodes: "
    "v.x) + nodes.size + s.size + (b ? 1 : 0); } foreach (v in nodes) { v.x += n + "
    "m.count(v) + sum(e in v.edges: int(e.weight * 4)) + (last != none ? last.id : "
    "0); }",

    "output attribute int x; node hub = max(v in nodes: v); foreach (u in hub.out) { "
    "u.x += 1; foreach (w in u.out) { w.x += arc(w, hub) ? 10 : 100; } }"
    "for (v in hub.in) { foreach (u in nodes where u < v) { u.x += v.id; } }"
    "int i; while (i < 5) { i += 1; if (i % 2 == 0) { foreach (v in nodes) { int k = "
    "i; for (u in v.out) { k = k * 7 + u.id; } v.x = v.x * 3 + k; } } }",

    "output attribute int x; node hub = max(v in nodes where v.degree > 0: v); "
    "int n = hub == none ? 0 : sum(u in hub.out: count(v in nodes where v < u)); "
    "foreach (v in nodes) { v.x = n; }"};

enum { PROGRAM_TEXTS = sizeof(program_texts) / sizeof(program_texts[0]) };

/* @return 4, of which compilers for GPUs see every 4th program by day, or 1: all at night
 * (RIBOGRID_TEST_SCALE, random_set.h).  The compiler of C sees all, test_rg_native.c. */
static inline int program_step(void)
{
    return getenv("RIBOGRID_TEST_SCALE") != NULL ? 4 : 1;
}

/* On a graph of 10,000 nodes with the ids 10, 17, 24, ... */
static const char *const program_failures[] = {
#define X "output attribute int x;\n"
    X "int i = 5 / (1 - 1);",
    X "node n;\nn.x = 2;",
    X "set s;\ns.add(none);",
    X "int i = int(-1e19);",
    X "\nwhile (true) { }",
    X "foreach (v in nodes) {\nnew edge (v, v, 1.0 / (v.id - 30005)); }",
    X "queue q;\nwhile (true) { node n; q.add(n); }",
    X "int i = sum(v in nodes: 5 % (v.id - 30110));",
    X "foreach (v in nodes) { while (v.id > 25003) { } }",
    X "foreach (v in nodes) {\nif (v.id > 30003) { v.x = 1 / 0; }\nif (v.id > 20003) { "
      "v.x = int(infinity); }\nif (v.id > 25003) { node n; v.x = n.id; } }",
#undef X
};

enum { PROGRAM_FAILURES = sizeof(program_failures) / sizeof(program_failures[0]) };
