/*
 * graph_cell.c - lists settings, and runs and checks one.
 */
#include "bench/graph/graph_bench.h"
#include "bench/options/benchmarks.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "kernels/registry/backends.h"
#include "worker/graph/graph_choices.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static graph_setting_t *add(graph_setting_t *s, unsigned choices, graph_run_t run,
                            const char *name)
{
    *s = (graph_setting_t){.run = run, .choices = choices};
    snprintf(s->name, sizeof(s->name), "%s", name);
    return s + 1;
}

/* Thresholds, by the words before their values. */
static const struct {
    const char *name;
    size_t at;
} thresholds[] = {
    {"T1", offsetof(graph_tuning_t, low_degree)},
    {"T2", offsetof(graph_tuning_t, small_set)},
    {"T3", offsetof(graph_tuning_t, large_set)},
    {"delta", offsetof(graph_tuning_t, delta)},
    {"blocks", offsetof(graph_tuning_t, blocks_per_core)},
    {"skew", offsetof(graph_tuning_t, skew)},
    {"wide", offsetof(graph_tuning_t, wide_set)},
    {"replay", offsetof(graph_tuning_t, replay)},
};

/* @return whether a word is a threshold with its value */
static bool parse_threshold(const char *word, graph_tuning_t *out)
{
    for (size_t k = 0; k < sizeof(thresholds) / sizeof(thresholds[0]); k++) {
        const size_t len = strlen(thresholds[k].name);
        double value;
        char *end;

        if (strncmp(word, thresholds[k].name, len) != 0 || word[len] != '-')
            continue;
        value = strtod(word + len + 1, &end);
        if (end == word + len + 1 || *end != '\0' || !(value > 0))
            return false;
        memcpy((char *)out + thresholds[k].at, &value, sizeof(value));
        return true;
    }
    return false;
}

/* @return the place of a word among names, or -1 */
static int find_name(const char *word, const char *const *names, int n)
{
    for (int k = 0; k < n; k++)
        if (strcmp(word, names[k]) == 0)
            return k;
    return -1;
}

/* Add a template, what belongs to consolidated launches, or a threshold.
 * @return whether the word is one */
static bool parse_word(const char *word, graph_setting_t *s)
{
    graph_run_t *run = &s->run;
    int k;

    if ((k = find_name(word, graph_template_name, GRAPH_N_TEMPLATES)) >= 0) {
        run->loop_template = (graph_template_t)k;
        s->choices |= k > 0 ? graph_template_choice(run->loop_template) : 0;
        return true;
    }
    if (parse_threshold(word, &run->tuning)) {
        s->choices |=
            run->loop_template == GRAPH_TEMPLATE_AUTO ? GRAPH_CHOICE_TEMPLATE : 0;
        return true;
    }
    s->choices |= GRAPH_CHOICE_CONSOLIDATE;
    if ((k = find_name(word, graph_consolidate_name, 4)) >= 0)
        run->consolidate = (graph_consolidate_t)k;
    else if ((k = find_name(word, graph_allocator_name, 3)) >= 0)
        run->allocator = (graph_allocator_t)k;
    else
        return graph_choices_parse_child(word, &run->child);
    return true;
}

bool graph_cell_parse(device_kind_t kind, const char *text, graph_setting_t *out)
{
    graph_setting_t s = {0};

    if (kind == DEVICE_CPU || backend_find(&graph_table, NULL, kind) == NULL ||
        strlen(text) >= sizeof(s.name))
        return false;
    snprintf(s.name, sizeof(s.name), "%s", text);
    for (const char *at = text; at != NULL; at = *at == '+' ? at + 1 : NULL) {
        char word[GRAPH_SETTING_BYTES];
        const size_t len = strcspn(at, "+");

        snprintf(word, sizeof(word), "%.*s", (int)len, at);
        if (!parse_word(word, &s))
            return false;
        at += len;
    }
    *out = s;
    return true;
}

