/*
 * scan_backend.h - what finds patterns in bytes, and its backends.
 *
 * The input is cut into pieces.  A piece is scanned as if nothing had begun before it:
 * its hits are those that lie in it as a whole.  What has begun in it, and may go on
 * behind it, is its live positions, from which scan_carry (scan_nfa.h) goes on; so the
 * union over all pieces is what a scan of the whole gives.  All backends return the same
 * hits; scan_reference.c defines them.  Their live positions may differ, but lead to the
 * same hits.
 */
#pragma once

#include "io/automata/dfa_set.h"
#include "kernels/device/backend.h"

/* A pattern, and where one of its matches ends: the number of bytes before it. */
typedef struct {
    int64_t end;
    int64_t pattern;
} scan_hit_t;

/* Bytes begin .. end-1 of a record, which has bytes record_begin .. record_end-1; or of
 * lines, each of which is a record without its line feed. */
typedef struct {
    const uint8_t *data; /* of all records */
    int64_t begin, end, record_begin, record_end;
    bool has_lines; /* the piece is lines as a whole, with their line feeds */
} scan_piece_t;

/* What a scan has found. */
typedef struct {
    buf_t hits; /* scan_hit_t by end and then by pattern, each once */
    buf_t live; /* int32_t: the positions, ascending; none where the record ends */
} scan_found_t;

/* @return whether a match that ends here is at the end of the record */
static inline bool scan_is_end(const scan_piece_t *p, int64_t end)
{
    return end == p->record_end || (end == p->record_end - 1 && p->data[end] == '\n');
}

typedef struct {
    const device_t *device;
    const nfa_t *nfa;      /* borrowed */
    const dfa_set_t *dfas; /* borrowed; of these patterns */
    const int32_t *group;  /* [n_patterns] those that have one are not found: another
                            * engine does; NULL: all are found */
    int n_threads;         /* that may scan at a time */
    pool_t *pool;          /* these threads; NULL: the caller */
    const int *cancel;     /* as in align_run_t */
} scan_context_t;

typedef struct {
    backend_t base; /* its rate: bytes times patterns per second */

    /* @return whether it scans with the automata of a context; NULL: with any */
    bool (*takes)(const scan_context_t *context);

    status_t (*create)(const scan_context_t *context, void **state);

    /* Scan a piece without lines, as scan_piece; hits and positions may be in any order,
     * and there repeatedly.  NULL: of a GPU. */
    status_t (*scan)(void *state, const scan_piece_t *piece, int thread, buf_t *hits,
                     buf_t *live);

    /* scan_pieces; NULL: of a CPU. */
    status_t (*scan_all)(void *state, const scan_piece_t *pieces, int n,
                         scan_found_t *found, int *n_done);

    /* @return the seconds that the kernels of the last scan took; 0: the CPU scanned in
     * their place; NULL: of a CPU */
    double (*kernel_s)(const void *state);

    void (*destroy)(void *state);
} scan_backend_t;

/*
 * Scan a piece on a CPU.
 *
 * @param state   of the backend
 * @param thread  no two calls at a time have the same
 * @param found   is appended to
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t scan_piece(const scan_backend_t *backend, void *state, const scan_piece_t *piece,
                    int thread, scan_found_t *found) MUST_CHECK;

/* Hits of scan_pieces, beyond which no thread begins another piece. */
enum { SCAN_PIECES_BYTES = 64 << 20 };

/*
 * Scan pieces side by side, all with lines or none; those that come first if there are
 * too many hits for all.
 *
 * @param state    of the backend, created with the context
 * @param found    [n] empty at first
 * @param n_done   out: pieces that are scanned, at least one; found of others is empty.
 *                 Once cancelled, found may be anything
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_ELOST (logged)
 */
status_t scan_pieces(const scan_backend_t *backend, void *state,
                     const scan_context_t *context, const scan_piece_t *pieces, int n,
                     scan_found_t *found, int *n_done) MUST_CHECK;

/* Takes zeroed ones, too. */
void scan_found_free(scan_found_t *found);

/* Sort the hits from byte `begin` of a buffer on, and drop repeated ones. */
void scan_sort_hits(buf_t *hits, size_t begin);

/* Likewise of live positions. */
void scan_sort_live(buf_t *live, size_t begin);

extern const scan_backend_t scan_reference_backend;
extern const scan_backend_t scan_nfa_backend;
extern const scan_backend_t scan_dfa_backend;
extern const scan_backend_t scan_adfa_backend;
extern const scan_backend_t scan_lazy_backend;
extern const scan_backend_t scan_cuda_backend; /* in builds with CUDA */
