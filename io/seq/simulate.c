/*
 * simulate.c - evolves each sequence independently from the ancestor along a random tree.
 *
 * The tree has the ranks of taxonomy.  A new sequence picks an earlier one and a rank;
 * above the rank it shares that sequence's lineage, from the rank down it has its own.
 * Each branch has its own random number generator, so a sequence is the ancestor with the
 * changes of its N_RANKS branches applied in turn.  Sequences of inner nodes are never
 * stored, and sequence i does not depend on n.
 *
 * During evolution a base has its code in the low four bits and the rate class of its
 * site above them, so that the class moves with the base when others are inserted or
 * deleted.
 */
#include "io/seq/simulate.h"

#include "io/base/logmsg.h"
#include "io/base/rng.h"
#include "io/seq/alphabet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_SEQUENCES = 1000000000,
    MAX_LENGTH = 10000000,
    ECOLI_LEN = 1542,
    CODE_BITS = 4,
    SUBSTITUTIONS_PER_INDEL = 12,
    N_CUTS = 4,
    MAX_AMBIGUOUS = 8, /* ambiguity codes in a sequence */
    NEW_PHYLA = 5, /* two sequences share a phylum with probability 1 / (1 + NEW_PHYLA) */
    N_RANKS = 7    /* phylum, class, order, family, genus, species, strain */
};

/* Rate classes of sites and their relative rates of change. */
enum { SITE_INVARIANT, SITE_CONSERVED, SITE_VARIABLE, N_CLASSES };
static const int class_rate[N_CLASSES] = {1, 16, 96};

/* V1 to V9 in E. coli numbering (Baker, Smith, Cowan 2003), first and last position. */
static const int variable_regions[9][2] = {{69, 99},     {137, 242},   {433, 497},
                                           {576, 682},   {822, 879},   {986, 1043},
                                           {1117, 1173}, {1243, 1294}, {1435, 1465}};

/* Divergence of two sequences whose lineages separate at a rank, in thousandths of the
 * divergence across the root: from the 25, 21.5, 18, 13.5, 5.5 and 1.3 % of Yarza et al.
 * 2014, and 0.4 % for strains. */
static const int rank_divergence[N_RANKS + 1] = {1000, 860, 720, 540, 220, 52, 16, 0};

/* Of 100 sequences that join a phylum, the number that separate from the sequence they
 * picked at each rank; the last number is of those that do not separate at all. */
static const int rank_weight[N_RANKS + 1] = {0, 10, 15, 20, 20, 20, 10, 5};

static const int indel_lengths[6] = {1, 1, 1, 2, 2, 3};

/* Where the lineage of a sequence separates from that of an earlier one. */
typedef struct {
    int64_t parent;
    int rank; /* the highest rank of its own lineage */
} origin_t;

typedef struct {
    const simulate_opts_t *opts;
    uint64_t branch_seed, finish_seed;
    uint8_t *ancestor; /* [opts->length] */
    origin_t *origin;  /* [n] */
    int64_t
        branch_mean[N_RANKS]; /* mean number of changes along a branch, times 65,536 */
    int64_t cut[2][N_CUTS];   /* bases cut off by primers at the start and the end */
    uint8_t *letters;         /* [capacity] the current sequence */
    int64_t len, capacity;
} simulate_t;

simulate_opts_t simulate_defaults(void)
{
    return (simulate_opts_t){.length = 1500,
                             .divergence_percent = 25,
                             .ambiguous_percent = 20,
                             .trim_percent = 4,
                             .seed = 1};
}

static status_t check_range(const char *name, int64_t value, int64_t min, int64_t max)
{
    if (value >= min && value <= max)
        return ST_OK;
    log_error("%s cannot be %" PRId64 "; give %" PRId64 " to %" PRId64, name, value, min,
              max);
    return ST_EUSAGE;
}

static status_t check_opts(const simulate_opts_t *opts)
{
    status_t st;

    if ((st = check_range("the number of sequences", opts->n, 0, MAX_SEQUENCES)) !=
            ST_OK ||
        (st = check_range("the length", opts->length, 1, MAX_LENGTH)) != ST_OK ||
        (st = check_range("the divergence in percent", opts->divergence_percent, 0,
                          60)) != ST_OK ||
        (st = check_range("the percentage of sequences with ambiguity codes",
                          opts->ambiguous_percent, 0, 100)) != ST_OK)
        return st;
    return check_range("the percentage trimmed", opts->trim_percent, 0, 45);
}

