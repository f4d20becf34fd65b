/*
 * cmd_bench_graph.c - `ribogrid-bench graph`: measures the graph algorithms of a device
 * under each template and variant.
 */
#include "bench/graph/graph_bench.h"
#include "bench/options/benchmarks.h"
#include "io/base/child_reader.h"
#include "io/base/logmsg.h"
#include "io/file/memfd_stream.h"
#include "io/file/whole_file.h"
#include "io/graphfile/make/graph_make.h"
#include "io/graphfile/read/graph_read.h"
#include "tools/options/option_tables.h"
#include "worker/graph/graph_opts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the graph ---- */

typedef struct {
    const char *name; /* "rmat:20:16", or the path of a file */
    graph_read_options_t read;
    bool is_directed;    /* keep the directions; otherwise the graph is made undirected */
    csr_options_t build; /* weights alone; files without whole ones get random ones */
    uint64_t seed;       /* of generated graphs */
    child_reader_t *reader; /* of HDF5, or NULL */
    int stream;             /* file that its graph passes through */
} graph_input_t;

/* Parse up to n numbers of at least 1, the first of which has to be there. */
static bool parse_sizes(const char *text, int64_t *const *out, int n)
{
    char *end;

    for (int k = 0; k < n; k++, text = end + 1) {
        errno = 0;
        *out[k] = strtoll(text, &end, 10);
        if (errno != 0 || end == text || *out[k] < 1 || *out[k] > INT32_MAX ||
            (*end != ':' && *end != '\0'))
            return false;
        if (*end == '\0')
            return true;
    }
    return false;
}

/*
 * Parse the name of a generated graph: rmat:SCALE[:EDGE_FACTOR], grid:ROWS[:COLUMNS],
 * road:NODES, clone:DEGREES, tree:DEPTH[:CHILDREN[:SPARSITY]].
 *
 * @return ST_OK, ST_EUSAGE if the numbers after a kind's name are wrong, or ST_EDONE: it
 *         is the path of a file
 */
static status_t graph_input_parse(const char *name, graph_make_options_t *out)
{
    graph_make_options_t o = {.edge_factor = 16, .min_children = 32};
    size_t len = strcspn(name, ":");
    const char *sizes = name + len + 1;
    bool ok = false;
    int k = 0;

    while (k < GRAPH_MAKE_N_KINDS && (strlen(graph_make_name[k]) != len ||
                                      strncmp(graph_make_name[k], name, len) != 0))
        k++;
    if (k == GRAPH_MAKE_N_KINDS || name[len] != ':')
        return ST_EDONE;
    o.kind = (graph_make_kind_t)k;
    switch (o.kind) {
    case GRAPH_MAKE_RMAT:
        ok = parse_sizes(sizes, (int64_t *[]){&o.scale, &o.edge_factor}, 2) &&
             o.scale <= GRAPH_MAKE_MAX_SCALE;
        break;
    case GRAPH_MAKE_GRID:
        ok = parse_sizes(sizes, (int64_t *[]){&o.rows, &o.columns}, 2);
        o.columns = o.columns > 0 ? o.columns : o.rows;
        break;
    case GRAPH_MAKE_ROAD:
        ok = parse_sizes(sizes, (int64_t *[]){&o.n_nodes}, 1);
        break;
    case GRAPH_MAKE_TREE:
        ok = parse_sizes(sizes, (int64_t *[]){&o.depth, &o.min_children, &o.sparsity}, 3);
        o.max_children = o.min_children;
        break;
    default:
        o.degrees = sizes;
        ok = *sizes != '\0';
    }
    if (ok)
        *out = o;
    return ok ? ST_OK : ST_EUSAGE;
}

/* @return the edges of the input, generated or read */
static status_t list_edges(const graph_input_t *in, pool_t *pool, graph_edges_t *out)
{
    graph_make_options_t how;
    status_t st = graph_input_parse(in->name, &how);

    if (st == ST_EDONE)
        return graph_read(in->name, &in->read, out);
    if (st != ST_OK)
        return st;
    how.seed = in->seed;
    return graph_make(&how, pool, out);
}

