/*
 * graph_choices.c - which choices a kernel obeys, and which go together.
 */
#include "worker/graph/graph_choices.h"

#include "io/base/logmsg.h"
#include "kernels/registry/backends.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_CHOICES = 11, CHOICE_BYTES = 32 };

/* An option, and the choice that a kernel has to obey for it. */
typedef struct {
    char name[CHOICE_BYTES]; /* with its value, if that decides what obeys */
    bool is_given;
    unsigned choice;
} choice_t;

/* @return whether nodes of many arcs get kernels */
static bool launches(graph_template_t t)
{
    return graph_template_choice(t) == GRAPH_CHOICE_LAUNCHES;
}

static void list_choices(const graph_opts_t *o, choice_t out[N_CHOICES])
{
    const choice_t all[N_CHOICES] = {
        {"template", IS_GIVEN(o, loop_template), graph_template_choice(o->loop_template)},
        {"lb-threshold", IS_GIVEN(o, lb_threshold),
         graph_template_choice(o->loop_template)},
        {"consolidate", IS_GIVEN(o, consolidate), GRAPH_CHOICE_CONSOLIDATE},
        {"buffer", IS_GIVEN(o, buffer), GRAPH_CHOICE_CONSOLIDATE},
        {"allocator", IS_GIVEN(o, allocator), GRAPH_CHOICE_CONSOLIDATE},
        {"pool-size", IS_GIVEN(o, pool_bytes), GRAPH_CHOICE_CONSOLIDATE},
        {"child", o->child_text != NULL, GRAPH_CHOICE_CONSOLIDATE},
        {"variant", IS_GIVEN(o, variant), GRAPH_CHOICE_VARIANT},
        {"adaptive", IS_GIVEN(o, adaptive), GRAPH_CHOICE_VARIANT},
        {"update", IS_GIVEN(o, update), GRAPH_CHOICE_UPDATE},
        {"split", o->split_text != NULL,
         launches(o->loop_template) ? GRAPH_CHOICE_SPLIT_DPAR : GRAPH_CHOICE_SPLIT},
    };

    memcpy(out, all, sizeof(all));
    snprintf(out[0].name, sizeof(out[0].name), "template %s",
             graph_template_name[o->loop_template]);
}

static const unsigned any_kind = DEVICE_BIT(DEVICE_N_KINDS) - 1;

/* @param choice  one, or several
 * @param kernel  a name, or "auto": any @param kinds  of devices, bits of DEVICE_BIT
 * @return the first kernel that obeys, or NULL */
static const backend_t *find(graph_algorithm_t algorithm, unsigned choice,
                             const char *kernel, unsigned kinds)
{
    for (const backend_t *const *row = graph_table.rows; *row != NULL; row++) {
        const graph_backend_t *b = (const graph_backend_t *)*row;

        if ((kinds & DEVICE_BIT(b->base.kind)) != 0 &&
            (strcmp(kernel, "auto") == 0 || strcmp(kernel, b->base.name) == 0) &&
            b->obeys != NULL && (b->obeys(algorithm) & choice) == choice)
            return *row;
    }
    return NULL;
}

static bool has_choice(graph_algorithm_t algorithm, const void *choice)
{
    return find(algorithm, *(const unsigned *)choice, "auto", any_kind) != NULL;
}

static status_t check_choice(const graph_opts_t *o, const choice_t *c, char *why)
{
    const unsigned here = device_option_kinds(o->common.device);
    const backend_t *b = find(o->algorithm, c->choice, "auto", any_kind);
    char names[GRAPH_NAMES_BYTES];

    if (find(o->algorithm, c->choice, o->common.kernel, here) != NULL)
        return ST_OK;
    if (b != NULL && find(o->algorithm, c->choice, o->common.kernel, any_kind) == NULL)
        return job_opts_misuse(why, "--%s is for --kernel %s, not for --kernel %s",
                               c->name, b->name, o->common.kernel);
    if (b != NULL)
        return job_opts_misuse(why, "--%s is for --device %s, not for --device %s",
                               c->name, device_kind_name[b->kind], o->common.device);
    if (graph_names(has_choice, &c->choice, names)[0] == '\0')
        return job_opts_misuse(why,
                               "--%s is for kernels on GPUs, which this build does not "
                               "have; leave it out",
                               c->name);
    return job_opts_misuse(why, "--%s is for %s, not for %s", c->name, names,
                           graph_info(o->algorithm)->name);
}

