/*
 * nw_trace_body.h - computes keys and traces the canonical path, for one width of keys;
 * included once per width with
 *
 *   FN(name)      the name of a function
 *   KEY           a signed integer that holds twice the value of any key
 *   LINE_T        nw_trace_line_t, or its counterpart for this width
 *   RUN(t, line)  computes a line, for instance by FN(scalar)
 *
 * Lines are antidiagonals: cell (i, j) is in line i + j at index i.  Directions are kept
 * for one block of lines at a time, from the last block to the first.  To compute a block
 * again, the two lines before it are saved.
 */

/* @return as nw_key_step */
static KEY FN(step)(const frame_t *f, int64_t score, int64_t matches)
{
    return (KEY)score * ((KEY)1 << f->key.score_shift) +
           (KEY)matches * ((KEY)1 << f->key.match_shift) - 1;
}

static void FN(scalar)(const LINE_T *l)
{
    const bool has_table = l->table != NULL;

    for (int64_t i = l->first; i <= l->last; i++) {
        KEY step = has_table ? l->table[l->rows[i] | l->columns[i]]
                   : (l->rows[i] & l->columns[i]) != 0 ? l->match
                                                       : l->mismatch;
        KEY diagonal = l->two_back[i - 1] + step;
        KEY up = l->one_back[i - 1] + l->gap, left = l->one_back[i] + l->gap;
        KEY side = up >= left ? up : left;

        l->now[i] = diagonal >= side ? diagonal : side;
        if (l->directions != NULL)
            l->directions[i] = diagonal >= side ? TRACE_DIAGONAL
                               : up >= left     ? TRACE_UP
                                                : TRACE_LEFT;
    }
}

static KEY *FN(line_at)(const frame_t *f, int64_t k)
{
    return (KEY *)f->lines + (k % 3) * f->line_len + LINE_FRONT;
}

static void FN(offer_end)(frame_t *f, KEY *best, KEY key, int64_t i, int64_t j)
{
    if (f->end_i >= 0 &&
        (key < *best ||
         (key == *best && (i < f->end_i || (i == f->end_i && j < f->end_j)))))
        return;
    *best = key;
    f->end_i = i;
    f->end_j = j;
}

/* Compute line k. @param directions  may be NULL */
static void FN(compute)(const nw_trace_t *t, frame_t *f, LINE_T *line, int64_t k,
                        uint8_t *directions)
{
    const KEY none = -((KEY)1 << (8 * sizeof(KEY) - 2));
    int64_t first = line_first(f, k), last = line_last(f, k);
    KEY *now = FN(line_at)(f, k);

    line->first = first > 1 ? first : 1;
    line->last = last < k - 1 ? last : k - 1;
    line->two_back = FN(line_at)(f, k + 1); /* k - 2, of three lines */
    line->one_back = FN(line_at)(f, k + 2);
    line->now = now;
    line->columns = f->columns + f->n - k;
    line->directions = directions != NULL ? directions - first : NULL;
    RUN(t, line);
    if (first == 0)
        now[0] = f->columns_free ? 0 : k * line->gap;
    if (last == k)
        now[k] = f->rows_free ? 0 : k * line->gap;
    now[first - 1] = now[last + 1] = none;
}

/* @return where the line is saved that comes `back` lines before a block */
static KEY *FN(saved)(const frame_t *f, int64_t block, int back)
{
    return (KEY *)f->saved + (2 * block + back - 3) * (f->width + 2);
}

static void FN(save)(const frame_t *f, int64_t k)
{
    for (int back = 1; back <= 2; back++)
        memcpy(FN(saved)(f, k / f->block, back),
               FN(line_at)(f, k - back) + line_first(f, k - back) - 1,
               (size_t)(f->width + 2) * sizeof(KEY));
}

static void FN(restore)(const frame_t *f, int64_t k)
{
    for (int back = 1; back <= 2; back++)
        memcpy(FN(line_at)(f, k - back) + line_first(f, k - back) - 1,
               FN(saved)(f, k / f->block, back), (size_t)(f->width + 2) * sizeof(KEY));
}

/* Compute all lines, save those before each block, and find the end cell. */
static void FN(sweep)(const nw_trace_t *t, frame_t *f, LINE_T *line)
{
    bool whole = f->block >= f->m + f->n + 1;
    KEY best = 0;

    for (int64_t k = 0; k <= f->m + f->n; k++) {
        int64_t first = line_first(f, k), last = line_last(f, k);
        const KEY *now = FN(line_at)(f, k);

        if (k % f->block == 0 && k > 0)
            FN(save)(f, k);
        FN(compute)(t, f, line, k, whole ? f->directions + k * f->width : NULL);
        if (f->columns_free && last == f->m)
            FN(offer_end)(f, &best, now[f->m], f->m, k - f->m);
        if (f->rows_free && first == k - f->n)
            FN(offer_end)(f, &best, now[k - f->n], k - f->n, f->n);
        if (k % CANCEL_LINES == 0 && align_cancelled(t->cancel))
            break;
    }
}

/* Compute the directions of the block at line `start`. */
static void FN(recompute)(const nw_trace_t *t, frame_t *f, LINE_T *line, int64_t start)
{
    int64_t end = start + f->block;

    end = end < f->end_i + f->end_j + 1 ? end : f->end_i + f->end_j + 1;
    if (start > 0)
        FN(restore)(f, start);
    for (int64_t k = start; k < end; k++)
        FN(compute)(t, f, line, k, f->directions + (k - start) * f->width);
}

static void FN(trace)(const nw_trace_t *t, frame_t *f)
{
    const align_scoring_t *s = &t->spec->scoring;
    KEY table[SCORE_TABLE];
    LINE_T line = {.rows = f->rows,
                   .table = s->two_valued ? NULL : table,
                   .match = FN(step)(f, s->match, 1),
                   .mismatch = FN(step)(f, s->mismatch, 0),
                   .gap = FN(step)(f, s->gap, 0)};
    int64_t i, j, start;

    for (int x = 0; x < SCORE_TABLE; x++)
        table[x] = FN(step)(f, s->score[x >> 4][x & 15], s->is_match[x >> 4][x & 15]);
    f->end_i = f->rows_free || f->columns_free ? -1 : f->m;
    f->end_j = f->n;
    FN(sweep)(t, f, &line);
    if (align_cancelled(t->cancel))
        return;
    i = f->end_i;
    j = f->end_j;
    put_terminal(f, f->m - i, f->n - j);
    start = (i + j) / f->block * f->block;
    if (f->block < f->m + f->n + 1)
        FN(recompute)(t, f, &line, start);
    while (i > 0 && j > 0) {
        if (i + j < start)
            FN(recompute)(t, f, &line, start -= f->block);
        follow(t, f, f->directions[(i + j - start) * f->width + i - line_first(f, i + j)],
               &i, &j);
    }
    put_terminal(f, i, j);
}

#undef FN
#undef KEY
#undef LINE_T
#undef RUN