/* Read or generate the graph, without loops and repeated arcs, in this process. */
static status_t build_here(const graph_input_t *in, csr_t *out)
{
    csr_options_t build = in->build;
    graph_edges_t edges = {0};
    pool_t *pool;
    status_t st = pool_create(device_cpu().n_cores, &pool);

    if (st != ST_OK)
        return st;
    st = list_edges(in, pool, &edges);

    build.symmetrize = !in->is_directed;
    build.dedupe = build.drop_loops = true;
    if (st == ST_OK) {
        edges.is_directed = edges.is_directed || in->is_directed;
        if (build.weights == CSR_WEIGHTS_GIVEN && edges.weight == NULL &&
            edges.value == NULL)
            build.weights = CSR_WEIGHTS_UNIFORM;
        st = csr_build(&edges, &build, pool, out);
    }
    graph_edges_free(&edges);
    pool_destroy(pool);
    return st;
}

/* In the child, which ends soon, and so frees the graph. */
static status_t send_graph(const void *input, int question, buf_t *out)
{
    const graph_input_t *in = input;
    csr_t g;
    status_t st = build_here(in, &g);

    (void)question;
    (void)out;
    return st == ST_OK ? memfd_stream_put_object(in->stream, &csr_arrays, &g) : st;
}

/* Fork the child that reads an HDF5 file; before CUDA and threads begin. */
static status_t graph_input_prepare(graph_input_t *in)
{
    char *files[] = {(char *)(uintptr_t)in->name};
    const child_limits_t limits = child_limits(1, files, device_cpu().memory_bytes);
    status_t st;

    if (!graph_read_is_hdf5(in->name, &in->read))
        return ST_OK;
    st = memfd_stream_create(csr_arrays.what, &in->stream);
    return st == ST_OK ? child_reader_start(&limits, send_graph, in, &in->reader) : st;
}

/* Build the graph, or have the child do it.
 * @return ST_OK, ST_ENOMEM, ST_EIO, ST_EINPUT or ST_EUSAGE (logged) */
static status_t graph_input_read(graph_input_t *in, csr_t *out)
{
    status_t st;

    if (in->reader == NULL)
        return build_here(in, out);
    st = memfd_stream_fetch(in->reader, 0, in->stream, &csr_arrays, out);
    child_reader_stop(in->reader);
    return st;
}

enum { SETTING_NAMES_MAX = 1024, THREADS_MAX = 4096 };

typedef struct {
    job_opts_t common;
    graph_input_t input;
    const char *graph, *weights, *algorithms, *settings, *source, *threads, *seconds,
        *svg;
    int64_t n_sources, seed, n_runs;
    int reference; /* of reference_names */
    bool tsv;
} args_t;

static const char *const reference_names[] = {NULL, "serial", "cpu"};

/* Above, `serial` takes minutes for some algorithms. */
static const int64_t max_serial_arcs = INT64_C(4) << 20;

