/*
 * bench_pairs.c - simulates or reads the sequences of a benchmark and chooses its pairs.
 */
#include "bench/align/bench_align.h"

#include "io/base/logmsg.h"
#include "io/base/rng.h"
#include "io/seq/fasta.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEED = 1,
    RATE_ONE = 1 << 20,          /* an edit rate of one edit per base */
    RATE_MAX = RATE_ONE / 4 * 3, /* sequences are unrelated */
    EDITS_PER_INDEL = 10,
    CODES_MAX = 8, /* ambiguity codes per sequence that has any */
    /* Finding the edit rate takes at most TRIALS alignments of all pairs of a small set.
     */
    TRIALS = 10,
    TRIAL_SEQUENCES = 12,
    TRIAL_LENGTH_MAX = 1500,
    MEASURED_CELLS = 1000000000, /* aligned to measure the identity */
    CHECKED_CELLS = 50000000,    /* aligned by the reference: about a second */
    CHECKED_MAX = 64
};

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* @return the minimum number of sequences with at least n_pairs pairs */
static int64_t sequences_for(int64_t n_pairs)
{
    int64_t n = 2;

    while (n * (n - 1) / 2 < n_pairs)
        n++;
    return n;
}

/* @return the minimum number of queries with at least n_pairs pairs with as many targets
 */
static int64_t side_for(int64_t n_pairs)
{
    int64_t n = 1;

    while (n * n < n_pairs)
        n++;
    return n;
}

static uint8_t random_base(alphabet_t alphabet, rng_t *rng)
{
    static const char amino_acids[] = "ARNDCQEGHILKMFPSTWYV";

    if (alphabet == ALPHABET_PROTEIN)
        return alphabet_code(
            alphabet, (unsigned char)amino_acids[rng_below(rng, strlen(amino_acids))]);
    return (uint8_t)(1u << rng_below(rng, 4));
}

static uint8_t other_base(alphabet_t alphabet, uint8_t base, rng_t *rng)
{
    uint8_t other = base;
    unsigned shifted;

    while (alphabet == ALPHABET_PROTEIN && other == base)
        other = random_base(alphabet, rng);
    if (alphabet == ALPHABET_PROTEIN)
        return other;
    shifted = (unsigned)base << (1 + rng_below(rng, 3));
    return (uint8_t)((shifted | shifted >> 4) & 15u);
}

/* Copy the ancestor with random edits. @return the copy's length, at most 2 * length */
static int64_t descend(alphabet_t alphabet, const uint8_t *ancestor, int64_t length,
                       uint64_t rate, rng_t *rng, uint8_t *out)
{
    int64_t len = 0;

    for (int64_t i = 0; i < length; i++) {
        if (!rng_chance(rng, rate, RATE_ONE)) {
            out[len++] = ancestor[i];
        } else if (!rng_chance(rng, 1, EDITS_PER_INDEL)) {
            out[len++] = other_base(alphabet, ancestor[i], rng);
        } else if (rng_chance(rng, 1, 2) || (i == length - 1 && len == 0)) {
            out[len++] = ancestor[i];
            out[len++] = random_base(alphabet, rng);
        }
    }
    return len;
}

static void add_codes(alphabet_t alphabet, uint8_t *letters, int64_t len, rng_t *rng)
{
    for (uint64_t left = 1 + rng_below(rng, CODES_MAX); left > 0; left--) {
        uint8_t *at = letters + rng_below(rng, (uint64_t)len);
        uint8_t more = (uint8_t)(1 + rng_below(rng, 15));

        if (alphabet == ALPHABET_PROTEIN)
            *at = CODE_X;
        else
            *at = alphabet_is_base(alphabet, *at | more) ? CODE_N : (uint8_t)(*at | more);
    }
}

/* Descendants of one ancestor while they are made. */
typedef struct {
    rng_t rng;
    int64_t ancestor_length;
    uint8_t *ancestor; /* [ancestor_length] */
    uint8_t *letters;  /* [2 * ancestor_length] of the newest descendant */
    seqset_builder_t sequences;
} star_t;

/* Add n descendants, each with its own random edits; shorter ones than the ancestor
 * descend from random pieces of it. */
static status_t add_descendants(star_t *s, int64_t n, int64_t length, uint64_t rate,
                                int codes_percent)
{
    alphabet_t alphabet = s->sequences.alphabet;
    uint64_t n_starts = (uint64_t)(s->ancestor_length - length) + 1;
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < n; i++) {
        int64_t start = n_starts > 1 ? (int64_t)rng_below(&s->rng, n_starts) : 0;
        int64_t len =
            descend(alphabet, s->ancestor + start, length, rate, &s->rng, s->letters);
        char name[32];
        int name_len =
            snprintf(name, sizeof(name), "s%lld", (long long)s->sequences.n + 1);

        if (rng_chance(&s->rng, (uint64_t)codes_percent, 100))
            add_codes(alphabet, s->letters, len, &s->rng);
        st = seqset_builder_add(&s->sequences, name, (size_t)name_len, s->letters,
                                (size_t)len);
    }
    return st;
}