/* Check that one kernel obeys all choices. */
static status_t check_together(const graph_opts_t *o, const choice_t all[N_CHOICES],
                               char *why)
{
    for (int i = 0; i < N_CHOICES; i++)
        for (int k = 0; k < i; k++)
            if (all[i].is_given && all[k].is_given &&
                find(o->algorithm, all[i].choice | all[k].choice, o->common.kernel,
                     any_kind) == NULL)
                return job_opts_misuse(why,
                                       "--%s and --%s are for different kernels; leave "
                                       "one out",
                                       all[k].name, all[i].name);
    return ST_OK;
}

static bool has_threshold(graph_template_t t)
{
    return t == GRAPH_DUAL_QUEUE || t == GRAPH_DBUF_GLOBAL || t == GRAPH_DBUF_SHARED ||
           launches(t);
}

static bool is_thread_variant(graph_variant_t v)
{
    return v == GRAPH_O_T_BM || v == GRAPH_O_T_QU || v == GRAPH_U_T_BM ||
           v == GRAPH_U_T_QU;
}

/* With --adaptive off and a template alone: a queue; level by level where that is the
 * algorithm's own order. */
static graph_variant_t variant_for(const graph_opts_t *o, const graph_run_t *run)
{
    bool is_thread = run->loop_template == GRAPH_THREAD_MAPPED;

    if (graph_info(o->algorithm)->is_leveled && run->update == GRAPH_ATOMIC &&
        run->split_degree == 0)
        return is_thread ? GRAPH_O_T_QU : GRAPH_O_B_QU;
    return is_thread ? GRAPH_U_T_QU : GRAPH_U_B_QU;
}

static status_t settle_split(const graph_opts_t *o, graph_run_t *run, char *why)
{
    static const char is_virtual[] = "virtual:";
    const char *text = o->split_text;
    char *end;

    if (text == NULL || strcmp(text, "none") == 0)
        return ST_OK;
    if (strncmp(text, is_virtual, strlen(is_virtual)) == 0) {
        run->split = GRAPH_SPLIT_VIRTUAL;
        text += strlen(is_virtual);
    }
    if (strcmp(text, "auto") == 0) {
        run->split_degree = -1;
        return ST_OK;
    }
    errno = 0;
    run->split_degree = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || run->split_degree < 1 ||
        run->split_degree > INT32_MAX)
        return job_opts_misuse(why,
                               "--split %s: give none, auto, a maximum degree such as "
                               "64, or virtual:64",
                               o->split_text);
    return ST_OK;
}

bool graph_choices_parse_child(const char *text, graph_child_t *out)
{
    int n = 0, blocks = 0, threads = 0;

    if (strcmp(text, "1-1") == 0)
        *out = (graph_child_t){GRAPH_CHILD_1_1, 0, 0};
    else if (sscanf(text, "KC_%4d%n", &blocks, &n) == 1 && text[n] == '\0' && blocks > 0)
        *out = (graph_child_t){GRAPH_CHILD_KC, blocks, 0};
    else if (sscanf(text, "%8dx%3d%n", &blocks, &threads, &n) == 2 && text[n] == '\0' &&
             blocks > 0 &&
             (threads == 32 || threads == 64 || threads == 128 || threads == 256))
        *out = (graph_child_t){GRAPH_CHILD_FIXED, blocks, threads};
    else
        return false;
    return true;
}

/* Check where buffers come from. */
static status_t settle_allocator(const graph_opts_t *o, graph_run_t *run, char *why)
{
    if (IS_GIVEN(o, pool_bytes) && o->allocator == GRAPH_ALLOCATOR_FIXED)
        return job_opts_misuse(why, "--pool-size needs --allocator pool or malloc");
    if (o->pool_bytes < 1)
        return job_opts_misuse(why, "--pool-size: give a size above 0");
    run->allocator = o->allocator;
    run->pool_bytes = o->pool_bytes;
    return ST_OK;
}

