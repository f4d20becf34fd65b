/*
 * program_random.h - random graph programs without races: loops read attributes a, b and
 * r and change others, which then take their places.
 */
#pragma once

#include "io/base/rng.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { PROGRAM_RANDOM_BYTES = 16384, PROGRAM_RANDOM_DEPTH = 3 };

typedef struct {
    rng_t rng;
    char text[PROGRAM_RANDOM_BYTES];
    int len;
    int n_names; /* so that names differ */
} program_random_t;

static inline int program_random_below(program_random_t *p, int n)
{
    return (int)rng_below(&p->rng, (uint64_t)n);
}

static inline void __attribute__((format(printf, 2, 3)))
program_random_add(program_random_t *p, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    p->len +=
        vsnprintf(p->text + p->len, (size_t)(PROGRAM_RANDOM_BYTES - p->len), fmt, args);
    va_end(args);
    if (p->len >= PROGRAM_RANDOM_BYTES)
        abort();
}

static inline void program_random_real(program_random_t *p, const char *v, int depth);
static inline void program_random_bool(program_random_t *p, const char *v, int depth);

/* An integer of a node v. */
static inline void program_random_int(program_random_t *p, const char *v, int depth)
{
    static const char *const members[] = {"degree", "in_degree", "id", "a", "b"};
    static const char *const signs[] = {"+", "-", "*", "/", "%"};
    static const char *const names[] = {"sum", "min", "max"};
    const int n = p->n_names++;
    const int kind = program_random_below(p, depth > 0 ? 10 : 3);
    char u[16];

    snprintf(u, sizeof(u), "u%d", n);
    if (kind == 0) {
        program_random_add(p, "%d", program_random_below(p, 20) - 3);
    } else if (kind <= 3) {
        program_random_add(p, "%s.%s", v, members[program_random_below(p, 5)]);
    } else if (kind <= 5) {
        const int sign = program_random_below(p, 5);

        program_random_add(p, "(");
        program_random_int(p, v, depth - 1);
        program_random_add(p, sign >= 3 ? " %s (5 + abs(" : " %s ((", signs[sign]);
        program_random_int(p, v, depth - 1);
        program_random_add(p, ") %% 1000))");
    } else if (kind == 6) {
        program_random_add(p, "(");
        program_random_bool(p, v, depth - 1);
        program_random_add(p, " ? ");
        program_random_int(p, v, depth - 1);
        program_random_add(p, " : ");
        program_random_int(p, v, depth - 1);
        program_random_add(p, ")");
    } else if (kind == 7) {
        program_random_add(p, "count(%s in %s.in where ", u, v);
        program_random_bool(p, u, depth - 1);
        program_random_add(p, ")");
    } else {
        program_random_add(p, "%s(%s in %s.out where %s != %s: ",
                           names[program_random_below(p, 3)], u, v, u, v);
        program_random_int(p, u, depth - 1);
        program_random_add(p, ")");
    }
}

static inline void program_random_real(program_random_t *p, const char *v, int depth)
{
    const int n = p->n_names++;
    const int kind = program_random_below(p, depth > 0 ? 6 : 2);
    char u[16];

    snprintf(u, sizeof(u), "u%d", n);
    if (kind == 0) {
        program_random_add(p, "%s.r", v);
    } else if (kind == 1) {
        program_random_add(p, "%s.id * 0.1", v);
    } else if (kind == 2) {
        program_random_add(p, "(");
        program_random_real(p, v, depth - 1);
        program_random_add(p, " * 0.7 + real(");
        program_random_int(p, v, depth - 1);
        program_random_add(p, ") / 3)");
    } else if (kind == 3) {
        program_random_add(p, "sqrt(abs(");
        program_random_real(p, v, depth - 1);
        program_random_add(p, "))");
    } else if (kind == 4) {
        program_random_add(p, "sum(e%d in %s.edges where e%d.weight > 0.3: e%d.weight * ",
                           n, v, n, n);
        program_random_real(p, v, depth - 1);
        program_random_add(p, ")");
    } else {
        program_random_add(p, "%s(u%d in %s.in: ",
                           program_random_below(p, 3) == 0 ? "max" : "sum", n, v);
        program_random_real(p, u, depth - 1);
        program_random_add(p, ")");
    }
}

static inline void program_random_bool(program_random_t *p, const char *v, int depth)
{
    static const char *const names[] = {"any", "all"};
    const int n = p->n_names++;
    const int kind = program_random_below(p, depth > 0 ? 6 : 2);
    char u[16];

    snprintf(u, sizeof(u), "u%d", n);
    if (kind == 0) {
        program_random_add(p, "%s.id %% %d == 0", v, 2 + program_random_below(p, 5));
    } else if (kind == 1) {
        program_random_add(p, "(%s in s || m.count(%s) > %d)", v, v,
                           program_random_below(p, 3));
    } else if (kind == 2) {
        program_random_add(p, "!(");
        program_random_bool(p, v, depth - 1);
        program_random_add(p, " && ");
        program_random_bool(p, v, depth - 1);
        program_random_add(p, ")");
    } else if (kind == 3) {
        program_random_add(p, "%s(%s in %s.out: ", names[program_random_below(p, 2)], u,
                           v);
        program_random_bool(p, u, depth - 1);
        program_random_add(p, ")");
    } else if (kind == 4) {
        program_random_real(p, v, depth - 1);
        program_random_add(p, " < ");
        program_random_real(p, v, depth - 1);
    } else {
        program_random_int(p, v, depth - 1);
        program_random_add(p, " %s ", program_random_below(p, 2) == 0 ? "<" : "==");
        program_random_int(p, v, depth - 1);
    }
}