/* Make descendants of one ancestor: n of one length, then, if the other length differs, n
 * of that. */
static status_t make_star(alphabet_t alphabet, int64_t n, int64_t length,
                          int64_t other_length, uint64_t rate, int codes_percent,
                          seqset_t **out)
{
    int64_t longer = length > other_length ? length : other_length;
    star_t s = {.rng = rng_seed(SEED),
                .ancestor_length = longer,
                .ancestor = malloc((size_t)longer),
                .letters = malloc(2 * (size_t)longer),
                .sequences = {.alphabet = alphabet}};
    status_t st = ST_OK;

    if (s.ancestor == NULL || s.letters == NULL)
        st = log_nomem("sequences");
    for (int64_t i = 0; st == ST_OK && i < longer; i++)
        s.ancestor[i] = random_base(alphabet, &s.rng);
    if (st == ST_OK)
        st = add_descendants(&s, n, length, rate, codes_percent);
    if (st == ST_OK && other_length != length)
        st = add_descendants(&s, n, other_length, rate, codes_percent);
    if (st == ST_OK)
        st = seqset_builder_finish(&s.sequences, out);
    seqset_builder_free(&s.sequences);
    free(s.ancestor);
    free(s.letters);
    return st;
}

/* Measure the mean identity of pairs on the CPU. */
static status_t mean_identity(const seqset_t *set, const pair_t *pairs, int64_t n,
                              const align_spec_t *spec, double *out)
{
    align_spec_t identity = *spec;
    pair_batch_t batch = {pairs, n};
    device_t cpu = device_cpu();
    pool_t *pool = NULL;
    aligner_t *aligner = NULL;
    pair_results_t got;
    double sum = 0;
    status_t st = pool_create(1, &pool);

    identity.emit = EMIT_IDENTITY;
    if (st == ST_OK &&
        (st = aligner_create(&(align_context_t){&cpu, pool, set, &identity, {0}},
                             &(aligner_options_t){.kernel = "auto"}, &aligner)) ==
            ST_OK &&
        (st = aligner_submit(aligner, &batch)) == ST_OK)
        st = aligner_wait(aligner, &got);
    for (int64_t i = 0; st == ST_OK && i < n; i++)
        sum += got.columns[i] > 0 ? (double)got.matches[i] / got.columns[i] : 0;
    if (st == ST_OK)
        *out = sum / (double)n;
    aligner_destroy(aligner);
    pool_destroy(pool);
    return st;
}

/* Measure the mean identity that an edit rate leads to, on a small set. */
static status_t try_rate(const bench_pairs_opts_t *o, const align_spec_t *spec,
                         uint64_t rate, double *out)
{
    pair_t pairs[TRIAL_SEQUENCES * (TRIAL_SEQUENCES - 1) / 2];
    align_spec_t counted = *spec;
    seqset_t *set = NULL;
    int n = 0;
    int64_t length = min64(min64(o->length, o->target_length), TRIAL_LENGTH_MAX);
    status_t st = make_star(o->alphabet, TRIAL_SEQUENCES, length, length, rate, 0, &set);

    counted.ends = ENDS_COUNT;
    for (int32_t i = 0; i < TRIAL_SEQUENCES; i++)
        for (int32_t k = i + 1; k < TRIAL_SEQUENCES; k++)
            pairs[n++] = (pair_t){i, k};
    if (st == ST_OK)
        st = mean_identity(set, pairs, n, &counted, out);
    seqset_destroy(set);
    return st;
}

/* Find the edit rate for an identity by the method of false position.  The relation is
 * nearly linear, but not quite: the best alignment also finds matches by chance. */
static status_t find_rate(const bench_pairs_opts_t *o, const align_spec_t *spec,
                          uint64_t *out)
{
    double low = 0, at_low = 1, high = RATE_MAX, at_high = 0, got;
    double want = o->identity;
    status_t st = try_rate(o, spec, (uint64_t)high, &at_high);

    *out = at_high < want ? 0 : (uint64_t)high;
    for (int i = 0; st == ST_OK && i < TRIALS && at_high < want && want < at_low; i++) {
        double rate = low + (high - low) * (at_low - want) / (at_low - at_high);

        *out = (uint64_t)rate;
        st = try_rate(o, spec, *out, &got);
        if (st != ST_OK || (got - want < 0.003 && want - got < 0.003))
            break;
        if (got > want) {
            low = rate;
            at_low = got;
        } else {
            high = rate;
            at_high = got;
        }
    }
    return st;
}

static status_t simulate(const bench_pairs_opts_t *o, const align_spec_t *spec,
                         seqset_t **out)
{
    int64_t n = o->target_length == o->length ? sequences_for(o->n) : side_for(o->n);
    uint64_t rate;
    status_t st = find_rate(o, spec, &rate);

    return st != ST_OK ? st
                       : make_star(o->alphabet, n, o->length, o->target_length, rate,
                                   o->codes_percent, out);
}