static uint8_t random_base(rng_t *rng)
{
    return (uint8_t)(1u << rng_below(rng, 4));
}

static int class_of(const uint8_t *letter)
{
    return *letter >> CODE_BITS;
}

/* Draw the ancestor and count its sites of each class. */
static void make_ancestor(simulate_t *sim, rng_t *rng, int64_t n_sites[N_CLASSES])
{
    int64_t length = sim->opts->length;

    for (int64_t i = 0; i < length; i++) {
        int64_t position = 1 + i * ECOLI_LEN / length;
        int site = rng_chance(rng, 1, 4) ? SITE_INVARIANT : SITE_CONSERVED;

        for (int v = 0; v < 9; v++)
            if (position >= variable_regions[v][0] && position <= variable_regions[v][1])
                site = SITE_VARIABLE;
        n_sites[site]++;
        sim->ancestor[i] = (uint8_t)(site << CODE_BITS | random_base(rng));
    }
}

/*
 * Calibration: find the number of changes between two sequences that differ in a given
 * fraction of their columns.  A site of the pair has equal bases, a transition, a
 * transversion or a gap.  The frequencies of these are integrated over time in steps of
 * 1/STEPS changes per base; the unit of frequencies is 1/ONE.
 */
enum { STEPS = 16384, MAX_STEPS = 64 * STEPS, ONE = 1 << 30 };

/* Bases inserted, and as many deleted, per 1,000 changes: half of the indels each, times
 * the mean of indel_lengths. */
enum { INDEL_PERMILLE = 1000 * 10 / (6 * 2 * (SUBSTITUTIONS_PER_INDEL + 1)) };

typedef struct {
    int64_t weight; /* fraction of the sites, times 65,536 */
    int64_t hit;    /* probability of a change in one step */
    int64_t equal, transition, transversion;
} frequencies_t;

static int64_t scaled_mul(int64_t a, int64_t b)
{
    return a * b / ONE;
}

static void frequencies_step(frequencies_t *s)
{
    int64_t hit = s->hit * SUBSTITUTIONS_PER_INDEL / (SUBSTITUTIONS_PER_INDEL + 1);
    int64_t gap = s->hit * INDEL_PERMILLE / 1000;
    int64_t from_equal = scaled_mul(s->equal, hit);
    int64_t from_transition = scaled_mul(s->transition, hit);
    int64_t from_transversion = scaled_mul(s->transversion, hit);

    s->equal += (4 * from_transition + from_transversion - 6 * from_equal) / 6 -
                scaled_mul(s->equal, gap);
    s->transition += (4 * from_equal + from_transversion - 6 * from_transition) / 6 -
                     scaled_mul(s->transition, gap);
    s->transversion += (from_equal + from_transition - from_transversion) / 3 -
                       scaled_mul(s->transversion, gap);
}

static void frequencies_start(frequencies_t frequencies[N_CLASSES],
                              const int64_t n_sites[N_CLASSES], int64_t length)
{
    int64_t rate_sum = 0;

    for (int c = 0; c < N_CLASSES; c++)
        rate_sum += n_sites[c] * class_rate[c];
    for (int c = 0; c < N_CLASSES; c++)
        frequencies[c] = (frequencies_t){
            .weight = n_sites[c] * 65536 / length,
            .hit = ONE / STEPS * (int64_t)class_rate[c] * 65536 /
                   (rate_sum * 65536 / length),
            .equal = ONE,
        };
}