typedef struct {
    args_t a;
    double seconds;
    bool is_wanted[GRAPH_N_ALGORITHMS];
    device_t device;
    int threads[BENCH_LIST_MAX], n_threads;
    pool_t *pool;
    csr_t graph;
    double *x; /* [n_nodes] the vector of spmv */
    graph_table_t table;
} bench_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INPUT, "FILE|rmat:SCALE|...", 0, AT(graph),
                                  .files = option_graph_files},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Input"},
    {.word = WORD_DIRECTED, AT(input.is_directed), .help = " (and back)"},
    {.word = WORD_ID,
     AT(input.read.id),
     .help = " of the pairs of PAIRS.h5 that are edges (all pairs)"},
    {.word = WORD_WEIGHTS,
     AT(weights),
     .help = ": those of the file if it has some (file), else uniform:1-255:1"},
    {.kind = OPTION_TABLE, AT(seed), .table = option_seed},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "What to measure"},
    {OPTION_TEXT, "algorithm", 0, AT(algorithms), "NAME,...",
     "algorithms of `ribogrid graph` (all)"},
    {OPTION_TEXT, "setting", 0, AT(settings), "NAME,...",
     "settings, as the table names them (all)"},
    {.word = WORD_SOURCE,
     AT(source),
     .help = ", with bfs, sssp and betweenness (max-degree)"},
    {.word = WORD_SOURCES, AT(n_sources), .help = ", with betweenness (4)"},

    {.kind = OPTION_GROUP, .name = "Device"},
    {.word = WORD_DEVICE, AT(common.device)},
    {.kind = OPTION_TEXT,
     .word = WORD_THREADS,
     AT(threads),
     .value = "N,...",
     .help = " of the kernels that have them (all processors)"},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_TSV, AT(tsv), .help = ", one per result"},
    {.word = WORD_SVG, AT(svg), .help = " a heat map of the times"},
    {.kind = OPTION_TABLE, .table = option_force},

    {.kind = OPTION_GROUP, .name = "Run"},
    {.word = WORD_RUNS,
     AT(n_runs),
     .max = GRAPH_CELL_RUNS_MAX,
     .help = ", after one to warm up (10)"},
    {.kind = OPTION_TEXT,
     .word = WORD_SECONDS,
     AT(seconds),
     .help = ": begin no more runs of a setting after S seconds (1)"},
    {OPTION_CHOICE, "reference", 0, AT(reference), "auto|serial|cpu",
     "what results are compared with (auto: serial, the definition; cpu for large "
     "graphs)"},
    {.kind = OPTION_END}};

/* @return whether a list, separated by commas, has a word */
static bool has_word(const char *list, const char *word)
{
    size_t len = strlen(word);

    for (;; list++) {
        if (strncmp(list, word, len) == 0 && (list[len] == ',' || list[len] == '\0'))
            return true;
        if ((list = strchr(list, ',')) == NULL)
            return false;
    }
}

/* @return the number of words of a list */
static int count_words(const char *list)
{
    int n = 1;

    while ((list = strchr(list, ',')) != NULL) {
        list++;
        n++;
    }
    return n;
}

static status_t choose_algorithms(bench_t *b)
{
    const char *list = b->a.algorithms;
    int n = 0;

    for (int a = 0; a < GRAPH_N_ALGORITHMS; a++) {
        b->is_wanted[a] =
            list == NULL || has_word(list, graph_info((graph_algorithm_t)a)->name);
        n += b->is_wanted[a];
    }
    if (list == NULL || n == count_words(list))
        return ST_OK;
    return options_misuse(&cmd_bench_graph,
                          "--algorithm %s: give names of algorithms, separated by "
                          "commas; `ribogrid graph --help` lists them",
                          list);
}

static status_t parse_numbers(bench_t *b)
{
    const bench_numbers_t seconds = {"seconds", 0, 3600, true, false};
    const bench_numbers_t threads = {"threads", 1, THREADS_MAX, false, false};
    bench_list_t list;

    if (!bench_list_parse(&seconds, b->a.seconds, &list) || list.n != 1)
        return options_misuse(&cmd_bench_graph,
                              "--seconds %s: give a number from 0 to 3600", b->a.seconds);
    b->seconds = list.at[0];
    b->threads[0] = device_cpu().n_cores;
    b->n_threads = 1;
    if (b->a.threads == NULL)
        return ST_OK;
    if (!bench_list_parse(&threads, b->a.threads, &list))
        return options_misuse(&cmd_bench_graph,
                              "--threads %s: give at most %d whole numbers from 1 to "
                              "%d, separated by commas",
                              b->a.threads, BENCH_LIST_MAX, THREADS_MAX);
    b->n_threads = list.n;
    for (int k = 0; k < list.n; k++)
        b->threads[k] = (int)list.at[k];
    return ST_OK;
}

