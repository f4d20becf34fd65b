/*
 * graph_opts.c - defaults of the options of the job "graph", and which of them go
 * together.
 */
#include "worker/graph/graph_opts.h"

#include "kernels/registry/backends.h"
#include "worker/graph/graph_choices.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 1 };

const char *const graph_order_name[3] = {"id", "degree", "abundance"};
const char *const graph_dangling_name[2] = {"spread", "leak"};
const char *const graph_vector_name[2] = {"ones", "random"};

graph_opts_t graph_opts_defaults(void)
{
    return (graph_opts_t){.common = job_opts_defaults(),
                          .n_sources = 1,
                          .seed = SEED,
                          .damping = {17, 20},
                          .tolerance = 1e-6,
                          .max_iterations = 100,
                          .dangling = GRAPH_DANGLING_SPREAD,
                          .order = GRAPH_BY_ID,
                          .vector = GRAPH_VECTOR_ONES,
                          .loop_template = GRAPH_TEMPLATE_AUTO,
                          .allocator = GRAPH_ALLOCATOR_FIXED,
                          .pool_bytes = GRAPH_POOL_BYTES,
                          .variant = GRAPH_VARIANT_AUTO,
                          .update = GRAPH_ATOMIC,
                          .stream = -1};
}

/* An option that some algorithms do not have. */
typedef struct {
    const char *name;
    bool is_given;
    unsigned options; /* that it is one of, GRAPH_OPTIONS_...; 0: of the sources */
} limited_t;

static bool has_options(graph_algorithm_t algorithm, const void *options)
{
    const graph_info_t *info = graph_info(algorithm);
    const unsigned bits = *(const unsigned *)options;

    return bits == 0 ? info->has_sources : (info->options & bits) != 0;
}

static bool is_divisible(graph_algorithm_t algorithm, const void *arg)
{
    (void)arg;
    return graph_is_divisible(graph_info(algorithm));
}

static status_t check_algorithm(const graph_opts_t *o, char *why)
{
    const graph_info_t *info = graph_info(o->algorithm);
    const limited_t all[] = {
        {"source", o->source_text != NULL, 0},
        {"sources", IS_GIVEN(o, n_sources), 0},
        {"damping", IS_GIVEN(o, damping), GRAPH_OPTIONS_ITERATIONS},
        {"tolerance", o->tolerance_text != NULL, GRAPH_OPTIONS_ITERATIONS},
        {"max-iterations", IS_GIVEN(o, max_iterations), GRAPH_OPTIONS_ITERATIONS},
        {"dangling", IS_GIVEN(o, dangling), GRAPH_OPTIONS_ITERATIONS},
        {"order", IS_GIVEN(o, order), GRAPH_OPTIONS_ORDER},
        {"vector", IS_GIVEN(o, vector), GRAPH_OPTIONS_VECTOR},
        {"leaf-weights", o->leaf_weights != NULL, GRAPH_OPTIONS_LEAVES},
        {"from", o->from != NULL, GRAPH_OPTIONS_FROM},
        {"restart", IS_GIVEN(o, restart), GRAPH_OPTIONS_ITERATIONS},
        {"newick", o->newick != NULL, GRAPH_OPTIONS_TREE},
    };
    char names[GRAPH_NAMES_BYTES];

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].is_given && !has_options(o->algorithm, &all[i].options))
            return job_opts_misuse(why, "--%s is for %s, not for %s", all[i].name,
                                   graph_names(has_options, &all[i].options, names),
                                   info->name);
    if (IS_GIVEN(o, restart) && o->from == NULL)
        return job_opts_misuse(why, "--restart needs --from OLD.h5");
    if (o->read.is_directed && o->symmetrize)
        return job_opts_misuse(why, "give --directed or --symmetrize, not both");
    if (o->read.is_directed && info->is_undirected)
        return job_opts_misuse(why, "%s is for undirected graphs; leave out --directed",
                               info->name);
    return ST_OK;
}

