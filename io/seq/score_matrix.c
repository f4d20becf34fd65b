/*
 * score_matrix.c - the built-in matrices, and letters that a matrix does not name.
 */
#include "io/seq/matrix_file.h"

#include "io/base/digest.h"

#include <string.h>

enum { BLASTN_MATCH = 2, BLASTN_MISMATCH = -3 };

/* Matrices as lower triangles, in the order of their letters. */
/* clang-format off */
static const int8_t blosum62[] = {
    /* A */ 4,
    /* R */ -1, 5,
    /* N */ -2, 0, 6,
    /* D */ -2, -2, 1, 6,
    /* C */ 0, -3, -3, -3, 9,
    /* Q */ -1, 1, 0, 0, -3, 5,
    /* E */ -1, 0, 0, 2, -4, 2, 5,
    /* G */ 0, -2, 0, -1, -3, -2, -2, 6,
    /* H */ -2, 0, 1, -1, -3, 0, 0, -2, 8,
    /* I */ -1, -3, -3, -3, -1, -3, -3, -4, -3, 4,
    /* L */ -1, -2, -3, -4, -1, -2, -3, -4, -3, 2, 4,
    /* K */ -1, 2, 0, -1, -3, 1, 1, -2, -1, -3, -2, 5,
    /* M */ -1, -1, -2, -3, -1, 0, -2, -3, -2, 1, 2, -1, 5,
    /* F */ -2, -3, -3, -3, -2, -3, -3, -3, -1, 0, 0, -3, 0, 6,
    /* P */ -1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4, 7,
    /* S */ 1, -1, 1, 0, -1, 0, 0, 0, -1, -2, -2, 0, -1, -2, -1, 4,
    /* T */ 0, -1, 0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1, 1, 5,
    /* W */ -3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1, 1, -4, -3, -2, 11,
    /* Y */ -2, -2, -2, -3, -2, -1, -2, -3, 2, -1, -1, -2, -1, 3, -3, -2, -2, 2, 7,
    /* V */ 0, -3, -3, -3, -1, -2, -2, -3, -3, 3, 1, -2, 1, -1, -2, -2, 0, -3, -1, 4,
    /* B */ -2, -1, 3, 4, -3, 0, 1, -1, 0, -3, -4, 0, -3, -3, -2, 0, -1, -4, -3, -3, 4,
    /* Z */ -1, 0, 0, 1, -3, 3, 4, -2, 0, -3, -3, 1, -1, -3, -1, 0, -1, -3, -2, -2, 1,
            4,
    /* X */ 0, -1, -1, -1, -2, -1, -1, -1, -1, -1, -1, -1, -1, -1, -2, 0, 0, -2, -1, -1,
            -1, -1, -1,
    /* * */ -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4,
            -4, -4, -4, -4, 1,
};

static const int8_t nuc[] = {
    /* A */ 5,
    /* T */ -4, 5,
    /* G */ -4, -4, 5,
    /* C */ -4, -4, -4, 5,
    /* S */ -4, -4, 1, 1, -1,
    /* W */ 1, 1, -4, -4, -4, -1,
    /* R */ 1, -4, 1, -4, -2, -2, -1,
    /* Y */ -4, 1, -4, 1, -2, -2, -4, -1,
    /* K */ -4, 1, 1, -4, -2, -2, -2, -2, -1,
    /* M */ 1, -4, -4, 1, -2, -2, -2, -2, -4, -1,
    /* B */ -4, -1, -1, -1, -1, -3, -3, -1, -1, -3, -1,
    /* V */ -1, -4, -1, -1, -1, -3, -1, -3, -3, -1, -2, -1,
    /* H */ -1, -1, -4, -1, -3, -1, -3, -1, -3, -1, -2, -2, -1,
    /* D */ -1, -1, -1, -4, -3, -1, -1, -3, -1, -3, -2, -2, -2, -1,
    /* N */ -2, -2, -2, -2, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
};
/* clang-format on */

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

bool score_matrix_is_valid(const score_matrix_t *m, alphabet_t alphabet)
{
    const unsigned char *has = (const unsigned char *)m->has;

    if (m->alphabet != alphabet)
        return false;
    for (int a = 0; a < ALPHABET_SIZE; a++)
        if (has[a] > 1)
            return false;
    for (int a = 0; a < ALPHABET_SIZE; a++)
        for (int b = 0; b < ALPHABET_SIZE; b++)
            if (m->score[a][b] < -MATRIX_SCORE_MAX || m->score[a][b] > MATRIX_SCORE_MAX ||
                m->score[a][b] != m->score[b][a])
                return false;
    return true;
}

uint64_t score_matrix_digest(alphabet_t alphabet,
                             const int32_t score[ALPHABET_SIZE][ALPHABET_SIZE])
{
    int32_t scores[ALPHABET_SIZE * ALPHABET_SIZE];
    const int size = alphabet_size(alphabet);
    int n = 0;

    for (int a = 0; a < size; a++)
        for (int b = 0; b < size; b++)
            scores[n++] = score[a][b];
    return digest_add(DIGEST_START, scores, (size_t)n * sizeof(*scores));
}

/* ---- the built-in score matrices ---- */

/* The mean of a match and mismatches with the other bases of the longer code, rounded to
 * nearest, halves away from 0. */
static int32_t blastn_score(uint8_t a, uint8_t b)
{
    int of_a = __builtin_popcount(a), of_b = __builtin_popcount(b);
    int n = of_a > of_b ? of_a : of_b;
    int sum = (n - 1) * BLASTN_MISMATCH + BLASTN_MATCH;

    if ((a & b) == 0)
        return BLASTN_MISMATCH;
    return sum < 0 ? -((-2 * sum + n) / (2 * n)) : (2 * sum + n) / (2 * n);
}

static const struct {
    const char *name;
    alphabet_t alphabet;
    const char *letters;
    const int8_t *scores; /* NULL: of BLASTN */
} named[] = {{"BLOSUM62", ALPHABET_PROTEIN, "ARNDCQEGHILKMFPSTWYVBZX*", blosum62},
             {"NUC.4.4", ALPHABET_DNA, "ATGCSWRYKMBVHDN", nuc},
             {"BLASTN.2.3", ALPHABET_DNA, "ATGCSWRYKMBVHDN", NULL}};

bool named_matrix_find(const char *name, score_matrix_t *out)
{
    size_t m = 0;

    while (m < 3 && strcmp(name, named[m].name) != 0)
        m++;
    if (m == 3)
        return false;
    *out = (score_matrix_t){.alphabet = named[m].alphabet};
    for (int i = 0, at = 0; named[m].letters[i] != '\0'; i++)
        for (int k = 0; k <= i; k++, at++) {
            uint8_t a = alphabet_code(out->alphabet, (unsigned char)named[m].letters[i]);
            uint8_t b = alphabet_code(out->alphabet, (unsigned char)named[m].letters[k]);

            out->has[a] = true;
            out->score[a][b] = out->score[b][a] =
                named[m].scores != NULL ? named[m].scores[at] : blastn_score(a, b);
        }
    score_matrix_fill_by_x(out);
    return true;
}
