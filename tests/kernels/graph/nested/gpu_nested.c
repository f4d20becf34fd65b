/*
 * gpu_nested.c - kernels that launch kernels: the graph backend `nested` returns the
 * bytes of `serial`, with few and with many pending launches; and asks for as many
 * launches, and makes as many atomic additions, as follow from a tree.
 *
 * A plain program, without cmocka, which GPU machines may lack.  It exits with 1 if
 * anything differs, 77 without a GPU.
 *
 * usage: gpu_nested [-v] [PART ...]
 *   trees   trees of many forms, with each template
 *   full    a full tree of four levels: as many launches and atomic additions as follow
 *   long    a chain and a star of a million nodes, and that full tree with consolidated
 *           launches and a pool of 1 MB
 *   bfs, sssp, pagerank, betweenness, spmv, coloring
 *           graphs of few and many arcs per node, with each template and kind of weights
 *   levels  these and trees with consolidated launches of each level, children and
 *           buffers, in fixed places or a pool
 *   malloc  the same with buffers by malloc
 *   large   sssp and bfs with consolidated launches on a graph whose grids have more
 *           blocks than begin at the same time, several times
 */
#include "io/base/clock.h"
#include "kernels/registry/backends.h"
#include "tests/support/gpu_case.h"
#include "tests/support/named_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Deep and wide ones, forests; a node alone.  The last two are not for consolidated
 * launches, which take long where levels are many. */
static const char *const trees[] = {"tree:200:1",    "tree:33:3",
                                    "tree:9000:300", "tree:300000:30000",
                                    "tree:900:9",    "tree:50000:50000",
                                    "tree:1:1",      "tree:2000:1",
                                    "tree:9000:9"};

/* Nodes of few and of many arcs; no arcs at all. */
static const char *const graphs[] = {"rmat:10:16", "star:5000",    "rmat:13:16",
                                     "grid:37",    "citeseer:700", "path:300",
                                     "web:11:12",  "empty:70"};

/* With consolidated launches the first of them alone have every kind of weights. */
enum { N_TREES = 9, N_SHORT_TREES = 7, N_GRAPHS = 8, N_WEIGHTED = 2 };

/* The limits of pending launches.  All parts run with the first, then with the second:
 * a GPU takes long to change its limit. */
static const graph_tuning_t limits[] = {{.pending = 2048}, {.pending = 64}};

enum { N_LIMITS = 2 };

/* A full tree of four levels takes this many bytes per node. */
enum { FULL_CHILDREN = 512, FULL_BYTES = 64 };

typedef struct {
    device_t cpu, gpu;
    pool_t *pool;
    bool is_verbose;
    bool uses_malloc; /* of the kinds of buffers, only malloc's, or all others */
    int limit;        /* the number of the one that is tested */
    int n_passed, n_failed;
} tests_t;

/* Launches and atomic additions, as the backend printed them. */
typedef struct {
    int64_t asked, done, inlined, atomics;
} counts_t;

/* The settings that a check names. */
static void print_run(const char *name, const graph_spec_t *spec, const graph_run_t *run)
{
    printf("%s %s %s, threshold %" PRId64 ", pending %g", name,
           graph_info(spec->algorithm)->name, graph_template_name[run->loop_template],
           run->lb_threshold, run->tuning.pending);
    if (run->consolidate != GRAPH_CONSOLIDATE_NONE)
        printf(", consolidate %s, buffer %" PRId64 ", %s of %" PRId64 ", child %d %dx%d",
               graph_consolidate_name[run->consolidate], run->buffer,
               graph_allocator_name[run->allocator], run->pool_bytes,
               (int)run->child.kind, run->child.blocks, run->child.threads);
}

static void count(tests_t *t, bool passed, const char *what, const char *name,
                  const graph_spec_t *spec, const graph_run_t *run)
{
    if (!passed) {
        printf("FAILED: %s: ", what);
        print_run(name, spec, run);
        printf("\n");
    }
    t->n_passed += passed;
    t->n_failed += !passed;
}