/* Parse a whole number of 0 .. max. @param text  moved behind it */
static bool parse_number(const char **text, int64_t max, int64_t *out)
{
    char *end;

    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    *out = strtoll(*text, &end, 10);
    *text = end;
    return errno == 0 && *out <= max;
}

/* Parse LOW-HIGH[:SEED]. */
static bool parse_uniform(const char *at, csr_options_t *build)
{
    int64_t low, high, seed = SEED;

    if (!parse_number(&at, INT32_MAX, &low) || *at++ != '-' ||
        !parse_number(&at, INT32_MAX, &high) || low > high)
        return false;
    if (*at == ':' && (at++, !parse_number(&at, INT64_MAX, &seed)))
        return false;
    build->low = (int32_t)low;
    build->high = (int32_t)high;
    build->seed = (uint64_t)seed;
    return *at == '\0';
}

bool graph_opts_parse_weights(const char *text, csr_options_t *out)
{
    static const char uniform[] = "uniform:";

    if (strcmp(text, "file") == 0)
        out->weights = CSR_WEIGHTS_GIVEN;
    else if (strcmp(text, "unit") == 0)
        out->weights = CSR_WEIGHTS_UNIT;
    else if (strncmp(text, uniform, strlen(uniform)) == 0 &&
             parse_uniform(text + strlen(uniform), out))
        out->weights = CSR_WEIGHTS_UNIFORM;
    else
        return false;
    return true;
}

status_t graph_opts_settle_weights(graph_opts_t *o, const char *name, bool uses_weights,
                                   char why[JOB_OPTS_WHY_BYTES])
{
    const char *text = o->weights_text != NULL ? o->weights_text
                       : uses_weights          ? "file"
                                               : "unit";

    if (!graph_opts_parse_weights(text, &o->build))
        return job_opts_misuse(
            why,
            "--weights %s: give file, unit or uniform:LOW-HIGH[:SEED], such as "
            "uniform:1-255:1",
            text);
    if (o->weights_text != NULL && !uses_weights)
        return job_opts_misuse(why, "--weights: %s uses no weights", name);
    o->read.weights =
        o->build.weights == CSR_WEIGHTS_GIVEN ? GRAPH_WEIGHTS_ANY : GRAPH_WEIGHTS_UNREAD;
    return ST_OK;
}

static status_t settle_graph(graph_opts_t *o, char *why)
{
    const graph_info_t *info = graph_info(o->algorithm);
    status_t st;

    /* loops and repeated edges change nothing in the algorithms on undirected graphs */
    o->build = (csr_options_t){.symmetrize = o->symmetrize,
                               .dedupe = o->dedupe || info->is_undirected,
                               .drop_loops = o->drop_loops || info->is_undirected};
    st = graph_opts_settle_weights(o, info->name, info->uses_weights, why);
    if (st == ST_OK && o->read.weights == GRAPH_WEIGHTS_ANY &&
        (info->adds_lengths || o->newick != NULL))
        o->read.weights = GRAPH_WEIGHTS_LENGTHS;
    return st;
}

void graph_opts_parse_source(const char *text, graph_sources_t *out)
{
    if (strcmp(text, "max-degree") == 0) {
        out->kind = GRAPH_SOURCES_MAX_DEGREE;
        return;
    }
    out->kind = GRAPH_SOURCES_NODE;
    out->name = text;
    if (!parse_number(&text, INT64_MAX, &out->id) || *text != '\0')
        out->id = -1;
}

static status_t settle_sources(graph_opts_t *o, char *why)
{
    const graph_info_t *info = graph_info(o->algorithm);
    const char *text = o->source_text;
    graph_sources_t *s = &o->sources;

    s->n = o->n_sources;
    if (text == NULL && IS_GIVEN(o, n_sources))
        s->kind = GRAPH_SOURCES_RANDOM;
    else if (text == NULL)
        s->kind = info->is_summed ? GRAPH_SOURCES_ALL : GRAPH_SOURCES_MAX_DEGREE;
    else if (strcmp(text, "random") == 0)
        s->kind = GRAPH_SOURCES_RANDOM;
    else
        graph_opts_parse_source(text, s);
    if (s->kind == GRAPH_SOURCES_NODE && s->n != 1)
        return job_opts_misuse(why, "--source %s is one node; leave out --sources",
                               o->source_text);
    return ST_OK;
}

