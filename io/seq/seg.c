/*
 * seg.c - windows slide along a protein; counts of residues, sorted, say how complex one
 * is.
 */
#include "io/seq/seg.h"

#include "io/base/logmsg.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_OTHERS = 2, /* letters that are none of the 20 amino acids */
    MAX_TRIM = 50,  /* residues that a region may lose at its ends */
    N_AMINO_ACIDS = 20
};

const seg_opts_t seg_usual = {12, 2.2, 2.5}, seg_light = {10, 1.8, 2.1};

/* What all proteins share. */
typedef struct {
    const seg_opts_t *opts;
    int before, after; /* residues of a window before its centre; it and those after it */
    uint8_t kind[ALPHABET_SIZE]; /* of each code: an amino acid, or N_AMINO_ACIDS */
    double *log_factorial; /* [length of the longest + 1], to the digits that NCBI's have,
                            * which decide between parts that are almost as unlikely */
    double bits[SEG_WINDOW_MAX + 1]
               [SEG_WINDOW_MAX + 1]; /* [total][n]: n log2(n / total) */
} shared_t;

/* One protein. */
typedef struct {
    const shared_t *shared;
    const uint8_t *letters;
    double *bits;    /* [len] entropy of the window around each residue; -1: none */
    uint8_t *is_low; /* [len] */
} seg_t;

/* The amino acids in a window. */
typedef struct {
    int32_t n[N_AMINO_ACIDS + 1]; /* of each kind; the last one: other letters */
} counts_t;

static void count(const seg_t *s, const uint8_t *letters, int64_t len, counts_t *out)
{
    *out = (counts_t){.n = {0}};
    for (int64_t i = 0; i < len; i++)
        out->n[s->shared->kind[letters[i]]]++;
}

static void slide(const seg_t *s, counts_t *c, uint8_t leaves, uint8_t enters)
{
    c->n[s->shared->kind[leaves]]--;
    c->n[s->shared->kind[enters]]++;
}

/* Sort the counts, so that equal compositions have equal sums. */
static void sort_counts(const counts_t *c, int32_t *out)
{
    for (int i = 0; i < N_AMINO_ACIDS; i++) {
        int k = i;

        for (; k > 0 && out[k - 1] < c->n[i]; k--)
            out[k] = out[k - 1];
        out[k] = c->n[i];
    }
}

/* Larger counts come first, so that equal compositions have equal sums. */
static double entropy(const seg_t *s, const counts_t *c)
{
    const int total = s->shared->opts->window - c->n[N_AMINO_ACIDS];
    uint8_t n_kinds[SEG_WINDOW_MAX + 1] = {0}; /* by how often they occur */
    double sum = 0;

    for (int i = 0; i < N_AMINO_ACIDS; i++)
        n_kinds[c->n[i]]++;
    for (int n = total; n > 0; n--)
        for (int k = 0; k < n_kinds[n]; k++)
            sum -= s->shared->bits[total][n];
    return total > 0 ? sum / total : 0;
}

/* @return the logarithm of the share of random sequences of this length that have these
 * numbers of residues, of whichever kinds */
static double log_share(const seg_t *s, const counts_t *c, int64_t len)
{
    int32_t sorted[N_AMINO_ACIDS];
    const double *log_factorial = s->shared->log_factorial;
    double of_kinds = log_factorial[N_AMINO_ACIDS], of_orders = log_factorial[len];

    sort_counts(c, sorted);
    for (int i = 0, n_equal; i < N_AMINO_ACIDS; i += n_equal) {
        for (n_equal = 1; i + n_equal < N_AMINO_ACIDS && sorted[i + n_equal] == sorted[i];
             n_equal++)
            ;
        of_kinds -= log_factorial[n_equal];
    }
    for (int i = 0; i < N_AMINO_ACIDS && sorted[i] > 0; i++)
        of_orders -= log_factorial[sorted[i]];
    return of_kinds + of_orders - (double)len * log(N_AMINO_ACIDS);
}

static void find_entropies(const seg_t *s, int64_t len)
{
    const int window = s->shared->opts->window;
    counts_t c;

    for (int64_t i = 0; i < len; i++)
        s->bits[i] = -1;
    count(s, s->letters, window, &c);
    for (int64_t first = 0;; first++) {
        if (c.n[N_AMINO_ACIDS] <= MAX_OTHERS)
            s->bits[first + s->shared->before] = entropy(s, &c);
        if (first + window == len)
            return;
        slide(s, &c, s->letters[first], s->letters[first + window]);
    }
}

static bool grows(const seg_t *s, int64_t i)
{
    return s->bits[i] >= 0 && s->bits[i] <= s->shared->opts->growth_bits;
}