static bool parse(const buf_t *decisions, counts_t *out)
{
    char text[160] = "";

    *out = (counts_t){0};
    memcpy(text, decisions->data,
           decisions->len < sizeof(text) - 1 ? decisions->len : sizeof(text) - 1);
    return sscanf(text,
                  "launches: %" SCNd64 " asked, %" SCNd64 " done, %" SCNd64
                  " inlined; %" SCNd64 " atomics",
                  &out->asked, &out->done, &out->inlined, &out->atomics) == 4;
}

/* Compute on one device, on a GPU twice, because a state is used for many tasks. */
static bool compute(tests_t *t, const csr_t *g, const graph_spec_t *spec,
                    const graph_run_t *run, bool on_gpu, graph_result_t *out)
{
    const leaf_counts_t no_samples = {0}; /* as jobs have them */
    graph_spec_t of_job = *spec;
    const graph_context_t context = {on_gpu ? &t->gpu : &t->cpu, t->pool, g, &of_job,
                                     run};
    const graph_info_t *info = graph_info(spec->algorithm);
    const int32_t n = (int32_t)g->n_nodes, sources[] = {n / 4, n / 2, 0};
    const graph_task_t task = {sources, info->is_summed ? 3 : info->has_sources, 0};
    const graph_backend_t *b;
    void *state = NULL;
    bool ok;

    of_job.leaves = &no_samples;
    ok = graph_backend_choose(&context, &b) == ST_OK &&
         graph_result_create(graph_info_on(spec->algorithm, g), g->n_nodes, out) ==
             ST_OK &&
         b->create(&context, &state) == ST_OK;

    for (int k = 0; ok && k <= on_gpu; k++) {
        out->decisions.len = 0;
        out->seconds = 0; /* of the first time kernels are loaded, too */
        ok = b->compute(state, &task, out) == ST_OK;
    }
    if (state != NULL)
        b->destroy(state);
    return ok;
}

static bool is_equal(const csr_t *g, const graph_spec_t *spec, const graph_result_t *a,
                     const graph_result_t *b)
{
    const graph_info_t *info = graph_info_on(spec->algorithm, g);

    for (int k = 0; k < info->n_columns; k++)
        if (memcmp(a->column[k], b->column[k],
                   (size_t)(g->n_nodes * graph_type_bytes(info->columns[k].type))) != 0)
            return false;
    return true;
}

/* @param want   the columns, or NULL
 * @param asked  the launches that there have to be, or -1
 * @return the counts */
static counts_t check_run(tests_t *t, const char *name, const csr_t *g,
                          const graph_spec_t *spec, const graph_run_t *run,
                          const graph_result_t *want, int64_t asked, graph_result_t *got)
{
    counts_t n = {0};

    if (!compute(t, g, spec, run, true, got)) {
        count(t, false, "it failed", name, spec, run);
        return n;
    }
    if (want != NULL)
        count(t, is_equal(g, spec, want, got), "values differ", name, spec, run);
    count(t, parse(&got->decisions, &n) && n.asked == n.done + n.inlined,
          "asked is not done + inlined", name, spec, run);
    /* tail launches are not nested; iterations of betweenness are sources */
    if (run->consolidate != GRAPH_CONSOLIDATE_GRID &&
        !graph_info(spec->algorithm)->is_summed)
        count(t,
              (double)n.done <= run->tuning.pending / 2 * (double)(got->n_iterations + 1),
              "launches that were done", name, spec, run);
    if (asked >= 0)
        count(t, n.asked == asked, "launches that were asked for", name, spec, run);
    if (t->is_verbose) {
        print_run(name, spec, run);
        printf(": %.3f ms, %.*s", got->seconds * 1000, (int)got->decisions.len,
               (const char *)got->decisions.data);
        fflush(stdout);
    }
    return n;
}

static void compare_run(tests_t *t, const char *name, const csr_t *g,
                        const graph_spec_t *spec, const graph_run_t *run,
                        const graph_result_t *want, int64_t asked)
{
    graph_result_t got = {0};

    check_run(t, name, g, spec, run, want, asked, &got);
    graph_result_free(&got);
}

/* ---- trees ---- */

/* @return launches that the templates ask for: naive, of inner nodes; hierarchical, of
 * roots and of nodes with children that are inner nodes */
