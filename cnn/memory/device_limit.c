/*
 * device_limit.c - what programs take beside their tensors, and which limits work.
 */
#include "cnn/memory/device_limit.h"

#include "cnn/plan/plan_summary.h"
#include "io/base/byte_size.h"
#include "io/base/logmsg.h"
#include "kernels/cnn/common/cnn_scratch.h"
#include "kernels/registry/backends.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PROGRAMS = 2, KIB = 1024, MIB = 1048576 };

/* The programs of a call, and what is known of them. */
typedef struct {
    const device_place_t *place;
    swap_opts_t opts;
    cnn_program_t **programs; /* [n] */
    int n;
    bool is_given;                               /* the limit, on the command line */
    const cnn_backend_t *backends[MAX_PROGRAMS]; /* NULL: a GPU's */
    swap_need_t needs[MAX_PROGRAMS];
} fit_t;

const char *device_limit_text(size_t bytes, char text[DEVICE_LIMIT_TEXT_BYTES])
{
    const size_t unit = bytes < (size_t)16 * MIB ? KIB : MIB;

    snprintf(text, DEVICE_LIMIT_TEXT_BYTES, "%zu%s", (bytes + unit - 1) / unit,
             unit == KIB ? "K" : "M");
    return text;
}

static size_t scratch(const fit_t *f, int i, size_t limit)
{
    const cnn_context_t context = {.device = f->place->device,
                                   .program = f->programs[i],
                                   .memory_bytes = limit};

    return f->backends[i] == NULL
               ? cnn_scratch_bytes(f->programs[i], limit)
               : f->backends[i]->scratch(&context, f->place->n_threads);
}

static size_t all_scratch(const fit_t *f, size_t limit)
{
    size_t bytes = 0;

    for (int i = 0; i < f->n; i++)
        bytes += scratch(f, i, limit);
    return bytes;
}

/* @return the smallest limit that holds arenas and the scratch memory, which grows with
 * it */
static size_t limit_for(const fit_t *f, size_t arena_bytes)
{
    size_t limit = arena_bytes, next;

    while ((next = arena_bytes + all_scratch(f, limit)) > limit)
        limit = next;
    return limit;
}

static status_t find_backends(fit_t *f)
{
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && f->place->device != NULL && i < f->n; i++) {
        const cnn_context_t context = {.device = f->place->device,
                                       .program = f->programs[i]};
        const backend_request_t request = {.name = f->place->kernel,
                                           .device = f->place->device};
        const backend_t *row = NULL;

        st = backend_choose(&cnn_table, &request, &context, &row);
        f->backends[i] = (const cnn_backend_t *)row;
    }
    return st;
}

static status_t find_needs(fit_t *f)
{
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < f->n; i++) {
        f->needs[i] =
            (swap_need_t){f->programs[i]->arena_bytes, f->programs[i]->swap_bytes};
        if (!f->place->is_whole)
            st = swap_program_need(f->programs[i], &f->opts, &f->needs[i]);
    }
    return st;
}

enum { WHAT_BYTES = DEVICE_NAME_BYTES + 2 * DEVICE_LIMIT_TEXT_BYTES };

/* @return where a limit comes from, for messages */
static const char *what_is(const fit_t *f, size_t limit, char what[WHAT_BYTES])
{
    char text[DEVICE_LIMIT_TEXT_BYTES];

    device_limit_text(limit, text);
    if (f->is_given)
        snprintf(what, WHAT_BYTES, "--device-memory %s", text);
    else
        snprintf(what, WHAT_BYTES, "%s has %s for networks", f->place->device->name,
                 text);
    return what;
}

