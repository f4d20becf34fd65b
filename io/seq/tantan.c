/*
 * tantan.c - forward and backward sums of the model, of all periods side by side.
 *
 * Sums are scaled at each residue such that those of the forward pass add up to 1.
 */
#include "io/seq/tantan.h"

#include "io/base/logmsg.h"
#include "io/seq/matrix_file.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The parameters of tantan for proteins. */
static const double REPEAT_BEGINS = 0.005, REPEAT_ENDS = 0.05, PERIOD_DECAY = 0.9,
                    MIN_PROBABILITY = 0.5;

/* Turns scores of BLOSUM62 into odds: those of the 20 amino acids then imply frequencies
 * that add up to 1 (Yu, Wootton and Altschul 2003). */
static const double LAMBDA = 0.3240;

/* States of a repeat: further periods, whose repeats never begin, fill vectors. */
enum { LANES = 8, N_PERIODS = (TANTAN_PERIODS + LANES - 1) / LANES * LANES };

/* What all proteins share. */
typedef struct {
    float odds[PROTEIN_SIZE][PROTEIN_SIZE]; /* that residues are alike, not unrelated */
    float begins[N_PERIODS];                /* a repeat, by N_PERIODS - period */
    seqset_t *set;
    atomic_llong n_masked, n_sequences;
    atomic_bool has_failed; /* no memory */
} tantan_t;

/* One protein. */
typedef struct {
    const tantan_t *shared;
    const uint8_t *letters;
    int64_t len;
    float *odds; /* [PROTEIN_SIZE][N_PERIODS + len] of a letter with each residue; in
                  * front of the first one 0 */
    float *background; /* [len] the scaled sum of the forward pass */
    float *scale;      /* [len] */
    float repeat[N_PERIODS];
} protein_t;

/* Begin the odds of all letters that occur. */
static void fill_odds(const protein_t *p)
{
    bool occurs[PROTEIN_SIZE] = {false};

    for (int64_t i = 0; i < p->len; i++)
        occurs[p->letters[i]] = true;
    for (int a = 0; a < PROTEIN_SIZE; a++) {
        float *out = p->odds + a * (N_PERIODS + p->len);

        if (!occurs[a])
            continue;
        memset(out, 0, N_PERIODS * sizeof(*out));
        for (int64_t i = 0; i < p->len; i++)
            out[N_PERIODS + i] = p->shared->odds[a][p->letters[i]];
    }
}

/* @return the odds of residue i with those up to N_PERIODS before it, the farthest first
 */
static const float *odds_at(const protein_t *p, int64_t i)
{
    return p->odds + p->letters[i] * (N_PERIODS + p->len) + i;
}

/* A fixed order, in which lanes of vectors add up. */
static float sum_of(const float *values)
{
    float lane[LANES] = {0}, sum = 0;

    for (int k = 0; k < N_PERIODS; k += LANES)
        for (int i = 0; i < LANES; i++)
            lane[i] += values[k + i];
    for (int i = 0; i < LANES; i++)
        sum += lane[i];
    return sum;
}

static void run_forward(protein_t *p)
{
    const float stays = (float)(1 - REPEAT_ENDS), ends = (float)REPEAT_ENDS;
    float background = 1, in_repeat = 0;

    memset(p->repeat, 0, sizeof(p->repeat));
    for (int64_t i = 0; i < p->len; i++) {
        const float *odds = odds_at(p, i);
        float scale;

        for (int k = 0; k < N_PERIODS; k++)
            p->repeat[k] =
                odds[k] * (p->repeat[k] * stays + p->shared->begins[k] * background);
        background = background * (float)(1 - REPEAT_BEGINS) + in_repeat * ends;
        scale = 1 / (background + sum_of(p->repeat));
        for (int k = 0; k < N_PERIODS; k++)
            p->repeat[k] *= scale;
        background *= scale;
        in_repeat = 1 - background;
        p->background[i] = background;
        p->scale[i] = scale;
    }
}

/* Go back with the sums of all ways on, and mask. @return how many residues */
static int64_t run_backward(protein_t *p, uint8_t *letters)
{
    const float stays = (float)(1 - REPEAT_ENDS), ends = (float)REPEAT_ENDS;
    float background = (float)(1 - REPEAT_BEGINS), way[N_PERIODS], begun[N_PERIODS], all;
    int64_t n = 0;

    for (int k = 0; k < N_PERIODS; k++)
        p->repeat[k] = ends;
    all = p->background[p->len - 1] * background + (1 - p->background[p->len - 1]) * ends;
    for (int64_t i = p->len - 1; i >= 0; i--) {
        const float *odds = odds_at(p, i);
        const bool is_repeat =
            p->background[i] * background <= (1 - (float)MIN_PROBABILITY) * all;

        for (int k = 0; k < N_PERIODS; k++) {
            way[k] = odds[k] * p->repeat[k];
            begun[k] = p->shared->begins[k] * way[k];
        }
        for (int k = 0; k < N_PERIODS; k++)
            p->repeat[k] = p->scale[i] * (way[k] * stays + background * ends);
        background =
            p->scale[i] * (background * (float)(1 - REPEAT_BEGINS) + sum_of(begun));
        if (is_repeat)
            letters[i] = CODE_X;
        n += is_repeat;
    }
    return n;
}

static void mask_one(void *ctx, int64_t i, int thread)
{
    tantan_t *t = ctx;
    const int64_t len = seqset_len(t->set, i);
    uint8_t *letters = t->set->letters + t->set->offset[i];
    protein_t p = {.shared = t, .letters = letters, .len = len};
    int64_t n;

    (void)thread;
    if (len < 2)
        return;
    p.odds = malloc((size_t)(PROTEIN_SIZE * (N_PERIODS + len)) * sizeof(*p.odds));
    p.background = malloc((size_t)len * sizeof(*p.background));
    p.scale = malloc((size_t)len * sizeof(*p.scale));
    if (p.odds != NULL && p.background != NULL && p.scale != NULL) {
        fill_odds(&p);
        run_forward(&p);
        n = run_backward(&p, letters);
        atomic_fetch_add(&t->n_masked, n);
        atomic_fetch_add(&t->n_sequences, n > 0);
    } else {
        atomic_store(&t->has_failed, true);
    }
    free(p.odds);
    free(p.background);
    free(p.scale);
}

static void set_shared(tantan_t *t)
{
    score_matrix_t matrix;
    double share = REPEAT_BEGINS, all = 0;

    named_matrix_find("BLOSUM62", &matrix);
    for (int a = 1; a < PROTEIN_SIZE; a++)
        for (int b = 1; b < PROTEIN_SIZE; b++)
            t->odds[a][b] = (float)exp(LAMBDA * matrix.score[a][b]);
    for (int k = 0; k < TANTAN_PERIODS; k++)
        all += pow(PERIOD_DECAY, k);
    share /= all;
    for (int period = 1; period <= TANTAN_PERIODS; period++, share *= PERIOD_DECAY)
        t->begins[N_PERIODS - period] = (float)share;
}

status_t tantan_mask(pool_t *pool, seqset_t *set, int64_t *n_masked, int64_t *n_sequences)
{
    tantan_t t = {.set = set};

    set_shared(&t);
    pool_run(pool, set->n, mask_one, &t);
    *n_masked = atomic_load(&t.n_masked);
    *n_sequences = atomic_load(&t.n_sequences);
    return atomic_load(&t.has_failed) ? log_nomem("tandem repeats") : ST_OK;
}