static status_t parse_input(bench_t *b, const char *name)
{
    const char *text = b->a.weights != NULL ? b->a.weights : "file";
    csr_options_t weights = {.low = 1, .high = 255, .seed = 1};
    graph_make_options_t made;

    if (graph_input_parse(name, &made) == ST_EUSAGE)
        return options_misuse(
            &cmd_bench_graph,
            "%s: give rmat:SCALE[:EDGE_FACTOR], grid:ROWS[:COLUMNS], "
            "road:NODES, clone:DEGREES or tree:DEPTH[:CHILDREN[:SPARSITY]]",
            name);
    if (!graph_opts_parse_weights(text, &weights))
        return options_misuse(&cmd_bench_graph,
                              "--weights %s: give file, unit or uniform:LOW-HIGH[:SEED]",
                              text);
    b->a.input.name = b->table.input = name;
    b->a.input.seed = (uint64_t)b->a.seed;
    b->a.input.build = weights;
    if (weights.weights != CSR_WEIGHTS_GIVEN)
        b->a.input.read.weights = GRAPH_WEIGHTS_UNREAD;
    return ST_OK;
}

static bool has_setting(const graph_table_t *t, const char *name)
{
    for (int s = 0; s < t->n_settings; s++)
        if (strcmp(t->settings[s].name, name) == 0)
            return true;
    return false;
}

/* Keep the settings that --setting names. */
static status_t choose_settings(bench_t *b)
{
    graph_table_t *t = &b->table;
    const char *list = b->a.settings;
    int n = graph_cell_settings(b->device.kind, b->threads, b->n_threads, t->settings);
    char names[SETTING_NAMES_MAX] = "";

    t->automatic = t->baseline = -1;
    for (int s = 0; s < n; s++) {
        const graph_setting_t *setting = &t->settings[s];
        bool is_baseline = device_is_gpu(&b->device)
                               ? setting->run.loop_template == GRAPH_THREAD_MAPPED
                               : s == 0;
        size_t len = strlen(names);

        snprintf(names + len, sizeof(names) - len, " %s", setting->name);
        if (list != NULL && !has_word(list, setting->name))
            continue;
        if (is_baseline)
            t->baseline = t->n_settings;
        if (device_is_gpu(&b->device) && s == 0)
            t->automatic = t->n_settings;
        t->settings[t->n_settings++] = *setting;
    }
    for (const char *at = list; at != NULL; at = at[0] == ',' ? at + 1 : NULL) {
        char word[GRAPH_SETTING_BYTES] = "";
        size_t len = strcspn(at, ",");

        snprintf(word, sizeof(word), "%.*s", (int)len, at);
        if (len < sizeof(word) && t->n_settings < GRAPH_SETTINGS_MAX &&
            !has_setting(t, word) &&
            graph_cell_parse(b->device.kind, word, &t->settings[t->n_settings]))
            t->n_settings++;
        at += len;
    }
    if (list == NULL || t->n_settings == count_words(list))
        return ST_OK;
    return options_misuse(&cmd_bench_graph, "--setting %s: choose from%s%s", list, names,
                          device_is_gpu(&b->device) ? ", thresholds, and launches" : "");
}

/* Settle an algorithm's options as `ribogrid graph` does, with those of this command. */
static status_t settle(const args_t *a, graph_algorithm_t algorithm, graph_opts_t *out)
{
    const graph_info_t *info = graph_info(algorithm);
    char why[JOB_OPTS_WHY_BYTES];

    *out = graph_opts_defaults();
    out->algorithm = algorithm;
    out->common.output = "none"; /* one has to be given */
    if (info->has_sources)
        GIVE(out, source_text, a->source);
    if (info->is_summed &&
        (strcmp(a->source, "random") == 0 || strcmp(a->source, "max-degree") == 0))
        GIVE(out, n_sources, a->n_sources);
    if ((info->options & GRAPH_OPTIONS_ORDER) != 0)
        GIVE(out, order, GRAPH_BY_DEGREE);
    if (graph_opts_settle(&out->common, why) != ST_OK)
        return options_misuse(&cmd_bench_graph, "%s", why);
    if (out->sources.kind == GRAPH_SOURCES_NODE && out->sources.id < 0)
        return options_misuse(&cmd_bench_graph,
                              "--source %s: give a node's id, random or max-degree",
                              a->source);
    out->sources.seed = (uint64_t)a->seed;
    return ST_OK;
}