static int list_gpu(graph_setting_t *out)
{
    graph_setting_t *s = out;

    for (int t = 0; t < GRAPH_N_TEMPLATES; t++)
        s = add(s, t == GRAPH_TEMPLATE_AUTO ? 0 : graph_template_choice(t),
                (graph_run_t){.loop_template = (graph_template_t)t},
                graph_template_name[t]);
    for (int v = 1; v < GRAPH_N_VARIANTS; v++)
        s = add(s, GRAPH_CHOICE_VARIANT, (graph_run_t){.variant = (graph_variant_t)v},
                graph_variant_name[v]);
    s = add(s, GRAPH_CHOICE_VARIANT | GRAPH_CHOICE_UPDATE,
            (graph_run_t){.variant = GRAPH_U_B_QU, .update = GRAPH_RACY}, "U_B_QU-racy");
    s = add(s, GRAPH_CHOICE_SPLIT, (graph_run_t){.split_degree = -1}, "split");
    s = add(s, GRAPH_CHOICE_SPLIT,
            (graph_run_t){.split_degree = -1, .split = GRAPH_SPLIT_VIRTUAL},
            "split-virtual");
    s = add(s, GRAPH_CHOICE_SPLIT_DPAR,
            (graph_run_t){.loop_template = GRAPH_DPAR_NAIVE, .split_degree = -1},
            "split-dpar");
    return (int)(s - out);
}

/* `serial` has one thread. */
static int list_cpu(const char *backend, const int *threads, int n_threads,
                    graph_setting_t *out)
{
    graph_setting_t *s = add(out, 0, (graph_run_t){.backend = backend}, backend);

    s[-1].n_threads = 1;
    if (strcmp(backend, "serial") == 0)
        return 1;
    for (s = out; s < out + n_threads; s++) {
        add(s, 0, (graph_run_t){.backend = backend}, "");
        s->n_threads = threads[s - out];
        snprintf(s->name, sizeof(s->name), "%s-%d", backend, s->n_threads);
    }
    return n_threads;
}

int graph_cell_settings(device_kind_t kind, const int *threads, int n_threads,
                        graph_setting_t *out)
{
    const backend_t *serial = backend_find(&graph_table, "serial", kind);
    int n = serial != NULL ? list_cpu(serial->name, threads, n_threads, out) : 0;

    if (kind != DEVICE_CPU)
        return backend_find(&graph_table, NULL, kind) != NULL ? list_gpu(out) : 0;
    for (const backend_t *const *row = graph_table.rows; *row != NULL; row++)
        if ((*row)->kind == kind && *row != serial)
            n += list_cpu((*row)->name, threads, n_threads, out + n);
    return n;
}

/* @return the first backend that computes it with the setting, or NULL */
static const graph_backend_t *find(const graph_cell_of_t *what,
                                   const graph_setting_t *setting)
{
    const graph_context_t context = {what->device, NULL, what->graph, what->spec,
                                     &setting->run};

    for (const backend_t *const *row = graph_table.rows; *row != NULL; row++) {
        const graph_backend_t *b = (const graph_backend_t *)*row;
        const unsigned obeyed = b->obeys != NULL ? b->obeys(what->spec->algorithm) : 0;

        if (b->base.kind == what->device->kind &&
            (setting->run.backend == NULL ||
             strcmp(setting->run.backend, b->base.name) == 0) &&
            (obeyed & setting->choices) == setting->choices &&
            graph_backend_takes(b, &context))
            return b;
    }
    return NULL;
}

bool graph_cell_is_taken(const graph_cell_of_t *what, const graph_setting_t *setting)
{
    return find(what, setting) != NULL &&
           graph_check(what->spec->algorithm, what->graph, NULL, NULL) == ST_OK;
}

static void forget(graph_result_t *r)
{
    free(r->arcs);
    r->arcs = NULL;
    r->n_arcs = r->n_iterations = r->n_visited = 0;
    r->seconds = 0;
    r->decisions.len = 0;
}

status_t graph_cell_reference(const graph_cell_of_t *what, const char *name, pool_t *pool,
                              graph_result_t *out)
{
    const device_t cpu = device_cpu();
    const graph_run_t run = {.backend = name};
    const graph_context_t context = {&cpu, pool, what->graph, what->spec, &run};
    const graph_backend_t *b =
        (const graph_backend_t *)backend_find(&graph_table, name, DEVICE_CPU);
    graph_result_t r = {0};
    void *state = NULL;
    status_t st;

    if (b == NULL || graph_check(what->spec->algorithm, what->graph, NULL, NULL) != ST_OK)
        return ST_EUSAGE;
    st = graph_result_create(graph_info_on(what->spec->algorithm, what->graph),
                             what->graph->n_nodes, &r);
    if (st == ST_OK && (st = b->create(&context, &state)) == ST_OK)
        st = b->compute(state, what->task, &r);
    b->destroy(state);
    if (st == ST_OK)
        *out = r;
    else
        graph_result_free(&r);
    return st;
}

