/*
 * every_alignment.h - enumerates all alignments of two short words, and keeps the best.
 *
 * It shares no code with the definition: it walks every path, decides itself which
 * letters match, and among equally good paths keeps the one that the rules of
 * nw_reference.h prefer. The rows are the word that these rules make the rows.
 */
#pragma once

#include "kernels/align/common/nw_reference.h"

#include <string.h>

enum { WORD_MAX = 6, N_LETTERS = 4 };

static const char letters[N_LETTERS + 1] = "ACRN";

/* What a gap scores, and whether it is columns. */
typedef struct {
    int64_t open, extend;
    bool counts;
} every_gap_t;

/* One pair under one scoring. */
typedef struct {
    const char *a, *b;
    int m, n;
    /* of terminal gaps against a's letters, against b's; of gaps inside */
    every_gap_t row_end, column_end, inside;
    int64_t score[N_LETTERS][N_LETTERS];
    bool match[N_LETTERS][N_LETTERS];
    nw_cell_t best;
    bool found;
    char path[2 * WORD_MAX + 1],
        best_path[2 * WORD_MAX +
                  1]; /* of "=Xrc": r, c: a gap against a row's, a column's letter */
    /* local alignments: where the path begins; the best one's columns, and its end */
    int begin_i, begin_j;
    char best_columns[2 * WORD_MAX + 1];
    int best_end;
} every_t;

static inline int index_of(char letter)
{
    return (int)(strchr(letters, letter) - letters);
}

/* R is A or G, N is any. */
static inline bool letters_match(align_ambiguity_t ambiguity, char x, char y)
{
    static const bool may_be_same[N_LETTERS][N_LETTERS] = {
        /* A */ {true, false, true, true},
        /* C */ {false, true, false, true},
        /* R */ {true, false, true, true},
        /* N */ {true, true, true, true}};
    bool both_are_bases = strchr("AC", x) != NULL && strchr("AC", y) != NULL;

    if (both_are_bases)
        return x == y;
    if (ambiguity == AMBIGUITY_SAME)
        return x == y;
    if (ambiguity == AMBIGUITY_MISMATCH ||
        (ambiguity == AMBIGUITY_N_MISMATCH && (x == 'N' || y == 'N')))
        return false;
    return may_be_same[index_of(x)][index_of(y)];
}

/* @return a number that grows with the row, then the column, in which a path ends: the
 *         rules prefer the largest */
static inline int rank_of_end(const every_t *e, const char *path, int len)
{
    int i = e->m, j = e->n;

    for (char last = path[len - 1];
         (last == 'r' && !e->row_end.counts) || (last == 'c' && !e->column_end.counts);
         i -= last == 'r', j -= last == 'c')
        if (len-- == 0 || path[len] != last)
            break;
    return i * (WORD_MAX + 1) + j;
}

/* @return the place of a step among those of a cell, the preferred ones first.  A gap
 * that could end but goes on comes last, unless all of its bases cost the same.
 * @param behind  the step behind it, or '\0' */
static inline int rank_of_step(const every_t *e, char step, char behind)
{
    static const char order[] = "=Xrc"; /* no cell offers both = and X */
    bool goes_on = (step == 'r' || step == 'c') && step == behind;

    return goes_on && e->inside.open != e->inside.extend
               ? (int)sizeof(order)
               : (int)(strchr(order, step) - order);
}

/* Whether the rules prefer a path to another one that is as good and ends in the same
 * cell. */
static inline bool steps_are_preferred(const every_t *e, const char *path,
                                       const char *other)
{
    int len1 = (int)strlen(path), len2 = (int)strlen(other);

    while (len1 > 0 && len2 > 0 && path[len1 - 1] == other[len2 - 1])
        len1--, len2--;
    return len1 > 0 && len2 > 0 &&
           rank_of_step(e, path[len1 - 1], path[len1]) <
               rank_of_step(e, other[len2 - 1], path[len1]);
}

/* Whether the rules prefer a path to another one that is as good. */
static inline bool is_preferred(const every_t *e, const char *path, const char *other)
{
    int rank1 = rank_of_end(e, path, (int)strlen(path));
    int rank2 = rank_of_end(e, other, (int)strlen(other));

    return rank1 != rank2 ? rank1 > rank2 : steps_are_preferred(e, path, other);
}

static inline bool same(nw_cell_t x, nw_cell_t y)
{
    return x.score == y.score && x.matches == y.matches && x.columns == y.columns;
}

static inline bool is_better(nw_cell_t c, nw_cell_t b)
{
    return c.score > b.score ||
           (c.score == b.score &&
            (c.matches > b.matches || (c.matches == b.matches && c.columns < b.columns)));
}

static inline void keep_if_better(every_t *e, nw_cell_t c)
{
    if (!e->found || is_better(c, e->best) ||
        (same(c, e->best) && is_preferred(e, e->path, e->best_path))) {
        e->best = c;
        strcpy(e->best_path, e->path);
    }
    e->found = true;
}

/* Add a base of a gap. A gap lies on a border as a whole, or not at all.
 * @param goes_on  it is not the gap's first one */
static inline nw_cell_t gap_base(const every_gap_t *gap, nw_cell_t c, bool goes_on)
{
    return (nw_cell_t){c.score + (goes_on ? gap->extend : gap->open), c.matches,
                       c.columns + gap->counts};
}