static status_t settle_all(bench_t *b)
{
    graph_opts_t ignored;
    status_t st;

    if ((st = parse_input(b, b->a.graph)) != ST_OK ||
        (st = choose_algorithms(b)) != ST_OK || (st = parse_numbers(b)) != ST_OK ||
        (st = graph_input_prepare(&b->a.input)) != ST_OK ||
        (st = one_device_find(&cmd_bench_graph, b->a.common.device, &b->device)) != ST_OK)
        return st;
    for (int k = 0; st == ST_OK && k < GRAPH_N_ALGORITHMS; k++)
        st = settle(&b->a, (graph_algorithm_t)k, &ignored);
    return st == ST_OK ? choose_settings(b) : st;
}

static status_t read_graph(bench_t *b)
{
    const csr_t *g = &b->graph;
    status_t st = graph_input_read(&b->a.input, &b->graph);

    if (st != ST_OK || (st = pool_create(device_cpu().n_cores, &b->pool)) != ST_OK)
        return st;
    b->table.graph = g;
    b->table.device = &b->device;
    if (g->n_arcs == 0) {
        log_error("%s has no edges to measure with", b->a.input.name);
        return ST_EINPUT;
    }
    if ((b->x = malloc((size_t)g->n_nodes * sizeof(*b->x))) == NULL)
        return log_nomem("a vector");
    for (int64_t u = 0; u < g->n_nodes; u++)
        b->x[u] = 1 / (double)(u + 1);
    return ST_OK;
}

/* @return the name of the kernel that the results are compared with */
static const char *reference_of(const bench_t *b)
{
    if (reference_names[b->a.reference] != NULL)
        return reference_names[b->a.reference];
    return b->graph.n_arcs <= max_serial_arcs ? "serial" : "cpu";
}

/* Measure all settings of an algorithm. */
static status_t measure(bench_t *b, int algorithm, graph_cell_of_t *what)
{
    graph_table_t *t = &b->table;
    graph_result_t reference = {0};
    bool is_taken = false;
    status_t st;

    for (int s = 0; s < t->n_settings; s++)
        is_taken = is_taken || graph_cell_is_taken(what, &t->settings[s]);
    if (!is_taken) {
        log_info("%s is left out: %s has no kernel for it on this graph",
                 graph_info((graph_algorithm_t)algorithm)->name, b->device.name);
        return ST_OK;
    }
    st = graph_cell_reference(what, reference_of(b), b->pool, &reference);
    if (st == ST_EINPUT) { /* logged: such as too many paths for betweenness */
        log_info("%s is left out", graph_info((graph_algorithm_t)algorithm)->name);
        return ST_OK;
    }
    what->reference = &reference;
    for (int s = 0; st == ST_OK && s < t->n_settings; s++)
        st = graph_cell_measure(what, &t->settings[s], &t->cell[algorithm][s]);
    for (int s = 0; st == ST_OK && s < t->n_settings; s++)
        if (t->cell[algorithm][s].is_measured)
            t->arcs[algorithm] = graph_cell_arcs(what, &t->cell[algorithm][s]);
    graph_result_free(&reference);
    if (st != ST_OK)
        return st;
    if (b->a.tsv)
        graph_table_tsv(t, algorithm);
    else
        graph_table_print(t, algorithm);
    return ST_OK;
}