static int64_t launches_of(const csr_t *g, bool is_naive)
{
    bool *has_parent = calloc((size_t)g->n_nodes + 1, sizeof(*has_parent));
    int64_t n = 0;

    for (int64_t a = 0; has_parent != NULL && a < g->n_arcs; a++)
        has_parent[g->to[a]] = true;
    for (int32_t u = 0; has_parent != NULL && u < g->n_nodes; u++) {
        bool has_inner = false;

        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
            has_inner = has_inner || csr_degree(g, g->to[a]) > 0;
        n += csr_degree(g, u) > 0 && (is_naive || has_inner || !has_parent[u]);
    }
    free(has_parent);
    return n;
}

static void compare_tree(tests_t *t, const char *name)
{
    csr_t g = {0};

    if (named_graph(name, t->pool, &g) != ST_OK)
        t->n_failed++;
    for (int a = GRAPH_DESCENDANTS; a <= GRAPH_HEIGHTS && g.first != NULL; a++) {
        const graph_spec_t spec = {.algorithm = (graph_algorithm_t)a};
        const graph_run_t serial = {.backend = "serial"};
        const int64_t asked[] = {0, launches_of(&g, true), launches_of(&g, false)};
        graph_result_t want = {0};

        if (!compute(t, &g, &spec, &serial, false, &want))
            t->n_failed++;
        for (int form = GRAPH_FLAT; form <= GRAPH_REC_HIER; form++)
            compare_run(t, name, &g, &spec,
                        &(graph_run_t){.loop_template = (graph_template_t)form,
                                       .tuning = limits[t->limit]},
                        &want, asked[form - GRAPH_FLAT]);
        graph_result_free(&want);
    }
    csr_free(&g);
}

static void compare_trees(tests_t *t)
{
    for (int k = 0; k < N_TREES; k++)
        compare_tree(t, trees[k]);
}

/* ---- a full tree of four levels ---- */

/* Nodes by levels. */
static status_t make_full(int64_t children, csr_t *out)
{
    const int64_t inner = 1 + children + children * children, n = 1 + inner * children;
    status_t st = csr_create(n, n - 1, false, false, out);

    for (int64_t u = 0; st == ST_OK && u <= n; u++)
        out->first[u] = (u < inner ? u : inner) * children;
    for (int64_t a = 0; st == ST_OK && a < n - 1; a++)
        out->to[a] = (int32_t)a + 1;
    return st;
}

/* @return whether each level has its values */
static bool is_full_result(int64_t children, graph_algorithm_t algorithm,
                           const graph_result_t *r)
{
    int64_t u = 0, n = 1, leaves = children * children * children, below = 0;

    for (int level = 0; level < 4; level++, n *= children, leaves /= children) {
        below = 0;
        for (int64_t size = children, k = level; k < 3; k++, size *= children)
            below += size;
        for (int64_t end = u + n; u < end; u++) {
            const int32_t first = ((const int32_t *)r->column[0])[u];

            if (algorithm == GRAPH_HEIGHTS
                    ? first != 3 - level
                    : first != below || ((const int32_t *)r->column[1])[u] != leaves)
                return false;
        }
    }
    return true;
}

static void check_full_run(tests_t *t, int64_t k, const csr_t *g,
                           graph_algorithm_t algorithm, const graph_run_t *run)
{
    const int64_t asked[] = {0, 1 + k + k * k, 1 + k};
    const int64_t atomics =
        run->loop_template == GRAPH_FLAT ? k + 2 * k * k + 3 * k * k * k : k + k * k;
    const graph_spec_t spec = {.algorithm = algorithm};
    const char *name = "full tree";
    graph_result_t r = {0};
    counts_t n = check_run(t, name, g, &spec, run, NULL,
                           asked[run->loop_template - GRAPH_FLAT], &r);

    count(t, r.column[0] != NULL && is_full_result(k, algorithm, &r), "values differ",
          name, &spec, run);
    count(t, n.atomics == atomics, "atomics", name, &spec, run);
    graph_result_free(&r);
}

/* @return how many children inner nodes have: fewer where memory does not hold the tree
 */
static int64_t full_children(const tests_t *t)
{
    int64_t children = FULL_CHILDREN;

    while (children * children * children > t->gpu.memory_bytes / FULL_BYTES ||
           children * children * children > t->cpu.memory_bytes / FULL_BYTES)
        children /= 2;
    return children;
}

