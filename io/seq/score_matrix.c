/*
 * score_matrix.c - BLOSUM62, and letters that a matrix does not name.
 */
#include "io/seq/matrix_file.h"

#include <string.h>

enum { N_BLOSUM = 24 };

static const char blosum_letters[N_BLOSUM + 1] = "ARNDCQEGHILKMFPSTWYVBZX*";

static const int8_t blosum62[N_BLOSUM][N_BLOSUM] = {
    {4,  -1, -2, -2, 0, -1, -1, 0, -2, -1, -1, -1,
     -1, -2, -1, 1,  0, -3, -2, 0, -2, -1, 0,  -4}, /* A */
    {-1, 5,  0,  -2, -3, 1,  0,  -2, 0,  -3, -2, 2,
     -1, -3, -2, -1, -1, -3, -2, -3, -1, 0,  -1, -4}, /* R */
    {-2, 0,  6,  1, -3, 0,  0,  0,  1, -3, -3, 0,
     -2, -3, -2, 1, 0,  -4, -2, -3, 3, 0,  -1, -4}, /* N */
    {-2, -2, 1,  6, -3, 0,  2,  -1, -1, -3, -4, -1,
     -3, -3, -1, 0, -1, -4, -3, -3, 4,  1,  -1, -4}, /* D */
    {0,  -3, -3, -3, 9,  -3, -4, -3, -3, -1, -1, -3,
     -1, -2, -3, -1, -1, -2, -2, -1, -3, -3, -2, -4}, /* C */
    {-1, 1,  0,  0, -3, 5,  2,  -2, 0, -3, -2, 1,
     0,  -3, -1, 0, -1, -2, -1, -2, 0, 3,  -1, -4}, /* Q */
    {-1, 0,  0,  2, -4, 2,  5,  -2, 0, -3, -3, 1,
     -2, -3, -1, 0, -1, -3, -2, -2, 1, 4,  -1, -4}, /* E */
    {0,  -2, 0,  -1, -3, -2, -2, 6,  -2, -4, -4, -2,
     -3, -3, -2, 0,  -2, -2, -3, -3, -1, -2, -1, -4}, /* G */
    {-2, 0,  1,  -1, -3, 0,  0, -2, 8, -3, -3, -1,
     -2, -1, -2, -1, -2, -2, 2, -3, 0, 0,  -1, -4}, /* H */
    {-1, -3, -3, -3, -1, -3, -3, -4, -3, 4,  2,  -3,
     1,  0,  -3, -2, -1, -3, -1, 3,  -3, -3, -1, -4}, /* I */
    {-1, -2, -3, -4, -1, -2, -3, -4, -3, 2,  4,  -2,
     2,  0,  -3, -2, -1, -2, -1, 1,  -4, -3, -1, -4}, /* L */
    {-1, 2,  0,  -1, -3, 1,  1,  -2, -1, -3, -2, 5,
     -1, -3, -1, 0,  -1, -3, -2, -2, 0,  1,  -1, -4}, /* K */
    {-1, -1, -2, -3, -1, 0,  -2, -3, -2, 1,  2,  -1,
     5,  0,  -2, -1, -1, -1, -1, 1,  -3, -1, -1, -4}, /* M */
    {-2, -3, -3, -3, -2, -3, -3, -3, -1, 0,  0,  -3,
     0,  6,  -4, -2, -2, 1,  3,  -1, -3, -3, -1, -4}, /* F */
    {-1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1,
     -2, -4, 7,  -1, -1, -4, -3, -2, -2, -1, -2, -4}, /* P */
    {1,  -1, 1,  0, -1, 0,  0,  0,  -1, -2, -2, 0,
     -1, -2, -1, 4, 1,  -3, -2, -2, 0,  0,  0,  -4}, /* S */
    {0,  -1, 0,  -1, -1, -1, -1, -2, -2, -1, -1, -1,
     -1, -2, -1, 1,  5,  -2, -2, 0,  -1, -1, 0,  -4}, /* T */
    {-3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3,
     -1, 1,  -4, -3, -2, 11, 2,  -3, -4, -3, -2, -4}, /* W */
    {-2, -2, -2, -3, -2, -1, -2, -3, 2,  -1, -1, -2,
     -1, 3,  -3, -2, -2, 2,  7,  -1, -3, -2, -1, -4}, /* Y */
    {0, -3, -3, -3, -1, -2, -2, -3, -3, 3,  1,  -2,
     1, -1, -2, -2, 0,  -3, -1, 4,  -3, -2, -1, -4}, /* V */
    {-2, -1, 3,  4, -3, 0,  1,  -1, 0, -3, -4, 0,
     -3, -3, -2, 0, -1, -4, -3, -3, 4, 1,  -1, -4}, /* B */
    {-1, 0,  0,  1, -3, 3,  4,  -2, 0, -3, -3, 1,
     -1, -3, -1, 0, -1, -3, -2, -2, 1, 4,  -1, -4}, /* Z */
    {0,  -1, -1, -1, -2, -1, -1, -1, -1, -1, -1, -1,
     -1, -1, -2, 0,  0,  -2, -1, -1, -1, -1, -1, -4}, /* X */
    {-4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4,
     -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, 1}, /* * */
};