/* Compute what `ribogrid graph` would, and measure it. */
static status_t measure_algorithm(bench_t *b, graph_algorithm_t algorithm)
{
    graph_opts_t o;
    graph_spec_t spec;
    graph_task_t task = {NULL, 0, 0};
    graph_cell_of_t what = {.device = &b->device,
                            .graph = &b->graph,
                            .spec = &spec,
                            .task = &task,
                            .n_runs = (int)b->a.n_runs,
                            .seconds = b->seconds};
    int32_t *sources = NULL;
    status_t st = settle(&b->a, algorithm, &o);

    if (st != ST_OK)
        return st;
    if (o.sources.n > b->graph.n_nodes)
        o.sources.n = b->graph.n_nodes;
    if (graph_info(algorithm)->has_sources)
        st = graph_sources_choose(&o.sources, &b->graph, NULL, b->a.input.name, &sources,
                                  &task.n_sources);
    task.sources = sources;
    spec = graph_opts_spec(&o);
    spec.x = b->x;
    if (st == ST_OK)
        st = measure(b, (int)algorithm, &what);
    free(sources);
    return st;
}

static status_t draw(const bench_t *b)
{
    whole_file_t *to;
    status_t st = whole_file_open(b->a.svg, WHOLE_FILE_TEXT, b->a.common.force, &to);

    if (st != ST_OK)
        return st;
    graph_heat_draw(whole_file_stream(to), &b->table);
    return whole_file_close(to, ST_OK);
}

static void defaults(void *args)
{
    args_t *a = args;

    a->seconds = "1";
    a->source = "max-degree";
    a->n_sources = 4;
    a->seed = 1;
    a->n_runs = 10;
}

static status_t run(void *args)
{
    static bench_t b; /* large */
    status_t st;

    b = (bench_t){.a = *(const args_t *)args};
    if ((st = settle_all(&b)) == ST_OK)
        st = read_graph(&b);
    if (st == ST_OK && b.a.tsv)
        graph_table_tsv_head();
    else if (st == ST_OK)
        graph_table_print_head(&b.table, reference_of(&b));
    for (int a = 0; st == ST_OK && a < GRAPH_N_ALGORITHMS; a++)
        if (b.is_wanted[a])
            st = measure_algorithm(&b, (graph_algorithm_t)a);
    if (st == ST_OK && b.a.svg != NULL)
        st = draw(&b);
    free(b.x);
    csr_free(&b.graph);
    pool_destroy(b.pool);
    child_reader_destroy(b.a.input.reader);
    return st;
}

const command_t cmd_bench_graph = {
    .name = "graph",
    .summary = "time the graph algorithms under every template and variant",
    .words = words,
    .usage = "[options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "The graph is a FILE as of `ribogrid graph`, or generated as by `graph make`:\n"
        "rmat:SCALE[:EDGE_FACTOR], grid:ROWS[:COLUMNS], road:NODES, clone:DEGREES or\n"
        "tree:DEPTH[:CHILDREN[:SPARSITY]], with --directed. Loops and repeated edges "
        "are\n"
        "dropped, and reverse edges added. Every result is compared with the reference; "
        "a difference ends the\n"
        "benchmark with exit code 1. Times are those of the kernels, without copies;\n"
        "rates count each arc once, per iteration (pagerank) or source (betweenness).\n"
        "On a GPU, `auto` chooses by itself, `split` and `split-virtual` split nodes of\n"
        "high degree, `split-dpar` launches kernels for these, and other settings are\n"
        "templates and variants of `ribogrid graph`.\n"
        "--setting also takes thresholds of the adaptive runtime, with values to try:\n"
        "T1-N, T2-N and T3-N, delta-N, blocks-N, skew-N, wide-N: "
        "delta-8,delta-128+T2-9999;\n"
        "and templates that launch kernels with --consolidate, --child and --allocator:\n"
        "dpar-naive+block+KC_32+pool.\n",
    .example = "ribogrid-bench graph rmat:20:16 --algorithm bfs,sssp --svg bfs.svg",
    .defaults = defaults,
    .run = run,
};