/* From the leaves upwards, without a template. */
static void check_full_auto(tests_t *t, int64_t k, const csr_t *g,
                            graph_algorithm_t algorithm)
{
    const graph_spec_t spec = {.algorithm = algorithm};
    const graph_run_t run = {0};
    graph_result_t r = {0};

    count(t, compute(t, g, &spec, &run, true, &r) && is_full_result(k, algorithm, &r),
          "values differ", "full tree", &spec, &run);
    if (t->is_verbose)
        printf("full tree %s auto: %.3f ms\n", graph_info(algorithm)->name,
               r.seconds * 1000);
    graph_result_free(&r);
}

/* Heights with the first limit alone: the tree is large. */
static void check_full(tests_t *t)
{
    const int64_t children = full_children(t);
    csr_t g = {0};

    if (make_full(children, &g) != ST_OK)
        t->n_failed++;
    for (int a = GRAPH_DESCENDANTS; a <= GRAPH_HEIGHTS && g.first != NULL; a++) {
        if (t->limit == 0)
            check_full_auto(t, children, &g, (graph_algorithm_t)a);
        for (int form = GRAPH_FLAT; form <= GRAPH_REC_HIER; form++)
            if (t->limit == 0 || (a == GRAPH_DESCENDANTS && form != GRAPH_FLAT))
                check_full_run(t, children, &g, (graph_algorithm_t)a,
                               &(graph_run_t){.loop_template = (graph_template_t)form,
                                              .tuning = limits[t->limit]});
    }
    csr_free(&g);
}

/* ---- a chain and a star ---- */

enum { LONG_NODES = 1000000 };

/* The nodes are those of a level below the one before: one, or all. */
static status_t make_long(bool is_chain, csr_t *out)
{
    const int64_t n = LONG_NODES;
    status_t st = csr_create(n, n - 1, false, false, out);

    for (int64_t u = 0; st == ST_OK && u <= n; u++)
        out->first[u] = is_chain && u < n - 1 ? u : u > 0 ? n - 1 : 0;
    for (int64_t a = 0; st == ST_OK && a < n - 1; a++)
        out->to[a] = (int32_t)a + 1;
    return st;
}

/* Of a chain, which takes seconds, because one node follows the other, two settings; flat
 * would add for each node to all its ancestors. */
static void compare_long_tree(tests_t *t, bool is_chain)
{
    const char *name = is_chain ? "chain" : "star";
    const graph_spec_t spec = {.algorithm = GRAPH_DESCENDANTS};
    const graph_run_t serial = {.backend = "serial"};
    graph_result_t want = {0};
    csr_t g = {0};

    if (make_long(is_chain, &g) != ST_OK ||
        !compute(t, &g, &spec, &serial, false, &want)) {
        t->n_failed++;
        goto out;
    }
    for (int form = is_chain ? GRAPH_REC_NAIVE : GRAPH_FLAT;
         form <= (is_chain ? GRAPH_REC_NAIVE : GRAPH_REC_HIER); form++)
        if (form % N_LIMITS == t->limit)
            compare_run(t, name, &g, &spec,
                        &(graph_run_t){.loop_template = (graph_template_t)form,
                                       .tuning = limits[t->limit]},
                        &want,
                        form == GRAPH_FLAT ? 0
                                           : launches_of(&g, form == GRAPH_REC_NAIVE));
    for (int level = is_chain ? GRAPH_CONSOLIDATE_BLOCK : GRAPH_CONSOLIDATE_WARP;
         level <= (is_chain ? GRAPH_CONSOLIDATE_BLOCK : GRAPH_CONSOLIDATE_GRID); level++)
        if (level % N_LIMITS == t->limit)
            compare_run(t, name, &g, &spec,
                        &(graph_run_t){.loop_template = GRAPH_REC_NAIVE,
                                       .consolidate = (graph_consolidate_t)level,
                                       .allocator = GRAPH_ALLOCATOR_POOL,
                                       .pool_bytes = 1 << 20,
                                       .tuning = limits[t->limit]},
                        &want, -1);
out:
    graph_result_free(&want);
    csr_free(&g);
}