static status_t settle_consolidate(const graph_opts_t *o, graph_run_t *run, char *why)
{
    const graph_template_t one_each =
        graph_info(o->algorithm)->is_forest     ? GRAPH_REC_NAIVE
        : run->loop_template == GRAPH_RECURSIVE ? GRAPH_RECURSIVE
                                                : GRAPH_DPAR_NAIVE;

    if (o->consolidate == GRAPH_CONSOLIDATE_NONE)
        return IS_GIVEN(o, buffer) || IS_GIVEN(o, allocator) || IS_GIVEN(o, pool_bytes) ||
                       o->child_text != NULL
                   ? job_opts_misuse(why,
                                     "--buffer, --allocator, --pool-size and --child "
                                     "need --consolidate warp, block or grid")
                   : ST_OK;
    if (run->loop_template == GRAPH_TEMPLATE_AUTO)
        run->loop_template = one_each;
    if (run->loop_template != one_each)
        return job_opts_misuse(why, "--consolidate needs --template %s",
                               graph_template_name[one_each]);
    if (o->consolidate == GRAPH_CONSOLIDATE_GRID && one_each == GRAPH_RECURSIVE)
        return job_opts_misuse(why, "--consolidate grid leaves nothing of --template "
                                    "recursive but its iterations; give warp or block");
    if (o->consolidate == GRAPH_CONSOLIDATE_GRID && IS_GIVEN(o, buffer))
        return job_opts_misuse(why, "--consolidate grid has one launch for all nodes; "
                                    "leave out --buffer");
    if (o->child_text != NULL && !graph_choices_parse_child(o->child_text, &run->child))
        return job_opts_misuse(why,
                               "--child %s: give KC_1, KC_16, KC_32, 1-1, or blocks x "
                               "threads, such as 26x256, of 32, 64, 128 or 256 threads",
                               o->child_text);
    run->consolidate = o->consolidate;
    run->buffer = o->buffer;
    return settle_allocator(o, run, why);
}

static status_t check_variant(const graph_opts_t *o, const graph_run_t *run, char *why)
{
    graph_template_t t = run->loop_template;
    const char *variant = graph_variant_name[run->variant];

    if (run->variant == GRAPH_VARIANT_AUTO)
        return ST_OK;
    if (t != GRAPH_TEMPLATE_AUTO &&
        is_thread_variant(run->variant) != (t == GRAPH_THREAD_MAPPED))
        return job_opts_misuse(why,
                               "--variant %s takes a %s per node, --template %s does "
                               "not; leave one out",
                               variant,
                               is_thread_variant(run->variant) ? "thread" : "block",
                               graph_template_name[t]);
    if (graph_info(o->algorithm)->is_leveled && run->variant < GRAPH_U_T_BM &&
        (run->update == GRAPH_RACY || run->split_degree != 0))
        return job_opts_misuse(why,
                               "--update racy and --split are for unordered %s; give "
                               "--variant U%s",
                               graph_info(o->algorithm)->name, variant + 1);
    return ST_OK;
}

/* Check which choices go together. */
static status_t check_run(const graph_opts_t *o, const graph_run_t *run, char *why)
{
    bool is_pinned = run->variant != GRAPH_VARIANT_AUTO;
    bool has_template = run->loop_template != GRAPH_TEMPLATE_AUTO;

    if (run->lb_threshold > 0 && !has_threshold(run->loop_template))
        return job_opts_misuse(
            why, "--lb-threshold needs --template dual-queue, dbuf-global, dbuf-shared, "
                 "dpar-naive or dpar-opt");
    if (o->leaf_weights != NULL && has_template)
        return job_opts_misuse(why,
                               "--leaf-weights is not for --template %s; leave one out",
                               graph_template_name[run->loop_template]);
    if (o->adaptive == GRAPH_ADAPTIVE_OFF && !is_pinned && !has_template)
        return job_opts_misuse(why, "--adaptive off needs --variant or --template");
    if (IS_GIVEN(o, adaptive) && o->adaptive == GRAPH_ADAPTIVE_ON && is_pinned)
        return job_opts_misuse(why,
                               "--variant %s is the only one; leave out --adaptive on",
                               graph_variant_name[run->variant]);
    if (run->update == GRAPH_RACY && run->split_degree != 0 &&
        run->split == GRAPH_SPLIT_COPIES)
        return job_opts_misuse(why, "--split %s needs --update atomic; give virtual:%s",
                               o->split_text, o->split_text);
    if (launches(run->loop_template) && run->split_degree != 0) {
        if (run->split == GRAPH_SPLIT_VIRTUAL)
            return job_opts_misuse(why,
                                   "--template %s launches kernels in place of virtual "
                                   "nodes; give --split without 'virtual:'",
                                   graph_template_name[run->loop_template]);
        if (run->lb_threshold > 0)
            return job_opts_misuse(why, "--split and --lb-threshold are the same "
                                        "threshold here; leave one out");
    }
    return check_variant(o, run, why);
}