/* Shorten a part to the one of it that is least likely. */
static void trim(const seg_t *s, int64_t *begin, int64_t *end)
{
    const int64_t n = *end - *begin, least = n - MAX_TRIM > 1 ? n - MAX_TRIM : 1;
    const uint8_t *letters = s->letters + *begin;
    int64_t best = 0, best_len = n;
    double lowest = 1;

    for (int64_t len = n; len > least; len--) {
        counts_t c;

        count(s, letters, len, &c);
        for (int64_t at = 0;; at++) {
            const double share = log_share(s, &c, len);

            if (share < lowest) {
                lowest = share;
                best = at;
                best_len = len;
            }
            if (at + len == n)
                break;
            slide(s, &c, letters[at], letters[at + len]);
        }
    }
    *begin += best;
    *end = *begin + best_len;
}

/* Find regions of the part begin .. end - 1.  What a region loses on its left may hold
 * the window that began it, and is searched again. */
static void find_low(const seg_t *s, int64_t begin, int64_t end)
{
    const int before = s->shared->before, after = s->shared->after;

    for (int64_t i = begin + before, lowest = i; i <= end - after; i++) {
        int64_t low = i, high = i, from, to;

        if (s->bits[i] < 0 || s->bits[i] > s->shared->opts->trigger_bits)
            continue;
        while (low > lowest && grows(s, low - 1))
            low--;
        while (high < end - after && grows(s, high + 1))
            high++;
        from = low - before;
        to = high + after;
        trim(s, &from, &to);
        memset(s->is_low + from, 1, (size_t)(to - from));
        if (i + after - 1 < from)
            find_low(s, low - before, from);
        i = high < to - 1 + before ? high : to - 1 + before;
        lowest = i + 1;
    }
}

typedef struct {
    shared_t shared;
    seqset_t *set;
    atomic_llong n_masked, n_sequences;
    atomic_bool has_failed;
} mask_t;

static void mask_one(void *context, int64_t i, int thread)
{
    mask_t *m = context;
    const int64_t len = seqset_len(m->set, i);
    uint8_t *letters = m->set->letters + m->set->offset[i];
    seg_t s = {.shared = &m->shared, .letters = letters};
    int64_t n = 0;

    (void)thread;
    if (len < m->shared.opts->window)
        return;
    s.bits = malloc((size_t)len * sizeof(*s.bits));
    s.is_low = calloc((size_t)len, 1);
    if (s.bits != NULL && s.is_low != NULL) {
        find_entropies(&s, len);
        find_low(&s, 0, len);
        for (int64_t k = 0; k < len; k++)
            if (s.is_low[k]) {
                letters[k] = CODE_X;
                n++;
            }
    } else {
        atomic_store(&m->has_failed, true);
    }
    atomic_fetch_add(&m->n_masked, n);
    atomic_fetch_add(&m->n_sequences, n > 0);
    free(s.bits);
    free(s.is_low);
}

/* @param n  the largest number whose factorial is needed */
static status_t share(const seg_opts_t *opts, size_t n, shared_t *out)
{
    static const char amino_acids[] = "ACDEFGHIKLMNPQRSTVWY";
    double sum = 0;

    if ((out->log_factorial = malloc((n + 1) * sizeof(*out->log_factorial))) == NULL)
        return log_nomem("regions of low complexity");
    for (size_t i = 0; i <= n; i++) {
        sum += i > 1 ? log((double)i) : 0;
        out->log_factorial[i] = round(sum * 1e6) / 1e6;
    }
    for (int total = 1; total <= opts->window; total++)
        for (int k = 1; k <= total; k++)
            out->bits[total][k] = k * log2((double)k / total);
    out->opts = opts;
    out->before = (opts->window + 1) / 2 - 1;
    out->after = opts->window - out->before;
    memset(out->kind, N_AMINO_ACIDS, sizeof(out->kind));
    for (int i = 0; i < N_AMINO_ACIDS; i++)
        out->kind[alphabet_code(ALPHABET_PROTEIN, (unsigned char)amino_acids[i])] =
            (uint8_t)i;
    return ST_OK;
}

status_t seg_mask(pool_t *pool, const seg_opts_t *opts, seqset_t *set, int64_t *n_masked,
                  int64_t *n_sequences)
{
    const int64_t longest = seqset_max_len(set);
    mask_t m = {.set = set};
    status_t st = share(opts, (size_t)(longest > N_AMINO_ACIDS ? longest : N_AMINO_ACIDS),
                        &m.shared);

    if (st != ST_OK)
        return st;
    pool_run(pool, set->n, mask_one, &m);
    free(m.shared.log_factorial);
    *n_masked = atomic_load(&m.n_masked);
    *n_sequences = atomic_load(&m.n_sequences);
    return atomic_load(&m.has_failed) ? log_nomem("regions of low complexity") : ST_OK;
}
