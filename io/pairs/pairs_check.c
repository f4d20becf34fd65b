/*
 * pairs_check.c - what a pair of a result file must fulfil.
 */
#include "io/pairs/pairs_check.h"

#include "io/pairs/pairs_state.h"
#include "io/seq/cigar.h"

#include <inttypes.h>

/* Each column has a base, and each match two.  Identity by IDENTITY_MBL counts bases of
 * the longer sequence instead of matches. */
static inline bool is_possible(int32_t m, int32_t n, bool is_mbl, int32_t matches,
                               int32_t columns)
{
    /* without branches, for vectors; the sum of two lengths fits 32 bits unsigned */
    return (matches >= 0) & (matches <= columns) &
           ((uint32_t)columns <= (uint32_t)m + (uint32_t)n) &
           (is_mbl | ((matches <= m) & (matches <= n)));
}

static status_t refuse(const pairs_file_t *f, int64_t row, int64_t col, const char *what)
{
    return pairs_refuse(f->path, "pair %" PRId64 ", %" PRId64 " (%s, %s) %s", row + 1,
                        col + 1, f->rows.names[row], f->cols.names[col], what);
}

static status_t refuse_numbers(const pairs_file_t *f, int64_t row, int64_t col,
                               int32_t matches, int32_t columns)
{
    return pairs_refuse(f->path,
                        "pair %" PRId64 ", %" PRId64 " (%s, %s) has %" PRId32
                        " matches in %" PRId32
                        " columns, which is impossible for %" PRId64 " and %" PRId64
                        " %s",
                        row + 1, col + 1, f->rows.names[row], f->cols.names[col], matches,
                        columns, pairs_len(f, row), pairs_col_len(f, col),
                        alphabet_letters[f->alphabet]);
}

bool pairs_check_scores(const int32_t *score, int64_t n)
{
    bool good = true;

    for (int64_t k = 0; k < n; k++)
        good &= score[k] != INT32_MIN;
    return good;
}

bool pairs_check_numbers(const int32_t *lengths, bool is_mbl, int64_t row, int64_t first,
                         int64_t n, const int32_t *matches, const int32_t *columns)
{
    const int32_t m = lengths[row];
    bool good = true;

    for (int64_t k = 0; k < n; k++)
        good &= is_possible(m, lengths[first + k], is_mbl, matches[k], columns[k]);
    return good;
}

static bool all_possible(const pairs_file_t *f, int64_t row, int64_t first, int64_t n,
                         const int32_t *matches, const int32_t *columns)
{
    return pairs_check_numbers(f->rows.lengths, f->identity_def == IDENTITY_MBL, row,
                               first, n, matches, columns);
}

/* Log the first pair of a row that is wrong; either its score or its numbers are. */
static status_t refuse_row(const pairs_file_t *f, int64_t row, int64_t first, int64_t n,
                           const int32_t *score, const int32_t *matches,
                           const int32_t *columns)
{
    int64_t k = 0;

    if (score != NULL) {
        while (k + 1 < n && score[k] != INT32_MIN)
            k++;
        return refuse(f, row, first + k, "was never computed");
    }
    while (k + 1 < n && all_possible(f, row, first + k, 1, matches + k, columns + k))
        k++;
    return refuse_numbers(f, row, first + k, matches[k], columns[k]);
}

status_t pairs_check_row(const pairs_file_t *f, int64_t row, int64_t col0, int64_t col1,
                         const int32_t *score, const int32_t *matches,
                         const int32_t *columns)
{
    int64_t first = col0 > row ? col0 : row + 1, n = col1 - first, at = first - col0;

    if (n <= 0)
        return ST_OK;
    if (score != NULL && !pairs_check_scores(score + at, n))
        return refuse_row(f, row, first, n, score + at, NULL, NULL);
    if (matches != NULL && !all_possible(f, row, first, n, matches + at, columns + at))
        return refuse_row(f, row, first, n, NULL, matches + at, columns + at);
    return ST_OK;
}

static status_t refuse_hit(const pairs_file_t *f, int64_t index, const pairs_hit_t *h,
                           const char *what)
{
    int64_t row = h->row, col = h->col; /* of any value */

    return pairs_refuse(f->path,
                        "hit %" PRId64 " (row %" PRId64 ", column %" PRId64 ") %s",
                        index + 1, row + 1, col + 1, what);
}

/* @return NULL, or what is wrong with where a hit is */
static const char *check_indices(const pairs_file_t *f, int64_t index, int32_t before,
                                 const pairs_hit_t *h)
{
    if (h->row < 0 || h->row >= f->rows.n || h->col < 0 || h->col >= f->cols.n)
        return "names a sequence that does not exist";
    if (index < f->row_start[h->row] || index >= f->row_start[h->row + 1])
        return "is not where /hits/row_start has its row";
    if (!f->is_against && h->col <= h->row)
        return "is not of row < column";
    if (index > f->row_start[h->row] && h->col <= before)
        return "does not come after the one before it";
    if (h->strand != 1 && h->strand != -1)
        return "has a strand other than 1 and -1";
    return NULL;
}

status_t pairs_check_hits(const pairs_file_t *f, int64_t first, int32_t before,
                          const pairs_hit_t *hits, int64_t n)
{
    bool is_mbl = f->identity_def == IDENTITY_MBL;

    for (int64_t k = 0; k < n; k++) {
        const pairs_hit_t *h = &hits[k];
        const char *wrong = check_indices(f, first + k, before, h);

        if (wrong != NULL)
            return refuse_hit(f, first + k, h, wrong);
        if (!is_possible(f->rows.lengths[h->row], f->cols.lengths[h->col], is_mbl,
                         h->matches, h->columns))
            return refuse_numbers(f, h->row, h->col, h->matches, h->columns);
        if (h->columns == 0 ||
            !fraction_reached(&f->min_identity, h->matches, h->columns))
            return refuse(f, h->row, h->col, "has an identity below the file's minimum");
        before = h->col;
    }
    return ST_OK;
}

/* A run of k columns has at most 2 k characters. */
status_t pairs_check_place(const pairs_file_t *f, const pairs_hit_t *h, int64_t begin,
                           int64_t len)
{
    int64_t n_bytes = f->h5->cigar->columns;
    int64_t bases = pairs_len(f, h->row) + pairs_col_len(f, h->col);

    if (begin < 0 || len < 0 || begin > n_bytes || len > n_bytes - begin)
        return refuse(f, h->row, h->col, "has a CIGAR beyond the end of /cigar");
    return len <= 2 * bases ? ST_OK
                            : refuse(f, h->row, h->col, "has a CIGAR that is too long");
}

status_t pairs_check_cigar(const pairs_file_t *f, const pairs_hit_t *h, const char *text,
                           int64_t len, uint32_t *runs, int64_t *n_runs)
{
    const char *end = text + len;
    int64_t query = 0, target = 0;

    for (*n_runs = 0; text < end; ++*n_runs) {
        uint32_t run;

        if ((text = cigar_next_run(text, end, &run)) == NULL)
            return refuse(f, h->row, h->col, "has a malformed CIGAR");
        query += cigar_run_op(run) != CIGAR_D ? cigar_run_len(run) : 0;
        target += cigar_run_op(run) != CIGAR_I ? cigar_run_len(run) : 0;
        if (runs != NULL)
            runs[*n_runs] = run;
    }
    if (query == pairs_len(f, h->row) && target == pairs_col_len(f, h->col))
        return ST_OK;
    return refuse(f, h->row, h->col, "has a CIGAR that does not fit its sequences");
}
