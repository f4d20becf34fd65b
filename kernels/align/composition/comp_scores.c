/*
 * comp_scores.c - scales and adjusts the scores of a matrix.
 *
 * Target frequencies x minimise sum x ln(x / q), while the sums of rows are p, those of
 * columns r, and sum x ln(x / (p r)) is the entropy.  With multipliers of the conditions
 * they have the form
 *
 *     ln x_ij = t ln q_ij + a_i + b_j,
 *
 * which leaves 41 unknowns for 41 conditions (one multiplier is free, as one condition
 * follows from others).  Newton's method finds them.  Of its equations the part for a and
 * b is (A X; X' B) with the sums of rows and columns in A and B, so that a is eliminated,
 * and a symmetric, positive definite system of b is left.
 */
#include "kernels/align/composition/comp_scores.h"

#include "io/base/cholesky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const comp_mode_name[3] = {"off", "scale", "adjust"};

/* As blastp: residues of the background that are added to each protein; when scores are
 * scaled, by how much at least; and what proteins too different from each other are. */
static const double PSEUDOCOUNTS = 20, MIN_RATIO = 0.5;
static const double MAX_DISTANCE = 0.16, MAX_LENGTH_RATIO = 3, MAX_ANGLE = 70;
static const double PAIR_OF_RESIDUES = 0.4; /* the two most frequent ones have more */
enum { PAIR_MIN_LENGTH = 50 };

enum { MAX_STEPS = 40, FREE = COMP_AA - 1 /* unknown b: the last one is 0 */ };
static const double TOLERANCE = 1e-10, MAX_STEP = 3;

comp_counts_t comp_scores_count(const uint8_t *codes, int64_t len)
{
    int64_t of_code[ALPHABET_SIZE] = {0};
    comp_counts_t c = {.n = 0};

    for (int64_t i = 0; i < len; i++)
        of_code[codes[i]]++;
    for (int k = 0; k < COMP_AA; k++) {
        c.count[k] = (double)of_code[comp_law_code[k]];
        c.n += c.count[k];
    }
    return c;
}

/* ---- target frequencies ---- */

typedef struct {
    const comp_law_t *law;
    const double *p, *r;
    double log_pr[COMP_AA][COMP_AA];
    double a[COMP_AA], b[COMP_AA], t; /* the unknowns */
    double x[COMP_AA][COMP_AA];       /* what follows from them */
    double rows[COMP_AA], columns[COMP_AA];
} newton_t;

/* Two right sides: of the conditions of sums, and of t. */
typedef struct {
    double a[COMP_AA][2], b[COMP_AA][2];
} sides_t;

/* Compute x, its sums and its relative entropy, and the row of the latter in the
 * equations. @param of_t  its last element @return the entropy */
static double evaluate(newton_t *w, sides_t *slope, double *of_t)
{
    double entropy = 0;

    memset(slope, 0, sizeof(*slope));
    memset(w->rows, 0, sizeof(w->rows));
    memset(w->columns, 0, sizeof(w->columns));
    *of_t = 0;
    for (int i = 0; i < COMP_AA; i++)
        for (int j = 0; j < COMP_AA; j++) {
            const double log_q = w->law->log_target[i][j];
            const double log_x = w->t * log_q + w->a[i] + w->b[j];
            const double x = exp(log_x), odds = log_x - w->log_pr[i][j];

            w->x[i][j] = x;
            w->rows[i] += x;
            w->columns[j] += x;
            entropy += x * odds;
            slope->a[i][0] += x * log_q; /* by t, of the sums */
            slope->b[j][0] += x * log_q;
            slope->a[i][1] += x * (1 + odds); /* by a and b, of the entropy */
            slope->b[j][1] += x * (1 + odds);
            *of_t += x * (1 + odds) * log_q;
        }
    return entropy;
}

