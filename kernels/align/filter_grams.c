#include "kernels/align/filter_grams.h"

#include "io/logmsg.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64, ALIGN_BYTES = 64, BITS_A_LETTER = 8, BASES = 4 };

typedef struct {
    const seqset_t *set;
    const filter_form_t *form;
    filter_range_t range;
    filter_grams_t *grams;
} making_t;

/* The words of one window. */
typedef struct {
    int n; /* 0: it matches nothing; FILTER_WORDS_MOST + 1: too many */
    uint32_t words[FILTER_WORDS_MOST];
} window_t;

/* @return letters that sequences first .. end-1 have on average */
static int64_t mean_len(const seqset_t *set, int64_t first, int64_t end)
{
    return end > first ? (set->offset[end] - set->offset[first]) / (end - first) : 0;
}

/* Many short queries must not crowd the windows of long references. */
int filter_grams_log(const seqset_t *set, int64_t n_rows, align_ends_t ends,
                     int64_t bytes_most)
{
    int64_t rows = mean_len(set, 0, n_rows), letters = mean_len(set, n_rows, set->n);
    int64_t halves = ends != ENDS_FREE ? 2 : 2 + 2 * FILTER_BINS;
    int log = FILTER_LOG_LEAST;

    letters = rows > letters ? rows : letters;

    while (log < FILTER_LOG_MOST && INT64_C(1) << log < letters * BITS_A_LETTER)
        log++;
    while (log > FILTER_LOG_LEAST && (set->n << log) / 16 * halves > bytes_most)
        log--;
    return log;
}

/* Spread words evenly; where there is room every word has its own bit. */
static uint32_t bit_of(uint32_t word, int q, int log_bits)
{
    uint64_t x = word;

    if (2 * q <= log_bits)
        return word;
    x *= UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 29;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(x >> (WORD_BITS - log_bits));
}

/* Spell out what q letters can stand for. */
static void spell_window(const filter_form_t *form, const uint8_t *letters, window_t *out)
{
    int n = 1;

    out->words[0] = 0;
    for (int i = 0; i < form->bound.q; i++) {
        int set = form->set_of[letters[i]], n_bases = __builtin_popcount((unsigned)set);

        if (n_bases == 0) {
            out->n = 0;
            return;
        }
        if (n * n_bases > FILTER_WORDS_MOST) {
            n = FILTER_WORDS_MOST + 1; /* unless a letter still to come matches nothing */
            n_bases = 1;
        }
        if (n > FILTER_WORDS_MOST)
            continue;
        for (int base = BASES - 1, left = n_bases; base >= 0; base--)
            if (set >> base & 1) {
                left--; /* to 0 last: words 0 .. n-1 are what all are made of */
                for (int k = 0; k < n; k++)
                    out->words[left * n + k] = out->words[k] << 2 | (uint32_t)base;
            }
        n *= n_bases;
    }
    out->n = n;
}

/* Set a window's bits. @return 1 if one was set before, else 0 */
static int put_window(const window_t *w, int q, int log_bits, uint64_t *vector)
{
    uint32_t bits[FILTER_WORDS_MOST];
    uint64_t met = 0;

    for (int k = 0; k < w->n; k++) {
        bits[k] = bit_of(w->words[k], q, log_bits);
        met |= vector[bits[k] / WORD_BITS] >> bits[k] % WORD_BITS & 1;
    }
    for (int k = 0; k < w->n; k++)
        vector[bits[k] / WORD_BITS] |= UINT64_C(1) << bits[k] % WORD_BITS;
    return (int)met;
}

/* Put a window into the starts and ends, of len[k] letters, that hold the whole of it. */
static void put_ends(const making_t *m, int64_t item, int64_t at, const int64_t *len,
                     const window_t *w)
{
    int q = m->form->bound.q, log_bits = m->form->log_bits - 1;
    filter_grams_t *g = m->grams;
    filter_seq_t *s = &g->seqs[item];

    for (int k = 0; k < FILTER_BINS; k++) {
        uint64_t *start = (uint64_t *)filter_grams_end(g, item, 0, k);
        uint64_t *end = (uint64_t *)filter_grams_end(g, item, 1, k);

        if (at + q <= len[k])
            s->end_excess[0][k] += put_window(w, q, log_bits, start);
        if (at >= s->len - len[k])
            s->end_excess[1][k] += put_window(w, q, log_bits, end);
    }
}

