/*
 * filter_kmers.c - makes the bit vectors of sequences' k-mers, one sequence per call of
 * the thread pool's loop.
 */
#include "kernels/align/filter/filter_backend.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64, BITS_PER_BASE = 8, BASES = 4 };

/* What a window has instead of one k-mer's bit. */
enum { NO_BIT = 1 << FILTER_LOG_MAX, MANY_BITS };

typedef struct {
    const seqset_t *set;
    const filter_params_t *params;
    filter_range_t range;
    filter_kmers_t *kmers;
    uint32_t *bits;  /* [threads][2][longest] */
    int64_t longest; /* bases of the longest sequence in the range */
} making_t;

/* The windows of a sequence by their first position: the bit of each, or NO_BIT or
 * MANY_BITS. */
typedef struct {
    const filter_params_t *params;
    const uint8_t *letters;
    int64_t n;
    uint32_t *whole; /* [n] bits in the vector of the whole sequence */
    uint32_t *piece; /* [n] bits in those of starts and ends */
} windows_t;

/* The k-mers that one window can stand for. */
typedef struct {
    int n; /* 0: it matches nothing; FILTER_WINDOW_KMERS_MAX + 1: too many */
    uint32_t kmers[FILTER_WINDOW_KMERS_MAX];
} window_t;

/* @return bases of sequences first .. end-1, on average */
static int64_t mean_len(const seqset_t *set, int64_t first, int64_t end)
{
    return end > first ? (set->offset[end] - set->offset[first]) / (end - first) : 0;
}

/* The longer kind decides: many short queries must not crowd the k-mers of long
 * references. */
int filter_kmers_log_bits(const seqset_t *set, int64_t n_rows, align_ends_t ends,
                          int64_t bytes_max)
{
    int64_t row_len = mean_len(set, 0, n_rows), len = mean_len(set, n_rows, set->n);
    int64_t halves = ends != ENDS_FREE ? 2 : 2 + 2 * FILTER_BINS;
    int log = FILTER_LOG_MIN;

    len = row_len > len ? row_len : len;
    while (log < FILTER_LOG_MAX && INT64_C(1) << log < len * BITS_PER_BASE)
        log++;
    while (log > FILTER_LOG_MIN && (set->n << log) / 16 * halves > bytes_max)
        log--;
    return log;
}

/* List the k-mers that k letters can stand for. */
static void spell_window(const filter_params_t *params, const uint8_t *letters,
                         window_t *out)
{
    int n = 1;

    out->kmers[0] = 0;
    for (int i = 0; i < params->bound.k; i++) {
        int set = params->set_of[letters[i]], n_bases = __builtin_popcount((unsigned)set);

        if (n_bases == 0) {
            out->n = 0;
            return;
        }
        if (n * n_bases > FILTER_WINDOW_KMERS_MAX) {
            n = FILTER_WINDOW_KMERS_MAX + 1; /* unless a later letter matches nothing */
            n_bases = 1;
        }
        if (n > FILTER_WINDOW_KMERS_MAX)
            continue;
        for (int base = BASES - 1, left = n_bases; base >= 0; base--)
            if (set >> base & 1) {
                left--; /* 0 comes last: k-mers 0 .. n-1 are the prefixes of all others */
                for (int k = 0; k < n; k++)
                    out->kmers[left * n + k] = out->kmers[k] << 2 | (uint32_t)base;
            }
        n *= n_bases;
    }
    out->n = n;
}

/* Note a window with ambiguity codes. @return whether it is dropped */
static bool note_ambiguous(windows_t *w, int64_t at)
{
    window_t window;
    bool dropped;

    spell_window(w->params, w->letters + at, &window);
    dropped = window.n > FILTER_WINDOW_KMERS_MAX;
    w->whole[at] = w->piece[at] = window.n == 0 || dropped ? NO_BIT : MANY_BITS;
    return dropped;
}