static status_t settle_pagerank(graph_opts_t *o, char *why)
{
    char *end;

    if (o->tolerance_text == NULL)
        return ST_OK;
    o->tolerance = strtod(o->tolerance_text, &end);
    if (end == o->tolerance_text || *end != '\0' || !isfinite(o->tolerance) ||
        o->tolerance < 0)
        return job_opts_misuse(
            why, "--tolerance %s: give a number of at least 0, such as 1e-6",
            o->tolerance_text);
    return ST_OK;
}

/* A seed that nothing uses is most likely meant for something else. */
static status_t settle_seed(graph_opts_t *o, char *why)
{
    bool is_used = o->sources.kind == GRAPH_SOURCES_RANDOM ||
                   o->order == GRAPH_BY_DEGREE || o->vector == GRAPH_VECTOR_RANDOM;

    if (IS_GIVEN(o, seed) && !is_used)
        return job_opts_misuse(
            why, "--seed needs --source random, --sources, --order degree or "
                 "--vector random");
    o->sources.seed = (uint64_t)o->seed;
    return ST_OK;
}

/* @return ST_OK, or ST_EUSAGE: the graph cannot be divided */
static status_t check_partition(const graph_opts_t *o, char *why)
{
    const graph_info_t *info = graph_info(o->algorithm);
    char names[GRAPH_NAMES_BYTES];

    if (o->partition != GRAPH_PARTITION_ON)
        return ST_OK;
    if (!graph_is_divisible(info))
        return job_opts_misuse(why, "--partition on is for %s, not for %s",
                               graph_names(is_divisible, NULL, names), info->name);
    if (info->has_sources && o->sources.n != 1)
        return job_opts_misuse(why,
                               "--partition on computes %s from one source; leave "
                               "out --sources",
                               info->name);
    if (o->from != NULL)
        return job_opts_misuse(why,
                               "--from is for whole graphs; leave out --partition on");
    if (graph_choices_are_given(o))
        return job_opts_misuse(why, "--partition on has kernels of its own; leave out "
                                    "options on how to compute, such as --template");
    if (o->common.task_timeout_s > 0)
        return job_opts_misuse(why, "--partition on has no tasks that another rank could "
                                    "compute; leave out --task-timeout");
    return backend_kinds(&part_table, o->common.kernel) == 0
               ? job_opts_misuse(why,
                                 "--kernel %s computes whole graphs; leave out "
                                 "--partition on",
                                 o->common.kernel)
               : ST_OK;
}

status_t graph_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES])
{
    graph_opts_t *o = (graph_opts_t *)opts;
    status_t st;

    if ((st = job_opts_check_output(&o->common, "OUT.h5", true, why)) != ST_OK ||
        (st = check_algorithm(o, why)) != ST_OK || (st = settle_graph(o, why)) != ST_OK ||
        (st = settle_sources(o, why)) != ST_OK || (st = settle_pagerank(o, why)) != ST_OK)
        return st;
    if ((st = settle_seed(o, why)) != ST_OK || (st = check_partition(o, why)) != ST_OK ||
        (st = job_opts_settle_device(&o->common.device, o->common.kernel, &graph_table,
                                     why)) != ST_OK)
        return st;
    return graph_choices_settle(o, why);
}

graph_spec_t graph_opts_spec(const graph_opts_t *o)
{
    return (graph_spec_t){.algorithm = o->algorithm,
                          .damping = (double)o->damping.numerator /
                                     (double)o->damping.denominator,
                          .tolerance = o->tolerance,
                          .max_iterations = o->max_iterations,
                          .dangling = o->dangling,
                          .restart = o->restart,
                          .order = o->order,
                          .seed = (uint64_t)o->seed};
}