static void check_full_levels(tests_t *t)
{
    const graph_spec_t spec = {.algorithm = GRAPH_DESCENDANTS};
    const int64_t children = full_children(t);
    csr_t g = {0};

    if (make_full(children, &g) != ST_OK)
        t->n_failed++;
    for (int level = GRAPH_CONSOLIDATE_WARP;
         level <= GRAPH_CONSOLIDATE_GRID && g.first != NULL; level++) {
        const graph_run_t run = {.loop_template = GRAPH_REC_NAIVE,
                                 .consolidate = (graph_consolidate_t)level,
                                 .allocator = GRAPH_ALLOCATOR_POOL,
                                 .pool_bytes = 1 << 20,
                                 .tuning = limits[t->limit]};
        graph_result_t r = {0};

        if (level % N_LIMITS != t->limit)
            continue;
        check_run(t, "full tree", &g, &spec, &run, NULL, -1, &r);
        count(t, r.column[0] != NULL && is_full_result(children, spec.algorithm, &r),
              "values differ", "full tree", &spec, &run);
        graph_result_free(&r);
    }
    csr_free(&g);
}

static void compare_long(tests_t *t)
{
    compare_long_tree(t, true);
    compare_long_tree(t, false);
    check_full_levels(t);
}

/* ---- loops over arcs ---- */

enum { N_KINDS = 4 }; /* of weights */

typedef void (*compare_t)(tests_t *t, const char *name, const csr_t *g,
                          const graph_spec_t *spec);

/* With all templates that launch kernels, for all nodes with more than one arc, or few.
 */
static void compare_loop(tests_t *t, const char *name, const csr_t *g,
                         const graph_spec_t *spec)
{
    const graph_run_t serial = {.backend = "serial"};
    graph_result_t want = {0};

    if (!compute(t, g, spec, &serial, false, &want))
        t->n_failed++;
    for (int form = GRAPH_DPAR_NAIVE; form <= GRAPH_DPAR_OPT; form++)
        for (int threshold = 1; threshold <= 200; threshold += 199)
            compare_run(t, name, g, spec,
                        &(graph_run_t){.loop_template = (graph_template_t)form,
                                       .lb_threshold = threshold,
                                       .tuning = limits[t->limit]},
                        &want, -1);
    if (spec->algorithm == GRAPH_BFS)
        compare_run(t, name, g, spec,
                    &(graph_run_t){.loop_template = GRAPH_RECURSIVE,
                                   .tuning = limits[t->limit]},
                    &want, -1);
    for (int mda = -1; mda <= 20 && spec->algorithm <= GRAPH_SSSP && t->limit == 0;
         mda += 21)
        compare_run(t, name, g, spec,
                    &(graph_run_t){.loop_template = GRAPH_DPAR_NAIVE,
                                   .split_degree = mda,
                                   .tuning = limits[0]},
                    &want, -1);
    graph_result_free(&want);
}

/* How consolidated kernels are launched, and the memory for their buffers: enough, little
 * and too little.  Of malloc's heaps, which cannot grow, the largest is first. */
static const struct {
    graph_child_t child;
    graph_allocator_t allocator;
    int64_t buffer, pool_bytes;
} children[] = {{{0}, GRAPH_ALLOCATOR_MALLOC, 0, 0},
                {{0}, GRAPH_ALLOCATOR_FIXED, 0, 0},
                {{GRAPH_CHILD_KC, 16, 0}, GRAPH_ALLOCATOR_FIXED, 5, 0},
                {{GRAPH_CHILD_1_1, 0, 0}, GRAPH_ALLOCATOR_POOL, 0, 1 << 20},
                {{GRAPH_CHILD_FIXED, 3, 32}, GRAPH_ALLOCATOR_POOL, 0, 500},
                {{GRAPH_CHILD_FIXED, 5, 128}, GRAPH_ALLOCATOR_MALLOC, 40, 1 << 20},
                {{GRAPH_CHILD_FIXED, 7, 256}, GRAPH_ALLOCATOR_MALLOC, 0, 3000},
                {{GRAPH_CHILD_KC, 1, 0}, GRAPH_ALLOCATOR_POOL, 0, 1}};

