/*
 * scan_reference.c - the backend `scalar`: position by position, the definition of
 * what patterns match.
 */
#include "kernels/automata/scan_backend.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const nfa_t *nfa;
    uint8_t *is_live; /* [n_threads][2][n_positions] before a byte, and behind it */
} reference_t;

/* Consume a byte. */
static void step(const nfa_t *nfa, int64_t pattern, const scan_piece_t *piece, int64_t at,
                 const uint8_t *before, uint8_t *behind)
{
    const uint8_t byte = piece->data[at];
    const int starts = at == piece->record_begin ? NFA_STARTS | NFA_BEGINS : NFA_STARTS;

    for (int64_t p = nfa->first[pattern]; p < nfa->first[pattern + 1]; p++) {
        if ((nfa->role[p] & starts) != 0 && byte_set_has(&nfa->set[p], byte))
            behind[p] = 1;
        for (int64_t e = nfa->first_edge[p]; before[p] && e < nfa->first_edge[p + 1]; e++)
            if (byte_set_has(&nfa->set[nfa->next[e]], byte))
                behind[nfa->next[e]] = 1;
    }
}

static bool accepts(const nfa_t *nfa, int64_t pattern, const scan_piece_t *piece,
                    int64_t end, const uint8_t *is_live)
{
    const int roles = scan_is_end(piece, end) ? NFA_ACCEPTS | NFA_FINISHES : NFA_ACCEPTS;

    for (int64_t p = nfa->first[pattern]; p < nfa->first[pattern + 1]; p++)
        if (is_live[p] && (nfa->role[p] & roles) != 0)
            return true;
    return false;
}

static status_t scan(void *state, const scan_piece_t *piece, int thread, buf_t *hits,
                     buf_t *live)
{
    const reference_t *r = state;
    const nfa_t *nfa = r->nfa;
    uint8_t *before = r->is_live + thread * 2 * nfa->n_positions;
    uint8_t *behind = before + nfa->n_positions;
    status_t st = ST_OK;

    memset(before, 0, (size_t)nfa->n_positions);
    for (int64_t at = piece->begin; at < piece->end; at++) {
        uint8_t *swapped = before;

        memset(behind, 0, (size_t)nfa->n_positions);
        for (int64_t k = 0; st == ST_OK && k < nfa->n_patterns; k++) {
            step(nfa, k, piece, at, before, behind);
            if (accepts(nfa, k, piece, at + 1, behind))
                st = buf_append(hits, &(scan_hit_t){at + 1, k}, sizeof(scan_hit_t));
        }
        before = behind;
        behind = swapped;
    }
    for (int32_t p = 0; piece->end < piece->record_end && p < nfa->n_positions; p++)
        if (st == ST_OK && before[p])
            st = buf_append(live, &p, sizeof(p));
    return st;
}

static status_t create(const scan_context_t *context, void **state)
{
    reference_t *r = calloc(1, sizeof(*r));

    if (r == NULL || (r->is_live = malloc((size_t)context->n_threads * 2 *
                                              (size_t)context->nfa->n_positions +
                                          1)) == NULL) {
        free(r);
        return log_nomem("patterns");
    }
    r->nfa = context->nfa;
    *state = r;
    return ST_OK;
}

static void destroy(void *state)
{
    reference_t *r = state;

    if (r != NULL)
        free(r->is_live);
    free(r);
}

const scan_backend_t scan_reference_backend = {.base = {.name = "scalar",
                                                        .kind = DEVICE_CPU,
                                                        .rate = 1e7},
                                               .create = create,
                                               .scan = scan,
                                               .destroy = destroy};