static void put_windows(const making_t *m, int64_t item, const uint8_t *letters)
{
    const filter_form_t *form = m->form;
    filter_grams_t *g = m->grams;
    filter_seq_t *s = &g->seqs[item];
    uint64_t *whole = g->whole + item * g->n_words;
    int q = form->bound.q, run = 0; /* letters in a row that are bases */
    int64_t len[FILTER_BINS];
    uint32_t word = 0, mask = (UINT32_C(1) << 2 * q) - 1;

    for (int k = 0; k < FILTER_BINS; k++)
        len[k] = filter_goal_bin_end(&form->goal, s->len, k);
    for (int64_t i = 0; i < s->len; i++) {
        int set = form->set_of[letters[i]];
        bool is_base = set != 0 && (set & (set - 1)) == 0;
        window_t w = {.n = 1};

        run = is_base ? run + 1 : 0;
        word =
            (word << 2 | (is_base ? (uint32_t)__builtin_ctz((unsigned)set) : 0)) & mask;
        w.words[0] = word;
        if (i + 1 < q)
            continue;
        if (run < q)
            spell_window(form, letters + i + 1 - q, &w);
        s->dropped += w.n > FILTER_WORDS_MOST;
        if (w.n == 0 || w.n > FILTER_WORDS_MOST)
            continue;
        s->excess += put_window(&w, q, form->log_bits, whole);
        if (g->n_end_words > 0)
            put_ends(m, item, i + 1 - q, len, &w);
    }
}

/* Where the query's ends alone are counted the target has nothing to ask.  What rows ask
 * by themselves (counted ends: T(m), as C >= m, and both lengths' bounds) holds, too. */
static void ask(const filter_form_t *form, filter_seq_t *s)
{
    s->row.windows = s->need.any;
    filter_goal_partners(&form->goal, s->len, &s->row.partner_least,
                         &s->row.partner_most);
    s->col = form->goal.ends != ENDS_QUERY && !form->rows_ask
                 ? s->row
                 : (filter_ask_t){.partner_most = INT32_MAX, .windows = INT32_MIN};
}

static void make_one(void *ctx, int64_t item, int thread)
{
    const making_t *m = ctx;
    const filter_form_t *form = m->form;
    int64_t index =
        m->range.listed != NULL ? m->range.listed[item] : m->range.first + item;
    filter_seq_t *s = &m->grams->seqs[item];

    (void)thread;
    s->len = (int32_t)seqset_len(m->set, index);
    if (form->bound.q > 0) {
        s->need = filter_bound_need(&form->goal, &form->bound, s->len);
        put_windows(m, item, seqset_letters(m->set, index));
    }
    ask(form, s);
}

static uint64_t *make_vectors(int64_t n_words)
{
    size_t bytes = (size_t)(n_words > 0 ? n_words : 1) * sizeof(uint64_t);
    uint64_t *v =
        aligned_alloc(ALIGN_BYTES, (bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES);

    if (v != NULL)
        memset(v, 0, bytes);
    return v;
}

status_t filter_grams_create(pool_t *pool, const seqset_t *set, const filter_form_t *form,
                             filter_range_t range, filter_grams_t **out)
{
    filter_grams_t *g = calloc(1, sizeof(*g));
    making_t m = {set, form, range, g};

    if (g == NULL)
        return log_nomem("windows of sequences");
    g->n = range.n;
    if (form->bound.q > 0) {
        g->n_words = (1 << form->log_bits) / WORD_BITS;
        g->n_end_words = form->goal.ends != ENDS_FREE ? 0 : g->n_words / 2;
    }
    g->seqs = calloc((size_t)range.n + 1, sizeof(*g->seqs));
    g->whole = make_vectors(range.n * g->n_words);
    g->ends = make_vectors(range.n * 2 * FILTER_BINS * g->n_end_words);
    if (g->seqs == NULL || g->whole == NULL || g->ends == NULL) {
        filter_grams_destroy(g);
        return log_nomem("windows of sequences");
    }
    pool_run(pool, range.n, make_one, &m);
    *out = g;
    return ST_OK;
}

void filter_grams_destroy(filter_grams_t *grams)
{
    if (grams == NULL)
        return;
    free(grams->seqs);
    free(grams->whole);
    free(grams->ends);
    free(grams);
}