/* Set the mean number of changes of each rank's branch to reach rank_divergence. */
static void calibrate(simulate_t *sim, const int64_t n_sites[N_CLASSES])
{
    frequencies_t frequencies[N_CLASSES];
    int64_t inserted = 0, differing = 0, begun = 0, steps = 0;

    frequencies_start(frequencies, n_sites, sim->opts->length);
    for (int rank = N_RANKS - 1; rank >= 0; rank--) {
        int64_t target = (int64_t)sim->opts->divergence_percent * rank_divergence[rank];

        while (differing * 100000 < target * (ONE + inserted) && steps < MAX_STEPS) {
            inserted += ONE / STEPS * INDEL_PERMILLE / 1000;
            differing = inserted;
            for (int c = 0; c < N_CLASSES; c++) {
                frequencies_step(&frequencies[c]);
                differing += frequencies[c].weight * (ONE - frequencies[c].equal) / 65536;
            }
            steps++;
        }
        /* half of the changes are on each of the two lineages */
        sim->branch_mean[rank] =
            (steps - begun) * sim->opts->length * (65536 / STEPS / 2);
        begun = steps;
    }
}

/* Draw the origin of each sequence in the tree of those before it. */
static void make_tree(simulate_t *sim, rng_t *rng)
{
    for (int64_t i = 0; i < sim->opts->n; i++) {
        int64_t drawn;
        int rank = 0;

        sim->origin[i] = (origin_t){0};
        if (rng_chance(rng, NEW_PHYLA, (uint64_t)i + NEW_PHYLA))
            continue;
        drawn = (int64_t)rng_below(rng, 100);
        while ((drawn -= rank_weight[rank]) >= 0)
            rank++;
        sim->origin[i].parent = (int64_t)rng_below(rng, (uint64_t)i);
        sim->origin[i].rank = rank;
    }
}

static void make_cuts(simulate_t *sim, rng_t *rng)
{
    int64_t max_cut = sim->opts->length * sim->opts->trim_percent / 100;

    for (int end = 0; end < 2; end++)
        for (int k = 0; k < N_CUTS; k++)
            sim->cut[end][k] = (int64_t)rng_below(rng, (uint64_t)max_cut + 1);
}

/* @return a random site, weighted by the rate of its class */
static int64_t random_site(const simulate_t *sim, rng_t *rng)
{
    for (;;) {
        int64_t i = (int64_t)rng_below(rng, (uint64_t)sim->len);
        int site = class_of(&sim->letters[i]);

        if (site == SITE_VARIABLE || rng_chance(rng, (uint64_t)class_rate[site],
                                                (uint64_t)class_rate[SITE_VARIABLE]))
            return i;
    }
}

static void substitute(uint8_t *letter, rng_t *rng)
{
    enum { PURINES = 1 | 4, PYRIMIDINES = 2 | 8 };
    unsigned draw = (unsigned)rng_below(rng, 6);
    unsigned base = *letter & ((1 << CODE_BITS) - 1);
    bool purine = (base & PURINES) != 0;

    if (draw < 4)
        base ^= purine ? PURINES : PYRIMIDINES;
    else if (purine)
        base = draw == 4 ? 2 : 8;
    else
        base = draw == 4 ? 1 : 4;
    *letter = (uint8_t)(class_of(letter) << CODE_BITS | (int)base);
}

static void insert_or_delete(simulate_t *sim, int64_t at, rng_t *rng)
{
    int64_t n = indel_lengths[rng_below(rng, 6)];
    uint8_t *letter = sim->letters + at;
    int site = class_of(letter);

    if (rng_chance(rng, 1, 2)) {
        if (sim->len + n > sim->capacity)
            return;
        memmove(letter + n, letter, (size_t)(sim->len - at));
        for (int64_t i = 0; i < n; i++)
            letter[i] = (uint8_t)(site << CODE_BITS | random_base(rng));
        sim->len += n;
    } else {
        if (n > sim->len - at)
            n = sim->len - at;
        if (n == sim->len)
            return;
        memmove(letter, letter + n, (size_t)(sim->len - at - n));
        sim->len -= n;
    }
}

