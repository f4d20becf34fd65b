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
 * again, the lines before it are saved: two of H, and one of E and of F.
 *
 * Where ends are priced, gaps along the last row and the last column are terminal; they
 * are added to the keys of ends, and no H may end with one.
 */

/* @return as nw_key_step */
static KEY FN(step)(const frame_t *f, int64_t score, int64_t matches)
{
    return (KEY)score * ((KEY)1 << f->key.score_shift) +
           (KEY)matches * ((KEY)1 << f->key.match_shift) - 1;
}

/* @return the key of the diagonal step to cell i */
static KEY FN(diagonal)(const LINE_T *l, int64_t i)
{
    uint8_t row = l->rows[i], column = l->columns[i];

    return l->two_back[i - 1] + (l->table != NULL ? l->table[TRACE_STEPS_AT(row, column)]
                                 : (row & column) != 0 ? l->match
                                                       : l->mismatch);
}

static void FN(scalar_affine)(const LINE_T *l)
{
    for (int64_t i = l->first; i <= l->last; i++) {
        KEY diagonal = FN(diagonal)(l, i);
        KEY up = l->one_back[i - 1] + l->open, up_on = l->back_f[i - 1] + l->gap;
        KEY left = l->one_back[i] + l->open, left_on = l->back_e[i] + l->gap;
        KEY f = up >= up_on ? up : up_on, e = left >= left_on ? left : left_on;
        KEY side = f >= e ? f : e;

        l->now[i] = diagonal >= side ? diagonal : side;
        l->now_e[i] = e;
        l->now_f[i] = f;
        if (l->directions != NULL)
            l->directions[i] = (diagonal >= side ? TRACE_DIAGONAL
                                : f >= e         ? TRACE_UP
                                                 : TRACE_LEFT) |
                               (up >= up_on ? 0 : TRACE_UP_GOES_ON) |
                               (left >= left_on ? 0 : TRACE_LEFT_GOES_ON);
    }
}

static void FN(scalar)(const LINE_T *l)
{
    if (l->back_e != NULL) {
        FN(scalar_affine)(l);
        return;
    }
    for (int64_t i = l->first; i <= l->last; i++) {
        KEY diagonal = FN(diagonal)(l, i);
        KEY up = l->one_back[i - 1] + l->gap, left = l->one_back[i] + l->gap;
        KEY side = up >= left ? up : left;

        l->now[i] = diagonal >= side ? diagonal : side;
        if (l->directions != NULL)
            l->directions[i] = diagonal >= side ? TRACE_DIAGONAL
                               : up >= left     ? TRACE_UP
                                                : TRACE_LEFT;
    }
}

/* Choose again the last step to a cell whose row or column ends there: gaps along it are
 * terminal, and no part of H. */
static void FN(choose_again)(const LINE_T *l, int64_t i, bool may_be_up, bool may_be_left)
{
    KEY best = FN(diagonal)(l, i);
    uint8_t step = TRACE_DIAGONAL;

    if (may_be_up && l->now_f[i] > best) {
        best = l->now_f[i];
        step = TRACE_UP;
    }
    if (may_be_left && l->now_e[i] > best) {
        best = l->now_e[i];
        step = TRACE_LEFT;
    }
    l->now[i] = best;
    if (l->directions != NULL)
        l->directions[i] = (uint8_t)((l->directions[i] & ~TRACE_STEP) | step);
}

/* @return line k of H; of E and F, which are read one line later, one in two is kept */
static KEY *FN(line_at)(const frame_t *f, int64_t k)
{
    return (KEY *)f->lines + (k % 3) * f->line_len + LINE_FRONT;
}

static KEY *FN(line_of_e)(const frame_t *f, int64_t k)
{
    return (KEY *)f->lines + (3 + k % 2) * f->line_len + LINE_FRONT;
}

static KEY *FN(line_of_f)(const frame_t *f, int64_t k)
{
    return (KEY *)f->lines + (5 + k % 2) * f->line_len + LINE_FRONT;
}

/* @return what a terminal gap adds to a key */
static KEY FN(end_gap)(const frame_t *f, const end_t *end, int64_t len)
{
    return (KEY)align_gap_score(end->gap, len) * ((KEY)1 << f->key.score_shift) -
           (end->counted ? len : 0);
}

static void FN(offer_end)(frame_t *f, KEY *best, KEY key, int64_t i, int64_t j)
{
    key += FN(end_gap)(f, &f->end_of_rows, f->m - i) +
           FN(end_gap)(f, &f->end_of_columns, f->n - j);
    if (f->end_i >= 0 &&
        (key < *best ||
         (key == *best && (i < f->end_i || (i == f->end_i && j < f->end_j)))))
        return;
    *best = key;
    f->end_i = i;
    f->end_j = j;
}

/* A local path may begin in every cell: none is worse than the empty path. */
static void FN(floor_line)(const LINE_T *l)
{
    for (int64_t i = l->first; i <= l->last; i++)
        l->now[i] = l->now[i] > 0 ? l->now[i] : 0;
}