/* Pair the first half of the set, the queries, with the second one. */
static status_t pair_halves(bench_pairs_t *p)
{
    int32_t half = (int32_t)(p->set->n / 2);
    int64_t at = 0;

    if ((p->pairs = malloc((size_t)p->n * sizeof(*p->pairs))) == NULL)
        return log_nomem("pairs");
    for (int32_t i = 0; i < half; i++)
        for (int32_t k = 0; k < half && at < p->n; k++)
            p->pairs[at++] = (pair_t){i, half + k};
    return ST_OK;
}

/* Choose as many sequences as are needed at random, and take all their pairs. */
static status_t choose_pairs(bench_pairs_t *p)
{
    int64_t n_all = p->set->n, n = min64(sequences_for(p->n), n_all), at = 0;
    int32_t *order = malloc((size_t)n_all * sizeof(*order));
    rng_t rng = rng_seed(SEED);

    p->n = min64(p->n, n * (n - 1) / 2);
    p->pairs = malloc((size_t)p->n * sizeof(*p->pairs));
    if (order == NULL || p->pairs == NULL) {
        free(order);
        return log_nomem("pairs");
    }
    for (int32_t i = 0; i < n_all; i++)
        order[i] = i;
    for (int64_t i = 0; n < n_all && i < n; i++) {
        int64_t k = i + (int64_t)rng_below(&rng, (uint64_t)(n_all - i));
        int32_t kept = order[i];

        order[i] = order[k];
        order[k] = kept;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = i + 1; k < n && at < p->n; k++)
            p->pairs[at++] = (pair_t){order[i], order[k]};
    free(order);
    return ST_OK;
}

static double cells_of(const seqset_t *set, pair_t p)
{
    return (double)seqset_len(set, p.query) * (double)seqset_len(set, p.target);
}

static status_t take_sample(bench_pairs_t *p, int64_t n_sample)
{
    double letters = 0;

    p->n_sample = min64(n_sample, p->n);
    p->step = p->n / p->n_sample;
    if ((p->sample = malloc((size_t)p->n_sample * sizeof(*p->sample))) == NULL)
        return log_nomem("pairs");
    for (int64_t i = 0; i < p->n_sample; i++) {
        p->sample[i] = p->pairs[i * p->step];
        p->sample_cells += cells_of(p->set, p->sample[i]);
    }
    for (int64_t i = 0; i < p->n; i++) {
        p->cells += cells_of(p->set, p->pairs[i]);
        letters += (double)(seqset_len(p->set, p->pairs[i].query) +
                            seqset_len(p->set, p->pairs[i].target));
    }
    p->mean_length = letters / (2 * (double)p->n);
    return ST_OK;
}

/* @return how many pairs of the sample fit in a number of cells: at least one */
static int64_t n_within(const bench_pairs_t *p, int64_t cells)
{
    int64_t longest = seqset_max_len(p->set), n = cells / longest / longest;

    return min64(n < 1 ? 1 : n, p->n_sample);
}

int64_t bench_pairs_n_checked(const bench_pairs_t *p)
{
    return min64(n_within(p, CHECKED_CELLS), CHECKED_MAX);
}

status_t bench_pairs_make(const bench_pairs_opts_t *opts, const align_spec_t *spec,
                          bench_pairs_t **out)
{
    const fasta_opts_t fasta = {.alphabet = opts->alphabet};
    bench_pairs_t *p = calloc(1, sizeof(*p));
    status_t st;

    if (p == NULL)
        return log_nomem("pairs");
    p->n = opts->n;
    st = opts->input != NULL ? fasta_read(opts->input, &fasta, NULL, &p->set)
                             : simulate(opts, spec, &p->set);
    if (st == ST_OK && p->set->n < 2) {
        log_error(
            "%s: fewer than two sequences, so there is no pair; give a file with more",
            opts->input);
        st = ST_EINPUT;
    }
    if (st == ST_OK)
        st = opts->input == NULL && opts->length != opts->target_length ? pair_halves(p)
                                                                        : choose_pairs(p);
    if (st == ST_OK)
        st = take_sample(p, opts->n_sample);
    p->identity = -1;
    if (st == ST_OK && seqset_max_len(p->set) <= MEASURED_CELLS / seqset_max_len(p->set))
        st = mean_identity(p->set, p->sample, n_within(p, MEASURED_CELLS), spec,
                           &p->identity);
    if (st != ST_OK) {
        bench_pairs_destroy(p);
        return st;
    }
    *out = p;
    return ST_OK;
}

void bench_pairs_destroy(bench_pairs_t *p)
{
    if (p == NULL)
        return;
    seqset_destroy(p->set);
    free(p->pairs);
    free(p->sample);
    free(p);
}