/* Find the bit of each window. @return dropped windows */
static int32_t find_bits(windows_t *w, int64_t len)
{
    const uint8_t *set_of = w->params->set_of, *letters = w->letters;
    int k = w->params->bound.k, log_bits = w->params->log_bits;
    uint32_t kmer = 0, mask = (UINT32_C(1) << 2 * k) - 1;
    int64_t run = 0; /* successive letters that are bases */
    int32_t dropped = 0;

    w->n = len >= k ? len - k + 1 : 0;
    for (int64_t i = 0; i < len; i++) {
        unsigned set = set_of[letters[i]];
        bool is_base = set != 0 && (set & (set - 1)) == 0;

        run = is_base ? run + 1 : 0;
        kmer = (kmer << 2 | (is_base ? (uint32_t)__builtin_ctz(set) : 0)) & mask;
        if (run >= k) {
            w->whole[i + 1 - k] = filter_kmer_bit(kmer, k, log_bits);
            w->piece[i + 1 - k] = filter_kmer_bit(kmer, k, log_bits - 1);
        } else if (i + 1 >= k) {
            dropped += note_ambiguous(w, i + 1 - k);
        }
    }
    return dropped;
}

/* Set the bits of a window of several k-mers. @return 1 if one was set before, else 0 */
static int add_many(const windows_t *w, int64_t at, int log_bits, uint64_t *vector)
{
    uint32_t bits[FILTER_WINDOW_KMERS_MAX];
    uint64_t met = 0;
    window_t window;

    spell_window(w->params, w->letters + at, &window);
    for (int k = 0; k < window.n; k++) {
        bits[k] = filter_kmer_bit(window.kmers[k], w->params->bound.k, log_bits);
        met |= vector[bits[k] / WORD_BITS] >> bits[k] % WORD_BITS & 1;
    }
    for (int k = 0; k < window.n; k++)
        vector[bits[k] / WORD_BITS] |= UINT64_C(1) << bits[k] % WORD_BITS;
    return (int)met;
}

/* Set the bits of n windows: those at `at`, at + step, and so on. @return excess windows
 */
static int32_t add_windows(const windows_t *w, bool is_piece, int64_t at, int step,
                           int64_t n, uint64_t *vector)
{
    const uint32_t *bits = is_piece ? w->piece : w->whole;
    int32_t excess = 0;

    for (; n > 0; n--, at += step) {
        uint32_t bit = bits[at];

        if (bit < NO_BIT) {
            uint64_t *in = &vector[bit / WORD_BITS], one = UINT64_C(1) << bit % WORD_BITS;

            excess += (*in & one) != 0;
            *in |= one;
        } else if (bit == MANY_BITS) {
            excess += add_many(w, at, w->params->log_bits - is_piece, vector);
        }
    }
    return excess;
}

/* Make the vectors of all bins' starts (step 1: from the first window on) or ends (-1:
 * from the last window on). Each contains the one before. */
static void make_pieces(const windows_t *w, int step, const int32_t *n_in, size_t n_words,
                        uint64_t *vectors, int32_t *excess)
{
    int64_t n = 0;
    int32_t met = 0;

    for (int k = 0; k < FILTER_BINS; k++) {
        uint64_t *vector = vectors + (size_t)k * n_words;

        if (k == 0)
            memset(vector, 0, n_words * sizeof(*vector));
        else
            memcpy(vector, vector - n_words, n_words * sizeof(*vector));
        met +=
            add_windows(w, true, step > 0 ? n : w->n - 1 - n, step, n_in[k] - n, vector);
        excess[k] = met;
        n = n_in[k];
    }
}

static void make_vectors(const windows_t *w, int64_t item, filter_kmers_t *g)
{
    filter_seq_t *s = &g->seqs[item];
    uint64_t *whole = g->whole + item * g->n_words;

    memset(whole, 0, (size_t)g->n_words * sizeof(*whole));
    s->excess = add_windows(w, false, 0, 1, w->n, whole);
    if (g->n_end_words == 0)
        return;
    for (int end = 0; end < 2; end++)
        make_pieces(w, end == 0 ? 1 : -1, s->n_end_windows, (size_t)g->n_end_words,
                    (uint64_t *)filter_kmers_end(g, item, end, 0), s->end_excess[end]);
}