static status_t refuse(const fit_t *f, size_t bytes)
{
    char what[WHAT_BYTES], least[DEVICE_LIMIT_TEXT_BYTES], host[BYTE_SIZE_TEXT_BYTES];
    size_t arenas = 0, swaps = 0;

    for (int i = 0; i < f->n; i++) {
        arenas += f->needs[i].arena_bytes;
        swaps += f->needs[i].swap_bytes;
    }
    device_limit_text(limit_for(f, arenas), least);
    what_is(f, bytes, what);
    if (f->place->is_whole)
        log_error(
            "%s: ranks that train together keep all in memory, %s, unless they have "
            "a limit; give --device-memory",
            what, least);
    else if (f->is_given)
        log_error("%s: batches of %" PRId64 " images need at least %s, with %s of the "
                  "host's memory; give --device-memory %s, or a smaller --batch",
                  what, f->programs[0]->tensors[0].size[0], least,
                  byte_size_text((double)swaps, host), least);
    else
        log_error("%s: batches of %" PRId64 " images need at least %s, with %s of the "
                  "host's memory; give a smaller --batch",
                  what, f->programs[0]->tensors[0].size[0], least,
                  byte_size_text((double)swaps, host));
    return f->is_given ? ST_EUSAGE : ST_ENOMEM;
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Divide what is left of the limit among the arenas. @return whether it is enough */
static bool divide(const fit_t *f, size_t limit, size_t arenas[MAX_PROGRAMS])
{
    const size_t taken = all_scratch(f, limit), left = limit > taken ? limit - taken : 0;
    size_t test = 0;

    if (f->n > 1) {
        const size_t whole = f->programs[1]->arena_bytes;

        if (left < f->needs[0].arena_bytes + f->needs[1].arena_bytes)
            return false;
        test = least_of(least_of(whole, left / 4), left - f->needs[0].arena_bytes);
        if (test < f->needs[1].arena_bytes)
            test = f->needs[1].arena_bytes;
        arenas[1] = test;
    }
    arenas[0] = left - test;
    return left >= test + f->needs[0].arena_bytes;
}

static status_t check_device(const device_place_t *place, size_t limit)
{
    char given[DEVICE_LIMIT_TEXT_BYTES], has[BYTE_SIZE_TEXT_BYTES];

    if (place->device == NULL || !device_is_gpu(place->device) ||
        limit <= (size_t)place->device->memory_bytes)
        return ST_OK;
    log_error("--device-memory %s: %s has %s; give less", device_limit_text(limit, given),
              place->device->name,
              byte_size_text((double)place->device->memory_bytes, has));
    return ST_EUSAGE;
}

/* A CPU's arenas are in the host's memory, too. */
static status_t check_host(const fit_t *f, size_t limit)
{
    const bool is_cpu = f->place->device != NULL && !device_is_gpu(f->place->device);
    char what[WHAT_BYTES], needs[BYTE_SIZE_TEXT_BYTES], has[BYTE_SIZE_TEXT_BYTES];
    size_t bytes = is_cpu ? all_scratch(f, limit) : 0;

    for (int i = 0; i < f->n; i++)
        bytes += f->programs[i]->swap_bytes + (is_cpu ? f->programs[i]->arena_bytes : 0);
    if (f->place->device == NULL || bytes <= (size_t)f->place->host_bytes)
        return ST_OK;
    log_error("%s: batches of %" PRId64 " images take %s of the host's memory, and this "
              "rank may use %s; give another --device-memory, or a smaller --batch",
              what_is(f, limit, what), f->programs[0]->tensors[0].size[0],
              byte_size_text((double)bytes, needs),
              byte_size_text((double)f->place->host_bytes, has));
    return ST_ENOMEM;
}

/* A GPU's workspaces are also in what is idle in the arena: leave some of what the
 * tensors do not take. */
static void widen(const fit_t *f, int i, size_t limit, size_t arena_bytes,
                  cnn_program_t *p)
{
    const size_t most = least_of(limit / 4, (size_t)4096 * MIB);

    if (f->backends[i] == NULL || f->backends[i]->base.kind == DEVICE_CUDA)
        p->arena_bytes += least_of(arena_bytes - p->arena_bytes, most);
}

/* @param backend  NULL: a GPU's, of a plan, which prints what it changes itself */
static void note_rounding(const cnn_program_t *p, const cnn_backend_t *backend)
{
    const swap_traffic_t t = swap_program_traffic(p);

    if (t.n_split_sums > 0)
        log_info("the batch is computed in parts at batch norms, to fit: results differ "
                 "by rounding from those with more memory");
    else if (t.has_parts && backend != NULL && strcmp(backend->base.name, "cudnn") == 0)
        log_info("some steps are computed in parts, to fit: results may differ by "
                 "rounding from those with more memory");
}

static status_t replace(const fit_t *f, size_t limit, const size_t arenas[MAX_PROGRAMS])
{
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < f->n; i++) {
        cnn_program_t *made;

        if ((st = swap_program_make(f->programs[i], &f->opts, arenas[i], &made)) != ST_OK)
            break;
        note_rounding(made, f->backends[i]);
        cnn_program_destroy(f->programs[i]);
        widen(f, i, limit, arenas[i], made);
        f->programs[i] = made;
    }
    return st;
}

