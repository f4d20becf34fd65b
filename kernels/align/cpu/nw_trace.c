/*
 * nw_trace.c - the cells that a path may visit, and the memory for them; nw_trace_body.h
 * computes them.
 */
#include "kernels/align/cpu/nw_trace.h"

#include "io/base/logmsg.h"
#include "kernels/align/common/nw_key.h"
#include "kernels/align/cpu/nw_trace_line.h"

#include <assert.h>
#include <stdlib.h>

enum {
    LINE_FRONT = 8,        /* keys before index 0 of a line */
    WHOLE_BYTES = 8 << 20, /* up to this size all directions are kept at once */
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

/* Terminal gaps against the bases of the rows, or of the columns. */
typedef struct {
    align_gap_t gap;
    bool counted;
} end_t;

/* A side of the window that a local alignment lies in: bases before it and behind it, and
 * where in it the alignment may end. */
typedef struct {
    int64_t before, behind, first, last;
} side_t;

/* One pair; of a local alignment, the window. */
typedef struct {
    int64_t m, n;
    bool local;
    side_t rows_side, columns_side; /* local */
    int64_t columns_left;           /* of the path; not local: no limit */
    nw_cell_t known;
    int64_t low, high; /* the band: low <= j - i <= high */
    trace_path_t path; /* with the codes of the rows and of the columns */
    uint8_t *rows;     /* bases by i, as in nw_trace_line_t */
    uint8_t *columns;  /* reversed: that of cell (i, k - i) is [n - k + i] */
    nw_key_t key;
    bool affine; /* E and F are computed: gaps are affine, or ends priced */
    bool priced; /* ends are */
    void *lines; /* [3][line_len] of H, and if affine [2][line_len] of E and of F */
    void *saved; /* [blocks - 1][2 or 4][width + 2] the lines before each block */
    uint8_t *directions; /* [block][width] */
    int64_t line_len, width, block;
    int64_t end_i, end_j;
    end_t end_of_rows, end_of_columns;
} frame_t;

/* nw_trace_line_t with wider keys. */
typedef struct {
    int64_t first, last;
    const wide_t *two_back, *one_back;
    wide_t *now;
    const wide_t *back_e, *back_f;
    wide_t *now_e, *now_f;
    const uint8_t *rows, *columns;
    const wide_t *table;
    wide_t match, mismatch, gap, open;
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

/* @return lines that are saved before a block */
static int64_t saved_lines(const frame_t *f)
{
    return f->affine ? 4 : 2;
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

/*
 * Decide whether an alignment with known numbers may have d diagonal steps.
 *
 * Let M be its matches and C its columns.  C - d of its columns are gaps.  All bases that
 * are in no column, m + n - C - d, are in terminal gaps, of which there are at most two.
 * A gap's first base scores at most as much as a further one.  So gaps score most if they
 * are one gap, and least if there are as many as possible.  If columns are scored by two
 * values, those of two bases score M match + (d - M) mismatch.
 */
static bool is_possible(const align_spec_t *spec, const align_range_t *column, int64_t m,
                        int64_t n, const nw_cell_t *known, int64_t d)
{
    const align_scoring_t *s = &spec->scoring;
    align_gap_t gap = align_scoring_gap(s);
    align_gap_t end = spec->ends == ENDS_PRICED ? spec->end_gap : (align_gap_t){0, 0};
    int64_t inside = known->columns - d, terminal = m + n - known->columns - d;
    int64_t two = terminal < 2 ? terminal : 2;
    align_range_t score = {column->min * d, column->max * d};

    if (inside < 0 || terminal < 0)
        return false;
    if (s->two_valued)
        score.min = score.max =
            s->match * known->matches + s->mismatch * (d - known->matches);
    score.min += gap.open * inside + end.open * two + end.extend * (terminal - two);
    score.max += align_gap_score(gap, inside) + align_gap_score(end, terminal);
    return score.min <= known->score && known->score <= score.max;
}

/*
 * @return a number of diagonal steps that the canonical alignment has at least.  Counted
 *         ends determine it, and linear gaps do if ends are free, unless a mismatch
 *         scores as much as a gap.  Otherwise it is the minimum that is possible.
 */
static int64_t min_diagonal(const align_spec_t *spec, int64_t m, int64_t n,
                            const nw_cell_t *known)
{
    int64_t shorter = m < n ? m : n, d = known->matches;
    align_range_t column = align_scoring_range(&spec->scoring);

    if (spec->ends == ENDS_COUNT)
        d = m + n - known->columns;
    else
        while (d < shorter && !is_possible(spec, &column, m, n, known, d))
            d++;
    return d < 0 ? 0 : d > shorter ? shorter : d;
}

/* @return the lines per block: all of them if their directions are small; otherwise such
 * that a block's directions take as much memory as the lines kept for all blocks */
static int64_t block_lines(const frame_t *f, int64_t key_bytes)
{
    int64_t n_lines = f->m + f->n + 1, block = 64;

    if (n_lines * f->width <= WHOLE_BYTES)
        return n_lines;
    while (block * block < saved_lines(f) * key_bytes * n_lines)
        block += 64;
    return block < n_lines ? block : n_lines;
}

/* @param memory  NULL: only count @param at  in, out: bytes taken */
static void *take(char *memory, size_t *at, int64_t bytes)
{
    char *taken = memory != NULL ? memory + *at : NULL;

    *at += (size_t)(bytes + 63) / 64 * 64;
    return taken;
}

/* Lay out a frame's arrays. @param memory  NULL: only count @return bytes needed */
static size_t lay_out(frame_t *f, int64_t key_bytes, char *memory)
{
    int64_t n_blocks = (f->m + f->n) / f->block + 1;
    size_t at = 0;

    f->lines = take(memory, &at, (f->affine ? 7 : 3) * f->line_len * key_bytes);
    f->saved =
        take(memory, &at, saved_lines(f) * (n_blocks - 1) * (f->width + 2) * key_bytes);
    f->directions = take(memory, &at, f->block * f->width + TRACE_LINE_PAD);
    f->rows = take(memory, &at, f->m + 1 + TRACE_LINE_PAD);
    f->columns = take(memory, &at, f->n + TRACE_LINE_PAD);
    f->path.runs = take(memory, &at, (f->m + f->n + 4) * (int64_t)sizeof(*f->path.runs));
    return at;
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
    const uint8_t *a = f->path.a, *b = f->path.b;

    /* read after the ends, as indices of a table */
    memset(f->rows + f->m + 1, 0, TRACE_LINE_PAD);
    memset(f->columns + f->n, 0, TRACE_LINE_PAD);
    f->rows[0] = 0;
    for (int64_t i = 0; i < f->m; i++)
        f->rows[i + 1] = s->two_valued ? s->set_of[a[i]] : a[i];
    for (int64_t j = 0; j < f->n; j++)
        f->columns[f->n - 1 - j] = s->two_valued ? s->set_of[b[j]] : b[j];
}

static end_t end_of(const align_spec_t *spec, bool of_query)
{
    return (end_t){align_end_gap(spec, of_query), align_end_is_counted(spec, of_query)};
}

/* Cut the bases off a side that no path with at most `max` bases of it can visit. */
static void cut(side_t *s, const uint8_t **bases, int64_t *len, int64_t max)
{
    s->before = s->first > max ? s->first - max : 0;
    s->behind = *len - s->last;
    *bases += s->before;
    *len -= s->before + s->behind;
    s->first -= s->before;
    s->last -= s->before;
}

static int64_t min_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/*
 * Limit a frame to the window and the band that a local path may visit.  It has `gaps`
 * gap bases at most, so it leaves the diagonals of its end by no more, and takes at most
 * `gaps` bases more of one sequence than of the other.
 */
static void limit(frame_t *f, const nw_trace_ends_t *ends, bool query_is_rows,
                  int64_t gaps)
{
    side_t query = {.first = 1, .last = query_is_rows ? f->m : f->n};
    side_t target = {.first = 1, .last = query_is_rows ? f->n : f->m};
    int64_t rows, columns;

    if (ends != NULL) {
        query = (side_t){.first = ends->query_first, .last = ends->query_last};
        target = (side_t){.first = ends->target_first, .last = ends->target_last};
    }
    f->rows_side = query_is_rows ? query : target;
    f->columns_side = query_is_rows ? target : query;
    rows = min_of(f->known.columns, f->columns_side.last + gaps);
    columns = min_of(f->known.columns, f->rows_side.last + gaps);
    cut(&f->rows_side, &f->path.a, &f->m, rows);
    cut(&f->columns_side, &f->path.b, &f->n, columns);
    f->low = f->columns_side.first - f->rows_side.last - gaps;
    f->high = f->columns_side.last - f->rows_side.first + gaps;
    /* the first cell is in every band */
    f->low = f->low < -f->m ? -f->m : min_of(f->low, 0);
    f->high = f->high > f->n ? f->n : f->high > 0 ? f->high : 0;
}

static frame_t frame_of(const align_spec_t *spec, const uint8_t *a, int64_t m,
                        const uint8_t *b, int64_t n, const nw_cell_t *known,
                        const nw_trace_ends_t *ends)
{
    bool query_is_rows = nw_reference_query_is_rows(a, m, b, n);
    frame_t f = {.m = query_is_rows ? m : n,
                 .n = query_is_rows ? n : m,
                 .path = {.spec = spec,
                          .a = query_is_rows ? a : b,
                          .b = query_is_rows ? b : a,
                          .up = query_is_rows ? CIGAR_I : CIGAR_D,
                          .left = query_is_rows ? CIGAR_D : CIGAR_I,
                          .inside = TRACE_DIAGONAL},
                 .key = nw_key_layout(spec, m, n),
                 .affine = align_is_affine(spec),
                 .priced = spec->ends == ENDS_PRICED,
                 .local = spec->ends == ENDS_LOCAL,
                 .columns_left = INT64_MAX,
                 .known = *known,
                 .end_of_rows = end_of(spec, query_is_rows),
                 .end_of_columns = end_of(spec, !query_is_rows)};
    int64_t diagonal = min_diagonal(spec, m, n, known);

    /* The path has at most m - diagonal steps down and n - diagonal to the right.  So all
     * of it is in the band, where it has the same keys as in the whole matrix.  No other
     * key is above that of the whole matrix, so the same steps are chosen. */
    f.low = diagonal - f.m;
    f.high = f.n - diagonal;
    if (f.local) {
        f.columns_left = known->columns;
        limit(&f, ends, query_is_rows, known->columns - diagonal);
    }
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
                       int64_t n, const nw_cell_t *known, const nw_trace_ends_t *ends,
                       buf_t *runs)
{
    frame_t f = frame_of(t->spec, a, m, b, n, known, ends);
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
    return trace_path_append(&f.path, runs);
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