/* A local path ends in the last one of the cells with the known numbers. */
static void FN(find_local_end)(frame_t *f, int64_t k, const KEY *now)
{
    const side_t *rows = &f->rows_side, *columns = &f->columns_side;
    int64_t first = line_first(f, k), last = line_last(f, k);
    KEY best = FN(step)(f, f->known.score, f->known.matches) + 1 - f->known.columns;

    first = first > rows->first ? first : rows->first;
    first = first > k - columns->last ? first : k - columns->last;
    last = last < rows->last ? last : rows->last;
    last = last < k - columns->first ? last : k - columns->first;
    for (int64_t i = last; i >= first && i >= f->end_i; i--)
        if (now[i] == best && (i > f->end_i || k - i > f->end_j)) {
            f->end_i = i;
            f->end_j = k - i;
            return;
        }
}

/* No gap ends at a border, or beside the band. */
static void FN(close_line)(const LINE_T *l, int64_t first, int64_t last, int64_t k,
                           KEY none)
{
    l->now_e[first - 1] = l->now_f[first - 1] = none;
    l->now_e[last + 1] = l->now_f[last + 1] = none;
    if (first == 0)
        l->now_e[0] = l->now_f[0] = none;
    if (last == k)
        l->now_e[k] = l->now_f[k] = none;
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
    if (f->affine) {
        line->back_e = FN(line_of_e)(f, k + 1);
        line->back_f = FN(line_of_f)(f, k + 1);
        line->now_e = FN(line_of_e)(f, k);
        line->now_f = FN(line_of_f)(f, k);
    }
    line->columns = f->columns + f->n - k;
    line->directions = directions != NULL ? directions - first : NULL;
    RUN(t, line);
    if (f->local)
        FN(floor_line)(line);
    if (f->priced && k > f->n && first == k - f->n)
        FN(choose_again)(line, first, false, first < f->m);
    if (f->priced && k > f->m && last == f->m && k < f->m + f->n)
        FN(choose_again)(line, last, true, false);
    if (first == 0)
        now[0] = FN(end_gap)(f, &f->end_of_columns, k);
    if (last == k)
        now[k] = FN(end_gap)(f, &f->end_of_rows, k);
    now[first - 1] = now[last + 1] = none;
    if (f->affine)
        FN(close_line)(line, first, last, k, none);
}

/* Copy the lines before the block at line k to where they are saved, or back. */
static void FN(copy_saved)(const frame_t *f, int64_t k, bool restore)
{
    int64_t len = f->width + 2, n_lines = saved_lines(f);
    KEY *saved = (KEY *)f->saved + (k / f->block - 1) * n_lines * len;
    KEY *lines[] = {FN(line_at)(f, k - 1), FN(line_at)(f, k - 2), FN(line_of_e)(f, k - 1),
                    FN(line_of_f)(f, k - 1)};

    for (int64_t x = 0; x < n_lines; x++, saved += len) {
        KEY *line = lines[x] + line_first(f, x == 1 ? k - 2 : k - 1) - 1;

        memcpy(restore ? line : saved, restore ? saved : line, (size_t)len * sizeof(KEY));
    }
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
            FN(copy_saved)(f, k, false);
        FN(compute)(t, f, line, k, whole ? f->directions + k * f->width : NULL);
        if (f->local)
            FN(find_local_end)(f, k, now);
        else if (!f->end_of_columns.counted && last == f->m)
            FN(offer_end)(f, &best, now[f->m], f->m, k - f->m);
        if (!f->local && !f->end_of_rows.counted && first == k - f->n)
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
        FN(copy_saved)(f, start, true);
    for (int64_t k = start; k < end; k++)
        FN(compute)(t, f, line, k, f->directions + (k - start) * f->width);
}

static void FN(trace)(const nw_trace_t *t, frame_t *f)
{
    const align_scoring_t *s = &t->spec->scoring;
    KEY table[ALPHABET_SIZE * ALPHABET_SIZE];
    LINE_T line = {.rows = f->rows,
                   .table = s->two_valued ? NULL : table,
                   .match = FN(step)(f, s->match, 1),
                   .mismatch = FN(step)(f, s->mismatch, 0),
                   .gap = FN(step)(f, s->gap, 0),
                   .open = FN(step)(f, s->gap_open, 0)};
    trace_path_t *path = &f->path;
    int64_t start;

    for (int x = 0; x < ALPHABET_SIZE; x++)
        for (int y = 0; y < ALPHABET_SIZE; y++)
            table[TRACE_STEPS_AT(x, y)] = FN(step)(f, s->score[x][y], s->is_match[x][y]);
    f->end_i = f->end_of_rows.counted && f->end_of_columns.counted ? f->m : -1;
    f->end_j = f->n;
    FN(sweep)(t, f, &line);
    if (align_cancelled(t->cancel))
        return;
    assert(f->end_i >= 0);
    path->i = f->end_i;
    path->j = f->end_j;
    trace_path_put_terminal(path, f->m - path->i + f->rows_side.behind,
                            f->n - path->j + f->columns_side.behind);
    start = (path->i + path->j) / f->block * f->block;
    if (f->block < f->m + f->n + 1)
        FN(recompute)(t, f, &line, start);
    for (; path->i > 0 && path->j > 0 && f->columns_left > 0; f->columns_left--) {
        const int64_t k = path->i + path->j;

        if (k < start)
            FN(recompute)(t, f, &line, start -= f->block);
        trace_path_step(
            path, f->directions[(k - start) * f->width + path->i - line_first(f, k)]);
    }
    trace_path_put_terminal(path, path->i + f->rows_side.before,
                            path->j + f->columns_side.before);
}

#undef FN
#undef KEY
#undef LINE_T
#undef RUN