enum { N_CHILDREN = sizeof(children) / sizeof(children[0]) };

/* A level of a template with every child. */
static void compare_children(tests_t *t, const char *name, const csr_t *g,
                             const graph_spec_t *spec, graph_template_t form,
                             graph_consolidate_t level, const graph_result_t *want)
{
    for (int k = 0; k < N_CHILDREN; k++) {
        const graph_run_t run = {.loop_template = form,
                                 .lb_threshold = 1 + 30 * (k % 2),
                                 .consolidate = level,
                                 .child = children[k].child,
                                 .allocator = children[k].allocator,
                                 .buffer = children[k].buffer,
                                 .pool_bytes = children[k].pool_bytes,
                                 .tuning = limits[t->limit]};

        if ((run.allocator == GRAPH_ALLOCATOR_MALLOC) == t->uses_malloc &&
            k / 2 % N_LIMITS == t->limit)
            compare_run(t, name, g, spec, &run, want, -1);
    }
}

/* Every level with every child. */
static void compare_level(tests_t *t, const char *name, const csr_t *g,
                          const graph_spec_t *spec)
{
    const graph_run_t serial = {.backend = "serial"};
    graph_result_t want = {0};

    if (!compute(t, g, spec, &serial, false, &want))
        t->n_failed++;
    for (int level = GRAPH_CONSOLIDATE_WARP; level <= GRAPH_CONSOLIDATE_GRID; level++) {
        compare_children(t, name, g, spec,
                         graph_info(spec->algorithm)->is_forest ? GRAPH_REC_NAIVE
                                                                : GRAPH_DPAR_NAIVE,
                         (graph_consolidate_t)level, &want);
        if (spec->algorithm == GRAPH_BFS && level < GRAPH_CONSOLIDATE_GRID)
            compare_children(t, name, g, spec, GRAPH_RECURSIVE,
                             (graph_consolidate_t)level, &want);
    }
    graph_result_free(&want);
}

/* Whole weights; and those that need 64 bits, none, and real ones, where they are used.
 * @param n_kinds  how many of these */
static void compare_weights(tests_t *t, const char *name, graph_algorithm_t algorithm,
                            int n_kinds, compare_t compare)
{
    graph_spec_t spec = {.algorithm = algorithm,
                         .damping = 0.85,
                         .tolerance = 1e-6,
                         .max_iterations = 40};
    csr_t g = {0};
    int32_t *wide = NULL;
    double *real = NULL, *x = NULL;

    if (named_graph(name, t->pool, &g) != ST_OK ||
        (wide = malloc((size_t)(g.n_arcs + 1) * sizeof(*wide))) == NULL ||
        (real = malloc((size_t)(g.n_arcs + 1) * sizeof(*real))) == NULL ||
        (x = malloc((size_t)(g.n_nodes + 1) * sizeof(*x))) == NULL) {
        t->n_failed++;
        goto out;
    }
    for (int64_t a = 0; a < g.n_arcs; a++) {
        wide[a] = g.weight[a] << 23;
        real[a] = g.weight[a] / 10.0;
    }
    for (int64_t u = 0; u < g.n_nodes; u++)
        x[u] = 1 / (double)(3 * u + 1);
    spec.x = x;
    for (int k = 0; k < (graph_info(algorithm)->uses_weights ? n_kinds : 1); k++) {
        csr_t h = g;

        h.weight = k == 0 ? g.weight : k == 1 ? wide : NULL;
        h.value = k == 3 ? real : NULL;
        if (graph_check(algorithm, &h, NULL, NULL) == ST_OK)
            compare(t, name, &h, &spec);
    }
out:
    free(x);
    free(wide);
    free(real);
    csr_free(&g);
}

static void compare_all(tests_t *t, graph_algorithm_t algorithm, compare_t compare)
{
    const bool is_forest = graph_info(algorithm)->is_forest;
    const bool is_consolidated = compare == compare_level;
    const int n_trees = is_consolidated ? N_SHORT_TREES : N_TREES;

    for (int k = 0; k < (is_forest ? n_trees : N_GRAPHS); k++)
        compare_weights(t, is_forest ? trees[k] : graphs[k], algorithm,
                        is_consolidated && k >= N_WEIGHTED ? 1 : N_KINDS, compare);
}