/* Solve (A X; X' B) for two right sides, in place. */
static bool solve(const newton_t *w, sides_t *side)
{
    double s[FREE][FREE] = {{0}};

    for (int j = 0; j < FREE; j++)
        s[j][j] = w->columns[j];
    for (int i = 0; i < COMP_AA; i++)
        for (int j = 0; j < COMP_AA; j++) {
            const double factor = w->x[i][j] / w->rows[i];

            for (int k = 0; j < FREE && k <= j; k++)
                s[j][k] -= factor * w->x[i][k];
            side->b[j][0] -= factor * side->a[i][0];
            side->b[j][1] -= factor * side->a[i][1];
        }
    if (!cholesky_factorise(FREE, s[0]))
        return false;
    for (int k = 0; k < 2; k++) {
        cholesky_solve(FREE, s[0], &side->b[0][k], 2);
        side->b[FREE][k] = 0;
    }
    for (int i = 0; i < COMP_AA; i++)
        for (int k = 0; k < 2; k++) {
            for (int j = 0; j < COMP_AA; j++)
                side->a[i][k] -= w->x[i][j] * side->b[j][k];
            side->a[i][k] /= w->rows[i];
        }
    return true;
}

/* @return the sum of u of one side times v of another */
static double product(const sides_t *u, int at_u, const sides_t *v, int at_v)
{
    double sum = 0;

    for (int i = 0; i < COMP_AA; i++)
        sum += u->a[i][at_u] * v->a[i][at_v] + u->b[i][at_u] * v->b[i][at_v];
    return sum;
}

/* Go a step. @param error  out: of the conditions, before it @return whether there is one
 */
static bool step(newton_t *w, double entropy, double *error)
{
    sides_t slope, side;
    double of_t, lack, dt, largest = 0, scale;

    lack = entropy - evaluate(w, &slope, &of_t);
    *error = fabs(lack);
    for (int i = 0; i < COMP_AA; i++) {
        side.a[i][0] = w->p[i] - w->rows[i];
        side.b[i][0] = w->r[i] - w->columns[i];
        side.a[i][1] = slope.a[i][0];
        side.b[i][1] = slope.b[i][0];
        *error = fmax(*error, fmax(fabs(side.a[i][0]), fabs(side.b[i][0])));
    }
    if (!solve(w, &side))
        return false;
    dt = (lack - product(&slope, 1, &side, 0)) / (of_t - product(&slope, 1, &side, 1));
    for (int i = 0; i < COMP_AA; i++) {
        side.a[i][0] -= side.a[i][1] * dt;
        side.b[i][0] -= side.b[i][1] * dt;
        largest = fmax(largest, fmax(fabs(side.a[i][0]), fabs(side.b[i][0])));
    }
    scale = largest > MAX_STEP ? MAX_STEP / largest : 1;
    w->t += scale * dt;
    for (int i = 0; i < COMP_AA; i++) {
        w->a[i] += scale * side.a[i][0];
        w->b[i] += scale * side.b[i][0];
    }
    return isfinite(dt) && isfinite(largest);
}

bool comp_scores_targets(const comp_law_t *law, const double p[COMP_AA],
                         const double r[COMP_AA], double entropy,
                         double out[COMP_AA][COMP_AA])
{
    newton_t w = {.law = law, .p = p, .r = r, .t = 1};
    double error = 1;

    for (int i = 0; i < COMP_AA; i++) {
        w.a[i] = log(p[i] / law->background[i]);
        w.b[i] = log(r[i] / law->background[i]);
        for (int j = 0; j < COMP_AA; j++)
            w.log_pr[i][j] = log(p[i]) + log(r[j]);
    }
    for (int k = 0; k < MAX_STEPS && error > TOLERANCE; k++)
        if (!step(&w, entropy, &error))
            return false;
    if (!(error <= TOLERANCE) || w.t <= 0)
        return false;
    for (int i = 0; i < COMP_AA; i++)
        for (int j = 0; j < COMP_AA; j++)
            out[i][j] = w.t * law->log_target[i][j] + w.a[i] + w.b[j];
    return true;
}

