/*
 * primer_sweep_body.h - the sweep, for vectors of one width.
 *
 * Included by primer_sweep_*.c with NAME, VEC (unsigned words, at any multiple of 8
 * bytes) and V_FULL (whether all bits of a vector are set).
 */

#include <string.h>

enum { LANES = sizeof(VEC) / sizeof(uint64_t) };

#define INLINE static inline __attribute__((always_inline))

/* A row of each code that patterns have, with the words that shifts take from behind. */
typedef struct {
    uint64_t at[DNA_SIZE][PRIMER_SWEEP_WORDS + PRIMER_ROW_WORDS];
} rows_t;

INLINE VEC load(const uint64_t *from)
{
    VEC x;

    memcpy(&x, from, sizeof(x));
    return x;
}

INLINE void store(uint64_t *to, VEC x)
{
    memcpy(to, &x, sizeof(x));
}

/* A place mismatches a code if it has a base that the code lacks. */
static void make_row(const base_planes_t *text, int64_t first, int n, unsigned code,
                     uint64_t *row)
{
    for (int w = 0; w < n; w += LANES) {
        VEC differs = {0};

        for (int b = 0; b < BASE_PLANES; b++)
            if (!(code >> b & 1))
                differs |= load(base_planes_plane(text, b) + first + w);
        store(row + w, differs);
    }
}

/* A base of a pattern: the row of its code, and its place. */
typedef struct {
    const uint64_t *row;
    int64_t shift;
} step_t;

typedef struct {
    step_t steps[PRIMER_LEN_MAX];
    int n, n_exact;
    int max_mismatches;
} sweep_t;

/* Places that are compared at once; the steps of a pattern cost the same for all. */
enum { STRIP = 2 };

typedef struct {
    VEC at[STRIP];
} strip_t;

/* @return where a base mismatches, for places from word w on */
INLINE strip_t mismatches_of(const step_t *step, int w)
{
    const uint64_t *row = step->row + w;
    const int64_t shift = step->shift;
    strip_t out;

    for (int v = 0; v < STRIP; v++)
        out.at[v] = load(row + v * LANES);
    if (shift > 0)
        for (int v = 0; v < STRIP; v++)
            out.at[v] = out.at[v] >> shift | load(row + v * LANES + 1) << (64 - shift);
    return out;
}

/* Add one to counters of n_bits where a base mismatches, and note those that overflow. */
INLINE void count_step(const step_t *step, int w, int n_bits, strip_t *count,
                       strip_t *over)
{
    strip_t carry = mismatches_of(step, w);

    for (int v = 0; v < STRIP; v++) {
        for (int b = 0; b < n_bits; b++) {
            const VEC both = count[b].at[v] & carry.at[v];

            count[b].at[v] ^= carry.at[v];
            carry.at[v] = both;
        }
        over->at[v] |= carry.at[v];
    }
}

INLINE bool are_all_over(const strip_t *over)
{
    VEC all = over->at[0];

    for (int v = 1; v < STRIP; v++)
        all &= over->at[v];
    return V_FULL(all);
}

/* Find the places with few mismatches, STRIP vectors from word w on. */
INLINE void compare_strip(const sweep_t *s, int w, int n_bits, uint64_t *out)
{
    const int first_count = (1 << n_bits) - 1 - s->max_mismatches;
    strip_t count[4], over;
    int k = 0;

    for (int v = 0; v < STRIP; v++)
        over.at[v] = (VEC){0};
    for (int v = 0; v < STRIP; v++)
        for (int b = 0; b < n_bits; b++)
            count[b].at[v] = first_count >> b & 1 ? ~(VEC){0} : (VEC){0};
    for (; k < s->n_exact; k++) {
        const strip_t differs = mismatches_of(&s->steps[k], w);

        for (int v = 0; v < STRIP; v++)
            over.at[v] |= differs.at[v];
    }
    for (; k + 1 < s->n && !are_all_over(&over); k += 2) {
        count_step(&s->steps[k], w, n_bits, count, &over);
        count_step(&s->steps[k + 1], w, n_bits, count, &over);
    }
    if (k + 1 == s->n)
        count_step(&s->steps[k], w, n_bits, count, &over);
    for (int v = 0; v < STRIP; v++)
        store(out + w + v * LANES, ~over.at[v]);
}

static void compare_0(const sweep_t *s, int w, uint64_t *out)
{
    compare_strip(s, w, 0, out);
}

static void compare_1(const sweep_t *s, int w, uint64_t *out)
{
    compare_strip(s, w, 1, out);
}

static void compare_2(const sweep_t *s, int w, uint64_t *out)
{
    compare_strip(s, w, 2, out);
}

static void compare_3(const sweep_t *s, int w, uint64_t *out)
{
    compare_strip(s, w, 3, out);
}

static void compare_4(const sweep_t *s, int w, uint64_t *out)
{
    compare_strip(s, w, 4, out);
}

typedef void (*compare_t)(const sweep_t *s, int w, uint64_t *out);

static compare_t compare_of(int max_mismatches)
{
    return max_mismatches == 0   ? compare_0
           : max_mismatches == 1 ? compare_1
           : max_mismatches <= 3 ? compare_2
           : max_mismatches <= 7 ? compare_3
                                 : compare_4;
}

/* List the bases of a pattern, and make the rows that they need.
 * @param made  the codes that have one, a bit each */
static void make_steps(const base_planes_t *text, int64_t first, int n,
                       const primer_pattern_t *p, rows_t *rows, unsigned *made,
                       sweep_t *out)
{
    out->n = p->n_order;
    out->n_exact = p->n_exact;
    for (int k = 0; k < p->n_order; k++) {
        const unsigned code = p->codes[p->order[k]];

        if (!(*made >> code & 1)) {
            *made |= 1U << code;
            make_row(text, first, n, code, rows->at[code]);
        }
        out->steps[k] = (step_t){rows->at[code], p->order[k]};
    }
}

void NAME(const primer_context_t *c, int64_t first, int n, uint64_t *out, int64_t stride)
{
    const compare_t compare = compare_of(c->max_mismatches);
    sweep_t sweep = {.max_mismatches = c->max_mismatches};
    unsigned made = 0;
    rows_t rows;

    for (int k = 0; k < c->n_patterns; k++, out += stride) {
        make_steps(c->text, first, (int)primer_row_words(n) + LANES, &c->patterns[k],
                   &rows, &made, &sweep);
        for (int w = 0; w < n; w += STRIP * LANES)
            compare(&sweep, w, out);
    }
}