status_t graph_choices_settle(graph_opts_t *o, char why[JOB_OPTS_WHY_BYTES])
{
    graph_run_t run = {.backend = strcmp(o->common.kernel, "auto") != 0 ? o->common.kernel
                                                                        : NULL,
                       .loop_template = o->loop_template,
                       .lb_threshold = o->lb_threshold,
                       .variant = o->variant,
                       .update = o->update};
    choice_t all[N_CHOICES];
    status_t st = ST_OK;

    list_choices(o, all);
    for (int i = 0; st == ST_OK && i < N_CHOICES; i++)
        if (all[i].is_given)
            st = check_choice(o, &all[i], why);
    if (st != ST_OK || (st = check_together(o, all, why)) != ST_OK)
        return st;
    if ((st = settle_split(o, &run, why)) != ST_OK ||
        (st = settle_consolidate(o, &run, why)) != ST_OK ||
        (st = check_run(o, &run, why)) != ST_OK)
        return st;
    if (o->adaptive == GRAPH_ADAPTIVE_OFF && run.variant == GRAPH_VARIANT_AUTO)
        run.variant = variant_for(o, &run);
    o->run = run;
    return ST_OK;
}

status_t graph_choices_check_device(const graph_opts_t *o, const device_t *device)
{
    choice_t all[N_CHOICES];

    list_choices(o, all);
    for (int i = 0; i < N_CHOICES; i++)
        if (all[i].is_given && find(o->algorithm, all[i].choice, o->common.kernel,
                                    DEVICE_BIT(device->kind)) == NULL) {
            log_error("graph: --%s is for kernels on GPUs, but there is no GPU to use: "
                      "%s; leave it out",
                      all[i].name, device_cuda_absence());
            return ST_EDEVICE;
        }
    return ST_OK;
}

bool graph_choices_are_given(const graph_opts_t *o)
{
    choice_t all[N_CHOICES];

    list_choices(o, all);
    for (int i = 0; i < N_CHOICES; i++)
        if (all[i].is_given)
            return true;
    return false;
}

static status_t print_consolidate(const graph_run_t *run, buf_t *out)
{
    const graph_child_t *c = &run->child;
    status_t st =
        buf_printf(out, "consolidate=%s\n", graph_consolidate_name[run->consolidate]);

    if (st == ST_OK && run->buffer > 0)
        st = buf_printf(out, "buffer=%" PRId64 "\n", run->buffer);
    if (st == ST_OK && run->allocator != GRAPH_ALLOCATOR_FIXED)
        st = buf_printf(out, "allocator=%s\npool_size=%" PRId64 "\n",
                        graph_allocator_name[run->allocator], run->pool_bytes);
    if (st != ST_OK || c->kind == GRAPH_CHILD_AUTO)
        return st;
    if (c->kind == GRAPH_CHILD_KC)
        return buf_printf(out, "child=KC_%d\n", c->blocks);
    return c->kind == GRAPH_CHILD_1_1
               ? buf_printf(out, "child=1-1\n")
               : buf_printf(out, "child=%dx%d\n", c->blocks, c->threads);
}

status_t graph_choices_print(const graph_run_t *run, buf_t *out)
{
    status_t st = ST_OK;

    if (run->loop_template != GRAPH_TEMPLATE_AUTO)
        st = buf_printf(out, "template=%s\n", graph_template_name[run->loop_template]);
    if (st == ST_OK && run->lb_threshold > 0)
        st = buf_printf(out, "lb_threshold=%" PRId64 "\n", run->lb_threshold);
    if (st == ST_OK && run->consolidate != GRAPH_CONSOLIDATE_NONE)
        st = print_consolidate(run, out);
    if (st == ST_OK && run->variant != GRAPH_VARIANT_AUTO)
        st = buf_printf(out, "variant=%s\n", graph_variant_name[run->variant]);
    if (st == ST_OK && run->update != GRAPH_ATOMIC)
        st = buf_printf(out, "update=%s\n", graph_update_name[run->update]);
    if (st == ST_OK && run->split_degree != 0)
        st = buf_printf(out, "split=%s",
                        run->split == GRAPH_SPLIT_VIRTUAL ? "virtual:" : "");
    if (st == ST_OK && run->split_degree == -1)
        st = buf_printf(out, "auto\n");
    else if (st == ST_OK && run->split_degree > 0)
        st = buf_printf(out, "%" PRId64 "\n", run->split_degree);
    return st;
}
