/*
 * nw_trace.c - the cells that a path may visit, and the memory for them; nw_trace_body.h
 * computes them.
 */
#include "kernels/align/cpu/nw_trace.h"

#include "io/base/logmsg.h"
#include "kernels/align/common/nw_key.h"
#include "kernels/align/cpu/nw_trace_line.h"

#include <stdlib.h>

enum {
    LINE_FRONT = 8,        /* keys before index 0 of a line */
    WHOLE_BYTES = 8 << 20, /* up to this size all directions are kept at once */
    SCORE_TABLE = 256,     /* entries of a matrix's table */
    KEY_BITS = 61,         /* maximum for 64-bit keys */
    CANCEL_LINES = 256     /* lines between looks at the cancel flag */
};

__extension__ typedef __int128 wide_t;

struct nw_trace {
    const align_spec_t *spec;
    const int *cancel;
    nw_trace_line_fn_t line;
    void *memory;
    size_t bytes;
};

/* One pair. */
typedef struct {
    int64_t m, n;
    int64_t low, high;    /* the band: low <= j - i <= high */
    const uint8_t *a, *b; /* codes of the rows and of the columns */
    uint8_t *rows;        /* bases by i, as in nw_trace_line_t */
    uint8_t *columns;     /* reversed: that of cell (i, k - i) is [n - k + i] */
    nw_key_t key;
    void *lines;         /* [3][line_len] */
    void *saved;         /* [blocks - 1][2][line_len] the two lines before each block */
    uint8_t *directions; /* [block][width] */
    int64_t line_len, width, block;
    int64_t end_i, end_j;
    bool rows_free, columns_free; /* end gaps against their bases are free */
    cigar_op_t up, left;          /* operations of these steps */
    uint32_t *runs;               /* [m + n + 2] from the last to the first */
    int64_t n_runs;
} frame_t;

/* nw_trace_line_t with wider keys. */
typedef struct {
    int64_t first, last;
    const wide_t *two_back, *one_back;
    wide_t *now;
    const uint8_t *rows, *columns;
    const wide_t *table;
    wide_t match, mismatch, gap;
    uint8_t *directions;
} wide_line_t;

static int64_t line_first(const frame_t *f, int64_t k)
{
    int64_t banded = (k - f->high + 1) >> 1, columns = k - f->n;
    int64_t first = banded > columns ? banded : columns;

    return first > 0 ? first : 0;
}

static int64_t line_last(const frame_t *f, int64_t k)
{
    int64_t banded = (k - f->low) >> 1, rows = k < f->m ? k : f->m;

    return banded < rows ? banded : rows;
}

static void put_run(frame_t *f, cigar_op_t op, int64_t len)
{
    uint32_t *last = f->n_runs > 0 ? &f->runs[f->n_runs - 1] : NULL;

    if (last != NULL && cigar_run_op(*last) == op)
        *last = cigar_run(cigar_run_len(*last) + len, op);
    else if (len > 0)
        f->runs[f->n_runs++] = cigar_run(len, op);
}

/* The rest of one sequence beyond the other's border. */
static void put_terminal(frame_t *f, int64_t rows, int64_t columns)
{
    put_run(f, f->up, rows);
    put_run(f, f->left, columns);
}

/* Go one step back from cell (i, j). */
static void follow(const nw_trace_t *t, frame_t *f, int direction, int64_t *i, int64_t *j)
{
    if (direction == TRACE_UP) {
        put_run(f, f->up, 1);
        --*i;
    } else if (direction == TRACE_LEFT) {
        put_run(f, f->left, 1);
        --*j;
    } else {
        --*i;
        --*j;
        put_run(f,
                align_column_op(t->spec, t->spec->scoring.is_match[f->a[*i]][f->b[*j]]),
                1);
    }
}

static void run_vectors(const nw_trace_t *t, const nw_trace_line_t *line,
                        nw_trace_line_fn_t scalar)
{
    (t->line != NULL ? t->line : scalar)(line);
}

