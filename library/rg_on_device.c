/*
 * rg_on_device.c - arrays that the caller has on a GPU: sequences and pairs from there,
 * results to it, by way of the host.
 */
#include "io/base/logmsg.h"
#include "library/rg_aligner.h"

#include <stdlib.h>

static status_t check_gpu(const rg_context_t *context)
{
    if (device_is_gpu(&context->binding.device))
        return ST_OK;
    log_error("the arrays are on a GPU, but the context computes on the CPU (%s); create "
              "one with the device cuda",
              context->may_fall_back ? device_cuda_absence() : "device cpu");
    return ST_EUSAGE;
}

/* Copy an array from the GPU. @param out  out: the caller's, of malloc */
static status_t fetch(const rg_context_t *context, device_array_t array, void *stream,
                      void **out)
{
    void *copy = malloc(array.bytes + 1);
    status_t st;

    if (copy == NULL)
        return log_nomem(array.name);
    if ((st = device_get(&context->binding.device, &array, stream, copy)) != ST_OK) {
        free(copy);
        return st;
    }
    *out = copy;
    return ST_OK;
}

/* ---- sequences ---- */

static status_t make_set(const rg_context_t *context, const char *alphabet,
                         const rg_letters_t *given, void *stream, rg_set_t **out)
{
    const size_t n_offsets = (size_t)given->n + 1;
    void *offsets = NULL, *letters = NULL;
    rg_letters_t host = *given;
    status_t st = check_gpu(context);

    if (st == ST_OK)
        st = fetch(context,
                   (device_array_t){"offsets", given->offsets,
                                    n_offsets * sizeof(*given->offsets)},
                   stream, &offsets);
    host.offsets = offsets;
    if (st == ST_OK)
        st = rg_set_check_offsets(&host);
    if (st == ST_OK)
        st = fetch(context,
                   (device_array_t){"letters", given->letters,
                                    (size_t)host.offsets[host.n]},
                   stream, &letters);
    host.letters = letters;
    if (st == ST_OK)
        st = rg_set_make(&host, alphabet, out);
    free(letters);
    free(offsets);
    return st;
}

rg_status_t rg_set_create_on_device(rg_context_t *context, const char *alphabet,
                                    int64_t n, const char *letters,
                                    const int64_t *offsets, const char *names,
                                    void *stream, rg_set_t **out)
{
    const rg_letters_t given = {n, letters, offsets, names};
    log_sink_t *before;
    rg_status_t status = rg_context_enter(context, &before);
    status_t st = ST_EUSAGE;

    if (status != RG_OK)
        return status;
    if (n >= 0 && n <= INT32_MAX && offsets != NULL && (letters != NULL || n == 0) &&
        out != NULL)
        st = make_set(context, alphabet, &given, stream, out);
    return rg_context_leave(context, before, st);
}

/* ---- pairs ---- */

/* Where the caller wants the results: arrays without an address are not wanted. */
enum { SCORES, MATCHES, COLUMNS, STRANDS, N_WANTED };

typedef struct {
    device_array_t arrays[N_WANTED];
} wanted_t;

static wanted_t wanted_of(int64_t n, int32_t *scores, int32_t *matches, int32_t *columns,
                          int8_t *strands)
{
    const size_t count = (size_t)n, four = count * sizeof(int32_t);

    return (wanted_t){{[SCORES] = {"scores", scores, four},
                       [MATCHES] = {"matches", matches, four},
                       [COLUMNS] = {"columns", columns, four},
                       [STRANDS] = {"strands", strands, count}}};
}

static bool overlap(const device_array_t *a, const device_array_t *b)
{
    const uintptr_t at_a = (uintptr_t)a->at, at_b = (uintptr_t)b->at;

    return at_a != 0 && at_b != 0 && at_a < at_b + b->bytes && at_b < at_a + a->bytes;
}

static status_t check_wanted(const rg_aligner_t *a, const wanted_t *w)
{
    const align_opts_t *o = &a->origin->opts;
    const device_array_t *to = w->arrays;

    if ((to[MATCHES].at != NULL || to[COLUMNS].at != NULL) && o->emit == EMIT_SCORE) {
        log_error("there are no matches and columns with emit score; align with emit "
                  "identity");
        return ST_EUSAGE;
    }
    if (to[STRANDS].at != NULL && o->strand != STRAND_BOTH) {
        log_error("there are no strands with strand plus; align with strand both");
        return ST_EUSAGE;
    }
    for (int i = 0; i < N_WANTED; i++)
        for (int k = 0; k < i; k++)
            if (overlap(&to[i], &to[k])) {
                log_error("%s and %s overlap; give each an array of its own", to[k].name,
                          to[i].name);
                return ST_EUSAGE;
            }
    return ST_OK;
}

static status_t store(const rg_context_t *context, const rg_result_t *r,
                      const wanted_t *w, void *stream)
{
    const void *const from[N_WANTED] = {[SCORES] = r->score,
                                        [MATCHES] = r->matches,
                                        [COLUMNS] = r->columns,
                                        [STRANDS] = r->strand};
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < N_WANTED; i++)
        if (w->arrays[i].at != NULL)
            st = device_put(&context->binding.device, from[i], stream, &w->arrays[i]);
    return st;
}

static status_t align(rg_aligner_t *a, const int32_t *pairs, int64_t n, void *stream,
                      const wanted_t *wanted)
{
    void *listed = NULL;
    rg_result_t *r = NULL;
    status_t st;

    if ((st = check_wanted(a, wanted)) != ST_OK || (st = check_gpu(a->context)) != ST_OK)
        return st;
    st = fetch(a->context,
               (device_array_t){"pairs", pairs, 2 * (size_t)n * sizeof(*pairs)}, stream,
               &listed);
    if (st == ST_OK && (st = rg_aligner_list(a, listed, n, &r)) == ST_OK)
        st = store(a->context, r, wanted, stream);
    rg_result_destroy(r);
    free(listed);
    return st;
}

rg_status_t rg_aligner_pairs_on_device(rg_aligner_t *a, const int32_t *pairs, int64_t n,
                                       void *stream, int32_t *scores, int32_t *matches,
                                       int32_t *columns, int8_t *strands)
{
    const wanted_t wanted = wanted_of(n, scores, matches, columns, strands);
    log_sink_t *before;
    rg_status_t status = rg_context_enter(a != NULL ? a->context : NULL, &before);
    status_t st = ST_EUSAGE;

    if (status != RG_OK)
        return status;
    if (n >= 0 && n <= INT64_MAX / 64 && (pairs != NULL || n == 0))
        st = align(a, pairs, n, stream, &wanted);
    return rg_context_leave(a->context, before, st);
}