/* Apply the changes of the branch of sequence i's lineage at a rank. */
static void evolve(simulate_t *sim, int64_t i, int rank)
{
    int64_t n_changes;
    rng_t rng;

    while (rank < sim->origin[i].rank)
        i = sim->origin[i].parent;
    rng = rng_seed(sim->branch_seed + (uint64_t)i * N_RANKS + (uint64_t)rank);
    /* lineages evolve at different rates, from zero to twice the mean */
    n_changes = (int64_t)rng_below(&rng, 2 * (uint64_t)sim->branch_mean[rank] + 1);
    n_changes = (n_changes + (int64_t)rng_below(&rng, 65536)) / 65536;
    for (int64_t k = 0; k < n_changes; k++) {
        int64_t at = random_site(sim, &rng);

        if (rng_chance(&rng, 1, SUBSTITUTIONS_PER_INDEL + 1))
            insert_or_delete(sim, at, &rng);
        else
            substitute(&sim->letters[at], &rng);
    }
}

/* @return the number of bases to cut off at an end; 0 for half of the sequences */
static int64_t random_cut(const simulate_t *sim, int end, rng_t *rng)
{
    int64_t max_cut = (sim->len - 1) / 2;
    uint64_t k = rng_below(rng, 2 * N_CUTS);

    if (k >= N_CUTS)
        return 0;
    return sim->cut[end][k] < max_cut ? sim->cut[end][k] : max_cut;
}

/* Replace random bases by ambiguity codes: mostly N, otherwise two bases. */
static void add_ambiguity_codes(uint8_t *letters, int64_t len, rng_t *rng)
{
    uint64_t n_codes = 1 + rng_below(rng, MAX_AMBIGUOUS);

    for (uint64_t k = 0; k < n_codes; k++) {
        uint8_t *letter = &letters[rng_below(rng, (uint64_t)len)];
        uint8_t other = random_base(rng);

        if (rng_chance(rng, 3, 4) || !alphabet_is_base(ALPHABET_DNA, *letter) ||
            other == *letter)
            *letter = CODE_N;
        else
            *letter |= other;
    }
}

static status_t add_sequence(simulate_t *sim, int64_t i, seqset_builder_t *set)
{
    rng_t rng = rng_seed(sim->finish_seed + (uint64_t)i);
    int64_t start, len;
    char name[32];

    sim->len = sim->opts->length;
    memcpy(sim->letters, sim->ancestor, (size_t)sim->len);
    for (int rank = 0; rank < N_RANKS; rank++)
        evolve(sim, i, rank);
    for (int64_t k = 0; k < sim->len; k++)
        sim->letters[k] &= (1 << CODE_BITS) - 1;
    start = random_cut(sim, 0, &rng);
    len = sim->len - start - random_cut(sim, 1, &rng);
    if (rng_chance(&rng, (uint64_t)sim->opts->ambiguous_percent, 100))
        add_ambiguity_codes(sim->letters + start, len, &rng);
    snprintf(name, sizeof(name), "sim%" PRId64, i + 1);
    return seqset_builder_add(set, name, strlen(name), sim->letters + start, (size_t)len);
}

status_t simulate_make(const simulate_opts_t *opts, seqset_t **out)
{
    rng_t rng = rng_seed(opts->seed);
    seqset_builder_t set = {0};
    simulate_t sim = {.opts = opts};
    int64_t n_sites[N_CLASSES] = {0};
    status_t st;

    if ((st = check_opts(opts)) != ST_OK)
        return st;
    sim.capacity = 2 * opts->length + 64;
    sim.ancestor = malloc((size_t)opts->length);
    sim.letters = malloc((size_t)sim.capacity);
    sim.origin = malloc(((size_t)opts->n + 1) * sizeof(*sim.origin));
    if (sim.ancestor == NULL || sim.letters == NULL || sim.origin == NULL) {
        st = log_nomem("the simulated sequences");
        goto done;
    }
    if ((st = buf_reserve(&set.letters, (size_t)opts->n * (size_t)opts->length)) != ST_OK)
        goto done;
    sim.branch_seed = rng_next(&rng);
    sim.finish_seed = rng_next(&rng);
    make_ancestor(&sim, &rng, n_sites);
    calibrate(&sim, n_sites);
    make_cuts(&sim, &rng);
    make_tree(&sim, &rng);
    for (int64_t i = 0; i < opts->n; i++)
        if ((st = add_sequence(&sim, i, &set)) != ST_OK)
            goto done;
    st = seqset_builder_finish(&set, out);
done:
    free(sim.ancestor);
    free(sim.letters);
    free(sim.origin);
    seqset_builder_free(&set);
    return st;
}