#define FN(name)     name##_64
#define KEY          int64_t
#define LINE_T       nw_trace_line_t
#define RUN(t, line) run_vectors(t, line, scalar_64)
#include "kernels/align/cpu/nw_trace_body.h"

#define FN(name)     name##_wide
#define KEY          wide_t
#define LINE_T       wide_line_t
#define RUN(t, line) ((void)(t), scalar_wide(line))
#include "kernels/align/cpu/nw_trace_body.h"

static int64_t best_step(const align_scoring_t *s)
{
    int64_t best = s->score[1][1];

    for (int x = 1; x < ALPHABET_SIZE; x++)
        for (int y = 1; y < ALPHABET_SIZE; y++)
            best = s->score[x][y] > best ? s->score[x][y] : best;
    return best;
}

/*
 * @return the minimum number of diagonal steps of an alignment with known numbers
 *
 * With counted ends, columns = m + n - diagonal steps.  Otherwise the score yields the
 * number of gap bases that cost, if columns are scored by two values, or bounds it.
 */
static int64_t min_diagonal(const align_spec_t *spec, int64_t m, int64_t n,
                            const nw_cell_t *known)
{
    const align_scoring_t *s = &spec->scoring;
    int64_t shorter = m < n ? m : n, matches = known->matches, columns = known->columns;
    int64_t best = best_step(s), diagonal = matches;

    if (spec->ends == ENDS_COUNT)
        diagonal = m + n - columns;
    else if (s->two_valued && s->mismatch != s->gap)
        diagonal = columns - (s->match * matches + s->mismatch * (columns - matches) -
                              known->score) /
                                 ((int64_t)s->mismatch - s->gap);
    else if (best > s->gap)
        diagonal = columns - (best * columns - known->score) / (best - s->gap);
    diagonal = diagonal > matches ? diagonal : matches;
    return diagonal < 0 ? 0 : diagonal > shorter ? shorter : diagonal;
}

/* @return the lines per block: all of them if their directions are small; otherwise such
 * that a block's directions take as much memory as the lines kept for all blocks */
static int64_t block_lines(const frame_t *f, int64_t key_bytes)
{
    int64_t n_lines = f->m + f->n + 1, block = 64;

    if (n_lines * f->width <= WHOLE_BYTES)
        return n_lines;
    while (block * block < 2 * key_bytes * n_lines)
        block += 64;
    return block < n_lines ? block : n_lines;
}

static void *take(char **at, int64_t bytes)
{
    void *taken = *at;

    *at += (bytes + 63) / 64 * 64;
    return taken;
}

/* Lay out a frame's arrays. @param memory  NULL: only count @return bytes needed */
static size_t lay_out(frame_t *f, int64_t key_bytes, char *memory)
{
    int64_t n_blocks = (f->m + f->n) / f->block + 1;
    char *at = memory;

    f->lines = take(&at, 3 * f->line_len * key_bytes);
    f->saved = take(&at, 2 * (n_blocks - 1) * (f->width + 2) * key_bytes);
    f->directions = take(&at, f->block * f->width + TRACE_LINE_PAD);
    f->rows = take(&at, f->m + 1 + TRACE_LINE_PAD);
    f->columns = take(&at, f->n + TRACE_LINE_PAD);
    f->runs = take(&at, (f->m + f->n + 2) * (int64_t)sizeof(*f->runs));
    return (size_t)(at - memory);
}

static status_t reserve(nw_trace_t *t, size_t bytes)
{
    if (bytes <= t->bytes)
        return ST_OK;
    free(t->memory);
    t->bytes = 0;
    if ((t->memory = aligned_alloc(64, bytes)) == NULL)
        return log_nomem("tracing an alignment");
    t->bytes = bytes;
    return ST_OK;
}