/* If only the query's ends are counted, or rows have demands of their own, the target
 * demands nothing. filter_goal_demand says why a row's demand alone suffices. */
static void set_demands(const filter_params_t *params, filter_seq_t *s)
{
    s->row.min_good = s->min_good.any;
    filter_goal_partner_lens(&params->goal, s->len, &s->row.partner_min,
                             &s->row.partner_max);
    s->col = params->goal.ends != ENDS_QUERY && !params->per_row_identity
                 ? s->row
                 : (filter_demand_t){.partner_max = INT32_MAX, .min_good = INT32_MIN};
}

filter_seq_t filter_kmers_describe(const filter_params_t *params, int64_t len)
{
    filter_seq_t s = {.len = (int32_t)len};
    const int k = params->bound.k;

    if (k > 0)
        s.min_good = filter_bound_min_good(&params->goal, &params->bound, len);
    for (int bin = 0; k > 0 && params->goal.ends == ENDS_FREE && bin < FILTER_BINS;
         bin++) {
        int64_t end = filter_goal_bin_end(&params->goal, len, bin);

        s.n_end_windows[bin] = end >= k ? (int32_t)(end - k + 1) : 0;
    }
    set_demands(params, &s);
    return s;
}

static int64_t index_of(const filter_range_t *range, int64_t item)
{
    return range->listed != NULL ? range->listed[item] : range->first + item;
}

static void make_one(void *ctx, int64_t item, int thread)
{
    const making_t *m = ctx;
    int64_t index = index_of(&m->range, item), len = seqset_len(m->set, index);
    filter_seq_t *s = &m->kmers->seqs[item];

    *s = filter_kmers_describe(m->params, len);
    if (m->params->bound.k > 0) {
        uint32_t *bits = m->bits + 2 * thread * m->longest;
        windows_t w = {.params = m->params,
                       .letters = seqset_letters(m->set, index),
                       .whole = bits,
                       .piece = bits + m->longest};

        s->dropped = find_bits(&w, len);
        make_vectors(&w, item, m->kmers);
    }
}

static uint64_t *vectors_alloc(int64_t n_words)
{
    return buf_alloc_pages((size_t)n_words * sizeof(uint64_t));
}

static int64_t longest_of(const seqset_t *set, const filter_range_t *range)
{
    int64_t longest = 0;

    for (int64_t i = 0; i < range->n; i++) {
        int64_t len = seqset_len(set, index_of(range, i));

        longest = len > longest ? len : longest;
    }
    return longest;
}

status_t filter_kmers_create(pool_t *pool, const seqset_t *set,
                             const filter_params_t *params, filter_range_t range,
                             filter_kmers_t **out)
{
    filter_kmers_t *g = calloc(1, sizeof(*g));
    making_t m = {set, params, range, g, NULL, longest_of(set, &range)};

    if (g == NULL)
        return log_nomem("the k-mers of sequences");
    g->n = range.n;
    if (params->bound.k > 0) {
        g->n_words = (1 << params->log_bits) / WORD_BITS;
        g->n_end_words = params->goal.ends != ENDS_FREE ? 0 : g->n_words / 2;
    }
    g->seqs = calloc((size_t)range.n + 1, sizeof(*g->seqs));
    g->whole = vectors_alloc(range.n * g->n_words);
    g->ends = vectors_alloc(range.n * 2 * FILTER_BINS * g->n_end_words);
    m.bits = calloc((size_t)(pool_n_threads(pool) * 2 * m.longest) + 1, sizeof(*m.bits));
    if (g->seqs == NULL || g->whole == NULL || g->ends == NULL || m.bits == NULL) {
        free(m.bits);
        filter_kmers_destroy(g);
        return log_nomem("the k-mers of sequences");
    }
    pool_run(pool, range.n, make_one, &m);
    free(m.bits);
    *out = g;
    return ST_OK;
}

void filter_kmers_destroy(filter_kmers_t *kmers)
{
    if (kmers == NULL)
        return;
    free(kmers->seqs);
    free(kmers->whole);
    free(kmers->ends);
    free(kmers);
}