/* "foreach (v in RANGE where c) {" */
static inline void program_random_loop(program_random_t *p)
{
    static const char *const ranges[] = {"nodes", "nodes", "s"};

    program_random_add(p, "foreach (v in %s where ", ranges[program_random_below(p, 3)]);
    program_random_bool(p, "v", 1);
    program_random_add(p, ") {\n");
}

/* Own attributes, by a thread or by the threads of a block. */
static inline void program_random_own(program_random_t *p)
{
    program_random_loop(p);
    program_random_add(p, "int k = ");
    program_random_int(p, "v", PROGRAM_RANDOM_DEPTH);
    program_random_add(p, ";\nint i;\nwhile (i < abs(k) %% 5) { i += 1; k = k * 3 + i; "
                          "}\nif (");
    program_random_bool(p, "v", 2);
    program_random_add(p, ") { v.x = k; v.x += v.degree; } else { v.y = ");
    program_random_real(p, "v", PROGRAM_RANDOM_DEPTH);
    program_random_add(p, "; }\n}\n");
}

/* What iterations share. */
static inline void program_random_shared(program_random_t *p)
{
    static const char *const hows[] = {"+=", "min=", "max="};
    const char *how = hows[program_random_below(p, 3)];

    program_random_loop(p);
    program_random_add(p, "int k = 3;\nforeach (u in v.%s where ",
                       program_random_below(p, 2) == 0 ? "out" : "in");
    program_random_bool(p, "u", 1);
    program_random_add(p, ") {\nu.x %s ", how);
    program_random_int(p, "v", 2);
    program_random_add(p, ";\nk += u.id;\nu.q max= v;\nt.add(u);\nl.add(u);\n}\nz += k;\n"
                          "low min= k;\no |= k %% 7 == 0;\nv.y = k * 0.1;\n}\n");
}

static inline void program_random_aggregates(program_random_t *p)
{
    static const char *const ranges[] = {"nodes", "s", "m"};
    const int range = program_random_below(p, 3);

    program_random_add(p, "n = (n + sum(v in %s: ", ranges[range]);
    program_random_int(p, "v", 2);
    program_random_add(p, ") + s.size + m.size) %% 1000;\nf = sum(v in %s where ",
                       ranges[range]);
    program_random_bool(p, "v", 1);
    program_random_add(p, ": ");
    program_random_real(p, "v", 2);
    program_random_add(p, ") + max(v in nodes: ");
    program_random_real(p, "v", 1);
    program_random_add(p, ");\nif (%s(v in %s: ",
                       program_random_below(p, 2) == 0 ? "any" : "all", ranges[range]);
    program_random_bool(p, "v", 2);
    program_random_add(p, ")) { n += 7; last = max(v in %s where v.id %% 3 != 0: v); }\n",
                       ranges[range]);
}

/* What results become the values of the next loops; and what is the host's. */
static inline void program_random_turn(program_random_t *p)
{
    static const char *const texts[] = {
        "swap x, a;\n",
        "swap s, t;\n",
        "swap m, l;\n",
        "s.clear();\n",
        "foreach (v in nodes) { v.b = v.x % 100 + low; v.r = v.y; }\n",
        "foreach (v in l) { z += v.id; }\n",
        "foreach (v in t) { s.remove(v); }\n",
        "if (last != none) { last.a = n; s.add(last); m.add(last); m.remove(last); }\n",
        "h = sort(v in s: v.a); for (v in h where v.id % 50 == 0) { v.b = n; n = n * 3 + "
        "v.id; }\n",
        "b = scan(v in nodes where v.degree > 1: v.degree);\n",
        "foreach (v in h) { v.x = h.size + (h.first == v ? 1 : 2); }\n",
    };

    program_random_add(p, "%s",
                       texts[program_random_below(p, sizeof(texts) / sizeof(texts[0]))]);
}

/* @return a program, until the next call */
static inline const char *program_random(uint64_t seed)
{
    static void (*const parts[])(program_random_t *
                                 p) = {program_random_own, program_random_shared,
                                       program_random_aggregates, program_random_turn,
                                       program_random_turn};
    static program_random_t p;
    int n;

    p = (program_random_t){.rng = rng_seed(seed)};
    program_random_add(
        &p,
        "output attribute int x; output attribute real y; output attribute node q; "
        "output attribute int a = 2; attribute int b = 1; attribute real r = 0.5; set "
        "s; set t; multiset m; multiset l; oset h; int n = 1; int z; int low = 50; "
        "real f; bool o; node last;\nforeach (v in nodes where v.id %% 3 != 0) { "
        "s.add(v); v.a = v.id %% 11; v.r = 1.0 / v.id; foreach (u in v.out) { "
        "m.add(u); } }\n");
    n = 4 + program_random_below(&p, 6);
    for (int k = 0; k < n; k++)
        parts[program_random_below(&p, sizeof(parts) / sizeof(parts[0]))](&p);
    program_random_add(&p, "foreach (v in nodes) { v.x += n + z + low + (o ? 5 : 0) + (v "
                           "in s ? s.size : 0) + m.count(v); v.y += f; if (last == v) { "
                           "v.q = v; } }\n");
    return p.text;
}