static void fill_letters(const nw_trace_t *t, frame_t *f)
{
    const align_scoring_t *s = &t->spec->scoring;

    for (int64_t i = 0; i < f->m; i++)
        f->rows[i + 1] = s->two_valued ? s->set_of[f->a[i]] : (uint8_t)(f->a[i] << 4);
    for (int64_t j = 0; j < f->n; j++)
        f->columns[f->n - 1 - j] = s->two_valued ? s->set_of[f->b[j]] : f->b[j];
}

static frame_t frame_of(const align_spec_t *spec, const uint8_t *a, int64_t m,
                        const uint8_t *b, int64_t n, const nw_cell_t *known)
{
    bool query_is_rows = nw_reference_query_is_rows(a, m, b, n);
    frame_t f = {.m = query_is_rows ? m : n,
                 .n = query_is_rows ? n : m,
                 .a = query_is_rows ? a : b,
                 .b = query_is_rows ? b : a,
                 .key = nw_key_layout(spec, m, n),
                 .up = query_is_rows ? CIGAR_I : CIGAR_D,
                 .left = query_is_rows ? CIGAR_D : CIGAR_I,
                 .rows_free = align_end_is_free(spec, query_is_rows),
                 .columns_free = align_end_is_free(spec, !query_is_rows)};
    int64_t diagonal = min_diagonal(spec, m, n, known);

    /* the path has at most m - diagonal steps down and n - diagonal to the right */
    f.low = diagonal - f.m;
    f.high = f.n - diagonal;
    f.width = (f.high - f.low) / 2 + 1;
    f.width = f.width < f.m + 1 ? f.width : f.m + 1;
    f.line_len = LINE_FRONT + f.m + 2 + TRACE_LINE_PAD + f.width;
    return f;
}

static bool keys_are_narrow(const align_spec_t *spec, nw_key_t key, int64_t m, int64_t n)
{
    align_range_t range = align_range(spec, m, n);
    int64_t max_score = range.max > -range.min ? range.max : -range.min;

    return key.score_shift + nw_key_bits(max_score) + 1 <= KEY_BITS;
}

status_t nw_trace_pair(nw_trace_t *t, const uint8_t *a, int64_t m, const uint8_t *b,
                       int64_t n, const nw_cell_t *known, buf_t *runs)
{
    frame_t f = frame_of(t->spec, a, m, b, n, known);
    bool narrow = keys_are_narrow(t->spec, f.key, m, n);
    int64_t key_bytes = narrow ? sizeof(int64_t) : sizeof(wide_t);
    status_t st;

    f.block = block_lines(&f, key_bytes);
    if ((st = reserve(t, lay_out(&f, key_bytes, NULL))) != ST_OK)
        return st;
    lay_out(&f, key_bytes, t->memory);
    fill_letters(t, &f);
    if (narrow)
        trace_64(t, &f);
    else
        trace_wide(t, &f);
    if ((st = buf_reserve(runs, (size_t)f.n_runs * sizeof(*f.runs))) != ST_OK)
        return st;
    for (int64_t k = f.n_runs; k-- > 0; runs->len += sizeof(*f.runs))
        memcpy(runs->data + runs->len, &f.runs[k], sizeof(*f.runs));
    return ST_OK;
}

static nw_trace_line_fn_t line_of(simd_level_t level)
{
#if defined(__x86_64__)
    if (level == SIMD_AVX512)
        return nw_trace_line_avx512;
    if (level == SIMD_AVX2)
        return nw_trace_line_avx2;
#endif
    (void)level;
    return NULL;
}

status_t nw_trace_create(const align_spec_t *spec, const int *cancel, simd_level_t level,
                         nw_trace_t **out)
{
    nw_trace_t *t = calloc(1, sizeof(*t));

    if (t == NULL)
        return log_nomem("tracing alignments");
    t->spec = spec;
    t->cancel = cancel;
    t->line = line_of(level);
    *out = t;
    return ST_OK;
}

void nw_trace_destroy(nw_trace_t *t)
{
    if (t == NULL)
        return;
    free(t->memory);
    free(t);
}