static status_t apply(fit_t *f, size_t limit, size_t *memory_bytes)
{
    size_t arenas[MAX_PROGRAMS];
    status_t st = find_needs(f);

    if (st != ST_OK)
        return st;
    if (!divide(f, limit, arenas))
        return refuse(f, limit);
    if ((st = replace(f, limit, arenas)) == ST_OK && (st = check_host(f, limit)) == ST_OK)
        *memory_bytes = limit;
    return st;
}

/* @return what programs and kernels take without a limit; of a CPU's memory also what is
 * placed on the host */
static size_t whole_bytes(const fit_t *f)
{
    const bool is_gpu = device_is_gpu(f->place->device);
    size_t bytes = all_scratch(f, 0);

    for (int i = 0; i < f->n; i++)
        bytes += f->programs[i]->arena_bytes + (is_gpu ? 0 : f->programs[i]->swap_bytes);
    return bytes;
}

/* @return what is free on a GPU but for libraries, which load kernels later */
static size_t usable(const device_place_t *place)
{
    const size_t max_reserve = (size_t)512 * MIB;
    const size_t bytes = place->free_bytes > 0 ? (size_t)place->free_bytes
                                               : (size_t)place->device->memory_bytes;

    return bytes - least_of(bytes / 8, max_reserve);
}

static status_t apply_free(fit_t *f, size_t *memory_bytes)
{
    const device_place_t *place = f->place;
    const bool is_gpu = device_is_gpu(place->device);
    const size_t has = is_gpu ? usable(place) : (size_t)place->host_bytes;
    size_t needs;
    status_t st = is_gpu ? ST_OK : find_backends(f); /* a GPU may yet fall back */
    char needs_text[BYTE_SIZE_TEXT_BYTES], has_text[BYTE_SIZE_TEXT_BYTES];

    if (st != ST_OK || (needs = whole_bytes(f)) <= has)
        return st;
    byte_size_text((double)needs, needs_text);
    byte_size_text((double)has, has_text);
    if (is_gpu) {
        if ((st = apply(f, has, memory_bytes)) == ST_OK)
            log_info("batches of %" PRId64 " images take %s, and %s has %s: tensors wait "
                     "in the host's memory",
                     f->programs[0]->tensors[0].size[0], needs_text, place->device->name,
                     has_text);
        return st;
    }
    log_error("memory for a batch of %" PRId64 " images: %s, and this rank may use %s; "
              "give a smaller --batch",
              f->programs[0]->tensors[0].size[0], needs_text, has_text);
    return ST_ENOMEM;
}

status_t device_limit_fits(const device_limit_t *limit, const device_place_t *place,
                           cnn_program_t *program, bool *fits)
{
    fit_t f = {.place = place,
               .opts = {limit->policy, SWAP_KEEP_BYTES, limit->rematerialize, 0},
               .programs = &program,
               .n = 1};
    size_t arenas[MAX_PROGRAMS];
    status_t st = ST_OK;

    *fits = limit->bytes == 0;
    if (*fits || (st = find_backends(&f)) != ST_OK || (st = find_needs(&f)) != ST_OK)
        return st;
    *fits = divide(&f, (size_t)limit->bytes, arenas);
    return ST_OK;
}

status_t device_limit_apply(const device_limit_t *limit, const device_place_t *place,
                            cnn_program_t **programs, int n, size_t *memory_bytes)
{
    fit_t f = {.place = place,
               .opts = {limit->policy, SWAP_KEEP_BYTES, limit->rematerialize, 0},
               .programs = programs,
               .n = n,
               .is_given = limit->bytes > 0};
    status_t st = check_device(place, (size_t)limit->bytes);

    *memory_bytes = 0;
    if (st != ST_OK || !f.is_given)
        return st == ST_OK ? apply_free(&f, memory_bytes) : st;
    st = find_backends(&f);
    return st == ST_OK ? apply(&f, (size_t)limit->bytes, memory_bytes) : st;
}