static status_t refuse_value(const graph_cell_of_t *what, const char *setting,
                             const char *column, int64_t node)
{
    log_error("%s, %s: the %s of node %" PRId64 " differs from the reference; report "
              "this error",
              graph_info(what->spec->algorithm)->name, setting, column,
              what->graph->id[node]);
    return ST_EINPUT;
}

static status_t check(const graph_cell_of_t *what, const char *setting,
                      const graph_result_t *got)
{
    const graph_info_t *info = graph_info_on(what->spec->algorithm, what->graph);
    const graph_result_t *want = what->reference;

    for (int c = 0; c < info->n_columns; c++) {
        size_t bytes = (size_t)graph_type_bytes(info->columns[c].type);
        const unsigned char *a = want->column[c], *b = got->column[c];

        for (int64_t u = 0; u < what->graph->n_nodes; u++)
            if (memcmp(a + (size_t)u * bytes, b + (size_t)u * bytes, bytes) != 0)
                return refuse_value(what, setting, info->columns[c].name, u);
    }
    if (got->n_arcs == want->n_arcs &&
        (got->n_arcs == 0 ||
         memcmp(got->arcs, want->arcs, (size_t)got->n_arcs * sizeof(*got->arcs)) == 0))
        return ST_OK;
    log_error("%s, %s: the edges differ from the reference; report this error",
              info->name, setting);
    return ST_EINPUT;
}

static void log_decisions(const graph_cell_of_t *what, const char *setting,
                          const graph_result_t *r)
{
    const char *at = (const char *)r->decisions.data, *end = at + r->decisions.len;

    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));

        stop = stop != NULL ? stop : end;
        log_verbose("%s, %s: %.*s", graph_info(what->spec->algorithm)->name, setting,
                    (int)(stop - at), at);
        at = stop + 1;
    }
}

/* Run and check until there are enough runs, or they took too long. */
static status_t repeat(const graph_cell_of_t *what, const graph_setting_t *setting,
                       const graph_backend_t *b, void *state, graph_result_t *r,
                       graph_cell_t *out)
{
    double seconds[GRAPH_CELL_RUNS_MAX + 1], start = clock_now_s();
    status_t st = ST_OK;
    int n = 0;

    do {
        forget(r);
        if ((st = b->compute(state, what->task, r)) != ST_OK ||
            (st = check(what, setting->name, r)) != ST_OK)
            return st;
        seconds[n++] = r->seconds;
    } while (n <= what->n_runs && clock_now_s() - start < what->seconds);
    out->is_measured = true;
    out->n_runs = n - 1;
    out->n_iterations = r->n_iterations;
    out->n_visited = r->n_visited;
    bench_times(n > 1 ? seconds + 1 : seconds, n > 1 ? n - 1 : 1, &out->min, &out->median,
                &out->max);
    log_decisions(what, setting->name, r);
    return ST_OK;
}

status_t graph_cell_measure(const graph_cell_of_t *what, const graph_setting_t *setting,
                            graph_cell_t *out)
{
    graph_context_t context = {what->device, NULL, what->graph, what->spec,
                               &setting->run};
    const graph_backend_t *b = find(what, setting);
    graph_result_t r = {0};
    graph_cell_t cell = {0};
    void *state = NULL;
    pool_t *pool = NULL;
    status_t st;

    *out = cell;
    if (b == NULL)
        return ST_OK;
    st = pool_create(setting->n_threads > 0 ? setting->n_threads : device_cpu().n_cores,
                     &pool);
    context.pool = pool;
    if (st == ST_OK)
        st = graph_result_create(graph_info_on(what->spec->algorithm, what->graph),
                                 what->graph->n_nodes, &r);
    if (st == ST_OK && (st = b->create(&context, &state)) == ST_OK)
        st = repeat(what, setting, b, state, &r, &cell);
    b->destroy(state);
    graph_result_free(&r);
    pool_destroy(pool);
    if (st == ST_OK)
        *out = cell;
    return st;
}

double graph_cell_arcs(const graph_cell_of_t *what, const graph_cell_t *cell)
{
    const graph_info_t *info = graph_info_on(what->spec->algorithm, what->graph);
    double arcs = (double)what->graph->n_arcs;

    if ((info->options & GRAPH_OPTIONS_ITERATIONS) != 0)
        return arcs * (double)cell->n_iterations;
    return info->is_summed ? arcs * (double)what->task->n_sources : arcs;
}
