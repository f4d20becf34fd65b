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

enum { MAX_PROGRAMS = 2, KIB = 1024, MIB = 1048576 };

/* The programs of a call, and what is known of them. */
typedef struct {
    const device_place_t *place;
    swap_opts_t opts;
    cnn_program_t **programs; /* [n] */
    int n;
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

static status_t find_needs(fit_t *f)
{
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < f->n; i++) {
        const cnn_context_t context = {.device = f->place->device,
                                       .program = f->programs[i]};
        const backend_request_t request = {.name = f->place->kernel,
                                           .device = f->place->device};
        const backend_t *row = NULL;

        if (f->place->device != NULL)
            st = backend_choose(&cnn_table, &request, &context, &row);
        f->backends[i] = (const cnn_backend_t *)row;
        f->needs[i] = (swap_need_t){f->programs[i]->arena_bytes, 0};
        if (st == ST_OK && !f->place->is_whole)
            st = swap_program_need(f->programs[i], &f->opts, &f->needs[i]);
    }
    return st;
}

static status_t refuse(const fit_t *f, size_t bytes)
{
    char given[DEVICE_LIMIT_TEXT_BYTES], least[DEVICE_LIMIT_TEXT_BYTES],
        host[BYTE_SIZE_TEXT_BYTES];
    size_t arenas = 0, swaps = 0;

    for (int i = 0; i < f->n; i++) {
        arenas += f->needs[i].arena_bytes;
        swaps += f->needs[i].swap_bytes;
    }
    device_limit_text(limit_for(f, arenas), least);
    device_limit_text(bytes, given);
    if (f->place->is_whole)
        log_error("--device-memory %s: ranks that train together keep all in memory: %s; "
                  "give that, or start one rank",
                  given, least);
    else
        log_error("--device-memory %s: batches of %" PRId64 " images need at least %s, "
                  "with %s of the host's memory; give --device-memory %s, or a smaller "
                  "--batch",
                  given, f->programs[0]->tensors[0].size[0], least,
                  byte_size_text((double)swaps, host), least);
    return ST_EUSAGE;
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
    char given[DEVICE_LIMIT_TEXT_BYTES], needs[BYTE_SIZE_TEXT_BYTES],
        has[BYTE_SIZE_TEXT_BYTES];
    size_t bytes = is_cpu ? all_scratch(f, limit) : 0;

    for (int i = 0; i < f->n; i++)
        bytes += f->programs[i]->swap_bytes + (is_cpu ? f->programs[i]->arena_bytes : 0);
    if (f->place->device == NULL || bytes <= (size_t)f->place->host_bytes)
        return ST_OK;
    log_error(
        "--device-memory %s: batches of %" PRId64 " images take %s of the host's "
        "memory, and this rank may use %s; give another limit, or a smaller --batch",
        device_limit_text(limit, given), f->programs[0]->tensors[0].size[0],
        byte_size_text((double)bytes, needs),
        byte_size_text((double)f->place->host_bytes, has));
    return ST_ENOMEM;
}

static status_t replace(const fit_t *f, const size_t arenas[MAX_PROGRAMS])
{
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < f->n; i++) {
        cnn_program_t *made;

        if ((st = swap_program_make(f->programs[i], &f->opts, arenas[i], &made)) != ST_OK)
            break;
        cnn_program_destroy(f->programs[i]);
        f->programs[i] = made;
    }
    return st;
}

status_t device_limit_apply(const device_limit_t *limit, const device_place_t *place,
                            cnn_program_t **programs, int n)
{
    const size_t bytes = (size_t)limit->bytes;
    fit_t f = {.place = place,
               .opts = {limit->policy, SWAP_KEEP_BYTES, limit->rematerialize},
               .programs = programs,
               .n = n};
    size_t arenas[MAX_PROGRAMS];
    status_t st;

    if (limit->bytes == 0)
        return plan_summary_check(programs[0], place->device, place->host_bytes);
    if ((st = check_device(place, bytes)) != ST_OK || (st = find_needs(&f)) != ST_OK)
        return st;
    if (!divide(&f, bytes, arenas))
        return refuse(&f, bytes);
    return (st = replace(&f, arenas)) == ST_OK ? check_host(&f, bytes) : st;
}