static inline void walk(every_t *e, int i, int j, nw_cell_t c, char *at)
{
    if (i == e->m && j == e->n) {
        keep_if_better(e, c);
        return;
    }
    if (i < e->m && j < e->n) {
        int x = index_of(e->a[i]), y = index_of(e->b[j]);

        *at = e->match[x][y] ? '=' : 'X';
        walk(e, i + 1, j + 1,
             (nw_cell_t){c.score + e->score[x][y], c.matches + e->match[x][y],
                         c.columns + 1},
             at + 1);
    }
    *at = 'r';
    if (i < e->m)
        walk(e, i + 1, j,
             gap_base(j == 0 || j == e->n ? &e->row_end : &e->inside, c,
                      at > e->path && at[-1] == 'r'),
             at + 1);
    *at = 'c';
    if (j < e->n)
        walk(e, i, j + 1,
             gap_base(i == 0 || i == e->m ? &e->column_end : &e->inside, c,
                      at > e->path && at[-1] == 'c'),
             at + 1);
    *at = '\0';
}

/* Keep a local alignment that ends before letters i and j. */
static inline void keep_local_if_better(every_t *e, int i, int j, nw_cell_t c)
{
    int end = i * (WORD_MAX + 1) + j;
    char *out = e->best_path;

    if (c.score <= 0 ||
        !(is_better(c, e->best) ||
          (same(c, e->best) &&
           (end != e->best_end ? end > e->best_end
                               : steps_are_preferred(e, e->path, e->best_columns)))))
        return;
    e->best = c;
    e->best_end = end;
    strcpy(e->best_columns, e->path);
    memset(out, 'r', (size_t)e->begin_i);
    out += e->begin_i;
    memset(out, 'c', (size_t)e->begin_j);
    strcpy(out + e->begin_j, e->path);
    out += strlen(out);
    memset(out, 'r', (size_t)(e->m - i));
    out += e->m - i;
    memset(out, 'c', (size_t)(e->n - j));
    out[e->n - j] = '\0';
}

static inline void walk_local(every_t *e, int i, int j, nw_cell_t c, char *at)
{
    *at = '\0';
    keep_local_if_better(e, i, j, c);
    if (i < e->m && j < e->n) {
        int x = index_of(e->a[i]), y = index_of(e->b[j]);

        *at = e->match[x][y] ? '=' : 'X';
        walk_local(e, i + 1, j + 1,
                   (nw_cell_t){c.score + e->score[x][y], c.matches + e->match[x][y],
                               c.columns + 1},
                   at + 1);
    }
    *at = 'r';
    if (i < e->m)
        walk_local(e, i + 1, j, gap_base(&e->inside, c, at > e->path && at[-1] == 'r'),
                   at + 1);
    *at = 'c';
    if (j < e->n)
        walk_local(e, i, j + 1, gap_base(&e->inside, c, at > e->path && at[-1] == 'c'),
                   at + 1);
    *at = '\0';
}

/* Find the best one of all alignments. */
static inline void walk_all(every_t *e, align_ends_t ends)
{
    e->found = false;
    if (ends != ENDS_LOCAL) {
        walk(e, 0, 0, (nw_cell_t){0, 0, 0}, e->path);
        return;
    }
    e->best = (nw_cell_t){0, 0, 0};
    e->best_path[0] = '\0';
    for (e->begin_i = 0; e->begin_i < e->m; e->begin_i++)
        for (e->begin_j = 0; e->begin_j < e->n; e->begin_j++)
            walk_local(e, e->begin_i, e->begin_j, (nw_cell_t){0, 0, 0}, e->path);
}

/* @param query_is_rows  whether a is the query */
static inline void set_ends(every_t *e, const align_spec_t *spec, bool query_is_rows)
{
    const every_gap_t free_gap = {0, 0, false};
    const every_gap_t priced = {spec->end_gap.open, spec->end_gap.extend, false};
    const every_gap_t end = spec->ends == ENDS_PRICED ? priced : free_gap;
    bool query_counts = spec->ends == ENDS_COUNT || spec->ends == ENDS_QUERY;
    bool target_counts = spec->ends == ENDS_COUNT;

    e->row_end = (query_is_rows ? query_counts : target_counts) ? e->inside : end;
    e->column_end = (query_is_rows ? target_counts : query_counts) ? e->inside : end;
}

/* Set the gaps inside of both. */
static inline void set_gap(every_t *e, align_spec_t *spec, align_gap_t gap)
{
    align_scoring_set_gap(&spec->scoring, gap);
    e->inside = (every_gap_t){gap.open, gap.extend, true};
}

static inline void set_scoring(every_t *e, align_spec_t *spec, const int32_t *s,
                               align_ambiguity_t ambiguity)
{
    align_scoring_set(&spec->scoring, ambiguity, s[0], s[1], s[2]);
    set_gap(e, spec, (align_gap_t){s[2], s[2]});
    for (int x = 0; x < N_LETTERS; x++)
        for (int y = 0; y < N_LETTERS; y++) {
            e->match[x][y] = letters_match(ambiguity, letters[x], letters[y]);
            e->score[x][y] = e->match[x][y] ? s[0] : s[1];
            if (ambiguity == AMBIGUITY_NEUTRAL && (x > 1 || y > 1)) /* R or N */
                e->score[x][y] = 0;
        }
}

static inline void set_matrix(every_t *e, align_spec_t *spec,
                              const score_matrix_t *matrix, int32_t gap)
{
    align_scoring_set_matrix(&spec->scoring, matrix, gap);
    set_gap(e, spec, (align_gap_t){gap, gap});
    for (int x = 0; x < N_LETTERS; x++)
        for (int y = 0; y < N_LETTERS; y++) {
            e->match[x][y] = x == y;
            e->score[x][y] =
                matrix->score[alphabet_code(ALPHABET_DNA, (unsigned char)letters[x])]
                             [alphabet_code(ALPHABET_DNA, (unsigned char)letters[y])];
        }
}