static void compare_consolidated(tests_t *t, bool by_malloc)
{
    t->uses_malloc = by_malloc;
    for (int a = 0; a < GRAPH_N_ALGORITHMS; a++)
        if (nested_graph_backend.obeys((graph_algorithm_t)a) & GRAPH_CHOICE_CONSOLIDATE)
            compare_all(t, (graph_algorithm_t)a, compare_level);
}

static void compare_levels(tests_t *t)
{
    compare_consolidated(t, false);
}

static void compare_malloc(tests_t *t)
{
    compare_consolidated(t, true);
}

static void compare_often(tests_t *t, const char *name, const csr_t *g,
                          const graph_spec_t *spec)
{
    const graph_run_t serial = {.backend = "serial"};
    graph_result_t want = {0};

    if (!compute(t, g, spec, &serial, false, &want))
        t->n_failed++;
    for (int k = 0; k < 8; k++)
        for (int level = GRAPH_CONSOLIDATE_WARP; level <= GRAPH_CONSOLIDATE_GRID; level++)
            compare_run(t, name, g, spec,
                        &(graph_run_t){.loop_template = GRAPH_DPAR_NAIVE,
                                       .consolidate = (graph_consolidate_t)level,
                                       .child = {.kind = k % 4 == 3 ? GRAPH_CHILD_1_1
                                                                    : GRAPH_CHILD_AUTO},
                                       .tuning = limits[0]},
                        &want, -1);
    graph_result_free(&want);
}

static void compare_large(tests_t *t)
{
    if (t->limit != 0)
        return;
    compare_weights(t, "citeseer:120000", GRAPH_SSSP, N_KINDS, compare_often);
    compare_weights(t, "citeseer:120000", GRAPH_BFS, N_KINDS, compare_often);
}

static const struct {
    const char *name;
    void (*run)(tests_t *t);                /* or NULL: */
    graph_algorithm_t algorithm;            /* with all templates */
} parts[] = {{"malloc", compare_malloc, 0}, /* first: its heap cannot grow later */
             {"levels", compare_levels, 0},
             {"large", compare_large, 0},
             {"trees", compare_trees, 0},
             {"full", check_full, 0},
             {"long", compare_long, 0},
             {"bfs", NULL, GRAPH_BFS},
             {"sssp", NULL, GRAPH_SSSP},
             {"pagerank", NULL, GRAPH_PAGERANK},
             {"betweenness", NULL, GRAPH_BETWEENNESS},
             {"spmv", NULL, GRAPH_SPMV},
             {"coloring", NULL, GRAPH_COLORING}};

enum { N_PARTS = sizeof(parts) / sizeof(parts[0]) };

/* @param name  NULL: all parts @return whether there is such a part */
static bool run_parts(tests_t *t, const char *name)
{
    bool found = false;

    for (int k = 0; k < N_PARTS; k++) {
        const int n_passed = t->n_passed, n_failed = t->n_failed;
        const double start = clock_now_s();

        if (name != NULL && strcmp(name, parts[k].name) != 0)
            continue;
        found = true;
        if (parts[k].run != NULL)
            parts[k].run(t);
        else
            compare_all(t, parts[k].algorithm, compare_loop);
        printf("%-11s %5d checks passed, %d failed; pending %g; %.1f s\n", parts[k].name,
               t->n_passed - n_passed, t->n_failed - n_failed, limits[t->limit].pending,
               clock_now_s() - start);
        fflush(stdout);
    }
    if (!found)
        printf("there is no part '%s'\n", name);
    return found;
}

int main(int argc, char **argv)
{
    tests_t t = {0};
    int code = gpu_case_begin(0, &t.cpu, &t.gpu, &t.pool), at = 1;

    if (code != EXIT_SUCCESS)
        return code;
    t.is_verbose = argc > at && strcmp(argv[at], "-v") == 0;
    at += t.is_verbose;
    for (; t.limit < N_LIMITS; t.limit++) {
        if (at == argc)
            t.n_failed += !run_parts(&t, NULL);
        for (int k = at; k < argc; k++)
            t.n_failed += !run_parts(&t, argv[k]);
    }
    pool_destroy(t.pool);
    return t.n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