void score_matrix_blosum62(score_matrix_t *out)
{
    *out = (score_matrix_t){.alphabet = ALPHABET_PROTEIN};
    for (int i = 0; i < N_BLOSUM; i++) {
        uint8_t a = alphabet_code(ALPHABET_PROTEIN, (unsigned char)blosum_letters[i]);

        out->has[a] = true;
        for (int k = 0; k < N_BLOSUM; k++)
            out->score[a][alphabet_code(ALPHABET_PROTEIN,
                                        (unsigned char)blosum_letters[k])] =
                blosum62[i][k];
    }
    score_matrix_fill_by_x(out);
}

void score_matrix_fill_by_x(score_matrix_t *m)
{
    if (m->alphabet != ALPHABET_PROTEIN || !m->has[CODE_X])
        return;
    for (int a = 1; a < PROTEIN_SIZE; a++) {
        if (m->has[a])
            continue;
        for (int b = 0; b < PROTEIN_SIZE; b++)
            m->score[a][b] = m->score[b][a] = m->score[CODE_X][b];
        m->score[a][a] = m->score[CODE_X][CODE_X];
        m->has[a] = true;
    }
}

/* ---- the built-in score matrices ---- */

enum { N_LETTERS = DNA_SIZE - 1, BLASTN_MATCH = 2, BLASTN_MISMATCH = -3 };

static const char letters[N_LETTERS + 1] = "ATGCSWRYKMBVHDN";

/* clang-format off */
static const int8_t nuc[N_LETTERS][N_LETTERS] = {
    /* A */ {5},
    /* T */ {-4, 5},
    /* G */ {-4, -4, 5},
    /* C */ {-4, -4, -4, 5},
    /* S */ {-4, -4, 1, 1, -1},
    /* W */ {1, 1, -4, -4, -4, -1},
    /* R */ {1, -4, 1, -4, -2, -2, -1},
    /* Y */ {-4, 1, -4, 1, -2, -2, -4, -1},
    /* K */ {-4, 1, 1, -4, -2, -2, -2, -2, -1},
    /* M */ {1, -4, -4, 1, -2, -2, -2, -2, -4, -1},
    /* B */ {-4, -1, -1, -1, -1, -3, -3, -1, -1, -3, -1},
    /* V */ {-1, -4, -1, -1, -1, -3, -1, -3, -3, -1, -2, -1},
    /* H */ {-1, -1, -4, -1, -3, -1, -3, -1, -3, -1, -2, -2, -1},
    /* D */ {-1, -1, -1, -4, -3, -1, -1, -3, -1, -3, -2, -2, -2, -1},
    /* N */ {-2, -2, -2, -2, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1},
};
/* clang-format on */

static int n_bases(uint8_t code)
{
    int n = 0;

    for (; code != 0; code &= (uint8_t)(code - 1))
        n++;
    return n;
}

/* The mean of a match and mismatches with the other bases of the longer code, rounded to
 * nearest, halves away from 0. */
static int32_t blastn_score(uint8_t a, uint8_t b)
{
    int n = n_bases(a) > n_bases(b) ? n_bases(a) : n_bases(b);
    int sum = (n - 1) * BLASTN_MISMATCH + BLASTN_MATCH;

    if ((a & b) == 0)
        return BLASTN_MISMATCH;
    return sum < 0 ? -((-2 * sum + n) / (2 * n)) : (2 * sum + n) / (2 * n);
}

bool named_matrix_find(const char *name, score_matrix_t *out)
{
    bool is_nuc = strcmp(name, "NUC.4.4") == 0;

    if (strcmp(name, "BLOSUM62") == 0) {
        score_matrix_blosum62(out);
        return true;
    }
    if (!is_nuc && strcmp(name, "BLASTN.2.3") != 0)
        return false;
    *out = (score_matrix_t){.alphabet = ALPHABET_DNA};
    for (int i = 0; i < N_LETTERS; i++)
        for (int k = 0; k <= i; k++) {
            uint8_t a = alphabet_code(ALPHABET_DNA, (unsigned char)letters[i]);
            uint8_t b = alphabet_code(ALPHABET_DNA, (unsigned char)letters[k]);

            out->has[a] = true;
            out->score[a][b] = out->score[b][a] = is_nuc ? nuc[i][k] : blastn_score(a, b);
        }
    return true;
}