/* ---- which way ---- */

/* The square root of the divergence of Jensen and Shannon: a distance. */
static double distance(const double p[COMP_AA], const double r[COMP_AA])
{
    double sum = 0;

    for (int i = 0; i < COMP_AA; i++) {
        const double mean = (p[i] + r[i]) / 2;

        if (p[i] > 0)
            sum += p[i] * log(p[i] / mean) / 2;
        if (r[i] > 0)
            sum += r[i] * log(r[i] / mean) / 2;
    }
    return sum > 0 ? sqrt(sum) : 0;
}

/* @return whether most of a protein is two amino acids */
static bool is_simple(const double p[COMP_AA], double n)
{
    double first = 0, second = 0;

    for (int i = 0; i < COMP_AA; i++)
        if (p[i] > first) {
            second = first;
            first = p[i];
        } else if (p[i] > second) {
            second = p[i];
        }
    return n > PAIR_MIN_LENGTH && first + second > PAIR_OF_RESIDUES;
}

/* The angle is that at the background, in the triangle of distances. */
static bool is_adjustable(const comp_law_t *law, const double p[COMP_AA], double n_p,
                          const double r[COMP_AA], double n_r)
{
    const double to_p = distance(p, law->background);
    const double to_r = distance(r, law->background), between = distance(p, r);
    const double cosine =
        (to_p * to_p + to_r * to_r - between * between) / (2 * to_p * to_r);

    return is_simple(p, n_p) || is_simple(r, n_r) || between <= MAX_DISTANCE ||
           fmax(n_p, n_r) <= MAX_LENGTH_RATIO * fmin(n_p, n_r) ||
           cosine >= cos(MAX_ANGLE * M_PI / 180);
}

static void scale_scores(const comp_law_t *law, const double p[COMP_AA],
                         const double r[COMP_AA], int32_t out[COMP_AA][COMP_AA])
{
    const double found = comp_law_lambda(law, p, r) / law->lambda;
    const double ratio = fmin(fmax(found, MIN_RATIO), 1);

    for (int i = 0; i < COMP_AA; i++)
        for (int j = 0; j < COMP_AA; j++)
            out[i][j] = (int32_t)lround(COMP_UNIT * ratio * law->score[i][j]);
}

static bool adjust_scores(const comp_law_t *law, const comp_counts_t *a,
                          const comp_counts_t *b, int32_t out[COMP_AA][COMP_AA])
{
    double p[COMP_AA], r[COMP_AA], targets[COMP_AA][COMP_AA];

    for (int i = 0; i < COMP_AA; i++) {
        const double more = PSEUDOCOUNTS * law->background[i];

        p[i] = (a->count[i] + more) / (a->n + PSEUDOCOUNTS);
        r[i] = (b->count[i] + more) / (b->n + PSEUDOCOUNTS);
    }
    if (!comp_scores_targets(law, p, r, law->entropy, targets))
        return false;
    for (int i = 0; i < COMP_AA; i++)
        for (int j = 0; j < COMP_AA; j++)
            out[i][j] = (int32_t)lround(COMP_UNIT / law->lambda *
                                        (targets[i][j] - log(p[i]) - log(r[j])));
    return true;
}

comp_mode_t comp_scores(const comp_law_t *law, comp_mode_t how, const comp_counts_t *a,
                        const comp_counts_t *b, int32_t out[COMP_AA][COMP_AA])
{
    double p[COMP_AA], r[COMP_AA];

    for (int i = 0; i < COMP_AA; i++) {
        p[i] = a->n > 0 ? a->count[i] / a->n : law->background[i];
        r[i] = b->n > 0 ? b->count[i] / b->n : law->background[i];
    }
    if (how == COMP_ADJUST && is_adjustable(law, p, a->n, r, b->n) &&
        adjust_scores(law, a, b, out))
        return COMP_ADJUST;
    scale_scores(law, p, r, out);
    return COMP_SCALE;
}
