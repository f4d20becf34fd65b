/*
 * named_matrix.c - the built-in score matrices.
 */
#include "io/seq/named_matrix.h"

#include <string.h>

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
